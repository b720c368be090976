//! All routes. Handlers parse, call the app, and render.

mod captures;
mod compare;
mod config;
mod crawls;
mod docs;
mod download;
mod events;
mod exports;
mod grid;
mod hidden;
mod issues;
mod mcp;
mod pages;
mod projects;
mod request;
mod runs;
mod session;
mod settings;
mod sql;
mod start;
mod system;
mod urls;
mod weaves;

use axum::{Router, middleware};
use bluesnake_app::App;
use utoipa::OpenApi as _;
use utoipa::openapi::OpenApi;
use utoipa_axum::router::OpenApiRouter;
use utoipa_axum::routes;

pub use self::mcp::mcp_tools;
pub use self::start::{caller, resume_request};
use crate::error::method_not_allowed;
use crate::guard::guard;
use crate::openapi::Described;
use crate::options::ServerOptions;
use crate::secrets::mask;
use crate::state::Server;
use crate::web::web;

/// The paths of files, as named by the router.
pub(crate) const EXPORTS: [&str; 3] =
    ["/api/v1/runs/{id}/export", "/api/v1/runs/{id}/rows/export", "/api/v1/runs/{a}/compare/{b}/export"];

/// Paths whose responses may take longer to begin: they read a whole run, or two, at least if it has no stored audit.
/// The first one may have to fetch a list of URLs.
pub(crate) const LONG: [&str; 18] = [
    "/api/v1/crawl",
    EXPORTS[0],
    EXPORTS[1],
    EXPORTS[2],
    mcp::MCP,
    "/api/v1/runs/{id}/rows",
    "/api/v1/runs/{id}/facets",
    "/api/v1/runs/{id}/histogram",
    "/api/v1/runs/{id}/tree",
    "/api/v1/runs/{id}/urls/{number}",
    "/api/v1/runs/{id}/urls/{number}/inlinks",
    "/api/v1/runs/{id}/issues",
    "/api/v1/runs/{id}/issues/{check}",
    "/api/v1/runs/{id}/audit",
    "/api/v1/runs/{a}/compare/{b}",
    "/api/v1/runs/{a}/compare/{b}/rows",
    "/api/v1/runs/{id}/report",
    "/api/v1/weaves/{id}/picture",
];

/// Every path behind the guard. Only [`crate::serve`] passes peer addresses to the guard; requests that arrive another
/// way count as one client and are accepted under the names of [`ServerOptions::allow_hosts`] only.
pub fn router(app: App, options: ServerOptions) -> Router {
    router_of(Server::new(app, options))
}

pub(crate) fn router_of(server: Server) -> Router {
    let (api, _) = described().split_for_parts();
    api.merge(docs::pages())
        .merge(mcp::path(&server))
        .method_not_allowed_fallback(method_not_allowed)
        .fallback(web)
        .layer(middleware::from_fn(mask))
        .layer(middleware::from_fn_with_state(server.clone(), guard))
        .with_state(server)
}

/// Every documented path with its description.
pub(crate) fn described() -> OpenApiRouter<Server> {
    OpenApiRouter::with_openapi(Described::openapi()).nest("/api/v1", api()).routes(routes!(system::metrics))
}

/// Every path below `/api/v1`.
fn api() -> OpenApiRouter<Server> {
    OpenApiRouter::new()
        .merge(paths_of_system())
        .merge(paths_of_projects())
        .merge(paths_of_start())
        .merge(paths_of_runs())
        .merge(paths_of_exports())
        .merge(paths_of_crawls())
        .merge(paths_of_pages())
        .merge(paths_of_grid())
        .merge(paths_of_issues())
        .merge(paths_of_compare())
        .merge(paths_of_captures())
        .merge(paths_of_weaves())
        .merge(paths_of_config())
        .merge(paths_of_events())
        .merge(paths_of_sql())
}

/// Declares a function for the paths of each module. The compiler must not join them: optimising one function that
/// describes all paths takes it many minutes.
macro_rules! paths {
    ($( $name:ident: $( ($( $handler:path ),+) )+; )+) => { $(
        #[inline(never)]
        fn $name() -> OpenApiRouter<Server> {
            OpenApiRouter::new()$( .routes(routes!($( $handler ),+)) )+
        }
    )+ };
}

paths! {
    paths_of_system: (system::health) (system::version) (system::openapi) (session::begin, session::end);
    paths_of_projects:
        (projects::list) (projects::show, projects::delete) (projects::crawls) (projects::runs)
        (projects::queue, projects::clear_queue) (projects::active_stats)
        (projects::favicon, projects::fetch_favicon);
    paths_of_start: (start::start) (start::stop) (start::resume) (start::active);
    paths_of_runs:
        (runs::list) (runs::show, runs::delete) (runs::show_run) (runs::receipt) (runs::summary) (runs::pause)
        (runs::resume);
    paths_of_exports: (exports::export) (exports::rows) (exports::comparison);
    paths_of_crawls: (crawls::show, crawls::delete) (crawls::search);
    paths_of_pages:
        (pages::pages_of_run) (pages::pages_of_crawl) (pages::links_of_run) (pages::content_of_page)
        (pages::content_of_url) (pages::links_of_page) (pages::links_of_url);
    paths_of_grid:
        (grid::rows) (grid::facets) (grid::histogram) (grid::tree) (urls::show) (urls::inlinks) (urls::outlinks);
    paths_of_issues: (issues::checks) (issues::list) (issues::rows) (issues::audit);
    paths_of_compare: (compare::compare) (compare::rows) (compare::previous) (compare::report);
    paths_of_captures:
        (captures::list, captures::start) (captures::errors) (captures::preview) (captures::search) (captures::show) (captures::pages)
        (captures::page);
    paths_of_weaves:
        (weaves::list, weaves::start) (weaves::show) (weaves::nodes) (weaves::edges) (weaves::statistics)
        (weaves::picture);
    paths_of_config: (config::show, config::change) (config::schema);
    paths_of_events: (events::events);
    paths_of_sql: (sql::query);
}

/// The description alone.
pub(crate) fn description() -> OpenApi {
    described().into_openapi()
}
