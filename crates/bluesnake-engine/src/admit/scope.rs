//! Which URLs belong to the crawl: hosts, paths and patterns, as one object.
//!
//! Hosts come from the seeds; a seed that redirects to its own `www`, apex or https form adds that form to the scope
//! (`Scope::grow`). Paths match on segment boundaries unless the plan says loose. One function, [`Scope::place`],
//! serves every source of candidates.

use std::cmp::Reverse;
use std::collections::HashMap;

use regex::{Regex, RegexBuilder};

use crate::discover::Candidate;
use crate::plan::{PathMatch, ScopeSettings};
use crate::suffix;
use crate::url::{CanonicalUrl, registrable_domain};

use super::Refusal;

/// Where a URL is, relative to the scope.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Place {
    /// In the site; `base` is the seed it belongs to.
    Inside {
        /// Which seed, counted from 0.
        base: u32,
    },
    /// On a host of the site, under another path than the seeds'.
    OutsidePath,
    /// On another host.
    Outside,
}

impl Place {
    /// The seed that a candidate at this place belongs to.
    pub(crate) fn base(self, candidate: &Candidate) -> u32 {
        match self {
            Self::Inside { base } => base,
            Self::OutsidePath | Self::Outside => candidate.base,
        }
    }
}

/// The scope of a crawl.
#[derive(Debug)]
pub(crate) struct Scope {
    /// Those of the seeds, in order, then those that redirects added.
    bases: Vec<Base>,
    /// The bases of an authority, by place in `bases`. A list of URLs can have a hundred thousand seeds.
    of_authority: HashMap<Box<str>, Vec<usize>>,
    /// The bases whose subdomains belong to the site, by their domain.
    of_apex: HashMap<Box<str>, Vec<usize>>,
    /// The bases that redirects added, by seed.
    grown: HashMap<u32, Vec<usize>>,
    /// The one host that a list of URLs on several hosts depends on: the project's.
    main_host: Option<Box<str>>,
    further_hosts: Vec<Box<str>>,
    excluded_hosts: Vec<Box<str>>,
    include_subdomains: bool,
    paths: PathMatch,
    include: Vec<Regex>,
    exclude: Vec<Regex>,
}

#[derive(Debug)]
struct Base {
    origin: Box<str>,
    authority: Box<str>,
    /// The directory of the seed, without its trailing slash.
    prefix: Box<str>,
    seed: u32,
}

impl Scope {
    /// The scope of a plan whose patterns have been validated.
    pub(crate) fn new(seeds: &[CanonicalUrl], settings: &ScopeSettings) -> Self {
        let compile = |patterns: &[String]| -> Vec<Regex> {
            patterns.iter().map(|text| pattern(text).expect("the plan's patterns were checked")).collect()
        };
        let mut scope = Self {
            bases: Vec::with_capacity(seeds.len()),
            of_authority: HashMap::new(),
            of_apex: HashMap::new(),
            grown: HashMap::new(),
            main_host: main_host(seeds, settings).map(Into::into),
            further_hosts: settings.hosts.iter().map(|host| canonical_host(host)).collect(),
            excluded_hosts: settings.exclude_hosts.iter().map(|host| canonical_host(host)).collect(),
            include_subdomains: settings.include_subdomains,
            paths: settings.paths,
            include: compile(&settings.include),
            exclude: compile(&settings.exclude),
        };
        for (at, seed) in (0..).zip(seeds) {
            scope.add_base(seed, directory(seed.path()), at);
        }
        scope
    }

    fn add_base(&mut self, url: &CanonicalUrl, prefix: &str, seed: u32) {
        let at = self.bases.len();
        let (origin, authority) = (url.origin().into(), url.authority().into());
        self.bases.push(Base { origin, authority, prefix: prefix.into(), seed });
        let apex = apex(url.host()).filter(|_| self.include_subdomains);
        let lists = [(&mut self.of_authority, Some(url.authority())), (&mut self.of_apex, apex)];
        for (lists, key) in lists.into_iter().filter_map(|(lists, key)| Some((lists, key?))) {
            let list = lists.entry(key.into()).or_default();
            list.push(at);
            // With any path, the same base wins for every URL of a host.
            if self.paths == PathMatch::Any {
                let best = list.iter().copied().max_by_key(|at| rank(&self.bases, *at)).expect("it has one");
                *list = vec![best];
            }
        }
    }

