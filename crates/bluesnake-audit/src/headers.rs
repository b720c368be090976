//! What matters about response headers, read once per set of them.
//!
//! Nearly every response of some servers has its own set, because of request ids; what matters about them is the
//! same, and is stored once.

use std::borrow::Cow;

use hashbrown::HashMap;
use serde::Deserialize;

/// What matters about a set of response headers.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub(crate) struct Header {
    pub(crate) has_hsts: bool,
    pub(crate) has_csp: bool,
    pub(crate) has_nosniff: bool,
    /// Whether other sites cannot embed the page.
    pub(crate) limits_frames: bool,
    pub(crate) has_referrer_policy: bool,
    pub(crate) is_compressed: bool,
    /// Whether the response asks for proof that a person sent the request.
    pub(crate) is_challenge: bool,
    pub(crate) cookies: Vec<Cookie>,
    /// Header fields that reveal versions of software.
    pub(crate) banners: Vec<String>,
    /// Directives for all robots, in lower case without spaces.
    pub(crate) directives: Vec<String>,
    /// Directives for a single robot of a large search engine.
    pub(crate) bot_directives: Vec<(String, Vec<String>)>,
}

/// A cookie that a response sets.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Cookie {
    pub(crate) name: String,
    pub(crate) is_secure: bool,
    pub(crate) is_http_only: bool,
    pub(crate) has_same_site: bool,
}

/// All sets of headers by id.
#[derive(Debug)]
pub(crate) struct Headers {
    /// The digest of each set; the first digest is that of no headers.
    digest_of: Vec<u32>,
    digests: Vec<Header>,
    ids: HashMap<Header, u32>,
}

impl Default for Headers {
    fn default() -> Self {
        let ids = HashMap::from([(Header::default(), 0)]);
        Self { digest_of: Vec::new(), digests: vec![Header::default()], ids }
    }
}

/// A field of a set.
#[derive(Deserialize)]
struct Field<'a>(#[serde(borrow)] Cow<'a, str>, #[serde(borrow)] Cow<'a, str>);

impl Headers {
    /// Reads a set: JSON, a list of names and values.
    pub(crate) fn push(&mut self, id: u32, fields: &str) {
        let fields: Vec<Field<'_>> = serde_json::from_str(fields).unwrap_or_default();
        let mut header = Header::default();
        fields.iter().for_each(|Field(name, value)| header.read(name, value));
        let next = self.digests.len() as u32;
        let digest = *self.ids.entry(header).or_insert_with_key(|header| {
            self.digests.push(header.clone());
            next
        });
        let at = id as usize;
        if self.digest_of.len() <= at {
            self.digest_of.resize(at + 1, 0);
        }
        self.digest_of[at] = digest;
    }

    /// The digest of a set; that of no headers for an unknown one.
    pub(crate) fn get(&self, id: Option<u32>) -> &Header {
        let digest = id.and_then(|id| self.digest_of.get(id as usize)).copied().unwrap_or(0);
        &self.digests[digest as usize]
    }
}

impl Header {
    fn read(&mut self, name: &str, value: &str) {
        match name {
            "strict-transport-security" => self.has_hsts = true,
            "content-security-policy" => {
                self.has_csp = true;
                self.limits_frames |= value.split(',').any(limits_ancestors);
            }
            "x-content-type-options" => self.has_nosniff |= value.to_ascii_lowercase().contains("nosniff"),
            "x-frame-options" => {
                let is_limit = |word: &str| ["deny", "sameorigin"].iter().any(|limit| word.eq_ignore_ascii_case(limit));
                self.limits_frames |= value.split(',').map(str::trim).all(is_limit);
            }
            "referrer-policy" => self.has_referrer_policy |= is_secure_policy(value),
            "content-encoding" => self.is_compressed |= !matches!(value.trim(), "" | "identity"),
            "cf-mitigated" | "x-amzn-waf-action" => {
                let is_proof = |word: &str| value.trim().eq_ignore_ascii_case(word);
                self.is_challenge |= is_proof("challenge") || is_proof("captcha");
            }
            "set-cookie" => self.cookies.push(Cookie::read(value)),
            "server" | "x-powered-by" if has_version(value) => self.banners.push(value.trim().to_owned()),
            "x-aspnet-version" | "x-aspnetmvc-version" => self.banners.push(format!("{name}: {}", value.trim())),
            "x-robots-tag" => self.read_robots_tag(value),
            _ => {}
        }
    }

