//! Custom extraction and search: what a plan wants to know about every page.
//!
//! A [`Column`] is a selector, whose elements are found while the page is parsed, or a pattern on its source. A search
//! counts occurrences in the source. `Extraction` holds the compiled rules of a plan; the result is JSON.

use std::collections::BTreeMap;

use memchr::memmem::Finder;
use regex::Regex;
use serde::Serialize;

use super::selector::Selector;
use super::text::cut;
use crate::admit::scope::pattern;
use crate::plan::ExtractSettings;

/// How many matches of a column to keep.
pub const MATCHES: usize = 10;
/// How many characters of each to keep.
pub const MATCH_CHARS: usize = 1_000;
/// How many rules a plan may have.
pub(crate) const RULES: usize = 50;
/// How long a rule, or its name, may be.
pub(crate) const RULE_BYTES: usize = 2_000;

/// A rule that finds values in a page.
#[derive(Clone, Debug)]
pub struct Column(pub(super) Finds);

/// What a column finds.
#[derive(Clone, Debug)]
pub(super) enum Finds {
    /// Elements: their text, or an attribute of them.
    Elements(Selector, Option<String>),
    /// Parts of the source: the first group, or the whole match without groups.
    Source(Regex),
}

impl Column {
    /// Reads `css:SELECTOR`, `css:SELECTOR@ATTRIBUTE` or `regex:PATTERN`. A refusal says what is wrong.
    pub fn parse(rule: &str) -> Result<Self, String> {
        if let Some(selector) = rule.strip_prefix("css:") {
            let (selector, attribute) = match selector.rsplit_once('@') {
                // A selector may have the sign in the value of an attribute.
                Some((selector, name)) if is_attribute(name) => (selector, Some(name.to_owned())),
                _ => (selector, None),
            };
            let selector: Selector = selector.parse().map_err(|problem| format!("{problem}"))?;
            return Ok(Self(Finds::Elements(selector, attribute)));
        }
        match rule.strip_prefix("regex:") {
            Some(text) => compiled(text).map(|regex| Self(Finds::Source(regex))),
            None => Err(format!("unknown kind of rule `{}`; begin it with `css:` or `regex:`", cut(rule, 40))),
        }
    }

    /// The selector of its elements.
    pub(super) fn selector(&self) -> Option<&Selector> {
        match &self.0 {
            Finds::Elements(selector, _) => Some(selector),
            Finds::Source(_) => None,
        }
    }
}

fn is_attribute(name: &str) -> bool {
    !name.is_empty() && name.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"-_:.".contains(&byte))
}

fn compiled(text: &str) -> Result<Regex, String> {
    if text.is_empty() {
        return Err("the regular expression is empty".to_owned());
    }
    pattern(text).map_err(|error| format!("invalid regular expression `{text}`: {}", in_one_line(&error)))
}

/// What is wrong with a pattern, without the picture that points at the place.
pub(crate) fn in_one_line(error: &regex::Error) -> String {
    let text = error.to_string();
    let last = text.lines().last().unwrap_or_default();
    last.strip_prefix("error: ").unwrap_or(last).to_owned()
}

/// What is counted in the source of a page.
#[derive(Clone, Debug)]
enum Search {
    Text(Box<Finder<'static>>),
    Pattern(Regex),
}

impl Search {
    /// Reads a text, or `regex:PATTERN`.
    fn parse(rule: &str) -> Result<Self, String> {
        match rule.strip_prefix("regex:") {
            Some(text) => compiled(text).map(Self::Pattern),
            None if rule.is_empty() => Err("the text to search for is empty".to_owned()),
            None => Ok(Self::Text(Box::new(Finder::new(rule).into_owned()))),
        }
    }

    fn count(&self, source: &str) -> usize {
        match self {
            Self::Text(finder) => finder.find_iter(source.as_bytes()).count(),
            Self::Pattern(regex) => regex.find_iter(source).count(),
        }
    }
}

/// The compiled rules of a plan.
#[derive(Clone, Debug)]
pub(crate) struct Extraction {
    names: Vec<String>,
    /// In the order of their names.
    pub(crate) columns: Vec<Column>,
    searches: Vec<(String, Search)>,
}

/// The result for one page, as it is stored.
#[derive(Serialize)]
struct Extracted<'a> {
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    columns: BTreeMap<&'a str, Vec<String>>,
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    contains: BTreeMap<&'a str, usize>,
}

impl Extraction {
    /// The rules of checked settings; `None` if there are none.
    pub(crate) fn of(settings: &ExtractSettings) -> Option<Self> {
        let columns =
            settings.columns.iter().map(|(name, rule)| (name, Column::parse(rule).expect("the plan was checked")));
        let (names, columns): (Vec<String>, Vec<Column>) = columns.map(|(name, column)| (name.clone(), column)).unzip();
        let search = |rule: &String| Search::parse(rule).expect("the plan was checked");
        let searches: Vec<_> = settings.contains.iter().map(|(name, rule)| (name.clone(), search(rule))).collect();
        (!columns.is_empty() || !searches.is_empty()).then_some(Self { names, columns, searches })
    }

    /// The result for a page, given the values of those columns that are selectors.
    pub(crate) fn read(&self, source: &str, mut values: Vec<Vec<String>>) -> String {
        values.resize_with(self.columns.len(), Vec::new);
        for (column, values) in self.columns.iter().zip(&mut values) {
            if let Finds::Source(regex) = &column.0 {
                *values = matches(regex, source);
            }
        }
        let columns = self.names.iter().map(String::as_str).zip(values).collect();
        let contains = self.searches.iter().map(|(name, search)| (name.as_str(), search.count(source))).collect();
        serde_json::to_string(&Extracted { columns, contains }).expect("texts are JSON")
    }
}

