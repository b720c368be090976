//! What a report shows, read through the same queries as every other front end.

use bluesnake_engine::{Disposition, Receipt};
use bluesnake_store::state::RunKind;
use bluesnake_store::{CutUrl, Order, RowSort};

use super::web::{Link, Web};
use crate::app::App;
use crate::compare::{ChangeView, Class, CompareQuery, ComparisonView};
use crate::error::AppError;
use crate::results::{FacetsQuery, RowView, RowsQuery, Span, WindowLimit};
use crate::settings::{Groups, default_settings};
use crate::view::{CheckView, IssuesView, RunView, site_root};

/// How many rows the tables of slow and large pages have.
const TOP: usize = 10;
/// How many URLs that limits cut are listed.
const CUT: usize = 20;
/// Response times that separate the bars of their chart, in milliseconds.
pub(super) const TIMES: [u32; 7] = [50, 100, 200, 500, 1_000, 2_000, 5_000];

/// Everything a report shows.
#[derive(Debug)]
pub(super) struct Data {
    /// The origin of the site, which its URLs are shown without.
    pub(super) origin: String,
    pub(super) run: RunView,
    pub(super) receipt: Receipt,
    /// URLs by the first digit of their status; 0 for those without a response although they were requested.
    pub(super) statuses: [u64; 6],
    /// Pages by their distance from a seed; `None` for those that no link leads to.
    pub(super) depths: Vec<(Option<u32>, u64)>,
    /// Pages by response time: up to each of [`TIMES`], then the rest.
    pub(super) times: Vec<u64>,
    pub(super) median_ms: Option<f64>,
    pub(super) indexable: u64,
    pub(super) issues: Option<Issues>,
    pub(super) slowest: Vec<(Link, f64)>,
    pub(super) largest: Vec<(Link, u64)>,
    pub(super) cut: (Vec<(Link, Web)>, u64),
    /// Settings that are not the default, with their values as JSON.
    pub(super) settings: Vec<(String, Web)>,
    pub(super) comparison: Option<Comparison>,
}

/// What the audit found.
#[derive(Debug)]
pub(super) struct Issues {
    pub(super) view: IssuesView,
    /// The first URLs of each check with findings, by its place in the view.
    pub(super) found: Vec<Vec<(Link, Option<Web>)>>,
}

impl Issues {
    /// The checks with findings, and their first URLs.
    pub(super) fn findings(&self) -> impl Iterator<Item = (&CheckView, &[(Link, Option<Web>)])> {
        self.view
            .checks
            .iter()
            .zip(&self.found)
            .filter(|(check, _)| check.urls > 0)
            .map(|(check, urls)| (check, &**urls))
    }
}

/// What changed since another run.
#[derive(Debug)]
pub(super) struct Comparison {
    pub(super) view: ComparisonView,
    /// The first rows of the classes that a report lists.
    pub(super) rows: Vec<(Class, Vec<ChangeView>)>,
    pub(super) origin: String,
}

impl Data {
    /// Reads a run, with at most `listed` URLs of each check and each class.
    pub(super) async fn read(app: &App, view: &RunView, against: Option<i64>, listed: usize) -> Result<Self, AppError> {
        let run = view.id;
        let origin = site_root(&view.seeds).trim_end_matches('/').to_owned();
        let reader = Reader { app, run, origin: origin.clone(), listed };
        let pages = reader.total(FacetsQuery { page: Some(true), ..FacetsQuery::default() }).await?;
        Ok(Self {
            receipt: app.receipt(run).await?,
            statuses: reader.statuses().await?,
            depths: reader.depths().await?,
            times: reader.times().await?,
            median_ms: reader.median(pages).await?,
            indexable: reader.total(FacetsQuery { indexable: Some(true), ..FacetsQuery::default() }).await?,
            issues: if view.kind == RunKind::Crawl.as_str() { Some(reader.issues().await?) } else { None },
            slowest: reader.slowest().await?,
            largest: reader.largest().await?,
            cut: reader.cut().await?,
            settings: changed_settings(view),
            comparison: match against {
                Some(against) => Some(reader.comparison(against).await?),
                None => None,
            },
            run: view.clone(),
            origin,
        })
    }

    /// Where URLs ended up, with counts; without classes that have none.
    pub(super) fn classes(&self) -> impl Iterator<Item = (Disposition, u64)> {
        let counts = Disposition::ALL.into_iter().map(|disposition| (disposition, self.receipt.count(disposition)));
        counts.filter(|(_, count)| *count > 0)
    }
}

/// Reads the parts of a report.
struct Reader<'a> {
    app: &'a App,
    run: i64,
    origin: String,
    listed: usize,
}

