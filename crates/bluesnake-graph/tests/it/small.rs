//! Graphs small enough to compute by hand.

use std::num::NonZero;

use bluesnake_graph::{
    Components, Edge, EdgeValue, Graph, GraphBuilder, GraphError, Neighbourhood, Node, PageRank, PageRankOptions,
    Selection, Statistics,
};

use crate::world::{graph, ranks};

fn close(found: &[f64], expected: &[f64]) {
    let is_close = |(found, expected): (&f64, &f64)| (found - expected).abs() < 1e-9;
    assert!(found.len() == expected.len() && found.iter().zip(expected).all(is_close), "{found:?} is not {expected:?}");
}

fn hosts(graph: &Graph) -> Vec<&str> {
    graph.nodes().map(|(_, node)| node.host).collect()
}

fn edges(graph: &Graph) -> Vec<(&str, &str, u32)> {
    let host = |id| graph.node(id).host;
    graph.edges().map(|edge| (host(edge.from), host(edge.to), edge.weight)).collect()
}

#[test]
fn nodes_keep_insertion_order_and_edges_are_sorted() {
    let graph = graph("c>a*2 b>a a>b c>b*5 d");

    assert_eq!(hosts(&graph), ["c", "a", "b", "d"]);
    assert_eq!(edges(&graph), [("c", "a", 2), ("c", "b", 5), ("a", "b", 1), ("b", "a", 1)]);
    let a = graph.find("a").unwrap();
    assert_eq!(graph.edges_to(a).map(|edge| graph.node(edge.from).host).collect::<Vec<_>>(), ["c", "b"]);
    assert_eq!((graph.in_degree(a), graph.out_degree(a), graph.in_weight(a), graph.out_weight(a)), (2, 1, 3, 1));
}

#[test]
fn graph_returns_what_was_added() {
    let mut builder = GraphBuilder::new();
    let given = [
        Node { host: "ü.example", domain: "example", description: "Überblick", depth: Some(3), crawl_count: 2 },
        Node { host: "", domain: "", description: "", depth: None, crawl_count: 0 },
        Node { host: "192.0.2.1", domain: "192.0.2.1", description: "日本", depth: Some(0), crawl_count: u32::MAX },
    ];
    for node in given {
        builder.node(node).unwrap();
    }

    let graph = builder.build().unwrap();

    assert_eq!(graph.nodes().map(|(_, node)| node).collect::<Vec<_>>(), given);
}

#[test]
fn invalid_graphs_are_rejected_with_a_message() {
    let node = |host| Node { host, domain: host, description: "", depth: None, crawl_count: 0 };
    let with_two = || {
        let mut builder = GraphBuilder::new();
        let ids = ["a", "b"].map(|host| builder.node(node(host)).unwrap());
        (builder, ids)
    };

    let (mut builder, [a, b]) = with_two();
    assert_eq!(builder.edge(Edge { from: a, to: b, weight: 0 }), Err(GraphError::WeightZero { from: "a".to_owned() }));
    for weight in [1, 2] {
        builder.edge(Edge { from: a, to: b, weight }).unwrap();
    }
    let error = builder.build().unwrap_err();
    assert_eq!(error.to_string(), "duplicate edge from \"a\" to \"b\"");

    let (mut builder, _) = with_two();
    builder.node(node("a")).unwrap();
    assert_eq!(builder.build().unwrap_err(), GraphError::HostTwice { host: "a".to_owned() });

    let (_, [a, b]) = with_two();
    let elsewhere = GraphBuilder::new().edge(Edge { from: a, to: b, weight: 1 });
    assert_eq!(elsewhere, Err(GraphError::NoSuchNode { index: 0 }));
}

#[test]
fn pagerank_of_a_chain_follows_its_equations() {
    // x = even + d·stranded; a links to b, b to c, and c nowhere.
    let ranks = ranks(&graph("a>b b>c"));

    let base = 1.0 / (1.0 + 1.85 + 1.0 + 0.85 + 0.85 * 0.85);
    close(ranks.pagerank.values(), &[base, 1.85 * base, (1.0 + 0.85 * 1.85) * base]);
    close(&[ranks.pagerank.values().iter().sum()], &[1.0]);
}

#[test]
fn pagerank_is_split_by_weight_or_evenly() {
    let graph = graph("a>b*3 a>c b>a c>a");
    let of =
        |edges| PageRank::of(&graph, &PageRankOptions { edges, ..PageRankOptions::default() }, NonZero::<usize>::MIN);
    // a = 0.05 + 0.85 (b + c) and a + b + c = 1.
    let a = 0.9 / 1.85;

    close(of(EdgeValue::Weight).values(), &[a, 0.05 + 0.85 * a * 0.75, 0.05 + 0.85 * a * 0.25]);
    close(of(EdgeValue::One).values(), &[a, 0.05 + 0.85 * a * 0.5, 0.05 + 0.85 * a * 0.5]);
}

