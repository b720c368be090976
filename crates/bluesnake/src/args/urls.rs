//! The flags of `urls`: the filters of rows over REST, by the same names.

use std::path::PathBuf;

use bluesnake_app::{Disposition, Order, PageType, RowSort, RowsQuery, Source, StatusFilter};
use clap::Args;
use clap::builder::{PossibleValue, TypedValueParser};

use super::{Shown, one_of};

const EXAMPLES: &str = "\
Examples:
  bluesnake urls example.com --status 4xx --sort inlinks --desc
  bluesnake urls 3 --page --indexable=false --columns url,indexableReason
  bluesnake urls 3 --prefix https://example.com/blog/ --max-words 200
  bluesnake urls 3 --issue title-missing -o untitled.xlsx
  bluesnake urls 3 --lacks analytics --all              pages without the text of the rule extract.contains.analytics
  bluesnake urls 3 --status 5xx --columns url | bluesnake crawl --urls -     check these URLs again

Filters combine. A terminal shows the first 50 URLs; pipes, --json and -o get all of them.
One column alone is printed without a heading.
In CSV, text that a spreadsheet would run as a formula gets a leading apostrophe; --raw leaves it unchanged.";

#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct UrlsArguments {
    /// Run number, a site for its newest run, or `latest`.
    #[arg(value_name = "RUN")]
    pub(crate) run: String,
    #[command(flatten)]
    filters: Filters,

    /// Sort by this; missing values come first.
    #[arg(long, value_name = "KEY", value_parser = sorts(), default_value = "number", help_heading = "Output")]
    sort: RowSort,
    /// Reverse the order.
    #[arg(long, help_heading = "Output")]
    desc: bool,
    /// List at most N URLs; 0 = all [default: 50 on a terminal].
    #[arg(long, value_name = "N", help_heading = "Output", conflicts_with = "output")]
    limit: Option<u64>,
    /// List all of them.
    #[arg(long, help_heading = "Output", conflicts_with_all = ["limit", "output"])]
    all: bool,
    /// Only these columns, in this order.
    #[arg(long, value_name = "NAMES", help_heading = "Output")]
    pub(crate) columns: Option<String>,
    /// Write all of them to this file, as CSV, JSON lines, Parquet or Excel by its extension; `-` is CSV on standard
    /// output.
    #[arg(short, long, value_name = "FILE", help_heading = "Output", conflicts_with = "json")]
    pub(crate) output: Option<PathBuf>,
    /// Overwrite an existing file.
    #[arg(long, help_heading = "Output", requires = "output")]
    pub(crate) replace: bool,
    /// Do not escape spreadsheet formulas in CSV.
    #[arg(long, help_heading = "Output", requires = "output")]
    pub(crate) raw: bool,
    /// Add columns with fetch time, duration and session to the file.
    #[arg(long, help_heading = "Output", requires = "output")]
    pub(crate) times: bool,
    #[command(flatten)]
    pub(crate) shown: Shown,
}

