//! Failures as clients see them: problem details (RFC 9457) with a stable code. The one table from kinds to statuses.
//!
//! What a client did wrong is told in full. What went wrong here is told to the log, and to the client only by an id:
//! no path, no SQL and no address leaves the machine in an error.

use axum::body::Body;
use axum::http::header::{ALLOW, CONTENT_TYPE, RETRY_AFTER};
use axum::http::{HeaderValue, StatusCode};
use axum::response::{IntoResponse, Response};
use bluesnake_app::engine::{CrawlError, PlanProblems};
use bluesnake_app::store::DatabaseError;
use bluesnake_app::{AppError, FieldProblem, Kind};
use serde::Serialize;
use utoipa::ToSchema;

use crate::guard::request_id;

/// What went wrong. It becomes a [`ProblemDetails`] on its way out.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Problem {
    pub(crate) status: u16,
    pub(crate) code: &'static str,
    pub(crate) detail: Box<str>,
    pub(crate) hint: Option<Box<str>>,
    pub(crate) id: Option<Box<str>>,
    pub(crate) problems: Vec<FieldProblem>,
    retry_after_s: Option<u32>,
}

/// What went wrong, after RFC 9457.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = Problem)]
pub(crate) struct ProblemDetails {
    /// A name for this kind of problem that never changes: `urn:bluesnake:problem:CODE`.
    #[serde(rename = "type")]
    kind: String,
    /// The status in words.
    title: &'static str,
    /// The status.
    status: u16,
    /// The last part of `type`.
    code: &'static str,
    /// What went wrong this time.
    detail: Box<str>,
    /// What to do about it.
    #[serde(skip_serializing_if = "Option::is_none")]
    hint: Option<Box<str>>,
    /// Under which the log of the server tells more.
    #[serde(skip_serializing_if = "Option::is_none")]
    id: Option<Box<str>>,
    /// What is wrong with which field.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    #[schema(required = false)]
    problems: Vec<FieldProblem>,
}

impl Problem {
    pub(crate) fn new(status: StatusCode, code: &'static str, detail: impl Into<Box<str>>) -> Self {
        Self {
            status: status.as_u16(),
            code,
            detail: detail.into(),
            hint: None,
            id: None,
            problems: Vec::new(),
            retry_after_s: None,
        }
    }

