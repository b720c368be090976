//! Endless parts of a site.
//!
//! Every page is generated on request. The truth contains only the entry of a trap.

use bytes::Bytes;

use crate::page::Page;
use crate::random::Dice;
use crate::reply::Prepared;
use crate::words;

/// An endless part of a site, below the prefix it is declared with.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Trap {
    /// `prefix/2024/01` links to the months before and after it, forever.
    Calendar,
    /// `prefix?sid=…&page=n`: every response has new session ids in the links to the same five pages.
    SessionIds,
    /// `prefix/a/a/a/`: each page links to itself one level deeper.
    PathRepetition,
    /// `prefix?color=…&size=…`: every combination of six facets, in every order.
    Facets,
    /// Every path is a "not found" page with status 200 and links to more of them.
    SoftNotFound,
    /// The same, where each page shows its own path and links to paths one level below it.
    SoftNotFoundTree,
    /// `prefix/N` links to `prefix/N+1`; every page has its own title and text.
    Chain,
    /// The same, and each page also links to the two pages after that.
    Pager,
    /// `prefix/word/word-word`: pages of random text that link to seven more of them.
    Words,
    /// The same, where each page links to five children and to its siblings.
    Siblings,
    /// `prefix/(S(…))/n`: every response has a new session id in the links to the same five pages, and shows it.
    PathSessions,
    /// `prefix/N.css` imports `prefix/N+1.css`, and so on; each is this large.
    ImportChain {
        /// Bytes of each stylesheet.
        bytes: usize,
    },
    /// Every stylesheet imports ten others.
    ImportTree,
}

const FACETS: [(&str, [&str; 4]); 6] = [
    ("color", ["red", "green", "blue", "black"]),
    ("size", ["s", "m", "l", "xl"]),
    ("brand", ["acme", "globex", "initech", "umbrella"]),
    ("price", ["10", "20", "50", "100"]),
    ("sort", ["name", "price", "date", "rating"]),
    ("view", ["grid", "list", "table", "map"]),
];

impl Trap {
    /// The response at `target` below `prefix`; `number` counts the responses of all traps.
    pub(crate) fn answer(self, prefix: &str, target: &str, number: u64) -> Prepared {
        let css = |text: String| Prepared::resource("text/css", Bytes::from(text));
        let page = match self {
            Self::ImportChain { bytes } => return css(import_chain(prefix, target, bytes)),
            Self::ImportTree => return css(import_tree(prefix, target)),
            Self::SoftNotFoundTree => missing_tree(target),
            Self::Chain => numbered(prefix, target, 1),
            Self::Pager => numbered(prefix, target, 3),
            Self::Words => random_words(prefix, target),
            Self::Siblings => sibling(prefix, target),
            Self::PathSessions => path_session(prefix, target, number),
            Self::Calendar => month(prefix, target),
            Self::SessionIds => session(prefix, target, number),
            Self::PathRepetition => deeper(target),
            Self::Facets => facets(prefix, target),
            Self::SoftNotFound => maze(prefix, target),
        };
        Prepared::page(200, page.to_html())
    }
}

fn month(prefix: &str, target: &str) -> Page {
    let mut parts = target[prefix.len()..].split('/').filter_map(|part| part.parse::<i64>().ok());
    let (year, month) = (parts.next().unwrap_or(2024), parts.next().unwrap_or(1));
    let months = year * 12 + month - 1;
    let link = |months: i64| format!("{prefix}/{:04}/{:02}", months.div_euclid(12), months.rem_euclid(12) + 1);
    Page::titled(&format!("Calendar {year}-{month:02}")).text("Nothing happens this month.").links([
        link(months - 1),
        link(months + 1),
        link(months + 12),
    ])
}

fn session(prefix: &str, target: &str, number: u64) -> Page {
    let sid = Dice::new(number).next();
    let page = target.rsplit_once("page=").map_or("1", |(_, page)| page);
    Page::titled(&format!("Page {page} of your session"))
        .links((1..=5).map(|page| format!("{prefix}?sid={sid:016x}&page={page}")))
}

fn deeper(target: &str) -> Page {
    let last = target.trim_end_matches('/').rsplit('/').next().unwrap_or_default();
    Page::titled("The same again").link(&format!("{}/{last}/", target.trim_end_matches('/')))
}

