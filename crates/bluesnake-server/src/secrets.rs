//! Secrets in URLs: masked in every JSON response, unless the request has `showSecrets=true`.
//!
//! One layer for all paths, so that none forgets it. Handlers whose responses contain text that must stay exact mask
//! the URLs themselves and are listed in [`EXACT`].

use std::borrow::Cow;

use axum::body::{Body, to_bytes};
use axum::extract::{FromRequestParts, MatchedPath, Request};
use axum::http::header::{CONTENT_LENGTH, CONTENT_TYPE};
use axum::http::request::Parts;
use axum::http::{HeaderValue, Uri};
use axum::middleware::Next;
use axum::response::{IntoResponse, Response};
use bluesnake_app::Secrets;

use crate::error::Problem;
use crate::routes::EXPORTS;
use crate::state::Server;

/// The parameter of any request that shows secrets.
pub(crate) const PARAMETER: &str = "showSecrets";

/// Settings are edited and sent back; code in captured pages stays exact; exports and previews are streams.
const EXACT: [&str; 8] = [
    "/api/v1/config",
    "/api/v1/captures/{id}/page",
    "/api/v1/captures/search",
    "/api/v1/captures/preview",
    "/api/v1/openapi.json",
    EXPORTS[0],
    EXPORTS[1],
    EXPORTS[2],
];

/// How a handler should treat secrets.
#[derive(Clone, Copy, Debug)]
pub(crate) struct InSecrets(pub(crate) Secrets);

impl FromRequestParts<Server> for InSecrets {
    type Rejection = std::convert::Infallible;

    async fn from_request_parts(parts: &mut Parts, _: &Server) -> Result<Self, Self::Rejection> {
        Ok(Self(parts.extensions.get::<Secrets>().copied().unwrap_or_default()))
    }
}

/// Removes the parameter from the request, and secrets from the response.
pub(crate) async fn mask(mut request: Request, next: Next) -> Response {
    let secrets = match take_parameter(request.uri_mut()) {
        Ok(secrets) => secrets,
        Err(problem) => return problem.into_response(),
    };
    let is_exact = request.extensions().get::<MatchedPath>().is_some_and(|path| EXACT.contains(&path.as_str()));
    request.extensions_mut().insert(secrets);
    let response = next.run(request).await;
    match secrets {
        Secrets::Masked if !is_exact && is_json(&response) => masked(response).await,
        _ => response,
    }
}

fn take_parameter(uri: &mut Uri) -> Result<Secrets, Problem> {
    let Some(query) = uri.query() else { return Ok(Secrets::Masked) };
    let (ours, others): (Vec<&str>, Vec<&str>) =
        query.split('&').partition(|pair| pair.split('=').next() == Some(PARAMETER));
    let secrets = match ours.as_slice() {
        [] => return Ok(Secrets::Masked),
        ["showSecrets=true"] => Secrets::Shown,
        ["showSecrets=false"] => Secrets::Masked,
        _ => return Err(Problem::bad_request(format!("{PARAMETER} must be true or false"))),
    };
    let rest = others.join("&");
    let path = if rest.is_empty() { uri.path().to_owned() } else { format!("{}?{rest}", uri.path()) };
    let mut parts = uri.clone().into_parts();
    parts.path_and_query = Some(path.parse().expect("a part of a query is a query"));
    *uri = Uri::from_parts(parts).expect("only its query changed");
    Ok(secrets)
}

fn is_json(response: &Response) -> bool {
    let media_type = response.headers().get(CONTENT_TYPE).and_then(|value| value.to_str().ok());
    media_type.is_some_and(|name| name.starts_with("application/json") || name.starts_with("application/problem+json"))
}

async fn masked(response: Response) -> Response {
    let (mut head, body) = response.into_parts();
    // These responses are lists and single objects: they are complete in memory already.
    let Ok(bytes) = to_bytes(body, usize::MAX).await else {
        return Problem::internal("a response ended before it was sent").into_response();
    };
    let text = String::from_utf8_lossy(&bytes);
    let body = match Secrets::Masked.show_json(&text) {
        Cow::Owned(masked) => {
            head.headers.insert(CONTENT_LENGTH, HeaderValue::from(masked.len()));
            Body::from(masked)
        }
        Cow::Borrowed(_) => Body::from(bytes),
    };
    Response::from_parts(head, body)
}
