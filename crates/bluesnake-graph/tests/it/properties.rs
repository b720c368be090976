//! Properties of every graph, checked against slow, obviously correct algorithms.

use std::collections::BTreeSet;
use std::num::NonZero;

use bluesnake_graph::{
    Components, Graph, Harmonic, HarmonicMethod, HarmonicOptions, PageRank, PageRankOptions, Picture, PictureOptions,
    RankOptions, Ranks,
};
use proptest::prelude::*;

use crate::world::{numbered, text, web};

fn any_graph() -> impl Strategy<Value = Graph> {
    (1_usize..24).prop_flat_map(|count| {
        let edge = (0..count, 0..count, 1_u32..5);
        prop::collection::vec(edge, 0..3 * count).prop_map(move |edges| {
            let mut seen = BTreeSet::new();
            let distinct: Vec<_> = edges.into_iter().filter(|(from, to, _)| seen.insert((*from, *to))).collect();
            numbered(count, &distinct)
        })
    })
}

/// Distances between all pairs of nodes by Floyd and Warshall; `None` if unreachable.
fn distances(graph: &Graph) -> Vec<Vec<Option<u32>>> {
    let count = graph.node_count();
    let mut distances = vec![vec![None; count]; count];
    (0..count).for_each(|node| distances[node][node] = Some(0));
    for edge in graph.edges().filter(|edge| edge.from != edge.to) {
        distances[edge.from.index()][edge.to.index()] = Some(1);
    }
    for over in 0..count {
        for from in 0..count {
            for to in 0..count {
                if let (Some(there), Some(on)) = (distances[from][over], distances[over][to]) {
                    let known = distances[from][to].unwrap_or(u32::MAX);
                    distances[from][to] = Some(known.min(there + on));
                }
            }
        }
    }
    distances
}

/// Whether two nodes are in one component, for all pairs.
fn together(graph: &Graph, components: &Components) -> Vec<Vec<bool>> {
    graph.ids().map(|one| graph.ids().map(|other| components.of(one) == components.of(other)).collect()).collect()
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 512, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn strong_components_reach_each_other(graph in any_graph()) {
        let distances = distances(&graph);
        let reach_each_other = |one: usize, other: usize| {
            distances[one][other].is_some() && distances[other][one].is_some()
        };
        let count = graph.node_count();
        let expected: Vec<Vec<bool>> =
            (0..count).map(|one| (0..count).map(|other| reach_each_other(one, other)).collect()).collect();
        let components = Components::strong(&graph);
        prop_assert_eq!(together(&graph, &components), expected);
        prop_assert!(components.sizes().is_sorted_by(|one, other| one >= other));
        prop_assert_eq!(components.sizes().iter().sum::<u32>() as usize, count);
    }

    #[test]
    fn weak_components_are_the_strong_ones_of_links_both_ways(graph in any_graph()) {
        let mut both: BTreeSet<(usize, usize)> = BTreeSet::new();
        for edge in graph.edges() {
            both.insert((edge.from.index(), edge.to.index()));
            both.insert((edge.to.index(), edge.from.index()));
        }
        let both: Vec<_> = both.into_iter().map(|(from, to)| (from, to, 1)).collect();
        let both_ways = numbered(graph.node_count(), &both);
        prop_assert_eq!(Components::weak(&graph), Components::strong(&both_ways));
    }

    #[test]
    fn harmonic_centrality_is_the_sum_of_inverse_distances(graph in any_graph()) {
        let distances = distances(&graph);
        let found = Harmonic::of(&graph, &HarmonicOptions::default(), NonZero::<usize>::MIN);
        prop_assert_eq!(found.method, HarmonicMethod::Exact);
        for (to, value) in found.values().iter().enumerate() {
            let near = distances.iter().filter_map(|row| row[to]).filter(|distance| *distance > 0);
            let expected: f64 = near.map(|distance| 1.0 / f64::from(distance)).sum();
            prop_assert!((value - expected).abs() < 1e-12, "{} is not {}", value, expected);
        }
    }

    #[test]
    fn pagerank_adds_up_to_one_and_satisfies_its_equation(graph in any_graph()) {
        let found = PageRank::of(&graph, &PageRankOptions::default(), NonZero::<usize>::MIN);
        let even = 1.0 / graph.node_count() as f64;
        let stranded: f64 =
            graph.ids().filter(|id| graph.out_degree(*id) == 0).map(|id| found.value(id)).sum();
        prop_assert!((found.values().iter().sum::<f64>() - 1.0).abs() < 1e-9);
        for id in graph.ids() {
            let share = |from, weight: u32| found.value(from) * f64::from(weight) / graph.out_weight(from) as f64;
            let taken: f64 = graph.edges_to(id).map(|edge| share(edge.from, edge.weight)).sum();
            prop_assert!((found.value(id) - 0.85 * (taken + stranded * even) - 0.15 * even).abs() < 1e-9);
        }
    }
}

#[test]
fn ranks_and_positions_do_not_depend_on_thread_count() {
    let graph = web(5_000, 11);
    let of = |threads: usize| {
        let threads = NonZero::new(threads).unwrap();
        let estimated = HarmonicOptions { exact_up_to: 0, ..HarmonicOptions::default() };
        let exact = Ranks::of(&graph, &RankOptions { threads, ..RankOptions::default() });
        let harmonic = Harmonic::of(&graph, &estimated, threads);
        let options = PictureOptions { threads, layout_steps: Some(20), ..PictureOptions::default() };
        let svg = text(|out| Picture::of(&graph, &exact.pagerank, &options).write_svg(out));
        (exact, harmonic, svg)
    };
    let alone = of(1);
    for threads in [2, 3, 16] {
        assert!(of(threads) == alone, "{threads} threads");
    }
}

#[test]
fn harmonic_estimate_is_marked_and_accurate() {
    let graph = web(3_000, 7);
    let of = |exact_up_to| {
        let options = HarmonicOptions { exact_up_to, ..HarmonicOptions::default() };
        Harmonic::of(&graph, &options, NonZero::new(2).unwrap())
    };
    let (exact, estimated) = (of(3_000), of(2_999));

    let HarmonicMethod::HyperBall { registers, relative_error } = estimated.method else { panic!("estimated") };
    assert_eq!((exact.method, registers), (HarmonicMethod::Exact, 256));
    let off = |(exact, estimated): (&f64, &f64)| (*exact > 0.0).then(|| (estimated / exact - 1.0).abs());
    let off: Vec<f64> = exact.values().iter().zip(estimated.values()).filter_map(off).collect();
    let average = off.iter().sum::<f64>() / off.len() as f64;
    let far = off.iter().filter(|off| **off > 3.0 * relative_error).count();
    assert!(off.len() > 1_000 && average < relative_error, "average error {average}, expected {relative_error}");
    assert!(far < off.len() / 100, "{far} of {} estimates are off by more than three standard errors", off.len());
}

#[test]
fn estimating_a_long_chain_terminates() {
    let edges: Vec<_> = (0..20_000).map(|number| (number, number + 1, 1)).collect();
    let graph = numbered(20_001, &edges);

    let found = Harmonic::of(&graph, &HarmonicOptions { exact_up_to: 0, log2_registers: 6 }, NonZero::new(2).unwrap());

    let exact: f64 = (1..=20_000).map(|distance| 1.0 / f64::from(distance)).sum();
    let last = found.values().last().unwrap();
    assert!((last / exact - 1.0).abs() < 0.4, "{last} is not {exact}");
}
