//! Errors as clients see them: problem details (RFC 9457) with a stable code. [`Code`] lists all of them.
//!
//! Client errors are reported in full. Internal errors go to the log, and the client gets only an id: no path, no SQL
//! and no address leaves the machine in an error.

use std::fmt;

use axum::body::Body;
use axum::http::header::{ALLOW, CONTENT_TYPE, RETRY_AFTER};
use axum::http::{HeaderValue, StatusCode};
use axum::response::{IntoResponse, Response};
use bluesnake_app::plan::PlanProblems;
use bluesnake_app::{AppError, Conflict, FieldProblem, Kind};
use serde::Serialize;
use utoipa::ToSchema;

use crate::guard::request_id;

/// Declares the problem codes of each status.
macro_rules! codes {
    ($( $status:ident: $( $code:ident ),+; )*) => {
        /// Every problem code. Names never change.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, ToSchema)]
        #[serde(rename_all = "snake_case")]
        #[schema(as = ProblemCode)]
        pub(crate) enum Code { $( $( $code, )+ )* }

        impl Code {
            pub(crate) fn status(self) -> StatusCode {
                match self { $( $( Self::$code )|+ => StatusCode::$status, )* }
            }
        }
    };
}

codes! {
    BAD_REQUEST: BadRequest, NotJson, NoHost;
    UNAUTHORIZED: NoToken, WrongToken;
    FORBIDDEN: ForeignOrigin, SqlIsOff;
    NOT_FOUND: NotFound, NoSuchPath;
    METHOD_NOT_ALLOWED: MethodNotAllowed;
    CONFLICT: CrawlInProgress, NoPausedRun, NotRunning, OtherSettings, SecretsNotStored, RunHasSessions, NoDocuments, Conflict;
    PAYLOAD_TOO_LARGE: BodyTooLarge;
    UNSUPPORTED_MEDIA_TYPE: NotJsonType;
    MISDIRECTED_REQUEST: WrongHost;
    UNPROCESSABLE_ENTITY: InvalidFields, InvalidParameter, Invalid, QueryRefused;
    TOO_MANY_REQUESTS: TooManyRequests, TooManyWrongTokens;
    REQUEST_HEADER_FIELDS_TOO_LARGE: HeadTooLarge;
    INTERNAL_SERVER_ERROR: Internal;
    SERVICE_UNAVAILABLE: Unavailable, TooSlow, TooManyCrawls, TooManyExports, TooManyQueries, TooManyEventStreams,
        TooManyConnections, Closing;
}

impl fmt::Display for Code {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.serialize(f)
    }
}

/// A problem. It becomes a [`ProblemDetails`] when sent.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Problem {
    pub(crate) code: Code,
    pub(crate) detail: Box<str>,
    pub(crate) hint: Option<Box<str>>,
    pub(crate) id: Option<Box<str>>,
    pub(crate) problems: Vec<FieldProblem>,
    retry_after_s: Option<u32>,
}

/// Problem details after RFC 9457.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = Problem)]
pub(crate) struct ProblemDetails {
    /// A stable name of this kind of problem: `urn:bluesnake:problem:CODE`.
    #[serde(rename = "type")]
    kind: String,
    /// The status in words.
    title: &'static str,
    /// The status.
    status: u16,
    /// The last part of `type`.
    code: Code,
    /// What went wrong this time.
    detail: Box<str>,
    /// What to do about it.
    #[serde(skip_serializing_if = "Option::is_none")]
    hint: Option<Box<str>>,
    /// Look up this id in the server's log.
    #[serde(skip_serializing_if = "Option::is_none")]
    id: Option<Box<str>>,
    /// The invalid fields.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    #[schema(required = false)]
    problems: Vec<FieldProblem>,
}

impl Problem {
    pub(crate) fn new(code: Code, detail: impl Into<Box<str>>) -> Self {
        Self { code, detail: detail.into(), hint: None, id: None, problems: Vec::new(), retry_after_s: None }
    }