fn facets(prefix: &str, target: &str) -> Page {
    let query = target.split_once('?').map_or("", |(_, query)| query);
    let chosen: Vec<&str> = query.split('&').filter(|part| !part.is_empty()).collect();
    let mut page = Page::titled("Shop").text("Shoes, shirts and hats.");
    for (facet, values) in FACETS {
        let others: Vec<&str> =
            chosen.iter().copied().filter(|part| part.split_once('=').is_none_or(|(name, _)| name != facet)).collect();
        for value in values {
            let mut parts = others.clone();
            let part = format!("{facet}={value}");
            parts.push(&part);
            page = page.link(&format!("{prefix}?{}", parts.join("&")));
        }
    }
    page
}

fn maze(prefix: &str, target: &str) -> Page {
    let mut dice = Dice::named(1, target);
    Page::titled("Page not found")
        .text("Sorry, this page does not exist. Try one of these instead.")
        .links((0..5).map(|_| format!("{prefix}/{:08x}/{:08x}", dice.next() as u32, dice.next() as u32)))
}

fn number_in(target: &str) -> u64 {
    let last = target.rsplit('/').next().unwrap_or_default();
    last.trim_end_matches(".css").parse().unwrap_or(0)
}

fn missing_tree(target: &str) -> Page {
    let mut dice = Dice::named(2, target);
    let below = target.trim_end_matches('/');
    Page::titled("Page not found")
        .text(&format!("Sorry, {target} does not exist. Try one of these instead."))
        .links((0..4).map(|_| format!("{below}/{}", words::one(&mut dice))))
}

fn numbered(prefix: &str, target: &str, ahead: u64) -> Page {
    let number = number_in(target);
    let mut dice = Dice::named(3, target);
    Page::titled(&format!("{} {number}", words::some(&mut dice, 3)))
        .text(&words::text(&mut dice))
        .links((1..=ahead).map(|step| format!("{prefix}/{}", number + step)))
        .link(&format!("{prefix}/{}", number.saturating_sub(1)))
}

fn random_words(prefix: &str, target: &str) -> Page {
    let mut dice = Dice::named(4, target);
    let mut page = Page::titled(&words::some(&mut dice, 4)).text(&words::text(&mut dice)).link(&format!("{prefix}/"));
    for _ in 0..7 {
        let folders = 1 + dice.below(3);
        let path: Vec<String> = (0..folders).map(|_| words::one(&mut dice)).collect();
        page = page.link(&format!("{prefix}/{}/{}", path.join("/"), words::some(&mut dice, 3).replace(' ', "-")));
    }
    page
}

/// The path of a page is the name that its siblings share, and a letter.
fn sibling(prefix: &str, target: &str) -> Page {
    let here = target.rsplit('/').next().unwrap_or_default();
    let siblings = here.rsplit_once('-').map_or(here, |(shared, _)| shared);
    let mut dice = Dice::named(5, here);
    let children: String = (0..16).map(|_| char::from(b'a' + dice.below(26) as u8)).collect();
    let links = [siblings, &children].map(|name| ('a'..='e').map(move |letter| format!("{prefix}/{name}-{letter}")));
    Page::titled(&words::some(&mut dice, 4)).text(&words::text(&mut dice)).links(links.into_iter().flatten())
}

fn path_session(prefix: &str, target: &str, number: u64) -> Page {
    let mut dice = Dice::new(number);
    let sid = format!("{:012x}{:012x}", dice.next() >> 16, dice.next() >> 16);
    let page = number_in(target);
    Page::titled(&format!("Page {page} of session {sid}"))
        .text(&words::text(&mut dice))
        .links((1..=5).map(|page| format!("{prefix}/(S({sid}))/{page}")))
}

fn import_chain(prefix: &str, target: &str, bytes: usize) -> String {
    let mut css = format!("@import \"{prefix}/{}.css\";\n", number_in(target) + 1);
    while css.len() < bytes {
        css.push_str("p { margin: 0 } /* nothing else, and much of it */\n");
    }
    css
}

fn import_tree(prefix: &str, target: &str) -> String {
    let number = number_in(target);
    (1..=10).map(|child| format!("@import \"{prefix}/{}.css\";\n", number * 10 + child)).collect()
}
