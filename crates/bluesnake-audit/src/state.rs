//! What is remembered about every URL while the others are read: 24 bytes.

use bluesnake_engine::fetch::FailureKind;
use bluesnake_engine::{Disposition, Reason, Refusal, Source, Task};

use crate::input::UrlState;

/// What became of a URL, as far as other URLs are concerned.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum Fate {
    /// Not known: it was not requested, or we failed ourselves.
    #[default]
    Unknown,
    /// Not known: it was not requested, because its host did not respond.
    Unasked,
    /// It responded, neither with an error nor with a redirect.
    Answer,
    /// It redirects.
    Redirect,
    /// It responded with an error.
    Error,
    /// It did not respond.
    Silence,
    /// robots.txt disallows it.
    Blocked,
    /// It belongs to another site, which refuses automated requests.
    Unverified,
    /// It belongs to the site, which refuses the request. Visitors who sign in or wait may see a page.
    Refused,
}

impl Fate {
    /// Its name as the detail of a finding.
    pub(crate) fn as_str(self) -> &'static str {
        match self {
            Self::Unknown | Self::Unasked => "unknown",
            Self::Answer => "response",
            Self::Redirect => "redirect",
            Self::Error => "error",
            Self::Silence => "no response",
            Self::Blocked => "blocked",
            Self::Unverified => "unverified",
            Self::Refused => "refused",
        }
    }

    fn of(url: &UrlState<'_>, is_challenge: bool) -> Self {
        let is_refusal = is_challenge || matches!(url.status, Some(401 | 403 | 406 | 429 | 451 | 999));
        let is_own_refusal = is_challenge || matches!(url.status, Some(401 | 403 | 429));
        match url.reason {
            // What crawlers read about a site is no part of it.
            _ if is_guide(url) => Self::Unknown,
            _ if !url.is_internal && is_refusal => Self::Unverified,
            Reason::Failed(FailureKind::Throttled) if !url.is_internal => Self::Unverified,
            Reason::Refused(Refusal::Robots) => Self::Blocked,
            Reason::ClientError | Reason::ServerError if is_own_refusal => Self::Refused,
            Reason::ClientError | Reason::ServerError => Self::Error,
            Reason::Failed(kind) if is_silence(kind) && url.attempts == 0 && url.is_internal => Self::Unasked,
            Reason::Failed(kind) if is_silence(kind) => Self::Silence,
            reason => match reason.disposition() {
                Disposition::Redirected => Self::Redirect,
                Disposition::Fetched => Self::Answer,
                _ => Self::Unknown,
            },
        }
    }
}

/// Whether it is the host that did not respond. Where robots.txt failed the same way, the URL itself was never
/// requested.
fn is_silence(kind: FailureKind) -> bool {
    use FailureKind::*;
    !matches!(kind, Exhausted | Proxy | Throttled | NotParsed | Panic | AddressRefused)
}

fn is_guide(url: &UrlState<'_>) -> bool {
    matches!(url.task, Task::Robots | Task::Sitemap) || is_llms_file(url)
}

/// Whether it is one of the files for language models, at the root or next to a seed.
pub(crate) fn is_llms_file(url: &UrlState<'_>) -> bool {
    let is_named = url.url.ends_with("/llms.txt") || url.url.ends_with("/llms-full.txt");
    // A page that links to the file makes it a part of the site.
    is_named && url.is_internal && !matches!(url.source, Source::Spider)
}

/// Why a page is not indexable.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum Indexing {
    /// It is not a page, or not known.
    #[default]
    Unknown,
    /// It is indexable.
    Yes,
    /// It has noindex.
    Noindex,
    /// Anything else.
    No,
}

/// What is remembered about a URL.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct State {
    /// The URL it redirects to; 0 without one.
    pub(crate) redirect_to: u32,
    /// Hyperlinks to it on other pages.
    pub(crate) hyperlinks_in: u32,
    /// Those of them that have nofollow themselves.
    pub(crate) nofollow_in: u32,
    /// The first sitemap that lists it; 0 without one.
    pub(crate) sitemap: u32,
    /// How many sitemaps list it.
    pub(crate) sitemaps: u16,
    /// HTTP status; 0 without a response.
    pub(crate) status: u16,
    flags: u16,
    pub(crate) fate: Fate,
    pub(crate) indexing: Indexing,
}

impl State {
    /// It belongs to the site.
    const IS_INTERNAL: u16 = 1;
    /// It is an internal HTML page that responded with success.
    pub(crate) const IS_PAGE: u16 = 2;
    /// It is a document whose links are known.
    pub(crate) const HAS_LINKS: u16 = 4;
    /// Robots must not follow its links.
    pub(crate) const IS_NOFOLLOW: u16 = 8;
    /// Its URL begins with `http:`.
    const IS_INSECURE: u16 = 16;
    /// It is on the visitor's own machine.
    pub(crate) const IS_LOCALHOST: u16 = 32;
    /// It is the script that AMP pages load.
    pub(crate) const IS_AMP_SCRIPT: u16 = 64;
    /// It is robots.txt, a sitemap or a file for language models.
    pub(crate) const IS_GUIDE: u16 = 128;
    /// It is a file for language models.
    pub(crate) const IS_LLMS_FILE: u16 = 256;
    /// Another page declares it as its canonical.
    pub(crate) const IS_CANONICAL: u16 = 512;
    /// Another page declares it as its version in another language.
    pub(crate) const IS_VERSION: u16 = 1024;
    /// Another page declares it as its next or previous page.
    pub(crate) const IS_PAGER: u16 = 2048;
    /// A hyperlink that robots follow leads to it from another page.
    pub(crate) const IS_FOLLOWED_TO: u16 = 4096;
    /// An indexable page links to it.
    pub(crate) const IS_INDEXABLY_LINKED: u16 = 8192;
    /// It lists URLs like a sitemap.
    pub(crate) const LISTS_URLS: u16 = 16_384;
    /// It is a seed.
    pub(crate) const IS_SEED: u16 = 32_768;

