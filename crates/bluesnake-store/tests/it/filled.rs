//! Runs whose rows are written directly, with any values a crawl could store.

use bluesnake_store::{AuditWriter, CheckResult, Database, FigureRow, NewAudit, SharedFinding};
use rusqlite::{Connection, params};

use crate::world::{Folder, begin, completed};

/// Numbers that look random and are always the same.
#[derive(Clone, Debug)]
pub(crate) struct Dice(pub(crate) u64);

impl Dice {
    /// A number below a limit.
    pub(crate) fn below(&mut self, limit: u64) -> u64 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) % limit
    }

    pub(crate) fn one_of<'a, T: ?Sized>(&mut self, all: &[&'a T]) -> &'a T {
        all[self.below(all.len() as u64) as usize]
    }

    /// `None` once in four times.
    fn maybe<T>(&mut self, value: T) -> Option<T> {
        (self.below(4) > 0).then_some(value)
    }
}

const REASONS: &[(&str, &str)] = &[
    ("fetched", "page"),
    ("fetched", "resource"),
    ("fetched", "client_error"),
    ("fetched", "robots"),
    ("redirected", "redirect"),
    ("failed", "dns_not_found"),
    ("failed", "refused"),
    ("refused", "robots"),
    ("refused", "outside_scope"),
    ("recorded", "mentioned"),
    ("pending", "queued"),
];
const WORDS: &[&str] = &["Alpha", "beta", "GAMMA", "delta", "ünïcode", "100%", "a_b", "'x'", ""];

/// A run with so many URLs; not sealed.
pub(crate) async fn run(folder: &Folder, urls: u32) -> (Database, i64) {
    let database = folder.database();
    let (claim, started) = begin(&database, "a.test").await;
    fill(&folder.path(), started.run, started.session, urls);
    database.catalog().end_session(&claim, started.session, completed()).await.unwrap();
    (database, started.run)
}

/// Writes the rows of a run.
fn fill(path: &std::path::Path, run: i64, session: i64, urls: u32) {
    let mut connection = Connection::open(path).unwrap();
    let all = connection.transaction().unwrap();
    let mut dice = Dice(7);
    for number in 1..=urls {
        let reason = REASONS[dice.below(REASONS.len() as u64) as usize];
        put_url(&all, run, session, number, reason, &mut dice);
        if !["refused", "recorded", "pending"].contains(&reason.0) || dice.below(3) == 0 {
            put_visit(&all, run, session, number, reason, &mut dice);
        }
    }
    let kind: i64 = all.query_row("SELECT id FROM link_kinds WHERE word = 'anchor'", [], |row| row.get(0)).unwrap();
    for (id, position) in (1..).zip(["content", "nav", "footer"]) {
        let place = "INSERT INTO places (run, id, kind, rel, position, path_type, dom_path) VALUES (?1, ?2, ?3, 0, ?4, 'relative', 'html/body/a')";
        all.execute(place, params![run, id, kind, position]).unwrap();
        let anchor = "INSERT INTO anchors (run, id, place, text) VALUES (?1, ?2, ?2, 'text of ' || ?2)";
        all.execute(anchor, params![run, id]).unwrap();
    }
    for source in (1..=urls).step_by(2) {
        let insert = "INSERT INTO link_lists (run, source, list) VALUES (?1, ?2, ?3)";
        all.execute(insert, params![run, source, packed(&links(source, urls))]).unwrap();
    }
    all.commit().unwrap();
}

fn put_url(all: &Connection, run: i64, session: i64, number: u32, reason: (&str, &str), dice: &mut Dice) {
    let host = dice.one_of(&["https://a.test/", "https://a.test/docs/", "https://a.test/docs/api/", "http://b.test/"]);
    let url = format!("{host}{}{number}{}", dice.one_of(WORDS), dice.one_of(&["", "/", "?q=/x/"]));
    let depth = dice.below(6);
    all.execute(
        "INSERT INTO urls (run, number, url, hash, parent, source, kind, steps, is_from_seed, depth, hops, redirects,
             base, is_internal, action, task, turn, disposition, reason, session)
         VALUES (?1, ?2, ?3, ?2, ?4, ?5, 'anchor', 0, 1, ?6, 0, 0, 0, ?7, 'crawl', 'page', ?2, ?8, ?9, ?10)",
        params![
            run,
            number,
            url,
            (number > 1).then_some(1),
            dice.one_of(&["initial", "sitemap", "spider", "resource"]),
            dice.maybe(depth),
            !url.contains("b.test"),
            reason.0,
            reason.1,
            session
        ],
    )
    .unwrap();
}

