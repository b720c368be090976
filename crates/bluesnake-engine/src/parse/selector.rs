//! Callbacks for elements: which ones, and what they see.
//!
//! A [`Selector`] describes one element by its name, id, classes and attributes, as in CSS, but without combinators:
//! hooks run while the page is parsed, when only the element itself is known. Start with [`ElementHook::new`].

use std::borrow::Cow;
use std::fmt;
use std::str::FromStr;
use std::sync::Arc;

use bluesnake_html::Attributes;

use crate::parse::links::{Resolver, trim};
use crate::url::{CanonicalUrl, UrlProblem};

/// A callback for the elements that a selector matches, in document order.
#[derive(Clone)]
pub struct ElementHook {
    /// Which elements.
    pub selector: Selector,
    /// The callback.
    pub call: Arc<dyn Fn(&Element<'_>) + Send + Sync>,
}

impl ElementHook {
    /// Calls `call` with every element that `selector` matches.
    pub fn new(selector: Selector, call: impl Fn(&Element<'_>) + Send + Sync + 'static) -> Self {
        Self { selector, call: Arc::new(call) }
    }
}

impl fmt::Debug for ElementHook {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ElementHook").field("selector", &self.selector).finish_non_exhaustive()
    }
}

/// An element's start tag, as a hook sees it.
#[derive(Debug)]
pub struct Element<'a> {
    pub(crate) page: &'a CanonicalUrl,
    pub(crate) name: &'a str,
    pub(crate) attributes: &'a Attributes<'a>,
    pub(crate) dom_path: &'a str,
    pub(crate) resolver: &'a Resolver,
}

impl Element<'_> {
    /// The URL of its page.
    pub fn page(&self) -> &CanonicalUrl {
        self.page
    }

    /// Its name in lower case.
    pub fn name(&self) -> String {
        self.name.to_ascii_lowercase()
    }

    /// The value of an attribute; its name is case-insensitive.
    pub fn attribute(&self, name: &str) -> Option<Cow<'_, str>> {
        self.attributes.named(name)
    }

    /// The path of elements down to itself, as `body > main > p`.
    pub fn dom_path(&self) -> &str {
        self.dom_path
    }

    /// The URL in an attribute, resolved against the page's base.
    pub fn url(&self, attribute: &str) -> Option<Result<CanonicalUrl, UrlProblem>> {
        self.attribute(attribute).map(|reference| self.resolver.resolve(trim(&reference)))
    }
}

/// A description of elements: `a`, `#main`, `.note`, `[rel=next]`, `img[src^=https]`, and lists of these with commas.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Selector {
    alternatives: Vec<Vec<Part>>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
enum Part {
    Any,
    Name(String),
    Id(String),
    Class(String),
    Attribute(String, Test),
}

#[derive(Clone, Debug, PartialEq, Eq)]
enum Test {
    IsThere,
    Equals(String),
    StartsWith(String),
    EndsWith(String),
    Contains(String),
}

impl Selector {
    /// Whether it matches an element.
    pub fn matches(&self, element: &Element<'_>) -> bool {
        self.alternatives.iter().any(|parts| parts.iter().all(|part| part.matches(element)))
    }
}

impl Part {
    fn matches(&self, element: &Element<'_>) -> bool {
        match self {
            Self::Any => true,
            Self::Name(name) => element.name.eq_ignore_ascii_case(name),
            Self::Id(id) => element.attribute("id").is_some_and(|value| value == *id),
            Self::Class(class) => {
                element.attribute("class").is_some_and(|value| value.split_ascii_whitespace().any(|word| word == class))
            }
            Self::Attribute(name, test) => element.attribute(name).is_some_and(|value| test.passes(&value)),
        }
    }
}

impl Test {
    fn new(sign: &str, value: String) -> Option<Self> {
        match sign {
            "=" => Some(Self::Equals(value)),
            "^=" => Some(Self::StartsWith(value)),
            "$=" => Some(Self::EndsWith(value)),
            "*=" => Some(Self::Contains(value)),
            _ => None,
        }
    }

    fn passes(&self, value: &str) -> bool {
        match self {
            Self::IsThere => true,
            Self::Equals(expected) => value == expected,
            // As in CSS, an empty string matches nothing.
            Self::StartsWith(part) => !part.is_empty() && value.starts_with(part),
            Self::EndsWith(part) => !part.is_empty() && value.ends_with(part),
            Self::Contains(part) => !part.is_empty() && value.contains(part),
        }
    }
}

/// Why a selector is invalid.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error(
    "the selector `{selector}` is not understood at `{at}`; write tag, #id, .class and [attribute=value], with commas between alternatives"
)]
pub struct SelectorProblem {
    selector: String,
    at: String,
}

impl FromStr for Selector {
    type Err = SelectorProblem;

