//! Output of weaves for people: the summary, and statistics.

use std::fmt::Write;

use bluesnake_app::weave::{GraphView, HarmonicMethod, HarmonicOptions, Statistics};
use bluesnake_app::{App, AppError, EndReason, Ended, Finished};

use super::paint::Paint;
use super::table::Grid;
use super::{bluesnake, counted, summary, thousands, time, visible};

/// Up to this many hosts the summary reads the whole graph to list its top domains; larger graphs on request only.
const COUNTED_AT_ONCE: i64 = 50_000;

/// The summary of a graph after a session.
pub(crate) async fn summary(app: &App, ended: &Ended, finished: &Finished, run: i64) -> Result<String, AppError> {
    let paint = Paint::stdout();
    let graph = app.graph(run).await?;
    let what = match &finished.reason {
        // The host stands for the whole network.
        EndReason::HostGivenUp { why, .. } => paint.yellow(format!("stopped, {}", visible(why))),
        reason => summary::ending(reason, "woven", paint),
    };
    let mut text = format!(
        "{what}: {}, {}; {} in this session, in {}\n\n{}",
        counted(graph.nodes.max(0) as u64, "host"),
        counted(graph.edges.max(0) as u64, "link"),
        counted(finished.progress.pages + finished.progress.failed, "page"),
        time::span(finished.elapsed),
        summary::receipt(&finished.receipt, "host", paint),
    );
    cuts(&mut text, &graph);
    if graph.nodes <= COUNTED_AT_ONCE {
        top_domains(&mut text, &app.graph_statistics((), run, Default::default()).await?, paint);
    }
    let bluesnake = bluesnake();
    let next = match ended.state.as_str() {
        "completed" => format!(
            "{bluesnake} weave render {run} -o graph.svg\n  {bluesnake} export {run} --table nodes -o nodes.csv\n  \
             {bluesnake} weave stats {run}"
        ),
        _ => format!("{bluesnake} weave{}", summary::needed_to_resume(&finished.reason)),
    };
    let _ = writeln!(text, "\nstored as run {run}; next:\n  {next}");
    if let EndReason::HostGivenUp { .. } = finished.reason {
        let _ = writeln!(text, "when the network is back; --set politeness.breaker_failures=0 disables this check");
    }
    Ok(text)
}

/// What limits cut from the graph.
fn cuts(text: &mut String, graph: &GraphView) {
    let cuts = [
        (graph.hosts_with_pages_cut, "host", "pages of"),
        (graph.hosts_with_mentions_cut, "host", "links of"),
        (graph.partial_pages, "page", "parts of"),
    ];
    let told: Vec<String> = cuts
        .iter()
        .filter(|(count, _, _)| *count > 0)
        .map(|(count, thing, what)| format!("{what} {}", counted(*count as u64, thing)))
        .collect();
    if !told.is_empty() {
        let _ = writeln!(text, "\ncut by limits: {}", told.join(", "));
    }
    if graph.hosts_kept > 0 {
        let hosts = counted(graph.hosts_kept as u64, "host");
        let _ = writeln!(text, "\nrevisit failed, earlier results kept: {hosts} (--retry-failed tries again)");
    }
}

/// A note about ranks written for this many hosts.
pub(crate) fn about_ranks(hosts: usize) -> Option<String> {
    let method = HarmonicOptions::default().method(hosts);
    (method != HarmonicMethod::Exact).then(|| format!("harmonic centrality is {method}"))
}

/// Statistics of a graph.
pub(crate) fn statistics(run: i64, statistics: &Statistics) -> String {
    let paint = Paint::stdout();
    let mut text = format!("{}\n", paint.bold(format!("graph of run {run}")));
    let count = |number: usize| thousands(number as u64);
    let lines = [
        ("hosts", count(statistics.nodes)),
        ("links", count(statistics.edges)),
        ("density", format!("{:.6}", statistics.density)),
        ("average degree", format!("{:.2}", statistics.average_degree)),
        ("isolated hosts", count(statistics.isolated_nodes)),
        (
            "weak components",
            format!("{}, the largest {}", count(statistics.weak_components), count(statistics.largest_weak_component)),
        ),
        (
            "strong components",
            format!(
                "{}, the largest {}",
                count(statistics.strong_components),
                count(statistics.largest_strong_component)
            ),
        ),
        ("harmonic ranks", HarmonicOptions::default().method(statistics.nodes).to_string()),
    ];
    for (name, value) in lines {
        let _ = writeln!(text, "  {name:<18} {value}");
    }
    let mut grid = Grid::new(&["degree", "hosts linked to", "hosts linking"]).right(&[0, 1, 2]);
    for (from, to, name) in BANDS {
        let within = |degrees: &std::collections::BTreeMap<usize, usize>| {
            count(degrees.range(from..=to).map(|(_, hosts)| hosts).sum::<usize>())
        };
        grid.row([name.to_owned(), within(&statistics.in_degrees), within(&statistics.out_degrees)]);
    }
    let _ = write!(text, "\n{}", grid.text());
    top_domains(&mut text, statistics, paint);
    text
}

/// Bands of degrees: from, to, and their label.
const BANDS: [(usize, usize, &str); 7] = [
    (0, 0, "0"),
    (1, 1, "1"),
    (2, 4, "2-4"),
    (5, 9, "5-9"),
    (10, 99, "10-99"),
    (100, 999, "100-999"),
    (1_000, usize::MAX, "1000+"),
];

fn top_domains(text: &mut String, statistics: &Statistics, paint: Paint) {
    let mut linked = statistics.top_domains.iter().filter(|domain| domain.edges_from_others > 0).take(5).peekable();
    if linked.peek().is_none() {
        return;
    }
    let _ = writeln!(text, "\n{}", paint.bold("most linked domains"));
    for domain in linked {
        let (links, hosts) = (thousands(domain.edges_from_others as u64), counted(domain.hosts as u64, "host"));
        let _ = writeln!(text, "{links:>10}  {}  ({hosts})", visible(&domain.domain));
    }
}
