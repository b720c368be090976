//! Which IP addresses we may connect to.
//!
//! One rule: addresses that are not globally routable are refused unless the operator allows private ones, and cloud
//! metadata services are always refused. An IPv6 address that embeds an IPv4 address is judged by both. Pure; the
//! connector checks the very address it is about to connect to. Start with [`check`].

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};

use super::outcome::{Failure, FailureKind};

/// Whether we may connect to this address.
pub(super) fn check(ip: IpAddr, allow_private: bool) -> Result<(), Failure> {
    if is_metadata(ip) {
        return Err(Failure::new(
            FailureKind::AddressRefused,
            "it belongs to a metadata service, which is never allowed",
        ));
    }
    if allow_private || is_global(ip) {
        return Ok(());
    }
    Err(Failure::new(FailureKind::AddressRefused, "it is not a public address, and private addresses are not allowed"))
}

/// Whether a host may be requested through a proxy, which resolves names itself: judged by the name alone.
pub(super) fn check_name(host: &str, allow_private: bool) -> Result<(), Failure> {
    match literal(host) {
        Some(ip) => check(ip, allow_private),
        None if is_local_name(host) => check(Ipv4Addr::LOCALHOST.into(), allow_private),
        None => Ok(()),
    }
}

/// The IP address written as a URL's host. The URL parser has already normalized every other spelling to these two.
pub(super) fn literal(host: &str) -> Option<IpAddr> {
    match host.strip_prefix('[').and_then(|host| host.strip_suffix(']')) {
        Some(v6) => v6.parse::<Ipv6Addr>().ok().map(IpAddr::V6),
        None => host.parse::<Ipv4Addr>().ok().map(IpAddr::V4),
    }
}

/// Whether the name itself denotes the local machine.
pub(super) fn is_this_machine(host: &str) -> bool {
    literal(host).map_or_else(|| is_local_name(host), |ip| ip.is_loopback())
}

/// RFC 6761: these names denote the local machine, whatever a resolver says.
fn is_local_name(host: &str) -> bool {
    let host = host.trim_end_matches('.');
    host.rsplit('.').next().is_some_and(|label| label.eq_ignore_ascii_case("localhost"))
}

/// Whether the address, and every IPv4 address embedded in it, is globally reachable.
pub fn is_global(ip: IpAddr) -> bool {
    match ip {
        IpAddr::V4(v4) => is_global_v4(v4),
        IpAddr::V6(v6) => {
            let carried = carried_v4(v6);
            let is_only_a_carrier = is_carrier(v6);
            carried.into_iter().flatten().all(is_global_v4) && (is_only_a_carrier || is_global_v6(v6))
        }
    }
}

/// Whether the address belongs to a service that hands out a cloud machine's own secrets.
pub fn is_metadata(ip: IpAddr) -> bool {
    const V4: [Ipv4Addr; 6] = [
        Ipv4Addr::new(169, 254, 169, 254), // AWS, Google, Azure, DigitalOcean and most others
        Ipv4Addr::new(169, 254, 170, 2),   // AWS ECS
        Ipv4Addr::new(169, 254, 170, 23),  // AWS EKS
        Ipv4Addr::new(100, 100, 100, 200), // Alibaba
        Ipv4Addr::new(168, 63, 129, 16),   // Azure
        Ipv4Addr::new(192, 0, 0, 192),     // Oracle
    ];
    const V6: [Ipv6Addr; 3] = [
        Ipv6Addr::new(0xfd00, 0xec2, 0, 0, 0, 0, 0, 0x254), // AWS
        Ipv6Addr::new(0xfd00, 0xec2, 0, 0, 0, 0, 0, 0x23),  // AWS EKS
        Ipv6Addr::new(0xfd20, 0xce, 0, 0, 0, 0, 0, 0x254),  // Google
    ];
    match ip {
        IpAddr::V4(v4) => V4.contains(&v4),
        IpAddr::V6(v6) => V6.contains(&v6) || carried_v4(v6).into_iter().flatten().any(|v4| V4.contains(&v4)),
    }
}

/// The IANA special-purpose registry for IPv4.
fn is_global_v4(ip: Ipv4Addr) -> bool {
    let is_special = match ip.octets() {
        [0 | 10 | 127, ..] | [169, 254, ..] | [192, 168, ..] => true,
        [100, b, ..] => (64..128).contains(&b),
        [172, b, ..] => (16..32).contains(&b),
        [192, 0, 0 | 2, _] | [192, 88, 99, _] | [198, 51, 100, _] | [203, 0, 113, _] => true,
        [198, b, ..] => (18..20).contains(&b),
        [a, ..] => a >= 224,
    };
    !is_special
}

