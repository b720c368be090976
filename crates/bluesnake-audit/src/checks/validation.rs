//! The structure of documents, and the weight of files.

use crate::catalogue::size;
use crate::language::is_language_tag;
use crate::rule::over;
use crate::state::Fate;
use crate::subject::Subject;

super::checks! { Validation
    "head-missing" "Missing <head> Tag" Issue High;
    why "Parsers have to guess where the head begins and ends."
    fix "Add a <head> tag."
    says "{page has|pages have} no head tag"
    page when |page| page.facts.head_tags == 0;

    "head-multiple" "Multiple <head> Tags" Issue High;
    why "The contents of the second head may be ignored."
    fix "Merge the heads."
    says "{page has|pages have} several head tags"
    page number |page| over(page.facts.head_tags as usize, 1);

    "body-missing" "Missing <body> Tag" Issue High;
    why "Parsers have to guess where the body begins."
    fix "Add a <body> tag."
    says "{page has|pages have} no body tag"
    page when |page| page.facts.body_tags == 0;

    "body-multiple" "Multiple <body> Tags" Issue High;
    why "Parsers handle such a page differently."
    fix "Merge the bodies."
    says "{page has|pages have} several body tags"
    page number |page| over(page.facts.body_tags as usize, 1);

    "body-before-html" "<body> Element Preceding <html>" Warning High;
    why "Parsers handle such a page differently and may ignore the head."
    fix "Start the page with the html tag."
    says "{page has|pages have} a body before the html tag"
    page when |page| page.facts.is_body_before_html;

    "head-not-first" "<head> Not First In <html> Element" Warning High;
    why "Content before the head starts the body, and the head may be ignored."
    fix "Make the head the first element of the page."
    says "{page has|pages have} content before the head"
    page when |page| page.facts.is_head_not_first;

    "invalid-in-head" "Invalid HTML Elements In <head>" Warning High;
    why "Such an element ends the head, and what follows may be ignored."
    fix "Move the element into the body."
    says "{page has|pages have} invalid elements in the head"
    page each |page, found| page.facts.invalid_head_elements.iter().for_each(|name| found.text(name));

    "html-too-large" "HTML Document Over {}" Issue High, limit |settings| size(settings.html_bytes);
    why "Search engines read only the first part of a large document."
    fix "Move inline data, scripts and styles out of the page, or split it."
    says "{HTML document is|HTML documents are} too large"
    page number |page| page.bytes_over(page.settings.html_bytes);

    "charset-missing" "Missing Charset" Warning Low;
    why "Browsers guess the encoding, and non-ASCII characters may be garbled."
    fix "Make <meta charset=\"utf-8\"> the first element of the head."
    says "{page declares|pages declare} no character encoding"
    page when |page| page.has_newer_facts() && !declares_encoding(page);

    "html-lang-missing" "Missing <html lang> Attribute" Warning Low;
    why "Screen readers and translators have to guess the language."
    fix "Set the lang attribute of the html element."
    says "{page has|pages have} no lang attribute"
    page when |page| page.lang.is_empty();

    "html-lang-invalid" "Invalid <html lang> Attribute" Warning Low;
    why "Screen readers and translators ignore a language they do not know."
    fix "Use a language tag such as en or pt-BR."
    says "{page has|pages have} an invalid lang attribute"
    page text |page| (!page.lang.is_empty() && !is_language_tag(page.lang)).then_some(page.lang.into());

    "resource-too-large" "Resource Over {}" Issue High, limit |settings| size(settings.resource_bytes);
    why "Large resources make pages slow, and search engines may not read them completely."
    fix "Compress or split the file."
    says "{resource is|resources are} too large"
    url number |url| url.bytes_over(url.settings.resource_bytes).filter(|_| url.is_own_resource());

    "compression-missing" "Missing Compression" Opportunity Medium;
    why "Text shrinks to a fraction of its size when it is compressed, and pages load sooner."
    fix "Turn on gzip, Brotli or Zstandard for text in the web server."
    says "{text file is|text files are} sent without compression"
    url number |url| url.bytes_over(SMALLEST_BYTES - 1).filter(|_| is_plain_text(url));
}

/// Compressing less saves nothing: it fits into one packet anyway.
const SMALLEST_BYTES: u64 = 1024;

fn declares_encoding(page: &Subject<'_>) -> bool {
    page.facts.charset.is_some() || page.facts.header_charset.is_some() || page.facts.has_bom
}

/// Whether it is text of the site that was sent as it is.
fn is_plain_text(url: &Subject<'_>) -> bool {
    let is_text = url.visit.content_type.is_some_and(|kind| {
        let kind = kind.to_ascii_lowercase();
        matches!(kind.as_str(), "text/html" | "text/css" | "application/xhtml+xml" | "image/svg+xml")
            || ["javascript", "ecmascript", "/json", "+json"].iter().any(|end| kind.ends_with(end))
    });
    let is_known = url.visit.headers.is_some() && url.is_internal() && url.fate() == Fate::Answer;
    is_text && is_known && !url.header.is_compressed
}
