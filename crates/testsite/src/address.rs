//! URLs that are only known once the port is.
//!
//! Declarations write `{origin}` (the main site), `{self}` (the responding site), `{host:NAME}` and `{port}`;
//! [`Addresses::fill`] replaces them. [`resolve`] is the small part of URL resolution that declared links need.

/// The values of the placeholders, known once the site listens.
#[derive(Debug, Clone)]
pub(crate) struct Addresses {
    pub(crate) scheme: &'static str,
    pub(crate) ip: String,
    pub(crate) port: u16,
}

impl Addresses {
    pub(crate) fn origin(&self) -> String {
        self.origin_of(&self.ip)
    }

    pub(crate) fn origin_of(&self, host: &str) -> String {
        format!("{}://{}:{}", self.scheme, host, self.port)
    }

    /// Replaces the placeholders of a declared text; `own` is the origin of the site that declares it.
    pub(crate) fn fill(&self, text: &str, own: &str) -> String {
        if !text.contains('{') {
            return text.to_owned();
        }
        let filled = text.replace("{origin}", &self.origin()).replace("{self}", own);
        let filled = filled.replace("{port}", &self.port.to_string());
        self.fill_hosts(&filled)
    }

    fn fill_hosts(&self, text: &str) -> String {
        let mut filled = String::with_capacity(text.len());
        let mut rest = text;
        while let Some((before, after)) = rest.split_once("{host:") {
            let Some((name, behind)) = after.split_once('}') else { break };
            filled.push_str(before);
            filled.push_str(&self.origin_of(name));
            rest = behind;
        }
        filled.push_str(rest);
        filled
    }

    /// Turns `/path` or `//host/path`, the form used in declared truth, into the URL a client requests.
    pub(crate) fn absolute(&self, address: &str) -> String {
        match address.strip_prefix("//") {
            Some(rest) => {
                let (host, path) = rest.split_at(rest.find('/').unwrap_or(rest.len()));
                format!("{}{}", self.origin_of(host), path)
            }
            None if address.starts_with('/') => format!("{}{}", self.origin(), address),
            None => address.to_owned(),
        }
    }
}

/// The absolute URL of `reference` on the page `base`, without its fragment; `None` if it is not http(s).
pub(crate) fn resolve(base: &str, reference: &str) -> Option<String> {
    let reference = reference.split('#').next().unwrap_or_default();
    if reference.starts_with("http://") || reference.starts_with("https://") {
        return Some(with_path(reference));
    }
    let (scheme, behind) = base.split_once("://")?;
    if let Some(rest) = reference.strip_prefix("//") {
        return Some(with_path(&format!("{scheme}://{rest}")));
    }
    if has_scheme(reference) {
        return None;
    }
    let (authority, path) = behind.split_at(behind.find(['/', '?']).unwrap_or(behind.len()));
    let (directory, _) = split_query(path);
    let joined = match reference.chars().next() {
        None => path.to_owned(),
        Some('/') => reference.to_owned(),
        Some('?') => format!("{directory}{reference}"),
        Some(_) => format!("{}/{reference}", directory.rsplit_once('/').map_or("", |(parent, _)| parent)),
    };
    Some(format!("{scheme}://{authority}{}", without_dots(&joined)))
}

/// Splits an absolute URL into its host (without port) and its path with query.
pub(crate) fn split(url: &str) -> Option<(&str, &str)> {
    let (_, behind) = url.split_once("://")?;
    let (authority, target) = behind.split_at(behind.find('/').unwrap_or(behind.len()));
    Some((without_port(authority), target))
}

/// The host of an authority or `Host` header.
pub(crate) fn without_port(authority: &str) -> &str {
    match authority.rsplit_once(':') {
        Some((host, port)) if port.bytes().all(|byte| byte.is_ascii_digit()) => host,
        _ => authority,
    }
}

/// Path and query of a target; the query keeps its question mark.
pub(crate) fn split_query(target: &str) -> (&str, &str) {
    target.split_at(target.find('?').unwrap_or(target.len()))
}

fn has_scheme(reference: &str) -> bool {
    reference.split_once(':').is_some_and(|(scheme, _)| {
        scheme.starts_with(|first: char| first.is_ascii_alphabetic())
            && scheme.chars().all(|letter| letter.is_ascii_alphanumeric() || "+-.".contains(letter))
    })
}

fn with_path(url: &str) -> String {
    let authority = url.find("://").map_or(0, |at| at + 3);
    if url[authority..].contains('/') { url.to_owned() } else { format!("{url}/") }
}

fn without_dots(target: &str) -> String {
    let (path, query) = split_query(target);
    let mut kept: Vec<&str> = Vec::new();
    for segment in path.split('/').skip(1) {
        match segment {
            "." => {}
            ".." => drop(kept.pop()),
            name => kept.push(name),
        }
    }
    if path.ends_with("/..") || path.ends_with("/.") {
        kept.push("");
    }
    format!("/{}{query}", kept.join("/"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn resolves_references_like_a_browser() {
        let check = |reference: &str, expected: Option<&str>| {
            assert_eq!(resolve("http://h:1/a/b/c?q=1", reference).as_deref(), expected, "{reference}");
        };
        check("/x", Some("http://h:1/x"));
        check("x", Some("http://h:1/a/b/x"));
        check("../x?y=/../z", Some("http://h:1/a/x?y=/../z"));
        check("../../../x", Some("http://h:1/x"));
        check(".", Some("http://h:1/a/b/"));
        check("..", Some("http://h:1/a/"));
        check("?p=2#top", Some("http://h:1/a/b/c?p=2"));
        check("#top", Some("http://h:1/a/b/c?q=1"));
        check("//other:2/x", Some("http://other:2/x"));
        check("http://other:2", Some("http://other:2/"));
        check("mailto:someone@example.test", None);
    }

    #[test]
    fn fills_in_placeholders() {
        let addresses = Addresses { scheme: "http", ip: "127.0.0.1".into(), port: 80 };
        assert_eq!(
            addresses.fill("{origin}/a {self}/b {host:x.test}/c //y.test:{port}/d {other}", "http://own:80"),
            "http://127.0.0.1:80/a http://own:80/b http://x.test:80/c //y.test:80/d {other}"
        );
    }
}
