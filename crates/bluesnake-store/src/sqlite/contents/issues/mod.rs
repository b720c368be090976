//! The audit: finds issues in stored facts with SQL.
//!
//! Each module lists the checks of one theme; [`views`] holds what they read. A check says only what is known: nothing
//! about URLs that wait, and nothing about what is absent from a site before all of it was seen. Start with
//! [`all_checks`].

mod addresses;
mod amp;
mod canonicals;
mod content;
mod directives;
mod headings;
mod hreflang;
mod links;
mod pagination;
mod responses;
mod security;
mod sitemaps;
mod structure;
mod titles;
mod views;

use crate::state::words;

const THEMES: [&[Check]; 14] = [
    responses::CHECKS,
    security::CHECKS,
    addresses::CHECKS,
    titles::CHECKS,
    headings::CHECKS,
    content::CHECKS,
    canonicals::CHECKS,
    directives::CHECKS,
    links::CHECKS,
    hreflang::CHECKS,
    pagination::CHECKS,
    sitemaps::CHECKS,
    structure::CHECKS,
    amp::CHECKS,
];

/// One possible problem of a page.
#[derive(Clone, Copy, Debug)]
pub struct Check {
    /// Its stable name for programs.
    pub id: &'static str,
    /// Its name for people, including its limits.
    pub name: &'static str,
    /// How certain it is that something must be done.
    pub kind: Kind,
    /// How urgent it is.
    pub priority: Priority,
    /// Why it matters.
    pub why: &'static str,
    /// How to fix it.
    pub fix: &'static str,
    finder: Finder,
}

/// How a check finds URLs; in all SQL `?1` is the run.
#[derive(Clone, Copy, Debug)]
enum Finder {
    /// By a condition on a row of a view, with the detail to report.
    When { view: &'static str, condition: &'static str, detail: &'static str },
    /// By a query for number and detail on any views.
    Query(&'static str),
}

words! {
    /// How certain it is that something must be done.
    Kind {
        /// It is an error.
        Issue = "issue",
        /// It may be intended.
        Warning = "warning",
        /// It could be better.
        Opportunity = "opportunity",
    }
}

words! {
    /// How urgent something is.
    Priority {
        /// Do first.
        High = "high",
        /// Do next.
        Medium = "medium",
        /// Do last.
        Low = "low",
    }
}

/// Every check of the audit, theme by theme.
pub fn all_checks() -> impl Iterator<Item = &'static Check> {
    THEMES.into_iter().flatten()
}

/// All checks as one query with the columns check_id, name, type, priority, number, url and detail; `?1` is the run.
pub(in crate::sqlite) fn sql() -> String {
    let mut parts = vec![conditions_on("subject"), conditions_on("state")];
    parts.extend(all_checks().filter_map(Check::query));
    let catalogue: Vec<String> = all_checks().map(Check::row).collect();
    format!(
        "WITH RECURSIVE {}, finding (check_id, number, detail) AS MATERIALIZED ({}),
         catalogue (check_id, name, type, priority) AS MATERIALIZED (VALUES {})
         SELECT c.check_id, c.name, c.type, c.priority, f.number, u.url, CAST(f.detail AS TEXT) AS detail
         FROM finding AS f
         CROSS JOIN catalogue AS c ON c.check_id = f.check_id
         CROSS JOIN urls AS u ON u.run = ?1 AND u.number = f.number",
        views::sql(),
        parts.join("\nUNION ALL\n"),
        catalogue.join(", "),
    )
}

/// All conditions on a view in one pass: each row becomes an object with a detail for every check that matches it, and
/// NULL for the others.
fn conditions_on(wanted: &str) -> String {
    let details: Vec<String> = all_checks().filter_map(|check| check.detail_on(wanted)).collect();
    format!(
        "SELECT f.key, {wanted}.number, nullif(f.value, '')
         FROM {wanted}, json_each(json_object({})) AS f WHERE f.type <> 'null'",
        details.join(",\n"),
    )
}

impl Check {
    fn detail_on(&self, wanted: &str) -> Option<String> {
        match self.finder {
            Finder::When { view, condition, detail } if view == wanted => {
                Some(format!("'{}', CASE WHEN {condition} THEN coalesce({detail}, '') END", self.id))
            }
            _ => None,
        }
    }

    fn query(&self) -> Option<String> {
        match self.finder {
            Finder::Query(sql) => Some(format!("SELECT '{}', * FROM ({sql})", self.id)),
            Finder::When { .. } => None,
        }
    }

    fn row(&self) -> String {
        let Self { id, name, kind, priority, .. } = self;
        format!("('{id}', '{name}', '{}', '{}')", kind.as_str(), priority.as_str())
    }
}

/// Declares checks: id, name, kind, priority, why it matters, how to fix it, and how to find it:
///
/// - `page` or `url` with a condition and the detail to report
/// - `canonical` with a condition on a declared canonical `c`
/// - `same` with a column that several pages have in common
/// - `multiple` with a view and a column that should have one target per value
/// - `unlinked` with a view whose targets should be linked
/// - `sql` with a complete query
macro_rules! checks {
    ($(
        $id:literal $name:literal $kind:ident $priority:ident
        why $why:literal
        fix $fix:literal
        $by:ident $($part:literal)+;
    )*) => {
        pub(super) const CHECKS: &[super::Check] = &[ $( super::Check {
            id: $id,
            name: $name,
            kind: super::Kind::$kind,
            priority: super::Priority::$priority,
            why: $why,
            fix: $fix,
            finder: super::checks!(@ $by $($part)+),
        } ),* ];
    };
    (@ page $condition:literal $($detail:literal)?) => { super::checks!(@ when "subject" $condition $($detail)?) };
    (@ url $condition:literal $($detail:literal)?) => { super::checks!(@ when "state" $condition $($detail)?) };
    (@ when $view:literal $condition:literal) => { super::checks!(@ when $view $condition "''") };
    (@ when $view:literal $condition:literal $detail:literal) => {
        super::Finder::When { view: $view, condition: $condition, detail: $detail }
    };
    (@ canonical $condition:literal) => {
        super::Finder::When {
            view: "subject",
            condition: concat!("EXISTS (SELECT 1 FROM json_each(canonicals) AS c WHERE ", $condition, ")"),
            detail: concat!(
                "(SELECT c.value ->> '$.raw' FROM json_each(canonicals) AS c WHERE ", $condition, " LIMIT 1)"
            ),
        }
    };
    (@ same $column:literal) => {
        super::Finder::Query(concat!(
            "SELECT number, ", $column, " FROM (
                 SELECT number, ", $column, ", count(*) OVER (PARTITION BY ", $column, ") AS pages
                 FROM page WHERE is_indexable AND ", $column, " <> '')
             WHERE pages > 1"
        ))
    };
    (@ multiple $view:literal $column:literal) => {
        super::Finder::Query(concat!(
            "SELECT number, min(", $column, ") FROM (
                 SELECT number, ", $column, " FROM ", $view, "
                 GROUP BY number, ", $column, " HAVING count(DISTINCT target) > 1)
             GROUP BY number"
        ))
    };
    (@ unlinked $view:literal) => {
        super::Finder::Query(concat!(
            "SELECT DISTINCT target, NULL FROM ", $view, "
             WHERE target <> number AND is_internal AND target NOT IN (SELECT number FROM incoming)
                AND target NOT IN (SELECT number FROM urls WHERE run = ?1 AND source = 'initial')
                AND EXISTS (SELECT 1 FROM whole)"
        ))
    };
    (@ sql $sql:literal) => { super::Finder::Query($sql) };
}
use checks;
