//! `/mcp`: the tools for language models, behind the same guard as everything else.

use std::sync::Arc;

use axum::Router;
use bluesnake_app::{App, Secrets};
use bluesnake_mcp::{Access, Tools, http_service};

use super::settings::guard;
use super::start::caller;
use crate::options::ServerOptions;
use crate::state::Server;

/// The path of the tools.
pub(crate) const MCP: &str = "/mcp";

/// The tools, limited to what is allowed over the network.
pub fn mcp_tools(app: App, options: &ServerOptions, secrets: Secrets) -> Tools {
    let (caller, options) = (caller(options), options.clone());
    Tools::new(app, Access { caller, guard: Arc::new(move |settings| guard(settings, &options)), secrets })
}

pub(super) fn path(server: &Server) -> Router<Server> {
    let tools = mcp_tools(server.app.clone(), &server.options, Secrets::Masked);
    let service = http_service(tools, server.options.limits.body_bytes, server.end.clone());
    Router::new().route_service(MCP, service)
}
