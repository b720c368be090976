//! Headings of the first and second level.

use crate::catalogue::grouped;
use crate::facts::Outline;
use crate::rule::over;
use crate::subject::Subject;

super::checks! { Headings
    "h1-missing" "H1 Missing" Issue Medium;
    why "The main heading tells readers and search engines what the page is about."
    fix "Add one h1."
    says "{page has|pages have} no h1"
    page when |page| page.facts.h1_count == 0 || (page.facts.h1_count == 1 && is_empty_h1(page));

    "h1-duplicate" "H1 Duplicate" Opportunity Low;
    why "Pages with the same heading cannot be told apart."
    fix "Give every page a unique heading."
    says "{page shares its|pages share an} h1"
    page later;

    "h1-too-long" "H1 Over {} Characters" Opportunity Low, limit |settings| grouped(settings.h1_max);
    why "A long heading is hard to scan."
    fix "Shorten the heading, and move details into the text."
    says "{page has|pages have} a long h1"
    page number |page| over(page.h1.chars().count(), page.settings.h1_max);

    "h1-multiple" "H1 Multiple" Warning Medium;
    why "Several main headings make the topic of the page unclear."
    fix "Keep one h1 and make the others h2."
    says "{page has|pages have} more than one h1"
    page number |page| over(page.facts.h1_count as usize, 1);

    "h1-non-sequential" "H1 Non-Sequential" Warning Low;
    why "Screen reader users navigate by headings in order."
    fix "Make the h1 the first heading of the page."
    says "{page has|pages have} other headings before the h1"
    page when |page| page.facts.headings.first_h1.is_some_and(|at| at > 0);

    "h1-alt-text" "Alt Text In H1" Warning Low;
    why "Alt text in a heading carries less weight than text."
    fix "Write the heading as text."
    says "{page has|pages have} an image with alt text in the h1"
    page text |page| Some(page.facts.headings.h1_alt.clone()).filter(|alt| !alt.is_empty());

    "h2-missing" "H2 Missing" Warning Low;
    why "Subheadings help readers and search engines to understand a long page."
    fix "Structure the text with h2 headings."
    says "{page has|pages have} no h2"
    page when |page| page.facts.h2_count == 0;

    "h2-duplicate" "H2 Duplicate" Opportunity Low;
    why "The same first h2 on many pages describes none of them."
    fix "Use h2 for sections of the text, not for the site's layout."
    says "{page shares its|pages share a} first h2"
    page later;

    "h2-too-long" "H2 Over {} Characters" Opportunity Low, limit |settings| grouped(settings.h2_max);
    why "A long heading is hard to scan."
    fix "Shorten the heading, and move details into the text."
    says "{page has|pages have} a long h2"
    page number |page| over(page.h2.chars().count(), page.settings.h2_max);

    "h2-multiple" "H2 Multiple" Warning Low;
    why "Several h2 are fine if each one starts a section of the text."
    fix "Check that they are in a sensible order."
    says "{page has|pages have} more than one h2"
    page number |page| over(page.facts.h2_count as usize, 1);

    "h2-non-sequential" "H2 Non-Sequential" Warning Low;
    why "Skipped or misplaced levels mislead readers who navigate by headings."
    fix "Make h2 the first level after the h1."
    says "{page has|pages have} an h2 before the h1 or after a lower heading"
    page when |page| is_misplaced(&page.facts.headings);
}

/// Only known if the headings are stored: then the h1 has neither text nor an image with a text.
fn is_empty_h1(page: &Subject<'_>) -> bool {
    page.h1.is_empty() && page.facts.headings.first_h1.is_some() && page.facts.headings.h1_alt.is_empty()
}

fn is_misplaced(headings: &Outline<'_>) -> bool {
    let is_before =
        |one: Option<u32>, other: Option<u32>| matches!((one, other), (Some(one), Some(other)) if one < other);
    is_before(headings.first_h2, headings.first_h1) || is_before(headings.first_deeper, headings.first_h2)
}
