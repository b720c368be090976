//! Resolves a host name to the addresses we may connect to.
//!
//! The operator's `resolve` settings come first and are trusted; every other address passes the [`guard`], including
//! one written in the URL itself. Results are cached for a minute, including "no such name". The returned addresses
//! are used as they are; nothing is looked up twice for one connection.

use std::collections::{HashMap, VecDeque};
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr, ToSocketAddrs};
use std::sync::Mutex;
use std::time::Duration;

use tokio::time::Instant;

use super::connector;
use super::guard;
use super::outcome::{Failure, FailureKind};
use super::pool::Permit;

const KEPT_FOR: Duration = Duration::from_secs(60);
const KEPT_NAMES: usize = 10_000;
/// The maximum number of addresses tried for one connection.
const MAX_ADDRESSES: usize = 8;

/// Resolves names for one crawl.
pub(super) struct Resolver {
    overrides: Vec<Override>,
    allow_private: bool,
    known: Mutex<KnownNames>,
}

#[derive(Default)]
struct KnownNames {
    names: HashMap<Box<str>, Known>,
    /// In lookup order, which is also the order of expiry.
    in_order: VecDeque<Box<str>>,
}

struct Known {
    result: Result<Vec<IpAddr>, Failure>,
    until: Instant,
}

impl Resolver {
    pub(super) fn new(overrides: Vec<Override>, allow_private: bool) -> Self {
        Self { overrides, allow_private, known: Mutex::default() }
    }

    /// The allowed addresses to try, in order. The host comes from a URL, so an IPv6 address has brackets. A lookup
    /// needs a descriptor, so it holds the permit until it ends, even if the caller has stopped waiting.
    pub(super) async fn addresses(
        &self,
        host: &str,
        port: u16,
        permit: Permit,
    ) -> Result<(Vec<SocketAddr>, Permit), Failure> {
        if let Some(found) = self.overrides.iter().find(|each| each.applies_to(host)) {
            return found.address(port).map(|address| (vec![address], permit));
        }
        let (addresses, permit) = self.lookup(host, permit).await?;
        let mut allowed = allowed(&addresses, self.allow_private)?;
        take_turns(&mut allowed);
        allowed.truncate(MAX_ADDRESSES);
        Ok((allowed.into_iter().map(|ip| SocketAddr::new(ip, port)).collect(), permit))
    }

    /// Addresses of a host the operator chose, such as a proxy: not guarded.
    pub(super) async fn trusted_addresses(
        &self,
        host: &str,
        port: u16,
        permit: Permit,
    ) -> Result<(Vec<SocketAddr>, Permit), Failure> {
        let (addresses, permit) = self.lookup(host, permit).await?;
        Ok((addresses.into_iter().map(|ip| SocketAddr::new(ip, port)).collect(), permit))
    }

    async fn lookup(&self, host: &str, permit: Permit) -> Result<(Vec<IpAddr>, Permit), Failure> {
        if let Some(ip) = guard::literal(host) {
            return Ok((vec![ip], permit));
        }
        if never_resolves(host) {
            return Err(FailureKind::DnsNotFound.into());
        }
        if guard::is_this_machine(host) {
            return Ok((vec![Ipv4Addr::LOCALHOST.into(), Ipv6Addr::LOCALHOST.into()], permit));
        }
        if let Some(result) = self.known(host) {
            return result.map(|addresses| (addresses, permit));
        }
        let (result, permit) = query_system(host, permit).await?;
        let is_certain = |failure: &Failure| failure.kind == FailureKind::DnsNotFound;
        if result.as_ref().err().is_none_or(is_certain) {
            self.keep(host, result.clone());
        }
        result.map(|addresses| (addresses, permit))
    }

    fn known(&self, host: &str) -> Option<Result<Vec<IpAddr>, Failure>> {
        let known = self.known.lock().expect("no panic happens while names are looked at");
        known.names.get(host).filter(|known| Instant::now() < known.until).map(|known| known.result.clone())
    }

    fn keep(&self, host: &str, result: Result<Vec<IpAddr>, Failure>) {
        let now = Instant::now();
        let mut known = self.known.lock().expect("no panic happens while names are looked at");
        while let Some(oldest) = known.in_order.front()
            && (known.in_order.len() >= KEPT_NAMES || known.names.get(oldest).is_none_or(|known| known.until <= now))
        {
            let oldest = known.in_order.pop_front().expect("it was just looked at");
            known.names.remove(&oldest);
        }
        if known.names.insert(host.into(), Known { result, until: now + KEPT_FOR }).is_none() {
            known.in_order.push_back(host.into());
        }
    }
}

/// The addresses that pass the guard; if none does, the reason for the first.
fn allowed(addresses: &[IpAddr], allow_private: bool) -> Result<Vec<IpAddr>, Failure> {
    let mut allowed = Vec::with_capacity(addresses.len());
    let mut refusal = None;
    for &ip in addresses {
        match guard::check(ip, allow_private) {
            Ok(()) => allowed.push(ip),
            Err(failure) => refusal = refusal.or(Some(failure)),
        }
    }
    match refusal {
        Some(refusal) if allowed.is_empty() => Err(refusal),
        _ => Ok(allowed),
    }
}

