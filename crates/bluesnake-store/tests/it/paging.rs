//! Paged lists: every row appears once, in any order, with any filter and page size, also while a crawl writes.

use std::collections::BTreeMap;
use std::ops::ControlFlow;
use std::sync::Arc;

use bluesnake_engine::admit::Depth;
use bluesnake_engine::link::Position;
use bluesnake_engine::{
    Action, Batch, CanonicalUrl, Disposition, LinkKind, Number, Reason, Source, Store, Task, Turn, UrlRow,
};
use bluesnake_store::{
    Database, LinkFilter, LinkRow, LinksQuery, Order, PageType, RunFilter, StatusFilter, Table, UrlFilter, UrlRecord,
    UrlSort, UrlsOf, UrlsQuery, Value,
};
use testsite::{Page, Reply, Running, Site};

use crate::world::{Folder, begin, completed, crawl, local};

/// Injection attempts, and characters with a meaning in SQL or LIKE.
const NAUGHTY: &[&str] = &[
    "' OR '1'='1",
    "' OR 1=1 --",
    "\" OR \"\"=\"",
    "'; DROP TABLE urls; --",
    "'; DELETE FROM visits; --",
    "1; UPDATE runs SET state = 'failed'",
    "') OR ('a'='a",
    "' UNION SELECT 1,2,3 --",
    "' UNION ALL SELECT sql FROM sqlite_schema --",
    "'/**/OR/**/1=1",
    "admin'--",
    "admin' #",
    "admin'/*",
    "' OR 'x' LIKE 'x",
    "%' OR 1=1 --",
    "'; ATTACH DATABASE '/tmp/x.db' AS x; --",
    "'; PRAGMA writable_schema = ON; --",
    "'; VACUUM; --",
    "' || (SELECT load_extension('x')) || '",
    "' AND randomblob(1000000000) --",
    "' AND 1 = zeroblob(1e9) --",
    "?1",
    "?2 OR ?1",
    ":run",
    "@run",
    "$run",
    "??",
    "%",
    "%%",
    "_",
    "__",
    "100%",
    "a_b",
    "\\",
    "\\%",
    "\\'",
    "%\\",
    "[a-z]*",
    "*",
    "GLOB '*'",
    "NULL",
    "null",
    "0x27",
    "%27",
    "%00",
    "&#39;",
    "\u{2019} OR 1=1",
    "\u{ff07} OR 1=1",
    "char(39)",
    "x'27'",
    "1e999",
    "-1",
    "' ORDER BY 99 --",
    "' LIMIT 0 --",
    "`id`",
    "[id]",
    "{{7*7}}",
    "${7*7}",
    "<script>alert(1)</script>",
    "naïve Ünïcode ß",
    "K",
];

/// A site with every type of resource, and a page for each hostile title.
async fn site() -> Running {
    let titles = || NAUGHTY.iter().enumerate();
    let mut home = Page::titled("Home").stylesheet("/a.css").script("/a.js").image("/a.png").image("/gone.png");
    home = home.links(["/moved", "/missing", "/twin-1", "/twin-2", "/secret", "/b.pdf"]).nofollow_link("/nofollow");
    home = home.nav(["/twin-1", "/moved"]);
    for (at, _) in titles() {
        home = home.link_text(&format!("/naughty/{at}?q=A_b%25"), &format!("number {at}"));
    }
    let mut site = Site::new()
        .page("/", home)
        .page("/twin-1", Page::titled("Twin").text("some words of a twin").link("/deep"))
        .page("/twin-2", Page::titled("twin").text("other words of another twin").link("/"))
        .page("/deep", Page::titled("").meta("description", "Deep In The Site").link("/deeper"))
        .page("/deeper", Page::titled("Deeper").link("/twin-1"))
        .redirect("/moved", 301, "/twin-1")
        .robots("User-agent: *\nDisallow: /secret\n")
        .reply("/a.css", Reply::text("text/css", "@font-face { src: url(/a.woff2) } body { background: url(/b.png) }"))
        .reply("/a.js", Reply::text("application/javascript", "1"))
        .reply("/a.png", Reply::bytes("image/png", b"png".to_vec()))
        .reply("/b.png", Reply::bytes("image/png", b"another".to_vec()))
        .reply("/a.woff2", Reply::bytes("font/woff2", b"font".to_vec()))
        .reply("/b.pdf", Reply::bytes("application/pdf", b"pdf".to_vec()));
    for (at, title) in titles() {
        let page = Page::titled(title).text(&format!("text {at}")).link("/").link_text("/deep", title);
        site = site.page(&format!("/naughty/{at}?q=A_b%25"), page);
    }
    site.start().await
}

