//! A page with a planted problem: a sound template with slots, some of which have other content.

use std::time::Duration;

use crate::prose::{Language, Prose};
use crate::reply::Reply;

/// The frame of every page. A slot is a word in brackets.
const TEMPLATE: &str = "[doctype][html][head][charset][title][description][viewport][canonical][icon][social][data][/head]\n\
    [body]<header>[brand][menu]</header>\n[trail]<main>[h1]\n<p>[summary]</p>\n[h2]\n[text][links]</main>\n\
    <footer>[foot]</footer>[/body]</html>\n";

/// The slots of a sound page. `[name]` is the name of the page, `[url]` its URL.
#[rustfmt::skip]
const SOUND: &[(&str, &str)] = &[
    ("[doctype]", "<!doctype html>\n"),
    ("[html]", "<html lang=\"en\">"),
    ("[head]", "<head>"),
    ("[charset]", "<meta charset=\"utf-8\">"),
    ("[title]", "<title>About [name] on this planted site</title>\n"),
    ("[description]", "<meta name=\"description\" content=\"Everything a visitor may want to know about [name], told in a few plain words.\">\n"),
    ("[viewport]", "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"),
    ("[canonical]", "<link rel=\"canonical\" href=\"[url]\">\n"),
    ("[icon]", "<link rel=\"icon\" href=\"{self}/media/icon.png\">\n"),
    ("[social]", "[og-title][og-description][og-image]"),
    ("[og-title]", "<meta property=\"og:title\" content=\"About [name]\">\n"),
    ("[og-description]", "<meta property=\"og:description\" content=\"Everything about [name].\">\n"),
    ("[og-image]", "<meta property=\"og:image\" content=\"{host:cdn.planted.test}/social.png\">\n"),
    ("[data]", "<script type=\"application/ld+json\">{\"@context\": \"https://schema.org\", \"@type\": \"WebPage\", \"name\": \"[name]\"}</script>\n"),
    ("[/head]", "</head>"),
    ("[body]", "<body>"),
    ("[/body]", "</body>"),
    ("[brand]", "<p><a href=\"{self}/\">Planted problems</a></p>"),
    ("[trail]", "<nav class=\"breadcrumb\"><a href=\"{self}/\">Start page</a></nav>\n"),
    ("[h1]", "<h1>All about [name]</h1>"),
    ("[h2]", "<h2>More about [name]</h2>"),
    ("[links]", ""),
    ("[foot]", "<p><a href=\"{self}/about\">About this site</a></p>"),
];

/// The headers of a sound response.
const HEADERS: [(&str, &str); 5] = [
    ("Strict-Transport-Security", "max-age=31536000"),
    ("Content-Security-Policy", "default-src 'self' https:"),
    ("X-Content-Type-Options", "nosniff"),
    ("X-Frame-Options", "SAMEORIGIN"),
    ("Referrer-Policy", "strict-origin-when-cross-origin"),
];

/// A page, what differs from a sound one, and what an audit must report about it.
#[derive(Clone, Copy)]
pub(super) struct Leaf<'a> {
    pub(super) path: &'a str,
    /// Ids of checks, each with `=` and its detail if that is declared.
    pub(super) reports: &'a [&'a str],
    slots: &'a [(&'a str, &'a str)],
    name: &'a str,
    headers: &'a [(&'a str, &'a str)],
    lacks: &'a [&'a str],
    text: Text,
    delay: Duration,
    pub(super) is_listed: bool,
    pub(super) is_linked: bool,
    is_compressed: bool,
    pub(super) is_plain: bool,
}

/// The main text of a page.
#[derive(Clone, Copy)]
pub(super) enum Text {
    /// Sentences that no other page has.
    Own,
    /// 84 sentences named `of`, except that this page has its own ones `from` .. `until`.
    Shared { of: &'static str, from: usize, until: usize },
}

const SHARED_SENTENCES: usize = 168;

/// A page that is linked, listed in the sitemap, and has these slots.
pub(super) const fn page<'a>(path: &'a str, reports: &'a [&'a str], slots: &'a [(&'a str, &'a str)]) -> Leaf<'a> {
    Leaf {
        path,
        reports,
        slots,
        name: "",
        headers: &[],
        lacks: &[],
        text: Text::Own,
        delay: Duration::ZERO,
        is_listed: true,
        is_linked: true,
        is_compressed: true,
        is_plain: false,
    }
}

