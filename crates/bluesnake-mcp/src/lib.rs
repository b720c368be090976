//! bluesnake for language models: twelve tools over the Model Context Protocol.
//!
//! [`Tools`] is the one router of tools, and it has two doors: [`serve_stdio`] for a client that starts us as a child, and
//! [`http_service`] for a server. `catalog.rs` describes the tools, `start.rs` and `read.rs` do their work with the app, and
//! `answer.rs` cuts every answer to the token budget of its caller. Nothing here keeps state between calls.

#![warn(missing_docs)]

mod answer;
mod arguments;
mod call;
mod catalog;
mod handler;
mod read;
mod resources;
mod section;
mod start;

use std::fmt;
use std::sync::Arc;

use bluesnake_app::{App, Caller, FieldProblem, Groups, Secrets};
use rmcp::ServiceExt;
use rmcp::transport::streamable_http_server::session::never::NeverSessionManager;
use rmcp::transport::streamable_http_server::{StreamableHttpServerConfig, StreamableHttpService};
use tokio::sync::Semaphore;
use tokio_util::sync::CancellationToken;

/// How many calls read from the database at once; others wait.
const READERS: usize = 4;

type Guard = Arc<dyn Fn(&mut Groups) -> Vec<FieldProblem> + Send + Sync>;

/// What a caller may do: the same for every call.
#[derive(Clone)]
pub struct Access {
    /// Who starts runs.
    pub caller: Caller,
    /// Limits the settings of a run, and returns what is forbidden.
    pub guard: Guard,
    /// Whether secrets in URLs are shown.
    pub secrets: Secrets,
}

impl fmt::Debug for Access {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Access").field("caller", &self.caller).field("secrets", &self.secrets).finish_non_exhaustive()
    }
}

/// The tools, for any number of callers. Cheap to clone.
#[derive(Clone, Debug)]
pub struct Tools {
    app: App,
    access: Access,
    readers: Arc<Semaphore>,
}

impl Tools {
    /// The tools of an app.
    pub fn new(app: App, access: Access) -> Self {
        Self { app, access, readers: Arc::new(Semaphore::new(READERS)) }
    }
}

/// The type of the service that [`http_service`] returns.
pub type HttpService = StreamableHttpService<Tools, NeverSessionManager>;

/// The tools over HTTP, without sessions. Whoever mounts it checks hosts, origins and tokens.
pub fn http_service(tools: Tools, body_bytes: usize, end: CancellationToken) -> HttpService {
    let config = StreamableHttpServerConfig::default()
        .with_legacy_session_mode(false)
        .with_json_response(true)
        .with_max_request_body_bytes(body_bytes)
        .with_cancellation_token(end)
        .disable_allowed_hosts()
        .disable_allowed_origins();
    StreamableHttpService::new(move || Ok(tools.clone()), Arc::default(), config)
}

/// Serves the tools on standard input and output until the client closes them or `end` is cancelled.
pub async fn serve_stdio(tools: Tools, end: CancellationToken) -> std::io::Result<()> {
    let service = match tools.serve_with_ct(rmcp::transport::io::stdio_pipes(), end).await {
        Ok(service) => service,
        // A client that leaves before it says anything is no failure.
        Err(error) if is_closed(&error) => return Ok(()),
        Err(error) => return Err(std::io::Error::other(error)),
    };
    service.waiting().await.map(|_| ()).map_err(std::io::Error::other)
}

fn is_closed(error: &rmcp::service::ServerInitializeError) -> bool {
    use rmcp::service::ServerInitializeError::{Cancelled, ConnectionClosed};
    matches!(error, ConnectionClosed(_) | Cancelled)
}
