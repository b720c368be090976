//! Fills a database with a large graph, through the store's own port.

use std::collections::BTreeSet;
use std::path::PathBuf;
use std::time::Duration;

use anyhow::ensure;
use bluesnake_engine::weave::Host;
use bluesnake_engine::weave::store::{Edge, Growth, NodePage, NodeRow, NodeVisit, WeaveStore};
use bluesnake_engine::{CanonicalUrl, Number, Reason, WeaveInput, WeavePlan};
use bluesnake_store::state::{RunKind, RunState, SessionState};
use bluesnake_store::{Database, SessionEnd};

/// Hosts per transaction.
const CHUNK: u32 = 5_000;
/// Pages requested per host, as a weave does by default.
const PAGES: u32 = 3;

#[derive(Debug, clap::Args)]
pub(crate) struct Arguments {
    /// Database file; must not exist
    #[arg(long)]
    db: PathBuf,
    /// Number of hosts
    #[arg(long, default_value_t = 1_000_000)]
    nodes: u32,
    /// Links per host; some hosts have very many incoming links
    #[arg(long, default_value_t = 10)]
    links: u32,
}

/// Stores a graph as a completed weave.
pub(crate) async fn run(arguments: &Arguments) -> anyhow::Result<()> {
    ensure!(!arguments.db.exists(), "{} already exists", arguments.db.display());
    let database = Database::open(&arguments.db)?;
    let project = database.catalog().get_or_create_project("h1.test", "https://h1.test/").await?;
    let claim = database.catalog().claim(project.id).await?;
    let (seeds, settings) = (r#"["https://h1.test/"]"#.to_owned(), settings()?);
    let started = database.catalog().start_run(&claim, RunKind::Weave, seeds, settings, false).await?;
    for first in (1..=arguments.nodes).step_by(CHUNK as usize) {
        let numbers = first..(first + CHUNK).min(arguments.nodes + 1);
        let nodes = numbers.clone().map(node).collect();
        started.store.grow(Growth { nodes, ..Growth::default() }).await?;
        WeaveStore::commit(&started.store, numbers.map(visit).collect()).await?;
    }
    for first in (1..=arguments.nodes).step_by(CHUNK as usize) {
        let sources = first..(first + CHUNK).min(arguments.nodes + 1);
        let edges = sources.flat_map(|from| links(from, arguments)).collect();
        started.store.grow(Growth { edges, ..Growth::default() }).await?;
    }
    let end = SessionEnd {
        session: SessionState::Completed,
        session_reason: "exhausted".to_owned(),
        run: RunState::Completed,
        run_reason: None,
        detail: None,
    };
    Ok(database.catalog().end_session(&claim, started.session, end).await?)
}

/// The settings of a weave of the first host, so that it can be resumed.
fn settings() -> anyhow::Result<String> {
    let plan = WeavePlan::new(["https://h1.test/"], WeaveInput::default())?;
    let settings = serde_json::to_value(plan)?;
    Ok(settings.to_string())
}

fn node(number: u32) -> NodeRow {
    NodeRow {
        number: Number(number),
        host: Host::from_stored(format!("h{number}.test")),
        depth: number.ilog10(),
        reason: Reason::Queued,
    }
}

fn visit(number: u32) -> NodeVisit {
    NodeVisit {
        number: Number(number),
        reason: Reason::Page,
        description: format!("The title of host {number}, of usual length"),
        pages: (0..PAGES).map(|place| page(number, place)).collect(),
        mentions: Vec::new(),
        pages_cut: 0,
        pages_limit: 3,
        partial_pages: 0,
        mentions_cut: 0,
        mentions_limit: 0,
    }
}

fn page(number: u32, place: u32) -> NodePage {
    let path = if place == 0 { String::new() } else { format!("articles/{number}-{place}.html") };
    NodePage {
        url: CanonicalUrl::from_stored(format!("https://h{number}.test/{path}")),
        reason: Reason::Page,
        detail: None,
        status: Some(200),
        attempts: 1,
        elapsed: Duration::from_micros(20_000 + u64::from(number ^ place) % 50_000),
        bytes: 20_000,
    }
}

/// Different hosts, the first ones far more often than others.
fn links(from: u32, arguments: &Arguments) -> Vec<Edge> {
    let mut dice = u64::from(from);
    let mut targets = BTreeSet::new();
    while (targets.len() as u32) < arguments.links.min(arguments.nodes - 1) {
        dice = dice.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        let fraction = (dice >> 11) as f64 / (1_u64 << 53) as f64;
        let to = 1 + (fraction.powi(3) * f64::from(arguments.nodes)) as u32;
        if to != from && to <= arguments.nodes {
            targets.insert(to);
        }
    }
    targets.into_iter().map(|to| Edge { from: Number(from), to: Number(to), weight: 1 + (from ^ to) % 3 }).collect()
}