    pub(crate) fn details(self) -> ProblemDetails {
        let status = self.code.status();
        ProblemDetails {
            kind: format!("urn:bluesnake:problem:{}", self.code),
            title: status.canonical_reason().unwrap_or("Error"),
            status: status.as_u16(),
            code: self.code,
            detail: self.detail,
            hint: self.hint,
            id: self.id,
            problems: self.problems,
        }
    }

    pub(crate) fn hint(mut self, hint: impl Into<Box<str>>) -> Self {
        self.hint = Some(hint.into());
        self
    }

    pub(crate) fn retry_after(mut self, seconds: u32) -> Self {
        self.retry_after_s = Some(seconds);
        self
    }

    /// A well-formed request with invalid fields.
    pub(crate) fn fields(problems: Vec<FieldProblem>) -> Self {
        let detail = match problems.as_slice() {
            [one] => format!("{}: {}", one.field, one.message),
            many => format!("{} fields are invalid", many.len()),
        };
        let hint = problems.iter().find_map(|problem| problem.hint.as_deref()).map(Box::from);
        Self { problems, hint, ..Self::new(Code::InvalidFields, detail) }
    }

    pub(crate) fn field(field: &str, message: impl Into<String>) -> Self {
        Self::fields(vec![FieldProblem::new(field, message)])
    }

    pub(crate) fn bad_request(detail: impl Into<Box<str>>) -> Self {
        Self::new(Code::BadRequest, detail)
    }

    pub(crate) fn not_found(detail: impl Into<Box<str>>) -> Self {
        Self::new(Code::NotFound, detail)
    }

    /// A limit on concurrent work is reached.
    pub(crate) fn busy(code: Code, detail: impl Into<Box<str>>) -> Self {
        Self::new(code, detail).retry_after(5)
    }

    /// The time of a request is up.
    pub(crate) fn too_slow() -> Self {
        Self::new(Code::TooSlow, "the request took too long").retry_after(5)
    }

    /// An internal error: the log has the details, the client gets an id.
    pub(crate) fn internal(story: &str) -> Self {
        let id = request_id();
        tracing::error!(id, story, "a request failed with an internal error");
        let problem = Self::new(Code::Internal, "internal error");
        Self { id: Some(id.into()), ..problem }.hint("see this id in the server's log")
    }

    /// A failure of the machine: disk, permissions, another program.
    fn unavailable(story: &str) -> Self {
        let id = request_id();
        tracing::warn!(id, story, "a request failed because of the machine");
        let detail = "the server cannot use its database right now";
        let problem = Self::new(Code::Unavailable, detail).retry_after(10);
        Self { id: Some(id.into()), ..problem }.hint("see this id in the server's log")
    }
}

impl From<AppError> for Problem {
    fn from(error: AppError) -> Self {
        match error.kind() {
            Kind::NotFound => not_found(&error),
            Kind::Conflict(reason) => conflict(reason, &error),
            Kind::Invalid => invalid(error),
            Kind::Query => Self::new(Code::QueryRefused, error.to_string()),
            Kind::TooSlow => Self::new(Code::TooSlow, "the query took too long and was stopped")
                .hint("use a narrower filter, or number order"),
            Kind::Unavailable => Self::unavailable(&error.story()),
            Kind::Internal => Self::internal(&error.story()),
        }
    }
}

fn not_found(error: &AppError) -> Problem {
    let problem = Problem::not_found(error.to_string());
    match error {
        AppError::Absent { hint, .. } => problem.hint(hint.as_str()),
        _ => problem,
    }
}

