//! Links and images with absolute addresses.

use url::Url;

use crate::tree::{Attr, NodeId, Tree};

#[derive(Debug)]
pub(super) struct Links<'a> {
    base: &'a Url,
    /// The page without a fragment: what `#part` is appended to.
    page: String,
}

impl<'a> Links<'a> {
    pub(super) fn new(base: &'a Url) -> Self {
        let page = base.as_str().split('#').next().unwrap_or_default().to_owned();
        Self { base, page }
    }

    /// `None` for scripts and for what is no address.
    pub(super) fn absolute(&self, href: &str) -> Option<String> {
        let href = href.trim();
        if href.is_empty() || is_script(href) {
            return None;
        }
        if href.starts_with('#') {
            return Some(format!("{}{href}", self.page));
        }
        let is_absolute = href.starts_with("https://") || href.starts_with("http://");
        if is_absolute && href.bytes().all(|byte| byte.is_ascii_graphic() && byte != b'\\') {
            return Some(href.to_owned());
        }
        self.base.join(href).ok().map(String::from)
    }

    /// The address of an image; lazy ones hide it. Pictures written into the page itself have none.
    pub(super) fn image(&self, tree: &Tree, id: NodeId) -> Option<String> {
        let sources = [Attr::Src, Attr::DataSrc].into_iter().filter_map(|name| tree.attr(id, name));
        let mut real = sources.filter(|source| !source.trim_start().starts_with("data:"));
        real.find_map(|source| self.absolute(source))
    }
}

fn is_script(href: &str) -> bool {
    let scheme = href.split(':').next().unwrap_or_default();
    ["javascript", "vbscript", "data"].iter().any(|known| scheme.eq_ignore_ascii_case(known))
}
