//! Small test graphs.

use bluesnake_graph::{Edge, Graph, GraphBuilder, Node, RankOptions, Ranks};

/// Hosts in order of first mention; `a>b*3` is an edge of weight 3, `a` alone a node without edges.
pub(crate) fn graph(words: &str) -> Graph {
    let mut builder = GraphBuilder::new();
    let mut hosts = Vec::new();
    let mut id = |builder: &mut GraphBuilder, host: &str| match hosts.iter().find(|(known, _)| known == host) {
        Some((_, id)) => *id,
        None => {
            let domain = host.split_once('.').map_or(host, |(_, domain)| domain);
            let node = Node { host, domain, description: "", depth: Some(hosts.len() as u32), crawl_count: 1 };
            let id = builder.node(node).unwrap();
            hosts.push((host.to_owned(), id));
            id
        }
    };
    for word in words.split_whitespace() {
        let (ends, weight) = word.split_once('*').unwrap_or((word, "1"));
        match ends.split_once('>') {
            Some((from, to)) => {
                let (from, to) = (id(&mut builder, from), id(&mut builder, to));
                builder.edge(Edge { from, to, weight: weight.parse().unwrap() }).unwrap();
            }
            None => {
                id(&mut builder, ends);
            }
        }
    }
    builder.build().unwrap()
}

/// Hosts named by numbers, and edges between them.
pub(crate) fn numbered(count: usize, edges: &[(usize, usize, u32)]) -> Graph {
    let mut builder = GraphBuilder::new();
    let add = |number: usize| {
        let (host, domain) = (format!("h{number}.d{}.example", number % 7), format!("d{}.example", number % 7));
        let node = Node { host: &host, domain: &domain, description: "a host", depth: None, crawl_count: 1 };
        builder.node(node).unwrap()
    };
    let ids: Vec<_> = (0..count).map(add).collect();
    for (from, to, weight) in edges {
        builder.edge(Edge { from: ids[*from], to: ids[*to], weight: *weight }).unwrap();
    }
    builder.build().unwrap()
}

/// A web of hosts in communities, some of them far more popular than others. Deterministic.
pub(crate) fn web(hosts: usize, communities: usize) -> Graph {
    let mut state = 1_u64;
    let mut random = |below: usize| {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        ((state >> 33) as usize) % below
    };
    let mut edges = std::collections::BTreeMap::new();
    for from in 0..hosts {
        for _ in 0..2 + random(5) {
            let is_near = random(10) > 0;
            let popular = random(hosts).min(random(hosts)).min(random(hosts));
            let to = if is_near { popular - popular % communities + from % communities } else { popular };
            if to < hosts && to != from {
                *edges.entry((from, to)).or_insert(0) += 1 + random(3) as u32;
            }
        }
    }
    let edges: Vec<_> = edges.into_iter().map(|((from, to), weight)| (from, to, weight)).collect();
    numbered(hosts, &edges)
}

pub(crate) fn ranks(graph: &Graph) -> Ranks {
    Ranks::of(graph, &RankOptions::default())
}

pub(crate) fn text(write: impl FnOnce(&mut Vec<u8>) -> std::io::Result<()>) -> String {
    let mut bytes = Vec::new();
    write(&mut bytes).unwrap();
    String::from_utf8(bytes).unwrap()
}
