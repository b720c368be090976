//! `bluesnake mcp`: the tools for language models on standard input and output, until the client leaves.

use std::path::Path;

use anyhow::Context;
use bluesnake_server::ServerOptions;
use tokio_util::sync::CancellationToken;

use crate::args::McpArguments;
use crate::exit::Exit;
use crate::home::{self, Access};
use crate::interrupt::Interrupts;
use crate::output::secrets;

pub(crate) async fn run(db: Option<&Path>, arguments: &McpArguments) -> anyhow::Result<Exit> {
    let mut interrupts = Interrupts::listen();
    let app = home::open(db, Access::Create, arguments.max_sessions).await.context("cannot serve")?;
    let options = ServerOptions {
        allow_private: arguments.allow_private,
        resolve: arguments.resolve.clone(),
        ..ServerOptions::default()
    };
    let tools = bluesnake_server::mcp_tools(app.clone(), &options, secrets());
    let end = CancellationToken::new();
    let served = tokio::select! {
        served = bluesnake_mcp::serve_stdio(tools, end.clone()) => served,
        () = interrupts.next() => Ok(()),
    };
    end.cancel();
    // Runs that are still going are paused, and the next client can resume them.
    app.shut_down().await;
    served.context("cannot talk to the client")?;
    Ok(Exit::Done)
}
