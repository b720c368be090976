//! Checks the token of a request, if the server has one.

use std::net::IpAddr;
use std::time::Instant;

use axum::extract::Request;
use axum::http::header::AUTHORIZATION;

use crate::error::{Code, Problem};
use crate::state::Server;

/// Public paths: the health check, and the docs page that asks for the token. It contains nothing private.
const OPEN: [&str; 4] = ["/api/v1/health", "/api/docs", "/api/docs/docs.js", "/api/docs/docs.css"];

/// The token that a request carries.
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
        None => Given::Nothing,
    }
}

pub(super) fn check(request: &Request, given: Given, client: IpAddr, server: &Server) -> Result<(), Problem> {
    if server.options.token.is_none() || OPEN.contains(&request.uri().path()) {
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