    /// Where a URL is. If it belongs to several seeds, the one with the longest path wins, then the first.
    pub(crate) fn place(&self, url: &CanonicalUrl) -> Place {
        let (authority, host, path) = (url.authority(), url.host(), url.path());
        let mut of_host = self.bases_of(authority, host).peekable();
        let is_own_host = of_host.peek().is_some();
        let under = of_host.filter(|at| self.is_under(path, &self.bases[*at].prefix));
        if let Some(best) = under.max_by_key(|at| rank(&self.bases, *at)) {
            return Place::Inside { base: self.bases[best].seed };
        }
        if is_own_host {
            return Place::OutsidePath;
        }
        if self.further_hosts.iter().any(|known| **known == *host || **known == *authority) {
            return Place::Inside { base: 0 };
        }
        Place::Outside
    }

    /// The bases that a host belongs to: its own, and those it is a subdomain of.
    fn bases_of(&self, authority: &str, host: &str) -> impl Iterator<Item = usize> {
        let domains = std::iter::successors(Some(host), |host| Some(host.split_once('.')?.1));
        let domains = domains.take(if self.of_apex.is_empty() { 0 } else { usize::MAX });
        let above = domains.filter_map(|domain| self.of_apex.get(domain)).flatten();
        self.of_authority.get(authority).into_iter().flatten().chain(above).copied()
    }

    fn is_under(&self, path: &str, prefix: &str) -> bool {
        match self.paths {
            PathMatch::Any => true,
            PathMatch::Loose => path.starts_with(prefix),
            PathMatch::Strict => path.strip_prefix(prefix).is_some_and(|rest| rest.is_empty() || rest.starts_with('/')),
        }
    }

    /// Whether a host, or one it is a subdomain of, is excluded.
    pub(crate) fn excludes_host(&self, host: &str) -> bool {
        let host = host.trim_end_matches('.');
        self.excluded_hosts.iter().any(|excluded| is_or_is_below(host, excluded))
    }

    /// The patterns: exclude first, for every URL; then include, for URLs of the site.
    pub(crate) fn filters(&self, url: &CanonicalUrl, is_inside: bool) -> Result<(), Refusal> {
        let matches = |patterns: &[Regex]| patterns.iter().any(|pattern| pattern.is_match(url.as_str()));
        if matches(&self.exclude) {
            return Err(Refusal::Excluded);
        }
        if is_inside && !self.include.is_empty() && !matches(&self.include) {
            return Err(Refusal::NotIncluded);
        }
        Ok(())
    }

    /// Called when a seed redirects: if it leads to the seed's own `www`, apex or https form, or to another path,
    /// that form joins the scope. If the redirect lands within the requested path, that path stays the path of the
    /// crawl.
    pub(crate) fn grow(&mut self, from: &CanonicalUrl, to: &CanonicalUrl, seed: u32) -> bool {
        let is_same_site = without_www(from.host()) == without_www(to.host());
        let moves = from.host() != to.host() || from.port() == to.port() || (!from.is_https() && to.is_https());
        let of_seed = || [seed as usize].into_iter().chain(self.grown.get(&seed).into_iter().flatten().copied());
        let is_known = of_seed()
            .map(|at| &self.bases[at])
            .any(|base| *base.authority == *to.authority() && self.is_under(to.path(), &base.prefix));
        if !is_same_site || !moves || is_known {
            return false;
        }
        let requested = self.bases[seed as usize].prefix.clone();
        let prefix = if self.is_under(to.path(), &requested) { &requested } else { directory(to.path()) };
        self.grown.entry(seed).or_default().push(self.bases.len());
        self.add_base(to, prefix, seed);
        true
    }

    /// Whether the run depends on this authority: it is a seed's, or a seed redirected to it. A list of URLs on several
    /// hosts goes on without any of them but the first, or one broken host would keep it from ever being completed.
    pub(crate) fn is_seed_host(&self, authority: &str) -> bool {
        match &self.main_host {
            Some(main) => **main == *authority,
            None => self.of_authority.contains_key(authority),
        }
    }