#[test]
fn harmonic_centrality_sums_inverse_distances() {
    for (words, expected) in [
        ("a>b b>c c>d", &[0.0, 1.0, 1.5, 1.0 + 0.5 + 1.0 / 3.0][..]),
        ("a>b b>a", &[1.0, 1.0]),
        ("a>hub b>hub c>hub", &[0.0, 3.0, 0.0, 0.0]),
        ("a>a*7 b", &[0.0, 0.0]),
    ] {
        close(ranks(&graph(words)).harmonic.values(), expected);
    }
}

#[test]
fn components_are_numbered_by_size() {
    let graph = graph("lone x>y a>b b>c c>a c>d");
    let of = |components: &Components| graph.ids().map(|id| components.of(id)).collect::<Vec<_>>();

    let (weak, strong) = (Components::weak(&graph), Components::strong(&graph));

    assert_eq!((of(&weak), weak.sizes()), (vec![2, 1, 1, 0, 0, 0, 0], &[4, 2, 1][..]));
    assert_eq!((of(&strong), strong.sizes()), (vec![1, 2, 3, 0, 0, 0, 4], &[3, 1, 1, 1, 1][..]));
}

#[test]
fn a_long_chain_needs_no_deep_stack() {
    let edges: Vec<_> = (0..200_000).map(|number| (number, number + 1, 1)).collect();
    let graph = crate::world::numbered(200_001, &edges);

    assert_eq!(Components::strong(&graph).count(), 200_001);
    assert_eq!(Components::weak(&graph).count(), 1);
}

#[test]
fn statistics_match_hand_counts() {
    let found = Statistics::of(&graph("w.a>x.b w.a>y.b x.b>y.b y.b>w.a z.c"), 2);

    assert_eq!((found.nodes, found.edges, found.isolated_nodes), (4, 4, 1));
    assert_eq!((found.density, found.average_degree), (4.0 / 12.0, 2.0));
    assert_eq!(found.in_degrees.into_iter().collect::<Vec<_>>(), [(0, 1), (1, 2), (2, 1)]);
    assert_eq!(found.out_degrees.into_iter().collect::<Vec<_>>(), [(0, 1), (1, 2), (2, 1)]);
    assert_eq!((found.weak_components, found.largest_weak_component), (2, 3));
    assert_eq!((found.strong_components, found.largest_strong_component), (2, 3));
    let domains: Vec<_> = found.top_domains.iter().map(|domain| (&*domain.domain, domain.hosts)).collect();
    assert_eq!(domains, [("b", 2), ("a", 1)]);
    assert_eq!(found.top_domains.iter().map(|domain| domain.edges_from_others).collect::<Vec<_>>(), [2, 1]);
}

#[test]
fn empty_graph_has_statistics() {
    let empty = graph("");

    let found = Statistics::of(&empty, 5);

    assert_eq!((found.nodes, found.density, found.average_degree, found.weak_components), (0, 0.0, 0.0, 0));
    assert!(ranks(&empty).pagerank.values().is_empty());
}

fn around(root: &str, depth: u32) -> Option<Neighbourhood> {
    Some(Neighbourhood { root: root.to_owned(), depth })
}

#[test]
fn selection_drops_light_edges_far_nodes_and_isolated_ones() {
    let graph = graph("a>b*3 b>c*2 c>d*3 e>a*3 f");
    for (selection, expected_hosts, expected_edges) in [
        (Selection::default(), &["a", "b", "c", "d", "e", "f"][..], 4),
        (Selection { min_weight: 3, ..Selection::default() }, &["a", "b", "c", "d", "e", "f"], 3),
        (Selection { remove_isolated: true, ..Selection::default() }, &["a", "b", "c", "d", "e"], 4),
        (Selection { around: around("a", 0), ..Selection::default() }, &["a"], 0),
        (Selection { around: around("a", 2), ..Selection::default() }, &["a", "b", "c"], 2),
        (Selection { around: around("a", u32::MAX), ..Selection::default() }, &["a", "b", "c", "d"], 3),
        (Selection { around: around("a", 9), min_weight: 3, ..Selection::default() }, &["a", "b"], 1),
        (Selection { around: around("f", 9), remove_isolated: true, ..Selection::default() }, &["f"], 0),
        (Selection { min_weight: 9, remove_isolated: true, ..Selection::default() }, &[], 0),
    ] {
        let selected = selection.of(&graph).unwrap();
        assert_eq!(
            (hosts(&selected), selected.edge_count()),
            (expected_hosts.to_vec(), expected_edges),
            "{selection:?}"
        );
    }
}

#[test]
fn unknown_root_is_an_error() {
    let error = Selection { around: around("nowhere", 2), ..Selection::default() }.of(&graph("a>b")).unwrap_err();

    assert_eq!(error.to_string(), "the host \"nowhere\" is not in the graph");
}
