//! Pictures: linked nodes are close, labels do not overlap, equal graphs look the same.

use bluesnake_graph::{ColourBy, Graph, NodeId, Picture, PictureOptions};

use crate::world::{graph, ranks, text, web};

fn distance(picture: &Picture<'_>, one: NodeId, other: NodeId) -> f64 {
    let ((x, y), (other_x, other_y)) = (picture.place(one), picture.place(other));
    (x - other_x).hypot(y - other_y)
}

#[test]
fn linked_nodes_are_closer_than_others() {
    let graph = web(400, 5);
    let ranks = ranks(&graph);

    let picture = Picture::of(&graph, &ranks.pagerank, &PictureOptions::default());

    let mean = |distances: Vec<f64>| distances.iter().sum::<f64>() / distances.len() as f64;
    let linked = mean(graph.edges().map(|edge| distance(&picture, edge.from, edge.to)).collect());
    let pairs = graph.ids().flat_map(|one| graph.ids().map(move |other| (one, other)));
    let any = mean(pairs.map(|(one, other)| distance(&picture, one, other)).collect());
    assert!(linked < 0.6 * any, "average distance: linked {linked}, any {any}");
}

#[test]
fn labels_of_2000_hosts_do_not_overlap() {
    let graph = web(2_000, 9);
    let ranks = ranks(&graph);

    let svg = text(|out| Picture::of(&graph, &ranks.pagerank, &PictureOptions::default()).write_svg(out));

    assert_eq!(svg.matches("<title>").count(), 2_000);
    let boxes: Vec<[f64; 4]> = svg.lines().filter(|line| line.contains("textLength")).map(text_box).collect();
    assert!(boxes.len() >= 60, "only {} labels", boxes.len());
    for (place, one) in boxes.iter().enumerate() {
        for other in &boxes[..place] {
            let is_apart = one[2] <= other[0] || other[2] <= one[0] || one[3] <= other[1] || other[3] <= one[1];
            assert!(is_apart, "{one:?} {other:?}");
        }
    }
}

/// Left, top, right and bottom of a label, slightly shrunk.
fn text_box(line: &str) -> [f64; 4] {
    let value = |name: &str| -> f64 {
        let start = line.find(&format!(" {name}=\"")).unwrap() + name.len() + 3;
        line[start..].split('"').next().unwrap().parse().unwrap()
    };
    let (x, y, size) = (value("x"), value("y"), value("font-size"));
    [x + 0.2, y - 0.8 * size, x + value("textLength") - 0.2, y + 0.1 * size]
}

#[test]
fn csv_pair_has_a_line_per_node_and_edge() {
    let graph = graph("a>b*4 b>a c>d d>c e");
    let ranks = ranks(&graph);
    let picture = Picture::of(&graph, &ranks.pagerank, &PictureOptions::default());

    let (nodes, edges) = (text(|out| picture.write_nodes_csv(out)), text(|out| picture.write_edges_csv(out)));

    let labels_and_clusters: Vec<(&str, &str)> =
        nodes.lines().skip(1).map(|line| (line.split(',').nth(1).unwrap(), line.rsplit(',').next().unwrap())).collect();
    assert_eq!(labels_and_clusters, [("a", "0"), ("b", "0"), ("c", "1"), ("d", "1"), ("e", "2")]);
    assert!(edges.starts_with("source,target,width,color\n0,1,2,#2563eb\n1,0,1,#2563eb\n2,3,1,#ea580c\n"), "{edges}");
}

#[test]
fn colours_show_clusters_or_components() {
    let graph = graph("a>b b>c c>a c>d d>e e>f f>d x>y y>x");
    let ranks = ranks(&graph);
    let groups = |colour_by| {
        let picture = Picture::of(&graph, &ranks.pagerank, &PictureOptions { colour_by, ..PictureOptions::default() });
        graph.ids().map(|id| picture.group(id)).collect::<Vec<_>>()
    };

    assert_eq!(groups(ColourBy::Cluster), [0, 0, 0, 1, 1, 1, 2, 2]);
    assert_eq!(groups(ColourBy::Component), [0, 0, 0, 0, 0, 0, 1, 1]);
}

#[test]
fn degenerate_graphs_have_pictures() {
    let star: String = (0..300).map(|number| format!("h{number}>hub ")).collect();
    let lone: String = (0..300).map(|number| format!("h{number} ")).collect();
    for words in ["", "a", "a>a", "a b", "a>b", &star, &lone] {
        let graph: Graph = graph(words);
        let ranks = ranks(&graph);
        let svg = text(|out| Picture::of(&graph, &ranks.pagerank, &PictureOptions::default()).write_svg(out));
        assert!(!svg.contains("NaN") && !svg.contains("inf"), "{svg}");
        assert_eq!(svg.matches("<title>").count(), graph.node_count());
    }
}