struct Stored {
    folder: Folder,
    database: Database,
    run: i64,
    crawl: i64,
}

async fn stored() -> Stored {
    let (folder, site) = (Folder::new(), site().await);
    let database = folder.database();
    let (claim, started) = begin(&database, "a.test").await;
    let (run, id) = (started.run, started.session);
    crawl(&site.url("/"), local(), Arc::new(started.store)).await;
    database.catalog().end_session(&claim, id, completed()).await.unwrap();
    Stored { folder, database, run, crawl: id }
}

fn query(of: UrlsOf) -> UrlsQuery {
    let (filter, sort, order) = (UrlFilter::default(), UrlSort::Number, Order::Ascending);
    UrlsQuery { of, filter, sort, order, after: None, limit: 1_000 }
}

/// Every row of every page.
async fn all_pages(database: &Database, mut query: UrlsQuery) -> Vec<UrlRecord> {
    let mut rows = Vec::new();
    loop {
        let page = database.contents().urls_page(query.clone()).await.unwrap();
        assert!(page.rows.len() <= query.limit);
        rows.extend(page.rows);
        match page.next {
            Some(next) => query.after = Some(next),
            None => return rows,
        }
    }
}

/// Substring search as documented: ignores the case of ASCII letters.
fn contains(text: &str, part: &str) -> bool {
    text.to_ascii_lowercase().contains(&part.to_ascii_lowercase())
}

fn is_wanted(row: &UrlRecord, filter: &UrlFilter) -> bool {
    let disposition = row.reason.disposition();
    let was_fetched = [Disposition::Fetched, Disposition::Redirected, Disposition::Failed].contains(&disposition);
    let media = row.content_type.as_deref().unwrap_or_default();
    let text = |text: &Option<String>, part: &str| text.as_deref().is_some_and(|text| contains(text, part));
    (filter.page_type == PageType::All || (was_fetched && PageType::of(media) == filter.page_type))
        && filter.disposition.is_none_or(|wanted| wanted == disposition)
        && filter.action.is_none_or(|action| action == row.action)
        && filter.status.is_none_or(|status| match status {
            StatusFilter::Exact(status) => row.status == Some(status.into()),
            StatusFilter::Class(digit) => row.status.is_some_and(|status| status / 100 == i64::from(digit)),
        })
        && filter
            .content_type
            .as_ref()
            .is_none_or(|start| row.content_type.as_ref().is_some_and(|media| media.starts_with(start)))
        && filter.min_depth.is_none_or(|depth| row.depth.is_some_and(|found| found >= i64::from(depth)))
        && filter.max_depth.is_none_or(|depth| row.depth.is_some_and(|found| found <= i64::from(depth)))
        && filter
            .search
            .as_ref()
            .is_none_or(|part| contains(&row.url, part) || text(&row.title, part) || text(&row.description, part))
}

fn compare(sort: UrlSort, a: &UrlRecord, b: &UrlRecord) -> std::cmp::Ordering {
    let number = |value: Option<i64>| value.unwrap_or(-1);
    let by_key = match sort {
        UrlSort::Number => a.number.cmp(&b.number),
        UrlSort::Url => a.url.cmp(&b.url),
        UrlSort::Status => number(a.status).cmp(&number(b.status)),
        UrlSort::Depth => number(a.depth).cmp(&number(b.depth)),
        UrlSort::ResponseTime => a.total_ms.unwrap_or(-1.0).total_cmp(&b.total_ms.unwrap_or(-1.0)),
        UrlSort::Size => number(a.body_bytes).cmp(&number(b.body_bytes)),
        UrlSort::Title => a.title.as_deref().unwrap_or("").cmp(b.title.as_deref().unwrap_or("")),
        UrlSort::WordCount => number(a.word_count).cmp(&number(b.word_count)),
        UrlSort::ContentType => a.content_type.as_deref().unwrap_or("").cmp(b.content_type.as_deref().unwrap_or("")),
    };
    by_key.then(a.number.cmp(&b.number))
}

