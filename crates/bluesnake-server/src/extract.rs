//! Extractors for handlers; invalid input becomes a problem with a code.

use axum::Json;
use axum::extract::path::ErrorKind;
use axum::extract::rejection::{PathRejection, QueryRejection};
use axum::extract::{FromRequest, FromRequestParts, Path, Query, Request};
use axum::http::request::Parts;
use bluesnake_app::{FieldProblem, nearest, without_type_names};
use serde::de::DeserializeOwned;

use crate::error::{Code, Problem};
use crate::state::Server;

/// The response of a handler that returns JSON.
pub(crate) type Reply<T> = Result<Json<T>, Problem>;

/// The number in the path.
#[derive(Debug)]
pub(crate) struct Id(pub(crate) i64);

impl FromRequestParts<Server> for Id {
    type Rejection = Problem;

    async fn from_request_parts(parts: &mut Parts, server: &Server) -> Result<Self, Problem> {
        InPath::from_request_parts(parts, server).await.map(|InPath(id)| Self(id))
    }
}

/// Path parameters.
#[derive(Debug)]
pub(crate) struct InPath<T>(pub(crate) T);

impl<T: DeserializeOwned + Send> FromRequestParts<Server> for InPath<T> {
    type Rejection = Problem;

    async fn from_request_parts(parts: &mut Parts, server: &Server) -> Result<Self, Problem> {
        let path: Result<Path<T>, PathRejection> = Path::from_request_parts(parts, server).await;
        path.map(|Path(value)| Self(value)).map_err(|rejection| Problem::bad_request(wrong_in_path(&rejection)))
    }
}

/// An invalid path parameter. Paths contain only numbers, and URLs, which may be any text.
fn wrong_in_path(rejection: &PathRejection) -> String {
    let PathRejection::FailedToDeserializePathParams(failed) = rejection else { return rejection.body_text() };
    match failed.kind() {
        ErrorKind::ParseErrorAtKey { value, .. }
        | ErrorKind::ParseErrorAtIndex { value, .. }
        | ErrorKind::ParseError { value, .. } => format!("`{value}` in the path is not a number, or too large"),
        _ => "the path is not UTF-8".to_owned(),
    }
}

/// Query parameters; types with `deny_unknown_fields` refuse unknown ones.
#[derive(Debug)]
pub(crate) struct InQuery<T>(pub(crate) T);

impl<T: DeserializeOwned + Send> FromRequestParts<Server> for InQuery<T> {
    type Rejection = Problem;

    async fn from_request_parts(parts: &mut Parts, server: &Server) -> Result<Self, Problem> {
        let query: Result<Query<T>, QueryRejection> = Query::from_request_parts(parts, server).await;
        query.map(|Query(value)| Self(value)).map_err(|rejection| {
            // The library's message wraps the one that names the parameter.
            let cause = std::error::Error::source(&rejection).map(ToString::to_string);
            Problem::bad_request(without_type_names(&cause.unwrap_or_else(|| rejection.body_text())))
        })
    }
}

/// A JSON body. Unknown fields are refused with a suggestion.
#[derive(Debug)]
pub(crate) struct InBody<T>(pub(crate) T);

impl<T: DeserializeOwned> FromRequest<Server> for InBody<T> {
    type Rejection = Problem;

    async fn from_request(request: Request, server: &Server) -> Result<Self, Problem> {
        parse(&read(request, server).await?).map(Self)
    }
}

/// An optional JSON body.
#[derive(Debug)]
pub(crate) struct MaybeBody<T>(pub(crate) T);

impl<T: DeserializeOwned + Default> FromRequest<Server> for MaybeBody<T> {
    type Rejection = Problem;

    async fn from_request(request: Request, server: &Server) -> Result<Self, Problem> {
        let bytes = read(request, server).await?;
        if bytes.is_empty() { Ok(Self(T::default())) } else { parse(&bytes).map(Self) }
    }
}

/// Reads a body. Its time is limited here, because some paths may take longer than others, but not to be sent a body.
async fn read(request: Request, server: &Server) -> Result<bytes::Bytes, Problem> {
    let (limit, time) = (server.options.limits.body_bytes, server.options.limits.request_time);
    let body = tokio::time::timeout(time, axum::body::to_bytes(request.into_body(), limit)).await;
    body.map_err(|_| Problem::too_slow())?.map_err(|error| {
        let is_too_long =
            std::error::Error::source(&error).is_some_and(|cause| cause.is::<http_body_util::LengthLimitError>());
        if is_too_long { too_large(limit) } else { Problem::bad_request("the body is incomplete") }
    })
}

pub(crate) fn too_large(limit: usize) -> Problem {
    Problem::new(Code::BodyTooLarge, format!("the body is larger than {limit} bytes"))
}

fn parse<T: DeserializeOwned>(bytes: &[u8]) -> Result<T, Problem> {
    if bytes.trim_ascii_start().first() != Some(&b'{') {
        // serde would accept a list as the fields of an object in order.
        serde_json::from_slice::<serde::de::IgnoredAny>(bytes).map_err(|error| not_json(&error))?;
        return Err(Problem::field("body", "must be an object"));
    }
    let mut reader = serde_json::Deserializer::from_slice(bytes);
    let value = serde_path_to_error::deserialize(&mut reader).map_err(|error| {
        let path = error.path().to_string();
        let cause = error.into_inner();
        match cause.classify() {
            serde_json::error::Category::Data => Problem::fields(vec![field_problem(&path, &cause.to_string())]),
            _ => not_json(&cause),
        }
    })?;
    reader.end().map_err(|error| not_json(&error))?;
    Ok(value)
}

fn not_json(error: &serde_json::Error) -> Problem {
    Problem::new(Code::NotJson, format!("the body is not valid JSON: {error}"))
}

/// serde's message about a field, with the nearest known name if the field is unknown.
fn field_problem(path: &str, text: &str) -> FieldProblem {
    let message = without_type_names(text.split(" at line ").next().unwrap_or(text));
    let mut words = message.split('`').skip(1).step_by(2);
    let hint = match message.starts_with("unknown field") {
        true => {
            words.next().and_then(|unknown| nearest(unknown, words)).map(|meant| format!("did you mean `{meant}`?"))
        }
        false => None,
    };
    let field = if path == "." { "body".to_owned() } else { path.to_owned() };
    FieldProblem { field, message, hint }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[derive(Debug, serde::Deserialize)]
    #[serde(deny_unknown_fields)]
    struct Body {
        #[expect(dead_code, reason = "only read from JSON")]
        incremental: Option<bool>,
        #[expect(dead_code, reason = "only read from JSON")]
        url: Option<String>,
    }

    #[test]
    fn an_unknown_field_is_reported_with_a_suggestion() {
        let problem = parse::<Body>(br#"{"incremantal": true}"#).unwrap_err();
        assert_eq!(problem.code, Code::InvalidFields);
        assert_eq!(problem.problems[0].field, "incremantal");
        assert_eq!(problem.hint.as_deref(), Some("did you mean `incremental`?"));
    }

    #[test]
    fn type_errors_name_the_field_and_differ_from_broken_json() {
        let problem = parse::<Body>(br#"{"url": 5}"#).unwrap_err();
        assert_eq!((problem.code, problem.problems[0].field.as_str()), (Code::InvalidFields, "url"));
        assert_eq!(parse::<Body>(b"{").unwrap_err().code, Code::NotJson);
        assert_eq!(parse::<Body>(b"{} {}").unwrap_err().code, Code::NotJson);
    }
}