fn put_visit(all: &Connection, run: i64, session: i64, number: u32, reason: (&str, &str), dice: &mut Dice) {
    let was_fetched = matches!(reason.0, "fetched" | "redirected" | "failed");
    let is_page = reason.1 == "page";
    let media = if is_page { "text/html" } else { dice.one_of(&["text/css", "image/png", "image/webp", "text/x"]) };
    let has_response = was_fetched && reason.0 != "failed";
    let title = format!("{} {}", dice.one_of(WORDS), dice.below(5));
    let (words, bytes, identical) = (dice.below(900), dice.below(5_000_000_000), 1 + dice.below(u64::from(number)));
    let indexable = if is_page { dice.one_of(&["Yes", "No"]) } else { "-" };
    let status = if is_page { 200 } else { 200 + 100 * dice.below(4) + dice.below(5) };
    all.execute(
        "INSERT INTO visits (run, number, session, visited_at, was_fetched, status, content_type, wire_bytes, body_bytes,
             is_from_cache, attempts, redirect_to, first_byte_us, total_us, links, links_cut, title, description, indexable,
             is_nofollow, word_count, is_unique_page, facts, identical_to, extracted)
         VALUES (?1, ?2, ?3, ?2, ?4, ?5, ?6, ?7, ?7, 0, 1, ?8, 1000, ?9, 3, 0, ?10, ?11, ?12, 0, ?13, 1, ?14, ?15, ?16)",
        params![
            run,
            number,
            session,
            was_fetched,
            has_response.then_some(status),
            has_response.then_some(media),
            has_response.then_some(bytes),
            (reason.0 == "redirected").then_some(number % 10 + 1),
            dice.below(3_000_000),
            is_page.then(|| dice.maybe(title)).flatten(),
            is_page.then(|| dice.one_of(WORDS)),
            indexable,
            is_page.then_some(words),
            is_page.then_some("{}"),
            (is_page && dice.below(9) == 0 && identical < u64::from(number)).then_some(identical),
            is_page.then(|| extracted(number)),
        ],
    )
    .unwrap();
}

/// What the rules price, jquery and late found on a page; late was added when some pages had been read.
fn extracted(number: u32) -> String {
    let prices = if number.is_multiple_of(3) { r#"["1 €", "2 €"]"# } else { "[]" };
    let late = if number > 200 { format!(r#", "late": {}"#, number % 4) } else { String::new() };
    format!(r#"{{"columns": {{"price": {prices}}}, "contains": {{"jquery": {}{late}}}}}"#, number % 2)
}

/// The links of a document: targets and anchors.
pub(crate) fn links(source: u32, urls: u32) -> Vec<(u32, u32)> {
    let mut dice = Dice(u64::from(source));
    (0..dice.below(12)).map(|_| (1 + dice.below(u64::from(urls.min(40))) as u32, 1 + dice.below(3) as u32)).collect()
}

fn packed(links: &[(u32, u32)]) -> Vec<u8> {
    let numbers = links.iter().flat_map(|(target, anchor)| [target, anchor]);
    std::iter::once(6).chain(numbers.flat_map(|number| number.to_be_bytes()[1..].to_vec())).collect()
}

/// The documents that link to a URL.
pub(crate) fn sources(target: u32, urls: u32) -> Vec<u32> {
    (1..=urls).step_by(2).filter(|source| links(*source, urls).iter().any(|(to, _)| *to == target)).collect()
}

/// Findings of a check: every `step`th URL, some of them twice, one detail on many pages.
pub(crate) fn findings(urls: u32, step: u32) -> Vec<(u32, Option<String>)> {
    let all = (1..=urls).step_by(step as usize).flat_map(|number| match number % 3 {
        0 => vec![(number, None)],
        1 => vec![(number, Some("on every \"page\"".to_owned()))],
        _ => vec![(number, Some(format!("first {number}"))), (number, Some(format!("second\n{number}")))],
    });
    all.collect()
}

pub(crate) fn figures(number: u32, urls: u32) -> FigureRow {
    let unique_inlinks = sources(number, urls).len() as u32;
    FigureRow {
        depth: (!number.is_multiple_of(5)).then_some(number % 7),
        inlinks: unique_inlinks * 2,
        unique_inlinks,
        outlinks: number % 4,
        link_score: (!number.is_multiple_of(3)).then_some((number % 100) as f32 / 10.0),
        near_duplicate_of: number.is_multiple_of(11).then_some(11),
        similarity: number.is_multiple_of(11).then_some(95),
        ..FigureRow::default()
    }
}

pub(crate) const CHECKS: [(&str, u32); 3] = [("often", 1), ("seldom", 50), ("never", u32::MAX)];

/// Stores an audit.
pub(crate) async fn seal(database: &Database, run: i64, urls: u32) {
    let mut writer = database.contents().begin_audit(run).await.unwrap();
    put_checks(&mut writer, urls).await;
    let lists: Vec<(u32, Vec<u32>)> = (1..=urls).map(|number| (number, sources(number, urls))).collect();
    writer.inlinks(lists.iter().map(|(number, sources)| (*number, sources.as_slice()))).await.unwrap();
    writer.figures((1..=urls).map(|number| figures(number, urls))).await.unwrap();
    writer.finish(audit(urls)).await.unwrap();
}

pub(crate) fn audit(urls: u32) -> NewAudit {
    NewAudit { urls, pages: 5, settings: r#"{"title_max":60}"#.to_owned(), is_completed: true }
}

pub(crate) async fn put_checks(writer: &mut AuditWriter, urls: u32) {
    for (id, step) in CHECKS {
        let found = if step == u32::MAX { Vec::new() } else { findings(urls, step) };
        let is_shared = |finding: &&(u32, Option<String>)| finding.1.as_deref() == Some("on every \"page\"");
        let pages = found.iter().filter(is_shared).count() as u32;
        let shared = found.iter().find(is_shared).map(|(first, detail)| SharedFinding {
            detail: detail.clone(),
            anchor: Some(1),
            pages,
            first: *first,
        });
        let result = CheckResult {
            id,
            name: format!("Name of {id}"),
            kind: "issue",
            priority: "high",
            not_checked: found.is_empty().then_some("needs rendering"),
            shared: shared.into_iter().collect(),
        };
        writer.check(result, found.iter().map(|(number, detail)| (*number, detail.as_deref()))).await.unwrap();
    }
}
