//! Stored audits: everything comes back as it was given, all at once or not at all, and goes with its run.

use std::ops::ControlFlow;

use bluesnake_store::{
    Cell, Database, DatabaseError, FindingRow, IssueFilter, Order, RowFilter, RowSort, RowsQuery, repair, row_columns,
};
use rusqlite::Connection;

use crate::filled::{self, CHECKS};
use crate::world::Folder;

/// More findings than fit a part.
const URLS: u32 = 2_500;
const DERIVED: [&str; 7] =
    ["audits", "issue_counts", "issue_lists", "inlink_lists", "figures", "run_columns", "folders"];

fn count(folder: &Folder, table: &str) -> i64 {
    let connection = Connection::open(folder.path()).unwrap();
    connection.query_row(&format!("SELECT count(*) FROM {table}"), [], |row| row.get(0)).unwrap()
}

async fn url_of(database: &Database, run: i64, number: u32) -> String {
    let columns = row_columns().iter().copied().filter(|column| column.name == "url").collect();
    match database.contents().rows_of(run, vec![number], columns).await.unwrap().remove(0).remove(0) {
        Cell::Text(url) => url,
        other => panic!("{other:?}"),
    }
}

#[tokio::test]
async fn findings_come_back_by_check_by_window_and_by_url() {
    let folder = Folder::new();
    let (database, run) = filled::run(&folder, URLS).await;
    filled::seal(&database, run, URLS).await;
    let contents = database.contents();

    let (audit, counts) = contents.issue_counts(run).await.unwrap().unwrap();
    assert_eq!((audit.urls, audit.pages, audit.is_completed), (URLS.into(), 5, true));
    assert_eq!(counts.iter().map(|count| count.check_id.as_str()).collect::<Vec<_>>(), CHECKS.map(|(id, _)| id));
    assert_eq!(counts[2].not_checked.as_deref(), Some("needs rendering"));
    assert_eq!((counts[2].findings, counts[2].urls, counts[2].examples.len()), (0, 0, 0));

    let all = filled::findings(URLS, 1);
    assert_eq!((counts[0].findings, counts[0].urls), (all.len() as u64, URLS.into()));
    assert_eq!(counts[0].shared[0].pages, all.iter().filter(|(number, _)| number % 3 == 1).count() as u32);
    for (offset, limit) in [(0, 3), (998, 4), (0, 5_000), (1_999, 1), (all.len() as u64 - 1, 10), (9_999, 10), (5, 0)] {
        let window = contents.issue_rows(run, "often".to_owned(), offset, limit).await.unwrap().unwrap();
        let mut wanted = Vec::new();
        for (number, detail) in all.iter().skip(offset as usize).take(limit) {
            let url = url_of(&database, run, *number).await;
            wanted.push(FindingRow { number: *number, url, detail: detail.clone() });
        }
        assert_eq!((window.total, window.items), (all.len() as u64, wanted), "{offset} {limit}");
    }
    for number in [1, 2, 749, 750, 751, 1_500, URLS] {
        let details = contents.url_details(run, number).await.unwrap();
        let on_it = |step: u32| filled::findings(URLS, step).into_iter().filter(move |(found, _)| *found == number);
        let often = on_it(1).map(|(_, detail)| ("often".to_owned(), detail));
        let seldom = on_it(50).map(|(_, detail)| ("seldom".to_owned(), detail));
        assert_eq!(details.issues, often.chain(seldom).collect::<Vec<_>>(), "{number}");
    }
    let unknown = contents.issue_rows(run, "unknown".to_owned(), 0, 1).await.unwrap_err();
    assert!(matches!(unknown, DatabaseError::NotFound(_)), "{unknown}");
}

