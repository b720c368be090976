//! Every file of a small graph, compared exactly and read back.

use bluesnake_graph::formats::{CommonCrawl, GexfVersion, write_dot, write_gexf, write_graphml, write_json};
use bluesnake_graph::{Edge, Graph, GraphBuilder, Harmonic, HarmonicOptions, Node, RankOptions, Ranks};

use crate::world::{graph, ranks, text, web};

fn two_hosts() -> Graph {
    let mut builder = GraphBuilder::new();
    let nodes = [
        Node { host: "www.a.example", domain: "a.example", description: "Tom & Ann", depth: Some(0), crawl_count: 3 },
        Node { host: "b.example", domain: "b.example", description: "", depth: None, crawl_count: 0 },
    ];
    let [from, to] = nodes.map(|node| builder.node(node).unwrap());
    builder.edge(Edge { from, to, weight: 2 }).unwrap();
    builder.build().unwrap()
}

/// PageRank with zero steps, so that files have round numbers.
fn even_ranks(graph: &Graph) -> Ranks {
    let mut options = RankOptions::default();
    options.pagerank.max_steps = 0;
    Ranks::of(graph, &options)
}

#[test]
fn gexf_has_labels_attributes_and_weights() {
    let graph = two_hosts();

    let found = text(|out| write_gexf(out, &graph, &even_ranks(&graph), GexfVersion::V1_3));

    let expected = r#"<?xml version="1.0" encoding="UTF-8"?>
<gexf xmlns="http://gexf.net/1.3" version="1.3">
<meta><creator>bluesnake</creator><description>harmonic: exact</description></meta>
<graph mode="static" defaultedgetype="directed">
<attributes class="node" mode="static">
<attribute id="1" title="domain" type="string"/>
<attribute id="2" title="description" type="string"/>
<attribute id="3" title="depth" type="long"/>
<attribute id="4" title="crawl_count" type="long"/>
<attribute id="5" title="in_degree" type="long"/>
<attribute id="6" title="out_degree" type="long"/>
<attribute id="7" title="in_weight" type="long"/>
<attribute id="8" title="out_weight" type="long"/>
<attribute id="9" title="pagerank" type="double"/>
<attribute id="10" title="harmonic" type="double"/>
<attribute id="11" title="weak_component" type="long"/>
<attribute id="12" title="strong_component" type="long"/>
</attributes>
<nodes>
<node id="0" label="www.a.example"><attvalues><attvalue for="1" value="a.example"/><attvalue for="2" value="Tom &amp; Ann"/><attvalue for="3" value="0"/><attvalue for="4" value="3"/><attvalue for="5" value="0"/><attvalue for="6" value="1"/><attvalue for="7" value="0"/><attvalue for="8" value="2"/><attvalue for="9" value="0.5"/><attvalue for="10" value="0"/><attvalue for="11" value="0"/><attvalue for="12" value="0"/></attvalues></node>
<node id="1" label="b.example"><attvalues><attvalue for="1" value="b.example"/><attvalue for="2" value=""/><attvalue for="4" value="0"/><attvalue for="5" value="1"/><attvalue for="6" value="0"/><attvalue for="7" value="2"/><attvalue for="8" value="0"/><attvalue for="9" value="0.5"/><attvalue for="10" value="1"/><attvalue for="11" value="0"/><attvalue for="12" value="1"/></attvalues></node>
</nodes>
<edges>
<edge id="0" source="0" target="1" weight="2"/>
</edges>
</graph>
</gexf>
"#;
    assert_eq!(found, expected);
    let draft = text(|out| write_gexf(out, &graph, &even_ranks(&graph), GexfVersion::V1_2Draft));
    let head =
        (r#"xmlns="http://gexf.net/1.3" version="1.3""#, r#"xmlns="http://www.gexf.net/1.2draft" version="1.2""#);
    assert_eq!(draft, expected.replace(head.0, head.1));
}

#[test]
fn json_is_networkx_node_link() {
    let graph = two_hosts();

    let found: serde_json::Value =
        serde_json::from_str(&text(|out| write_json(out, &graph, &even_ranks(&graph)))).unwrap();

    let expected = serde_json::json!({
        "directed": true, "multigraph": false, "graph": { "harmonic_method": "exact" },
        "nodes": [
            { "id": 0, "host": "www.a.example", "domain": "a.example", "description": "Tom & Ann", "depth": 0,
              "crawl_count": 3, "in_degree": 0, "out_degree": 1, "in_weight": 0, "out_weight": 2, "pagerank": 0.5,
              "harmonic": 0.0, "weak_component": 0, "strong_component": 0 },
            { "id": 1, "host": "b.example", "domain": "b.example", "description": "", "depth": null,
              "crawl_count": 0, "in_degree": 1, "out_degree": 0, "in_weight": 2, "out_weight": 0, "pagerank": 0.5,
              "harmonic": 1.0, "weak_component": 0, "strong_component": 1 },
        ],
        "edges": [{ "source": 0, "target": 1, "weight": 2 }],
    });
    assert_eq!(found, expected);
}

#[test]
fn dot_is_a_digraph() {
    let graph = two_hosts();

    let found = text(|out| write_dot(out, &graph, &even_ranks(&graph)));

    let expected = "digraph web {\n\
        0 [label=\"www.a.example\", tooltip=\"Tom &amp; Ann\", pagerank=0.5, harmonic=0];\n\
        1 [label=\"b.example\", tooltip=\"\", pagerank=0.5, harmonic=1];\n\
        0 -> 1 [weight=2];\n\
        }\n";
    assert_eq!(found, expected);
}

#[test]
fn common_crawl_files_are_sorted_by_reversed_names() {
    let graph = graph("www.b.com>a.org a.org>b.com b.com>a.org b.com>www.b.com 192.0.2.1>b.com");
    let files = CommonCrawl::of(&graph);

    let vertices = text(|out| files.write_vertices(out));
    let edges = text(|out| files.write_edges(out));
    let lines = text(|out| files.write_ranks(out, &ranks(&graph)));

    assert_eq!(vertices, "0\t192.0.2.1\n1\tcom.b\n2\tcom.b.www\n3\torg.a\n");
    assert_eq!(edges, "0\t1\n1\t2\n1\t3\n2\t3\n3\t1\n");
    let rows: Vec<Vec<&str>> = lines.lines().map(|line| line.split('\t').collect()).collect();
    assert_eq!(rows[0], ["#harmonicc_pos", "#harmonicc_val", "#pr_pos", "#pr_val", "#host_rev"]);
    let names = |column: usize| rows[1..].iter().map(|row| row[column]).collect::<Vec<_>>();
    assert_eq!(names(0), ["1", "2", "3", "4"]);
    assert_eq!(names(1), ["2.5", "2.5", "2", "0"]);
    assert_eq!(names(4), ["org.a", "com.b", "com.b.www", "192.0.2.1"]);
    assert_eq!(names(2), ["2", "1", "3", "4"]);
}

#[test]
fn every_digit_of_a_rank_is_written() {
    let graph = web(200, 3);
    let ranks = ranks(&graph);

    let graphml = text(|out| write_graphml(out, &graph, &ranks));

    let written = |key: &str| -> Vec<f64> {
        let start = format!("<data key=\"{key}\">");
        graphml.split(&start).skip(1).map(|rest| rest.split('<').next().unwrap().parse().unwrap()).collect()
    };
    assert_eq!(written("pagerank"), ranks.pagerank.values());
    assert_eq!(written("harmonic"), ranks.harmonic.values());
}

#[test]
fn files_mark_estimates() {
    let graph = two_hosts();
    let estimated = HarmonicOptions { exact_up_to: 0, ..HarmonicOptions::default() };
    let mut ranks = even_ranks(&graph);
    ranks.harmonic = Harmonic::of(&graph, &estimated, std::num::NonZero::<usize>::MIN);

    assert!(text(|out| write_graphml(out, &graph, &ranks)).contains("<data key=\"harmonic_method\">hyperball</data>"));
    assert!(text(|out| write_json(out, &graph, &ranks)).contains("\"harmonic_method\":\"hyperball\""));
    let gexf = text(|out| write_gexf(out, &graph, &ranks, GexfVersion::V1_3));
    assert!(gexf.contains("<description>harmonic: hyperball</description>"));
}

#[test]
fn edge_insertion_order_does_not_change_files() {
    let forward = web(300, 3);
    let mut builder = GraphBuilder::new();
    for (_, node) in forward.nodes() {
        builder.node(node).unwrap();
    }
    let edges: Vec<Edge> = forward.edges().collect();
    edges.iter().rev().for_each(|edge| builder.edge(*edge).unwrap());
    let backward = builder.build().unwrap();

    let files = |graph: &Graph| {
        let (ranks, common_crawl) = (ranks(graph), CommonCrawl::of(graph));
        [
            text(|out| write_gexf(out, graph, &ranks, GexfVersion::V1_3)),
            text(|out| write_graphml(out, graph, &ranks)),
            text(|out| write_json(out, graph, &ranks)),
            text(|out| write_dot(out, graph, &ranks)),
            text(|out| common_crawl.write_edges(out)),
            text(|out| common_crawl.write_ranks(out, &ranks)),
        ]
    };
    assert_eq!(files(&forward), files(&backward));
}
