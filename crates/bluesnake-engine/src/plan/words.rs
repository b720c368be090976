//! Settings whose values are words.

use std::fmt;

use serde::{Deserialize, Serialize};

use super::schema::SettingType;
use crate::words::words;

/// Declares an enum whose variants are the values of a setting.
macro_rules! setting_words {
    ($(#[$doc:meta])* $name:ident { $( $(#[$variant_doc:meta])* $variant:ident = $word:literal, )* }) => {
        words! {
            $(#[$doc])*
            #[derive(Serialize, Deserialize)]
            $name { $( $(#[$variant_doc])* #[serde(rename = $word)] $variant = $word, )* }
        }

        impl fmt::Display for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str(self.as_str())
            }
        }

        impl std::str::FromStr for $name {
            type Err = String;

            fn from_str(word: &str) -> Result<Self, String> {
                let words = Self::ALL.map(Self::as_str).join(", ");
                Self::from_word(word).ok_or_else(|| format!("`{word}` is none of {words}"))
            }
        }

        impl SettingType for $name {
            fn schema() -> serde_json::Value {
                serde_json::json!({ "type": "string", "enum": Self::ALL.map(Self::as_str) })
            }
        }
    };
}

setting_words! {
    /// Where URLs come from.
    Mechanisms {
        /// Links of pages.
        Spider = "spider",
        /// Sitemaps alone.
        Sitemap = "sitemap",
        /// Links and sitemaps.
        Both = "both",
        /// Sitemaps; links only if no sitemap lists a page.
        SitemapThenSpider = "sitemap_then_spider",
    }
}

impl Mechanisms {
    /// Whether sitemaps are read.
    pub fn uses_sitemaps(self) -> bool {
        self != Self::Spider
    }
}

setting_words! {
    /// Which paths of the seeds' hosts belong to the crawl.
    PathMatch {
        /// All of them.
        Any = "any",
        /// Those below the seed's path, on segment boundaries: `/docs` contains `/docs/a`, not `/documentation`.
        Strict = "strict",
        /// Those that start with the seed's path.
        Loose = "loose",
    }
}

setting_words! {
    /// Which URLs outside the site are checked.
    CheckExternal {
        /// None.
        None = "none",
        /// Images, scripts, stylesheets … that the site's pages use.
        Resources = "resources",
        /// Resources and links.
        All = "all",
    }
}

setting_words! {
    /// What the budgets count.
    BudgetCounts {
        /// Every URL that is fetched.
        All = "all",
        /// Only URLs linked as pages.
        Pages = "pages",
    }
}

setting_words! {
    /// What to do about robots.txt.
    RobotsMode {
        /// What it disallows is not fetched.
        Respect = "respect",
        /// It is not requested.
        Ignore = "ignore",
        /// What it disallows is fetched and reported.
        IgnoreReport = "ignore-report",
    }
}

setting_words! {
    /// Which pages are rendered in a browser.
    RenderWhen {
        /// None.
        Off = "off",
        /// All of them.
        On = "on",
        /// Those that are only shells without their scripts.
        Auto = "auto",
    }
}

setting_words! {
    /// Whether the pages of a weave are rendered in a browser.
    WeaveRenderWhen {
        /// None of them.
        Off = "off",
        /// All of them.
        On = "on",
    }
}

impl From<WeaveRenderWhen> for RenderWhen {
    fn from(when: WeaveRenderWhen) -> Self {
        match when {
            WeaveRenderWhen::Off => Self::Off,
            WeaveRenderWhen::On => Self::On,
        }
    }
}

setting_words! {
    /// How much time the scripts of a page get.
    RenderMode {
        /// 2 seconds.
        Fast = "fast",
        /// 5 seconds.
        Balanced = "balanced",
        /// 15 seconds.
        Thorough = "thorough",
    }
}

setting_words! {
    /// How content is fingerprinted.
    HashAlgorithm {
        /// xxh3, 64 bits.
        Xxhash = "xxhash",
        /// MD5, as other crawlers print it.
        Md5 = "md5",
        /// SHA-256.
        Sha256 = "sha256",
        /// Not at all.
        Off = "off",
    }
}
