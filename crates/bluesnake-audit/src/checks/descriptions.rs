//! Meta descriptions, keywords, and what other sites show of a page.

use std::borrow::Cow;

use crate::catalogue::grouped;
use crate::facts::Preview;
use crate::pixels::description_pixels;
use crate::rule::{below, over};

super::checks! { Descriptions
    "description-missing" "Meta Description Missing" Opportunity Low;
    why "Without one, search engines pick a snippet from the page."
    fix "Describe the page in one or two sentences."
    says "{page has|pages have} no meta description"
    page when |page| page.description.is_empty();

    "description-duplicate" "Meta Description Duplicate" Opportunity Low;
    why "Pages with the same description cannot be told apart in search results."
    fix "Write a unique description for every page."
    says "{page shares its|pages share a} meta description"
    page later;

    "description-too-long" "Meta Description Over {} Characters" Opportunity Low, limit |settings| grouped(settings.description_max);
    why "Search results truncate long descriptions."
    fix "Put the essentials first, and shorten the rest."
    says "{page has|pages have} a meta description with too many characters"
    page number |page| over(page.description.chars().count(), page.settings.description_max);

    "description-too-short" "Meta Description Below {} Characters" Opportunity Low, limit |settings| grouped(settings.description_min);
    why "A short description wastes space that could attract visitors."
    fix "Add what visitors find on the page."
    says "{page has|pages have} a meta description that is too short"
    page number |page| below(page.description.chars().count(), page.settings.description_min);

    "description-too-wide" "Meta Description Over {} Pixels" Opportunity Low, limit |settings| grouped(settings.description_max_pixels);
    why "Search results cut off descriptions that are longer than their lines."
    fix "Put the essentials first, and shorten the rest."
    says "{page has|pages have} a meta description that is too wide for search results"
    page number |page| over(description_pixels(page.description), page.settings.description_max_pixels);

    "description-too-narrow" "Meta Description Below {} Pixels" Opportunity Low, limit |settings| grouped(settings.description_min_pixels);
    why "A narrow description wastes space that could attract visitors."
    fix "Add what visitors find on the page."
    says "{page has|pages have} a meta description that leaves space in search results unused"
    page number |page| below(description_pixels(page.description), page.settings.description_min_pixels);

    "description-multiple" "Meta Description Multiple" Issue Medium;
    why "Search engines choose one of them, possibly the wrong one."
    fix "Keep one description."
    says "{page has|pages have} several meta descriptions"
    page number |page| over(page.facts.descriptions as usize, 1);

    "description-outside-head" "Meta Description Outside <head>" Issue Medium;
    why "Search engines may ignore a description outside the head."
    fix "Move the description into the head, before any element that is not allowed there."
    says "{page has|pages have} a meta description outside the head"
    page when |page| page.facts.descriptions_outside_head > 0;

    "keywords-multiple" "Multiple Meta Keywords" Warning Low;
    why "Multiple keywords tags usually mean that two plugins write the same metadata."
    fix "Keep one list, or none: major search engines ignore it."
    says "{page has|pages have} several lists of meta keywords"
    page number |page| over(page.facts.keywords_count as usize, 1);

    "open-graph-missing" "Missing Open Graph Properties" Opportunity Low;
    why "Social networks and messengers show the title, description and image of a shared link from these properties."
    fix "Add og:title, og:description and og:image to the head."
    says "{page lacks|pages lack} Open Graph properties"
    page text |page| missing_properties(page.facts.open_graph).filter(|_| page.is_indexable());

    "favicon-missing" "Missing Favicon" Opportunity Low, needs Icon;
    why "Browser tabs, bookmarks and search results show the icon of a site."
    fix "Add a link with rel=icon to the head, or serve /favicon.ico."
    says "{start page has|start pages have} no icon"
    page later;
}

/// The properties that a preview needs and the page lacks.
fn missing_properties<'a>(preview: Preview) -> Option<Cow<'a, str>> {
    let properties =
        [("og:title", preview.has_title), ("og:description", preview.has_description), ("og:image", preview.has_image)];
    let missing: Vec<&str> = properties.iter().filter(|(_, is_there)| !is_there).map(|(name, _)| *name).collect();
    (!missing.is_empty()).then(|| missing.join(", ").into())
}