impl Reader<'_> {
    /// How many URLs match. Counting keeps no order, so other lists stay in memory.
    async fn total(&self, query: FacetsQuery) -> Result<u64, AppError> {
        Ok(self.app.facets(self.run, FacetsQuery { by: Some("internal".to_owned()), ..query }).await?.total)
    }

    async fn rows(&self, query: RowsQuery, column: &str, limit: usize) -> Result<Vec<RowView>, AppError> {
        let (limit, columns) = (WindowLimit::new(limit)?, Some(column.to_owned()));
        Ok(self.app.rows(self.run, RowsQuery { limit, columns, order: Order::Descending, ..query }).await?.items)
    }

    async fn statuses(&self) -> Result<[u64; 6], AppError> {
        let mut statuses = [0; 6];
        for (value, count) in self.facet(FacetsQuery::default(), "status").await? {
            let digit = value.as_deref().and_then(|status| status.get(..1)).and_then(|digit| digit.parse().ok());
            if let Some(counted) = digit.and_then(|digit: usize| statuses.get_mut(digit)) {
                *counted += count;
            }
        }
        statuses[0] = self.app.receipt(self.run).await?.count(Disposition::Failed);
        Ok(statuses)
    }

    async fn depths(&self) -> Result<Vec<(Option<u32>, u64)>, AppError> {
        let pages = FacetsQuery { page: Some(true), internal: Some(true), ..FacetsQuery::default() };
        let values = self.facet(pages, "depth").await?.into_iter();
        let mut depths: Vec<_> =
            values.map(|(value, count)| (value.and_then(|depth| depth.parse().ok()), count)).collect();
        depths.sort_unstable_by_key(|(depth, _)| (depth.is_none(), *depth));
        Ok(depths)
    }

    async fn facet(&self, query: FacetsQuery, name: &str) -> Result<Vec<(Option<String>, u64)>, AppError> {
        let found = self.app.facets(self.run, FacetsQuery { by: Some(name.to_owned()), ..query }).await?;
        let values = found.facets.into_iter().flat_map(|facet| facet.values);
        Ok(values.map(|value| (value.value, value.count)).collect())
    }

    async fn times(&self) -> Result<Vec<u64>, AppError> {
        let mut times = Vec::with_capacity(TIMES.len() + 1);
        let mut from = 0;
        for until in TIMES.map(Some).into_iter().chain([None]) {
            let max_time = until.map(|until| until - 1);
            let query = FacetsQuery { page: Some(true), min_time: Some(from), max_time, ..FacetsQuery::default() };
            times.push(self.total(query).await?);
            from = until.unwrap_or(from);
        }
        Ok(times)
    }

    /// The response time of the page in the middle.
    async fn median(&self, pages: u64) -> Result<Option<f64>, AppError> {
        let query =
            RowsQuery { page: Some(true), sort: RowSort::ResponseTime, offset: pages / 2, ..RowsQuery::default() };
        let rows = self.rows(query, "responseTime", 1).await?;
        Ok(rows.first().and_then(|row| row.value("responseTime").as_f64()))
    }

    async fn slowest(&self) -> Result<Vec<(Link, f64)>, AppError> {
        let query = RowsQuery { page: Some(true), sort: RowSort::ResponseTime, ..RowsQuery::default() };
        let rows = self.rows(query, "responseTime", TOP).await?;
        Ok(rows.iter().filter_map(|row| Some((self.link(row), row.value("responseTime").as_f64()?))).collect())
    }

    async fn largest(&self) -> Result<Vec<(Link, u64)>, AppError> {
        let query = RowsQuery { internal: Some(true), sort: RowSort::Size, ..RowsQuery::default() };
        let rows = self.rows(query, "size", TOP).await?;
        Ok(rows.iter().filter_map(|row| Some((self.link(row), row.value("size").as_u64()?))).collect())
    }

    fn link(&self, row: &RowView) -> Link {
        Link::new(row.value("url").as_str().unwrap_or_default(), &self.origin)
    }

    async fn cut(&self) -> Result<(Vec<(Link, Web)>, u64), AppError> {
        let (urls, count) = self.app.contents().cut(self.run, CUT).await?;
        let row = |url: &CutUrl| (Link::new(&url.url, &self.origin), Web::new(&cut_text(url)));
        Ok((urls.iter().map(row).collect(), count.unsigned_abs()))
    }

    async fn issues(&self) -> Result<Issues, AppError> {
        let view = self.app.issues(self.run).await?;
        let mut found = Vec::with_capacity(view.checks.len());
        for check in &view.checks {
            let mut urls = Vec::new();
            if check.urls > 0 && self.listed > 0 {
                let span = Span { offset: 0, limit: WindowLimit::new(self.listed)? };
                let rows = self.app.issue_rows(self.run, check.id, span).await?.items;
                let url = |url: &str| Link::new(url, &self.origin);
                urls.extend(rows.iter().map(|row| (url(&row.url), row.detail.as_deref().map(Web::new))));
            }
            found.push(urls);
        }
        Ok(Issues { view, found })
    }

    async fn comparison(&self, against: i64) -> Result<Comparison, AppError> {
        let view = self.app.compare(against, self.run).await?;
        let mut rows = Vec::new();
        for class in [Class::Changed, Class::Appeared, Class::Gone, Class::NotVisited] {
            let mut items = Vec::new();
            if self.listed > 0 {
                let limit = WindowLimit::new(self.listed)?;
                let query = CompareQuery { class: Some(class), limit, ..CompareQuery::default() };
                items = self.app.compare_rows(against, self.run, query).await?.items;
            }
            rows.push((class, items));
        }
        Ok(Comparison { view, rows, origin: self.origin.clone() })
    }
}

/// What a limit cut, as a sentence.
fn cut_text(url: &CutUrl) -> String {
    let links = match url.links_cut {
        0 => None,
        1 => Some("1 link over the limit per page".to_owned()),
        links => Some(format!("{links} links over the limit per page")),
    };
    let body = url.cut.as_deref().map(|why| format!("body cut: {}", why.replace('_', " ")));
    links.into_iter().chain(body).chain(url.note.clone()).collect::<Vec<_>>().join("; ")
}

/// The settings of a run that are not the default.
fn changed_settings(run: &RunView) -> Vec<(String, Web)> {
    let Some(kind) = RunKind::from_word(run.kind) else { return Vec::new() };
    let defaults: Groups = default_settings(kind);
    let mut changed = Vec::new();
    for (group, fields) in defaults.iter().filter_map(|(group, fields)| Some((group, fields.as_object()?))) {
        for (field, default) in fields {
            let name = format!("{group}.{field}");
            match run.plan.get(group).and_then(|group| group.get(field)) {
                Some(value) if value != default && !crate::frozen::is_local(&name) => {
                    changed.push((name, Web::new(&value.to_string())));
                }
                _ => {}
            }
        }
    }
    changed
}
