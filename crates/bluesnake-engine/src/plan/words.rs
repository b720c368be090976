//! Settings whose values are words.

use std::fmt;

use serde::{Deserialize, Serialize};

use super::schema::SettingType;

/// Declares an enum whose variants are words in settings, columns and JSON.
macro_rules! words {
    ($(#[$doc:meta])* $name:ident { $( $(#[$variant_doc:meta])* $variant:ident = $word:literal, )* }) => {
        $(#[$doc])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
        pub enum $name { $( $(#[$variant_doc])* #[serde(rename = $word)] $variant, )* }

        impl $name {
            /// Every word, in order.
            pub const WORDS: &'static [&'static str] = &[ $( $word, )* ];

            /// The word for it.
            pub fn as_str(self) -> &'static str {
                match self { $( Self::$variant => $word, )* }
            }
        }

        impl fmt::Display for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str(self.as_str())
            }
        }

        impl std::str::FromStr for $name {
            type Err = String;

            fn from_str(word: &str) -> Result<Self, String> {
                match word {
                    $( $word => Ok(Self::$variant), )*
                    _ => Err(format!("`{word}` is none of {}", Self::WORDS.join(", "))),
                }
            }
        }

        impl SettingType for $name {
            fn schema() -> serde_json::Value {
                serde_json::json!({ "type": "string", "enum": Self::WORDS })
            }
        }
    };
}

words! {
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

words! {
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

words! {
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

words! {
    /// What the budgets count.
    BudgetCounts {
        /// Every URL that is fetched.
        All = "all",
        /// Only URLs linked as pages.
        Pages = "pages",
    }
}

words! {
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

words! {
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