/// RFC 8305: alternates address families, so that a broken one costs one stagger and not eight.
fn take_turns(addresses: &mut Vec<IpAddr>) {
    let Some(first) = addresses.first().copied() else { return };
    let (same, other): (Vec<IpAddr>, Vec<IpAddr>) = addresses.iter().partition(|ip| ip.is_ipv4() == first.is_ipv4());
    let mut other = other.into_iter();
    let mut turns: Vec<IpAddr> = same.into_iter().flat_map(|ip| [Some(ip), other.next()]).flatten().collect();
    turns.extend(other);
    *addresses = turns;
}

/// RFC 6761 and RFC 7686: names that no name server knows and that must not be looked up.
fn never_resolves(host: &str) -> bool {
    matches!(host.trim_end_matches('.').rsplit('.').next(), Some("invalid" | "onion"))
}

/// Calls the system resolver on a thread that cannot be cancelled.
async fn query_system(host: &str, permit: Permit) -> Result<(Result<Vec<IpAddr>, Failure>, Permit), Failure> {
    let name = host.to_owned();
    let asking = tokio::task::spawn_blocking(move || (system_addresses(&name), permit));
    asking.await.map_err(|error| Failure::new(FailureKind::DnsFailed, error.to_string()))
}

fn system_addresses(host: &str) -> Result<Vec<IpAddr>, Failure> {
    match (host, 0).to_socket_addrs() {
        Ok(found) => {
            let mut addresses: Vec<IpAddr> = Vec::new();
            for address in found {
                if !addresses.contains(&address.ip()) {
                    addresses.push(address.ip());
                }
            }
            if addresses.is_empty() { Err(FailureKind::DnsNotFound.into()) } else { Ok(addresses) }
        }
        // Without a descriptor the resolver cannot read its own configuration, and its error is meaningless.
        Err(_) if connector::is_short_of_sockets() => Err(FailureKind::Exhausted.into()),
        Err(error) if says_no_such_name(&error) => Err(FailureKind::DnsNotFound.into()),
        Err(error) => Err(Failure::new(FailureKind::DnsFailed, error.to_string())),
    }
}

/// The system's resolver reports its errors by text (glibc, musl, macOS) or by number (Windows).
fn says_no_such_name(error: &std::io::Error) -> bool {
    const TEXTS: [&str; 4] =
        ["not known", "No address associated", "Name does not resolve", "nodename nor servname provided"];
    const WINDOWS_CODES: [i32; 2] = [11001, 11004];
    let text = error.to_string();
    TEXTS.iter().any(|known| text.contains(known))
        || error.raw_os_error().is_some_and(|code| WINDOWS_CODES.contains(&code))
}

/// `HOST:ADDRESS[:PORT]`: where the operator sends connections for a host.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Override {
    host: HostPattern,
    ip: IpAddr,
    port: Option<u16>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
enum HostPattern {
    Any,
    /// Includes its leading dot.
    Suffix(String),
    Exact(String),
}

impl Override {
    pub(super) fn parse(text: &str) -> Result<Self, String> {
        let wrong = || format!("`{text}` is not of the form HOST:ADDRESS or HOST:ADDRESS:PORT");
        let host_end = if text.starts_with('[') { text.find(']').ok_or_else(wrong)? + 1 } else { 0 };
        let colon = host_end + text[host_end..].find(':').ok_or_else(wrong)?;
        let (host, target) = (&text[..colon], &text[colon + 1..]);
        let (ip, port) = parse_target(target).ok_or_else(wrong)?;
        if host.is_empty() {
            return Err(wrong());
        }
        Ok(Self { host: HostPattern::of(host), ip, port })
    }

    fn applies_to(&self, host: &str) -> bool {
        match &self.host {
            HostPattern::Any => true,
            HostPattern::Suffix(suffix) => host.ends_with(suffix.as_str()),
            HostPattern::Exact(exact) => host == exact,
        }
    }

    /// The operator's setting opens the private network, but never a metadata service.
    fn address(&self, port: u16) -> Result<SocketAddr, Failure> {
        guard::check(self.ip, true)?;
        Ok(SocketAddr::new(self.ip, self.port.unwrap_or(port)))
    }
}

impl HostPattern {
    fn of(host: &str) -> Self {
        let host = host.to_ascii_lowercase();
        match host.strip_prefix('*') {
            Some("") => Self::Any,
            Some(suffix) if suffix.starts_with('.') => Self::Suffix(suffix.to_owned()),
            _ => Self::Exact(host),
        }
    }
}

