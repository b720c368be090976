//! The public suffix list, behind one function.
//!
//! The compiler instantiates the list wherever it is called, two thirds of a megabyte each time. So only
//! [`public_suffix`] calls it, and it is never inlined.

/// The public suffix of a host name: `co.uk` of `a.example.co.uk`.
#[inline(never)]
pub(crate) fn public_suffix(host: &str) -> Option<&str> {
    psl::suffix_str(host)
}

/// The public suffix plus one label: `example.co.uk` of `a.example.co.uk`; `None` for a suffix itself.
pub(crate) fn domain(host: &str) -> Option<&str> {
    let host = host.strip_suffix('.').unwrap_or(host);
    let above = host.strip_suffix(public_suffix(host)?)?.strip_suffix('.')?;
    let label = above.rsplit('.').next().filter(|_| !above.is_empty())?;
    Some(&host[above.len() - label.len()..])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn domains_are_those_of_the_list() {
        for host in [
            "example.com",
            "a.example.com",
            "a.b.example.co.uk",
            "co.uk",
            "com",
            "localhost",
            "a.localhost",
            "",
            ".",
            ".com",
            "a..com",
            "example.com.",
            "com.",
            "a.github.io",
            "github.io",
            "x.kawasaki.jp",
            "a.x.kawasaki.jp",
            "city.kawasaki.jp",
            "xn--p1ai",
            "a.xn--p1ai",
            "10.0.0.1",
            "[::1]",
        ] {
            assert_eq!(domain(host), psl::domain_str(host), "{host}");
        }
    }
}
