//! Time and memory for a large graph: `cargo run --release -p bluesnake-graph --example large -- FOLDER`
//!
//! Generates a graph of 1,000,000 nodes and 10,000,000 edges (pass other numbers after the folder), ranks it and writes
//! every format to the folder. Draws the picture, and writes files with positions, only if the graph is small enough or
//! `BLUESNAKE_PICTURE` is set.

use std::collections::BTreeSet;
use std::fs::File;
use std::path::{Path, PathBuf};
use std::time::Instant;

use bluesnake_graph::formats::{CommonCrawl, GexfVersion, write_dot, write_gexf, write_graphml, write_json};
use bluesnake_graph::{
    Components, Edge, Graph, GraphBuilder, Harmonic, Node, PageRank, Picture, PictureOptions, RankOptions, Ranks,
    Statistics,
};

const LARGEST_PICTURE: usize = 20_000;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut arguments = std::env::args().skip(1);
    let folder = PathBuf::from(arguments.next().ok_or("missing argument: FOLDER")?);
    let number = |text: Option<String>, usual: usize| text.map_or(Ok(usual), |text| text.parse());
    let nodes = number(arguments.next(), 1_000_000)?;
    let edges = number(arguments.next(), 10_000_000)?;
    std::fs::create_dir_all(&folder)?;

    let graph = timed("build", || build(nodes, edges))?;
    println!("{} nodes, {} edges", graph.node_count(), graph.edge_count());
    let ranks = rank(&graph);
    let statistics = timed("statistics", || Statistics::of(&graph, 5));
    println!("weak components {}, strong {}", statistics.weak_components, statistics.strong_components);
    export(&folder, &graph, &ranks)?;
    if nodes <= LARGEST_PICTURE || std::env::var_os("BLUESNAKE_PICTURE").is_some() {
        draw(&folder, &graph, &ranks)?;
    }
    Ok(())
}

fn timed<T>(what: &str, work: impl FnOnce() -> T) -> T {
    let start = Instant::now();
    let result = work();
    println!("{what:<28} {:>8.2} s   peak {:>5} MB", start.elapsed().as_secs_f64(), peak_mb());
    result
}

/// The peak memory of this process; 0 where the system does not report it.
fn peak_mb() -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"));
    line.and_then(|line| line.trim().trim_end_matches(" kB").parse::<u64>().ok()).unwrap_or(0) / 1024
}

/// SplitMix64 with a fixed seed.
struct Numbers(u64);

impl Numbers {
    fn below(&mut self, limit: usize) -> usize {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = self.0;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        ((u128::from(mixed ^ (mixed >> 31)) * limit as u128) >> 64) as usize
    }

    /// Small numbers far more often than large ones.
    fn popular(&mut self, limit: usize) -> usize {
        let share = self.below(1 << 30) as f64 / f64::from(1 << 30);
        ((share * share * share * limit as f64) as usize).min(limit - 1)
    }
}

/// Hosts in communities; four of five links stay inside, and a few hosts have many incoming links. There must be far
/// more nodes than edges per node.
fn build(nodes: usize, edges: usize) -> Result<Graph, bluesnake_graph::GraphError> {
    let mut builder = GraphBuilder::new();
    let mut numbers = Numbers(6);
    let mut ids = Vec::with_capacity(nodes);
    let community = (nodes / 12).clamp(1, 200);
    for number in 0..nodes {
        let domain = format!("domain-{}.example", number / 3);
        let host = format!("{}.{domain}", ["www", "blog", "shop"][number % 3]);
        let description = format!("Host number {number}: what its title says & a little more");
        let depth = Some(number.checked_ilog(8).unwrap_or(0));
        ids.push(builder.node(Node {
            host: &host,
            domain: &domain,
            description: &description,
            depth,
            crawl_count: 3,
        })?);
    }
    let mut targets = BTreeSet::new();
    let mut given = 0;
    for from in 0..nodes {
        let first = from - from % community;
        let wanted = edges * (from + 1) / nodes - given;
        given += wanted;
        while targets.len() < wanted {
            let is_near = numbers.below(5) > 0;
            let near = first + numbers.popular(community.min(nodes - first));
            targets.insert(if is_near { near } else { numbers.popular(nodes) });
        }
        for to in std::mem::take(&mut targets) {
            builder.edge(Edge { from: ids[from], to: ids[to], weight: 1 + numbers.popular(20) as u32 })?;
        }
    }
    builder.build()
}

fn rank(graph: &Graph) -> Ranks {
    let options = RankOptions::default();
    let threads = options.threads;
    let ranks = Ranks {
        pagerank: timed("pagerank", || PageRank::of(graph, &options.pagerank, threads)),
        harmonic: timed("harmonic", || Harmonic::of(graph, &options.harmonic, threads)),
        weak: timed("weak components", || Components::weak(graph)),
        strong: timed("strong components", || Components::strong(graph)),
    };
    println!("{threads} threads; pagerank in {} steps; harmonic {:?}", ranks.pagerank.steps, ranks.harmonic.method);
    ranks
}

fn export(folder: &Path, graph: &Graph, ranks: &Ranks) -> std::io::Result<()> {
    let file = |name: &str| File::create(folder.join(name));
    let common_crawl = timed("sort reversed hosts", || CommonCrawl::of(graph));
    timed("vertices.txt", || common_crawl.write_vertices(file("vertices.txt")?))?;
    timed("edges.txt", || common_crawl.write_edges(file("edges.txt")?))?;
    timed("ranks.txt", || common_crawl.write_ranks(file("ranks.txt")?, ranks))?;
    timed("graph.gexf", || write_gexf(file("graph.gexf")?, graph, ranks, GexfVersion::V1_3))?;
    timed("graph.graphml", || write_graphml(file("graph.graphml")?, graph, ranks))?;
    timed("graph.dot", || write_dot(file("graph.dot")?, graph, ranks))?;
    timed("graph.json", || write_json(file("graph.json")?, graph, ranks))
}

fn draw(folder: &Path, graph: &Graph, ranks: &Ranks) -> std::io::Result<()> {
    let file = |name: &str| File::create(folder.join(name));
    let picture = timed("picture", || Picture::of(graph, &ranks.pagerank, &PictureOptions::default()));
    timed("nodes.csv", || picture.write_nodes_csv(file("nodes.csv")?))?;
    timed("edges.csv", || picture.write_edges_csv(file("edges.csv")?))?;
    timed("graph.svg", || picture.write_svg(file("graph.svg")?))
}
