//! Whether a request carries the token, when there is one.

use std::net::IpAddr;
use std::time::Instant;

use axum::extract::Request;
use axum::http::header::AUTHORIZATION;

use crate::error::{Code, Problem};
use crate::state::Server;

/// What is told to everybody: whether the server lives, and the page that asks for the token. It holds nothing of ours.
const OPEN: [&str; 4] = ["/api/v1/health", "/api/docs", "/api/docs/docs.js", "/api/docs/docs.css"];

/// What a request carries of the token of the server.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Given {
    Right,
    Wrong,
    /// It carries none, or the server has none.
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
        // Only wrong tokens have to wait. Many clients may share one address, and none of them may lock out the others;
        // a token is too long to be guessed at the rate that requests are limited to.
        Given::Wrong => {
            server.clients.count_wrong_token(client, Instant::now())?;
            Err(unauthorized(Code::WrongToken, "that is not the token of this server"))
        }
        Given::Nothing => Err(unauthorized(Code::NoToken, "this server wants a token")),
    }
}

fn bearer(value: &str) -> Option<&str> {
    let (scheme, token) = value.split_once(' ')?;
    scheme.eq_ignore_ascii_case("bearer").then(|| token.trim())
}

fn unauthorized(code: Code, detail: &str) -> Problem {
    Problem::new(code, detail).hint("send the header `Authorization: Bearer TOKEN`")
}
