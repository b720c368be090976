//! The shapes of a comparison.

use serde::{Deserialize, Deserializer, Serialize};
use utoipa::{IntoParams, ToSchema};

use super::words::{Class, Field, IssueChange};
use crate::export::Format;
use crate::results::WindowLimit;
use crate::results::words::{TableFormats, table_format};

/// Two runs of the same job, compared URL by URL. `a` is the baseline for "appeared" and "gone".
#[derive(Clone, Debug, PartialEq, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct ComparisonView {
    /// The run before.
    pub a: ComparedRun,
    /// The run after.
    pub b: ComparedRun,
    /// Settings that affect the results and differ. If there are any, differences may come from them.
    pub plans_differ: Vec<SettingDifference>,
    /// Fields that could not be compared, and why.
    pub not_compared: Vec<NotCompared>,
    /// How many URLs are in each class, every class once.
    pub classes: Vec<ClassCount>,
    /// How many URLs of the class `changed` differ in each field, every field once.
    pub fields: Vec<FieldCount>,
    /// Why URLs were not visited this time, most frequent first.
    pub not_visited: Vec<ReasonCount>,
    /// Why URLs were not visited by the run before, most frequent first.
    pub not_visited_before: Vec<ReasonCount>,
    /// What happened to the findings of every check that found something in either run, highest priority first.
    pub checks: Vec<CheckChange>,
}

impl ComparisonView {
    /// How many URLs are in a class.
    pub fn count(&self, class: Class) -> u64 {
        self.classes.iter().find(|count| count.class == class).map_or(0, |count| count.urls)
    }

    /// How many URLs have an issue now that they did not have before, summed over all checks.
    pub fn new_issues(&self) -> u64 {
        self.checks.iter().map(|check| check.new).sum()
    }
}

/// A run of a comparison.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct ComparedRun {
    /// Its number.
    pub run_id: i64,
    /// `host[:port]` of its project.
    pub domain: String,
    /// in_progress, paused, completed or failed.
    pub state: &'static str,
    /// When it started: Unix time in seconds.
    pub created_at: i64,
    /// When it last changed: Unix time in seconds.
    pub updated_at: i64,
    /// URLs ever seen.
    pub urls: u64,
    /// URLs that were requested.
    pub visited: u64,
    /// HTML pages among them.
    pub pages: u64,
    /// Whether it saw the whole site: it is completed, and no limit cut it.
    pub is_whole: bool,
    /// Whether it has stored issues.
    pub has_issues: bool,
}

/// A setting that differs between two runs.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct SettingDifference {
    /// Its name: `scope.max_depth`.
    pub setting: String,
    /// Its value in the run before, as JSON; absent if it is not shown.
    pub before: Option<String>,
    /// Its value in the run after.
    pub after: Option<String>,
}

/// A field that could not be compared.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct NotCompared {
    /// The field.
    pub field: Field,
    /// Why not.
    pub why: &'static str,
}

/// How many URLs are in a class.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct ClassCount {
    /// The class.
    pub class: Class,
    /// How many URLs.
    pub urls: u64,
    /// How many of them the run before knows; over all classes they add up to its URLs.
    pub in_a: u64,
    /// The same for the run after.
    pub in_b: u64,
}

/// How many URLs differ in a field.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct FieldCount {
    /// The field.
    pub field: Field,
    /// How many URLs.
    pub urls: u64,
}

/// How many URLs were not visited for a reason.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct ReasonCount {
    /// The reason, as in a receipt (`queued`, `max_urls`, `robots`, `timeout` …), or why the run does not know the URL:
    /// `run_not_completed`, `limits`, `other_sources` or `linking_page_not_visited`.
    pub reason: &'static str,
    /// How many URLs.
    pub urls: u64,
}

/// What happened to the findings of a check, counted in URLs.
///
/// Before: `still + fixed + goneWithPage + notVisited`. After: `still + new + notVisitedBefore`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct CheckChange {
    /// The id of the check.
    pub id: &'static str,
    /// Its name.
    pub name: String,
    /// high, medium or low.
    pub priority: &'static str,
    /// issue, warning or opportunity.
    pub kind: &'static str,
    /// URLs with a finding in the run before.
    pub before: u64,
    /// URLs with a finding in the run after.
    pub after: u64,
    /// URLs with the finding in `b` but not in `a`.
    pub new: u64,
    /// How many of the new ones appeared since, or redirected before.
    pub new_with_page: u64,
    /// They are still there and no longer have the finding.
    pub fixed: u64,
    /// They have the finding in both runs.
    pub still: u64,
    /// They had the finding and are gone, or redirect now.
    pub gone_with_page: u64,
    /// They had the finding and were not visited this time, or could not be read (401, 403, 429, 5xx).
    pub not_visited: u64,
    /// They have the finding and were not visited before, or could not be read.
    pub not_visited_before: u64,
    /// Why it was not compared: one of the runs did not make this check. All other counts but `before` and `after` are 0.
    pub not_checked: Option<String>,
}

