//! The catalogue of checks: their names, their urgency, why they matter and how to fix what they find.
//!
//! The checks themselves are in [`crate::checks`], one module per theme. Start with [`all_checks`].

use bluesnake_engine::plan::AuditSettings;
use bluesnake_engine::words;

use crate::checks::THEMES;
use crate::rule::Rule;

/// One possible problem of a URL.
#[derive(Clone, Copy, Debug)]
pub struct Check {
    /// Its stable name for programs.
    pub id: &'static str,
    /// What it is about.
    pub theme: Theme,
    /// Its name for people, without the theme. `{}` stands for its threshold.
    pub name: &'static str,
    /// How certain it is that something must be done.
    pub kind: Kind,
    /// How urgent it is.
    pub priority: Priority,
    /// Why it matters.
    pub why: &'static str,
    /// How to fix it.
    pub fix: &'static str,
    /// Which URLs it looks at.
    pub scope: Scope,
    /// What must be known before it can be made.
    pub(crate) needs: Needs,
    /// The rest of the sentence that begins with the number of URLs; `{one|many}` depends on that number.
    pub(crate) says: &'static str,
    /// The threshold in its name.
    pub(crate) limit: Option<fn(&AuditSettings) -> String>,
    /// How it finds what it looks for.
    pub(crate) rule: Rule,
}

words! {
    /// How certain it is that something must be done.
    Kind {
        /// It is an error.
        Issue = "issue",
        /// It may be intended.
        Warning = "warning",
        /// It could be better.
        Opportunity = "opportunity",
    }
}

words! {
    /// How urgent something is.
    Priority {
        /// Do first.
        High = "high",
        /// Do next.
        Medium = "medium",
        /// Do last.
        Low = "low",
    }
}

words! {
    /// What a check is about.
    Theme {
        /// Responses and failures.
        Responses = "responses",
        /// Encryption, headers and cookies.
        Security = "security",
        /// The form of URLs.
        Urls = "urls",
        /// Titles.
        Titles = "titles",
        /// Meta descriptions, keywords, and what other sites show of a page.
        Descriptions = "descriptions",
        /// Headings of the first and second level.
        Headings = "headings",
        /// Texts.
        Content = "content",
        /// Images.
        Images = "images",
        /// Canonical URLs.
        Canonicals = "canonicals",
        /// Directives to robots.
        Directives = "directives",
        /// Hyperlinks.
        Links = "links",
        /// Language versions.
        Hreflang = "hreflang",
        /// Lists over several pages.
        Pagination = "pagination",
        /// Sitemaps.
        Sitemaps = "sitemaps",
        /// Data for machines.
        StructuredData = "structured-data",
        /// What scripts change.
        JavaScript = "javascript",
        /// The structure of documents, and the weight of files.
        Validation = "validation",
        /// Small screens.
        Mobile = "mobile",
        /// AMP pages.
        Amp = "amp",
        /// llms.txt.
        Llms = "llms",
    }
}

impl Theme {
    /// Its name for people.
    pub fn title(self) -> &'static str {
        match self {
            Self::Responses => "Response Codes",
            Self::Security => "Security",
            Self::Urls => "URL",
            Self::Titles => "Page Titles",
            Self::Descriptions => "Metadata",
            Self::Headings => "Headings",
            Self::Content => "Content",
            Self::Images => "Images",
            Self::Canonicals => "Canonicals",
            Self::Directives => "Directives",
            Self::Links => "Links",
            Self::Hreflang => "Hreflang",
            Self::Pagination => "Pagination",
            Self::Sitemaps => "Sitemaps",
            Self::StructuredData => "Structured Data",
            Self::JavaScript => "JavaScript",
            Self::Validation => "Validation",
            Self::Mobile => "Mobile",
            Self::Amp => "AMP",
            Self::Llms => "llms.txt",
        }
    }
}

/// Which URLs a check looks at.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Scope {
    /// Internal HTML pages that responded with success: its findings are a share of [`crate::Report::pages`].
    Pages,
    /// Any URLs other than robots.txt, sitemaps and llms.txt: pages too, images, links to other sites.
    Urls,
    /// Sitemaps.
    Sitemaps,
    /// llms.txt and llms-full.txt.
    LlmsFiles,
}

/// What must be known before a check can be made.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Needs {
    /// Nothing but the URL itself.
    Nothing,
    /// The whole site: something may be missing only because it was not seen.
    WholeSite,
    /// A sitemap.
    Sitemap,
    /// A sitemap and the whole site.
    SitemapAndSite,
    /// Every sitemap without gaps, and the whole site.
    CompleteSitemaps,
    /// A request for llms.txt.
    LlmsFile,
    /// A request for llms-full.txt.
    LlmsFullFile,
    /// A start page with an icon, or a request for /favicon.ico.
    Icon,
    /// A rendered page.
    Rendering,
}

