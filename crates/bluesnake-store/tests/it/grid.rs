//! Windows, facets, histograms and the tree equal a plain filter and sort of all rows.

use std::collections::{BTreeMap, BTreeSet};

use bluesnake_engine::{Disposition, Source};
use bluesnake_store::{
    Bounds, Cell, Column, Database, Facet, FacetsQuery, HistogramOf, HistogramQuery, IssueFilter, Order, PageType,
    RowFilter, RowSort, RowsQuery, StatusFilter, row_columns,
};
use proptest::option;
use proptest::prelude::*;
use proptest::test_runner::{Config, TestRunner};
use serde_json::Value;
use tokio::runtime::Runtime;

use crate::filled;
use crate::world::Folder;

/// Enough for several words of bits, and for several parts of findings.
const URLS: u32 = 700;

/// A row with all columns, by name.
struct Model {
    row: BTreeMap<&'static str, Cell>,
}

impl Model {
    fn text(&self, name: &str) -> Option<&str> {
        match &self.row[name] {
            Cell::Text(text) => Some(text),
            Cell::Null => None,
            other => panic!("{name} is {other:?}"),
        }
    }

    fn number(&self, name: &str) -> Option<f64> {
        match &self.row[name] {
            Cell::Integer(number) => Some(*number as f64),
            Cell::Real(number) => Some(*number),
            Cell::Null => None,
            other => panic!("{name} is {other:?}"),
        }
    }

    /// A number as lists see it: whole, and not larger than they can hold.
    fn whole(&self, name: &str) -> Option<u32> {
        self.number(name).map(|number| number.floor().min(f64::from(u32::MAX - 1)) as u32)
    }

    fn is(&self, filter: &RowFilter) -> bool {
        let disposition = self.text("disposition").unwrap();
        let status = self.whole("status");
        let contains = |name: &str, part: &str| {
            self.text(name).is_some_and(|text| text.to_ascii_lowercase().contains(&part.to_ascii_lowercase()))
        };
        let between = |name: &str, bounds: Bounds| {
            let value = self.whole(name);
            bounds == Bounds::default()
                || value.is_some_and(|value| {
                    bounds.min.is_none_or(|min| value >= min) && bounds.max.is_none_or(|max| value <= max)
                })
        };
        let is_found = |issue: &IssueFilter| {
            let step = filled::CHECKS.iter().find(|(id, _)| *id == issue.check).unwrap().1;
            let found = if step == u32::MAX { Vec::new() } else { filled::findings(URLS, step) };
            found.iter().any(|(number, _)| Some(*number) == self.whole("number"))
        };
        (filter.page_type == PageType::All || self.text("type") == Some(filter.page_type.as_str()))
            && filter.disposition.is_none_or(|wanted| disposition == wanted.as_str())
            && filter.reason.as_ref().is_none_or(|wanted| self.text("reason") == Some(wanted))
            && filter.status.is_none_or(|wanted| match wanted {
                StatusFilter::Exact(wanted) => status == Some(wanted.into()),
                StatusFilter::Class(digit) => status.is_some_and(|status| status / 100 == u32::from(digit)),
            })
            && filter
                .content_type
                .as_ref()
                .is_none_or(|start| self.text("content_type").is_some_and(|media| media.starts_with(start)))
            && between("depth", filter.depth)
            && between("word_count", filter.words)
            && between("body_bytes", filter.bytes)
            && between("total_ms", filter.time_ms)
            && between("inlinks", filter.inlinks)
            && filter
                .is_indexable
                .is_none_or(|wanted| self.text("indexable") == Some(if wanted { "Yes" } else { "No" }))
            && filter.is_internal.is_none_or(|wanted| self.whole("is_internal") == Some(wanted.into()))
            && filter.is_page.is_none_or(|wanted| (self.text("reason") == Some("page")) == wanted)
            && filter.source.is_none_or(|wanted| self.text("source") == Some(wanted.as_str()))
            && filter.issue.as_ref().is_none_or(is_found)
            && filter.search.as_ref().is_none_or(|part| {
                contains("url", part) || contains("title", part) || contains("meta_description", part)
            })
            && filter.prefix.as_ref().is_none_or(|start| self.text("url").unwrap().starts_with(start))
            && filter.contains.as_ref().is_none_or(|rule| self.matches(rule).is_some_and(|count| count > 0))
            && filter.lacks.as_ref().is_none_or(|rule| self.matches(rule) == Some(0))
    }

