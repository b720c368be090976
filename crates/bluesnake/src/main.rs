//! The command line: parse, call, render. It holds no rule about crawling.

mod args;
mod commands;
mod exit;
mod logging;
mod output;
mod report;

use clap::Parser;

use crate::args::{Arguments, Command};
use crate::exit::Exit;

fn main() -> std::process::ExitCode {
    let arguments = Arguments::parse();
    logging::start(arguments.verbose);
    let exit = match arguments.command {
        Command::Crawl(arguments) => run(commands::crawl::run(&arguments)),
    };
    exit.into()
}

fn run(command: impl Future<Output = anyhow::Result<Exit>>) -> Exit {
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build().expect("the runtime starts");
    let result = runtime.block_on(command);
    // A name look-up that hangs must not hold up the end.
    runtime.shutdown_background();
    result.unwrap_or_else(|error| report::failure(&error))
}
