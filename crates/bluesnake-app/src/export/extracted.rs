//! What custom extraction found, as one column per rule.

use std::borrow::Cow;

use bluesnake_store::ColumnKind;
use serde::Deserialize;
use serde::de::IgnoredAny;
use std::collections::BTreeMap;

use super::{Cell, Column};

/// The column that holds the results of all rules.
pub(super) const EXTRACTED: &str = "extracted";
/// Between the matches of a rule.
const SEPARATOR: &str = " | ";

/// The names of a run's rules, in alphabetical order.
#[derive(Debug, Default)]
pub(crate) struct Rules {
    columns: Vec<String>,
    contains: Vec<String>,
}

/// The part of a plan that names rules.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct Plan {
    extract: Extract,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct Extract {
    columns: BTreeMap<String, IgnoredAny>,
    contains: BTreeMap<String, IgnoredAny>,
}

/// What a page has: matches by rule, and how often texts occur.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct Found {
    columns: BTreeMap<String, Vec<String>>,
    contains: BTreeMap<String, i64>,
}

impl Rules {
    pub(crate) fn of_plan(plan: &str) -> Self {
        let Plan { extract } = serde_json::from_str(plan).unwrap_or_default();
        Self { columns: extract.columns.into_keys().collect(), contains: extract.contains.into_keys().collect() }
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.columns.is_empty() && self.contains.is_empty()
    }

    /// The names; one that is both a column and a count comes twice.
    pub(crate) fn names(&self) -> impl Iterator<Item = &str> {
        self.columns.iter().chain(&self.contains).map(String::as_str)
    }

    /// Named like the settings of the rules, so that they differ from all other columns.
    pub(super) fn header(&self) -> impl Iterator<Item = Column> {
        let columns = self.columns.iter().map(|name| (format!("extract.columns.{name}"), ColumnKind::Text));
        let contains = self.contains.iter().map(|name| (format!("extract.contains.{name}"), ColumnKind::Integer));
        columns.chain(contains).map(|(name, kind)| Column { name: name.into(), kind })
    }

    /// The cells of a page, in the order of the header; empty for a page that was not read.
    pub(super) fn cells(&self, extracted: Option<&str>) -> Vec<Cell<'static>> {
        let found: Option<Found> = extracted.and_then(|json| serde_json::from_str(json).ok());
        let Some(mut found) = found else { return vec![Cell::Null; self.columns.len() + self.contains.len()] };
        let texts = self.columns.iter().map(|name| match found.columns.remove(name).unwrap_or_default() {
            matches if matches.is_empty() => Cell::Null,
            matches => Cell::Text(Cow::Owned(matches.join(SEPARATOR))),
        });
        let texts: Vec<Cell<'static>> = texts.collect();
        let counts =
            self.contains.iter().map(|name| found.contains.get(name).map_or(Cell::Null, |count| Cell::Integer(*count)));
        texts.into_iter().chain(counts).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_rule_is_a_column() {
        let plan = r#"{"fetch": {"rate": 1}, "extract": {"columns": {"price": "css:.p", "by": "css:.a"}, "contains": {"jquery": "jquery"}}}"#;
        let rules = Rules::of_plan(plan);
        let names: Vec<String> = rules.header().map(|column| column.name.into_owned()).collect();
        assert_eq!(names, ["extract.columns.by", "extract.columns.price", "extract.contains.jquery"]);
        let found = r#"{"columns": {"by": [], "price": ["1 €", "2 €"]}, "contains": {"jquery": 3}}"#;
        let text = |text: &'static str| Cell::Text(text.into());
        assert_eq!(rules.cells(Some(found)), [Cell::Null, text("1 € | 2 €"), Cell::Integer(3)]);
        for unread in [None, Some("no JSON")] {
            assert_eq!(rules.cells(unread), [Cell::Null, Cell::Null, Cell::Null], "{unread:?}");
        }
        assert!(Rules::of_plan("{}").is_empty());
    }
}