    /// A value that begins with the name of a robot is for that robot alone.
    fn read_robots_tag(&mut self, value: &str) {
        let first = value.split(',').next().unwrap_or_default();
        let name = first.split_once(':').map(|(name, _)| name.trim().to_ascii_lowercase());
        match name.filter(|name| name != "unavailable_after" && !name.starts_with("max-")) {
            None => self.directives.extend(directives(value)),
            Some(bot) if is_search_engine(&bot) => {
                let rest = value.split_once(':').map_or("", |(_, rest)| rest);
                self.bot_directives.push((bot, directives(rest)));
            }
            Some(_) => {}
        }
    }
}

/// Whether a robot, by its name in lower case, belongs to a large search engine.
pub(crate) fn is_search_engine(bot: &str) -> bool {
    matches!(bot, "googlebot" | "bingbot")
}

/// The directives of a robots tag, in lower case without spaces.
fn directives(value: &str) -> Vec<String> {
    let mut directives = Vec::new();
    let mut rest = value.to_lowercase();
    rest.retain(|letter| letter != ' ');
    while !rest.is_empty() {
        // A date contains commas itself, so it takes the rest.
        let length = if rest.starts_with("unavailable_after:") { None } else { rest.find(',') };
        let word: String = rest.drain(..length.unwrap_or(rest.len())).collect();
        rest.drain(..rest.len().min(1));
        if !word.is_empty() {
            directives.push(word);
        }
    }
    directives
}

/// Whether a policy limits who may embed the page: not if any site may.
fn limits_ancestors(policy: &str) -> bool {
    let mut directives = policy.split(';').map(str::split_ascii_whitespace);
    let is_name = |word: &str| word.eq_ignore_ascii_case("frame-ancestors");
    let ancestors = directives.find_map(|mut words| words.next().is_some_and(is_name).then_some(words));
    let is_any = |source: &str| {
        ["*", "http:", "https:", "http://*", "https://*"].iter().any(|any| source.eq_ignore_ascii_case(any))
    };
    ancestors.is_some_and(|mut sources| !sources.any(is_any))
}

fn is_secure_policy(value: &str) -> bool {
    let value = value.to_ascii_lowercase();
    ["no-referrer", "strict-origin", "same-origin"].iter().any(|policy| value.contains(policy))
}

/// Whether a product is followed by its version: `nginx/1.18.0`, `Phusion Passenger 6.0.4`.
fn has_version(value: &str) -> bool {
    value.split([' ', '(', ')', ',', ';']).any(|word| {
        let version = word.split_once('/').map_or(word, |(_, version)| version);
        let version = version.trim_start_matches('v');
        let numbers = version.split('-').next().unwrap_or_default();
        let is_numeric = numbers.bytes().all(|byte| byte.is_ascii_digit() || byte == b'.');
        is_numeric && numbers.bytes().any(|byte| byte.is_ascii_digit()) && (word.contains('/') || numbers.contains('.'))
    })
}

