//! Fills a database with a large completed run, as a crawl of a real site would leave it.
//!
//! Of ten URLs seven are pages, two are resources and one is external. A page has twenty links: eight of a menu that all
//! pages share, ten to its children, one to an earlier page, one to a resource. Rows are written by SQL, because no
//! server answers a million requests in a minute.

use std::path::{Path, PathBuf};

use anyhow::ensure;
use bluesnake_engine::{AuditInput, AuditPlan};
use bluesnake_store::state::{RunKind, RunState, SessionState};
use bluesnake_store::{Database, SessionEnd};
use rusqlite::{Connection, Transaction, params};

const HOST: &str = "https://www.example.test";
/// Pages among ten URLs.
const PAGES: u32 = 7;
/// Links of the menu.
const MENU: u32 = 8;
/// How many pages a page leads on to.
const CHILDREN: u32 = 10;
/// Different link texts that are no menu.
const TEXTS: u32 = 50_000;

#[derive(Debug, clap::Args)]
pub(crate) struct Arguments {
    /// Database file; must not exist, except with `--again`
    #[arg(long)]
    db: PathBuf,
    /// Add another run of the same site to the file, in which one page in fifty has another title
    #[arg(long)]
    again: bool,
    /// URLs of the run
    #[arg(long, default_value_t = 1_000_000)]
    urls: u32,
}

/// Stores a completed run without its audit.
pub(crate) async fn run(arguments: &Arguments) -> anyhow::Result<()> {
    ensure!(arguments.again || !arguments.db.exists(), "{} already exists", arguments.db.display());
    let database = Database::open(&arguments.db)?;
    let project = database.catalog().get_or_create_project("www.example.test", HOST).await?;
    let claim = database.catalog().claim(project.id).await?;
    let seed = format!("{HOST}/");
    let plan = serde_json::to_string(&AuditPlan::new([&seed], AuditInput::default())?)?;
    let seeds = serde_json::to_string(&[seed])?;
    let started = database.catalog().start_run(&claim, RunKind::Crawl, seeds, plan, false).await?;
    fill(&arguments.db, started.run, started.session, arguments)?;
    let end = SessionEnd {
        session: SessionState::Completed,
        session_reason: "exhausted".to_owned(),
        run: RunState::Completed,
        run_reason: None,
        detail: None,
    };
    Ok(database.catalog().end_session(&claim, started.session, end).await?)
}

fn fill(path: &Path, run: i64, session: i64, arguments: &Arguments) -> anyhow::Result<()> {
    let urls = arguments.urls;
    let mut connection = Connection::open(path)?;
    connection.execute_batch("PRAGMA synchronous = OFF")?;
    let all = connection.transaction()?;
    let site = Site { all: &all, run, session, urls, is_second: arguments.again };
    site.put_shared()?;
    for number in 1..=urls {
        match (number - 1) % 10 {
            ..PAGES => site.put_page(number)?,
            9 => site.put_other(number, "external")?,
            at => site.put_other(number, if at == 7 { "image" } else { "stylesheet" })?,
        }
    }
    let counted = "UPDATE sessions SET visits = ?2, fetched = ?2, pages = ?3, html = ?3, first_number = 1,
                   last_number = ?2 WHERE id = ?1";
    all.execute(counted, params![session, urls, urls / 10 * PAGES])?;
    Ok(all.commit()?)
}

/// The number of a page by its index, from 0.
fn number_of(page: u32) -> u32 {
    page / PAGES * 10 + page % PAGES + 1
}

/// The index of a page by its number.
fn index_of(number: u32) -> u32 {
    (number - 1) / 10 * PAGES + (number - 1) % 10
}

/// Clicks from the start page.
fn depth_of(page: u32) -> u32 {
    std::iter::successors(Some(page), |page| page.checked_sub(1).map(|before| before / CHILDREN)).count() as u32 - 1
}

/// Numbers that look random and are always the same.
fn mixed(number: u32) -> u64 {
    let mixed = u64::from(number).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    (mixed ^ (mixed >> 29)).wrapping_mul(0xbf58_476d_1ce4_e5b9) >> 16
}

struct Site<'a> {
    all: &'a Transaction<'a>,
    run: i64,
    session: i64,
    urls: u32,
    is_second: bool,
}

