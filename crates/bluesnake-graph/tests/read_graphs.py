#!/usr/bin/env python3
"""Reads graphs with networkx and ranks them anew.

Usage: read_graphs.py FILE...   One line of JSON per file: its nodes and edges as networkx has them, and its ranks.
Ends with 1 when a file cannot be read.
"""

import json
import sys

import networkx


def read(path):
    if path.endswith(".gexf"):
        return networkx.read_gexf(path)
    if path.endswith(".graphml"):
        return networkx.read_graphml(path)
    with open(path, encoding="utf-8") as file:
        return networkx.node_link_graph(json.load(file), edges="edges")


def number(name):
    """0 for the node that is "0" in GEXF, "n0" in GraphML and 0 in JSON."""
    return int(str(name).lstrip("n"))


def main():
    for path in sys.argv[1:]:
        graph = read(path)
        assert graph.is_directed() and not graph.is_multigraph(), path
        nodes = sorted(graph.nodes(data=True), key=lambda node: number(node[0]))
        # The default tolerance stops far from the fixed point: at a change of 1e-6 for each node.
        exact = {"alpha": 0.85, "max_iter": 1000, "tol": 1e-12 / len(graph)}
        found = {
            "nodes": [data for _, data in nodes],
            "edges": sorted((number(one), number(other), data["weight"]) for one, other, data in graph.edges(data=True)),
        }
        for name, values in {
            "pagerank": networkx.pagerank(graph, weight="weight", **exact),
            "pagerank_by_default": networkx.pagerank(graph, alpha=0.85, weight="weight"),
            "pagerank_of_ones": networkx.pagerank(graph, weight=None, **exact),
            "harmonic": networkx.harmonic_centrality(graph),
        }.items():
            found[name] = [values[node] for node, _ in nodes]
        for name, parts in {
            "weak": networkx.weakly_connected_components(graph),
            "strong": networkx.strongly_connected_components(graph),
        }.items():
            found[name] = sorted((sorted(map(number, part)) for part in parts))
        print(json.dumps(found))


main()