#[tokio::test]
async fn the_table_of_issues_has_one_row_for_a_finding_of_a_template() {
    let folder = Folder::new();
    let (database, run) = filled::run(&folder, URLS).await;
    filled::seal(&database, run, URLS).await;
    let mut rows = Vec::new();
    let scanned = database.contents().scan_issues(run, |row| {
        rows.push((row.check_id.to_owned(), row.number, row.detail.map(str::to_owned), row.pages));
        ControlFlow::Continue(())
    });
    assert!(scanned.unwrap());
    let expected = ["often", "seldom"].into_iter().zip([1, 50]).flat_map(|(id, step)| {
        let all = filled::findings(URLS, step);
        let is_shared = |detail: &Option<String>| detail.as_deref() == Some("on every \"page\"");
        let pages = all.iter().filter(|(_, detail)| is_shared(detail)).count() as u32;
        let first = all.iter().find(|(_, detail)| is_shared(detail)).map(|(number, _)| *number);
        let shown = all.into_iter().filter(move |(number, detail)| !is_shared(detail) || Some(*number) == first);
        shown.map(move |(number, detail)| {
            let pages = if is_shared(&detail) { pages } else { 1 };
            (id.to_owned(), number, detail, pages)
        })
    });
    assert_eq!(rows, expected.collect::<Vec<_>>());
}

/// People read the file with the sqlite3 tool, which has none of our functions.
#[tokio::test]
async fn plain_sqlite_reads_issues_and_pages() {
    let folder = Folder::new();
    let (database, run) = filled::run(&folder, URLS).await;
    let plain = Connection::open(folder.path()).unwrap();
    let inlinks = "SELECT count(*), count(inlinks) FROM pages WHERE run_id = 1";
    let pages = |sql: &str| plain.query_row(sql, [], |row| Ok((row.get(0)?, row.get(1)?))).unwrap();
    let (all, known): (i64, i64) = pages(inlinks);
    assert!(all > 0 && known == 0);

    filled::seal(&database, run, URLS).await;
    let mut select =
        plain.prepare("SELECT number, detail FROM issues WHERE run_id = ?1 AND check_id = 'often'").unwrap();
    let found = select.query_map([run], |row| Ok((row.get(0)?, row.get(1)?))).unwrap();
    assert_eq!(found.map(Result::unwrap).collect::<Vec<(u32, Option<String>)>>(), filled::findings(URLS, 1));
    assert_eq!(pages(inlinks), (all, all));
    let wrong = "SELECT count(*), 0 FROM pages WHERE title_length <> length(title) OR inlinks < unique_inlinks";
    assert_eq!(pages(wrong), (0, 0));
}

#[tokio::test]
async fn inlinks_and_outlinks_come_in_windows() {
    let folder = Folder::new();
    let (database, run) = filled::run(&folder, URLS).await;
    let contents = database.contents();
    let absent = contents.inlinks_window(run, 3, None, 0, 10).await.unwrap_err();
    assert!(matches!(absent, DatabaseError::NotFound(_)), "{absent}");
    let in_memory = contents.inlinks_window(run, 3, Some(filled::sources(3, URLS)), 0, 10).await.unwrap();
    filled::seal(&database, run, URLS).await;

    let sources = filled::sources(3, URLS);
    assert!(sources.len() > 20);
    let first = contents.inlinks_window(run, 3, None, 0, 10).await.unwrap();
    assert_eq!(first, in_memory);
    let window = contents.inlinks_window(run, 3, None, 15, 10).await.unwrap();
    assert_eq!((window.total, window.items.len()), (sources.len() as u64, 10));
    for (row, source) in window.items.iter().zip(&sources[15..]) {
        let links = filled::links(*source, URLS);
        let ordinal = links.iter().position(|(to, _)| *to == 3).unwrap();
        assert_eq!(row.link.source_number, i64::from(*source));
        assert_eq!((row.link.target_number, row.link.ordinal), (3, ordinal as i64));
        assert_eq!(row.link.text, format!("text of {}", links[ordinal].1));
        assert_eq!(row.links as usize, links.iter().filter(|(to, _)| *to == 3).count());
    }
    let source = *sources.iter().find(|source| filled::links(**source, URLS).len() > 5).unwrap();
    let window = contents.outlinks_window(run, source, 2, 3).await.unwrap();
    let links = filled::links(source, URLS);
    let targets: Vec<i64> = window.items.iter().map(|link| link.target_number).collect();
    assert_eq!(window.total, links.len() as u64);
    assert_eq!(targets, links[2..5].iter().map(|(to, _)| i64::from(*to)).collect::<Vec<_>>());
    assert_eq!(contents.outlinks_window(run, 2, 0, 3).await.unwrap().total, 0);
    let unknown = contents.outlinks_window(run, URLS + 1, 0, 3).await.unwrap_err();
    assert!(matches!(unknown, DatabaseError::NotFound(_)), "{unknown}");
}