impl Check {
    /// Its name with the threshold of these settings: "Over 60 Characters".
    pub fn title(&self, settings: &AuditSettings) -> String {
        match self.limit {
            Some(limit) => self.name.replace("{}", &limit(settings)),
            None => self.name.to_owned(),
        }
    }

    /// What it found, as a sentence without full stop: "12 pages share a title".
    pub fn summary(&self, urls: usize) -> String {
        let mut summary = grouped(urls);
        let mut rest = self.says;
        summary.push(' ');
        while let Some((before, choice)) = rest.split_once('{') {
            let (choice, after) = choice.split_once('}').expect("a choice ends");
            let (one, many) = choice.split_once('|').expect("a choice has two forms");
            summary.push_str(before);
            summary.push_str(if urls == 1 { one } else { many });
            rest = after;
        }
        summary + rest
    }

    /// Whether its findings depend on how fast a server responds, so that equal runs can have different ones.
    pub fn depends_on_time(&self) -> bool {
        self.id == "slow-response"
    }
}

/// A number with its digits in groups of three.
pub(crate) fn grouped(number: usize) -> String {
    let digits = number.to_string();
    let mut grouped = String::with_capacity(digits.len() + digits.len() / 3);
    for (at, digit) in digits.chars().enumerate() {
        if at > 0 && (digits.len() - at).is_multiple_of(3) {
            grouped.push(',');
        }
        grouped.push(digit);
    }
    grouped
}

/// A size in the largest unit that shows it exactly, or with one decimal.
pub(crate) fn size(bytes: u64) -> String {
    match bytes {
        0..1024 => format!("{bytes} bytes"),
        1024..1_048_576 => in_unit(bytes, 1024, "KB"),
        _ => in_unit(bytes, 1_048_576, "MB"),
    }
}

fn in_unit(bytes: u64, unit: u64, name: &str) -> String {
    if bytes.is_multiple_of(unit) {
        format!("{} {name}", grouped((bytes / unit) as usize))
    } else {
        format!("{:.1} {name}", bytes as f64 / unit as f64)
    }
}

/// Every check, theme by theme.
pub fn all_checks() -> impl Iterator<Item = &'static Check> {
    THEMES.into_iter().flatten()
}

/// The check of this id.
pub fn check(id: &str) -> Option<&'static Check> {
    all_checks().find(|check| check.id == id)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn summaries_have_the_number_in_them() {
        let check = check("title-missing").unwrap();
        assert_eq!(check.summary(1), "1 page has no title");
        assert_eq!(check.summary(1_200), "1,200 pages have no title");
    }

    #[test]
    fn names_show_the_threshold_of_the_settings() {
        let settings = AuditSettings { title_max: 1_065, image_bytes: 150 * 1024, ..AuditSettings::default() };
        assert_eq!(check("title-too-long").unwrap().title(&settings), "Over 1,065 Characters");
        assert_eq!(check("image-too-large").unwrap().title(&settings), "Over 150 KB");
        assert_eq!(check("title-missing").unwrap().title(&settings), "Missing");
    }

    #[test]
    fn sizes_are_shown_in_their_unit() {
        for (bytes, expected) in
            [(512, "512 bytes"), (102_400, "100 KB"), (1_536, "1.5 KB"), (2 << 20, "2 MB"), (2_500_000, "2.4 MB")]
        {
            assert_eq!(size(bytes), expected);
        }
    }

    #[test]
    fn every_check_is_explained() {
        let mut ids = std::collections::BTreeSet::new();
        for check in all_checks() {
            assert!(ids.insert(check.id), "duplicate id {}", check.id);
            let is_plain = |byte: u8| byte.is_ascii_lowercase() || byte.is_ascii_digit() || byte == b'-';
            assert!(check.id.bytes().all(is_plain), "{}", check.id);
            for text in [check.why, check.fix] {
                assert!(text.ends_with('.') && text.len() > 10, "{}: {text}", check.id);
            }
            assert_eq!(check.limit.is_some(), check.name.contains("{}"), "{}", check.id);
            assert!(check.says.starts_with('{') && !check.says.ends_with('.'), "{}", check.id);
            assert_ne!(check.summary(1)[1..], check.summary(2)[1..], "{}", check.id);
        }
        assert_eq!(ids.len(), 193);
    }

    #[test]
    fn every_theme_has_checks() {
        for theme in Theme::ALL {
            assert!(all_checks().any(|check| check.theme == theme), "{}", theme.title());
        }
    }
}
