//! A page built from parts, so that a test declares its links and the truth follows.
//!
//! HTML added with [`Page::html`] or [`Page::head`] is sent unchanged, and its links do not enter the truth.

use std::fmt::Write;

use crate::reply::Reply;

/// An HTML page, `200 OK`.
#[derive(Debug, Clone, Default)]
pub struct Page {
    title: String,
    head: String,
    body: String,
    links: Vec<Link>,
    resources: Vec<String>,
    pad_to: usize,
    status: Option<u16>,
    bytes: Option<(String, Vec<u8>)>,
}

/// A declared link.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Link {
    pub(crate) href: String,
    pub(crate) is_followed: bool,
}

impl Page {
    /// An empty page with a title, which is also its heading.
    pub fn titled(title: &str) -> Self {
        Self { title: title.to_owned(), ..Self::default() }
    }

    /// A link with its URL as the text.
    pub fn link(self, href: &str) -> Self {
        self.link_text(href, href)
    }

    /// A link with a given text.
    pub fn link_text(mut self, href: &str, text: &str) -> Self {
        self.declare(href, true);
        self.add(format_args!("<p><a href=\"{}\">{}</a></p>", escape(href), escape(text)))
    }

    /// A link per URL.
    pub fn links<T: AsRef<str>>(self, hrefs: impl IntoIterator<Item = T>) -> Self {
        hrefs.into_iter().fold(self, |page, href| page.link(href.as_ref()))
    }

    /// A link with `rel="nofollow"`.
    pub fn nofollow_link(mut self, href: &str) -> Self {
        self.declare(href, false);
        self.add(format_args!("<p><a href=\"{0}\" rel=\"nofollow\">{0}</a></p>", escape(href)))
    }

    /// A navigation with a link per URL.
    pub fn nav<T: AsRef<str>>(mut self, hrefs: impl IntoIterator<Item = T>) -> Self {
        self.body.push_str("<nav><ul>");
        for href in hrefs {
            self.declare(href.as_ref(), true);
            self = self.add(format_args!("<li><a href=\"{0}\">{0}</a></li>", escape(href.as_ref())));
        }
        self.add(format_args!("</ul></nav>"))
    }

    /// An image.
    pub fn image(mut self, src: &str) -> Self {
        self.resources.push(src.to_owned());
        self.add(format_args!("<img src=\"{}\" alt=\"\">", escape(src)))
    }

    /// A stylesheet in the head.
    pub fn stylesheet(mut self, href: &str) -> Self {
        self.resources.push(href.to_owned());
        self.add_head(format_args!("<link rel=\"stylesheet\" href=\"{}\">", escape(href)))
    }

    /// A script at the current end of the body.
    pub fn script(mut self, src: &str) -> Self {
        self.resources.push(src.to_owned());
        self.add(format_args!("<script src=\"{}\"></script>", escape(src)))
    }

    /// A paragraph.
    pub fn text(self, words: &str) -> Self {
        self.add(format_args!("<p>{}</p>", escape(words)))
    }

    /// Raw HTML, appended to the body.
    pub fn html(mut self, snippet: &str) -> Self {
        self.body.push_str(snippet);
        self
    }

    /// Raw HTML, appended to the head.
    pub fn head(mut self, snippet: &str) -> Self {
        self.head.push_str(snippet);
        self
    }

    /// A canonical link. It is a hint, not a link: it adds nothing to the truth.
    pub fn canonical(self, href: &str) -> Self {
        self.add_head(format_args!("<link rel=\"canonical\" href=\"{}\">", escape(href)))
    }

    /// An alternate in another language; adds nothing to the truth.
    pub fn hreflang(self, language: &str, href: &str) -> Self {
        let href = escape(href);
        self.add_head(format_args!("<link rel=\"alternate\" hreflang=\"{language}\" href=\"{href}\">"))
    }

    /// A meta tag.
    pub fn meta(self, name: &str, content: &str) -> Self {
        self.add_head(format_args!("<meta name=\"{}\" content=\"{}\">", escape(name), escape(content)))
    }

    /// A noindex directive.
    pub fn noindex(self) -> Self {
        self.meta("robots", "noindex")
    }

    /// A form that crawlers should not submit; adds nothing to the truth.
    pub fn form(self, action: &str) -> Self {
        self.add(format_args!(
            "<form action=\"{}\" method=\"post\"><input name=\"q\"><button>Send</button></form>",
            escape(action)
        ))
    }

    /// Fills the page with words until it has about this many bytes.
    pub fn pad_to(mut self, bytes: usize) -> Self {
        self.pad_to = bytes;
        self
    }

    /// Responds with another status than 200.
    pub fn status(mut self, status: u16) -> Self {
        self.status = Some(status);
        self
    }

    /// Sends these bytes with this `Content-Type` instead of the page; the declared links stay the truth.
    pub fn encoded_as(mut self, content_type: &str, bytes: impl Into<Vec<u8>>) -> Self {
        self.bytes = Some((content_type.to_owned(), bytes.into()));
        self
    }

    /// The page as HTML with its placeholders.
    pub fn to_html(&self) -> String {
        let title = escape(&self.title);
        let mut html = format!(
            "<!doctype html>\n<html lang=\"en\"><head><meta charset=\"utf-8\"><title>{title}</title>{}</head>\n\
             <body><h1>{title}</h1>\n{}",
            self.head, self.body
        );
        while html.len() + 20 < self.pad_to {
            html.push_str("<p>The quick brown fox jumps over the lazy dog.</p>\n");
        }
        html.push_str("</body></html>\n");
        html
    }

    pub(crate) fn reply(&self) -> Reply {
        let reply = match &self.bytes {
            Some((content_type, bytes)) => Reply::bytes(content_type, bytes.clone()),
            None => Reply::html(self.to_html()),
        };
        reply.with_status(self.truth_status())
    }

    pub(crate) fn truth_status(&self) -> u16 {
        self.status.unwrap_or(200)
    }

    pub(crate) fn declared_links(&self) -> &[Link] {
        &self.links
    }

    pub(crate) fn declared_resources(&self) -> &[String] {
        &self.resources
    }

    fn declare(&mut self, href: &str, is_followed: bool) {
        self.links.push(Link { href: href.to_owned(), is_followed });
    }

    fn add(mut self, html: std::fmt::Arguments<'_>) -> Self {
        writeln!(self.body, "{html}").expect("writing to a String cannot fail");
        self
    }

    fn add_head(mut self, html: std::fmt::Arguments<'_>) -> Self {
        writeln!(self.head, "{html}").expect("writing to a String cannot fail");
        self
    }
}

/// Text escaped for HTML, also in attributes.
pub(crate) fn escape(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;").replace('"', "&quot;")
}
