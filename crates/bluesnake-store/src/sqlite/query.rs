//! A user's own SELECT: one statement, read-only, with a time limit and a row limit.

use std::time::{Duration, Instant};

use rusqlite::fallible_iterator::FallibleIterator;
use rusqlite::hooks::{AuthAction, Authorization};
use rusqlite::limits::Limit;
use rusqlite::{Batch, Connection, ErrorCode};
use serde_json::{Value as Json, json};

use super::contents::{Value, value};
use super::{Database, Failure, STEPS, functions, open};
use crate::error::DatabaseError;

/// How far a query may exceed its time limit.
const GRACE: Duration = Duration::from_millis(500);
/// The largest text or blob a query may produce.
const LONGEST_VALUE: i32 = 4 * 1024 * 1024;
/// The maximum size of a result, in bytes.
const LARGEST_ANSWER: usize = 32 * 1024 * 1024;

/// The limits of a query.
#[derive(Clone, Copy, Debug)]
pub struct Limits {
    /// Rows of the result.
    pub rows: usize,
    /// Time.
    pub time: Duration,
}

/// The result of a query.
#[derive(Clone, Debug, PartialEq)]
pub struct QueryResult {
    /// Column names.
    pub columns: Vec<String>,
    /// The rows.
    pub rows: Vec<Vec<Json>>,
    /// Whether rows were omitted because of a limit.
    pub is_cut: bool,
}

impl Database {
    /// Runs a SELECT over the tables and views.
    pub async fn query(&self, sql: &str, limits: Limits) -> Result<QueryResult, DatabaseError> {
        self.query_holding((), sql, limits).await
    }

    /// The same, holding a value until the work ends, even if the caller stops waiting earlier.
    pub async fn query_holding<T: Send + 'static>(
        &self,
        held: T,
        sql: &str,
        limits: Limits,
    ) -> Result<QueryResult, DatabaseError> {
        let (sql, path, reading) = (sql.to_owned(), self.path().to_owned(), self.shared.reading);
        let run = move || {
            let _held = held;
            let mut connection = open::readable(&path, reading)?;
            query(&mut connection, &sql, limits).map_err(|failure| failure.reported(&path, "cannot run the query"))
        };
        // SQLite checks the clock between two steps; a single function on a long text can take longer than that.
        let response = tokio::time::timeout(limits.time + GRACE, tokio::task::spawn_blocking(run)).await;
        match response {
            Ok(Ok(response)) => response,
            Ok(Err(panic)) => {
                Err(DatabaseError::Other { what: "cannot run the query".to_owned(), source: panic.into() })
            }
            Err(_) => Err(too_slow(limits)),
        }
    }
}

fn query(connection: &mut Connection, sql: &str, limits: Limits) -> Result<QueryResult, Failure> {
    functions::add_views(connection)?;
    connection.execute_batch("PRAGMA query_only = ON")?;
    connection.set_limit(Limit::SQLITE_LIMIT_LENGTH, LONGEST_VALUE)?;
    connection.set_limit(Limit::SQLITE_LIMIT_ATTACHED, 0)?;
    connection.authorizer(Some(only_reading))?;
    let until = Instant::now() + limits.time;
    connection.progress_handler(STEPS, Some(move || Instant::now() >= until))?;
    let refuse = |why: String| Failure::from(DatabaseError::Query(why));
    let tell = |error: rusqlite::Error| match error.sqlite_error_code() {
        Some(ErrorCode::OperationInterrupted) => too_slow(limits).into(),
        Some(ErrorCode::AuthorizationForStatementDenied) => refuse("only SELECT can be asked".to_owned()),
        _ => refuse(error.to_string()),
    };

    let mut statements = Batch::new(connection, sql);
    let mut statement = statements.next().map_err(tell)?.ok_or_else(|| refuse("no query".to_owned()))?;
    if !statement.readonly() || statement.column_count() == 0 {
        return Err(refuse("only SELECT can be asked".to_owned()));
    }
    if statements.next().map_err(tell)?.is_some() {
        return Err(refuse("there is more than one statement".to_owned()));
    }
    let columns: Vec<String> = statement.column_names().map(str::to_owned).collect();
    let mut result = QueryResult { columns, rows: Vec::new(), is_cut: false };
    let mut bytes = 0;
    let mut rows = statement.query([]).map_err(tell)?;
    while let Some(row) = rows.next().map_err(tell)? {
        if result.rows.len() == limits.rows || bytes > LARGEST_ANSWER {
            result.is_cut = true;
            break;
        }
        let values: rusqlite::Result<Vec<Json>> =
            (0..result.columns.len()).map(|at| Ok(as_json(value(row.get_ref(at)?), &mut bytes))).collect();
        result.rows.push(values.map_err(tell)?);
    }
    Ok(result)
}

fn too_slow(limits: Limits) -> DatabaseError {
    DatabaseError::Query(format!("the query took longer than {} s and was stopped", limits.time.as_secs_f64()))
}

fn only_reading(context: rusqlite::hooks::AuthContext<'_>) -> Authorization {
    match context.action {
        AuthAction::Select | AuthAction::Read { .. } | AuthAction::Recursive => Authorization::Allow,
        AuthAction::Function { function_name } if !function_name.eq_ignore_ascii_case("load_extension") => {
            Authorization::Allow
        }
        // The full-text index only checks whether it was changed.
        AuthAction::Pragma { pragma_name: "data_version", pragma_value: None } => Authorization::Allow,
        _ => Authorization::Deny,
    }
}

fn as_json(value: Value<'_>, bytes: &mut usize) -> Json {
    *bytes += 16;
    match value {
        Value::Null => Json::Null,
        Value::Integer(number) => number.into(),
        Value::Real(number) => json!(number),
        Value::Text(text) => {
            *bytes += text.len();
            text.into()
        }
        Value::Bytes(blob) => {
            *bytes += 2 * blob.len();
            blob.iter().map(|byte| format!("{byte:02x}")).collect::<String>().into()
        }
    }
}
