//! The command line: parse, call, render. It contains no rules about crawling.

mod args;
mod commands;
mod exit;
mod home;
mod interrupt;
mod logging;
mod output;
mod report;

use std::future::ready;
use std::path::Path;
use std::pin::Pin;

use clap::FromArgMatches;

use crate::args::{Arguments, Command};
use crate::exit::Exit;

#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

fn main() -> std::process::ExitCode {
    let arguments = Arguments::from_arg_matches(&args::command().get_matches()).unwrap_or_else(|error| error.exit());
    bluesnake_app::raise_file_limit();
    match &arguments.command {
        Command::Serve(serve) => logging::start_for_server(arguments.verbose, serve.log_format),
        _ => logging::start(arguments.verbose),
    }
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build().expect("the runtime starts");
    let result = runtime.block_on(Box::pin(run(&arguments)) as Work<'_>);
    // A DNS lookup that hangs must not delay the exit.
    runtime.shutdown_background();
    let exit = result.unwrap_or_else(|error| report::failure(&error));
    match output::output_error() {
        Some(error) => {
            output::say(&format!("error: cannot write to standard output\n  caused by: {error}"));
            exit.worst(Exit::Failed).into()
        }
        None => exit.into(),
    }
}

async fn run(arguments: &Arguments) -> anyhow::Result<Exit> {
    let db = arguments.db.as_deref();
    // A database from the environment also applies to the next command.
    if let Some(db) = db.filter(|db| std::env::var_os("BLUESNAKE_DB").is_none_or(|named| named != db.as_os_str())) {
        output::name_database(db);
    }
    if arguments.show_secrets {
        output::show_secrets();
    }
    let _limit = interrupt::outlive_file_limit();
    command(db, &arguments.command).await
}

/// A running command. Boxed, so that each is compiled once, not into every function that awaits it.
type Work<'a> = Pin<Box<dyn Future<Output = anyhow::Result<Exit>> + 'a>>;

fn command<'a>(db: Option<&'a Path>, command: &'a Command) -> Work<'a> {
    match command {
        Command::Crawl(arguments) => Box::pin(commands::crawl::run(db, arguments)),
        Command::Capture(arguments) => Box::pin(commands::capture::run(db, arguments)),
        Command::Weave(arguments) => Box::pin(commands::weave::run(db, arguments)),
        Command::Page(arguments) => Box::pin(commands::page::run(db, arguments)),
        Command::Search(arguments) => Box::pin(commands::capture::search(db, arguments)),
        Command::Errors(arguments) => Box::pin(commands::errors::run(db, arguments)),
        Command::Resume(arguments) => Box::pin(commands::crawl::resume(db, arguments)),
        Command::Issues(arguments) => Box::pin(commands::issues::run(db, arguments)),
        Command::Urls(arguments) => Box::pin(commands::urls::run(db, arguments)),
        Command::Checks(arguments) => Box::pin(ready(commands::issues::catalogue(arguments))),
        Command::Compare(arguments) => Box::pin(commands::compare::run(db, arguments)),
        Command::Report(arguments) => Box::pin(commands::compare::report(db, arguments)),
        Command::Projects(command) => Box::pin(commands::projects::run(db, command)),
        Command::Runs(command) => Box::pin(commands::runs::run(db, command)),
        Command::Sessions(command) => Box::pin(commands::sessions::run(db, command)),
        Command::Receipt(argument) => Box::pin(commands::results::receipt(db, argument)),
        Command::Links(arguments) => Box::pin(commands::results::links(db, arguments)),
        Command::Sql(arguments) => Box::pin(commands::results::sql(db, arguments)),
        Command::Export(arguments) => Box::pin(commands::export::run(db, arguments)),
        Command::Repair(arguments) => Box::pin(commands::repair::run(db, arguments)),
        Command::Config(command) => Box::pin(commands::config::run(db, command)),
        Command::Serve(arguments) => Box::pin(commands::serve::run(db, arguments)),
        Command::Mcp(arguments) => Box::pin(commands::mcp::run(db, arguments)),
        Command::Completions { shell } => Box::pin(ready(commands::pages::completions(*shell))),
        Command::Man { folder } => Box::pin(ready(commands::pages::man(folder))),
    }
}