fn filters() -> Vec<UrlFilter> {
    let all = UrlFilter::default;
    let mut filters: Vec<UrlFilter> =
        PageType::ALL.iter().map(|page_type| UrlFilter { page_type: *page_type, ..all() }).collect();
    filters.extend(Disposition::ALL.map(|one| UrlFilter { disposition: Some(one), ..all() }));
    filters.extend(Action::ALL.map(|one| UrlFilter { action: Some(one), ..all() }));
    filters.extend(["200", "404", "3xx", "4xx", "5xx"].map(|one| UrlFilter { status: one.parse().ok(), ..all() }));
    filters.extend(
        ["text/", "image/png", "%", "text/html' --"].map(|one| UrlFilter { content_type: Some(one.into()), ..all() }),
    );
    filters.extend(
        [(Some(1), Some(1)), (Some(2), None), (None, Some(0)), (Some(3), Some(1))]
            .map(|(min_depth, max_depth)| UrlFilter { min_depth, max_depth, ..all() }),
    );
    filters
        .extend(["TWIN", "deep in", "naughty", "nowhere"].map(|one| UrlFilter { search: Some(one.into()), ..all() }));
    filters.push(UrlFilter {
        page_type: PageType::Html,
        status: Some(StatusFilter::Class(2)),
        search: Some("twin".into()),
        max_depth: Some(1),
        ..all()
    });
    filters
}

#[tokio::test(flavor = "multi_thread")]
async fn every_url_is_on_exactly_one_page_in_every_order() {
    let Stored { database, run, crawl, folder: _folder } = stored().await;
    let everything = all_pages(&database, query(UrlsOf::Run(run))).await;
    let mut exported = Vec::new();
    let columns = Table::Urls.columns(false);
    let exported_row = |row: &[Value<'_>]| {
        if let (Value::Integer(number), Value::Text(url)) = (row[0], row[1]) {
            exported.push((number, url.to_owned()));
        }
        ControlFlow::Continue(())
    };
    database.contents().scan(run, Table::Urls, &columns, exported_row).unwrap();
    let paged: Vec<(i64, String)> = everything.iter().map(|row| (row.number, row.url.clone())).collect();
    assert_eq!(paged, exported);
    assert!(everything.len() > 60);

    for filter in filters() {
        for sort in UrlSort::ALL {
            for order in Order::ALL {
                let mut expected: Vec<&UrlRecord> = everything.iter().filter(|row| is_wanted(row, &filter)).collect();
                expected.sort_by(|a, b| compare(*sort, a, b));
                if *order == Order::Descending {
                    expected.reverse();
                }
                for limit in [7, 1_000] {
                    let query = UrlsQuery {
                        filter: filter.clone(),
                        sort: *sort,
                        order: *order,
                        limit,
                        ..query(UrlsOf::Run(run))
                    };
                    let found = all_pages(&database, query).await;
                    assert!(found.iter().eq(expected.iter().copied()), "{filter:?} {sort} {order} by {limit}");
                }
            }
        }
    }
    let visited = all_pages(&database, UrlsQuery { limit: 5, ..query(UrlsOf::Session(crawl)) }).await;
    let expected: Vec<&UrlRecord> = everything.iter().filter(|row| row.visited_at_ms.is_some()).collect();
    assert!(visited.iter().eq(expected), "a session lists what it visited");
    assert!(database.contents().urls_page(query(UrlsOf::Run(run + 1))).await.is_err());
    assert!(database.contents().urls_page(query(UrlsOf::Session(crawl + 1))).await.is_err());
}