    /// How often an extraction rule matched.
    fn matches(&self, rule: &str) -> Option<u64> {
        let found: Value = serde_json::from_str(self.text("extracted")?).unwrap();
        let values = found["columns"][rule].as_array().map(|values| values.len() as u64);
        values.or(found["contains"][rule].as_u64())
    }

    /// What it is sorted by: missing values first.
    fn key(&self, sort: RowSort) -> (Option<f64>, &str) {
        let text = |name| (None, self.text(name).unwrap_or_default());
        let number = |name| (self.whole(name).map(f64::from), "");
        match sort {
            RowSort::Number => number("number"),
            RowSort::Url => text("url"),
            RowSort::Title => text("title"),
            RowSort::Status => number("status"),
            RowSort::Depth => number("depth"),
            RowSort::ResponseTime => number("total_ms"),
            RowSort::Size => number("body_bytes"),
            RowSort::WordCount => number("word_count"),
            RowSort::Inlinks => number("inlinks"),
            RowSort::LinkScore => (self.number("link_score"), ""),
            RowSort::ContentType => text("content_type"),
        }
    }
}

/// All rows, read one by one.
async fn all_rows(database: &Database, run: i64) -> Vec<Model> {
    let columns = row_columns().to_vec();
    let rows = database.contents().rows_of(run, (1..=URLS).collect(), columns.clone()).await.unwrap();
    let names = || columns.iter().map(|column| column.name);
    rows.into_iter().map(|cells| Model { row: names().zip(cells).collect() }).collect()
}

/// The numbers of the rows that match, in order.
fn expected(rows: &[Model], filter: &RowFilter, sort: RowSort, order: Order) -> Vec<i64> {
    let mut wanted: Vec<&Model> = rows.iter().filter(|row| row.is(filter)).collect();
    wanted.sort_by(|one, other| one.key(sort).partial_cmp(&other.key(sort)).unwrap());
    if order == Order::Descending {
        wanted.reverse();
    }
    wanted.iter().map(|row| row.whole("number").unwrap().into()).collect()
}

fn number_column() -> Vec<Column> {
    row_columns().iter().copied().filter(|column| column.name == "number").collect()
}

async fn numbers(database: &Database, query: RowsQuery) -> (u64, Vec<i64>) {
    let window = database.contents().rows(query).await.unwrap();
    let number = |row: &Vec<Cell>| match row[..] {
        [Cell::Integer(number)] => number,
        ref other => panic!("{other:?}"),
    };
    (window.total, window.items.iter().map(number).collect())
}

fn bounds(highest: u32) -> impl Strategy<Value = Bounds> {
    prop_oneof![
        4 => Just(Bounds::default()),
        1 => (option::of(0..highest), option::of(0..highest)).prop_map(|(min, max)| Bounds { min, max }),
    ]
}

fn rarely<T: std::fmt::Debug + Clone>(strategy: impl Strategy<Value = T>) -> impl Strategy<Value = Option<T>> {
    option::weighted(0.15, strategy)
}

/// Any combination of filters; most are not set, so that something matches.
fn filters(has_audit: bool) -> impl Strategy<Value = RowFilter> {
    let words = |all: &'static [&'static str]| rarely(proptest::sample::select(all).prop_map(str::to_owned));
    let state = (
        rarely(proptest::sample::select(PageType::ALL)),
        rarely(proptest::sample::select(&Disposition::ALL[..])),
        words(&["page", "robots", "dns_not_found", "queued", "unknown"]),
        rarely(prop_oneof![(200..205_u16).prop_map(StatusFilter::Exact), (1..6_u8).prop_map(StatusFilter::Class)]),
        words(&["text/", "image/png", "video/"]),
        rarely(proptest::sample::select(&Source::ALL[..])),
        (rarely(any::<bool>()), rarely(any::<bool>()), rarely(any::<bool>())),
    );
    let ranges = (bounds(7), bounds(900), bounds(u32::MAX), bounds(3_000), bounds(30));
    let check = proptest::sample::select(&["often", "seldom", "never"][..]);
    let issue = rarely(check.prop_map(|check| IssueFilter { check: check.to_owned(), numbers: None }));
    let texts = (
        words(&["alpha", "BETA", "_", "%", "'", "nowhere", "ünïcode"]),
        words(&["https://a.test/docs/", "http", "https://a.test/", "x", "http://b.test/beta"]),
        words(&["price", "jquery", "late", "unknown"]),
        words(&["price", "jquery", "late", "unknown"]),
    );
    (state, ranges, issue, texts).prop_map(move |(state, ranges, issue, (search, prefix, contains, lacks))| RowFilter {
        page_type: state.0.unwrap_or_default(),
        disposition: state.1,
        reason: state.2,
        status: state.3,
        content_type: state.4,
        source: state.5,
        is_indexable: state.6.0,
        is_internal: state.6.1,
        is_page: state.6.2,
        depth: ranges.0,
        words: ranges.1,
        bytes: ranges.2,
        time_ms: ranges.3,
        inlinks: ranges.4,
        issue: issue.filter(|_| has_audit),
        search,
        prefix,
        contains,
        lacks,
    })
}

