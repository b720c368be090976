//! Hostile text cannot break out of its field in any format.

use bluesnake_graph::formats::{CommonCrawl, GexfVersion, write_dot, write_gexf, write_graphml, write_json};
use bluesnake_graph::{Edge, Graph, GraphBuilder, Node, Picture, PictureOptions};
use quick_xml::events::Event;

use crate::world::{ranks, text};

const TEXTS: [&str; 14] = [
    "quote\".example",
    "apostrophe'.example",
    "<script>alert(1)</script>",
    "]]><!--",
    "&amp;&lt;&#x41;&unknown;",
    "back\\slash\\N\\",
    "tab\there",
    "line\r\nbreak\u{2028}\u{85}",
    "nul\0bell\x07escape\x1b[31mdelete\x7f",
    "\u{202e}elpmaxe.moc\u{202c} שלום עולם مرحبا",
    "\u{fffe}\u{ffff}\u{feff}\u{10ffff}",
    "=HYPERLINK(\"http://evil.example\",\"x\"),;",
    "👩‍👩‍👧‍👦 日本 e\u{301}",
    "%00%0a%",
];

/// Hosts and descriptions of every kind, each linked to the next; one of them is very long.
pub(crate) fn hostile() -> Graph {
    let long = "very-long.".repeat(10_000);
    let texts: Vec<&str> = TEXTS.into_iter().chain([&*long]).collect();
    let mut builder = GraphBuilder::new();
    let add = |text: &&str| {
        builder.node(Node { host: text, domain: text, description: text, depth: None, crawl_count: 0 }).unwrap()
    };
    let ids: Vec<_> = texts.iter().map(add).collect();
    for pair in ids.windows(2) {
        builder.edge(Edge { from: pair[0], to: pair[1], weight: 1 }).unwrap();
    }
    builder.build().unwrap()
}

fn hosts(graph: &Graph) -> Vec<&str> {
    graph.nodes().map(|(_, node)| node.host).collect()
}

/// The part of a text that XML can represent.
pub(crate) fn in_xml(text: &str) -> String {
    let is_forbidden = |letter: char| {
        letter < ' ' && !['\t', '\n', '\r'].contains(&letter) || ['\u{fffe}', '\u{ffff}'].contains(&letter)
    };
    text.chars().map(|letter| if is_forbidden(letter) { '\u{fffd}' } else { letter }).collect()
}

/// The names of all elements, and the values of all attributes and texts.
fn read_xml(text: &str) -> (Vec<String>, Vec<String>) {
    let (mut elements, mut values, mut between) = (Vec::new(), Vec::new(), String::new());
    let mut reader = quick_xml::Reader::from_str(text);
    reader.config_mut().check_end_names = true;
    loop {
        match reader.read_event().unwrap() {
            Event::Start(element) | Event::Empty(element) => {
                elements.push(element.name().as_ref().to_owned());
                for attribute in element.attributes() {
                    values.push(unescape(&attribute.unwrap().value));
                }
                between.clear();
            }
            Event::Text(part) => between.push_str(&part),
            Event::GeneralRef(name) => between.push_str(&format!("&{};", &*name)),
            Event::End(_) => values.push(unescape(&std::mem::take(&mut between))),
            Event::Decl(_) => {}
            Event::Eof => return (elements, values),
            other => panic!("unexpected {other:?}"),
        }
    }
}

fn unescape(text: &str) -> String {
    quick_xml::escape::unescape(text).unwrap().into_owned()
}

#[test]
fn xml_files_contain_only_our_elements_and_preserve_text() {
    let graph = hostile();
    let ranks = ranks(&graph);
    for (file, known) in [
        (
            text(|out| write_gexf(out, &graph, &ranks, GexfVersion::V1_3)),
            "gexf meta creator description graph attributes attribute nodes node attvalues attvalue edges edge",
        ),
        (text(|out| write_graphml(out, &graph, &ranks)), "graphml key graph data node edge"),
    ] {
        let (elements, values) = read_xml(&file);
        let known: Vec<&str> = known.split(' ').collect();
        assert!(elements.iter().all(|element| known.contains(&element.as_str())), "{elements:?}");
        for host in hosts(&graph) {
            let times = values.iter().filter(|value| **value == in_xml(host)).count();
            assert!(times >= 3, "{host:?} is missing as host, domain or description");
        }
    }
}

#[test]
fn svg_contains_only_our_elements() {
    let graph = hostile();
    let ranks = ranks(&graph);

    let svg = text(|out| Picture::of(&graph, &ranks.pagerank, &PictureOptions::default()).write_svg(out));

    let (elements, values) = read_xml(&svg);
    let known = ["svg", "rect", "g", "path", "circle", "title", "text"];
    assert!(elements.iter().all(|element| known.contains(&element.as_str())), "{elements:?}");
    for host in hosts(&graph) {
        assert!(values.contains(&format!("{}: {}", in_xml(host), in_xml(host))), "{host:?}");
    }
}