#[tokio::test(flavor = "multi_thread")]
async fn sql_in_search_text_is_treated_as_text() {
    let Stored { database, run, folder, .. } = stored().await;
    let everything = all_pages(&database, query(UrlsOf::Run(run))).await;
    for text in NAUGHTY {
        let filter = UrlFilter { search: Some((*text).to_owned()), ..UrlFilter::default() };
        let found = all_pages(&database, UrlsQuery { filter: filter.clone(), ..query(UrlsOf::Run(run)) }).await;
        let expected: Vec<&UrlRecord> = everything.iter().filter(|row| is_wanted(row, &filter)).collect();
        assert!(found.iter().eq(expected.iter().copied()), "{text}");
        assert!(expected.iter().any(|row| row.title.as_deref() == Some(*text)), "no page has the title {text}");
        let filter = UrlFilter { content_type: Some((*text).to_owned()), ..UrlFilter::default() };
        assert!(all_pages(&database, UrlsQuery { filter, ..query(UrlsOf::Run(run)) }).await.is_empty(), "{text}");
        let filter = LinkFilter { search: Some((*text).to_owned()), ..LinkFilter::default() };
        let found = all_links(&database, run, filter, 1_000).await;
        assert!(found.iter().all(|link| contains(&link.text, text) || contains(&link.target_url, text)), "{text}");
        assert!(found.iter().any(|link| link.text == *text), "{text}");
    }
    // A NUL does not end the text.
    let filter = UrlFilter { search: Some("Home\0x".to_owned()), ..UrlFilter::default() };
    assert!(all_pages(&database, UrlsQuery { filter, ..query(UrlsOf::Run(run)) }).await.is_empty());
    let still_there = all_pages(&database, query(UrlsOf::Run(run))).await;
    assert_eq!(still_there, everything);
    let connection = rusqlite::Connection::open(folder.path()).unwrap();
    let verdict: String = connection.query_row("PRAGMA integrity_check", [], |row| row.get(0)).unwrap();
    assert_eq!(verdict, "ok");
}