/// Global unicast is 2000::/3, minus the exceptions in the IANA registry.
fn is_global_v6(ip: Ipv6Addr) -> bool {
    let segments = ip.segments();
    let is_unicast = segments[0] & 0xe000 == 0x2000;
    let is_protocol_assignment = segments[0] == 0x2001 && segments[1] < 0x200;
    let is_documentation =
        (segments[0] == 0x2001 && segments[1] == 0xdb8) || (segments[0] == 0x3fff && segments[1] < 0x1000);
    is_unicast && !is_protocol_assignment && !is_documentation
}

/// Whether the address is just a notation for an IPv4 address.
fn is_carrier(ip: Ipv6Addr) -> bool {
    matches!(
        ip.segments(),
        [0, 0, 0, 0, 0, 0 | 0xffff, _, _]          // compatible and mapped
            | [0, 0, 0, 0, 0xffff, 0, _, _]        // translated (SIIT)
            | [0x64, 0xff9b, 0, 0, 0, 0, _, _]     // NAT64
            | [0x2002, ..]                         // 6to4
            | [0x2001, 0, ..] // Teredo
    )
}

/// The IPv4 addresses embedded in an IPv6 address; Teredo embeds two.
fn carried_v4(ip: Ipv6Addr) -> [Option<Ipv4Addr>; 2] {
    let v4 = |high: u16, low: u16| Some(Ipv4Addr::from(u32::from(high) << 16 | u32::from(low)));
    match ip.segments() {
        [0x2002, high, low, ..] => [v4(high, low), None],
        [0x2001, 0, server_high, server_low, _, _, high, low] => [v4(server_high, server_low), v4(!high, !low)],
        [_, _, _, _, 0 | 0x200, 0x5efe, high, low] => [v4(high, low), None], // ISATAP
        [.., high, low] if is_carrier(ip) => [v4(high, low), None],
        _ => [None, None],
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::url::CanonicalUrl;

    fn ip(text: &str) -> IpAddr {
        text.parse().unwrap()
    }

    fn host_of(url: &str) -> IpAddr {
        literal(CanonicalUrl::parse(url).unwrap().host()).expect("the host is an address")
    }

    #[test]
    fn public_addresses_are_global() {
        for public in ["1.1.1.1", "93.184.216.34", "172.32.0.1", "100.128.0.1", "2606:4700:4700::1111", "2a00:1450::1"]
        {
            assert!(is_global(ip(public)), "{public}");
        }
        for carrier in ["::ffff:1.1.1.1", "64:ff9b::101:101", "2002:101:101::1"] {
            assert!(is_global(ip(carrier)), "{carrier}");
        }
    }

    #[test]
    fn private_and_special_addresses_are_not_global() {
        let special = "0.0.0.0 10.1.2.3 100.64.0.1 127.0.0.1 127.255.255.254 169.254.1.1 172.16.0.1 172.31.255.255 192.0.0.8 \
            192.0.2.1 192.88.99.1 192.168.1.1 198.18.0.1 198.19.255.255 198.51.100.1 203.0.113.1 224.0.0.1 240.0.0.1 \
            255.255.255.255 :: ::1 fe80::1 fec0::1 fc00::1 fd00::1 ff02::1 2001:db8::1 3fff::1 2001:2::1 100::1 5f00::1 \
            64:ff9b:1::1 4000::1";
        for address in special.split_whitespace() {
            assert!(!is_global(ip(address)), "{address}");
        }
    }

    #[test]
    fn embedded_ipv4_addresses_are_judged() {
        let carriers = "::ffff:127.0.0.1 ::127.0.0.1 ::ffff:0:127.0.0.1 64:ff9b::7f00:1 2002:7f00:1:: 2002:a9fe:a9fe::1 \
            2001:0:7f00:1:0:0:fefe:fefe 2001:0:101:101:0:0:80ff:fffe 2606:4700::5efe:7f00:1";
        for address in carriers.split_whitespace() {
            assert!(!is_global(ip(address)), "{address}");
        }
    }

    #[test]
    fn metadata_services_are_refused_even_where_private_addresses_are_allowed() {
        let services = "169.254.169.254 ::ffff:a9fe:a9fe 64:ff9b::a9fe:a9fe 2002:a9fe:a9fe:: fd00:ec2::254 100.100.100.200 \
            168.63.129.16 192.0.0.192 169.254.170.2";
        for address in services.split_whitespace() {
            assert!(check(ip(address), true).is_err(), "{address}");
        }
        assert!(check(ip("127.0.0.1"), true).is_ok());
    }

    #[test]
    fn the_refusal_names_the_rule_and_not_the_address() {
        let refusal = check(ip("10.20.30.40"), false).unwrap_err().to_string();
        assert!(!refusal.contains("10.20"), "{refusal}");
    }

    #[test]
    fn every_spelling_of_an_ipv4_address_is_recognised() {
        for url in [
            "http://2130706433/",
            "http://0177.0.0.1/",
            "http://0x7f.1/",
            "http://127.1/",
            "http://0/",
            "http://[::1]/",
        ] {
            assert!(!is_global(host_of(url)), "{url}");
        }
    }

    #[test]
    fn the_names_of_the_machine_itself_are_refused_through_a_proxy() {
        for host in ["localhost", "localhost.", "a.LOCALHOST", "127.0.0.1", "[::1]"] {
            assert!(check_name(host, false).is_err(), "{host}");
            assert!(check_name(host, true).is_ok(), "{host}");
        }
        assert!(check_name("example.com", false).is_ok());
        assert!(check_name("169.254.169.254", true).is_err());
    }

    /// One of many ways to write a number in an IPv4 host: decimal, octal or hexadecimal.
    fn spell_number(number: u32, style: u8) -> String {
        match style % 4 {
            0 => format!("{number}"),
            1 => format!("0{number:o}"),
            2 => format!("0x{number:x}"),
            _ => format!("0X00{number:X}"),
        }
    }

    /// One of many ways to write an address as the host of a URL.
    fn spell(address: Ipv4Addr, form: u8, styles: [u8; 4]) -> String {
        let [a, b, c, d] = address.octets().map(u32::from);
        let part = |number, index: usize| spell_number(number, styles[index]);
        let (high, low) = (a << 8 | b, c << 8 | d);
        match form % 12 {
            0 => format!("{}.{}.{}.{}", part(a, 0), part(b, 1), part(c, 2), part(d, 3)),
            1 => format!("{}.{}.{}", part(a, 0), part(b, 1), part(low, 2)),
            2 => format!("{}.{}", part(a, 0), part(b << 16 | low, 1)),
            3 => part(u32::from(address), 0),
            4 => format!("{}.{}.{}.{}.", part(a, 0), part(b, 1), part(c, 2), part(d, 3)),
            5 => format!("[::ffff:{address}]"),
            6 => format!("[::{high:x}:{low:x}]"),
            7 => format!("[64:ff9b::{high:x}:{low:x}]"),
            8 => format!("[2002:{high:x}:{low:x}::{}]", styles[0]),
            9 => format!("[2001:0:{high:x}:{low:x}::fefe:fefe]"),
            10 => format!("[2001:0:101:101::{:x}:{:x}]", !(high as u16), !(low as u16)),
            _ => format!("[::ffff:0:{high:x}:{low:x}]"),
        }
    }

    fn non_global_v4() -> impl Strategy<Value = Ipv4Addr> {
        let ranges = [
            (0x0000_0000, 8),
            (0x0a00_0000, 8),
            (0x6440_0000, 10),
            (0x7f00_0000, 8),
            (0xa9fe_0000, 16),
            (0xac10_0000, 12),
            (0xc000_0000, 24),
            (0xc000_0200, 24),
            (0xc0a8_0000, 16),
            (0xc612_0000, 15),
            (0xcb00_7100, 24),
            (0xe000_0000, 3),
        ];
        (prop::sample::select(ranges.to_vec()), any::<u32>())
            .prop_map(|((prefix, bits), random)| Ipv4Addr::from(prefix | random >> bits))
    }

    proptest! {
        #![proptest_config(ProptestConfig { cases: 10_000, failure_persistence: None, ..ProptestConfig::default() })]

        #[test]
        fn no_spelling_of_a_non_global_address_passes(address in non_global_v4(), form: u8, styles: [u8; 4]) {
            let url = format!("http://{}/", spell(address, form, styles));
            let host = host_of(&url);
            prop_assert!(check(host, false).is_err(), "{url}");
        }

        #[test]
        fn no_local_ipv6_address_passes(prefix in prop::sample::select(vec![0xfc00_u16, 0xfd12, 0xfe80, 0xfec0, 0xff02, 0]), rest: [u16; 7]) {
            let [b, c, d, e, f, g, h] = rest;
            prop_assert!(check(Ipv6Addr::new(prefix, b, c, d, e, f, g, h).into(), false).is_err());
        }
    }
}