/// Compares windows with the model for many filters, sort keys, offsets and limits.
fn check_windows(is_sealed: bool) {
    let (runtime, folder) = (Runtime::new().unwrap(), Folder::new());
    let (database, run) = runtime.block_on(filled::run(&folder, URLS));
    if is_sealed {
        runtime.block_on(filled::seal(&database, run, URLS));
    }
    let rows = runtime.block_on(all_rows(&database, run));
    let orders = proptest::sample::select(Order::ALL);
    let sorts = proptest::sample::select(RowSort::ALL);
    let cases = (filters(is_sealed), sorts, orders, 0..=u64::from(URLS) + 50, 0..300_usize);
    let config = Config { cases: 400, failure_persistence: None, ..Config::default() };
    TestRunner::new_with_rng(
        config,
        proptest::test_runner::TestRng::deterministic_rng(proptest::test_runner::RngAlgorithm::ChaCha),
    )
    .run(&cases, |(filter, sort, order, offset, limit)| {
        let all = expected(&rows, &filter, sort, order);
        let query = RowsQuery { run, filter: filter.clone(), sort, order, offset, limit, columns: number_column() };
        let (total, shown) = runtime.block_on(numbers(&database, query));
        prop_assert_eq!(total, all.len() as u64);
        let wanted: Vec<i64> = all.iter().copied().skip(offset as usize).take(limit).collect();
        prop_assert_eq!(shown, wanted);
        check_counts(&runtime, &database, run, &rows, &filter)
    })
    .unwrap_or_else(|failure| panic!("{failure}"));
}

/// Compares facets and a histogram of the same list.
fn check_counts(
    runtime: &Runtime,
    database: &Database,
    run: i64,
    rows: &[Model],
    filter: &RowFilter,
) -> Result<(), TestCaseError> {
    let query = FacetsQuery { run, filter: filter.clone(), by: Facet::ALL.to_vec() };
    let counts = runtime.block_on(database.contents().facets(query)).unwrap();
    let matching: Vec<&Model> = rows.iter().filter(|row| row.is(filter)).collect();
    prop_assert_eq!(counts.total, matching.len() as u64);
    for (facet, counts) in counts.facets {
        let mut expected: BTreeMap<String, u64> = BTreeMap::new();
        for row in &matching {
            let text = |name| row.text(name).unwrap_or_default().to_owned();
            let number = |name| row.whole(name).map_or(String::new(), |number| number.to_string());
            let value = match facet {
                Facet::Disposition => text("disposition"),
                Facet::Reason => format!("{}/{}", text("disposition"), text("reason")),
                Facet::Status => number("status"),
                Facet::Type => text("type"),
                Facet::ContentType => text("content_type"),
                Facet::Depth => number("depth"),
                Facet::Indexable => text("indexable"),
                Facet::Source => text("source"),
                Facet::Internal => (row.whole("is_internal") == Some(1)).to_string(),
            };
            *expected.entry(value).or_default() += 1;
        }
        let found: BTreeMap<String, u64> = counts.iter().map(|count| (count.value.clone(), count.count)).collect();
        prop_assert_eq!(found, expected, "{}", facet);
    }
    for (of, name) in
        [(HistogramOf::Words, "word_count"), (HistogramOf::Depth, "depth"), (HistogramOf::Size, "body_bytes")]
    {
        let query = HistogramQuery { run, filter: filter.clone(), of, buckets: 12 };
        let histogram = runtime.block_on(database.contents().histogram(query)).unwrap();
        let values: Vec<u64> = matching.iter().filter_map(|row| row.whole(name)).map(u64::from).collect();
        prop_assert_eq!(histogram.missing, (matching.len() - values.len()) as u64);
        for bucket in histogram.buckets.iter() {
            let count = values.iter().filter(|value| (bucket.from..=bucket.to).contains(value)).count() as u64;
            prop_assert_eq!(bucket.count, count, "{:?}", bucket);
        }
        prop_assert_eq!(histogram.buckets.iter().map(|bucket| bucket.count).sum::<u64>(), values.len() as u64);
    }
    Ok(())
}

