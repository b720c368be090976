//! networkx reads our files and computes the same ranks.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::Command;

use bluesnake_graph::formats::{GexfVersion, write_gexf, write_graphml, write_json};
use bluesnake_graph::{Components, EdgeValue, Graph, PageRank, PageRankOptions, RankOptions, Ranks};
use serde_json::Value;

use crate::hostile::{hostile, in_xml};
use crate::world::{graph, ranks, web};

/// What networkx reads from these files; `None` where `./check` skips tests that need Python.
fn read_by_networkx(paths: &[PathBuf]) -> Option<Vec<Value>> {
    if std::env::var_os("BLUESNAKE_SKIP_PYTHON").is_some() {
        return None;
    }
    let found = Command::new(Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tools/python-env")).output().unwrap();
    assert!(found.status.success(), "tools/python-env failed: {}", String::from_utf8_lossy(&found.stderr));
    let python = String::from_utf8(found.stdout).unwrap();
    let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/read_graphs.py");
    let output = Command::new(python.trim()).arg(script).args(paths).output().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let lines = String::from_utf8(output.stdout).unwrap();
    Some(lines.lines().map(|line| serde_json::from_str(line).unwrap()).collect())
}

/// The files that networkx reads, in a temporary folder.
fn write_files(name: &str, graph: &Graph, ranks: &Ranks) -> Vec<PathBuf> {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
    std::fs::create_dir_all(&folder).unwrap();
    let file = |name: &str| std::fs::File::create(folder.join(name)).unwrap();
    write_gexf(file("v13.gexf"), graph, ranks, GexfVersion::V1_3).unwrap();
    write_gexf(file("v12.gexf"), graph, ranks, GexfVersion::V1_2Draft).unwrap();
    write_graphml(file("graph.graphml"), graph, ranks).unwrap();
    write_json(file("graph.json"), graph, ranks).unwrap();
    ["v13.gexf", "v12.gexf", "graph.graphml", "graph.json"].map(|name| folder.join(name)).to_vec()
}

fn check(name: &str, graph: &Graph) {
    let ranks = ranks(graph);
    let paths = write_files(name, graph, &ranks);
    let Some(read) = read_by_networkx(&paths) else { return };
    let pagerank = |options| PageRank::of(graph, &options, RankOptions::default().threads);
    let ones = pagerank(PageRankOptions { edges: EdgeValue::One, ..PageRankOptions::default() });
    // The default stop condition of networkx: early, but comparable.
    let tolerance = 1e-6 * graph.node_count() as f64;
    let early = pagerank(PageRankOptions { tolerance, ..PageRankOptions::default() });
    assert_eq!(read.len(), 4);
    for (path, found) in paths.iter().zip(&read) {
        let as_written = if path.ends_with("graph.json") { str::to_owned } else { in_xml };
        check_nodes(graph, &ranks, &found["nodes"], as_written);
        let edges: Vec<Value> = graph
            .edges()
            .map(|edge| serde_json::json!([edge.from.index(), edge.to.index(), f64::from(edge.weight)]))
            .collect();
        assert_eq!(with_real_weights(&found["edges"]), edges, "{name}");
        check_values(ranks.pagerank.values(), &found["pagerank"], 1e-9);
        check_values(ones.values(), &found["pagerank_of_ones"], 1e-9);
        check_values(ranks.harmonic.values(), &found["harmonic"], 1e-9);
        check_values(early.values(), &found["pagerank_by_default"], 1e-9);
        assert_eq!(parts(graph, &ranks.weak), found["weak"], "{name}");
        assert_eq!(parts(graph, &ranks.strong), found["strong"], "{name}");
    }
}

fn check_nodes(graph: &Graph, ranks: &Ranks, found: &Value, as_written: fn(&str) -> String) {
    let found = found.as_array().unwrap();
    assert_eq!(found.len(), graph.node_count());
    for ((id, node), found) in graph.nodes().zip(found) {
        let host = found.get("label").unwrap_or(&found["host"]);
        assert_eq!(host.as_str(), Some(&*as_written(node.host)));
        assert_eq!(found["domain"].as_str(), Some(&*as_written(node.domain)));
        // GraphML readers return an empty string as none.
        assert_eq!(found["description"].as_str().unwrap_or(""), as_written(node.description));
        assert_eq!(found.get("depth").and_then(Value::as_u64), node.depth.map(u64::from));
        assert_eq!(found["crawl_count"].as_u64(), Some(node.crawl_count.into()));
        let is_near = |name: &str, value: f64| (found[name].as_f64().unwrap() - value).abs() < 1e-12;
        assert!(is_near("pagerank", ranks.pagerank.value(id)) && is_near("harmonic", ranks.harmonic.value(id)));
        assert_eq!(found["in_degree"].as_u64(), Some(graph.in_degree(id) as u64));
    }
}

fn check_values(ours: &[f64], theirs: &Value, tolerance: f64) {
    let theirs: Vec<f64> = theirs.as_array().unwrap().iter().map(|value| value.as_f64().unwrap()).collect();
    assert_eq!(ours.len(), theirs.len());
    for (ours, theirs) in ours.iter().zip(theirs) {
        assert!((ours - theirs).abs() < tolerance, "{ours} is not {theirs}");
    }
}

fn with_real_weights(edges: &Value) -> Vec<Value> {
    let real = |edge: &Value| serde_json::json!([edge[0], edge[1], edge[2].as_f64().unwrap()]);
    edges.as_array().unwrap().iter().map(real).collect()
}

fn parts(graph: &Graph, components: &Components) -> Value {
    let mut parts: BTreeMap<u32, Vec<usize>> = BTreeMap::new();
    graph.ids().for_each(|id| parts.entry(components.of(id)).or_default().push(id.index()));
    let mut parts: Vec<Vec<usize>> = parts.into_values().collect();
    parts.sort();
    serde_json::json!(parts)
}

#[test]
fn networkx_reads_the_same_graph_and_ranks() {
    check("small", &graph("a.x>b.x*3 b.x>c.y c.y>a.x*2 d.z>a.x d.z>e.z f.z g.z>g.z*5"));
    check("web", &web(1_000, 6));
    check("hostile", &hostile());
}
