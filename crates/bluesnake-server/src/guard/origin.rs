//! Accepted origins: this server's own, and those named by the operator.

use std::net::SocketAddr;

use axum::extract::Request;
use axum::http::header::{
    ACCESS_CONTROL_ALLOW_HEADERS, ACCESS_CONTROL_ALLOW_METHODS, ACCESS_CONTROL_MAX_AGE, ACCESS_CONTROL_REQUEST_METHOD,
    ORIGIN,
};
use axum::http::{HeaderMap, HeaderValue, Method, StatusCode, Uri};
use axum::response::{IntoResponse, Response};

use super::host;
use crate::error::{Code, Problem};
use crate::options::ServerOptions;

pub(super) fn check(request: &Request, here: SocketAddr, options: &ServerOptions) -> Result<(), Problem> {
    let headers = request.headers();
    if headers.get_all(ORIGIN).iter().nth(1).is_some() {
        return Err(refused("a request has at most one Origin header"));
    }
    if allowed(headers, &options.cors_origins).is_some() {
        return Ok(());
    }
    if headers.get(ORIGIN).is_some_and(|origin| !is_ours(origin, here, &options.allow_hosts)) {
        return Err(refused("requests from that origin are not allowed"));
    }
    let is_foreign = headers.get_all("sec-fetch-site").iter().any(|site| site == "cross-site" || site == "same-site");
    if is_foreign && !is_followed_link(request) {
        return Err(refused("requests from other sites are not allowed"));
    }
    Ok(())
}

fn refused(detail: &str) -> Problem {
    Problem::new(Code::ForeignOrigin, detail)
        .hint("the operator can allow origins with `--cors-origin https://app.example`")
}

/// Whether the user navigated here from another site. Subresources that a page loads (images, frames) do not count.
fn is_followed_link(request: &Request) -> bool {
    let says = |name: &str, value: &str| request.headers().get(name).is_some_and(|said| said == value);
    matches!(*request.method(), Method::GET | Method::HEAD)
        && says("sec-fetch-mode", "navigate")
        && says("sec-fetch-dest", "document")
}

fn is_ours(origin: &HeaderValue, here: SocketAddr, allow_hosts: &[String]) -> bool {
    let uri: Option<Uri> = origin.to_str().ok().and_then(|text| text.parse().ok());
    let Some(uri) = uri else { return false };
    let is_web = matches!(uri.scheme_str(), Some("http" | "https"));
    is_web && uri.authority().is_some_and(|authority| host::is_allowed(authority, here, allow_hosts))
}

/// The origin of a request, if the operator allowed it.
pub(super) fn allowed(headers: &HeaderMap, origins: &[String]) -> Option<HeaderValue> {
    let mut said = headers.get_all(ORIGIN).iter();
    let (Some(origin), None) = (said.next(), said.next()) else { return None };
    origins.iter().any(|named| named.as_bytes() == origin.as_bytes()).then(|| origin.clone())
}

/// Whether this is a CORS preflight.
pub(super) fn is_preflight(request: &Request) -> bool {
    let headers = request.headers();
    request.method() == Method::OPTIONS
        && headers.contains_key(ORIGIN)
        && headers.contains_key(ACCESS_CONTROL_REQUEST_METHOD)
}

/// CORS headers for an allowed origin.
pub(super) fn preflight() -> Response {
    let mut response = StatusCode::NO_CONTENT.into_response();
    let headers = response.headers_mut();
    headers.insert(ACCESS_CONTROL_ALLOW_METHODS, HeaderValue::from_static("GET, HEAD, POST, PUT, DELETE"));
    let allowed = HeaderValue::from_static("authorization, content-type, last-event-id");
    headers.insert(ACCESS_CONTROL_ALLOW_HEADERS, allowed);
    headers.insert(ACCESS_CONTROL_MAX_AGE, HeaderValue::from_static("600"));
    response
}
