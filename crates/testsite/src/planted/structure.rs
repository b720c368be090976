//! The structure of the document, structured data, previews and AMP.

use super::leaf::{Leaf, page};

/// Structured data instead of the usual one.
macro_rules! data {
    ($json:literal) => {
        ("[data]", concat!("<script type=\"application/ld+json\">", $json, "</script>"))
    };
}

const AMP_SCRIPT: &str = "[data]<script async src=\"https://cdn.ampproject.org/v0.js\"></script>";

#[rustfmt::skip]
pub(super) const PAGES: &[Leaf<'_>] = &[
    page("/data/missing", &["structured-data-missing"], &[("[data]", "")]),
    page("/data/broken", &["structured-data-parse-error=1"], &[data!("{\"@type\": broken")]),
    page("/data/recovered", &["structured-data-recovered=1"], &[data!("{\"@context\": \"https://schema.org\", \"@type\": \"WebPage\", \"name\": \"A comma too many\",}")]),
    page("/data/product", &["structured-data-missing-required=Product: name"], &[data!("{\"@context\": \"https://schema.org\", \"@type\": \"Product\", \"description\": \"A product without a name\", \"image\": \"{self}/media/logo.png\", \"offers\": {\"@type\": \"Offer\", \"price\": \"1.00\", \"priceCurrency\": \"EUR\"}}")]),
    page("/data/event", &["structured-data-missing-required=Event: startDate, location", "structured-data-missing-recommended=Event: description, endDate, image, offers, organizer"], &[data!("{\"@context\": \"https://schema.org\", \"@type\": \"Event\", \"name\": \"An event without a date or a place\"}")]),
    page("/data/recipe", &["structured-data-missing-recommended=Recipe: author, recipeIngredient, recipeInstructions, totalTime or cookTime"], &[data!("{\"@context\": \"https://schema.org\", \"@type\": \"Recipe\", \"name\": \"Soup\", \"image\": \"{self}/media/logo.png\"}")]),
    page("/data/parts", &[], &[data!("{\"@context\": \"https://schema.org\", \"@type\": \"WebPage\", \"name\": \"Parts and references\", \"about\": {\"@type\": \"Product\", \"@id\": \"#product\"}, \"publisher\": {\"@type\": \"LocalBusiness\", \"name\": \"A shop\"}}")]),
    page("/validation/head-missing", &["head-missing"], &[("[head]", ""), ("[/head]", "")]),
    page("/validation/head-twice", &["head-multiple=2"], &[("[/head]", "</head><head></head>")]),
    page("/validation/body-missing", &["body-missing"], &[("[body]", ""), ("[/body]", "")]),
    page("/validation/body-twice", &["body-multiple=2"], &[("[body]", "<body><body>")]),
    page("/validation/body-first", &["body-before-html"], &[("[html]", ""), ("[body]", "<body><html lang=\"en\">")]),
    page("/validation/head-late", &["head-not-first"], &[("[head]", "<script></script><head>")]),
    page("/validation/head-invalid", &["invalid-in-head"], &[("[data]", "[data]<div>This does not belong here.</div>")]),
    page("/validation/lang-missing", &["html-lang-missing"], &[("[html]", "<html>")]),
    page("/validation/lang-invalid", &["html-lang-invalid=english"], &[("[html]", "<html lang=\"english\">")]),
    page("/validation/lang-underscore", &["html-lang-invalid=en_US"], &[("[html]", "<html lang=\"en_US\">")]),
    page("/validation/lang-full", &[], &[("[html]", "<html lang=\"zh-Hant-TW\">")]),
    page("/validation/charset-missing", &["charset-missing"], &[("[charset]", "")]).with(&[("Content-Type", "text/html")]),
    page("/validation/charset-in-header", &[], &[("[charset]", "")]),
    page("/validation/viewport-missing", &["viewport-missing"], &[("[viewport]", "")]),
    page("/validation/preview-missing", &["open-graph-missing=og:title, og:description, og:image"], &[("[social]", "")]),
    page("/validation/preview-image-missing", &["open-graph-missing=og:image"], &[("[social]", "[og-title][og-description]")]),
    page("/amp/bare", &["amp-missing-canonical", "amp-viewport", "amp-charset", "amp-script", "amp-indexable", "canonical-missing", "viewport-missing"], &[("[html]", "<html lang=\"en\" amp>"), ("[charset]", ""), ("[viewport]", ""), ("[canonical]", "")]),
    page("/amp/narrow", &["amp-viewport=width=320", "canonicalised={self}/amp/article"], &[("[html]", "<html lang=\"en\" amp>"), ("[viewport]", "<meta name=viewport content=\"width=320\">"), ("[canonical]", "<link rel=canonical href=\"{self}/amp/article\">"), ("[data]", AMP_SCRIPT)]).unlisted(),
    page("/amp/latin", &["amp-charset=iso-8859-1", "canonicalised={self}/amp/article"], &[("[html]", "<html lang=\"en\" amp>"), ("[charset]", "<meta charset=\"iso-8859-1\">"), ("[canonical]", "<link rel=canonical href=\"{self}/amp/article\">"), ("[data]", AMP_SCRIPT)]).unlisted(),
    page("/amp/scriptless", &["amp-script", "canonicalised={self}/amp/article"], &[("[html]", "<html lang=\"en\" amp>"), ("[canonical]", "<link rel=canonical href=\"{self}/amp/article\">")]).unlisted(),
    page("/amp/forgotten", &["amp-missing-return={self}/about", "canonicalised={self}/about"], &[("[html]", "<html lang=\"en\" amp>"), ("[canonical]", "<link rel=canonical href=\"{self}/about\">"), ("[data]", AMP_SCRIPT)]).unlisted(),
    page("/amp/alone", &["amp-indexable"], &[("[html]", "<html lang=\"en\" amp>"), ("[data]", AMP_SCRIPT)]),
    page("/amp/good", &["canonicalised={self}/amp/article"], &[("[html]", "<html lang=\"en\" amp>"), ("[canonical]", "<link rel=canonical href=\"{self}/amp/article\">"), ("[data]", AMP_SCRIPT)]).unlisted(),
    page("/amp/article", &[], &[("[data]", "[data]<link rel=amphtml href=\"{self}/amp/good\"><link rel=amphtml href=\"{self}/amp/narrow\"><link rel=amphtml href=\"{self}/amp/latin\"><link rel=amphtml href=\"{self}/amp/scriptless\">")]),
];
