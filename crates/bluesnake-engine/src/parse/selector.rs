//! Callbacks for elements of a page, chosen by CSS selectors.
//!
//! The selectors themselves are those of [`bluesnake_html`]; here is what a callback sees of an element.

use std::borrow::Cow;
use std::fmt;
use std::sync::Arc;

use bluesnake_html::Attributes;
pub use bluesnake_html::{Selector, SelectorProblem};

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