fn conflict(reason: Conflict, error: &AppError) -> Problem {
    let (code, hint) = match reason {
        Conflict::InProgress => (Code::CrawlInProgress, "wait for it or stop it; its results can be read meanwhile"),
        Conflict::NotRunning => (Code::NotRunning, "see GET /api/v1/active-crawls"),
        Conflict::NoPausedRun => (Code::NoPausedRun, "start a new run with POST /api/v1/crawl"),
        Conflict::OtherSettings => {
            (Code::OtherSettings, "use the same settings, `\"force\": true`, or `\"mode\": \"fresh\"` for a new run")
        }
        Conflict::SecretsNotStored => {
            (Code::SecretsNotStored, "send them with each crawl, in the settings of POST /api/v1/crawl")
        }
        Conflict::RunHasSessions => (Code::RunHasSessions, "delete the whole run with DELETE /api/v1/runs/{id}"),
        Conflict::NoDocuments => (Code::NoDocuments, "crawl with the setting keep.html to keep them"),
        Conflict::QueueFull => (Code::TooManyCrawls, "wait until some have finished, or stop some"),
        Conflict::Closing => (Code::Closing, "retry when the server is back"),
        Conflict::Changed => (Code::Conflict, "check the project with GET /api/v1/projects/{id}/queue"),
    };
    let problem = match reason {
        // The crawling process is not named: process ids are private.
        Conflict::InProgress => Problem::new(code, "crawl already in progress for this project"),
        Conflict::QueueFull | Conflict::Closing => Problem::busy(code, error.to_string()),
        _ => Problem::new(code, error.to_string()),
    };
    problem.hint(hint)
}

fn invalid(error: AppError) -> Problem {
    match error {
        AppError::Plan(PlanProblems(problems)) => {
            let problems = problems.into_iter().map(|problem| FieldProblem::new(problem.field, problem.message));
            Problem::fields(problems.collect())
        }
        AppError::Rejected { message, hint } => Problem::new(Code::InvalidParameter, message).hint(hint),
        // The settings are fine by themselves, but no HTTP client can be made of them; the cause names the setting.
        AppError::Crawl(error) => {
            let cause = std::error::Error::source(&error).map(ToString::to_string);
            Problem::new(Code::InvalidFields, cause.unwrap_or_else(|| error.to_string()))
        }
        other => Problem::new(Code::Invalid, other.to_string()),
    }
}

impl IntoResponse for Problem {
    fn into_response(self) -> Response {
        let (retry_after_s, details) = (self.retry_after_s, self.details());
        let body = serde_json::to_vec(&details).expect("a problem serialises to JSON");
        let mut response = Response::new(Body::from(body));
        *response.status_mut() = details.code.status();
        let headers = response.headers_mut();
        headers.insert(CONTENT_TYPE, HeaderValue::from_static("application/problem+json"));
        if let Some(seconds) = retry_after_s {
            headers.insert(RETRY_AFTER, seconds.into());
        }
        if details.code.status() == StatusCode::UNAUTHORIZED {
            headers.insert("www-authenticate", HeaderValue::from_static("Bearer realm=\"bluesnake\""));
        }
        response
    }
}

/// The response for an existing path with a wrong method. The `Allow` header lists the right ones.
pub(crate) async fn method_not_allowed() -> Problem {
    let detail = format!("this path does not support the method; see the {ALLOW} header");
    Problem::new(Code::MethodNotAllowed, detail)
}

/// The response for an unknown path.
pub(crate) async fn no_such_path() -> Problem {
    Problem::new(Code::NoSuchPath, "no such path").hint("see /api/docs")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn conflict_of(reason: Conflict, message: &str) -> AppError {
        AppError::Conflict { reason, message: message.to_owned(), hint: String::new() }
    }

    #[test]
    fn what_somebody_else_changed_meanwhile_is_a_conflict() {
        let problem = Problem::from(conflict_of(Conflict::Changed, "run 3 is completed; it cannot become paused"));
        assert_eq!((problem.code, problem.code.status()), (Code::Conflict, StatusCode::CONFLICT));
        assert_eq!(&*problem.detail, "run 3 is completed; it cannot become paused");
    }

    #[test]
    fn who_crawls_a_project_is_not_told() {
        let error = conflict_of(Conflict::InProgress, "crawl already in progress by process 4711, since 5 s");
        let details = Problem::from(error).details();
        assert_eq!((details.code, details.status), (Code::CrawlInProgress, 409));
        assert_eq!(details.kind, "urn:bluesnake:problem:crawl_in_progress");
        assert!(!serde_json::to_string(&details).unwrap().contains("4711"));
    }
}