impl<'a> Leaf<'a> {
    /// Another name than that of the path; pages of one name have equal titles, headings and texts.
    pub(super) const fn named(self, name: &'a str) -> Self {
        Self { name, ..self }
    }

    /// Is in no sitemap.
    pub(super) const fn unlisted(self) -> Self {
        Self { is_listed: false, ..self }
    }

    /// Is not linked from the page of its section.
    pub(super) const fn unlinked(self) -> Self {
        Self { is_linked: false, ..self }
    }

    /// Is sent after this time.
    pub(super) const fn after(self, delay: Duration) -> Self {
        Self { delay, ..self }
    }

    /// Is sent without compression.
    pub(super) const fn uncompressed(self) -> Self {
        Self { is_compressed: false, ..self }
    }

    /// Is linked and listed with its http URL.
    pub(super) const fn plain(self) -> Self {
        Self { is_plain: true, ..self }
    }

    /// Has more headers, or another Content-Type.
    pub(super) const fn with(self, headers: &'a [(&'a str, &'a str)]) -> Self {
        Self { headers, ..self }
    }

    /// Is sent without these headers.
    pub(super) const fn without(self, lacks: &'a [&'a str]) -> Self {
        Self { lacks, ..self }
    }

    /// Has this main text.
    pub(super) const fn text(self, text: Text) -> Self {
        Self { text, ..self }
    }

    /// Its URL with placeholders.
    pub(super) fn url(&self) -> String {
        let path = self.path;
        if self.is_plain { format!("http://www.planted.test:{{port}}{path}") } else { format!("{{self}}{path}") }
    }

    /// Its name, of at most 24 characters.
    pub(super) fn name(&self) -> String {
        if !self.name.is_empty() {
            return self.name.to_owned();
        }
        let words: Vec<&str> =
            self.path.split(|letter: char| !letter.is_ascii_alphanumeric()).filter(|word| !word.is_empty()).collect();
        let name: String = words.join(" ").chars().take(24).collect();
        name.trim_end().to_owned()
    }

    /// The page as HTML with its placeholders. `menu` has links to the sections.
    fn html(&self, menu: &str) -> String {
        let filled = self.slots.iter().fold(TEMPLATE.to_owned(), |html, (slot, content)| html.replace(slot, content));
        let sound = SOUND.iter().fold(filled, |html, (slot, content)| html.replace(slot, content));
        let mut prose = Prose::of(&self.name(), Language::English);
        let summary = prose.sentence();
        sound
            .replace("[menu]", menu)
            .replace("[summary]", &summary)
            .replace("[text]", &self.body(prose))
            .replace("[name]", &self.name())
            .replace("[url]", &self.url())
    }

    fn body(&self, mut own: Prose) -> String {
        let Text::Shared { of, from, until } = self.text else { return own.paragraphs(220) };
        let mut shared = Prose::of(of, Language::English);
        let sentences: Vec<String> = (0..SHARED_SENTENCES)
            .map(|at| {
                let common = shared.sentence();
                if (from..until).contains(&at) { own.sentence() } else { common }
            })
            .collect();
        sentences.chunks(6).map(|paragraph| format!("<p>{}</p>\n", paragraph.join(" "))).collect()
    }

    /// The response with its headers.
    pub(super) fn reply(&self, menu: &str) -> Reply {
        let reply = Reply::html(self.html(menu));
        let sound = HEADERS.iter().filter(|(name, _)| !self.lacks.contains(name));
        let all = sound.chain(self.headers);
        let reply = all.fold(reply.delay(self.delay), |reply, (name, value)| reply.header(name, value));
        if self.is_compressed { reply.encode("gzip") } else { reply }
    }
}
