//! Hosts that the audited ones link to.

use crate::fault::Fault;
use crate::page::Page;
use crate::reply::Reply;
use crate::site::Site;

pub(super) fn sites() -> Vec<(&'static str, Site)> {
    vec![
        ("other.test", other()),
        ("busy.test", Site::new().reply("/", Reply::status(429).header("Retry-After", "1"))),
        ("challenge.test", Site::new().reply("/", challenge())),
        ("cdn.planted.test", cdn()),
        ("cdn.ampproject.org", Site::new().reply("/v0.js", Reply::text("text/javascript", "var amp = 1;\n"))),
    ]
}

fn other() -> Site {
    Site::new()
        .page("/", Page::titled("Another site"))
        .reply("/error", Reply::status(500))
        .reply("/unauthorized", Reply::status(401).header("WWW-Authenticate", "Basic"))
        .reply("/forbidden", Reply::status(403))
        .reply("/unacceptable", Reply::status(406))
        .reply("/legal", Reply::status(451))
        .fault("/denied", Fault::Status999)
        .fault("/silent", Fault::DropBeforeHeaders)
}

/// What a content delivery network sends to clients that it takes for robots.
fn challenge() -> Reply {
    Reply::html("<!doctype html><title>Just a moment...</title><p>Checking your browser</p>")
        .with_status(503)
        .header("cf-mitigated", "challenge")
        .header("Server", "cloudflare")
}

fn cdn() -> Site {
    Site::new()
        .reply("/picture.png", super::png(0))
        .reply("/social.png", super::png(0))
        .reply("/large.png", super::png(110_000))
}