impl Site<'_> {
    /// Headers, and the places and texts of links.
    fn put_shared(&self) -> anyhow::Result<()> {
        let safe = r#"["content-security-policy","default-src 'self'"],["referrer-policy","strict-origin"],["strict-transport-security","max-age=1"],["x-content-type-options","nosniff"]"#;
        for (id, fields) in [
            (1, format!("[[\"content-encoding\",\"gzip\"],[\"server\",\"nginx\"],{safe}]")),
            (2, "[[\"cache-control\",\"max-age=3600\"],[\"server\",\"nginx\"]]".to_owned()),
            (3, "[[\"server\",\"elsewhere\"]]".to_owned()),
        ] {
            self.all
                .execute("INSERT INTO headers (run, id, fields) VALUES (?1, ?2, ?3)", params![self.run, id, fields])?;
        }
        let place = "INSERT INTO places (run, id, kind, rel, position, path_type, dom_path)
                     SELECT ?1, ?2, id, 0, ?3, 'root-relative', ?4 FROM link_kinds WHERE word = ?5";
        for (id, position, path, kind) in [
            (1, "navigation", "html/body/nav/ul/li/a", "anchor"),
            (2, "content", "html/body/main/p/a", "anchor"),
            (3, "content", "html/body/main/img", "image"),
        ] {
            self.all.execute(place, params![self.run, id, position, path, kind])?;
        }
        let mut anchor = self.all.prepare("INSERT INTO anchors (run, id, place, text) VALUES (?1, ?2, ?3, ?4)")?;
        for id in 1..=MENU {
            anchor.execute(params![self.run, id, 1, format!("Menu entry {id}")])?;
        }
        anchor.execute(params![self.run, MENU + 1, 3, "A picture of the thing"])?;
        for id in 0..TEXTS {
            anchor.execute(params![self.run, MENU + 2 + id, 2, format!("What link text number {id} says")])?;
        }
        Ok(())
    }

    fn put_page(&self, number: u32) -> anyhow::Result<()> {
        let page = index_of(number);
        let url = match page {
            0 => format!("{HOST}/"),
            page => format!("{HOST}/section-{}/topic-{}/a-page-with-a-name-{page}", page % 97, page % 1_009),
        };
        // One page in a hundred is gone, and one redirects.
        let status: u32 = match page % 100 {
            98 => 404,
            99 => 301,
            _ => 200,
        };
        let (disposition, reason) = match status {
            200 => ("fetched", "page"),
            404 => ("fetched", "client_error"),
            _ => ("redirected", "redirect"),
        };
        let source = if page == 0 { "initial" } else { "spider" };
        let parent = page.checked_sub(1).map(|before| number_of(before / CHILDREN));
        self.put_url(number, &url, (source, "anchor", "page"), (disposition, reason), depth_of(page), parent)?;
        self.put_page_visit(number, page, &url, status)?;
        if status == 200 {
            let list = "INSERT INTO link_lists (run, source, list) VALUES (?1, ?2, ?3)";
            self.all.prepare_cached(list)?.execute(params![self.run, number, self.links(page)])?;
        }
        Ok(())
    }

    fn put_page_visit(&self, number: u32, page: u32, url: &str, status: u32) -> anyhow::Result<()> {
        let is_page = status == 200;
        // One title in fifty is not unique, and one description in ten is missing.
        let title = format!("The title of page {} | Example", if page.is_multiple_of(50) { page / 100 } else { page });
        let title = if self.is_second && page % 50 == 7 { format!("{title}, renamed") } else { title };
        let description = format!(
            "A description of about the length that descriptions have, so that it says what page {page} is about to readers."
        );
        let words = 60 + mixed(number) % 1_400;
        let facts = is_page.then(|| self.facts(page, words));
        // A page in twenty has nearly the text of another one.
        let text = if page.is_multiple_of(20) { page / 40 } else { page };
        let signature: Vec<u8> =
            (0..64_u32).flat_map(|slot| (mixed(text ^ (slot << 24)) as u16).to_le_bytes()).collect();
        self.all
            .prepare_cached(
                "INSERT INTO visits (run, number, session, visited_at, was_fetched, status, http_version, content_type,
                     headers, wire_bytes, body_bytes, is_from_cache, redirect_to, attempts, first_byte_us, body_us,
                     total_us, links, links_cut, title, description, h1, h2, canonical, lang, indexable, is_nofollow,
                     word_count, content_hash, raw_hash, content_key, shape, is_unique_page, facts, main_words, signature)
                 VALUES (?1, ?2, ?3, ?2, 1, ?4, 'HTTP/2', 'text/html', 1, ?5, ?6, 0, ?7, 1, ?8, 900, ?9, ?10, 0, ?11, ?12,
                     ?13, ?14, ?15, 'en', ?16, 0, ?17, ?18, ?19, ?19, ?19, 1, ?20, ?21, ?22)",
            )?
            .execute(params![
                self.run,
                number,
                self.session,
                status,
                9_000 + words * 2,
                30_000 + words * 8,
                (status == 301).then_some(1),
                (mixed(number) % 900_000) as i64,
                (mixed(number) % 1_200_000) as i64,
                if is_page { 20 } else { 0 },
                is_page.then_some(title),
                (is_page && !page.is_multiple_of(10)).then_some(description),
                is_page.then(|| format!("Heading of page {page}")),
                is_page.then_some("What it is about"),
                is_page.then_some(url),
                if is_page { "Yes" } else { "-" },
                is_page.then_some(words),
                is_page.then(|| format!("{:032x}", mixed(number))),
                is_page.then_some(mixed(number) as i64),
                facts,
                is_page.then_some(words * 3 / 4),
                is_page.then_some(signature),
            ])?;
        Ok(())
    }

    /// Facts as long as those of a page with some markup.
    fn facts(&self, page: u32, words: u64) -> String {
        let ids: String = (0..20).map(|at| format!("{:04x}", mixed(at) as u16)).collect();
        format!(
            r#"{{"headings":[[1,"Heading of page {page}"],[2,"What it is about"],[2,"How it works"],[3,"Details of {page}"],[2,"See also"]],"h2_count":3,"canonicals":[{{"path_type":"absolute"}}],"viewport":"width=device-width, initial-scale=1","charset":"utf-8","open_graph":[["og:title","Page {page}"],["og:description","What page {page} is about"],["og:image","{HOST}/image-{page}.png"]],"json_ld_types":["Article"],"json_ld_items":[["Article",["headline","image","author","datePublished"]]],"text_chars":{},"sentence_count":{},"images":1,"inline_script_bytes":412,"dom_depth":14,"element_count":640,"reading_sample":[{},{},{}],"ids":"{ids}","icons":["{HOST}/favicon.ico"]}}"#,
            words * 6,
            words / 14,
            words * 3 / 4,
            words / 16,
            words * 2,
        )
    }

    fn put_other(&self, number: u32, what: &str) -> anyhow::Result<()> {
        let (url, kind, task, media) = match what {
            "external" => (format!("https://host-{}.example/{number}", number % 5_003), "anchor", "check", "text/html"),
            "image" => (format!("{HOST}/images/picture-{number}.png"), "image", "resource", "image/png"),
            _ => (format!("{HOST}/styles/part-{number}.css"), "stylesheet", "stylesheet", "text/css"),
        };
        let status = if number.is_multiple_of(40) { 404 } else { 200 };
        let reason = if status == 404 { "client_error" } else { "resource" };
        let source = if what == "external" { "spider" } else { "resource" };
        self.put_url(number, &url, (source, kind, task), ("fetched", reason), 3, Some(1))?;
        self.all
            .prepare_cached(
                "INSERT INTO visits (run, number, session, visited_at, was_fetched, status, http_version, content_type,
                     headers, wire_bytes, body_bytes, is_from_cache, attempts, first_byte_us, total_us, links, links_cut,
                     indexable, is_nofollow, is_unique_page)
                 VALUES (?1, ?2, ?3, ?2, 1, ?4, 'HTTP/2', ?5, ?6, ?7, ?7, 0, 1, 3000, ?8, 0, 0, '-', 0, 0)",
            )?
            .execute(params![
                self.run,
                number,
                self.session,
                status,
                media,
                if what == "external" { 3 } else { 2 },
                (mixed(number) % 200_000) as i64,
                (mixed(number) % 400_000) as i64,
            ])?;
        Ok(())
    }

    fn put_url(
        &self,
        number: u32,
        url: &str,
        (source, kind, task): (&str, &str, &str),
        (disposition, reason): (&str, &str),
        depth: u32,
        parent: Option<u32>,
    ) -> anyhow::Result<()> {
        self.all
            .prepare_cached(
                "INSERT INTO urls (run, number, url, hash, parent, source, kind, steps, is_from_seed, depth, hops,
                     redirects, base, is_internal, action, task, turn, disposition, reason, session)
                 VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, 1, ?8, 0, 0, 0, ?9, 'crawl', ?10, ?2, ?11, ?12, ?13)",
            )?
            .execute(params![
                self.run,
                number,
                url,
                mixed(number) as i64,
                parent,
                source,
                kind,
                depth,
                url.starts_with(HOST),
                task,
                disposition,
                reason,
                self.session,
            ])?;
        Ok(())
    }

    /// The twenty links of a page, packed.
    fn links(&self, page: u32) -> Vec<u8> {
        let pages = self.urls / 10 * PAGES;
        let text = |target: u32| MENU + 2 + target % TEXTS;
        let menu = (0..MENU).map(|entry| (number_of(entry), entry + 1));
        let children = (1..=CHILDREN).map(|child| {
            // The lowest level leads to external pages and back.
            let target = match page * CHILDREN + child {
                below if below < pages => number_of(below),
                _ if child == 1 => (mixed(page) % u64::from(self.urls / 10)) as u32 * 10 + 10,
                _ => number_of((mixed(page ^ (child << 20)) % u64::from(pages.max(1))) as u32),
            };
            (target, text(target))
        });
        let earlier = number_of((mixed(page) % u64::from(page.max(1))) as u32);
        let resource = (mixed(page) % u64::from(self.urls / 10)) as u32 * 10 + 8;
        let others = [(earlier, text(earlier)), (resource, MENU + 1)];
        let links = menu.chain(children).chain(others);
        let numbers = links.flat_map(|(target, anchor)| [target, anchor]);
        std::iter::once(6).chain(numbers.flat_map(|number| number.to_be_bytes()[1..].to_vec())).collect()
    }
}
