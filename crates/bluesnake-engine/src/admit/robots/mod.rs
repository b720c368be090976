//! What a host's robots.txt says about us (RFC 9309).
//!
//! [`Robots`] is the file, parsed once per host; [`Robots::verdict`] judges one URL. [`access`] interprets the HTTP
//! status of robots.txt. Nothing here fetches, waits or remembers a host. Lines and groups are parsed in `read`,
//! patterns are matched in `pattern`.

mod pattern;
mod read;
#[cfg(test)]
mod tests;

use std::ops::Range;
use std::time::Duration;

use crate::url::CanonicalUrl;

/// How long a copy of robots.txt may be used, even while its host is unreachable (RFC 9309 section 2.4).
pub const COPY_LASTS: Duration = Duration::from_secs(24 * 60 * 60);

/// How many redirects of robots.txt are followed (RFC 9309 section 2.3.1.2).
pub const REDIRECTS_FOLLOWED: usize = 5;

/// How much of a robots.txt is read; see [`Robots::is_cut`].
pub const BYTES_READ: usize = 500 * 1024;

/// What a response to robots.txt means for its host (RFC 9309 section 2.3.1).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Access {
    /// The body holds the rules; an empty one allows everything.
    Rules,
    /// There is no robots.txt, so everything is allowed.
    AllowAll,
    /// It is unreachable for now, so nothing on the host is fetched until it responds.
    DisallowAll,
}

/// What the status of robots.txt means, after redirects.
///
/// The RFC counts 429 among the responses that allow everything. A host that cannot serve its robots.txt should get
/// no other requests, so we treat it as unreachable, as the large search engines do.
pub fn access(status: u16) -> Access {
    match status {
        204 | 205 => Access::AllowAll,
        200..=299 => Access::Rules,
        429 => Access::DisallowAll,
        300..=499 => Access::AllowAll,
        _ => Access::DisallowAll,
    }
}

/// Whether a URL may be fetched, and which line of robots.txt disallows it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum RobotsVerdict {
    /// No rule disallows it.
    Allowed,
    /// A rule disallows it.
    Disallowed {
        /// The rule's line, from 1.
        line: u32,
        /// The rule's path as written.
        rule: Box<str>,
    },
    /// robots.txt is unreachable, so nothing may be fetched for now.
    Unreachable,
}

impl RobotsVerdict {
    /// Whether the URL may be fetched.
    pub fn is_allowed(&self) -> bool {
        *self == Self::Allowed
    }
}

/// The parts of a host's robots.txt that concern us.
///
/// It keeps only the rules of our groups: at most about 4 MB for the most hostile file, and usually a few kB.
#[derive(Clone, Debug, Default)]
pub struct Robots {
    is_unreachable: bool,
    is_cut: bool,
    rules: Rules,
    crawl_delay: Option<Duration>,
    sitemaps: Vec<String>,
}

impl Robots {
    /// Parses a robots.txt for the crawler with this product token. Any bytes are valid: lines that are not rules are
    /// skipped, and common misspellings are understood.
    pub fn parse(bytes: &[u8], token: &str) -> Self {
        read::read(bytes, token)
    }

    /// The robots.txt of a host that has none.
    pub fn allow_all() -> Self {
        Self::default()
    }

    /// The robots.txt of an unreachable host.
    pub fn disallow_all() -> Self {
        Self { is_unreachable: true, ..Self::default() }
    }

    /// Whether a URL of this host may be fetched. robots.txt itself always may.
    pub fn verdict(&self, url: &CanonicalUrl) -> RobotsVerdict {
        if url.path() == "/robots.txt" {
            return RobotsVerdict::Allowed;
        }
        if self.is_unreachable {
            return RobotsVerdict::Unreachable;
        }
        match self.rules.first_match(&pattern::normalize_path(url.path_and_query())) {
            Some(rule) if !rule.is_allow => {
                RobotsVerdict::Disallowed { line: rule.line, rule: self.rules.text(&rule.written).into() }
            }
            _ => RobotsVerdict::Allowed,
        }
    }

    /// The delay between requests from our group's `Crawl-delay`; the longest if there are several, and at most a
    /// day.
    pub fn crawl_delay(&self) -> Option<Duration> {
        self.crawl_delay
    }

    /// The sitemaps it lists, as written and in order, without duplicates; they belong to no group. They may be
    /// relative.
    pub fn sitemaps(&self) -> &[String] {
        &self.sitemaps
    }

    /// Whether the file was longer than [`BYTES_READ`] and was cut there, at the end of a line.
    pub fn is_cut(&self) -> bool {
        self.is_cut
    }
}

/// Rules in order of precedence: the longest first, and among equally long ones, `Allow` first.
#[derive(Clone, Debug, Default)]
struct Rules {
    /// The text of all rules, in one allocation.
    text: String,
    rules: Vec<Rule>,
}

#[derive(Clone, Debug)]
struct Rule {
    is_allow: bool,
    line: u32,
    /// The path as written.
    written: Range<u32>,
    /// The normalized path.
    pattern: Range<u32>,
}

impl Rules {
    fn push(&mut self, line: u32, is_allow: bool, path: &[u8]) {
        let pattern = pattern::normalize_pattern(path);
        if pattern.is_empty() {
            return;
        }
        let written = self.store(&String::from_utf8_lossy(path));
        let is_same = pattern == self.text(&written);
        let compared = if is_same { written.clone() } else { self.store(&pattern) };
        self.rules.push(Rule { is_allow, line, written: written.clone(), pattern: compared });
        if is_allow && let Some(folder) = pattern::folder_of_index_page(&pattern) {
            let pattern = self.store(&folder);
            self.rules.push(Rule { is_allow, line, written, pattern });
        }
    }

    fn store(&mut self, text: &str) -> Range<u32> {
        let start = self.text.len() as u32;
        self.text.push_str(text);
        start..self.text.len() as u32
    }

    fn text(&self, range: &Range<u32>) -> &str {
        &self.text[range.start as usize..range.end as usize]
    }

    fn put_in_order(&mut self) {
        self.rules.sort_by_key(|rule| (std::cmp::Reverse(rule.pattern.len()), !rule.is_allow, rule.line));
        self.rules.shrink_to_fit();
        self.text.shrink_to_fit();
    }

    fn first_match(&self, path: &str) -> Option<&Rule> {
        self.rules.iter().find(|rule| pattern::matches(self.text(&rule.pattern), path))
    }
}