#[test]
fn json_preserves_text() {
    let graph = hostile();

    let read: serde_json::Value = serde_json::from_str(&text(|out| write_json(out, &graph, &ranks(&graph)))).unwrap();

    for (name, found) in [("host", &read["nodes"]), ("description", &read["nodes"])] {
        let found: Vec<&str> = found.as_array().unwrap().iter().map(|node| node[name].as_str().unwrap()).collect();
        assert_eq!(found, hosts(&graph));
    }
}

#[test]
fn every_line_of_dot_is_one_statement() {
    let graph = hostile();

    let dot = text(|out| write_dot(out, &graph, &ranks(&graph)));

    assert_eq!(dot.lines().count(), 2 + graph.node_count() + graph.edge_count());
    for (line, host) in dot.lines().skip(1).zip(hosts(&graph)) {
        let quoted = |after: &str| {
            let start = line.find(after).unwrap() + after.len();
            let mut is_escaped = false;
            let is_end = |letter: char| {
                let is_end = letter == '"' && !is_escaped;
                is_escaped = letter == '\\' && !is_escaped;
                is_end
            };
            let end = start + line[start..].find(is_end).unwrap();
            line[start..end].to_owned()
        };
        let plain = |text: String| {
            text.replace("\\\\", "\0")
                .replace("\\\"", "\"")
                .replace("\\n", "\n")
                .replace('\0', "\\")
                .replace("&amp;", "&")
        };
        let is_written = |letter: char| if letter.is_control() && letter != '\n' { '\u{fffd}' } else { letter };
        let cut = if host.len() > 1_000 { "…" } else { "" };
        let expected: String = host.chars().take(1_000).map(is_written).chain(cut.chars()).collect();
        assert_eq!(plain(quoted("label=\"")), expected);
        assert_eq!(plain(quoted("tooltip=\"")), expected);
    }
}

#[test]
fn every_common_crawl_line_has_all_columns() {
    let graph = hostile();
    let files = CommonCrawl::of(&graph);
    for (file, columns) in [
        (text(|out| files.write_vertices(out)), 2),
        (text(|out| files.write_edges(out)), 2),
        (text(|out| files.write_ranks(out, &ranks(&graph))), 5),
    ] {
        for line in file.lines() {
            assert_eq!(line.split('\t').count(), columns, "{line:?}");
            assert!(!line.contains(|letter: char| letter.is_control() && letter != '\t'), "{line:?}");
        }
    }
    let vertices = text(|out| files.write_vertices(out));
    let names: Vec<&str> = vertices.lines().map(|line| line.split_once('\t').unwrap().1).collect();
    assert!(names.is_sorted() && names.len() == graph.node_count());
}

#[test]
fn csv_preserves_labels_and_defuses_formulas() {
    let graph = hostile();
    let ranks = ranks(&graph);
    let picture = Picture::of(&graph, &ranks.pagerank, &PictureOptions::default());

    let nodes = text(|out| picture.write_nodes_csv(out));

    let rows = read_csv(&nodes);
    assert_eq!(rows[0], ["id", "label", "x", "y", "size", "color", "cluster"]);
    assert_eq!(rows.len(), graph.node_count() + 1);
    for (row, host) in rows[1..].iter().zip(hosts(&graph)) {
        assert!(row.len() == 7 && row[1].strip_prefix('\'').unwrap_or(&row[1]) == host, "{row:?}");
        assert!(!row[1].starts_with(['=', '+', '-', '@', '\t', '\r']), "{row:?}");
    }
}

/// The rows of a CSV file, as in RFC 4180.
fn read_csv(text: &str) -> Vec<Vec<String>> {
    let (mut rows, mut row, mut cell, mut is_quoted) = (Vec::new(), Vec::new(), String::new(), false);
    let mut letters = text.chars().peekable();
    while let Some(letter) = letters.next() {
        match letter {
            '"' if is_quoted && letters.peek() == Some(&'"') => cell.extend(letters.next()),
            '"' => is_quoted = !is_quoted,
            ',' if !is_quoted => row.push(std::mem::take(&mut cell)),
            '\n' if !is_quoted => {
                row.push(std::mem::take(&mut cell));
                rows.push(std::mem::take(&mut row));
            }
            other => cell.push(other),
        }
    }
    assert!(cell.is_empty() && row.is_empty(), "the last line is not terminated");
    rows
}
