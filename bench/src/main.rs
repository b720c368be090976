//! `bluesnake-bench`: measures the engine against a fixed site.
//!
//! Each subcommand measures one thing and prints one line of JSON, or a Markdown table where it compares several runs.
//! `bench/run` combines them with the web server and the peers.

mod audit;
mod bare_store;
mod child;
mod compare;
mod crawl;
mod fetch_only;
mod fetch_parse_store;
mod fill_audit;
mod fill_graph;
mod lists;
mod memory;
mod ordering;
mod plan;
mod process;
mod queue;
mod read;
mod store;
mod tree;
mod truth;
mod writer;

use std::process::ExitCode;

use clap::{Parser, Subcommand};

/// The allocator of the product, for comparable results.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

#[derive(Debug, Parser)]
#[command(version, about = "Measures the engine: CPU per page, cost of ordering, memory")]
struct Arguments {
    #[command(subcommand)]
    task: Task,
}

#[derive(Debug, Subcommand)]
enum Task {
    /// Crawl a site without politeness into a store that keeps only the queue
    Crawl(crawl::Arguments),
    /// Request known URLs and discard the responses: the cost of fetching alone
    FetchOnly(fetch_only::Arguments),
    /// Request known URLs, parse the pages and store them plainly: the minimum cost of a crawl into a database
    FetchParseStore(fetch_parse_store::Arguments),
    /// Store recorded pages: the cost of the database writer alone
    Store(writer::Arguments),
    /// Read pages of lists from a large database while a writer is active
    Lists(lists::Arguments),
    /// Fill a database with a large completed run without its audit
    FillAudit(fill_audit::Arguments),
    /// Seal the run of such a database and measure every query of its results
    Audit(audit::Arguments),
    /// Compare two sealed runs of such a database
    Compare(compare::Arguments),
    /// Fill a database with a large graph
    FillGraph(fill_graph::Arguments),
    /// Parse the pages of a folder: the cost of parsing alone
    Parse(read::Arguments),
    /// Resolve the links of the pages of a folder: the cost of that part of parsing
    Resolve(read::Arguments),
    /// Compare the memory of a large crawl with that of a small one
    Memory(memory::Arguments),
    /// Compare an ordered crawl of a slow site with an unordered one and with fetching alone
    Ordering(ordering::Arguments),
    /// Serve an endless site until killed: every page links to others that nothing else links to
    ServeTree(tree::Arguments),
}

fn main() -> ExitCode {
    let result = match Arguments::parse().task {
        Task::Crawl(arguments) => on_runtime(crawl::run(&arguments)),
        Task::FetchOnly(arguments) => on_runtime(fetch_only::run(&arguments)),
        Task::FetchParseStore(arguments) => on_runtime(fetch_parse_store::run(&arguments)),
        Task::Store(arguments) => on_runtime(writer::run(&arguments)),
        Task::Lists(arguments) => on_runtime(lists::run(&arguments)),
        Task::FillAudit(arguments) => on_runtime(fill_audit::run(&arguments)),
        Task::Audit(arguments) => on_runtime(audit::run(&arguments)),
        Task::Compare(arguments) => on_runtime(compare::run(&arguments)),
        Task::FillGraph(arguments) => on_runtime(fill_graph::run(&arguments)),
        Task::Parse(arguments) => read::parse(&arguments),
        Task::Resolve(arguments) => read::resolve(&arguments),
        Task::Memory(arguments) => memory::run(&arguments),
        Task::Ordering(arguments) => ordering::run(&arguments),
        Task::ServeTree(arguments) => on_runtime(tree::serve(&arguments)),
    };
    match result {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("error: {error:#}");
            ExitCode::FAILURE
        }
    }
}

/// The same kind of runtime as in the command line.
fn on_runtime(task: impl Future<Output = anyhow::Result<()>>) -> anyhow::Result<()> {
    tokio::runtime::Builder::new_multi_thread().enable_all().build()?.block_on(task)
}
