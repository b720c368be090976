//! Access control: one layer in front of the router, for every existing and missing path.
//!
//! Start with [`guard`]. Host and Origin are always checked, also on loopback: any site's page can make a browser send
//! requests here, and any site's name can be pointed here.

mod headers;
pub(crate) mod host;
pub(crate) mod limits;
mod origin;
pub(crate) mod places;
pub(crate) mod token;

use std::net::{IpAddr, Ipv4Addr, SocketAddr};
use std::panic::AssertUnwindSafe;
use std::time::{Duration, Instant};

use axum::body::Body;
use axum::extract::{MatchedPath, Request, State};
use axum::http::header::{CONTENT_LENGTH, CONTENT_TYPE, TRANSFER_ENCODING};
use axum::http::{HeaderMap, StatusCode};
use axum::middleware::Next;
use axum::response::{IntoResponse, Response};
use futures_util::FutureExt;

use self::limits::Asker;
use self::token::Given;
use crate::error::{Code, Problem};
use crate::extract::too_large;
use crate::options::{ServerLimits, random_hex};
use crate::routes::LONG;
use crate::state::Server;

/// Both ends of a connection.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Ends {
    pub(crate) client: SocketAddr,
    pub(crate) here: SocketAddr,
}

impl Ends {
    /// For a request that arrived without a socket: only names allowed by the operator are ours, and all are one
    /// client.
    const UNKNOWN: Self = Self {
        client: SocketAddr::new(IpAddr::V4(Ipv4Addr::UNSPECIFIED), 0),
        here: SocketAddr::new(IpAddr::V4(Ipv4Addr::UNSPECIFIED), 0),
    };
}

tokio::task_local! {
    static REQUEST_ID: String;
}

/// The id of the current request.
pub(crate) fn request_id() -> String {
    REQUEST_ID.try_with(Clone::clone).unwrap_or_else(|_| random_hex::<8>())
}

/// Passes a request on or rejects it, logs it, and adds the common response headers.
pub(crate) async fn guard(State(server): State<Server>, request: Request, next: Next) -> Response {
    let id = random_hex::<8>();
    let (started, method) = (Instant::now(), request.method().clone());
    let route = request.extensions().get::<MatchedPath>().map_or("none", MatchedPath::as_str).to_owned();
    let origin = origin::allowed(request.headers(), &server.options.cors_origins);
    let response = respond(&server, request, next);
    let mut response = REQUEST_ID.scope(id.clone(), response).await;
    headers::add(response.headers_mut(), &id, origin);
    let (status, took) = (response.status(), started.elapsed());
    server.metrics.answered(&method, &route, status, took);
    let ms = (took.as_secs_f64() * 1e5).round() / 100.0;
    tracing::debug!(id, %method, route, status = status.as_u16(), ms, "request");
    response
}

async fn respond(server: &Server, request: Request, next: Next) -> Response {
    if let Err(problem) = check(server, &request) {
        if problem.code == Code::TooManyRequests {
            // Delaying each refusal keeps a client that retries in a loop from slowing a crawl.
            tokio::time::sleep(limits::REFUSALS_TAKE).await;
        }
        return problem.into_response();
    }
    if origin::is_preflight(&request) {
        return origin::preflight();
    }
    let limit = time_for(&request, &server.options.limits);
    // A bug in a handler fails one request, not the server.
    let response = AssertUnwindSafe(next.run(request)).catch_unwind();
    match tokio::time::timeout(limit, response).await {
        Ok(Ok(response)) => response,
        Ok(Err(panic)) => Problem::internal(&panic_text(panic.as_ref())).into_response(),
        Err(_) => Problem::too_slow().into_response(),
    }
}

/// The time limit until the response begins.
fn time_for(request: &Request, limits: &ServerLimits) -> Duration {
    let is_long = request.extensions().get::<MatchedPath>().is_some_and(|path| LONG.contains(&path.as_str()));
    if is_long { limits.export_time } else { limits.request_time }
}

fn check(server: &Server, request: &Request) -> Result<(), Problem> {
    let ends = request.extensions().get::<Ends>().copied().unwrap_or(Ends::UNKNOWN);
    check_head(request, server.options.limits.header_bytes)?;
    host::check(request, ends.here, &server.options.allow_hosts)?;
    origin::check(request, ends.here, &server.options)?;
    let client = places::client_of(ends.client.ip());
    let given = token::given(request, server);
    let asker = Asker { address: client, has_token: given == Given::Right };
    server.clients.take_request(asker, Instant::now())?;
    if !origin::is_preflight(request) {
        token::check(request, given, client, server)?;
    }
    check_body(request.headers(), server.options.limits.body_bytes)
}

