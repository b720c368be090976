//! Accepted host names. A name that an attacker points here (DNS rebinding) is not among them.

use std::net::{IpAddr, SocketAddr};

use axum::extract::Request;
use axum::http::Version;
use axum::http::header::HOST;
use axum::http::uri::Authority;

use crate::error::{Code, Problem};

/// This machine's names for itself.
const LOOPBACK: [&str; 3] = ["localhost", "127.0.0.1", "[::1]"];

pub(super) fn check(request: &Request, here: SocketAddr, allowed: &[String]) -> Result<(), Problem> {
    let mut named = request.headers().get_all(HOST).iter();
    let (Some(host), None) = (named.next(), named.next()) else {
        return Err(Problem::new(Code::NoHost, "a request needs exactly one Host header"));
    };
    let host: Option<Authority> = host.to_str().ok().and_then(|text| text.parse().ok());
    let asked = request.uri().authority().filter(|_| request.version() <= Version::HTTP_11);
    let is_ours = |authority: &Authority| is_allowed(authority, here, allowed);
    if host.as_ref().is_some_and(is_ours) && asked.is_none_or(is_ours) {
        return Ok(());
    }
    let detail = "this server is not known by that host name";
    Err(Problem::new(Code::WrongHost, detail)
        .hint("use localhost and its port, or start the server with `--allow-host NAME`"))
}

/// Whether `host[:port]` is one of our names.
pub(crate) fn is_allowed(authority: &Authority, here: SocketAddr, allowed: &[String]) -> bool {
    if authority.as_str().contains('@') {
        return false;
    }
    let (host, port) = (authority.host(), authority.port_u16());
    // Port 0 is never bound: our own address is not known.
    let is_known = here.port() != 0;
    let is_our_port =
        is_known && port.unwrap_or(80) == here.port() && (port.is_some() || !authority.as_str().ends_with(':'));
    let is_loopback = LOOPBACK.iter().any(|name| host.eq_ignore_ascii_case(name));
    // An IP address cannot be rebound. A dual-stack socket reports IPv4 addresses in IPv6 form.
    let asked: Option<IpAddr> = host.trim_matches(['[', ']']).parse().ok();
    let is_address = asked.is_some_and(|address| address.to_canonical() == here.ip().to_canonical());
    if is_our_port && (is_loopback || is_address) {
        return true;
    }
    allowed.iter().any(|name| name.eq_ignore_ascii_case(host) || name.eq_ignore_ascii_case(authority.as_str()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_names_of_this_machine_with_its_port_and_names_that_were_allowed() {
        let here: SocketAddr = "127.0.0.1:8080".parse().unwrap();
        let allowed = ["crawler.example".to_owned(), "other.example:81".to_owned()];
        let check = |authority: &str, expected: bool| {
            let found = authority.parse().is_ok_and(|authority| is_allowed(&authority, here, &allowed));
            assert_eq!(found, expected, "{authority}");
        };
        for ours in ["localhost:8080", "LOCALHOST:8080", "127.0.0.1:8080", "[::1]:8080", "crawler.example"] {
            check(ours, true);
        }
        for ours in ["crawler.example:443", "Crawler.Example", "other.example:81"] {
            check(ours, true);
        }
        for foreign in ["localhost", "localhost:8081", "127.0.0.1", "evil.example:8080", "localhost.evil.example:8080"]
        {
            check(foreign, false);
        }
        for foreign in ["0.0.0.0:8080", "me@localhost:8080", "127.0.0.2:8080", "other.example:82", "localhost.:8080"] {
            check(foreign, false);
        }
    }

    #[test]
    fn the_address_that_was_connected_to_is_a_name_of_ours() {
        let allowed = |authority: &str, here: &str| is_allowed(&authority.parse().unwrap(), here.parse().unwrap(), &[]);
        assert!(allowed("192.168.1.5:8080", "192.168.1.5:8080"));
        assert!(!allowed("192.168.1.6:8080", "192.168.1.5:8080"));
        assert!(allowed("localhost", "127.0.0.1:80"));
        assert!(allowed("192.168.1.5:8080", "[::ffff:192.168.1.5]:8080"));
        assert!(!allowed("192.168.1.6:8080", "[::ffff:192.168.1.5]:8080"));
    }
}