fn parse_target(target: &str) -> Option<(IpAddr, Option<u16>)> {
    if let Ok(ip) = target.trim_matches(['[', ']']).parse::<IpAddr>() {
        return Some((ip, None));
    }
    let address: SocketAddr = target.parse().ok()?;
    Some((address.ip(), Some(address.port())))
}

#[cfg(test)]
mod tests {
    use super::super::pool::Pool;
    use super::*;

    fn ip(text: &str) -> IpAddr {
        text.parse().unwrap()
    }

    async fn failure(resolver: &Resolver, host: &str) -> Failure {
        let permit = Pool::new(1).permit().await;
        resolver.addresses(host, 80, permit).await.err().unwrap()
    }

    #[test]
    fn overrides_name_a_host_an_address_and_perhaps_a_port() {
        let check = |text, host: &str, expected: &str| {
            let found = Override::parse(text).unwrap();
            assert!(found.applies_to(host), "{text} {host}");
            assert_eq!(found.address(443).unwrap(), expected.parse().unwrap(), "{text}");
        };
        check("a.example:127.0.0.1", "a.example", "127.0.0.1:443");
        check("a.example:127.0.0.1:8443", "a.example", "127.0.0.1:8443");
        check("a.example:[::1]:8443", "a.example", "[::1]:8443");
        check("a.example:[::1]", "a.example", "[::1]:443");
        check("a.example:::1", "a.example", "[::1]:443");
        check("*.example:10.0.0.1", "www.a.example", "10.0.0.1:443");
        check("*:10.0.0.1:80", "anything", "10.0.0.1:80");
        check("[2001:db8::1]:10.0.0.1", "[2001:db8::1]", "10.0.0.1:443");
    }

    #[test]
    fn an_override_of_a_suffix_leaves_other_hosts_alone() {
        let found = Override::parse("*.example:10.0.0.1").unwrap();
        assert!(!found.applies_to("example") && !found.applies_to("badexample"));
    }

    #[test]
    fn invalid_overrides_are_reported() {
        for wrong in ["", "a.example", "a.example:", "a.example:b.example", ":127.0.0.1", "a:127.0.0.1:99999", "[::1"] {
            assert!(Override::parse(wrong).is_err(), "{wrong}");
        }
    }

    #[test]
    fn only_allowed_addresses_of_a_name_are_connected_to() {
        let mixed = [ip("93.184.216.34"), ip("127.0.0.1"), ip("::1")];
        assert_eq!(allowed(&mixed, false).unwrap(), [ip("93.184.216.34")]);
        assert_eq!(allowed(&mixed, true).unwrap(), mixed);
        assert_eq!(allowed(&mixed[1..], false).unwrap_err().kind, FailureKind::AddressRefused);
    }

    #[test]
    fn the_families_take_turns() {
        let mut addresses = ["::1", "::2", "::3", "1.1.1.1"].map(ip).to_vec();
        take_turns(&mut addresses);
        assert_eq!(addresses, ["::1", "1.1.1.1", "::2", "::3"].map(ip));
        let mut addresses = ["1.1.1.1", "::1", "::2"].map(ip).to_vec();
        take_turns(&mut addresses);
        assert_eq!(addresses, ["1.1.1.1", "::1", "::2"].map(ip));
    }

    #[tokio::test]
    async fn reserved_names_have_their_own_failure() {
        let resolver = Resolver::new(Vec::new(), false);
        let failure = failure(&resolver, "nobody.invalid").await;
        assert_eq!(failure.kind, FailureKind::DnsNotFound);
    }

    #[tokio::test]
    async fn the_machine_itself_is_refused_by_every_name() {
        let resolver = Resolver::new(Vec::new(), false);
        for host in ["localhost", "localhost.", "127.0.0.1", "[::1]", "0.0.0.0", "[64:ff9b::7f00:1]", "[2002:7f00:1::]"]
        {
            let failure = failure(&resolver, host).await;
            assert_eq!(failure.kind, FailureKind::AddressRefused, "{host}");
        }
    }

    #[tokio::test]
    async fn the_guard_also_judges_addresses_that_are_already_known() {
        let resolver = Resolver::new(Vec::new(), false);
        resolver.keep("rebound.example", Ok(vec![ip("127.0.0.1")]));
        let failure = failure(&resolver, "rebound.example").await;
        assert_eq!(failure.kind, FailureKind::AddressRefused);
    }

    #[test]
    fn no_more_names_are_kept_than_fit_and_the_oldest_go_first() {
        let resolver = Resolver::new(Vec::new(), false);
        for number in 0..2 * KEPT_NAMES {
            resolver.keep(&format!("h{number}.example"), Ok(vec![ip("93.184.216.34")]));
        }
        let known = resolver.known.lock().unwrap();
        assert_eq!((known.names.len(), known.in_order.len()), (KEPT_NAMES, KEPT_NAMES));
        assert!(!known.names.contains_key("h0.example"));
        assert!(known.names.contains_key(format!("h{}.example", 2 * KEPT_NAMES - 1).as_str()));
    }
}