#[tokio::test]
async fn depths_and_figures_are_exact_after_sealing() {
    let folder = Folder::new();
    let (database, run) = filled::run(&folder, URLS).await;
    filled::seal(&database, run, URLS).await;
    let wanted = ["depth", "inlinks", "unique_inlinks", "outlinks", "link_score", "similarity"];
    let find = |name| *row_columns().iter().find(|column| column.name == name).unwrap();
    let columns = wanted.map(find).to_vec();
    let rows = database.contents().rows_of(run, (1..=URLS).collect(), columns).await.unwrap();
    for (number, row) in (1..).zip(rows) {
        let figures = filled::figures(number, URLS);
        let integer = |value: Option<u32>| value.map_or(Cell::Null, |value| Cell::Integer(value.into()));
        let expected = [
            integer(figures.depth),
            integer(Some(figures.inlinks)),
            integer(Some(figures.unique_inlinks)),
            integer(Some(figures.outlinks)),
            // Scores are stored with one decimal.
            figures.link_score.map_or(Cell::Null, |score| Cell::Real((f64::from(score) * 10.0).round() / 10.0)),
            integer(figures.similarity.map(u32::from)),
        ];
        assert_eq!(row, expected, "{number}");
    }
    let details = database.contents().url_details(run, 22).await.unwrap();
    let near: Vec<u32> = details.near_duplicates.iter().map(|hop| hop.number).collect();
    assert_eq!(near, (11..).step_by(11).filter(|number| *number != 22).take(100).collect::<Vec<u32>>());
}

/// A process may be killed between any two transactions.
#[tokio::test]
async fn an_unfinished_audit_is_invisible_and_replaced_by_the_next() {
    let folder = Folder::new();
    let (database, run) = filled::run(&folder, URLS).await;
    for steps in 0..=3 {
        let mut writer = database.contents().begin_audit(run).await.unwrap();
        if steps > 0 {
            filled::put_checks(&mut writer, URLS).await;
        }
        if steps > 1 {
            let lists: Vec<(u32, Vec<u32>)> = (1..=URLS).map(|number| (number, vec![1, 2, 3])).collect();
            writer.inlinks(lists.iter().map(|(number, sources)| (*number, sources.as_slice()))).await.unwrap();
        }
        if steps > 2 {
            writer.figures((1..=URLS).map(|_| Default::default())).await.unwrap();
        }
        drop(writer);
        let again = Database::open(&folder.path()).unwrap();
        let contents = again.contents();
        assert_eq!(contents.audit(run).await.unwrap(), None, "{steps}");
        assert_eq!(contents.issue_counts(run).await.unwrap(), None);
        assert_eq!(contents.issue_rows(run, "often".to_owned(), 0, 1).await.unwrap(), None);
        assert!(!contents.scan_issues(run, |_| panic!("an unfinished audit is read")).unwrap());
        assert!(contents.inlinks_window(run, 3, None, 0, 10).await.is_err());
        assert!(contents.url_details(run, 1).await.unwrap().issues.is_empty());
        assert_eq!(count(&folder, "issues"), 0);
        let filter =
            RowFilter { issue: Some(IssueFilter { check: "often".to_owned(), numbers: None }), ..RowFilter::default() };
        let query = RowsQuery {
            run,
            filter,
            sort: RowSort::Number,
            order: Order::Ascending,
            offset: 0,
            limit: 1,
            columns: Vec::new(),
        };
        assert!(contents.rows(query).await.is_err());
    }
    filled::seal(&database, run, URLS).await;
    let (first, other) = (folder, Folder::new());
    let (clean, clean_run) = filled::run(&other, URLS).await;
    filled::seal(&clean, clean_run, URLS).await;
    for table in &DERIVED[1..] {
        assert_eq!(rows_of(&first, table), rows_of(&other, table), "{table}");
    }
}

/// Every row of a table, as text.
fn rows_of(folder: &Folder, table: &str) -> Vec<String> {
    let connection = Connection::open(folder.path()).unwrap();
    let mut select = connection.prepare(&format!("SELECT * FROM {table} ORDER BY 1, 2, 3")).unwrap();
    let columns = select.column_count();
    let row = |row: &rusqlite::Row<'_>| Ok((0..columns).map(|at| format!("{:?} ", row.get_ref(at).unwrap())).collect());
    select.query_map([], row).unwrap().map(Result::unwrap).collect()
}