#[test]
fn windows_of_a_sealed_run_equal_a_plain_filter_and_sort() {
    check_windows(true);
}

#[test]
fn windows_of_a_run_that_is_not_sealed_equal_a_plain_filter_and_sort() {
    check_windows(false);
}

#[tokio::test]
async fn the_tree_counts_internal_urls_folder_by_folder() {
    for is_sealed in [false, true] {
        let folder = Folder::new();
        let (database, run) = filled::run(&folder, URLS).await;
        if is_sealed {
            filled::seal(&database, run, URLS).await;
        }
        let rows = all_rows(&database, run).await;
        let mut open = vec![String::new()];
        let mut seen = BTreeSet::new();
        while let Some(path) = open.pop() {
            let children = database.contents().folders(run, path.clone()).await.unwrap();
            assert_eq!(children.total, children.items.len() as u64);
            assert!(children.items.is_sorted_by_key(|folder| folder.name.clone()));
            for child in children.items {
                assert_eq!(child.path, format!("{path}{}", child.name));
                let is_in = |row: &&Model| {
                    row.whole("is_internal") == Some(1)
                        && row.text("url").unwrap().split('?').next().unwrap().starts_with(&child.path)
                };
                let inside: Vec<&Model> = rows.iter().filter(is_in).collect();
                let indexable = inside.iter().filter(|row| row.text("indexable") == Some("Yes")).count();
                let is_error = |row: &&&Model| {
                    row.text("disposition") == Some("failed") || row.whole("status").is_some_and(|status| status >= 400)
                };
                let errors = inside.iter().filter(is_error).count();
                let found = (child.urls, child.indexable, child.errors);
                assert_eq!(found, (inside.len() as u64, indexable as u64, errors as u64), "{}", child.path);
                assert!(seen.insert(child.path.clone()));
                if child.folders > 0 {
                    open.push(child.path);
                }
            }
        }
        let expected: BTreeSet<String> = rows
            .iter()
            .filter(|row| row.whole("is_internal") == Some(1))
            .flat_map(|row| {
                let path = row.text("url").unwrap().split('?').next().unwrap();
                let slashes = path.char_indices().filter(|(at, char)| *char == '/' && *at > "https://".len());
                slashes.map(|(at, _)| path[..=at].to_owned()).collect::<Vec<_>>()
            })
            .collect();
        assert_eq!(seen, expected);
    }
}

#[tokio::test]
async fn lists_of_a_run_in_progress_follow_its_visits() {
    let folder = Folder::new();
    let (database, run) = filled::run(&folder, 50).await;
    let pending = RowFilter { disposition: Some(Disposition::Pending), ..RowFilter::default() };
    let query = RowsQuery {
        run,
        filter: pending,
        sort: RowSort::Url,
        order: Order::Ascending,
        offset: 0,
        limit: 100,
        columns: number_column(),
    };
    let (before, _) = numbers(&database, query.clone()).await;
    assert!(before > 0);
    // As a session does: visits and its counters change together.
    let connection = rusqlite::Connection::open(folder.path()).unwrap();
    connection
        .execute_batch(
            "BEGIN; UPDATE urls SET disposition = 'failed', reason = 'dns_not_found' WHERE disposition = 'pending';
             UPDATE sessions SET visits = visits + 1; COMMIT",
        )
        .unwrap();
    assert_eq!(numbers(&database, query).await, (0, Vec::new()));
}
