//! Which pages may ask: those of this server, and those of origins that the operator named.

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
        return Err(refused("a request comes from one origin"));
    }
    if allowed(headers, &options.cors_origins).is_some() {
        return Ok(());
    }
    if headers.get(ORIGIN).is_some_and(|origin| !is_ours(origin, here, &options.allow_hosts)) {
        return Err(refused("pages of that origin may not ask this server"));
    }
    let is_foreign = headers.get_all("sec-fetch-site").iter().any(|site| site == "cross-site" || site == "same-site");
    if is_foreign && !is_followed_link(request) {
        return Err(refused("pages of other sites may not ask this server"));
    }
    Ok(())
}

fn refused(detail: &str) -> Problem {
    Problem::new(Code::ForeignOrigin, detail)
        .hint("the operator can name origins with `--cors-origin https://app.example`")
}

/// Whether somebody went here from a page of another site. What a page loads by itself (a picture, a frame) is not that.
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

/// The origin of a request when the operator named it.
pub(super) fn allowed(headers: &HeaderMap, origins: &[String]) -> Option<HeaderValue> {
    let mut said = headers.get_all(ORIGIN).iter();
    let (Some(origin), None) = (said.next(), said.next()) else { return None };
    origins.iter().any(|named| named.as_bytes() == origin.as_bytes()).then(|| origin.clone())
}

/// Whether a browser asks what a page of another origin may do.
pub(super) fn is_preflight(request: &Request) -> bool {
    let headers = request.headers();
    request.method() == Method::OPTIONS
        && headers.contains_key(ORIGIN)
        && headers.contains_key(ACCESS_CONTROL_REQUEST_METHOD)
}

/// What pages of an origin that was let through may do.
pub(super) fn preflight() -> Response {
    let mut response = StatusCode::NO_CONTENT.into_response();
    let headers = response.headers_mut();
    headers.insert(ACCESS_CONTROL_ALLOW_METHODS, HeaderValue::from_static("GET, HEAD, POST, PUT, DELETE"));
    let allowed = HeaderValue::from_static("authorization, content-type, last-event-id");
    headers.insert(ACCESS_CONTROL_ALLOW_HEADERS, allowed);
    headers.insert(ACCESS_CONTROL_MAX_AGE, HeaderValue::from_static("600"));
    response
}
