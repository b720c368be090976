//! llms.txt: a list of pages for language models, see llmstxt.org.

use crate::facts::LlmsFacts;
use crate::rule::positive;
use crate::state::State;
use crate::subject::{Link, Subject};

super::checks! { Llms
    "llms-txt-missing" "Missing /llms.txt" Opportunity Low, needs LlmsFile;
    why "Without it, language models have to guess which pages matter."
    fix "List the most important pages in /llms.txt, as llmstxt.org describes."
    says "{site has|sites have} no /llms.txt"
    llms later;

    "llms-txt-invalid" "Invalid /llms.txt Format" Issue Medium, needs LlmsFile;
    why "The format is Markdown that starts with a level-one heading; parsers may reject anything else."
    fix "Begin the file with the name of the site as a heading: # Name."
    says "{llms.txt file is|llms.txt files are} not in the expected format"
    llms when |file| form(file).is_some_and(|form| !form.title);

    "llms-txt-no-summary" "Missing Summary" Warning Low, needs LlmsFile;
    why "The summary tells language models what the site is about."
    fix "Add a quoted summary after the heading: > What the site offers."
    says "{llms.txt file has|llms.txt files have} no summary"
    llms when |file| form(file).is_some_and(|form| form.title && !form.summary);

    "llms-txt-malformed-links" "Malformed Link List" Warning Low, needs LlmsFile;
    why "Programs skip entries that are not Markdown links."
    fix "Write every entry as - [title](URL): description."
    says "{llms.txt file has|llms.txt files have} malformed entries"
    llms number |file| form(file).and_then(|form| positive(form.malformed));

    "llms-full-txt-missing" "Missing /llms-full.txt" Opportunity Low, needs LlmsFullFile;
    why "With /llms-full.txt language models can read the site in one request."
    fix "Publish the texts of the most important pages in /llms-full.txt."
    says "{site has|sites have} no /llms-full.txt"
    llms later;

    "llms-txt-broken-link" "Broken Curated Link" Issue High, needs LlmsFile;
    why "Language models are sent to a page that does not exist."
    fix "Correct or remove the entry."
    says "{llms.txt file lists|llms.txt files list} broken links"
    llms link |_, link| is_curated(link) && link.to.is_broken();

    "llms-txt-non-indexable-link" "Non-Indexable Curated Link" Warning Medium, needs LlmsFile;
    why "The file recommends a page that search engines are told not to show."
    fix "List the page that may be indexed, or remove the entry."
    says "{llms.txt file lists|llms.txt files list} pages that are not indexable"
    llms link |_, link| is_curated(link) && link.to.is_not_indexable() && !link.to.is_broken();

    "llms-txt-unverified-link" "Unverified Curated Link" Warning Low, needs LlmsFile;
    why "The link was not requested, or the other site refuses automated requests."
    fix "Open the link in a browser, or check external links too."
    says "{llms.txt file lists|llms.txt files list} links that could not be verified"
    llms link |_, link| is_curated(link) && link.to.is_unverified();
}

/// What the file looks like; `None` for a page in its place, and for llms-full.txt, which has no fixed form.
fn form(file: &Subject<'_>) -> Option<LlmsFacts> {
    file.visit.extracted.filter(|_| file.visit.note.is_none()).and_then(LlmsFacts::parse)
}

/// Whether it is an entry of the list, other than a sitemap.
fn is_curated(link: &Link<'_>) -> bool {
    !link.to.has(State::IS_GUIDE)
}
