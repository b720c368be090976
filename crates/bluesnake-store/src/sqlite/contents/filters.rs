//! Filters of paged lists, and the SQL conditions made of them.

use std::str::FromStr;

use bluesnake_engine::{Action, Disposition};
use rusqlite::types::Value as Sql;

use crate::sqlite::catalog::TypeCounts;
use crate::state::words;

words! {
    /// The type of the response, by its media type.
    #[derive(Default)]
    PageType {
        /// Any, including URLs that were not requested.
        #[default]
        All = "all",
        /// HTML.
        Html = "html",
        /// Stylesheets.
        Css = "css",
        /// Scripts.
        Javascript = "javascript",
        /// Images.
        Images = "images",
        /// Fonts.
        Fonts = "fonts",
        /// Any other requested URL, including failed ones.
        Others = "others",
    }
}

/// Filters by status.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum StatusFilter {
    /// One status.
    Exact(u16),
    /// Every status with this first digit.
    Class(u8),
}

/// Filters URLs; unset fields match everything.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct UrlFilter {
    /// Type of the response.
    pub page_type: PageType,
    /// Where it ended up.
    pub disposition: Option<Disposition>,
    /// The classifier's decision.
    pub action: Option<Action>,
    /// Its status.
    pub status: Option<StatusFilter>,
    /// Prefix of its media type, case-insensitive.
    pub content_type: Option<String>,
    /// Minimum depth.
    pub min_depth: Option<u32>,
    /// Maximum depth.
    pub max_depth: Option<u32>,
    /// Substring of its URL, title or description, ignoring the case of ASCII letters.
    pub search: Option<String>,
}

impl FromStr for StatusFilter {
    type Err = ();

    /// Parses `404` or `4xx`.
    fn from_str(text: &str) -> Result<Self, ()> {
        let is_number = text.len() == 3 && text.bytes().all(|byte| byte.is_ascii_digit());
        match text.as_bytes() {
            [digit @ b'1'..=b'9', b'x' | b'X', b'x' | b'X'] => Ok(Self::Class(digit - b'0')),
            _ if is_number => text.parse().map(Self::Exact).map_err(|_| ()),
            _ => Err(()),
        }
    }
}

impl PageType {
    /// The type of a media type; never `All`.
    pub fn of(media_type: &str) -> Self {
        let lower = media_type.to_ascii_lowercase();
        match lower.as_str() {
            "text/html" | "application/xhtml+xml" => Self::Html,
            "text/css" => Self::Css,
            "application/vnd.ms-fontobject" => Self::Fonts,
            word if word.ends_with("javascript") || word.ends_with("ecmascript") => Self::Javascript,
            word if word.starts_with("image/") => Self::Images,
            word if ["font/", "application/font-", "application/x-font-"]
                .iter()
                .any(|start| word.starts_with(start)) =>
            {
                Self::Fonts
            }
            _ => Self::Others,
        }
    }
}

impl TypeCounts {
    /// The count of one type.
    pub(in crate::sqlite) fn of(&mut self, page_type: PageType) -> &mut i64 {
        match page_type {
            PageType::Html => &mut self.html,
            PageType::Css => &mut self.css,
            PageType::Javascript => &mut self.javascript,
            PageType::Images => &mut self.images,
            PageType::Fonts => &mut self.fonts,
            PageType::Others | PageType::All => &mut self.others,
        }
    }
}

/// Conditions and their values; values are only ever bound.
#[derive(Debug, Default)]
pub(in crate::sqlite) struct Conditions {
    pub(in crate::sqlite) sql: String,
    pub(in crate::sqlite) values: Vec<Sql>,
    /// How many other values are bound before these.
    behind: usize,
}

impl Conditions {
    pub(in crate::sqlite) fn behind(others: usize) -> Self {
        Self { behind: others, ..Self::default() }
    }

    /// Adds a value and returns its placeholder.
    pub(in crate::sqlite) fn bind(&mut self, value: impl Into<Sql>) -> String {
        self.values.push(value.into());
        format!("?{}", self.behind + self.values.len())
    }

    pub(in crate::sqlite) fn and(&mut self, condition: &str) {
        self.sql.push_str(" AND ");
        self.sql.push_str(condition);
    }

    /// Adds a comparison with a value, which follows it, if there is one.
    pub(in crate::sqlite) fn compare(&mut self, comparison: &str, value: Option<impl Into<Sql>>) {
        if let Some(value) = value {
            let value = self.bind(value);
            self.and(&format!("{comparison} {value}"));
        }
    }

    /// The same with a name.
    pub(in crate::sqlite) fn compare_name(&mut self, comparison: &str, name: Option<&str>) {
        self.compare(comparison, name.map(str::to_owned));
    }

    pub(in crate::sqlite) fn between(&mut self, column: &str, lowest: i64, highest: i64) {
        let (lowest, highest) = (self.bind(lowest), self.bind(highest));
        self.and(&format!("{column} BETWEEN {lowest} AND {highest}"));
    }

    pub(in crate::sqlite) fn status(&mut self, status: Option<StatusFilter>) {
        match status {
            None => {}
            Some(StatusFilter::Exact(status)) => self.between("v.status", status.into(), status.into()),
            Some(StatusFilter::Class(digit)) => {
                self.between("v.status", i64::from(digit) * 100, i64::from(digit) * 100 + 99);
            }
        }
    }

    /// Requires one of these columns to contain a text.
    pub(in crate::sqlite) fn contains(&mut self, columns: &[&str], text: Option<&str>) {
        let Some(text) = text.filter(|text| !text.is_empty()) else { return };
        let text = self.bind(text.to_owned());
        let any: Vec<String> = columns.iter().map(|column| format!("contains_text({column}, {text})")).collect();
        self.and(&format!("({})", any.join(" OR ")));
    }
}

impl UrlFilter {
    /// The conditions on URLs `u` of a run, and on their visits `v`; of one session or all.
    pub(super) fn conditions(&self, run: i64, session: Option<i64>) -> Conditions {
        let mut all = Conditions::default();
        let run = all.bind(run);
        all.sql = format!("u.run = {run}");
        all.compare_name("u.disposition =", self.disposition.map(Disposition::as_str));
        all.compare_name("u.action =", self.action.map(Action::as_str));
        all.compare("u.depth >=", self.min_depth);
        all.compare("u.depth <=", self.max_depth);
        all.compare("v.session =", session);
        let page_type = Some(self.page_type).filter(|page_type| *page_type != PageType::All);
        all.compare_name("v.was_fetched = 1 AND page_type(v.content_type) =", page_type.map(PageType::as_str));
        all.status(self.status);
        if let Some(start) = &self.content_type {
            let start = all.bind(start.to_ascii_lowercase());
            all.and(&format!("substr(lower(v.content_type), 1, length({start})) = {start}"));
        }
        all.contains(&["u.url", "v.title", "v.description"], self.search.as_deref());
        all
    }
}
