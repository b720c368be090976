//! What classes, ids and roles say about an element: tables of names, each looked up once per page.
//!
//! [`Meaning::of`] interprets one name. Exact names come first ([`EXACT`]); then the words a name is made of
//! ([`WORDS`]), so that `styles_sidebar__x1` and `MuiBreadcrumbs-root` are understood without being listed.

mod names;

use std::sync::LazyLock;

use hashbrown::HashMap;

use crate::framework::Framework;
use crate::removal::Reason;
use names::{EXACT, MODIFIERS, WORDS};

/// What an element is to the writer, beyond its tag.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) enum Shape {
    #[default]
    Plain,
    Admonition,
    AdmonitionTitle,
    /// A table or list whose cells are lines of code.
    CodeTable,
    Katex,
    KatexDisplay,
    /// TeX between `\(` and `\)`, or `\[` and `\]`.
    Math,
    FootnoteReference,
    Footnote,
    /// A list whose items are footnotes.
    Footnotes,
    TabList,
    TabLabel,
    TabPanel,
    /// Code blocks in tabs: the labels first, then the blocks.
    CodeGroup,
    /// A signature in an API reference: code, although not marked up as such.
    Signature,
    /// An operation of an API: its method and its path.
    Operation,
    /// The title of the page, although not marked up as a heading.
    Title,
    /// Lines of code, although not marked up as such.
    Code,
    /// A note, if it has a title or a table of its own, as DocBook writes them.
    MaybeAdmonition,
    /// A line of links to the next, the previous and the upper page, as Texinfo writes them.
    MaybePager,
}

/// The meaning of one name.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Meaning {
    pub(crate) drop: Option<Reason>,
    /// The name itself is known, not only a word in it.
    pub(crate) is_exact: bool,
    pub(crate) shape: Shape,
    /// This element contains the page's content; lower ranks are more certain.
    pub(crate) root: Option<u8>,
    pub(crate) framework: Option<Framework>,
}

impl Meaning {
    pub(crate) fn of(name: &str) -> Self {
        if let Some(meaning) = EXACT_BY_NAME.get(name) {
            return *meaning;
        }
        let of_module = name.split_once('_').and_then(|(base, _)| EXACT_BY_NAME.get(base));
        match of_module {
            // `admonitionHeading_x1` is what CSS modules make of `admonitionHeading`.
            Some(meaning) if meaning.root.is_none() => *meaning,
            _ => Self { drop: reason_of_words(name), ..Self::default() },
        }
    }

    const fn drop(reason: Reason) -> Self {
        Self { drop: Some(reason), ..Self::keep() }
    }

    const fn shape(shape: Shape) -> Self {
        Self { shape, ..Self::keep() }
    }

    const fn root(rank: u8) -> Self {
        Self { root: Some(rank), ..Self::keep() }
    }

    const fn root_of(rank: u8, framework: Framework) -> Self {
        Self { root: Some(rank), ..Self::sign_of(framework) }
    }

    const fn sign_of(framework: Framework) -> Self {
        Self { framework: Some(framework), ..Self::keep() }
    }

    const fn keep() -> Self {
        Self { drop: None, is_exact: true, shape: Shape::Plain, root: None, framework: None }
    }
}

/// Ranks up to this one are names that a single framework gives to its content and nothing else has.
const KNOWN_RANK: u8 = 3;

/// Ranks up to this one are names of frameworks.
pub(crate) const FRAMEWORK_RANK: u8 = 5;

/// Names that usually mark the content.
pub(crate) const LIKELY_RANK: u8 = 6;

/// `role=main`
pub(crate) const ROLE_RANK: u8 = 9;

/// `<main>`
pub(crate) const MAIN_RANK: u8 = 10;

/// `<article>`
pub(crate) const ARTICLE_RANK: u8 = 11;

/// The rank of `itemprop=articleBody`.
pub(crate) const BODY_RANK: u8 = 2;

/// From this rank on, a name is so generic that it must contain nearly all of the text.
pub(crate) const WEAK_RANK: u8 = 12;

/// Whether such an element is the content however little it contains.
pub(crate) fn is_certain(rank: u8) -> bool {
    rank <= KNOWN_RANK || matches!(rank, ROLE_RANK | MAIN_RANK)
}

static EXACT_BY_NAME: LazyLock<HashMap<&str, Meaning>> = LazyLock::new(|| by_name(EXACT));
static REASON_BY_WORD: LazyLock<HashMap<&str, Reason>> = LazyLock::new(|| by_name(WORDS));

fn by_name<T: Copy>(table: &[(&'static str, T)]) -> HashMap<&'static str, T> {
    table.iter().flat_map(|(names, value)| names.split(' ').map(|name| (name, *value))).collect()
}

fn reason_of_words(name: &str) -> Option<Reason> {
    if name.len() > 100 || name.contains(':') {
        return None;
    }
    let mut lower = String::with_capacity(name.len());
    let mut before: Option<Reason> = None;
    for word in words(name) {
        lower.clear();
        lower.extend(word.chars().map(|letter| letter.to_ascii_lowercase()));
        if MODIFIERS.contains(&lower.as_str()) {
            return before;
        }
        before = before.or_else(|| REASON_BY_WORD.get(lower.as_str()).copied());
    }
    before
}

/// `styles_pageFooter__x1` is `styles`, `page`, `Footer`, `x`. What follows `--` is a variant and ignored.
fn words(name: &str) -> impl Iterator<Item = &str> {
    let name = name.split("--").next().unwrap_or_default();
    let parts = name.split(|letter: char| !letter.is_ascii_alphabetic()).filter(|part| !part.is_empty());
    parts.flat_map(|part| {
        let mut rest = part;
        std::iter::from_fn(move || {
            let end = rest
                .bytes()
                .zip(rest.bytes().skip(1))
                .position(|(a, b)| a.is_ascii_lowercase() && b.is_ascii_uppercase());
            let (word, behind) = rest.split_at(end.map_or(rest.len(), |end| end + 1));
            rest = behind;
            (!word.is_empty()).then_some(word)
        })
    })
}

#[cfg(test)]
mod tests {
    use super::{Meaning, words};
    use crate::removal::Reason;

    #[test]
    fn a_name_is_read_word_by_word() {
        let check = |name: &str, expected: &[&str]| assert_eq!(words(name).collect::<Vec<_>>(), expected);
        check("styles_pageFooter__x1", &["styles", "page", "Footer", "x"]);
        check("MuiBreadcrumbs-root", &["Mui", "Breadcrumbs", "root"]);
    }

    #[test]
    fn names_of_page_furniture_are_understood_and_names_of_layouts_are_not() {
        let check = |name: &str, expected: Option<Reason>| assert_eq!(Meaning::of(name).drop, expected, "{name}");
        check("styles_sidebar__x1", Some(Reason::Sidebar));
        check("MuiBreadcrumbs-root", Some(Reason::Breadcrumbs));
        check("cookie-banner", Some(Reason::Cookies));
        check("has-sidebar", None);
        check("layout-with-sidebar", None);
        check("headerlink", Some(Reason::Permalink));
        check("footnote", None);
        check("md:nav", None);
    }
}
