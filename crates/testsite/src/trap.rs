//! Places a crawler can enter and never leave.
//!
//! Every page is made when asked for. The truth knows only the entry of a trap.

use crate::page::Page;
use crate::random::Dice;

/// An endless part of a site, below the prefix it is declared with.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Trap {
    /// `prefix/2024/01` links to the months before and after it, for ever.
    Calendar,
    /// `prefix?sid=…&page=n`: every answer carries new session ids in the links to the same five pages.
    SessionIds,
    /// `prefix/a/a/a/`: each page links to itself one level deeper.
    PathRepetition,
    /// `prefix?color=…&size=…`: every combination of six facets, in every order.
    Facets,
    /// Every address is a "not found" page with status 200 and links to more of them.
    SoftNotFound,
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
    /// The page at `target` below `prefix`; `number` counts the answers of all traps.
    pub(crate) fn page(self, prefix: &str, target: &str, number: u64) -> Page {
        match self {
            Self::Calendar => month(prefix, target),
            Self::SessionIds => session(prefix, target, number),
            Self::PathRepetition => deeper(target),
            Self::Facets => facets(prefix, target),
            Self::SoftNotFound => maze(prefix, target),
        }
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
