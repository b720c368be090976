//! The API docs page. It needs no other server and has no inline script.

use axum::Router;
use axum::http::header::{CACHE_CONTROL, CONTENT_TYPE};
use axum::response::IntoResponse;
use axum::routing::get;

use crate::state::Server;

/// The page and its two files.
pub(super) fn pages() -> Router<Server> {
    Router::new()
        .route("/api/docs", get(|| file("text/html; charset=utf-8", include_str!("../docs/index.html"))))
        .route("/api/docs/docs.js", get(|| file("text/javascript; charset=utf-8", include_str!("../docs/docs.js"))))
        .route("/api/docs/docs.css", get(|| file("text/css; charset=utf-8", include_str!("../docs/docs.css"))))
}

async fn file(media_type: &'static str, text: &'static str) -> impl IntoResponse {
    ([(CONTENT_TYPE, media_type), (CACHE_CONTROL, "no-cache")], text)
}
