//! The command line: parse, call, render. It holds no rule about crawling.

mod args;
mod commands;
mod exit;
mod home;
mod logging;
mod output;
mod report;

use clap::FromArgMatches;
use tokio::signal::unix::{Signal, SignalKind, signal};

use crate::args::{Arguments, Command};
use crate::exit::Exit;

#[cfg(not(target_env = "msvc"))]
#[global_allocator]
static ALLOCATOR: tikv_jemallocator::Jemalloc = tikv_jemallocator::Jemalloc;

fn main() -> std::process::ExitCode {
    let arguments = Arguments::from_arg_matches(&args::command().get_matches()).unwrap_or_else(|error| error.exit());
    bluesnake_app::engine::fetch::raise_file_limit();
    match &arguments.command {
        Command::Serve(serve) => logging::start_for_server(arguments.verbose, serve.log_format),
        _ => logging::start(arguments.verbose),
    }
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build().expect("the runtime starts");
    let result = runtime.block_on(run(&arguments));
    // A name look-up that hangs must not hold up the end.
    runtime.shutdown_background();
    result.unwrap_or_else(|error| report::failure(&error)).into()
}

async fn run(arguments: &Arguments) -> anyhow::Result<Exit> {
    let db = arguments.db.as_deref();
    // What the environment names, it names for the next command, too.
    if let Some(db) = db.filter(|db| std::env::var_os("BLUESNAKE_DB").is_none_or(|named| named != db.as_os_str())) {
        output::name_database(db);
    }
    if arguments.show_secrets {
        output::show_secrets();
    }
    let _limit = outlive_file_limit();
    match &arguments.command {
        Command::Crawl(arguments) => commands::crawl::run(db, arguments).await,
        Command::Capture(arguments) => commands::capture::run(db, arguments).await,
        Command::Weave(arguments) => commands::weave::run(db, arguments).await,
        Command::Search(arguments) => commands::capture::search(db, arguments).await,
        Command::Resume(arguments) => commands::crawl::resume(db, arguments).await,
        Command::Projects(command) => commands::projects::run(db, command).await,
        Command::Runs(command) => commands::runs::run(db, command).await,
        Command::Sessions(command) => commands::sessions::run(db, command).await,
        Command::Receipt(argument) => commands::results::receipt(db, argument).await,
        Command::Links(arguments) => commands::results::links(db, arguments).await,
        Command::Sql(arguments) => commands::results::sql(db, arguments).await,
        Command::Export(arguments) => commands::export::run(db, arguments).await,
        Command::Repair(arguments) => commands::repair::run(db, arguments).await,
        Command::Config(command) => commands::config::run(db, command).await,
        Command::Serve(arguments) => commands::serve::run(db, arguments).await,
        Command::Completions { shell } => commands::pages::completions(*shell),
        Command::Man { folder } => commands::pages::man(folder),
    }
}

/// A file that may not grow any more is an error that can be told, and not the end of the program, as it is by default.
fn outlive_file_limit() -> std::io::Result<Signal> {
    const SIGXFSZ: i32 = 25;
    signal(SignalKind::from_raw(SIGXFSZ))
}
