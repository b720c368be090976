//! Which elements: CSS selectors, as far as they can be decided while a page is read from start to end.
//!
//! Supported: `tag`, `*`, `#id`, `.class`, `[attribute]` with `=`, `~=`, `|=`, `^=`, `$=`, `*=` and the flag `i`,
//! `:first-child`, `:not(…)`, the combinators space, `>`, `+` and `~`, and lists with commas. Anything else is refused
//! with its name. Elements are those that were written, in the order in which they were written; a browser moves some
//! of them, for example out of tables. Start with [`Selector`]; a [`Matcher`] applies several of them to a page.

mod matcher;
mod read;

use crate::{AttributeName, Attributes};

pub use matcher::Matcher;

/// A description of elements: `a`, `#main`, `.note`, `[rel=next]`, `article > h2 + p`, and lists of these with commas.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Selector {
    alternatives: Vec<Complex>,
}

/// Compounds with what connects each to the one before it; the first one's combinator means nothing.
type Complex = Vec<(Combinator, Compound)>;

/// Where the element of a compound is, seen from that of the next.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Combinator {
    /// Space: it is around it.
    Descendant,
    /// `>`: it is its parent.
    Child,
    /// `+`: it is the element before it.
    Next,
    /// `~`: it is an element before it, with the same parent.
    Later,
}

/// What one element must be, all at once.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
struct Compound(Vec<Part>);

#[derive(Clone, Debug, PartialEq, Eq)]
enum Part {
    Any,
    Name(String),
    Id(String),
    Class(String),
    Attribute(String, Test),
    FirstChild,
    /// None of these.
    Not(Vec<Compound>),
}

/// What is asked of the value of an attribute.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Test {
    operator: Operator,
    expected: String,
    ignores_case: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Operator {
    IsThere,
    Equals,
    HasWord,
    /// The value, or the value and a dash: `lang|=en`.
    IsOrIsBelow,
    StartsWith,
    EndsWith,
    Contains,
}

/// A start tag, and whether it is the first one in its parent.
struct Tag<'a> {
    name: &'a str,
    attributes: &'a Attributes<'a>,
    is_first: bool,
}

impl Compound {
    fn matches(&self, tag: &Tag<'_>) -> bool {
        self.0.iter().all(|part| part.matches(tag))
    }
}

impl Part {
    fn matches(&self, tag: &Tag<'_>) -> bool {
        match self {
            Self::Any => true,
            Self::Name(name) => tag.name.eq_ignore_ascii_case(name),
            Self::Id(id) => tag.attributes.value(AttributeName::Id).is_some_and(|value| value == *id),
            Self::Class(class) => {
                let value = tag.attributes.value(AttributeName::Class);
                value.is_some_and(|value| value.split_ascii_whitespace().any(|word| word == class))
            }
            Self::Attribute(name, test) => tag.attributes.named(name).is_some_and(|value| test.passes(&value)),
            Self::FirstChild => tag.is_first,
            Self::Not(compounds) => !compounds.iter().any(|compound| compound.matches(tag)),
        }
    }
}

impl Test {
    fn passes(&self, value: &str) -> bool {
        if self.ignores_case {
            return self.operator.holds(&value.to_ascii_lowercase(), &self.expected.to_ascii_lowercase());
        }
        self.operator.holds(value, &self.expected)
    }
}

impl Operator {
    fn holds(self, value: &str, expected: &str) -> bool {
        // As in CSS, a part that is empty is in nothing.
        match self {
            Self::IsThere => true,
            Self::Equals => value == expected,
            Self::HasWord => value.split_ascii_whitespace().any(|word| word == expected),
            Self::IsOrIsBelow => {
                value.strip_prefix(expected).is_some_and(|rest| rest.is_empty() || rest.starts_with('-'))
            }
            Self::StartsWith => !expected.is_empty() && value.starts_with(expected),
            Self::EndsWith => !expected.is_empty() && value.ends_with(expected),
            Self::Contains => !expected.is_empty() && value.contains(expected),
        }
    }
}

/// Why a selector is refused.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("invalid selector `{selector}`: {why}")]
pub struct SelectorProblem {
    selector: String,
    why: String,
}