impl Cookie {
    fn read(value: &str) -> Self {
        let mut parts = value.split(';').map(str::trim);
        let name = parts.next().and_then(|pair| pair.split('=').next()).unwrap_or_default().trim().to_owned();
        let mut cookie = Self { name, is_secure: false, is_http_only: false, has_same_site: false };
        for part in parts {
            let attribute = part.split('=').next().unwrap_or_default().trim().to_ascii_lowercase();
            match attribute.as_str() {
                "secure" => cookie.is_secure = true,
                "httponly" => cookie.is_http_only = true,
                "samesite" => cookie.has_same_site = true,
                _ => {}
            }
        }
        cookie
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn header(name: &str, value: &str) -> Header {
        let mut headers = Headers::default();
        headers.push(5, &serde_json::to_string(&[(name, value)]).unwrap());
        headers.get(Some(5)).clone()
    }

    #[test]
    fn versions_of_software_are_banners() {
        for banner in
            ["nginx/1.18.0", "Apache/2.4.41 (Ubuntu)", "PHP/7.4.3-4ubuntu2", "Phusion Passenger 6.0.4", "Apache/2"]
        {
            assert_eq!(header("server", banner).banners, [banner]);
        }
        for harmless in ["nginx", "cloudflare", "ASP.NET", "Express", "ECS (nyb/1D2E)", "Apache (Ubuntu)", "WP Engine"]
        {
            assert!(header("x-powered-by", harmless).banners.is_empty(), "{harmless}");
        }
    }

    #[test]
    fn frames_are_limited_by_either_header() {
        assert!(header("x-frame-options", " sameorigin").limits_frames);
        assert!(header("content-security-policy", "default-src 'self'; Frame-Ancestors 'none'").limits_frames);
        assert!(!header("content-security-policy", "default-src 'self'").limits_frames);
        assert!(!header("x-frame-options", "ALLOW-FROM https://a/").limits_frames);
        assert!(header("x-frame-options", "SAMEORIGIN, SAMEORIGIN").limits_frames);
        assert!(!header("x-frame-options", "").limits_frames);
    }

    #[test]
    fn frame_ancestors_that_include_every_site_limit_nothing() {
        for any in ["*", "'self' *", "https:", "http: https:", "HTTPS://*"] {
            assert!(!header("content-security-policy", &format!("frame-ancestors {any}")).limits_frames, "{any}");
        }
        for some in ["", "'none'", "'self' https://*.example.org", "https://example.org"] {
            assert!(header("content-security-policy", &format!("frame-ancestors {some}")).limits_frames, "{some}");
        }
        let several = "default-src *, frame-ancestors 'self'";
        assert!(header("content-security-policy", several).limits_frames, "two headers put together");
        assert!(!header("content-security-policy", "report-uri /frame-ancestors").limits_frames);
    }

    #[test]
    fn challenges_and_captchas_ask_for_proof() {
        assert!(header("cf-mitigated", "challenge").is_challenge);
        assert!(header("x-amzn-waf-action", "captcha").is_challenge);
        assert!(!header("x-amzn-waf-action", "count").is_challenge);
    }

    #[test]
    fn directives_for_a_single_robot_count_if_it_is_a_large_one() {
        let google = header("x-robots-tag", "Googlebot: noindex, NoFollow");
        assert!(google.directives.is_empty());
        assert_eq!(
            google.bot_directives,
            [("googlebot".to_owned(), vec!["noindex".to_owned(), "nofollow".to_owned()])]
        );
        assert!(header("x-robots-tag", "somebot: noindex").bot_directives.is_empty());
    }

    #[test]
    fn directives_for_other_robots_do_not_count() {
        assert_eq!(header("x-robots-tag", "NoIndex, nofollow").directives, ["noindex", "nofollow"]);
        assert!(header("x-robots-tag", "somebot: noindex, nofollow").directives.is_empty());
        assert_eq!(header("x-robots-tag", "max-snippet: 10, none").directives, ["max-snippet:10", "none"]);
        assert_eq!(
            header("x-robots-tag", "noindex, unavailable_after: Mon, 1 Jan 2030").directives,
            ["noindex", "unavailable_after:mon,1jan2030"]
        );
    }

    #[test]
    fn attributes_of_cookies_count_in_any_case() {
        let cookie = |value| header("set-cookie", value).cookies.remove(0);
        let expected = Cookie { name: "id".into(), is_secure: true, is_http_only: true, has_same_site: true };
        assert_eq!(cookie("id=…; Path=/; secure; HttpOnly; SameSite=Lax"), expected);
        assert!(!cookie("id=…; Path=/Secure").is_secure);
    }

    #[test]
    fn sets_that_mean_the_same_are_stored_once() {
        let mut headers = Headers::default();
        for id in 0..100 {
            headers.push(id, &format!(r#"[["cf-ray","{id}"],["server","nginx"]]"#));
        }
        assert_eq!(headers.digests.len(), 1);
        headers.push(200, "not JSON");
        assert_eq!(headers.get(Some(200)), &Header::default());
        assert_eq!(headers.get(None), &Header::default());
    }
}