    /// The state of a URL, and whether its response asks for proof that a person sent the request.
    pub(crate) fn of(url: &UrlState<'_>, is_challenge: bool) -> Self {
        let is_page = url.is_page && url.is_internal && url.status.is_some_and(|status| (200..300).contains(&status));
        let marks = [
            (Self::IS_INTERNAL, url.is_internal),
            (Self::IS_PAGE, is_page && !is_guide(url)),
            (Self::HAS_LINKS, url.has_links),
            (Self::IS_NOFOLLOW, url.is_nofollow),
            (Self::IS_INSECURE, url.url.starts_with("http:")),
            (Self::IS_LOCALHOST, is_localhost(url.url)),
            (Self::IS_AMP_SCRIPT, is_amp_script(url.url)),
            (Self::IS_GUIDE, is_guide(url)),
            (Self::IS_LLMS_FILE, is_llms_file(url)),
            (Self::IS_SEED, url.is_seed || url.source == Source::Initial),
        ];
        Self {
            redirect_to: url.redirect_to.unwrap_or_default(),
            status: url.status.unwrap_or_default(),
            flags: marks.iter().filter(|(_, is_set)| *is_set).fold(0, |flags, (flag, _)| flags | flag),
            fate: Fate::of(url, is_challenge),
            indexing: match (url.is_indexable, url.indexable_reason) {
                (None, _) => Indexing::Unknown,
                (Some(true), _) => Indexing::Yes,
                (Some(false), Some("noindex")) => Indexing::Noindex,
                (Some(false), _) => Indexing::No,
            },
            ..Self::default()
        }
    }

    pub(crate) fn has(&self, flag: u16) -> bool {
        self.flags & flag != 0
    }

    pub(crate) fn set(&mut self, flag: u16) {
        self.flags |= flag;
    }

    pub(crate) fn is_internal(&self) -> bool {
        self.has(Self::IS_INTERNAL)
    }

    pub(crate) fn is_page(&self) -> bool {
        self.has(Self::IS_PAGE)
    }

    pub(crate) fn is_insecure(&self) -> bool {
        self.has(Self::IS_INSECURE)
    }

    /// Whether it is a page whose links are known, so that one can be missing.
    pub(crate) fn shows_links(&self) -> bool {
        self.has(Self::IS_PAGE) && self.has(Self::HAS_LINKS)
    }

    /// Whether visitors see an error, or nothing.
    pub(crate) fn is_broken(&self) -> bool {
        matches!(self.fate, Fate::Error | Fate::Silence)
    }

    /// Whether nothing is known about what visitors see.
    pub(crate) fn is_unverified(&self) -> bool {
        matches!(self.fate, Fate::Unknown | Fate::Unasked | Fate::Unverified | Fate::Refused)
    }

    /// Whether it is certain that it does not return a page.
    pub(crate) fn is_not_ok(&self) -> bool {
        match self.fate {
            Fate::Unverified => false,
            Fate::Silence => true,
            _ => self.status != 0 && self.status != 200,
        }
    }

    /// Whether it is certain that search engines cannot show it.
    pub(crate) fn is_not_indexable(&self) -> bool {
        self.is_broken()
            || matches!(self.fate, Fate::Redirect | Fate::Blocked | Fate::Refused)
            || matches!(self.indexing, Indexing::No | Indexing::Noindex)
    }
}

fn is_localhost(url: &str) -> bool {
    let authority = url.split("://").nth(1).and_then(|rest| rest.split('/').next()).unwrap_or_default();
    let is_host = |host: &str| {
        let port = authority.strip_prefix(host);
        port.is_some_and(|port| port.is_empty() || port.starts_with(':'))
    };
    ["localhost", "127.0.0.1", "[::1]"].into_iter().any(is_host)
}

fn is_amp_script(url: &str) -> bool {
    let file = url.strip_prefix("https://cdn.ampproject.org/").and_then(|path| path.rsplit('/').next());
    file.is_some_and(|file| file.starts_with("v0.") && file.ends_with("js"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_state_is_small() {
        assert_eq!(size_of::<State>(), 24);
    }

    #[test]
    fn hosts_of_the_visitors_own_machine_are_recognised() {
        for url in ["http://localhost/", "https://localhost:8080/a", "http://127.0.0.1/", "http://[::1]:3000/"] {
            assert!(is_localhost(url), "{url}");
        }
        for url in ["http://localhost.example/", "http://example.org/localhost/", "http://127.0.0.100/"] {
            assert!(!is_localhost(url), "{url}");
        }
    }

    #[test]
    fn every_build_of_the_amp_script_counts() {
        for url in ["https://cdn.ampproject.org/v0.js", "https://cdn.ampproject.org/lts/v0.mjs"] {
            assert!(is_amp_script(url), "{url}");
        }
        assert!(!is_amp_script("https://cdn.ampproject.org/v0/amp-carousel-0.1.js"));
        assert!(!is_amp_script("http://cdn.ampproject.org/v0.js"));
    }
}