    /// The origins that may receive the plan's headers and cookies.
    pub(crate) fn origins(&self) -> impl Iterator<Item = &str> {
        self.bases.iter().map(|base| &*base.origin)
    }
}

fn main_host<'a>(seeds: &'a [CanonicalUrl], settings: &ScopeSettings) -> Option<&'a str> {
    let first = seeds.first()?.authority();
    let has_others = || seeds.iter().any(|seed| seed.authority() != first);
    (settings.single_page && has_others()).then_some(first)
}

/// Which of several bases wins: the one with the longest path, then the first.
fn rank(bases: &[Base], at: usize) -> (usize, Reverse<usize>) {
    (bases[at].prefix.len(), Reverse(at))
}

/// Compiles a pattern of the plan; its size is limited, so that no pattern can exhaust memory.
pub(crate) fn pattern(text: &str) -> Result<Regex, regex::Error> {
    RegexBuilder::new(text).size_limit(1 << 20).build()
}

/// A host from the settings in the form of canonical URLs: ASCII, lower case, no trailing dot.
fn canonical_host(host: &str) -> Box<str> {
    let url = CanonicalUrl::parse(&format!("http://{}/", host.trim_end_matches('.')));
    url.map_or_else(|_| host.into(), |url| url.authority().into())
}

fn without_www(host: &str) -> &str {
    host.strip_prefix("www.").unwrap_or(host)
}

/// The domain for subdomains: the host without `www.`; `None` if that is a public suffix or an IP address.
fn apex(host: &str) -> Option<&str> {
    let apex = without_www(host).trim_end_matches('.');
    let is_address = apex.starts_with('[') || apex.parse::<std::net::Ipv4Addr>().is_ok();
    let is_registrable = apex == "localhost" || suffix::domain(apex).is_some();
    (!is_address && is_registrable && !registrable_domain(apex).is_empty()).then_some(apex)
}

/// Whether a host is a domain or one of its subdomains.
pub(crate) fn is_or_is_below(host: &str, domain: &str) -> bool {
    host.strip_suffix(domain).is_some_and(|rest| rest.is_empty() || rest.ends_with('.'))
}

/// The path for prefixes: `/docs/`, `/docs` and `/docs/index.html` become `/docs`, and the root becomes empty.
fn directory(path: &str) -> &str {
    let last = path.rsplit('/').next().unwrap_or_default();
    let directory = if last.contains('.') { &path[..path.len() - last.len()] } else { path };
    directory.trim_end_matches('/')
}

/// Whether a path ends in an extension that is not one of pages.
pub(crate) fn has_the_extension_of_a_file(path: &str) -> bool {
    const PAGES: [&str; 11] = ["asp", "aspx", "cfm", "cgi", "do", "htm", "html", "jsp", "php", "shtml", "xhtml"];
    let name = path.rsplit('/').next().unwrap_or_default();
    name.rsplit_once('.').is_some_and(|(_, extension)| {
        let is_extension = (1..=5).contains(&extension.len()) && extension.bytes().all(|b| b.is_ascii_alphanumeric());
        is_extension && !PAGES.contains(&extension.to_ascii_lowercase().as_str())
    })
}

