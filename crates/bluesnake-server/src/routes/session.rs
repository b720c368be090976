//! Sessions of browsers: the token in exchange for a cookie, because a page must not keep the token, and event streams
//! of browsers cannot send it.

use axum::http::header::{ORIGIN, SET_COOKIE};
use axum::http::{HeaderMap, HeaderValue, StatusCode};
use axum::response::{IntoResponse, Response};

use crate::guard::token::{no_session_cookie, session_cookie};
use crate::state::Server;

/// Begins a session: requests with its cookie need no token. The guard has checked the token of this request.
#[utoipa::path(post, path = "/session", tag = "system",
    responses((status = 204, description = "The cookie, if the server has a token")))]
pub(crate) async fn begin(server: Server, headers: HeaderMap) -> Response {
    let Some(token) = &server.options.token else { return StatusCode::NO_CONTENT.into_response() };
    let is_secure = headers.get(ORIGIN).is_some_and(|origin| origin.as_bytes().starts_with(b"https:"));
    let cookie = HeaderValue::from_str(&session_cookie(token, is_secure)).expect("hexadecimal digits are ASCII");
    (StatusCode::NO_CONTENT, [(SET_COOKIE, cookie)]).into_response()
}

/// Ends the session of this browser by deleting its cookie.
#[utoipa::path(delete, path = "/session", tag = "system", responses((status = 204)))]
pub(crate) async fn end(server: Server) -> Response {
    let Some(token) = &server.options.token else { return StatusCode::NO_CONTENT.into_response() };
    let cookie = HeaderValue::from_str(&no_session_cookie(token)).expect("hexadecimal digits are ASCII");
    (StatusCode::NO_CONTENT, [(SET_COOKIE, cookie)]).into_response()
}
