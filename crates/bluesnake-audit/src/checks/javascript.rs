//! What scripts change: the page as fetched against the page as rendered.

use crate::facts::RawFacts;
use crate::notes::Found;
use crate::rule::positive;
use crate::subject::Subject;

super::checks! { JavaScript
    "javascript-noindex-only-in-html" "Noindex Only in Original HTML" Issue High, needs Rendering;
    why "Search engines that see noindex do not run the scripts that remove it."
    fix "Remove noindex from the HTML that the server sends, or keep it in both."
    says "{page has|pages have} noindex only in the original HTML"
    page when |page| raw(page).is_some_and(|raw| raw.noindex)
        && page.directive(|word| matches!(word, "noindex" | "none")).is_none();

    "javascript-canonical-mismatch" "Canonical Mismatch" Issue High, needs Rendering;
    why "Search engines see two canonicals for one page and may choose either."
    fix "Send the same canonical in the HTML that scripts leave in the page."
    says "{page has|pages have} another canonical after rendering"
    page text |page| {
        let before = raw(page)?.canonical.as_deref()?;
        changed(Some(before), &page.site.urls.text(page.canonical()?))
    };

    "javascript-title-updated" "Page Title Updated by JavaScript" Warning Medium, needs Rendering;
    why "Search engines and previews that run no scripts show the other title."
    fix "Send the final title in the HTML."
    says "{page changes its title|pages change their titles} with JavaScript"
    page text |page| changed(raw(page)?.title.as_deref(), page.title);

    "javascript-description-updated" "Meta Description Updated by JavaScript" Warning Medium, needs Rendering;
    why "Search engines and previews that run no scripts show the other description."
    fix "Send the final description in the HTML."
    says "{page changes its description|pages change their descriptions} with JavaScript"
    page text |page| changed(raw(page)?.description.as_deref(), page.description);

    "javascript-h1-updated" "H1 Updated by JavaScript" Warning Medium, needs Rendering;
    why "Search engines that run no scripts see another heading."
    fix "Send the final heading in the HTML."
    says "{page changes its h1|pages change their h1} with JavaScript"
    page text |page| changed(raw(page)?.h1.as_deref(), page.h1);

    "javascript-links" "Contains JavaScript Links" Warning Medium, needs Rendering;
    why "Crawlers that run no scripts do not find these links."
    fix "Send the links in the HTML, at least those to pages that nothing else links to."
    says "{page has|pages have} links that only scripts add"
    page number |page| positive(page.facts.render.as_ref().map_or(0, |render| render.new_links));

    "javascript-content" "Contains JavaScript Content" Warning Medium, needs Rendering;
    why "Search engines and language models that run no scripts see little of the text."
    fix "Send the text in the HTML: render it on the server or in advance."
    says "{page gets|pages get} most of {its|their} text from scripts"
    page number |page| {
        let before = raw(page)?.words;
        let added = page.all_words.saturating_sub(before);
        (added >= MANY_WORDS && added > before).then_some(u64::from(added))
    };

    "javascript-structured-data" "Structured Data Only in Rendered HTML" Warning Medium, needs Rendering;
    why "Services that run no scripts do not see this structured data."
    fix "Send the structured data in the HTML."
    says "{page has|pages have} structured data only after rendering"
    page when |page| raw(page).is_some_and(|raw| raw.structured_data == 0) && page.facts.has_structured_data();

    "javascript-errors" "Pages With JavaScript Errors" Warning Low, needs Rendering;
    why "A script that fails may leave out parts of the page."
    fix "Fix the errors that the browser's console shows."
    says "{page reports|pages report} errors on the console"
    page each each_error;

    "javascript-blocked-resources" "Pages With Blocked Resources" Warning High, needs Rendering;
    why "Without a resource that fails, the page may lack content or layout."
    fix "Fix or remove the requests that fail."
    says "{page makes|pages make} requests that fail"
    page each each_failure;

    "javascript-redirect-rendered" "Redirects With JavaScript" Warning Medium, needs Rendering;
    why "Search engines follow redirects of scripts late or not at all."
    fix "Redirect with a status code, such as 301."
    says "{page redirects|pages redirect} with JavaScript"
    page text |page| page.facts.render.as_ref()?.redirect.clone().map(|target| target.0);
}

/// Fewer words are not worth mentioning.
const MANY_WORDS: u32 = 50;

/// What the response says, if the page was rendered.
fn raw<'a, 'b>(page: &'b Subject<'a>) -> Option<&'b RawFacts<'a>> {
    page.facts.render.as_ref()?.raw.as_ref()
}

/// Both texts, if they differ.
fn changed<'a>(before: Option<&str>, after: &str) -> Option<std::borrow::Cow<'a, str>> {
    let before = before.unwrap_or_default().trim();
    (before != after).then(|| format!("{before} → {after}").into())
}

fn each_error(page: &Subject<'_>, found: &mut Found<'_>) {
    let errors = page.facts.render.iter().flat_map(|render| &render.errors);
    errors.for_each(|error| found.text(error));
}

fn each_failure(page: &Subject<'_>, found: &mut Found<'_>) {
    let requests = page.facts.render.iter().flat_map(|render| &render.requests);
    for request in requests {
        match &request.failure {
            Some(why) => found.text(&format!("{}: {}", &*request.url, &**why)),
            None if request.status >= 400 => found.text(&format!("{}: {}", &*request.url, request.status)),
            None => {}
        }
    }
}
