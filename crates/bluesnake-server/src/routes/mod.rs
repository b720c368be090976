//! All routes. Handlers parse, call the app, and render.

mod captures;
mod config;
mod crawls;
mod docs;
mod events;
mod exports;
mod hidden;
mod pages;
mod projects;
mod request;
mod runs;
mod settings;
mod sql;
mod start;
mod system;
mod weaves;

use axum::{Router, middleware};
use bluesnake_app::App;
use utoipa::OpenApi as _;
use utoipa::openapi::OpenApi;
use utoipa_axum::router::OpenApiRouter;
use utoipa_axum::routes;

pub use self::start::{caller, resume_request};
use crate::error::{method_not_allowed, no_such_path};
use crate::guard::guard;
use crate::openapi::Described;
use crate::options::ServerOptions;
use crate::secrets::mask;
use crate::state::Server;

/// The path of exports, as named by the router.
pub(crate) const EXPORT: &str = "/api/v1/runs/{id}/export";

/// Every path behind the guard. Only [`crate::serve`] passes peer addresses to the guard; requests that arrive another
/// way count as one client and are accepted under the names of [`ServerOptions::allow_hosts`] only.
pub fn router(app: App, options: ServerOptions) -> Router {
    router_of(Server::new(app, options))
}

pub(crate) fn router_of(server: Server) -> Router {
    let (api, _) = described().split_for_parts();
    api.merge(docs::pages())
        .method_not_allowed_fallback(method_not_allowed)
        .fallback(no_such_path)
        .layer(middleware::from_fn(mask))
        .layer(middleware::from_fn_with_state(server.clone(), guard))
        .with_state(server)
}

/// Every documented path with its description.
pub(crate) fn described() -> OpenApiRouter<Server> {
    OpenApiRouter::with_openapi(Described::openapi()).nest("/api/v1", api()).routes(routes!(system::metrics))
}

fn api() -> OpenApiRouter<Server> {
    OpenApiRouter::new()
        .routes(routes!(system::health))
        .routes(routes!(system::version))
        .routes(routes!(system::openapi))
        .routes(routes!(projects::list))
        .routes(routes!(projects::show, projects::delete))
        .routes(routes!(projects::crawls))
        .routes(routes!(projects::runs))
        .routes(routes!(projects::queue, projects::clear_queue))
        .routes(routes!(projects::active_stats))
        .routes(routes!(projects::favicon, projects::fetch_favicon))
        .routes(routes!(start::start))
        .routes(routes!(start::stop))
        .routes(routes!(start::resume))
        .routes(routes!(start::active))
        .routes(routes!(runs::show, runs::delete))
        .routes(routes!(runs::show_run))
        .routes(routes!(runs::receipt))
        .routes(routes!(runs::summary))
        .routes(routes!(runs::pause))
        .routes(routes!(runs::resume))
        .routes(routes!(exports::export))
        .routes(routes!(crawls::show, crawls::delete))
        .routes(routes!(crawls::search))
        .routes(routes!(pages::pages_of_run))
        .routes(routes!(pages::pages_of_crawl))
        .routes(routes!(pages::links_of_run))
        .routes(routes!(pages::content_of_page))
        .routes(routes!(pages::content_of_url))
        .routes(routes!(pages::links_of_page))
        .routes(routes!(pages::links_of_url))
        .routes(routes!(captures::start))
        .routes(routes!(captures::preview))
        .routes(routes!(captures::search))
        .routes(routes!(captures::show))
        .routes(routes!(captures::pages))
        .routes(routes!(captures::page))
        .routes(routes!(weaves::list, weaves::start))
        .routes(routes!(weaves::show))
        .routes(routes!(weaves::nodes))
        .routes(routes!(weaves::edges))
        .routes(routes!(weaves::statistics))
        .routes(routes!(config::show, config::change))
        .routes(routes!(config::schema))
        .routes(routes!(events::events))
        .routes(routes!(sql::query))
}

/// The description alone.
pub(crate) fn description() -> OpenApi {
    described().into_openapi()
}
