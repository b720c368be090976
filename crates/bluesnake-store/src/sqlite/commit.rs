//! Applies one batch of the engine as a whole: URLs, visits, links and deferred links.

use bluesnake_engine::admit::endless::Leads;
use bluesnake_engine::fetch::Kept;
use bluesnake_engine::{CanonicalUrl, Link, Number, Outcome, Reason, UrlRow};
use rusqlite::{CachedStatement, Transaction, params};
use serde::{Deserialize, Serialize};

use super::contents::{bodies, kept_responses};
use super::now_ms;
use super::pack::Unpacked;
use super::prepare::{Prepared, PreparedVisit};

const INSERT_VISIT: &str =
    "INSERT INTO visits (run, number, session, visited_at, was_fetched, status, http_version, content_type, headers,
        wire_bytes, body_bytes, cut, is_from_cache, certificate_problem, error, detail, redirect_to, attempts,
        dns_us, connect_us, tls_us, first_byte_us, body_us, total_us, robots_report, note, links, links_cut, title,
        description, h1, h2, canonical, lang, indexable, indexable_reason, is_nofollow, word_count, content_hash,
        raw_hash, content_key, shape, identical_to, duplicate_of, is_unique_page, facts, html, text, leads,
        main_words, signature, sniffed, extracted, rendered, screenshot)
     VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14, ?15, ?16, ?17, ?18, ?19, ?20, ?21, ?22,
        ?23, ?24, ?25, ?26, ?27, ?28, ?29, ?30, ?31, ?32, ?33, ?34, ?35, ?36, ?37, ?38, ?39, ?40, ?41, ?42, ?43,
        ?44, ?45, ?46, ?47, ?48, ?49, ?50, ?51, ?52, ?53, ?54, ?55)";

/// Writes batches of one session of a run.
pub(super) struct Commit<'a> {
    pub(super) transaction: &'a Transaction<'a>,
    pub(super) run: i64,
    pub(super) session: i64,
}

