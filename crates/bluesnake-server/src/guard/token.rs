//! Checks the token of a request, if the server has one.

use std::net::IpAddr;
use std::time::Instant;

use axum::extract::Request;
use axum::http::header::{AUTHORIZATION, COOKIE};

use crate::error::{Code, Problem};
use crate::options::Token;
use crate::state::Server;
use crate::web::is_web;

/// Public paths besides the web UI: the health check, and the docs page that asks for the token. They contain nothing
/// private.
const OPEN: [&str; 4] = ["/api/v1/health", "/api/docs", "/api/docs/docs.js", "/api/docs/docs.css"];

/// How the cookies of browsers that have shown the token begin. Cookies of one host are shared by all its ports, so the
/// rest of the name tells servers with different tokens apart.
const SESSION: &str = "bluesnake_session_";

/// The token that a request carries, as a header or as the cookie of its session.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Given {
    Right,
    Wrong,
    /// It has none, or the server needs none.
    Nothing,
}

pub(super) fn given(request: &Request, server: &Server) -> Given {
    let Some(token) = &server.options.token else { return Given::Nothing };
    let mut given = request.headers().get_all(AUTHORIZATION).iter();
    let given = match (given.next(), given.next()) {
        (Some(given), None) => given.to_str().ok(),
        _ => None,
    };
    match given.and_then(bearer) {
        Some(given) if token.is(given) => Given::Right,
        Some(_) => Given::Wrong,
        // A cookie of an earlier token is no attempt to guess this one.
        None if has_session(request, token) => Given::Right,
        None => Given::Nothing,
    }
}

fn has_session(request: &Request, token: &Token) -> bool {
    let name = cookie_name(token);
    let cookies = request.headers().get_all(COOKIE).iter().filter_map(|value| value.to_str().ok());
    let mut pairs = cookies.flat_map(|value| value.split(';')).filter_map(|pair| pair.trim().split_once('='));
    pairs.any(|(given, value)| given == name && token.is_session(value))
}

fn cookie_name(token: &Token) -> String {
    format!("{SESSION}{}", token.name())
}

/// The cookie of a session with this token. Without a path, the browser sends it to the API only, also below the path
/// of a proxy; without a date, it forgets it when it is closed.
pub(crate) fn session_cookie(token: &Token, is_secure: bool) -> String {
    let secure = if is_secure { "; Secure" } else { "" };
    format!("{}={}; HttpOnly; SameSite=Strict{secure}", cookie_name(token), token.session())
}

/// Deletes the cookie of a session.
pub(crate) fn no_session_cookie(token: &Token) -> String {
    format!("{}=; HttpOnly; SameSite=Strict; Max-Age=0", cookie_name(token))
}

fn is_public(path: &str) -> bool {
    OPEN.contains(&path) || is_web(path)
}

pub(super) fn check(request: &Request, given: Given, client: IpAddr, server: &Server) -> Result<(), Problem> {
    if server.options.token.is_none() || is_public(request.uri().path()) {
        return Ok(());
    }
    match given {
        Given::Right => Ok(()),
        // Only wrong tokens are delayed. Many clients may share one address, and none may lock out the others; a token
        // is too long to be guessed at the permitted rate.
        Given::Wrong => {
            server.clients.count_wrong_token(client, Instant::now())?;
            Err(unauthorized(Code::WrongToken, "wrong token"))
        }
        Given::Nothing => Err(unauthorized(Code::NoToken, "this server requires a token")),
    }
}

fn bearer(value: &str) -> Option<&str> {
    let (scheme, token) = value.split_once(' ')?;
    scheme.eq_ignore_ascii_case("bearer").then(|| token.trim())
}

fn unauthorized(code: Code, detail: &str) -> Problem {
    Problem::new(code, detail).hint("send the header `Authorization: Bearer TOKEN`")
}