/// Lists must not show columns of the audit before.
#[tokio::test]
async fn a_new_audit_replaces_the_old_one_in_lists_too() {
    let folder = Folder::new();
    let (database, run) = filled::run(&folder, 100).await;
    filled::seal(&database, run, 100).await;
    let columns: Vec<_> = row_columns().iter().copied().filter(|column| column.name == "number").collect();
    let query = |check: &str| RowsQuery {
        run,
        filter: RowFilter {
            issue: Some(IssueFilter { check: check.to_owned(), numbers: None }),
            ..RowFilter::default()
        },
        sort: RowSort::LinkScore,
        order: Order::Descending,
        offset: 0,
        limit: 5,
        columns: columns.clone(),
    };
    let before = database.contents().rows(query("seldom")).await.unwrap();
    assert_eq!(before.total, 2);
    let mut writer = database.contents().begin_audit(run).await.unwrap();
    let check = bluesnake_store::CheckResult {
        id: "seldom",
        name: String::new(),
        kind: "issue",
        priority: "low",
        not_checked: None,
        shared: Vec::new(),
    };
    writer.check(check, [(7, None), (8, None), (9, None)].into_iter()).await.unwrap();
    let figures = |number: u32| bluesnake_store::FigureRow { link_score: Some(number as f32), ..Default::default() };
    writer.figures((1..=100).map(figures)).await.unwrap();
    writer.finish(filled::audit(100)).await.unwrap();
    let after = database.contents().rows(query("seldom")).await.unwrap();
    assert_eq!(after.items, [[Cell::Integer(9)], [Cell::Integer(8)], [Cell::Integer(7)]].map(Vec::from));
}

#[tokio::test]
async fn deleting_a_run_removes_its_audit_and_only_its() {
    let folder = Folder::new();
    let (database, run) = filled::run(&folder, URLS).await;
    let (_, other) = filled::run(&folder, 50).await;
    filled::seal(&database, other, 50).await;
    let before = DERIVED.map(|table| count(&folder, table));
    filled::seal(&database, run, URLS).await;
    assert!(DERIVED.iter().zip(before).all(|(table, before)| count(&folder, table) > before));
    database.catalog().delete_run(run).await.unwrap();
    assert_eq!(DERIVED.map(|table| count(&folder, table)), before);
    // What an unfinished audit left goes as well.
    let mut writer = database.contents().begin_audit(other).await.unwrap();
    filled::put_checks(&mut writer, 50).await;
    writer.figures((1..=50).map(|number| filled::figures(number, 50))).await.unwrap();
    drop(writer);
    database.catalog().delete_run(other).await.unwrap();
    assert_eq!(DERIVED.map(|table| count(&folder, table)), [0; 7]);
}

#[tokio::test]
async fn a_sound_audit_survives_a_repair() {
    let folder = Folder::new();
    let (database, run) = filled::run(&folder, URLS).await;
    filled::seal(&database, run, URLS).await;
    let expected = database.contents().issue_counts(run).await.unwrap();
    drop(database);
    let copy = folder.path().with_file_name("repaired.db");
    assert!(repair(&folder.path(), &copy).unwrap().is_whole());
    let repaired = Database::open(&copy).unwrap();
    assert_eq!(repaired.contents().issue_counts(run).await.unwrap(), expected);
    let inlinks = repaired.contents().inlinks_window(run, 3, None, 0, 10).await.unwrap();
    assert_eq!(inlinks.total, filled::sources(3, URLS).len() as u64);
}

/// An audit of rows that are gone would be wrong.
#[tokio::test]
async fn the_audit_of_a_run_that_lost_rows_is_dropped_by_a_repair() {
    let folder = Folder::new();
    let (database, run) = filled::run(&folder, URLS).await;
    filled::seal(&database, run, URLS).await;
    drop(database);
    let connection = Connection::open(folder.path()).unwrap();
    connection.execute("DELETE FROM urls WHERE run = ?1 AND number = 7", [run]).unwrap();
    drop(connection);
    let copy = folder.path().with_file_name("repaired.db");
    assert_eq!(repair(&folder.path(), &copy).unwrap().damaged_runs, [run]);
    assert_eq!(Database::open(&copy).unwrap().contents().audit(run).await.unwrap(), None);
}
