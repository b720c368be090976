//! The files of Common Crawl's web graphs: tab-separated vertices, edges and ranks, with reversed host names.
//!
//! Ids are positions in the sorted list of reversed names, so hosts of one domain are adjacent; see
//! <https://commoncrawl.org/web-graphs>. These files have no weights.

use std::fmt::Write as _;
use std::io::{self, Write};
use std::net::Ipv4Addr;

use super::buffered;
use crate::graph::{Graph, NodeId};
use crate::rank::{Ranks, descending};

/// The order of a graph's nodes in these files.
#[derive(Debug)]
pub struct CommonCrawl<'a> {
    graph: &'a Graph,
    /// Nodes by their ids in the files.
    order: Vec<NodeId>,
    /// Ids in the files by nodes.
    ids: Vec<u32>,
}

impl<'a> CommonCrawl<'a> {
    pub fn of(graph: &'a Graph) -> Self {
        let mut names: Vec<(Box<str>, NodeId)> =
            graph.nodes().map(|(id, node)| (reversed(node.host).into(), id)).collect();
        names.sort_unstable();
        let order: Vec<NodeId> = names.into_iter().map(|(_, id)| id).collect();
        let mut ids = vec![0; order.len()];
        for (place, id) in order.iter().enumerate() {
            ids[id.index()] = place as u32;
        }
        Self { graph, order, ids }
    }

    /// `id`, `reversed host`.
    pub fn write_vertices(&self, out: impl Write) -> io::Result<()> {
        buffered(out, |out| {
            let mut lines = self.order.iter().enumerate();
            lines.try_for_each(|(place, id)| writeln!(out, "{place}\t{}", reversed(self.graph.node(*id).host)))
        })
    }

    /// `from id`, `to id`, sorted.
    pub fn write_edges(&self, out: impl Write) -> io::Result<()> {
        buffered(out, |out| {
            let mut targets = Vec::new();
            for (from, id) in self.order.iter().enumerate() {
                targets.clear();
                targets.extend(self.graph.edges_from(*id).map(|edge| self.ids[edge.to.index()]));
                targets.sort_unstable();
                targets.iter().try_for_each(|to| writeln!(out, "{from}\t{to}"))?;
            }
            Ok(())
        })
    }

    /// Positions and values by harmonic centrality and by PageRank, most central host first.
    pub fn write_ranks(&self, out: impl Write, ranks: &Ranks) -> io::Result<()> {
        buffered(out, |out| {
            let mut pagerank_places = vec![0; self.order.len()];
            for (place, id) in descending(ranks.pagerank.values()).into_iter().enumerate() {
                pagerank_places[id.index()] = place + 1;
            }
            out.write_all(b"#harmonicc_pos\t#harmonicc_val\t#pr_pos\t#pr_val\t#host_rev\n")?;
            for (place, id) in descending(ranks.harmonic.values()).into_iter().enumerate() {
                let (harmonic, pagerank) = (ranks.harmonic.value(id), ranks.pagerank.value(id));
                let (pagerank_place, host) = (pagerank_places[id.index()], reversed(self.graph.node(id).host));
                writeln!(out, "{}\t{harmonic}\t{pagerank_place}\t{pagerank}\t{host}", place + 1)?;
            }
            Ok(())
        })
    }
}

/// `www.example.com:8080` as `com.example.www:8080`; IP addresses stay as they are. The format has no escapes, so `%`
/// and characters that would break a line are percent-encoded.
fn reversed(host: &str) -> String {
    let (name, port) = match host.rsplit_once(':') {
        Some((name, port)) if port.bytes().all(|digit| digit.is_ascii_digit()) && !port.is_empty() => {
            (name, &host[name.len()..])
        }
        _ => (host, ""),
    };
    let mut reversed = String::with_capacity(host.len());
    if name.starts_with('[') || name.parse::<Ipv4Addr>().is_ok() {
        push_escaped(&mut reversed, host);
        return reversed;
    }
    for (number, label) in name.rsplit('.').enumerate() {
        if number > 0 {
            reversed.push('.');
        }
        push_escaped(&mut reversed, label);
    }
    push_escaped(&mut reversed, port);
    reversed
}

fn push_escaped(text: &mut String, part: &str) {
    let mut bytes = [0; 4];
    for letter in part.chars() {
        if letter.is_control() || letter == '%' || letter == '\u{2028}' || letter == '\u{2029}' {
            for byte in letter.encode_utf8(&mut bytes).bytes() {
                write!(text, "%{byte:02X}").expect("writing to a String cannot fail");
            }
        } else {
            text.push(letter);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reverses_names_but_not_ip_addresses() {
        for (host, expected) in [
            ("example.com", "com.example"),
            ("www.example.co.uk", "uk.co.example.www"),
            ("localhost", "localhost"),
            ("example.com.", ".com.example"),
            ("example.com:8080", "com.example:8080"),
            ("192.0.2.7", "192.0.2.7"),
            ("192.0.2.7:81", "192.0.2.7:81"),
            ("[2001:db8::1]", "[2001:db8::1]"),
            ("[2001:db8::1]:81", "[2001:db8::1]:81"),
            ("xn--bcher-kva.example", "example.xn--bcher-kva"),
            ("bücher.example", "example.bücher"),
            ("a\tb\n.c%", "c%25.a%09b%0A"),
            ("", ""),
            (":", ":"),
        ] {
            assert_eq!(reversed(host), expected);
        }
    }
}
