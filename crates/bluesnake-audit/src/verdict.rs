//! The end of an audit: what only all pages together show, which checks could be made, and what templates cause.

use std::sync::Arc;

use hashbrown::HashMap;

use crate::audit::{Audit, Collected};
use crate::catalogue::{Check, Needs, Scope, all_checks};
use crate::details::DetailId;
use crate::notes::Notes;
use crate::report::{FindingList, Findings, Report, Shared, Verdict};
use crate::site::Site;

/// Fewer pages are not a template.
const FEWEST_PAGES: u32 = 10;

/// Turns everything known into a report.
pub(crate) fn report(audit: Audit) -> Report {
    let Audit { mut site, mut notes, collected, .. } = audit;
    let knowledge = Knowledge::of(&site, &collected);
    let pages = collected.pages;
    judge(collected, &mut site, &mut notes);
    let Notes { lists, details, anchors, .. } = notes;
    let details = Arc::new(details.finish());
    let finish = |(position, (check, list)): (u16, (&'static Check, FindingList))| {
        let verdict = knowledge.verdict(check, &site);
        let is_checked = verdict == Verdict::Checked;
        let findings = if is_checked { list } else { FindingList::default() }.finish(&details);
        let shared = match check.scope {
            Scope::Pages => shared(&findings, pages, site.settings.template_percent),
            _ => Vec::new(),
        };
        let describe = |(detail, pages, first): (DetailId, u32, u32)| Shared {
            detail: details.text(detail).map(Into::into),
            anchor: anchors.get(&(position, detail)).map(|vote| vote.anchor),
            pages,
            first,
        };
        Findings { check, verdict, shared: shared.into_iter().map(describe).collect(), findings }
    };
    let checks = (0..).zip(all_checks().zip(lists)).map(finish).collect();
    Report { checks, urls: site.derived, inlinks: site.inlinks, pages }
}

/// Makes the checks that need all pages.
fn judge(collected: Collected, site: &mut Site, notes: &mut Notes) {
    let Collected { titles, descriptions, h1, h2, bodies, near, fragments, llms, .. } = collected;
    for (id, texts) in [
        ("title-duplicate", titles),
        ("description-duplicate", descriptions),
        ("h1-duplicate", h1),
        ("h2-duplicate", h2),
    ] {
        notes.add_all(id, site, texts.finish());
    }
    let copies = judge_bodies(bodies, site, notes);
    let percent = site.settings.near_duplicate_percent;
    let matches = near.finish(percent, |number| copies.binary_search(&number).is_ok());
    let mut found = Vec::with_capacity(matches.len());
    for page in &matches {
        let derived = &mut site.derived[page.number as usize - 1];
        derived.near_duplicate_of = Some(page.first);
        derived.similarity = Some(page.similarity);
        let detail = format!("{}% similar to {}", page.similarity, site.urls.text(page.other));
        found.push((page.number, notes.details.intern(&detail)));
    }
    notes.add_all("near-duplicate", site, found);
    let broken = fragments.finish(site, &mut notes.details);
    notes.add_all("broken-fragment", site, broken);
    let start = collected.start_without_icon.filter(|(_, origin)| site.has_icon(origin) == Some(false));
    notes.add_all("favicon-missing", site, start.map(|(number, _)| (number, 0)));
    notes.add_all("llms-txt-missing", site, llms.short.filter(|_| !llms.has_short).map(|number| (number, 0)));
    notes.add_all("llms-full-txt-missing", site, llms.full.filter(|_| !llms.has_full).map(|number| (number, 0)));
}

/// Reports pages with the same bytes, each with the first one, and the first with the second. Returns all but the
/// first ones, in order.
fn judge_bodies(bodies: crate::duplicates::Groups, site: &Site, notes: &mut Notes) -> Vec<u32> {
    let (mut found, mut copies) = (Vec::new(), Vec::new());
    bodies.finish(|_, pages| {
        let (Some(first), Some(second)) = (pages.next(), pages.next()) else { return };
        found.push((first, notes.name(second, site)));
        let original = notes.name(first, site);
        for copy in [second].into_iter().chain(pages) {
            found.push((copy, original));
            copies.push(copy);
        }
    });
    found.sort_unstable();
    copies.sort_unstable();
    notes.add_all("exact-duplicate", site, found);
    copies
}

/// The details on so many pages that they must come from a template.
fn shared(findings: &FindingList, pages: u32, percent: u32) -> Vec<(DetailId, u32, u32)> {
    let fewest = (u64::from(pages) * u64::from(percent)).div_ceil(100).max(u64::from(FEWEST_PAGES));
    if (findings.urls() as u64) < fewest {
        return Vec::new();
    }
    let mut counts: HashMap<DetailId, (u32, u32)> = HashMap::new();
    for (number, detail) in findings.ids() {
        counts.entry(detail).or_insert((0, number)).0 += 1;
    }
    let common = counts.into_iter().filter(|(_, (count, _))| u64::from(*count) >= fewest);
    let mut common: Vec<_> = common.map(|(detail, (count, first))| (detail, count, first)).collect();
    common.sort_unstable_by_key(|(detail, count, first)| (std::cmp::Reverse(*count), *first, *detail));
    common
}

/// What is known about a run as a whole.
struct Knowledge {
    is_completed: bool,
    is_whole: bool,
    has_sitemap: bool,
    has_complete_sitemaps: bool,
    has_llms_file: bool,
    has_llms_full_file: bool,
    knows_icon: bool,
    has_rendered_page: bool,
}

const NOT_COMPLETED: &str = "needs a completed run";
const NOT_WHOLE: &str = "needs a run that saw the whole site";
const NO_SITEMAP: &str = "no sitemap was read";
const BROKEN_SITEMAP: &str = "a sitemap could not be read completely";
const NO_LLMS_FILE: &str = "llms.txt was not requested; set discover.llms_txt = true";
const NO_LLMS_FULL_FILE: &str = "llms-full.txt was not requested";
const NO_ICON_REQUEST: &str = "the start page links to no icon, and /favicon.ico was not requested";
const NOT_RENDERED: &str = "no page was rendered; use --render on or auto";
const SWITCHED_OFF: &str = "switched off";

impl Knowledge {
    fn of(site: &Site, collected: &Collected) -> Self {
        Self {
            is_completed: site.run.is_completed,
            is_whole: site.run.is_completed && !site.has_gaps && !collected.has_deferred_links,
            has_sitemap: !site.sitemap_sizes.is_empty(),
            has_complete_sitemaps: !collected.has_broken_sitemap,
            has_llms_file: collected.llms.short.is_some(),
            has_llms_full_file: collected.llms.full.is_some(),
            has_rendered_page: collected.has_rendered_page,
            knows_icon: collected.start_without_icon.as_ref().is_none_or(|(_, origin)| site.has_icon(origin).is_some()),
        }
    }

    fn verdict(&self, check: &Check, site: &Site) -> Verdict {
        let is_off = site.settings.off.iter().any(|id| id == check.id);
        let needs_site = matches!(check.needs, Needs::WholeSite | Needs::SitemapAndSite | Needs::CompleteSitemaps);
        let needs_sitemap = matches!(check.needs, Needs::Sitemap | Needs::SitemapAndSite | Needs::CompleteSitemaps);
        let obstacles = [
            (is_off, SWITCHED_OFF),
            (needs_sitemap && !self.has_sitemap, NO_SITEMAP),
            (check.needs == Needs::CompleteSitemaps && !self.has_complete_sitemaps, BROKEN_SITEMAP),
            (needs_site && !self.is_completed, NOT_COMPLETED),
            (needs_site && !self.is_whole, NOT_WHOLE),
            (check.needs == Needs::LlmsFile && !self.has_llms_file, NO_LLMS_FILE),
            (check.needs == Needs::LlmsFullFile && !self.has_llms_full_file, NO_LLMS_FULL_FILE),
            (check.needs == Needs::Icon && !self.knows_icon, NO_ICON_REQUEST),
            (check.needs == Needs::Rendering && !self.has_rendered_page, NOT_RENDERED),
        ];
        let obstacle = obstacles.into_iter().find(|(is_there, _)| *is_there);
        obstacle.map_or(Verdict::Checked, |(_, why)| Verdict::NotChecked(why))
    }
}
