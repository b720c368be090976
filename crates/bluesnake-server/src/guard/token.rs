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

/// The cookie of a browser that has shown the token.
pub(crate) const SESSION: &str = "bluesnake_session";

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
    match (given.and_then(bearer), cookie(request)) {
        (Some(given), _) if token.is(given) => Given::Right,
        (None, Some(given)) if token.is_session(given) => Given::Right,
        (None, None) => Given::Nothing,
        _ => Given::Wrong,
    }
}

fn cookie(request: &Request) -> Option<&str> {
    let cookies = request.headers().get_all(COOKIE).iter().filter_map(|value| value.to_str().ok());
    let mut pairs = cookies.flat_map(|value| value.split(';')).filter_map(|pair| pair.trim().split_once('='));
    pairs.find(|(name, _)| *name == SESSION).map(|(_, value)| value)
}

/// The cookie of a session with this token. Without a path, the browser sends it to the API only, also below the path
/// of a proxy; without a date, it forgets it when it is closed.
pub(crate) fn session_cookie(token: &Token, is_secure: bool) -> String {
    let secure = if is_secure { "; Secure" } else { "" };
    format!("{SESSION}={}; HttpOnly; SameSite=Strict{secure}", token.session())
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
