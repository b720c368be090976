//! SQL queries: one read-only SELECT. Off unless the operator allows it.

use std::time::Duration;

use axum::Json;
use bluesnake_app::QueryLimits;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use utoipa::ToSchema;

use crate::error::{Code, Problem};
use crate::extract::{InBody, Reply};
use crate::state::Server;

const MOST_ROWS: usize = 1000;
const ROWS: usize = 100;
const MOST_SECONDS: f64 = 25.0;
const SECONDS: f64 = 10.0;

/// A query.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
pub(crate) struct Question {
    /// One SELECT on the tables and views of docs/database.md.
    query: String,
    /// Maximum number of rows.
    #[serde(default)]
    #[schema(minimum = 1, maximum = 1000)]
    limit: Option<usize>,
    /// Maximum duration in seconds.
    #[serde(default)]
    #[schema(exclusive_minimum = 0, maximum = 25)]
    seconds: Option<f64>,
}

/// A query result.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Answer {
    /// Column names.
    columns: Vec<String>,
    /// Rows with one value per column.
    #[schema(value_type = Vec<Vec<Value>>)]
    rows: Vec<Vec<Value>>,
    /// Whether rows were omitted because of a limit.
    is_cut: bool,
}

/// Runs a SELECT on the stored facts. Off unless the server was started with `--allow-sql`.
#[utoipa::path(post, path = "/sql", tag = "sql", request_body = Question, responses((status = 200, body = Answer)))]
pub(crate) async fn query(server: Server, InBody(question): InBody<Question>) -> Reply<Answer> {
    if !server.options.allow_sql {
        let detail = "SQL queries are disabled on this server";
        return Err(Problem::new(Code::SqlIsOff, detail).hint("the operator can enable them with `--allow-sql`"));
    }
    let limits = limits(&question)?;
    // The work continues after a client disconnects, so its place stays taken until it ends.
    let answer = server.app.query_holding(server.place()?, &question.query, limits).await?;
    Ok(Json(Answer { columns: answer.columns, rows: answer.rows, is_cut: answer.is_cut }))
}

fn limits(question: &Question) -> Result<QueryLimits, Problem> {
    let rows = question.limit.unwrap_or(ROWS);
    if !(1..=MOST_ROWS).contains(&rows) {
        return Err(Problem::field("limit", format!("must be 1 to {MOST_ROWS}")));
    }
    let seconds = question.seconds.unwrap_or(SECONDS);
    if !(seconds > 0.0 && seconds <= MOST_SECONDS) {
        return Err(Problem::field("seconds", format!("must be more than 0 and at most {MOST_SECONDS}")));
    }
    Ok(QueryLimits { rows, time: Duration::from_secs_f64(seconds) })
}
