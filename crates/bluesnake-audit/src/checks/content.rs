//! Texts.

use crate::catalogue::grouped;
use crate::rule::positive;
use crate::subject::Subject;

super::checks! { Content
    "low-content" "Low Content Pages (Below {} Words)" Opportunity Medium, limit |settings| grouped(settings.min_words);
    why "A page with few words may offer little to readers and search engines."
    fix "Add content, or merge the page with another one."
    says "{page has|pages have} too few words"
    page number |page| ((page.words as usize) < page.settings.min_words).then_some(page.words.into());

    "exact-duplicate" "Exact Duplicates" Issue High;
    why "Search engines show only one of them; crawling the others is wasted."
    fix "Redirect the copies to one URL, or declare it as their canonical."
    says "{page is|pages are} identical to another"
    page later;

    "near-duplicate" "Near Duplicates ({}% Similar)" Warning Medium, limit |settings| settings.near_duplicate_percent.to_string();
    why "Pages with almost the same text compete with each other, and search engines may show the wrong one."
    fix "Merge the pages, make their texts different, or declare one of them as the canonical."
    says "{page has|pages have} almost the same text as another"
    page later;

    "lorem-ipsum" "Lorem Ipsum Placeholder" Warning High;
    why "Placeholder text was published."
    fix "Replace it with the real text."
    says "{page contains|pages contain} placeholder text"
    page number |page| positive(page.facts.lorem_blocks);

    "soft-404" "Soft 404 Pages" Warning High;
    why "Search engines keep a page that says it does not exist but returns 200."
    fix "Return status 404 or 410."
    says "{page says|pages say} that nothing was found, but {returns|return} success"
    page text |page| is_not_found(page).then_some(page.title.into());

    "readability-difficult" "Readability Difficult" Opportunity Low;
    why "Long sentences and long words tire readers. Text with this Flesch score suits college students."
    fix "Split long sentences, and prefer common words."
    says "{page is|pages are} difficult to read"
    page number |page| page.flesch().filter(|score| (30.0..50.0).contains(score)).map(|score| score as u64);

    "readability-very-difficult" "Readability Very Difficult" Opportunity Low;
    why "Long sentences and long words tire readers. Text with this Flesch score suits university graduates."
    fix "Split long sentences, and prefer common words."
    says "{page is|pages are} very difficult to read"
    page number |page| page.flesch().filter(|score| *score < 30.0).map(|score| score.max(0.0) as u64);
}

/// Whether the title or the heading, or a part of one, begins by saying so. A page about such errors names its topic
/// first.
fn is_not_found(page: &Subject<'_>) -> bool {
    let phrases: Vec<String> = page.settings.not_found_texts.iter().map(|text| text.to_lowercase()).collect();
    let says_so = |part: &str| {
        let rests = phrases.iter().filter_map(|phrase| part.trim().strip_prefix(phrase.as_str()));
        rests.into_iter().any(|rest| !rest.starts_with(char::is_alphanumeric))
    };
    [page.title, page.h1].into_iter().any(|text| {
        let text = text.to_lowercase();
        says_so(&text) || text.split(['|', '-', '–', '—', ':', '·']).any(says_so)
    })
}
