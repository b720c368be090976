//! Text from the web, made harmless: the only kind of foreign text that a report can contain.

use maud::{Markup, Render, html};

use crate::secrets::Secrets;

/// The longest text, in characters.
const LONGEST: usize = 240;
/// What remains of the end of a text that is too long.
const KEPT_AT_THE_END: usize = 40;
/// The longest URL that is a link.
const LONGEST_LINK: usize = 2_000;

/// Text from the web: secrets are masked, control characters replaced, and the middle of a long text is left out.
/// It is escaped whenever it is rendered.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Web(String);

impl Web {
    pub(super) fn new(text: &str) -> Self {
        let shown = Secrets::Masked.show(text);
        let count = shown.chars().count();
        let harmless = shown.chars().map(|character| if is_harmful(character) { '\u{fffd}' } else { character });
        Self(if count <= LONGEST {
            harmless.collect()
        } else {
            let start = harmless.clone().take(LONGEST - KEPT_AT_THE_END - 1);
            start.chain(['…']).chain(harmless.skip(count - KEPT_AT_THE_END)).collect()
        })
    }
}

impl Render for Web {
    fn render_to(&self, buffer: &mut String) {
        self.0.as_str().render_to(buffer);
    }
}

/// Characters that no text needs, and those that turn the direction of what follows.
fn is_harmful(character: char) -> bool {
    character.is_control()
        || matches!(character, '\u{200e}' | '\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}')
}

/// A URL of the run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Link {
    /// Where it leads; `None` if it contains a secret, or is too long.
    href: Option<String>,
    /// Without scheme and host, if it is of the site.
    shown: Web,
}

impl Link {
    /// A URL, shown without the origin of the site.
    pub(super) fn new(url: &str, origin: &str) -> Self {
        let path = url.strip_prefix(origin).filter(|path| path.starts_with('/') && !origin.is_empty());
        let is_http = url.starts_with("https://") || url.starts_with("http://");
        let is_shown = Secrets::Masked.show(url) == url;
        let href = (is_http && is_shown && url.len() <= LONGEST_LINK).then(|| url.to_owned());
        // The rest of a masked URL would not be recognised as one.
        let shown = if is_shown { Web::new(path.unwrap_or(url)) } else { Web::new(url) };
        Self { href, shown }
    }
}

impl Render for Link {
    fn render(&self) -> Markup {
        html! {
            @match &self.href {
                Some(href) => a.url href=(href) rel="noopener noreferrer nofollow" { bdi { (self.shown) } },
                None => bdi.url { (self.shown) },
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_of_the_web_is_escaped_shortened_and_masked() {
        let check = |text: &str, expected: &str| assert_eq!(Web::new(text).render().into_string(), expected);
        check("<script>alert(1)</script>", "&lt;script&gt;alert(1)&lt;/script&gt;");
        check("\"><img src=x onerror=alert(1)>", "&quot;&gt;&lt;img src=x onerror=alert(1)&gt;");
        check("a\u{202e}b\u{0}c\u{1b}[31m", "a\u{fffd}b\u{fffd}c\u{fffd}[31m");
        check("https://a.test/?token=abc", "https://a.test/?token=***");
        let long = Web::new(&"ä".repeat(500)).0;
        assert_eq!(long.chars().count(), LONGEST);
    }

    #[test]
    fn only_harmless_urls_are_links() {
        let check = |url: &str, expected: &str| {
            assert_eq!(Link::new(url, "https://a.test").render().into_string(), expected, "{url}");
        };
        check(
            "https://a.test/b?c=%22d",
            r#"<a class="url" href="https://a.test/b?c=%22d" rel="noopener noreferrer nofollow"><bdi>/b?c=%22d</bdi></a>"#,
        );
        check("javascript:alert(1)", r#"<bdi class="url">javascript:alert(1)</bdi>"#);
        check("https://a.test/?key=1", r#"<bdi class="url">https://a.test/?key=***</bdi>"#);
        check(
            "https://a.testing/",
            r#"<a class="url" href="https://a.testing/" rel="noopener noreferrer nofollow"><bdi>https://a.testing/</bdi></a>"#,
        );
        assert!(Link::new(&format!("https://a.test/{}", "x".repeat(3_000)), "").href.is_none());
    }
}