    pub(crate) fn details(self) -> ProblemDetails {
        let status = StatusCode::from_u16(self.status).expect("problems have a status");
        ProblemDetails {
            kind: format!("urn:bluesnake:problem:{}", self.code),
            title: status.canonical_reason().unwrap_or("Error"),
            status: self.status,
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

    /// A request that is understood and cannot be carried out, field by field.
    pub(crate) fn fields(problems: Vec<FieldProblem>) -> Self {
        let detail = match problems.as_slice() {
            [one] => format!("{}: {}", one.field, one.message),
            many => format!("{} fields are not valid", many.len()),
        };
        let hint = problems.iter().find_map(|problem| problem.hint.as_deref()).map(Box::from);
        Self { problems, hint, ..Self::new(StatusCode::UNPROCESSABLE_ENTITY, "invalid_fields", detail) }
    }

    pub(crate) fn field(field: &str, message: impl Into<String>) -> Self {
        Self::fields(vec![FieldProblem { field: field.to_owned(), message: message.into(), hint: None }])
    }

    pub(crate) fn bad_request(detail: impl Into<Box<str>>) -> Self {
        Self::new(StatusCode::BAD_REQUEST, "bad_request", detail)
    }

    pub(crate) fn not_found(detail: impl Into<Box<str>>) -> Self {
        Self::new(StatusCode::NOT_FOUND, "not_found", detail)
    }

    /// More than is done at once.
    pub(crate) fn busy(code: &'static str, detail: &str) -> Self {
        Self::new(StatusCode::SERVICE_UNAVAILABLE, code, detail).retry_after(5)
    }

    /// Our fault: the log has the whole story, the client an id.
    pub(crate) fn internal(story: &str) -> Self {
        let id = request_id();
        tracing::error!(id, story, "a request failed by an error of ours");
        let detail = "the server could not do this, by an error of its own";
        let problem = Self::new(StatusCode::INTERNAL_SERVER_ERROR, "internal", detail);
        Self { id: Some(id.into()), ..problem }.hint("the log of the server tells more under this id")
    }

    /// The machine's fault: disk, permissions, another program.
    fn unavailable(story: &str) -> Self {
        let id = request_id();
        tracing::warn!(id, story, "the machine did not let a request succeed");
        let detail = "the server cannot use its database right now";
        let problem = Self::new(StatusCode::SERVICE_UNAVAILABLE, "unavailable", detail).retry_after(10);
        Self { id: Some(id.into()), ..problem }.hint("the log of the server tells more under this id")
    }
}

impl From<AppError> for Problem {
    fn from(error: AppError) -> Self {
        match error.kind() {
            Kind::NotFound => not_found(&error),
            Kind::Conflict => conflict(&error),
            Kind::Invalid => invalid(error),
            Kind::Unavailable if matches!(error, AppError::Database(DatabaseError::TooSlow { .. })) => {
                Self::new(StatusCode::SERVICE_UNAVAILABLE, "too_slow", "the question took too long and was stopped")
                    .hint("ask for less: a narrower filter, or the order of numbers")
            }
            Kind::Unavailable => Self::unavailable(&story(&error)),
            Kind::Internal => Self::internal(&story(&error)),
        }
    }
}

fn not_found(error: &AppError) -> Problem {
    let problem = Problem::not_found(first_sentence(&error.to_string()));
    match error {
        AppError::Absent { hint, .. } => problem.hint(hint.as_str()),
        _ => problem,
    }
}

fn conflict(error: &AppError) -> Problem {
    let text = error.to_string();
    // Who crawls it is not told: process numbers are nobody's business.
    if text.starts_with("crawl already in progress") || text.ends_with("is being crawled") {
        let detail = "crawl already in progress for this project";
        return Problem::new(StatusCode::CONFLICT, "crawl_in_progress", detail)
            .hint("wait for it, or stop it; its results can be read meanwhile");
    }
    let (code, hint) = match text.as_str() {
        text if text.starts_with("no paused run to resume") => ("no_paused_run", "POST /api/v1/crawl starts a new run"),
        text if text.contains("was started with other settings") => {
            ("other_settings", "use the same settings, `\"force\": true`, or `\"mode\": \"fresh\"` for a new run")
        }
        text if text.contains("are never stored") => {
            ("secrets_not_stored", "give them with each crawl, in the settings of POST /api/v1/crawl")
        }
        text if text.contains("whose results belong together") => {
            ("run_has_sessions", "DELETE /api/v1/runs/{id} removes all of them")
        }
        text if text.contains("is not being crawled") => ("not_running", "GET /api/v1/active-crawls shows what runs"),
        text if text.contains("no stored documents") => {
            ("no_documents", "crawl with the setting parse.keep_html to keep them")
        }
        _ => ("conflict", "look at the state of the project with GET /api/v1/projects/{id}/queue"),
    };
    Problem::new(StatusCode::CONFLICT, code, text).hint(hint)
}

fn invalid(error: AppError) -> Problem {
    match error {
        AppError::Plan(PlanProblems(problems)) => {
            let told = |problem: bluesnake_app::engine::plan::Problem| FieldProblem {
                field: problem.field,
                message: problem.message,
                hint: None,
            };
            Problem::fields(problems.into_iter().map(told).collect())
        }
        AppError::Database(DatabaseError::Query(why)) => {
            Problem::new(StatusCode::UNPROCESSABLE_ENTITY, "query_refused", why)
        }
        AppError::Rejected { message, hint } => {
            Problem::new(StatusCode::UNPROCESSABLE_ENTITY, "invalid_parameter", message).hint(hint)
        }
        AppError::Crawl(CrawlError::Fetch(why)) => {
            Problem::new(StatusCode::UNPROCESSABLE_ENTITY, "invalid_fields", why.to_string())
        }
        other => Problem::new(StatusCode::UNPROCESSABLE_ENTITY, "invalid", other.to_string()),
    }
}

/// What is missing, without advice that is meant for the command line.
fn first_sentence(text: &str) -> &str {
    text.split(';').next().unwrap_or(text)
}

/// An error with all its causes, for the log.
pub(crate) fn story(error: &dyn std::error::Error) -> String {
    let mut story = error.to_string();
    let mut cause = error.source();
    while let Some(below) = cause {
        story.push_str(": ");
        story.push_str(&below.to_string());
        cause = below.source();
    }
    story
}

impl IntoResponse for Problem {
    fn into_response(self) -> Response {
        let (retry_after_s, details) = (self.retry_after_s, self.details());
        let body = serde_json::to_vec(&details).expect("a problem is JSON");
        let mut response = Response::new(Body::from(body));
        *response.status_mut() = StatusCode::from_u16(details.status).expect("problems have a status");
        let headers = response.headers_mut();
        headers.insert(CONTENT_TYPE, HeaderValue::from_static("application/problem+json"));
        if let Some(seconds) = retry_after_s {
            headers.insert(RETRY_AFTER, seconds.into());
        }
        if details.status == 401 {
            headers.insert("www-authenticate", HeaderValue::from_static("Bearer realm=\"bluesnake\""));
        }
        response
    }
}

/// What is said where a path exists and a method does not. Which ones do is in the `Allow` header.
pub(crate) async fn method_not_allowed() -> Problem {
    let detail = format!("this path does not take the method; the {ALLOW} header names those it takes");
    Problem::new(StatusCode::METHOD_NOT_ALLOWED, "method_not_allowed", detail)
}

/// What is said where there is nothing.
pub(crate) async fn no_such_path() -> Problem {
    Problem::new(StatusCode::NOT_FOUND, "no_such_path", "there is nothing at this path")
        .hint("/api/docs lists what there is")
}
