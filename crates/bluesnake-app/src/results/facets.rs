//! How many URLs of a run have which value: facets and histograms, with the filters of the grid.

use bluesnake_store::{Bucket, Facet, FacetCount, FolderRow, HistogramOf, Table};
use serde::Serialize;
use utoipa::ToSchema;

use super::filter::query_of_urls;
use super::words::{self, Histograms};
use crate::app::App;
use crate::error::AppError;
use crate::spelling::nearest;

/// Buckets of a histogram, unless requested otherwise.
const BUCKETS: usize = 20;
/// The most.
const MOST_BUCKETS: usize = 200;

query_of_urls! {
    /// What to count, of which URLs.
    pub struct FacetsQuery {
        /// Facets, separated by commas: disposition, reason, status, type, contentType, depth, indexable, source,
        /// internal. Default: all of them.
        pub by: Option<String>,
    }
}

query_of_urls! {
    /// Which histogram, of which URLs.
    pub struct HistogramQuery {
        /// responseTime, size, depth, words or inlinks.
        #[serde(deserialize_with = "words::histogram_of")]
        #[param(value_type = Histograms, inline, required = true)]
        pub of: Option<HistogramOf>,
        /// Maximum number of buckets.
        #[param(minimum = 2, maximum = 200, default = 20)]
        pub buckets: Option<usize>,
    }
}

/// How many URLs have which value.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct FacetsView {
    /// How many URLs of the run are known.
    pub version: u64,
    /// How many of them match the filter.
    pub total: u64,
    /// The facets, in the requested order.
    pub facets: Vec<FacetView>,
}

/// The values of a facet.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct FacetView {
    /// Its name, also that of a filter.
    #[schema(value_type = String)]
    pub name: &'static str,
    /// Its values: most frequent first, those of depth and status in their own order.
    pub values: Vec<FacetValue>,
}

/// How many URLs have a value.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct FacetValue {
    /// The value, as the filter takes it; none for URLs without one.
    pub value: Option<String>,
    /// How many.
    pub count: u64,
}

/// A histogram.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct HistogramView {
    /// How many URLs of the run are known.
    pub version: u64,
    /// What it shows.
    #[schema(value_type = String)]
    pub of: &'static str,
    /// URLs that match the filter and have no value.
    pub missing: u64,
    /// Adjacent buckets, ascending.
    pub buckets: Vec<BucketView>,
}

/// A bar of a histogram.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct BucketView {
    /// The lowest value in it.
    pub from: u64,
    /// The highest value in it.
    pub to: u64,
    /// How many URLs.
    pub count: u64,
}

/// The folders directly in a folder of a site.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct TreeView {
    /// How many URLs of the run are known.
    pub version: u64,
    /// The folder; empty for the hosts of the site.
    pub prefix: String,
    /// How many folders are in it.
    pub total: u64,
    /// The first 1,000 of them, ordered by name.
    pub folders: Vec<FolderView>,
}

/// A folder of a site with everything below it. Only internal URLs count.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct FolderView {
    /// The start of its URLs: a `prefix` of the tree and of rows.
    pub path: String,
    /// The last part of the path, with its slash; for a host the whole path.
    pub name: String,
    /// URLs in it.
    pub urls: u64,
    /// Indexable pages among them.
    pub indexable: u64,
    /// Failed URLs, and those with an error status.
    pub errors: u64,
    /// Folders directly in it.
    pub folders: u64,
}

impl App {
    /// How many URLs of a run have which value.
    pub async fn facets(&self, run: i64, query: FacetsQuery) -> Result<FacetsView, AppError> {
        self.has_table(run, Table::Urls).await?;
        let by = named(query.by.as_deref())?;
        let filter = self.usable(run, query.filter()?).await?;
        let found = self.contents().facets(bluesnake_store::FacetsQuery { run, filter, by }).await?;
        let facets = found.facets.into_iter().map(|(facet, counts)| FacetView {
            name: facet.as_str(),
            values: counts.into_iter().map(|count| facet_value(facet, count)).collect(),
        });
        Ok(FacetsView { version: found.version, total: found.total, facets: facets.collect() })
    }

