//! Settings whose values are words.

use std::fmt;

use serde::{Deserialize, Serialize};

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
    };
}

words! {
    /// Where candidates come from.
    Mechanisms {
        /// Links of pages.
        Spider = "spider",
        /// Sitemaps alone.
        Sitemap = "sitemap",
        /// Links and sitemaps.
        Both = "both",
        /// Sitemaps; links only when these name no page.
        SitemapThenSpider = "sitemap_then_spider",
    }
}

impl Mechanisms {
    /// Whether sitemaps are looked for.
    pub fn uses_sitemaps(self) -> bool {
        self != Self::Spider
    }
}

words! {
    /// Which paths of the seeds' hosts belong to the crawl.
    PathMatch {
        /// All of them.
        Any = "any",
        /// Those under the seed's path, on segment boundaries: `/docs` has `/docs/a`, not `/documentation`.
        Strict = "strict",
        /// Those that start with the seed's path.
        Loose = "loose",
    }
}

words! {
    /// Which URLs outside the site are asked whether they exist.
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
        /// Only those that are linked as pages.
        Pages = "pages",
    }
}

words! {
    /// What robots.txt means to us.
    RobotsMode {
        /// What it disallows is not fetched.
        Respect = "respect",
        /// It is not asked.
        Ignore = "ignore",
        /// What it disallows is fetched, and said.
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

words! {
    /// A job's set of defaults.
    Preset {
        /// An audit of a site: everything on its host, external links checked, 10 requests a second.
        Site = "site",
        /// Documentation: what lies under the seed's path, no resources, 5 requests a second, one attempt.
        Docs = "docs",
        /// The graph of domains: one step outside, no resources, one request a second.
        Graph = "graph",
    }
}
