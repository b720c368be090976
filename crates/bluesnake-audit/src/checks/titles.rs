//! Titles.

use crate::catalogue::grouped;
use crate::pixels::title_pixels;
use crate::rule::{below, over};

super::checks! { Titles
    "title-missing" "Missing" Issue High;
    why "Search results and browser tabs show the title."
    fix "Add a title that describes the page."
    says "{page has|pages have} no title"
    page when |page| page.title.is_empty();

    "title-duplicate" "Duplicate" Opportunity Medium;
    why "Pages with the same title cannot be told apart in search results."
    fix "Give every page a unique title."
    says "{page shares its|pages share a} title"
    page later;

    "title-too-long" "Over {} Characters" Opportunity Medium, limit |settings| grouped(settings.title_max);
    why "Search results truncate long titles."
    fix "Put the essentials first, and shorten the rest."
    says "{page has|pages have} a title with too many characters"
    page number |page| over(page.title.chars().count(), page.settings.title_max);

    "title-too-short" "Below {} Characters" Opportunity Medium, limit |settings| grouped(settings.title_min);
    why "A short title wastes space that could describe the page."
    fix "Describe what the page offers."
    says "{page has|pages have} a title that is too short"
    page number |page| below(page.title.chars().count(), page.settings.title_min);

    "title-too-wide" "Over {} Pixels" Opportunity Medium, limit |settings| grouped(settings.title_max_pixels);
    why "Search results cut off titles that are wider than their column."
    fix "Put the essentials first, and shorten the rest."
    says "{page has|pages have} a title that is too wide for search results"
    page number |page| over(title_pixels(page.title), page.settings.title_max_pixels);

    "title-too-narrow" "Below {} Pixels" Opportunity Medium, limit |settings| grouped(settings.title_min_pixels);
    why "A narrow title wastes space that could describe the page."
    fix "Add what makes the page worth a visit."
    says "{page has|pages have} a title narrower than the minimum"
    page number |page| below(title_pixels(page.title), page.settings.title_min_pixels);

    "title-same-as-h1" "Same as H1" Opportunity Low;
    why "Two different texts can say more than one."
    fix "Write the title for search results and the heading for readers."
    says "{page has|pages have} the same title and h1"
    page text |page| (!page.title.is_empty() && page.title == page.h1).then_some(page.title.into());

    "title-multiple" "Multiple" Issue High;
    why "Search engines choose one of them, possibly the wrong one."
    fix "Keep one title."
    says "{page has|pages have} several titles"
    page number |page| over(page.facts.titles as usize, 1);

    "title-outside-head" "Outside <head>" Issue High;
    why "Search engines may ignore a title outside the head."
    fix "Move the title into the head, before any element that is not allowed there."
    says "{page has|pages have} a title outside the head"
    page when |page| page.facts.titles_outside_head > 0;
}