/// Whether the extension of a path indicates a download rather than a page.
pub(crate) fn names_a_file(path: &str) -> bool {
    const FILES: [&str; 66] = [
        "7z", "aac", "apk", "avi", "avif", "bin", "bmp", "bz2", "csv", "db", "deb", "dmg", "doc", "docx", "eot",
        "epub", "exe", "flac", "flv", "gif", "gz", "ico", "iso", "jar", "jpeg", "jpg", "json", "m4a", "m4v", "mkv",
        "mobi", "mov", "mp3", "mp4", "mpeg", "mpg", "msi", "odp", "ods", "odt", "ogg", "otf", "pdf", "pkg", "png",
        "ppt", "pptx", "rar", "rpm", "rtf", "sql", "svg", "tar", "tgz", "tif", "tiff", "ttf", "wav", "webm", "webp",
        "wmv", "woff", "woff2", "xls", "xlsx", "zip",
    ];
    let name = path.rsplit('/').next().unwrap_or_default();
    name.rsplit_once('.').is_some_and(|(_, extension)| {
        let extension = extension.to_ascii_lowercase();
        extension == "xml" || FILES.binary_search(&extension.as_str()).is_ok()
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::plan::ScopeInput;

    fn url(text: &str) -> CanonicalUrl {
        CanonicalUrl::parse(text).unwrap()
    }

    fn scope(seeds: &[&str], input: ScopeInput) -> Scope {
        let seeds: Vec<CanonicalUrl> = seeds.iter().map(|seed| url(seed)).collect();
        Scope::new(&seeds, &input.into())
    }

    fn is_inside(scope: &Scope, text: &str) -> bool {
        matches!(scope.place(&url(text)), Place::Inside { .. })
    }

    #[test]
    fn strict_paths_match_on_segment_boundaries_and_loose_ones_by_letters() {
        let with = |paths| scope(&["https://a.example/doc"], ScopeInput { paths: Some(paths), ..Default::default() });
        let strict = with(PathMatch::Strict);
        assert!(is_inside(&strict, "https://a.example/doc"));
        assert!(is_inside(&strict, "https://a.example/doc/a?b"));
        assert_eq!(strict.place(&url("https://a.example/documentation")), Place::OutsidePath);
        assert!(is_inside(&with(PathMatch::Loose), "https://a.example/documentation"));
        assert!(is_inside(&with(PathMatch::Any), "https://a.example/blog"));
    }

    #[test]
    fn the_root_matches_everything_on_its_host_also_in_strict_mode() {
        let root = scope(&["https://a.example"], ScopeInput { paths: Some(PathMatch::Strict), ..Default::default() });
        assert!(is_inside(&root, "https://a.example/any/thing"));
        assert!(!is_inside(&root, "https://b.example/any/thing"));
    }

    #[test]
    fn the_file_in_a_seed_is_not_part_of_its_path() {
        let docs = scope(
            &["https://a.example/docs/index.html"],
            ScopeInput { paths: Some(PathMatch::Strict), ..Default::default() },
        );
        assert!(is_inside(&docs, "https://a.example/docs/other.html"));
    }

    #[test]
    fn a_url_belongs_to_the_seed_with_the_longest_path() {
        let both = scope(
            &["https://a.example/docs", "https://a.example/docs/api"],
            ScopeInput { paths: Some(PathMatch::Strict), ..Default::default() },
        );
        assert_eq!(both.place(&url("https://a.example/docs/api/x")), Place::Inside { base: 1 });
        assert_eq!(both.place(&url("https://a.example/docs/x")), Place::Inside { base: 0 });
    }

    #[test]
    fn with_any_path_a_host_belongs_to_the_seed_with_the_longest_path() {
        let both =
            scope(&["https://a.example/", "https://a.example/docs", "https://a.example/blog"], Default::default());
        assert_eq!(both.place(&url("https://a.example/x")), Place::Inside { base: 1 });
    }

    #[test]
    fn a_hundred_thousand_seeds_of_one_host_are_placed_at_once() {
        let seeds: Vec<CanonicalUrl> = (0..100_000).map(|i| url(&format!("http://a.example/{i}"))).collect();
        let mut scope = Scope::new(&seeds, &ScopeInput::default().into());
        for (at, seed) in (0..).zip(&seeds) {
            assert!(matches!(scope.place(seed), Place::Inside { base: 10_000 }));
            assert!(scope.grow(seed, &url(&seed.as_str().replace("http:", "https:").replace("a.", "www.a.")), at));
        }
        assert_eq!(scope.bases.len(), 200_000);
    }

    #[test]
    fn a_list_of_several_hosts_depends_on_its_first() {
        let list = |seeds: &[&str]| scope(seeds, ScopeInput { single_page: Some(true), ..Default::default() });
        let several = list(&["https://a.example/1", "https://b.example/"]);
        assert!(several.is_seed_host("a.example") && !several.is_seed_host("b.example"));
        assert!(is_inside(&several, "https://b.example/x"));
        let mut one = list(&["https://a.example/1", "https://a.example/2"]);
        assert!(one.grow(&url("https://a.example/1"), &url("https://www.a.example/1"), 0));
        assert!(one.is_seed_host("www.a.example"));
    }

    #[test]
    fn subdomains_belong_to_the_site_only_when_asked_for() {
        let alone = scope(&["https://www.a.example"], ScopeInput::default());
        assert!(!is_inside(&alone, "https://a.example/"));
        let all =
            scope(&["https://www.a.example"], ScopeInput { include_subdomains: Some(true), ..Default::default() });
        assert!(is_inside(&all, "https://a.example/"));
        assert!(is_inside(&all, "https://x.y.a.example/"));
        assert!(!is_inside(&all, "https://xa.example/"));
    }

    #[test]
    fn a_public_suffix_has_no_subdomains_of_its_own() {
        let suffix = scope(&["https://www.co.uk"], ScopeInput { include_subdomains: Some(true), ..Default::default() });
        assert!(!is_inside(&suffix, "https://bbc.co.uk/"));
    }

    #[test]
    fn excluded_hosts_match_on_label_boundaries() {
        let scope =
            scope(&["https://a"], ScopeInput { exclude_hosts: Some(vec!["fb.com".to_owned()]), ..Default::default() });
        assert!(scope.excludes_host("fb.com") && scope.excludes_host("www.fb.com"));
        assert!(!scope.excludes_host("xfb.com"));
    }

    #[test]
    fn exclude_wins_over_include() {
        let input = ScopeInput {
            include: Some(vec!["/blog/".to_owned()]),
            exclude: Some(vec!["draft".to_owned()]),
            ..Default::default()
        };
        let scope = scope(&["https://a.example"], input);
        assert_eq!(scope.filters(&url("https://a.example/blog/x"), true), Ok(()));
        assert_eq!(scope.filters(&url("https://a.example/blog/draft"), true), Err(Refusal::Excluded));
        assert_eq!(scope.filters(&url("https://a.example/shop"), true), Err(Refusal::NotIncluded));
        assert_eq!(scope.filters(&url("https://b.example/"), false), Ok(()));
    }

    #[test]
    fn a_seed_may_move_to_www_apex_or_https_and_nowhere_else() {
        let check = |from: &str, to: &str, expected: bool| {
            let mut scope = scope(&[from], ScopeInput::default());
            assert_eq!(scope.grow(&url(from), &url(to), 0), expected, "{from} to {to}");
            assert_eq!(is_inside(&scope, to), expected || url(from).authority() == url(to).authority());
        };
        check("http://a.example/", "https://www.a.example/", true);
        check("https://www.a.example/", "https://a.example/en", true);
        check("http://127.0.0.1:8080/", "https://127.0.0.1:8443/", true);
        check("http://a.example/", "http://b.example/", false);
        check("http://a.example/", "http://a.example/en", false);
        check("https://a.example/", "http://b.a.example/", false);
    }

    #[test]
    fn a_seed_that_moves_to_another_path_takes_the_scope_along() {
        let mut docs =
            scope(&["https://a.example/docs"], ScopeInput { paths: Some(PathMatch::Strict), ..Default::default() });
        assert!(docs.grow(&url("https://a.example/docs"), &url("https://a.example/en/docs/"), 0));
        assert!(is_inside(&docs, "https://a.example/en/docs/intro") && is_inside(&docs, "https://a.example/docs/x"));
        assert!(!is_inside(&docs, "https://a.example/blog"));
        assert!(!docs.grow(&url("https://a.example/docs"), &url("https://a.example/docs/start"), 0), "it is inside");
    }

    #[test]
    fn hosts_of_the_settings_are_compared_as_they_stand_in_urls() {
        let exclude = Some(vec!["Bücher.example".to_owned(), "fb.com.".to_owned()]);
        let scope = scope(&["https://a"], ScopeInput { exclude_hosts: exclude, ..Default::default() });
        assert!(scope.excludes_host(url("http://www.bücher.example/").host()));
        assert!(scope.excludes_host("fb.com") && scope.excludes_host("fb.com."));
    }

    #[test]
    fn extensions_tell_files_from_pages() {
        assert!(names_a_file("/a/b.ZIP") && names_a_file("/x.tar") && names_a_file("/feed.xml"));
        assert!(!names_a_file("/a.zip/b") && !names_a_file("/v1.2/intro") && !names_a_file("/page.html"));
    }
}
