//! The filters that rows, facets and histograms have in common.

use bluesnake_engine::{Disposition, Reason};
use bluesnake_store::{Bounds, IssueFilter, RowFilter};

use crate::app::App;
use crate::error::AppError;
use crate::export::Rules;
use crate::spelling::nearest;

/// Declares a query over the URLs of a run: what it filters by, then its own fields. A macro, because numbers in a query
/// string cannot be read through a flattened struct.
macro_rules! query_of_urls {
    ($(#[$meta:meta])* pub struct $name:ident { $( $(#[$meta_of_field:meta])* pub $field:ident: $type:ty, )* }) => {
        $(#[$meta])*
        #[derive(Clone, Debug, Default, serde::Deserialize, utoipa::IntoParams)]
        #[serde(rename_all = "camelCase", default, deny_unknown_fields)]
        #[into_params(parameter_in = Query)]
        pub struct $name {
            /// all, html, css, javascript, images, fonts or others.
            #[serde(rename = "type", deserialize_with = "crate::results::words::page_type")]
            #[param(value_type = Option<crate::results::PageTypes>, inline)]
            pub page_type: bluesnake_store::PageType,
            /// fetched, redirected, failed, refused, recorded, skipped or pending.
            #[serde(deserialize_with = "crate::results::words::disposition")]
            #[param(value_type = Option<crate::results::words::Dispositions>, inline)]
            pub disposition: Option<bluesnake_engine::Disposition>,
            /// Why it ended up there: `headers_timeout`, or `failed/headers_timeout` as in facets.
            pub reason: Option<String>,
            /// Status (`404`) or class (`4xx`).
            #[serde(deserialize_with = "crate::results::words::status")]
            #[param(value_type = Option<String>, pattern = "^[1-9]([0-9]{2}|xx)$")]
            pub status: Option<bluesnake_store::StatusFilter>,
            /// Prefix of the media type.
            pub content_type: Option<String>,
            /// true: indexable pages; false: non-indexable pages. Other URLs match neither.
            pub indexable: Option<bool>,
            /// Whether it belongs to the site.
            pub internal: Option<bool>,
            /// Whether it was read as an HTML page.
            pub page: Option<bool>,
            /// How it was first found.
            #[serde(deserialize_with = "crate::results::words::source")]
            #[param(value_type = Option<crate::results::words::Sources>, inline)]
            pub source: Option<bluesnake_engine::Source>,
            /// Distance from a seed in links.
            pub depth: Option<u32>,
            /// Minimum depth.
            pub min_depth: Option<u32>,
            /// Maximum depth.
            pub max_depth: Option<u32>,
            /// Minimum number of words.
            pub min_words: Option<u32>,
            /// Maximum number of words.
            pub max_words: Option<u32>,
            /// Minimum size in bytes, decoded.
            pub min_size: Option<u32>,
            /// Maximum size in bytes, decoded.
            pub max_size: Option<u32>,
            /// Minimum response time in milliseconds.
            pub min_time: Option<u32>,
            /// Maximum response time in milliseconds.
            pub max_time: Option<u32>,
            /// Minimum number of links to it.
            pub min_inlinks: Option<u32>,
            /// Maximum number of links to it.
            pub max_inlinks: Option<u32>,
            /// Only URLs on which this check found something, by its id.
            pub issue: Option<String>,
            /// Text in the URL, title or description.
            #[param(max_length = 1000)]
            pub search: Option<String>,
            /// Start of the URL, for example the path of a folder of the tree.
            #[param(max_length = 4096)]
            pub prefix: Option<String>,
            /// Only pages on which the extraction rule of this name found something.
            #[param(max_length = 2000)]
            pub contains: Option<String>,
            /// Only pages on which the extraction rule of this name found nothing.
            #[param(max_length = 2000)]
            pub lacks: Option<String>,
            $( $(#[$meta_of_field])* pub $field: $type, )*
        }

        impl $name {
            /// The filter, without the numbers that `issue` needs if the audit is not stored.
            pub(crate) fn filter(&self) -> Result<bluesnake_store::RowFilter, crate::error::AppError> {
                let (disposition, reason) = $crate::results::filter::reason(self.disposition, self.reason.as_deref())?;
                let between = $crate::results::filter::between;
                Ok(bluesnake_store::RowFilter {
                    page_type: self.page_type,
                    disposition,
                    reason,
                    status: self.status,
                    content_type: $crate::results::filter::text("contentType", self.content_type.as_ref(), 100)?,
                    depth: $crate::results::filter::both(
                        between(self.depth, self.depth),
                        between(self.min_depth, self.max_depth),
                    ),
                    words: between(self.min_words, self.max_words),
                    bytes: between(self.min_size, self.max_size),
                    time_ms: between(self.min_time, self.max_time),
                    inlinks: between(self.min_inlinks, self.max_inlinks),
                    is_indexable: self.indexable,
                    is_internal: self.internal,
                    is_page: self.page,
                    source: self.source,
                    issue: $crate::results::filter::issue(self.issue.as_deref())?,
                    search: $crate::results::filter::text("search", self.search.as_ref(), 1_000)?,
                    prefix: $crate::results::filter::text("prefix", self.prefix.as_ref(), 4_096)?,
                    contains: $crate::results::filter::text("contains", self.contains.as_ref(), 2_000)?,
                    lacks: $crate::results::filter::text("lacks", self.lacks.as_ref(), 2_000)?,
                })
            }
        }
    };
}

pub(super) use query_of_urls;

/// A range with both ends included.
pub(super) fn between(min: Option<u32>, max: Option<u32>) -> Bounds {
    Bounds { min, max }
}

/// What is in two ranges.
pub(super) fn both(one: Bounds, other: Bounds) -> Bounds {
    Bounds { min: one.min.max(other.min), max: one.max.into_iter().chain(other.max).min() }
}

/// A text to look for; empty means unset.
pub(crate) fn text(name: &str, text: Option<&String>, longest: usize) -> Result<Option<String>, AppError> {
    let Some(text) = text.filter(|text| !text.is_empty()) else { return Ok(None) };
    if text.len() > longest {
        return Err(AppError::Rejected {
            message: format!("`{name}` is longer than {longest} bytes"),
            hint: "use a shorter text".to_owned(),
        });
    }
    Ok(Some(text.clone()))
}

/// A reason with its disposition: `headers_timeout` or `failed/headers_timeout`; empty means unset.
pub(super) fn reason(
    disposition: Option<Disposition>,
    reason: Option<&str>,
) -> Result<(Option<Disposition>, Option<String>), AppError> {
    let Some(text) = reason.filter(|text| !text.is_empty()) else { return Ok((disposition, None)) };
    let (of, word) = match text.split_once('/') {
        Some((of, word)) => (Some(of), word),
        None => (None, text),
    };
    let is_meant = |known: &Disposition| of.is_none_or(|of| of == known.as_str());
    let is_asked = |known: &Disposition| disposition.is_none_or(|asked| asked == *known);
    let mut having = Disposition::ALL.into_iter().filter(|known| Reason::from_words(known.as_str(), word).is_some());
    match having.find(|known| is_meant(known) && is_asked(known)) {
        // Some words belong to several dispositions; one is chosen only if the request chooses it.
        Some(known) => Ok((disposition.or(of.map(|_| known)), Some(word.to_owned()))),
        None => Err(AppError::Rejected {
            message: match disposition {
                None => format!("unknown reason `{text}`"),
                Some(of) => format!("`{text}` is not a reason for `{}`", of.as_str()),
            },
            hint: "the receipt of the run lists its reasons".to_owned(),
        }),
    }
}

/// The URLs that a check found; empty means unset.
pub(super) fn issue(id: Option<&str>) -> Result<Option<IssueFilter>, AppError> {
    let Some(id) = id.filter(|id| !id.is_empty()) else { return Ok(None) };
    let check = known_check(id)?.id.to_owned();
    Ok(Some(IssueFilter { check, numbers: None }))
}

/// The check of this id.
pub(crate) fn known_check(id: &str) -> Result<&'static bluesnake_audit::Check, AppError> {
    bluesnake_audit::check(id).ok_or_else(|| AppError::Absent {
        message: format!("no check `{id}`"),
        hint: match nearest(id, bluesnake_audit::all_checks().map(|check| check.id)) {
            Some(meant) => format!("did you mean `{meant}`?"),
            None => "`bluesnake checks` lists them".to_owned(),
        },
    })
}

impl App {
    /// A filter that works for this run: without a stored audit, the numbers of an issue come from one in memory. Fails
    /// if the run lacks a rule that it names.
    pub(crate) async fn usable(&self, run: i64, mut filter: RowFilter) -> Result<RowFilter, AppError> {
        if let Some(issue) = &mut filter.issue
            && let Some(audit) = self.live_audit(run).await?
        {
            issue.numbers = Some(audit.numbers(&issue.check));
        }
        if filter.contains.is_some() || filter.lacks.is_some() {
            let rules = Rules::of_plan(&self.catalog().run(run).await?.plan);
            filter.contains.iter().chain(&filter.lacks).try_for_each(|rule| check_rule(run, rule, &rules))?;
        }
        Ok(filter)
    }
}

/// Fails if a run has no extraction rule of this name.
fn check_rule(run: i64, rule: &str, rules: &Rules) -> Result<(), AppError> {
    if rules.names().any(|name| name == rule) {
        return Ok(());
    }
    Err(AppError::Rejected {
        message: format!("run {run} has no extraction rule `{rule}`"),
        hint: match nearest(rule, rules.names()) {
            Some(meant) => format!("did you mean `{meant}`?"),
            None if rules.is_empty() => {
                "it has no rules; crawl again with the settings extract.columns or extract.contains".to_owned()
            }
            None => format!("its rules are {}", rules.names().collect::<Vec<_>>().join(", ")),
        },
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_reason_is_a_word_or_a_disposition_and_a_word() {
        let failed = Some(Disposition::Failed);
        let check = |disposition, text, expected| assert_eq!(reason(disposition, text).ok(), expected, "{text:?}");
        check(None, Some("headers_timeout"), Some((None, Some("headers_timeout".to_owned()))));
        check(None, Some("failed/headers_timeout"), Some((failed, Some("headers_timeout".to_owned()))));
        check(failed, Some("headers_timeout"), Some((failed, Some("headers_timeout".to_owned()))));
        check(failed, Some(""), Some((failed, None)));
        check(Some(Disposition::Fetched), Some("headers_timeout"), None);
        check(Some(Disposition::Fetched), Some("failed/headers_timeout"), None);
        check(None, Some("fetched/headers_timeout"), None);
        check(None, Some("' OR 1=1"), None);
    }

    #[test]
    fn an_exact_depth_narrows_a_range_of_depths() {
        let check = |one: (_, _), other: (_, _), expected: (_, _)| {
            assert_eq!(both(between(one.0, one.1), between(other.0, other.1)), between(expected.0, expected.1));
        };
        check((None, None), (Some(1), None), (Some(1), None));
        check((Some(3), Some(3)), (Some(1), Some(5)), (Some(3), Some(3)));
        check((Some(3), Some(3)), (Some(4), None), (Some(4), Some(3)));
    }
}
