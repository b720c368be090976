//! Why a URL is not fetched: the closed list of rules.

use crate::receipt::Disposition;
use crate::words::words;

/// Declares the refusals: variant, word, class of the receipt, and whether another link could change the decision.
macro_rules! refusals {
    ($( $(#[$doc:meta])* $name:ident = $word:literal, $class:ident, $finality:ident; )*) => {
        words! {
            /// Why a URL is not fetched.
            Refusal { $( $(#[$doc])* $name = $word, )* }
        }

        impl Refusal {
            /// The class of the receipt that such a URL is counted in.
            pub fn disposition(self) -> Disposition {
                match self { $( Self::$name => refusals!(@ $class), )* }
            }

            /// Whether another link to the same URL could change the decision: a followed link after a nofollow one,
            /// a shorter way, an anchor after a form action.
            pub(crate) fn depends_on_the_link(self) -> bool {
                match self { $( Self::$name => refusals!(@ $finality), )* }
            }
        }
    };
    (@ refused) => { Disposition::Refused };
    (@ recorded) => { Disposition::Recorded };
    (@ skipped) => { Disposition::Skipped };
    (@ open) => { true };
    (@ final) => { false };
}

refusals! {
    /// The kind of edge (form, hint) is only mentioned.
    Mentioned = "mentioned", recorded, open;
    /// The classifier says record.
    Recorded = "recorded", recorded, final;
    /// The classifier says skip.
    Skipped = "skipped", skipped, final;
    /// It lies outside the site and is not to be checked.
    OutsideScope = "outside_scope", refused, open;
    /// It lies outside the paths of the seeds.
    OutsidePath = "outside_path", refused, open;
    /// Its host is excluded.
    ExcludedHost = "excluded_host", refused, final;
    /// It matches an exclude pattern.
    Excluded = "excluded", refused, final;
    /// It matches no include pattern.
    NotIncluded = "not_included", refused, final;
    /// The link says nofollow.
    Nofollow = "nofollow", refused, open;
    /// It is too many links away from a seed.
    TooDeep = "too_deep", refused, open;
    /// It is too many steps outside the site.
    TooManyHops = "too_many_hops", refused, open;
    /// It is the end of too long a chain of redirects.
    TooManyRedirects = "too_many_redirects", refused, open;
    /// Only the seeds are wanted.
    SinglePage = "single_page", refused, open;
    /// Links are not followed, only sitemaps.
    NotInSitemap = "not_in_sitemap", refused, open;
    /// Resources of this kind are not checked.
    ResourceKind = "resource_kind", refused, open;
    /// Its extension says that it is no page.
    FileType = "file_type", refused, open;
    /// The URL is too long.
    UrlTooLong = "url_too_long", refused, final;
    /// A path segment repeats too often.
    RepeatedPath = "repeated_path", refused, final;
    /// The path has too many query variants.
    QueryExplosion = "query_explosion", refused, final;
    /// A calendar without end.
    Calendar = "calendar", refused, final;
    /// Pages of this pattern have had the same content too often.
    SameContent = "same_content", refused, final;
    /// The URL differs from too many others in its session id only.
    SessionIds = "session_ids", refused, final;
    /// This part of the site leads to new pages of its own for ever.
    EndlessPath = "endless_path", refused, open;
    /// The site leads to new pages for ever.
    EndlessSite = "endless_site", refused, open;
    /// It is too many resources away from the page that needs them.
    ResourceDepth = "resource_depth", refused, open;
    /// Too many resources are needed by the resource of one page.
    NestedResources = "nested_resources", refused, open;
    /// The host's own budget is spent.
    HostBudget = "host_budget", refused, final;
    /// The run's limit of URLs is reached.
    MaxUrls = "max_urls", refused, final;
    /// The page limit of its seed is reached.
    PageLimit = "page_limit", refused, final;
    /// Sitemap indexes are nested too deeply.
    SitemapDepth = "sitemap_depth", refused, open;
    /// Too many sitemap files.
    SitemapFiles = "sitemap_files", refused, final;
    /// The domain has as many subdomains in the graph as it may have.
    SubdomainLimit = "subdomain_limit", refused, final;
    /// robots.txt disallows it.
    Robots = "robots", refused, final;
    /// robots.txt cannot be fetched, so nothing of the host may be fetched.
    RobotsUnreachable = "robots_unreachable", refused, final;
    /// The IP address is private, and private addresses are not allowed.
    PrivateAddress = "private_address", refused, final;
}