    /// A histogram of the URLs of a run.
    pub async fn histogram(&self, run: i64, query: HistogramQuery) -> Result<HistogramView, AppError> {
        self.has_table(run, Table::Urls).await?;
        let of = query.of.ok_or_else(|| AppError::Rejected {
            message: "`of` is missing".to_owned(),
            hint: format!("it is one of {}", words_of(HistogramOf::ALL, HistogramOf::as_str)),
        })?;
        let buckets = query.buckets.unwrap_or(BUCKETS);
        if !(2..=MOST_BUCKETS).contains(&buckets) {
            return Err(AppError::Rejected {
                message: format!("`buckets` must be 2 to {MOST_BUCKETS}, got {buckets}"),
                hint: format!("the default is {BUCKETS}"),
            });
        }
        let filter = self.usable(run, query.filter()?).await?;
        let found = self.contents().histogram(bluesnake_store::HistogramQuery { run, filter, of, buckets }).await?;
        let buckets = found.buckets.into_iter().map(|Bucket { from, to, count }| BucketView { from, to, count });
        let (version, missing) = (found.version, found.missing);
        Ok(HistogramView { version, of: of.as_str(), missing, buckets: buckets.collect() })
    }

    /// The folders directly in a folder of a run's site; its hosts for an empty prefix.
    pub async fn tree(&self, run: i64, prefix: String) -> Result<TreeView, AppError> {
        self.has_table(run, Table::Urls).await?;
        let found = self.contents().folders(run, prefix.clone()).await?;
        let folders = found.items.into_iter().map(|row| {
            let FolderRow { path, name, urls, indexable, errors, folders } = row;
            FolderView { path, name, urls, indexable, errors, folders }
        });
        Ok(TreeView { version: found.version, prefix, total: found.total, folders: folders.collect() })
    }
}

/// The facets of a list with commas; all of them without a list.
fn named(by: Option<&str>) -> Result<Vec<Facet>, AppError> {
    let names: Vec<&str> = by.unwrap_or_default().split(',').map(str::trim).filter(|name| !name.is_empty()).collect();
    if names.is_empty() {
        return Ok(Facet::ALL.to_vec());
    }
    let mut facets = Vec::new();
    for name in names {
        let facet = Facet::from_word(name).ok_or_else(|| AppError::Rejected {
            message: format!("no facet `{name}`"),
            hint: match nearest(name, Facet::ALL.iter().map(|facet| facet.as_str())) {
                Some(meant) => format!("did you mean `{meant}`?"),
                None => format!("there are {}", words_of(Facet::ALL, Facet::as_str)),
            },
        })?;
        if !facets.contains(&facet) {
            facets.push(facet);
        }
    }
    Ok(facets)
}

fn words_of<T: Copy>(all: &[T], as_str: fn(T) -> &'static str) -> String {
    all.iter().map(|one| as_str(*one)).collect::<Vec<_>>().join(", ")
}

/// A count whose value is what the filter of the same name takes.
fn facet_value(facet: Facet, found: FacetCount) -> FacetValue {
    let FacetCount { value, count } = found;
    let value = match (facet, value.as_str()) {
        (_, "") | (Facet::Indexable, "-") => None,
        (Facet::Indexable, "Yes") => Some("true".to_owned()),
        (Facet::Indexable, "No") => Some("false".to_owned()),
        _ => Some(value),
    };
    FacetValue { value, count }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn facets_are_named_in_any_order_and_once() {
        assert_eq!(named(Some("status, depth,status")).unwrap(), [Facet::Status, Facet::Depth]);
        assert_eq!(named(None).unwrap(), Facet::ALL);
        assert_eq!(named(Some("statuss")).unwrap_err().hint().unwrap(), "did you mean `status`?");
        assert!(named(Some("1; DROP TABLE urls")).is_err());
    }

    #[test]
    fn a_value_of_a_facet_is_a_value_of_its_filter() {
        let check = |facet, value: &str, expected: Option<&str>| {
            let found = facet_value(facet, FacetCount { value: value.to_owned(), count: 1 });
            assert_eq!(found.value.as_deref(), expected);
        };
        check(Facet::Indexable, "Yes", Some("true"));
        check(Facet::Indexable, "No", Some("false"));
        check(Facet::Indexable, "-", None);
        check(Facet::Status, "404", Some("404"));
        check(Facet::Status, "", None);
    }
}