impl Commit<'_> {
    pub(super) fn write(&self, prepared: &Prepared) -> rusqlite::Result<()> {
        self.put_urls(&prepared.urls)?;
        prepared.new.store(self.transaction, self.run)?;
        self.settle(prepared.visits.iter().map(|visit| (visit.visit.number(), visit.visit.reason)))?;
        self.put_visits(&prepared.visits)?;
        self.put_links(prepared)?;
        self.settle(prepared.settled.iter().copied())?;
        self.defer(&prepared.deferred)?;
        self.end_deferral(&prepared.late)
    }

    fn put_urls(&self, urls: &[UrlRow]) -> rusqlite::Result<()> {
        let mut insert = self.transaction.prepare_cached(
            "INSERT OR REPLACE INTO urls (run, number, url, hash, parent, source, kind, steps, is_from_seed, depth, hops,
                redirects, base, is_internal, action, task, turn, disposition, reason, session)
             VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14, ?15, ?16, ?17, ?18, ?19, ?20)",
        )?;
        for row in urls {
            insert.execute(params![
                self.run,
                row.number.0,
                row.url.as_str(),
                hash_of(&row.url),
                row.parent.map(|parent| parent.0),
                row.source.as_str(),
                row.kind.as_str(),
                row.depth.steps,
                row.depth.from_seed,
                row.depth.shown(),
                row.hops,
                row.redirects,
                row.base,
                row.is_internal,
                row.action.as_str(),
                row.task.as_str(),
                row.turn.map(|turn| turn.0),
                row.reason.disposition().as_str(),
                row.reason.as_str(),
                self.session,
            ])?;
        }
        Ok(())
    }

    fn put_visits(&self, visits: &[PreparedVisit]) -> rusqlite::Result<()> {
        let now = now_ms();
        let mut insert = self.transaction.prepare_cached(INSERT_VISIT)?;
        visits.iter().try_for_each(|visit| self.put_visit(&mut insert, visit, now))
    }

    fn put_visit(&self, insert: &mut CachedStatement<'_>, prepared: &PreparedVisit, now: i64) -> rusqlite::Result<()> {
        let PreparedVisit { visit, remembered, headers, .. } = prepared;
        let Unpacked { page, extracted, contexts, html, text, rendered, screenshot, document, kept } =
            prepared.unpacked();
        let response = visit.response.as_ref();
        let page = page.as_ref();
        let store = |body: bodies::PackedBody<'_>| body.store(self.transaction, self.run);
        let html = html.map(store).transpose()?;
        let text = text.map(store).transpose()?;
        let rendered = rendered.map(store).transpose()?;
        let screenshot = screenshot.map(store).transpose()?;
        let is_redirect = matches!(visit.outcome, Outcome::Redirected { .. });
        let redirect_to = visit.targets.first().filter(|_| is_redirect).map(|target| target.0);
        let detail = match &visit.outcome {
            Outcome::Refused { detail, .. } if !detail.is_empty() => Some(&**detail),
            _ => None,
        };
        let micros = |time: Option<std::time::Duration>| time.map(|time| time.as_micros() as i64);
        insert.execute(params![
            self.run,
            visit.number().0,
            self.session,
            now,
            remembered.was_fetched,
            visit.status(),
            response.map(|response| response.version.as_str()),
            response.map(|response| &*response.content_type),
            headers,
            response.map(|response| response.wire_bytes as i64),
            response.map(|response| response.body_bytes as i64),
            response.and_then(|response| response.cut).map(|cut| cut.as_str()),
            response.map_or(0, |response| kept_code(response.kept)),
            response.and_then(|response| response.certificate_problem.as_deref()),
            visit.error(),
            detail,
            redirect_to,
            visit.attempts,
            micros(visit.timings.dns),
            micros(visit.timings.connect),
            micros(visit.timings.tls),
            micros(visit.timings.first_byte),
            micros(visit.timings.body),
            visit.timings.total.as_micros() as i64,
            visit.robots_report.as_deref(),
            visit.note.as_deref(),
            visit.links.len(),
            visit.links_cut,
            page.and_then(|page| page.title),
            page.and_then(|page| page.description),
            page.and_then(|page| page.h1),
            page.and_then(|page| page.h2),
            page.and_then(|page| page.canonical),
            page.and_then(|page| page.lang),
            visit.indexability.as_str(),
            visit.indexability.reason(),
            visit.directives.nofollow,
            page.map(|page| page.word_count),
            page.and_then(|page| page.content_hash),
            visit.raw_hash.map(|hash| hash as i64),
            remembered.content_key.map(|key| key as i64),
            remembered.shape.map(|shape| shape as i64),
            visit.identical_to.map(|number| number.0),
            visit.duplicate_of.map(|number| number.0),
            visit.is_unique_page,
            page.map(|page| page.facts),
            html,
            text,
            remembered.leads.map(Leads::to_bits),
            page.map(|page| page.main_words),
            page.and_then(|page| page.signature),
            response.and_then(|response| response.sniffed),
            extracted,
            rendered,
            screenshot,
        ])?;
        if let Some(document) = document {
            document.store(self.transaction, self.run, visit)?;
        }
        if let Some(fields) = kept {
            kept_responses::keep(self.transaction, self.run, visit, &fields)?;
        }
        // Contexts of deferred or dropped links are not stored with the visit.
        if let Some(contexts) = contexts.filter(|_| !visit.links.is_empty()) {
            self.put_contexts(visit.number(), contexts)?;
        }
        Ok(())
    }

    fn put_links(&self, prepared: &Prepared) -> rusqlite::Result<()> {
        let sql = "INSERT INTO link_lists (run, source, list) VALUES (?1, ?2, ?3)";
        let mut lists = self.transaction.prepare_cached(sql)?;
        for links in &prepared.links {
            lists.execute(params![self.run, links.source.0, links.list])?;
            if let Some(packed) = &links.contexts {
                self.put_contexts(links.source, packed)?;
            }
        }
        Ok(())
    }

    fn put_contexts(&self, source: Number, packed: &[u8]) -> rusqlite::Result<()> {
        let sql = "INSERT INTO contexts (id, packed) VALUES ((?1 << 32) + ?2, ?3)";
        self.transaction.prepare_cached(sql)?.execute(params![self.run, source.0, packed])?;
        Ok(())
    }

    fn settle(&self, settled: impl Iterator<Item = (Number, Reason)>) -> rusqlite::Result<()> {
        let sql = "UPDATE urls SET disposition = ?3, reason = ?4 WHERE run = ?1 AND number = ?2";
        let mut update = self.transaction.prepare_cached(sql)?;
        for (number, reason) in settled {
            update.execute(params![self.run, number.0, reason.disposition().as_str(), reason.as_str()])?;
        }
        Ok(())
    }

    fn defer(&self, deferred: &[(Number, bool, String)]) -> rusqlite::Result<()> {
        let sql = "INSERT OR REPLACE INTO deferred (run, number, says_nofollow, links) VALUES (?1, ?2, ?3, ?4)";
        let mut insert = self.transaction.prepare_cached(sql)?;
        for (number, says_nofollow, links) in deferred {
            insert.execute(params![self.run, number.0, says_nofollow, links])?;
        }
        Ok(())
    }

    /// Removes deferred links that have been numbered.
    fn end_deferral(&self, late: &[(Number, usize, Option<Number>)]) -> rusqlite::Result<()> {
        let mut done = self.transaction.prepare_cached("DELETE FROM deferred WHERE run = ?1 AND number = ?2")?;
        let mut update = self.transaction.prepare_cached(
            "UPDATE visits SET links = ?3, redirect_to = iif(status BETWEEN 300 AND 399, ?4, NULL)
             WHERE run = ?1 AND number = ?2",
        )?;
        for (number, links, first) in late {
            done.execute(params![self.run, number.0])?;
            update.execute(params![self.run, number.0, links, first.map(|target| target.0)])?;
        }
        Ok(())
    }
}