/// What happened to one URL.
#[derive(Clone, Debug, PartialEq, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct ChangeView {
    /// Its class.
    pub class: Class,
    /// The URL.
    pub url: String,
    /// Its number in the run before, if that run knows it.
    pub number_a: Option<u32>,
    /// Its number in the run after.
    pub number_b: Option<u32>,
    /// Why it is in its class: for URLs that were not visited as in `notVisited`, for those that are gone or appeared
    /// `status_404`, `status_410` or `not_linked`.
    pub reason: Option<&'static str>,
    /// What differs. For URLs in one run only, or visited by one run only: status and title.
    pub fields: Vec<FieldChange>,
    /// Its issues that are new, fixed or gone with it.
    pub issues: Vec<IssueChangeView>,
}

/// One field of a URL, before and after.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct FieldChange {
    /// The field.
    pub name: Field,
    /// Its value in the run before.
    pub before: Option<String>,
    /// Its value in the run after.
    pub after: Option<String>,
}

/// An issue of a URL that is not the same in both runs.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct IssueChangeView {
    /// The id of the check.
    pub id: &'static str,
    /// What happened.
    pub change: IssueChange,
}

/// Which rows of a comparison to list. They come in the order in which the runs found them: by the smaller of their two
/// numbers.
#[derive(Clone, Debug, Default, Deserialize, IntoParams)]
#[serde(rename_all = "camelCase", default, deny_unknown_fields)]
#[into_params(parameter_in = Query)]
pub struct CompareQuery {
    /// appeared, gone, not_visited, not_visited_before, changed or same; by default every URL that differs or has an
    /// issue that is new, fixed or gone with it.
    #[serde(deserialize_with = "word")]
    #[param(value_type = Option<Class>, inline)]
    pub class: Option<Class>,
    /// Only changed URLs that differ in this field.
    #[serde(deserialize_with = "word")]
    #[param(value_type = Option<Field>, inline)]
    pub field: Option<Field>,
    /// Only URLs on which this check found something in either run, by its id.
    pub check: Option<String>,
    /// Only URLs with an issue that is new, fixed, still or gone_with_page: of `check`, or of any check.
    #[serde(deserialize_with = "word")]
    #[param(value_type = Option<IssueChange>, inline)]
    pub change: Option<IssueChange>,
    /// Text in the URL.
    #[param(max_length = 1000)]
    pub search: Option<String>,
    /// How many rows to skip.
    pub offset: u64,
    /// Maximum number of rows.
    #[param(value_type = Option<usize>, minimum = 1, maximum = 500, default = 100)]
    pub limit: WindowLimit,
}

/// Which rows of a comparison to write to a file, and how.
#[derive(Clone, Debug, Default, Deserialize, IntoParams)]
#[serde(rename_all = "camelCase", default, deny_unknown_fields)]
#[into_params(parameter_in = Query)]
pub struct CompareFileQuery {
    /// appeared, gone, not_visited, not_visited_before, changed or same; by default every URL that differs or has an
    /// issue that is new, fixed or gone with it.
    #[serde(deserialize_with = "word")]
    #[param(value_type = Option<Class>, inline)]
    pub class: Option<Class>,
    /// Only changed URLs that differ in this field.
    #[serde(deserialize_with = "word")]
    #[param(value_type = Option<Field>, inline)]
    pub field: Option<Field>,
    /// Only URLs on which this check found something in either run, by its id.
    pub check: Option<String>,
    /// Only URLs with an issue that is new, fixed, still or gone_with_page: of `check`, or of any check.
    #[serde(deserialize_with = "word")]
    #[param(value_type = Option<IssueChange>, inline)]
    pub change: Option<IssueChange>,
    /// Text in the URL.
    #[param(max_length = 1000)]
    pub search: Option<String>,
    /// The file format.
    #[serde(deserialize_with = "table_format")]
    #[param(value_type = Option<TableFormats>, inline)]
    pub format: Format,
    /// CSV with exact text; not safe to open in a spreadsheet.
    #[param(default = false)]
    pub raw: bool,
}

/// Parses an optional word; empty means `None`.
fn word<'de, D: Deserializer<'de>, T: Deserialize<'de>>(deserializer: D) -> Result<Option<T>, D::Error> {
    use serde::de::IntoDeserializer;
    let word = Option::<String>::deserialize(deserializer)?.filter(|word| !word.is_empty());
    word.map(|word| T::deserialize(word.into_deserializer())).transpose()
}
