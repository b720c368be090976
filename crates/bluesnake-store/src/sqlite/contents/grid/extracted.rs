//! Which pages an extraction rule found something on.

use std::collections::BTreeMap;

use rusqlite::Connection;
use serde::Deserialize;
use serde::de::IgnoredAny;

use super::View;
use super::select::Bits;
use crate::sqlite::Failure;
use crate::sqlite::columns::Columns;

/// What the rules found on a page. A rule that found nothing is named, too.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct Extracted {
    columns: BTreeMap<String, Vec<IgnoredAny>>,
    contains: BTreeMap<String, u64>,
}

impl Extracted {
    /// How many matches the rules of a name have; `None` if no such rule read the page.
    fn matches(&self, rule: &str) -> Option<u64> {
        let values = self.columns.get(rule).map(|values| values.len() as u64);
        let count = self.contains.get(rule).copied();
        match (values, count) {
            (None, None) => None,
            (values, count) => Some(values.unwrap_or(0) + count.unwrap_or(0)),
        }
    }
}

impl View<'_> {
    /// The pages on which a rule has a wanted number of matches. Reads the results of all pages.
    pub(super) fn with_matches(
        &self,
        connection: &Connection,
        rule: &str,
        is_wanted: impl Fn(u64) -> bool,
    ) -> Result<Bits, Failure> {
        let sql = "SELECT number, extracted FROM visits WHERE run = ?1 AND extracted IS NOT NULL";
        let mut select = connection.prepare_cached(sql)?;
        let mut rows = select.query([self.run])?;
        let mut found = Vec::new();
        while let Some(row) = rows.next()? {
            let mut columns = Columns::of(row);
            let (number, json): (u32, _) = (columns.read()?, columns.text()?);
            // Other JSON in this column is not about rules.
            let extracted: Extracted = serde_json::from_str(json).unwrap_or_default();
            if extracted.matches(rule).is_some_and(&is_wanted) {
                found.push(number);
            }
        }
        // A run that grows may have more URLs than the grid.
        Ok(Bits::of(self.grid.len(), found.into_iter()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn matches_are_counted_for_rules_that_read_the_page() {
        let json = r#"{"columns": {"price": ["1 €", "2 €"], "by": []}, "contains": {"jquery": 3, "by": 0}}"#;
        let extracted: Extracted = serde_json::from_str(json).unwrap();
        let check = |rule, expected| assert_eq!(extracted.matches(rule), expected, "{rule}");
        check("price", Some(2));
        check("by", Some(0));
        check("jquery", Some(3));
        check("pric", None);
        let llms: Extracted = serde_json::from_str(r#"{"llms": {"links": 2}}"#).unwrap();
        assert_eq!(llms.matches("links"), None);
    }
}