    fn from_str(selector: &str) -> Result<Self, SelectorProblem> {
        let mut alternatives = Vec::new();
        let mut rest = selector.trim();
        loop {
            let (parts, after) = compound(rest).ok_or_else(|| problem(selector, rest))?;
            alternatives.push(parts);
            let after = after.trim_start();
            match after.strip_prefix(',') {
                Some(next) => rest = next.trim_start(),
                None if after.is_empty() => return Ok(Self { alternatives }),
                None => return Err(problem(selector, after)),
            }
        }
    }
}

fn problem(selector: &str, at: &str) -> SelectorProblem {
    SelectorProblem { selector: selector.to_owned(), at: at.to_owned() }
}

/// The parts that describe one element, and what follows them.
fn compound(text: &str) -> Option<(Vec<Part>, &str)> {
    let mut parts = Vec::new();
    let mut rest = text;
    while let Some((part, after)) = part(rest, parts.is_empty()) {
        parts.push(part);
        rest = after;
    }
    (!parts.is_empty()).then_some((parts, rest))
}

fn part(text: &str, is_first: bool) -> Option<(Part, &str)> {
    if let Some(rest) = text.strip_prefix('#') {
        return word(rest).map(|(id, rest)| (Part::Id(id.to_owned()), rest));
    }
    if let Some(rest) = text.strip_prefix('.') {
        return word(rest).map(|(class, rest)| (Part::Class(class.to_owned()), rest));
    }
    if let Some(rest) = text.strip_prefix('[') {
        return attribute(rest);
    }
    match text.strip_prefix('*') {
        Some(rest) if is_first => Some((Part::Any, rest)),
        _ if is_first => word(text).map(|(name, rest)| (Part::Name(name.to_owned()), rest)),
        _ => None,
    }
}

fn word(text: &str) -> Option<(&str, &str)> {
    let end = text.find(|c: char| !(c.is_alphanumeric() || c == '-' || c == '_')).unwrap_or(text.len());
    (end > 0).then(|| text.split_at(end))
}

/// `name]`, `name=value]`, `name^="value"]` after the opening bracket.
fn attribute(text: &str) -> Option<(Part, &str)> {
    let end = text.find(|c: char| matches!(c, '=' | '^' | '$' | '*' | '~' | '|' | ']') || c.is_whitespace())?;
    let (name, rest) = text.split_at(end);
    let rest = rest.trim_start();
    if name.is_empty() {
        return None;
    }
    if let Some(rest) = rest.strip_prefix(']') {
        return Some((Part::Attribute(name.to_owned(), Test::IsThere), rest));
    }
    let (sign, rest) = rest.split_at(rest.find('=')? + 1);
    let (value, rest) = value(rest.trim_start())?;
    let rest = rest.trim_start().strip_prefix(']')?;
    Some((Part::Attribute(name.to_owned(), Test::new(sign, value.to_owned())?), rest))
}

fn value(text: &str) -> Option<(&str, &str)> {
    match text.chars().next()? {
        quote @ ('"' | '\'') => text[1..].split_once(quote),
        _ => text.find(']').map(|end| (text[..end].trim_end(), &text[end..])),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use bluesnake_html::{Token, Tokenizer};

    fn check(selector: &str, html: &str, expected: bool) {
        let mut tokenizer = Tokenizer::new(html);
        let Some(Token::Start(start)) = tokenizer.next() else { panic!("{html} begins with a tag") };
        let page = CanonicalUrl::parse("https://a.example/").unwrap();
        let resolver = Resolver::of(&page);
        let attributes = tokenizer.take_attributes();
        let element =
            Element { page: &page, name: start.name, attributes: &attributes, dom_path: "", resolver: &resolver };
        assert_eq!(selector.parse::<Selector>().unwrap().matches(&element), expected, "{selector} {html}");
    }

    #[test]
    fn elements_are_found_by_name_id_class_and_attribute() {
        check("a", "<A>", true);
        check("a", "<ab>", false);
        check("*", "<x-y>", true);
        check("#main", "<p id=main>", true);
        check("p.note.red", "<p class='red  note'>", true);
        check("p.note.red", "<p class='red-note'>", false);
        check("[data-x]", "<p DATA-X>", true);
        check("a[rel=next]", "<a rel='next'>", true);
        check("a[href^='https:'][href$=\".pdf\"]", "<a href=https:x.pdf>", true);
        check("a[href*=b]", "<a href=abc>", true);
        check("a[href*='']", "<a href=abc>", false);
        check("h1, h2 ,[role = main ]", "<h2>", true);
        check("h1, h2 ,[role = main ]", "<b role=main>", true);
    }

    #[test]
    fn anything_else_is_refused_with_a_sentence() {
        for selector in ["", "a b", "a > b", "a:hover", "a,", "[x", "[x~=y]", "[]", "#", ".", "a[x=]y", "**"] {
            let problem = selector.parse::<Selector>().expect_err(selector);
            assert!(problem.to_string().contains("is not understood"), "{selector}");
        }
    }
}
