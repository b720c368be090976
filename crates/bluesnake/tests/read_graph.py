#!/usr/bin/env python3
"""Reads the files of a graph with libraries of others, and computes anew what they say.

Usage: read_graph.py FOLDER   Ends with 1 when something differs.
"""

import csv, html, json, sys
import networkx as nx, pyarrow.parquet as parquet, pydot
folder = sys.argv[1]
table = lambda name: list(csv.DictReader(open(folder + name, newline="")))
rows, node_rows = table("/edges.csv"), table("/nodes.csv")
nodes = {row["host"]: row for row in node_rows}
plain = nx.DiGraph()
plain.add_nodes_from(nodes)
for row in rows:
    plain.add_edge(row["from"], row["to"], weight=int(row["weight"]))

# One file for the whole graph.
weights = lambda graph: {(u, v): int(d["weight"]) for u, v, d in graph.edges(data=True)}
def relabelled(graph):
    names = {n: d.get("host") or d.get("label") or n for n, d in graph.nodes(data=True)}
    return nx.relabel_nodes(graph, names)
def read_dot(path):
    text = lambda quoted: html.unescape(quoted[1:-1].replace('\\"', '"').replace("\\\\", "\\"))
    graph, (dot,) = nx.DiGraph(), pydot.graph_from_dot_file(path)
    assert dot.get_type() == "digraph"
    for node in dot.get_nodes():
        ranks = {name: float(node.get(name)) for name in ("pagerank", "harmonic")}
        graph.add_node(node.get_name(), host=text(node.get("label")), description=text(node.get("tooltip")), **ranks)
    for edge in dot.get_edges():
        graph.add_edge(edge.get_source(), edge.get_destination(), weight=edge.get("weight"))
    return graph
read = {
    "gexf": nx.read_gexf(folder + "/g.gexf"),
    "gexf12": nx.read_gexf(folder + "/g12.gexf", version="1.2draft"),
    "graphml": nx.read_graphml(folder + "/g.graphml"),
    "json": nx.node_link_graph(json.load(open(folder + "/g.json")), edges="edges"),
    "dot": read_dot(folder + "/g.dot"),
}
for name, graph in read.items():
    graph = relabelled(graph)
    assert set(graph.nodes) == set(plain.nodes), name
    assert weights(graph) == weights(plain), name
    for host, data in graph.nodes(data=True):
        told = [data["description"], float(data["pagerank"]), float(data["harmonic"])]
        row = nodes[host]
        assert told == [row["description"], float(row["pagerank"]), float(row["harmonic"])], (name, host)

# The same tables in other formats, value by value.
texts, reals = {"host", "domain", "description", "disposition", "reason", "from", "to"}, {"pagerank", "harmonic"}
whole = lambda text: text == "true" if text in ("true", "false") else int(text)
value = lambda name, text: text if name in texts else float(text) if name in reals else whole(text)
typed = lambda table: [{name: value(name, text) for name, text in row.items()} for row in table]
assert reals < set(node_rows[0]) and len(node_rows[0]) > 10
assert parquet.read_table(folder + "/nodes.parquet").to_pylist() == typed(node_rows), "nodes.parquet"
assert parquet.read_table(folder + "/edges.parquet").to_pylist() == typed(rows), "edges.parquet"
assert [json.loads(line) for line in open(folder + "/nodes.jsonl")] == typed(node_rows), "nodes.jsonl"

# What is computed from the graph.
def check(column, expected):
    assert {host: int(row[column]) for host, row in nodes.items()} == dict(expected), column
check("in_degree", plain.in_degree())
check("out_degree", plain.out_degree())
check("in_weight", plain.in_degree(weight="weight"))
check("out_weight", plain.out_degree(weight="weight"))
def check_parts(column, expected):
    parts, expected = {}, {frozenset(part) for part in expected}
    for host, row in nodes.items():
        parts.setdefault(row[column], set()).add(host)
    assert 1 < len(expected) < len(nodes), (column, len(expected))
    assert {frozenset(part) for part in parts.values()} == expected, column
check_parts("weak_component", nx.weakly_connected_components(plain))
check_parts("strong_component", nx.strongly_connected_components(plain))
worst = lambda column, expected: max(abs(float(nodes[host][column]) - value) for host, value in expected.items())
worst_pagerank = worst("pagerank", nx.pagerank(plain, tol=1e-12, max_iter=1000))
assert worst_pagerank < 1e-6, worst_pagerank
worst_harmonic = worst("harmonic", nx.harmonic_centrality(plain))
assert worst_harmonic < 1e-6, worst_harmonic

# The files of Common Crawl: hosts reversed and sorted, links by their places, ranks from the highest.
def reversed_name(host):
    name, colon, port = host.partition(":")
    return ".".join(name.split(".")[::-1]) + colon + port
lines = lambda name: [line.rstrip("\n").split("\t") for line in open(folder + name)]
hosts = {reversed_name(host): host for host in nodes}
assert lines("/cc/vertices.txt") == [[str(id), name] for id, name in enumerate(sorted(hosts))], "vertices.txt"
ids = {hosts[name]: id for id, name in enumerate(sorted(hosts))}
by_id = [[str(source), str(target)] for source, target in sorted((ids[row["from"]], ids[row["to"]]) for row in rows)]
assert lines("/cc/edges.txt") == by_id, "edges.txt"
head, *ranked = lines("/cc/ranks.txt")
assert head == ["#harmonicc_pos", "#harmonicc_val", "#pr_pos", "#pr_val", "#host_rev"]
assert {hosts[row[4]]: (float(row[1]), float(row[3])) for row in ranked} == {
    host: (float(row["harmonic"]), float(row["pagerank"])) for host, row in nodes.items()
}, "values of ranks.txt"
falling = lambda column: sorted(nodes, key=lambda host: -float(nodes[host][column]))
assert [(int(row[0]), hosts[row[4]]) for row in ranked] == list(enumerate(falling("harmonic"), 1)), "order of ranks.txt"
assert {hosts[row[4]]: int(row[2]) for row in ranked} == {host: at for at, host in enumerate(falling("pagerank"), 1)}, "places by PageRank"

pair = table("/pair/nodes.csv")
assert {row["label"] for row in pair} == set(nodes) and set(pair[0]) == {"id", "label", "x", "y", "size", "color", "cluster"}
print("read", len(nodes), len(rows), worst_pagerank, worst_harmonic)
