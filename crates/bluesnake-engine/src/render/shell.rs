//! Whether a document is only the shell of a page, filled in by its scripts.
//!
//! Judged by the document alone. A page with text of its own is not a shell, whatever scripts it has.

use bluesnake_html::{AttributeName, StartTag, Token, Tokenizer};

use super::RenderReason;

/// A page with this many words of its own is readable without its scripts.
pub(crate) const FEW_WORDS: usize = 40;
/// What a page may say while it loads.
const LOADING_WORDS: usize = 5;
/// Shorter inline scripts do not build a page.
const SMALL_SCRIPT: usize = 200;
/// Where frameworks put their application, by id.
const ROOTS: [&str; 9] =
    ["root", "app", "__next", "__nuxt", "___gatsby", "svelte", "application", "app-root", "react-root"];
/// How pages ask for JavaScript, in lower case.
const REQUESTS: [&str; 7] = [
    "enable javascript",
    "enable java script",
    "turn on javascript",
    "activate javascript",
    "requires javascript",
    "javascript is required",
    "javascript is disabled",
];

/// Why a document counts as a shell, if it does.
pub(crate) fn shell(html: &str) -> Option<RenderReason> {
    let mut sight = Sight::default();
    let mut tokens = Tokenizer::new(html);
    while let Some(token) = tokens.next() {
        match token {
            Token::Start(tag) => sight.enter(&tag, &tokens),
            Token::End(tag) => sight.leave(tag.name),
            Token::Text(text) => sight.read(text.raw),
            Token::Comment(_) | Token::Doctype => {}
        }
        if sight.words >= FEW_WORDS {
            return None;
        }
    }
    sight.judge()
}

/// What has been seen of a document.
#[derive(Default)]
struct Sight {
    words: usize,
    has_script: bool,
    has_content: bool,
    has_empty_root: bool,
    asks_for_scripts: bool,
    /// The element of which the next text is not visible.
    hidden: Option<Box<str>>,
    /// The name of a root element that is empty so far.
    open_root: Option<Box<str>>,
    is_inline_script: bool,
}

impl Sight {
    fn enter(&mut self, tag: &StartTag<'_>, tokens: &Tokenizer<'_>) {
        let name = tag.name.to_ascii_lowercase();
        let attributes = tokens.attributes();
        self.open_root = None;
        match name.as_str() {
            "script" => {
                let kind = attributes.value(AttributeName::Type).unwrap_or_default().to_ascii_lowercase();
                let is_code = kind.is_empty() || kind == "module" || kind.ends_with("javascript");
                self.has_script |= is_code && attributes.has(AttributeName::Src);
                self.is_inline_script = is_code;
            }
            "a" | "img" | "form" | "iframe" | "video" if self.hidden.is_none() => self.has_content = true,
            _ => {}
        }
        let is_root = attributes.value(AttributeName::Id).is_some_and(|id| ROOTS.contains(&&*id)) || name == "app-root";
        if is_root && self.hidden.is_none() {
            self.open_root = Some(name.as_str().into());
        }
        if self.hidden.is_none() && matches!(name.as_str(), "script" | "style" | "title" | "noscript" | "template") {
            self.hidden = Some(name.into());
        }
    }

    fn leave(&mut self, name: &str) {
        let is = |open: &Option<Box<str>>| open.as_deref().is_some_and(|open| open.eq_ignore_ascii_case(name));
        self.has_empty_root |= is(&self.open_root);
        self.open_root = None;
        if is(&self.hidden) {
            self.hidden = None;
        }
    }

    fn read(&mut self, text: &str) {
        if text.trim().is_empty() {
            return;
        }
        match self.hidden.as_deref() {
            Some("script") => self.has_script |= self.is_inline_script && text.len() >= SMALL_SCRIPT,
            Some("style" | "title" | "template") => {}
            hidden => {
                let lower = text.to_ascii_lowercase();
                self.asks_for_scripts |= REQUESTS.iter().any(|request| lower.contains(request));
                if hidden.is_none() {
                    self.open_root = None;
                    self.words += text.split_ascii_whitespace().count();
                }
            }
        }
    }

    fn judge(&self) -> Option<RenderReason> {
        match self.has_script {
            false => None,
            true if self.has_empty_root => Some(RenderReason::EmptyRoot),
            true if self.asks_for_scripts => Some(RenderReason::EnableJavaScript),
            true if self.words <= LOADING_WORDS && !self.has_content => Some(RenderReason::ScriptsOnly),
            true => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shells_are_told_from_pages() {
        let check = |html: &str, expected| assert_eq!(shell(html), expected, "{html}");
        let script = r#"<script src="/app.js"></script>"#;
        check(&format!(r#"<div id="root"></div>{script}"#), Some(RenderReason::EmptyRoot));
        check(&format!("<app-root>\n <!-- x --></app-root>{script}"), Some(RenderReason::EmptyRoot));
        check(&format!(r#"<div id="root"><p>Hello from a page rendered on the server</p></div>{script}"#), None);
        let asks =
            format!("<noscript>You need to enable JavaScript to run this app.</noscript><a href=/>x</a>{script}");
        check(&asks, Some(RenderReason::EnableJavaScript));
        check(&format!("<title>A title</title><p>Loading …</p>{script}"), Some(RenderReason::ScriptsOnly));
        check(&format!("<body><script>{}</script>", "a();".repeat(60)), Some(RenderReason::ScriptsOnly));
        check("<script>ga('send')</script>", None);
        check(r#"<script type="application/ld+json" src="x">{}</script>"#, None);
        check(&format!("<p>Hello, this is a short page.</p><a href=/b>more</a>{script}"), None);
        check(r#"<div id="root"></div>"#, None);
        check("", None);
    }

    #[test]
    fn a_page_with_text_is_never_a_shell() {
        let text = "word ".repeat(FEW_WORDS);
        let html =
            format!(r#"<div id="root"></div><p>{text}</p>Please enable JavaScript<script src="/a.js"></script>"#);
        assert_eq!(shell(&html), None);
    }
}