async fn all_links(database: &Database, run: i64, filter: LinkFilter, limit: usize) -> Vec<LinkRow> {
    let mut query = LinksQuery { run, filter, after: None, limit };
    let mut rows = Vec::new();
    loop {
        let page = database.contents().links_page(query.clone()).await.unwrap();
        assert!(page.rows.len() <= limit);
        rows.extend(page.rows);
        match page.next {
            Some(next) => query.after = Some(next),
            None => return rows,
        }
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn every_link_is_on_exactly_one_page() {
    let Stored { database, run, folder: _folder, .. } = stored().await;
    let everything = all_links(&database, run, LinkFilter::default(), 1_000).await;
    let mut exported = Vec::new();
    let columns = Table::Links.columns(false);
    let exported_row = |row: &[Value<'_>]| {
        if let (Value::Integer(source), Value::Integer(ordinal), Value::Integer(target)) = (row[0], row[2], row[3]) {
            exported.push((source, ordinal, target));
        }
        ControlFlow::Continue(())
    };
    database.contents().scan(run, Table::Links, &columns, exported_row).unwrap();
    let place = |link: &LinkRow| (link.source_number, link.ordinal, link.target_number);
    assert_eq!(everything.iter().map(place).collect::<Vec<_>>(), exported);
    assert!(everything.len() > 100);

    let home = everything[0].source_number;
    let twin = everything.iter().find(|link| link.target_url.ends_with("/twin-1")).unwrap().target_number;
    let all = LinkFilter::default;
    type Wanted = Box<dyn Fn(&LinkRow) -> bool>;
    let table: Vec<(LinkFilter, Wanted)> = vec![
        (all(), Box::new(|_| true)),
        (LinkFilter { source: Some(home), ..all() }, Box::new(move |link| link.source_number == home)),
        (LinkFilter { target: Some(twin), ..all() }, Box::new(move |link| link.target_number == twin)),
        (
            LinkFilter { source: Some(home), target: Some(twin), ..all() },
            Box::new(move |link| (link.source_number, link.target_number) == (home, twin)),
        ),
        (LinkFilter { kind: Some(LinkKind::Image), ..all() }, Box::new(|link| link.kind == "image")),
        (
            LinkFilter { position: Some(Position::Navigation), ..all() },
            Box::new(|link| link.position == Position::Navigation.as_str()),
        ),
        (LinkFilter { follow: Some(false), ..all() }, Box::new(|link| link.rel & 1 == 1)),
        (LinkFilter { follow: Some(true), ..all() }, Box::new(|link| link.rel & 1 == 0)),
        (LinkFilter { is_internal: Some(true), ..all() }, Box::new(|link| link.is_internal)),
        (LinkFilter { status: Some(StatusFilter::Exact(404)), ..all() }, Box::new(|link| link.status == Some(404))),
        (LinkFilter { search: Some("NUMBER 1".into()), ..all() }, Box::new(|link| contains(&link.text, "number 1"))),
    ];
    for (filter, is_wanted) in table {
        for limit in [1, 7, 1_000] {
            let found = all_links(&database, run, filter.clone(), limit).await;
            let expected: Vec<&LinkRow> = everything.iter().filter(|link| is_wanted(link)).collect();
            assert!(found.iter().eq(expected.iter().copied()), "{filter:?} by {limit}");
            assert!(!expected.is_empty(), "{filter:?}");
        }
    }
}

fn row(number: u32) -> UrlRow {
    UrlRow {
        number: Number(number),
        // URL order differs from number order.
        url: CanonicalUrl::parse(&format!("http://a.test/{}", u64::from(number) * 7919 % 1009)).unwrap(),
        parent: (number > 1).then_some(Number(1)),
        source: Source::Spider,
        kind: LinkKind::Anchor,
        depth: Depth { steps: number % 5, from_seed: true },
        hops: 0,
        redirects: 0,
        base: 0,
        is_internal: true,
        action: Action::Crawl,
        task: Task::Page,
        turn: Some(Turn(number)),
        reason: Reason::Queued,
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn existing_rows_are_on_exactly_one_page_while_a_crawl_adds_rows() {
    for sort in [UrlSort::Number, UrlSort::Url, UrlSort::Depth, UrlSort::Status] {
        for order in Order::ALL {
            let folder = Folder::new();
            let database = folder.database();
            let (_claim, started) = begin(&database, "a.test").await;
            let add = async |numbers: std::ops::Range<u32>| {
                started.store.commit(Batch { urls: numbers.map(row).collect(), ..Batch::default() }).await.unwrap();
            };
            add(1..201).await;
            let mut query = UrlsQuery { sort, order: *order, limit: 7, ..query(UrlsOf::Run(started.run)) };
            let (mut seen, mut next) = (BTreeMap::<i64, u32>::new(), 201);
            loop {
                let page = database.contents().urls_page(query.clone()).await.unwrap();
                page.rows.iter().for_each(|row| *seen.entry(row.number).or_default() += 1);
                if next < 600 {
                    add(next..next + 20).await;
                    next += 20;
                }
                match page.next {
                    Some(after) => query.after = Some(after),
                    None => break,
                }
            }
            assert!((1..=200).all(|number| seen.get(&number) == Some(&1)), "{sort} {order}");
            assert!(seen.values().all(|times| *times == 1), "{sort} {order}");
        }
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_rare_match_ends_a_page_early_with_a_cursor() {
    let folder = Folder::new();
    let database = folder.database();
    let (_claim, started) = begin(&database, "a.test").await;
    for from in (1..120_001).step_by(20_000) {
        let urls = (from..from + 20_000).map(|number| UrlRow {
            url: CanonicalUrl::parse(&format!("http://a.test/{number}")).unwrap(),
            ..row(number)
        });
        started.store.commit(Batch { urls: urls.collect(), ..Batch::default() }).await.unwrap();
    }
    let filter = UrlFilter { search: Some("/119999".to_owned()), ..UrlFilter::default() };
    let query = UrlsQuery { filter, ..query(UrlsOf::Run(started.run)) };
    let first = database.contents().urls_page(query.clone()).await.unwrap();
    assert!(first.rows.is_empty() && first.next.is_some());
    let found = all_pages(&database, query.clone()).await;
    assert_eq!(found.iter().map(|row| row.number).collect::<Vec<_>>(), [119_999]);
    let descending = UrlsQuery { order: Order::Descending, ..query };
    assert_eq!(
        database.contents().urls_page(descending.clone()).await.unwrap().rows.len(),
        1,
        "in descending order it is within the first page"
    );
    assert_eq!(all_pages(&database, descending).await.len(), 1);
}

/// Counts a run by reading all its rows.
async fn counted(database: &Database, run: i64) -> Vec<i64> {
    let sql = format!(
        "SELECT count(*), coalesce(sum(v.was_fetched), 0), sum(u.disposition = 'pending'),
                sum(v.was_fetched AND page_type(v.content_type) = 'html'),
                sum(v.was_fetched AND page_type(v.content_type) = 'css'),
                sum(v.was_fetched AND page_type(v.content_type) = 'javascript'),
                sum(v.was_fetched AND page_type(v.content_type) = 'images'),
                sum(v.was_fetched AND page_type(v.content_type) = 'fonts'),
                sum(v.was_fetched AND page_type(v.content_type) = 'others')
         FROM urls AS u LEFT JOIN visits AS v ON v.run = u.run AND v.number = u.number WHERE u.run = {run}"
    );
    let limits = bluesnake_store::Limits { rows: 1, time: std::time::Duration::from_secs(10) };
    let response = database.query(&sql, limits).await.unwrap();
    response.rows[0].iter().map(|value| value.as_i64().unwrap_or(0)).collect()
}

async fn kept(database: &Database, run: i64) -> Vec<i64> {
    let (counts, types) = database.catalog().type_counts(run, None).await.unwrap();
    vec![
        counts.seen,
        counts.visited,
        counts.pending,
        types.html,
        types.css,
        types.javascript,
        types.images,
        types.fonts,
        types.others,
    ]
}

#[tokio::test(flavor = "multi_thread")]
async fn stored_figures_match_counts_even_after_migration() {
    let Stored { database, run, crawl, folder } = stored().await;
    let figures = kept(&database, run).await;
    assert_eq!(figures, counted(&database, run).await);
    assert!(figures[3..].iter().all(|count| *count > 0), "a type is missing: {figures:?}");
    let visited = all_pages(&database, query(UrlsOf::Session(crawl))).await;
    drop(database);

    let connection = rusqlite::Connection::open(folder.path()).unwrap();
    let renamed = "DROP VIEW issues; DROP VIEW pages; DROP VIEW crawls;
                   DROP INDEX sessions_of_run; DROP INDEX one_live_session_per_run;
                   ALTER TABLE sessions RENAME TO crawls; ALTER TABLE owners RENAME COLUMN session TO crawl;
                   ALTER TABLE urls RENAME COLUMN session TO crawl; ALTER TABLE visits RENAME COLUMN session TO crawl;
                   CREATE INDEX crawls_of_run ON crawls (run);
                   CREATE UNIQUE INDEX one_live_crawl_per_run ON crawls (run) WHERE state = 'in_progress';
                   UPDATE crawls SET visits = visits + guides";
    connection.execute_batch(renamed).unwrap();
    let columns = ["fetched", "html", "css", "javascript", "images", "fonts", "first_number", "last_number", "guides"];
    for column in columns {
        connection.execute(&format!("ALTER TABLE crawls DROP COLUMN {column}"), []).unwrap();
    }
    let rest = "ALTER TABLE runs DROP COLUMN left_pending; DROP INDEX shown_runs_of_project;
                ALTER TABLE runs DROP COLUMN kind;
                CREATE UNIQUE INDEX one_open_run_per_project ON runs (project) WHERE state <> 'completed' AND is_deleted = 0;
                DROP INDEX copies; ALTER TABLE visits DROP COLUMN leads;
                DROP TABLE documents; DROP TABLE section_words; DROP TABLE sections; DROP TABLE kept_responses;
                DROP TABLE nodes; DROP TABLE edges; DROP TABLE node_pages; DROP TABLE mentions; DROP TABLE refused_hosts;
                ALTER TABLE visits DROP COLUMN main_words; ALTER TABLE visits DROP COLUMN signature;
                ALTER TABLE visits DROP COLUMN sniffed; ALTER TABLE visits DROP COLUMN extracted;
                ALTER TABLE visits DROP COLUMN rendered; ALTER TABLE visits DROP COLUMN screenshot;
                ALTER TABLE places DROP COLUMN origin;
                DROP TABLE audits; DROP TABLE issue_counts; DROP TABLE issue_lists; DROP TABLE inlink_lists;
                DROP TABLE figures; DROP TABLE run_columns; DROP TABLE folders; DROP INDEX visits_identical;
                PRAGMA user_version = 1";
    connection.execute_batch(rest).unwrap();
    drop(connection);
    let database = folder.database();
    assert_eq!(kept(&database, run).await, figures);
    assert_eq!(all_pages(&database, query(UrlsOf::Session(crawl))).await, visited);
}

#[tokio::test(flavor = "multi_thread")]
async fn projects_runs_and_sessions_are_listed_once_newest_first() {
    let folder = Folder::new();
    let database = folder.database();
    for round in 0..5 {
        for host in ["a.test", "b.test", "c.test"] {
            let (claim, started) = begin(&database, host).await;
            let urls = (1..=round + 1).map(row).collect();
            started.store.commit(Batch { urls, ..Batch::default() }).await.unwrap();
            let mut end = completed();
            end.run = bluesnake_store::state::RunState::Paused;
            database.catalog().end_session(&claim, started.session, end.clone()).await.unwrap();
            if round % 2 == 1 {
                let again = database
                    .catalog()
                    .resume_run(&claim, started.run, "[]".to_owned(), "{}".to_owned(), true)
                    .await
                    .unwrap();
                database.catalog().end_session(&claim, again.session, end).await.unwrap();
            }
        }
    }
    let projects = database.catalog().projects_before(None, 100).await.unwrap();
    assert_eq!(projects.iter().map(|one| (one.project.id, one.runs)).collect::<Vec<_>>(), [(3, 5), (2, 5), (1, 5)]);
    assert_eq!(database.catalog().projects_before(Some(3), 1).await.unwrap(), projects[1..2]);
    let mut by_host = projects.clone();
    by_host.reverse();
    assert_eq!(database.catalog().all_project_figures().await.unwrap(), by_host);
    for project in [None, Some(2)] {
        let rows = database.catalog().runs(project).await.unwrap();
        let (mut runs, mut before) = (Vec::new(), None);
        while let Some(page) = Some(
            database.catalog().runs_before(RunFilter { project, ..RunFilter::default() }, before, 2).await.unwrap(),
        )
        .filter(|page| !page.is_empty())
        {
            before = page.last().map(|run| run.run.id);
            runs.extend(page);
        }
        assert_eq!(runs.iter().map(|run| run.run.clone()).collect::<Vec<_>>(), rows);
        for run in &runs {
            assert_eq!(
                run.counts.pending,
                counted(&database, run.run.id).await[2],
                "pending URLs of run {}",
                run.run.id
            );
        }
        let mut expected: Vec<_> = runs.iter().flat_map(|run| run.sessions.iter().cloned()).collect();
        expected.sort_by_key(|crawl| std::cmp::Reverse(crawl.id));
        let (mut crawls, mut before) = (Vec::new(), None);
        while let Some(page) =
            Some(database.catalog().sessions_before(project, before, 2).await.unwrap()).filter(|page| !page.is_empty())
        {
            before = page.last().map(|crawl| crawl.id);
            crawls.extend(page);
        }
        assert_eq!(crawls, expected);
        assert_eq!(crawls.len(), if project.is_some() { 7 } else { 21 });
    }
}