fn check_head(request: &Request, limit: usize) -> Result<(), Problem> {
    let headers: usize = request.headers().iter().map(|(name, value)| name.as_str().len() + value.len() + 4).sum();
    let path = request.uri().path_and_query().map_or(0, |path| path.as_str().len());
    if headers + path <= limit {
        return Ok(());
    }
    let detail = format!("the request head is larger than {limit} bytes");
    Err(Problem::new(Code::HeadTooLarge, detail))
}

/// A body must be JSON: other sites' pages can send forms and plain text without a CORS preflight. A request without a
/// body needs no type, because the browser names its origin, which is checked.
fn check_body(headers: &HeaderMap, limit: usize) -> Result<(), Problem> {
    let length = headers.get(CONTENT_LENGTH).and_then(|value| value.to_str().ok()?.parse::<u64>().ok());
    let has_body = length.is_some_and(|length| length > 0) || headers.contains_key(TRANSFER_ENCODING);
    let media_type = headers.get(CONTENT_TYPE).map(|value| value.to_str().unwrap_or_default());
    let is_json = media_type.is_some_and(|text| {
        text.split(';').next().is_some_and(|name| name.trim().eq_ignore_ascii_case("application/json"))
    });
    if (has_body || media_type.is_some()) && !is_json {
        let detail = "the body must be JSON with the header `Content-Type: application/json`";
        return Err(Problem::new(Code::NotJsonType, detail));
    }
    if length.is_some_and(|length| length > limit as u64) {
        return Err(too_large(limit));
    }
    Ok(())
}

/// The methods of a path, which the router lists when it rejects one. As the response to `OPTIONS` that is not an
/// error.
pub(crate) fn answer_options(mut response: Response) -> Response {
    if response.status() != StatusCode::METHOD_NOT_ALLOWED {
        return response;
    }
    *response.status_mut() = StatusCode::NO_CONTENT;
    *response.body_mut() = Body::empty();
    response.headers_mut().remove(CONTENT_TYPE);
    response.headers_mut().remove(CONTENT_LENGTH);
    response
}

fn panic_text(panic: &(dyn std::any::Any + Send)) -> String {
    let text = panic.downcast_ref::<&str>().map(|text| (*text).to_owned());
    let text = text.or_else(|| panic.downcast_ref::<String>().cloned());
    format!("a handler panicked: {}", text.unwrap_or_default())
}

#[cfg(test)]
mod tests {
    use axum::Router;
    use axum::routing::get;
    use bluesnake_app::{App, AppOptions};
    use tower_service::Service;

    use super::*;
    use crate::options::ServerOptions;

    #[tokio::test]
    async fn a_bug_in_a_handler_is_one_answer_with_an_id_and_without_its_story() {
        let folder = tempfile::tempdir().unwrap();
        let app = App::open(AppOptions::new(folder.path().join("bluesnake.db"))).await.unwrap();
        let server = Server::new(app, ServerOptions::default());
        let mut router = Router::new()
            .route("/bug", get(async || -> Response { panic!("the canary is dead") }))
            .layer(axum::middleware::from_fn_with_state(Server::clone(&server), guard));
        let here = "127.0.0.1:8080".parse().unwrap();
        for _ in 0..2 {
            let mut request = Request::new(Body::empty());
            *request.uri_mut() = "/bug".parse().unwrap();
            request.headers_mut().insert("host", "localhost:8080".parse().unwrap());
            request.extensions_mut().insert(Ends { client: here, here });
            let response = router.call(request).await.unwrap();
            assert_eq!(response.status(), 500);
            let id = response.headers()["x-request-id"].to_str().unwrap().to_owned();
            let body = axum::body::to_bytes(response.into_body(), 10_000).await.unwrap();
            let text = String::from_utf8(body.to_vec()).unwrap();
            assert!(text.contains("\"code\":\"internal\"") && text.contains(&id), "{text}");
            assert!(!text.contains("canary"), "{text}");
        }
    }

    #[tokio::test]
    async fn a_request_that_came_by_no_socket_is_answered_under_allowed_names_only() {
        let folder = tempfile::tempdir().unwrap();
        let app = App::open(AppOptions::new(folder.path().join("bluesnake.db"))).await.unwrap();
        let allow_hosts = vec!["crawler.example".to_owned()];
        let mut router = crate::router(app, ServerOptions { allow_hosts, ..ServerOptions::default() });
        for (host, expected) in
            [("crawler.example", 200), ("localhost:8080", 421), ("localhost", 421), ("localhost:0", 421)]
        {
            let mut request = Request::new(Body::empty());
            *request.uri_mut() = "/api/v1/version".parse().unwrap();
            request.headers_mut().insert("host", host.parse().unwrap());
            assert_eq!(router.call(request).await.unwrap().status(), expected, "{host}");
        }
    }
}
