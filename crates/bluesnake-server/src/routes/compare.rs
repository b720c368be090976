//! Two runs compared, and the report of a run as an HTML document.

use axum::Json;
use axum::http::HeaderValue;
use axum::http::header::{CONTENT_DISPOSITION, CONTENT_SECURITY_POLICY, CONTENT_TYPE};
use axum::response::{IntoResponse, Response};
use base64::Engine as _;
use base64::prelude::BASE64_STANDARD;
use bluesnake_app::Window;
use bluesnake_app::compare::{ChangeView, CompareQuery, ComparisonView};
use bluesnake_app::view::RunView;
use serde::{Deserialize, Deserializer};
use sha2::{Digest, Sha256};
use utoipa::IntoParams;

use super::{hidden, runs};
use crate::error::Problem;
use crate::extract::{Id, InPath, InQuery, Reply};
use crate::state::Server;

/// What changed from run `a` to run `b`: URLs that appeared, are gone or changed, and issues that are new or fixed.
#[utoipa::path(get, path = "/runs/{a}/compare/{b}", tag = "compare",
    params(("a" = i64, Path, description = "The run before"), ("b" = i64, Path, description = "The run after")),
    responses((status = 200, body = ComparisonView)))]
pub(crate) async fn compare(server: Server, InPath((a, b)): InPath<(i64, i64)>) -> Reply<ComparisonView> {
    Ok(Json(server.in_place(|app| async move { app.compare(a, b).await }).await?))
}

/// The URLs of a comparison, filtered: any window of the list, with its total.
#[utoipa::path(get, path = "/runs/{a}/compare/{b}/rows", tag = "compare",
    params(("a" = i64, Path, description = "The run before"), ("b" = i64, Path, description = "The run after"), CompareQuery),
    responses((status = 200, body = Window<ChangeView>)))]
pub(crate) async fn rows(
    server: Server,
    InPath((a, b)): InPath<(i64, i64)>,
    InQuery(query): InQuery<CompareQuery>,
) -> Reply<Window<ChangeView>> {
    Ok(Json(server.in_place(|app| async move { app.compare_rows(a, b, query).await }).await?))
}

/// The run that a run is compared with if no other one is named: the newest completed run of its site before it, with the
/// same job, seeds and scope, and complete.
#[utoipa::path(get, path = "/runs/{id}/previous", tag = "compare", params(("id" = i64, Path, description = "The run")),
    responses((status = 200, body = RunView)))]
pub(crate) async fn previous(server: Server, Id(id): Id) -> Reply<RunView> {
    if let Some(before) = server.app.previous_run(id).await? {
        return runs::show(server, Id(before)).await;
    }
    let domain = server.app.run_view(id).await?.domain;
    let detail = format!("no completed run of {domain} before run {id} with the same seeds and scope");
    Err(Problem::not_found(detail).hint("choose another run to compare it with"))
}

/// What the report contains, and how it is sent.
#[derive(Debug, Default, Deserialize, IntoParams)]
#[serde(deny_unknown_fields, default)]
#[into_params(parameter_in = Query)]
pub(crate) struct ReportOf {
    /// An earlier run: the report also shows what changed since.
    against: Option<i64>,
    /// Send it as a file to save.
    #[serde(deserialize_with = "flag")]
    #[param(default = false)]
    download: bool,
}

/// The report of a run: one HTML document without scripts that loads nothing. Secrets in URLs are masked.
#[utoipa::path(get, path = "/runs/{id}/report", tag = "compare",
    params(("id" = i64, Path, description = "The run"), ReportOf),
    responses((status = 200, description = "The document", content_type = "text/html", body = String)))]
pub(crate) async fn report(server: Server, Id(id): Id, InQuery(of): InQuery<ReportOf>) -> Result<Response, Problem> {
    let run = hidden::run(server.app.run_view(id).await?, &server.options);
    let html = server.in_place(|app| async move { app.report(run, of.against).await }).await?;
    let policy = HeaderValue::from_str(&policy(&html)).expect("a policy is ASCII");
    let name = match of.against {
        None => format!("report-{id}.html"),
        Some(against) => format!("report-{id}-against-{against}.html"),
    };
    let kind = if of.download { "attachment" } else { "inline" };
    let disposition = HeaderValue::from_str(&format!("{kind}; filename=\"{name}\"")).expect("a file name is ASCII");
    let media_type = HeaderValue::from_static("text/html; charset=utf-8");
    let headers = [(CONTENT_TYPE, media_type), (CONTENT_DISPOSITION, disposition), (CONTENT_SECURITY_POLICY, policy)];
    Ok((headers, html).into_response())
}

/// Allows a document its own style sheets, by their fingerprints, and nothing else: text of a crawled site that escaped
/// into the report could neither run nor load anything.
fn policy(html: &str) -> String {
    let sheets = html.split("<style>").skip(1).filter_map(|rest| rest.split("</style>").next());
    let hashes = sheets.map(|sheet| format!(" 'sha256-{}'", BASE64_STANDARD.encode(Sha256::digest(sheet))));
    let hashes: String = hashes.collect();
    let styles = if hashes.is_empty() { " 'none'".to_owned() } else { hashes };
    format!(
        "default-src 'none'; script-src 'none'; style-src{styles}; img-src data:; base-uri 'none'; form-action 'none'; \
         frame-ancestors 'none'"
    )
}

/// true, false, 1 or 0.
fn flag<'de, D: Deserializer<'de>>(deserializer: D) -> Result<bool, D::Error> {
    match String::deserialize(deserializer)?.as_str() {
        "1" | "true" => Ok(true),
        "0" | "false" | "" => Ok(false),
        other => Err(serde::de::Error::custom(format!("`{other}` is neither true nor false"))),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_report_may_use_its_own_style_sheets_and_nothing_else() {
        let policy = policy("<html><style>a{}</style><p style=\"x\"><style>b{}</style>");
        let of = |sheet: &str| format!("'sha256-{}'", BASE64_STANDARD.encode(Sha256::digest(sheet)));
        assert!(policy.contains(&format!("style-src {} {};", of("a{}"), of("b{}"))), "{policy}");
        assert!(policy.starts_with("default-src 'none'; script-src 'none';"), "{policy}");
        assert!(super::policy("<p>").contains("style-src 'none'"));
    }
}