/// The column value for reused responses.
fn kept_code(kept: Option<Kept>) -> u8 {
    match kept {
        None => 0,
        Some(Kept::Fresh) => 1,
        Some(Kept::NotModified) => 2,
    }
}

/// 64 bits of the URL's fingerprint, signed like SQLite's integers.
pub(super) fn hash_of(url: &CanonicalUrl) -> i64 {
    let bytes = url.key().to_bytes();
    i64::from_be_bytes(bytes[8..].try_into().expect("eight of sixteen bytes"))
}

/// A link whose target has no number yet.
#[derive(Debug, Serialize, Deserialize)]
pub(super) struct StoredLink<'a> {
    target: std::borrow::Cow<'a, str>,
    kind: &'a str,
    rel: u8,
    path_type: &'a str,
    position: &'a str,
    #[serde(default)]
    origin: &'a str,
    text: std::borrow::Cow<'a, str>,
    context: std::borrow::Cow<'a, str>,
    dom_path: std::borrow::Cow<'a, str>,
}

impl<'a> StoredLink<'a> {
    pub(super) fn of(link: &'a Link) -> Self {
        Self {
            target: link.target.as_str().into(),
            kind: link.kind.as_str(),
            rel: link.rel.bits(),
            path_type: link.path_type.as_str(),
            position: link.position.as_str(),
            origin: link.origin.as_str(),
            text: link.text.as_ref().into(),
            context: link.context.as_ref().into(),
            dom_path: link.dom_path.as_ref().into(),
        }
    }

    /// The link again; `None` if it contains an unknown name.
    pub(super) fn to_link(&self) -> Option<Link> {
        use bluesnake_engine::link::{LinkOrigin, PathType, Position, Rel};
        Some(Link {
            target: CanonicalUrl::from_stored(self.target.to_string()),
            kind: bluesnake_engine::LinkKind::from_word(self.kind)?,
            rel: Rel::from_bits(self.rel),
            path_type: PathType::from_word(self.path_type)?,
            position: Position::from_word(self.position)?,
            // Links deferred by an earlier version have none.
            origin: LinkOrigin::from_word(self.origin).unwrap_or_default(),
            text: self.text.as_ref().into(),
            context: self.context.as_ref().into(),
            dom_path: self.dom_path.as_ref().into(),
        })
    }
}