#[derive(Debug, Args)]
#[command(next_help_heading = "Filters")]
struct Filters {
    /// Only responses of this type.
    #[arg(long = "type", value_name = "TYPE", value_parser = types())]
    page_type: Option<PageType>,
    /// Only URLs that ended up here.
    #[arg(long, value_name = "WORD", value_parser = dispositions())]
    disposition: Option<Disposition>,
    /// Only URLs that ended up there for this reason: headers_timeout, or failed/headers_timeout.
    #[arg(long, value_name = "REASON")]
    reason: Option<String>,
    /// Only this status, or class of them: 404 or 4xx.
    #[arg(long, value_name = "STATUS", value_parser = status)]
    status: Option<StatusFilter>,
    /// Only media types that begin like this.
    #[arg(long, value_name = "TYPE")]
    content_type: Option<String>,
    /// Only indexable pages; --indexable=false: only pages that are not.
    #[arg(long, value_name = "BOOL", num_args = 0..=1, require_equals = true, default_missing_value = "true")]
    indexable: Option<bool>,
    /// Only URLs of the site; --internal=false: only others.
    #[arg(long, value_name = "BOOL", num_args = 0..=1, require_equals = true, default_missing_value = "true")]
    internal: Option<bool>,
    /// Only URLs that were read as HTML pages; --page=false: only others.
    #[arg(long, value_name = "BOOL", num_args = 0..=1, require_equals = true, default_missing_value = "true")]
    page: Option<bool>,
    /// Only URLs that were first found like this.
    #[arg(long, value_name = "HOW", value_parser = sources())]
    source: Option<Source>,
    /// Only URLs that are N links from a seed.
    #[arg(long, value_name = "N")]
    depth: Option<u32>,
    /// At least N links from a seed.
    #[arg(long, value_name = "N")]
    min_depth: Option<u32>,
    /// At most N links from a seed.
    #[arg(long, value_name = "N")]
    max_depth: Option<u32>,
    /// At least N words.
    #[arg(long, value_name = "N")]
    min_words: Option<u32>,
    /// At most N words.
    #[arg(long, value_name = "N")]
    max_words: Option<u32>,
    /// At least N bytes, decoded.
    #[arg(long, value_name = "BYTES")]
    min_size: Option<u32>,
    /// At most N bytes, decoded.
    #[arg(long, value_name = "BYTES")]
    max_size: Option<u32>,
    /// Response time of at least N milliseconds.
    #[arg(long, value_name = "MS")]
    min_time: Option<u32>,
    /// Response time of at most N milliseconds.
    #[arg(long, value_name = "MS")]
    max_time: Option<u32>,
    /// At least N links to it.
    #[arg(long, value_name = "N")]
    min_inlinks: Option<u32>,
    /// At most N links to it.
    #[arg(long, value_name = "N")]
    max_inlinks: Option<u32>,
    /// Only URLs on which this check found something.
    #[arg(long, value_name = "ID")]
    issue: Option<String>,
    /// Text in the URL, title or description.
    #[arg(long, value_name = "TEXT")]
    search: Option<String>,
    /// Start of the URL, for example a folder.
    #[arg(long, value_name = "URL")]
    prefix: Option<String>,
    /// Only pages on which this extraction rule found something.
    #[arg(long, value_name = "RULE")]
    contains: Option<String>,
    /// Only pages on which this extraction rule found nothing.
    #[arg(long, value_name = "RULE")]
    lacks: Option<String>,
}

impl UrlsArguments {
    /// The query, from its first row.
    pub(crate) fn query(&self) -> RowsQuery {
        let Filters { page_type, disposition, status, indexable, internal, page, source, .. } = self.filters;
        let Filters { depth, min_depth, max_depth, min_words, max_words, min_size, max_size, .. } = self.filters;
        let Filters { min_time, max_time, min_inlinks, max_inlinks, .. } = self.filters;
        RowsQuery {
            page_type: page_type.unwrap_or_default(),
            disposition,
            reason: self.filters.reason.clone(),
            status,
            content_type: self.filters.content_type.clone(),
            indexable,
            internal,
            page,
            source,
            depth,
            min_depth,
            max_depth,
            min_words,
            max_words,
            min_size,
            max_size,
            min_time,
            max_time,
            min_inlinks,
            max_inlinks,
            issue: self.filters.issue.clone(),
            search: self.filters.search.clone(),
            prefix: self.filters.prefix.clone(),
            contains: self.filters.contains.clone(),
            lacks: self.filters.lacks.clone(),
            sort: self.sort,
            order: if self.desc { Order::Descending } else { Order::Ascending },
            columns: self.columns.clone(),
            ..RowsQuery::default()
        }
    }

    /// The check that it names.
    pub(crate) fn issue(&self) -> Option<&str> {
        self.filters.issue.as_deref()
    }

    /// How many URLs to list; `None` = all.
    pub(crate) fn limit(&self, default: Option<u64>) -> Option<u64> {
        match self.limit {
            _ if self.all => None,
            Some(limit) => Some(limit).filter(|limit| *limit > 0),
            None => default,
        }
    }
}

fn status(text: &str) -> Result<StatusFilter, String> {
    text.parse().map_err(|_| "give a status like 404, or a class of them like 4xx".to_owned())
}

fn types() -> impl TypedValueParser<Value = PageType> {
    one_of(PageType::ALL.iter().map(|word| (*word, PossibleValue::new(word.as_str()))))
}

fn dispositions() -> impl TypedValueParser<Value = Disposition> {
    one_of(Disposition::ALL.map(|word| (word, PossibleValue::new(word.as_str()))))
}

fn sources() -> impl TypedValueParser<Value = Source> {
    one_of(Source::ALL.map(|word| (word, PossibleValue::new(word.as_str()))))
}

fn sorts() -> impl TypedValueParser<Value = RowSort> {
    one_of(RowSort::ALL.iter().map(|word| (*word, PossibleValue::new(word.as_str()))))
}
