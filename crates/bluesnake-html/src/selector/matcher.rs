//! Applies selectors to the elements of a page, one after the other.
//!
//! A selector is a chain of steps, one per compound. Every open element remembers which steps end at it, at one of its
//! ancestors, at its last child and at any of its children so far: that is all a combinator asks for.

use super::{Combinator, Compound, Selector, Tag};
use crate::Attributes;

/// One compound of a selector.
#[derive(Debug)]
struct Step<'s> {
    compound: &'s Compound,
    /// The step before it in the chain, and how it is connected.
    after: Option<(Combinator, usize)>,
    /// The selector that matches when this step does, if it is the last one.
    selector: Option<usize>,
}

/// Selectors and the open elements of a page.
#[derive(Debug)]
pub struct Matcher<'s> {
    steps: Vec<Step<'s>>,
    open: Vec<Remembered>,
    matched: Vec<usize>,
}

/// What an open element remembers: sets of steps.
#[derive(Clone, Debug)]
struct Remembered {
    own: Steps,
    /// Its own and those of its ancestors.
    path: Steps,
    last_child: Steps,
    children: Steps,
    has_children: bool,
}

/// A set of steps.
#[derive(Clone, Debug, Default)]
struct Steps(Box<[u64]>);

impl Steps {
    fn none_of(steps: usize) -> Self {
        Self(vec![0; steps.div_ceil(64)].into())
    }

    fn has(&self, step: usize) -> bool {
        self.0[step / 64] >> (step % 64) & 1 == 1
    }

    fn add(&mut self, step: usize) {
        self.0[step / 64] |= 1 << (step % 64);
    }

    fn add_all(&mut self, others: &Self) {
        self.0.iter_mut().zip(&others.0).for_each(|(steps, others)| *steps |= others);
    }
}

impl<'s> Matcher<'s> {
    /// A matcher for these selectors; `None` if there are none.
    pub fn new(selectors: impl Iterator<Item = &'s Selector>) -> Option<Self> {
        let mut steps = Vec::new();
        for (selector, one) in selectors.enumerate() {
            for complex in &one.alternatives {
                for (at, (combinator, compound)) in complex.iter().enumerate() {
                    let after = (at > 0).then(|| (*combinator, steps.len() - 1));
                    let selector = (at + 1 == complex.len()).then_some(selector);
                    steps.push(Step { compound, after, selector });
                }
            }
        }
        (!steps.is_empty()).then(|| Self { steps, open: Vec::new(), matched: Vec::new() })
    }

    /// Opens an element, of which nothing is known yet.
    pub fn push(&mut self) {
        let none = Steps::none_of(self.steps.len());
        let path = self.open.last().map_or_else(|| none.clone(), |outer| outer.path.clone());
        let (last_child, children) = (none.clone(), none.clone());
        self.open.push(Remembered { own: none, path, last_child, children, has_children: false });
    }

    /// Closes elements until `length` are open.
    pub fn truncate(&mut self, length: usize) {
        self.open.truncate(length);
    }

    /// Closes one element but none of those inside it.
    pub fn remove(&mut self, place: usize) {
        if place < self.open.len() {
            self.open.remove(place);
        }
    }

    /// Learns the tag of the open element at this place; returns which selectors match it, each once. An element that
    /// is too deep to be open is a child of the last one.
    pub fn read(&mut self, place: usize, name: &str, attributes: &Attributes<'_>) -> &[usize] {
        let outer = place.checked_sub(1).and_then(|outer| self.open.get(outer));
        let tag = Tag { name, attributes, is_first: outer.is_none_or(|outer| !outer.has_children) };
        let mut own = Steps::none_of(self.steps.len());
        self.matched.clear();
        for (at, step) in self.steps.iter().enumerate() {
            let is_reached = match (step.after, outer) {
                (None, _) => true,
                (Some(_), None) => false,
                (Some((combinator, before)), Some(outer)) => match combinator {
                    Combinator::Descendant => outer.path.has(before),
                    Combinator::Child => outer.own.has(before),
                    Combinator::Next => outer.last_child.has(before),
                    Combinator::Later => outer.children.has(before),
                },
            };
            if is_reached && step.compound.matches(&tag) {
                own.add(at);
                let is_new = step.selector != self.matched.last().copied();
                self.matched.extend(step.selector.filter(|_| is_new));
            }
        }
        self.remember(place, own);
        &self.matched
    }