fn matches(regex: &Regex, source: &str) -> Vec<String> {
    let found = regex.captures_iter(source).take(MATCHES);
    let part = found.filter_map(|groups| groups.get(if groups.len() > 1 { 1 } else { 0 }));
    part.map(|part| cut(part.as_str(), MATCH_CHARS).to_owned()).collect()
}

/// What is wrong with the rules of a plan, with the setting each problem is in.
pub(crate) fn problems(settings: &ExtractSettings) -> Vec<(&'static str, String)> {
    const COLUMNS: &str = "extract.columns";
    const CONTAINS: &str = "extract.contains";
    let mut problems = Vec::new();
    if settings.columns.len() + settings.contains.len() > RULES {
        let field = if settings.columns.len() > RULES { COLUMNS } else { CONTAINS };
        problems.push((field, format!("must be at most {RULES} rules, columns and contains together")));
    }
    let columns = settings.columns.iter().map(|(name, rule)| (COLUMNS, name, rule, Column::parse(rule).err()));
    let contains = settings.contains.iter().map(|(name, rule)| (CONTAINS, name, rule, Search::parse(rule).err()));
    for (field, name, rule, wrong) in columns.chain(contains) {
        if name.trim().is_empty() || name.len() > RULE_BYTES || rule.len() > RULE_BYTES {
            let name = cut(name, 40);
            problems.push((field, format!("`{name}`: name and rule must be 1 to {RULE_BYTES} bytes long")));
        } else if let Some(wrong) = wrong {
            problems.push((field, format!("`{name}`: {wrong}")));
        }
    }
    problems
}

#[cfg(test)]
mod tests {
    use super::*;

    fn settings(columns: &[(&str, &str)], contains: &[(&str, &str)]) -> ExtractSettings {
        let map = |rules: &[(&str, &str)]| {
            rules.iter().map(|(name, rule)| ((*name).to_owned(), (*rule).to_owned())).collect::<BTreeMap<_, _>>()
        };
        ExtractSettings { columns: map(columns), contains: map(contains) }
    }

    #[test]
    fn every_wrong_rule_is_refused_with_its_reason() {
        let check = |rule: &str, expected: &str| {
            let problems = problems(&settings(&[("price", rule)], &[]));
            assert_eq!(problems.len(), 1, "{rule}: {problems:?}");
            assert_eq!(problems[0].0, "extract.columns");
            assert!(problems[0].1.starts_with("`price`: ") && problems[0].1.contains(expected), "{}", problems[0].1);
        };
        check("h1", "unknown kind of rule `h1`; begin it with `css:` or `regex:`");
        check("xpath://h1", "unknown kind of rule `xpath://h1`");
        check("css:", "invalid selector ``: it ends too early");
        check("css:a:hover", "`:hover` is not supported");
        check("regex:(", "invalid regular expression `(`: unclosed group");
        check("regex:", "is empty");
        check(&format!("regex:{}", "a".repeat(3_000)), "must be 1 to 2000 bytes");
        let wrong = problems(&settings(&[], &[("a", ""), ("b", "regex:["), ("", "c")]));
        let wrong: Vec<String> = wrong.into_iter().map(|(field, message)| format!("{field} {message}")).collect();
        assert_eq!(wrong.len(), 3, "{wrong:?}");
        assert!(wrong.iter().any(|wrong| wrong.contains("`b`: invalid regular expression `[`")), "{wrong:?}");
    }

    #[test]
    fn a_plan_has_at_most_fifty_rules() {
        let names: Vec<String> = (0..RULES).map(|number| number.to_string()).collect();
        let rules: Vec<(&str, &str)> = names.iter().map(|name| (name.as_str(), "css:a")).collect();
        assert_eq!(problems(&settings(&rules, &[])), []);
        let wrong = problems(&settings(&rules, &[("one more", "text")]));
        assert_eq!(wrong, [("extract.contains", "must be at most 50 rules, columns and contains together".to_owned())]);
    }

    #[test]
    fn an_attribute_follows_the_last_sign() {
        let check = |rule: &str, expected: Option<&str>| match Column::parse(rule).unwrap().0 {
            Finds::Elements(_, attribute) => assert_eq!(attribute.as_deref(), expected, "{rule}"),
            Finds::Source(_) => panic!("{rule}"),
        };
        check("css:a", None);
        check("css:a@href", Some("href"));
        check("css:a[href*='@'] @data-x", Some("data-x"));
        check("css:a[href*='@']", None);
    }

    #[test]
    fn patterns_and_searches_read_the_source() {
        let rules = settings(
            &[("version", r"regex:v(\d+)"), ("word", "regex:b.r"), ("none", "regex:zzz")],
            &[("bar", "bar"), ("digits", r"regex:\d"), ("none", "zzz"), ("BAR", "BAR")],
        );
        let extraction = Extraction::of(&rules).unwrap();
        assert_eq!(
            extraction.read("v1 bar v22 <bar>", Vec::new()),
            r#"{"columns":{"none":[],"version":["1","22"],"word":["bar","bar"]},"contains":{"BAR":0,"bar":2,"digits":3,"none":0}}"#
        );
        let many = "x".repeat(5_000);
        let long =
            Extraction::of(&settings(&[("x", "regex:x+"), ("each", "regex:x")], &[])).unwrap().read(&many, Vec::new());
        let long: serde_json::Value = serde_json::from_str(&long).unwrap();
        assert_eq!(long["columns"]["x"][0].as_str().unwrap().len(), MATCH_CHARS);
        assert_eq!(long["columns"]["each"].as_array().unwrap().len(), MATCHES);
        assert!(Extraction::of(&settings(&[], &[])).is_none());
    }
}