    fn remember(&mut self, place: usize, own: Steps) {
        if let Some(outer) = place.checked_sub(1).and_then(|outer| self.open.get_mut(outer)) {
            outer.children.add_all(&own);
            outer.last_child = own.clone();
            outer.has_children = true;
        }
        if let Some(element) = self.open.get_mut(place) {
            element.path.add_all(&own);
            element.own = own;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Token, Tokenizer};

    /// The ids of the elements that match, in well-formed HTML without void elements.
    fn found(selector: &str, html: &str) -> String {
        let selector: Selector = selector.parse().unwrap_or_else(|problem| panic!("{problem}"));
        let mut matcher = Matcher::new([&selector].into_iter()).unwrap();
        let mut tokenizer = Tokenizer::new(html);
        let (mut depth, mut ids) = (0, String::new());
        while let Some(token) = tokenizer.next() {
            match token {
                Token::Start(start) => {
                    let attributes = tokenizer.take_attributes();
                    matcher.push();
                    if !matcher.read(depth, start.name, &attributes).is_empty() {
                        ids += &attributes.named("id").unwrap_or_default();
                    }
                    depth += 1;
                }
                Token::End(_) => {
                    depth -= 1;
                    matcher.truncate(depth);
                }
                _ => {}
            }
        }
        ids
    }

    #[test]
    fn elements_are_found_by_name_id_class_and_attribute() {
        let check = |selector: &str, html: &str, expected: bool| {
            assert_eq!(found(selector, html) == "x", expected, "{selector} {html}");
        };
        check("a", "<A id=x>", true);
        check("a", "<ab id=x>", false);
        check("*", "<x-y id=x>", true);
        check("#x", "<p id=x>", true);
        check("p.note.red", "<p id=x class='red  note'>", true);
        check("p.note.red", "<p id=x class='red-note'>", false);
        check(".md\\:flex", "<p id=x class='md:flex'>", true);
        check("[data-x]", "<p id=x DATA-X>", true);
        check("a[rel=next]", "<a id=x rel='next'>", true);
        check("a[rel='next']", "<a id=x rel='nofollow next'>", false);
        check("a[rel~='next']", "<a id=x rel='nofollow next'>", true);
        check("[lang|=en]", "<p id=x lang=en-GB>", true);
        check("[lang|=en]", "<p id=x lang=eng>", false);
        check("a[href^='https:'][href$=\".pdf\"]", "<a id=x href=https:x.pdf>", true);
        check("a[href$='.pdf' i]", "<a id=x href=x.PDF>", true);
        check("a[href$='.pdf']", "<a id=x href=x.PDF>", false);
        check("a[href*=b]", "<a id=x href=abc>", true);
        check("a[href*='']", "<a id=x href=abc>", false);
        check("h1, h2 ,[role = main ]", "<h2 id=x>", true);
        check("h1, h2 ,[role = main ]", "<b id=x role=main>", true);
        check("a:not([rel])", "<a id=x>", true);
        check("a:not([rel], .y)", "<a id=x class=y>", false);
        check("a:not(.y):not(.z)", "<a id=x class=z>", false);
    }

    const PAGE: &str =
        "<main id=m class=c><h2 id=h></h2><p id=a><b id=b><i id=i></i></b></p><ul id=u></ul><p id=d></p></main>";

    #[test]
    fn elements_are_found_by_the_elements_around_them() {
        let check = |selector: &str, expected: &str| assert_eq!(found(selector, PAGE), expected, "{selector}");
        check("main p", "ad");
        check("main i", "i");
        check("main > i", "");
        check(".c > p > b", "b");
        check("main b i", "i");
        check("main > b i", "");
        check("p p", "");
        check("h2 + p", "a");
        check("h2 ~ p", "ad");
        check("h2+p b>i", "i");
        check("ul + p, h2 ~ ul", "ud");
        check("p:first-child", "");
        check("main > :first-child", "h");
        check("main > *", "haud");
        check("main *", "habiud");
        check("main p, p", "ad");
        check("h2 ~ p > b > i", "i");
        check("p + p", "");
    }

    #[test]
    fn an_element_that_is_removed_leaves_those_inside_it() {
        let (form, input): (Selector, Selector) = ("form b".parse().unwrap(), "div > b".parse().unwrap());
        let mut matcher = Matcher::new([&form, &input].into_iter()).unwrap();
        let none = Attributes::default();
        for (place, name) in ["html", "form", "div"].into_iter().enumerate() {
            matcher.push();
            matcher.read(place, name, &none);
        }
        matcher.remove(1);
        matcher.push();
        assert_eq!(matcher.read(2, "b", &none), [0, 1]);
    }
}
