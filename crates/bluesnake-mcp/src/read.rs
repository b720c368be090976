//! Tools that read what is stored.

use std::pin::Pin;

use bluesnake_app::capture::CapturedPage;
use bluesnake_app::compare::CompareQuery;
use bluesnake_app::view::{self, Run};
use bluesnake_app::weave::{EdgesQuery, NodesQuery};
use bluesnake_app::{AppError, Limit, LinksQuery, Page, RowsQuery, RunKind, RunsQuery, Span, WindowLimit};
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::{Map, Value, json};

use crate::Tools;
use crate::answer::{Answer, Fields};
use crate::arguments::{Arguments, wrong};
use crate::section::{find, portion};

/// Rows of a list unless the caller wants another number.
const ROWS: usize = 20;
/// Links in each direction when a URL is inspected.
const LINKS: usize = 10;
/// Issues in a summary.
const ISSUES: usize = 10;
/// What an answer with Markdown has besides it.
const PAGE_FACTS: usize = 160;
/// What rows of URLs show unless the caller names columns.
const COLUMNS: &str = "number,url,status,type,disposition,reason,indexable,depth,title,wordCount,inlinks";

impl Tools {
    pub(crate) async fn list(&self, mut arguments: Arguments) -> Result<Fields, AppError> {
        let what = arguments.take::<String>("what")?.unwrap_or_else(|| "runs".to_owned());
        let (job, state) = (arguments.take::<String>("job")?, arguments.take::<String>("state")?);
        let (next, budget) = (arguments.take::<String>("next")?, arguments.budget()?);
        arguments.end()?;
        match what.as_str() {
            "runs" => {
                let query: RunsQuery = read("list", json!({ "job": job, "state": state, "cursor": next }))?;
                let page = |limit| {
                    let (app, query) = (self.app.clone(), RunsQuery { limit, ..query.clone() });
                    reading(async move { Ok(app.runs_list(query).await?.map(|run| short_run(&run))) })
                };
                self.page(ROWS, page, Answer::new(), budget).await
            }
            "projects" => {
                let page = |limit| {
                    let (app, next) = (self.app.clone(), next.clone());
                    reading(async move { app.projects_page(limit, next.as_deref()).await })
                };
                self.page(ROWS, page, Answer::new(), budget).await
            }
            _ => Err(wrong("what", "must be `runs` or `projects`")),
        }
    }

    pub(crate) async fn summary(&self, mut arguments: Arguments) -> Result<Fields, AppError> {
        let run = arguments.run(&self.app).await?;
        let budget = arguments.budget()?;
        arguments.end()?;
        let shown = self.app.run_view(run.id).await?;
        let mut answer = Answer::new()
            .with("run", run.id)
            .with("job", run.kind.as_str())
            .with("state", run.state.as_str())
            .with("reason", run.detail.as_deref().or(run.reason.as_deref()))
            .with_web("site", &shown.domain);
        let summary = self.app.summary(run.id, 5).await?;
        answer = answer.with("receipt", view::receipt(&summary.receipt));
        let statuses: Map<String, Value> =
            summary.statuses.iter().map(|(status, count)| (status.to_string(), json!(count))).collect();
        answer = answer.with("statuses", statuses);
        answer = self.with_figures_of_job(answer, &run).await?;
        if run.kind == RunKind::Crawl {
            let issues = self.app.issues(run.id).await?;
            let found = issues.checks.iter().filter(|check| check.urls > 0);
            answer =
                answer.with("issues", json!({ "checks_with_findings": found.clone().count(), "pages": issues.pages }));
            answer = answer.with_rows(found.take(ISSUES).map(short_check), None);
        }
        Ok(answer.fit(budget, self.access.secrets).finish(0, None))
    }

    /// What only runs of a job have.
    pub(crate) async fn with_figures_of_job(&self, answer: Answer, run: &Run) -> Result<Answer, AppError> {
        Ok(match run.kind {
            RunKind::Crawl => answer,
            RunKind::Capture => {
                let capture = self.app.capture(run.id).await?;
                let figures = json!({
                    "pages": capture.pages_processed, "failed": capture.pages_failed, "duplicates": capture.duplicates,
                    "words": capture.words, "tokens": capture.tokens_o200k,
                });
                answer.with("capture", figures)
            }
            RunKind::Weave => {
                let graph = self.app.graph(run.id).await?;
                let figures = json!({
                    "hosts": graph.nodes, "links": graph.edges, "pending": graph.pending, "depth": graph.depth,
                });
                answer.with("graph", figures)
            }
        })
    }

    pub(crate) async fn query(&self, mut arguments: Arguments) -> Result<Fields, AppError> {
        let run = arguments.run(&self.app).await?.id;
        let table = arguments.take::<String>("table")?.unwrap_or_else(|| "urls".to_owned());
        let mut filter = arguments.take::<Map<String, Value>>("filter")?.unwrap_or_default();
        if let Some(status) = filter.get_mut("status").filter(|status| status.is_number()) {
            *status = status.to_string().into();
        }
        for name in ["sort", "order", "columns"] {
            if let Some(text) = arguments.take::<String>(name)? {
                filter.insert(name.to_owned(), text.into());
            }
        }
        let limit = arguments.take::<usize>("limit")?.unwrap_or(ROWS);
        let budget = arguments.budget()?;
        let answer = Answer::new().with("run", run).with("table", &table);
        match table.as_str() {
            "urls" => {
                let offset = arguments.offset()?;
                arguments.end()?;
                filter.entry("columns").or_insert_with(|| COLUMNS.into());
                let mut query: RowsQuery = read("filter", filter.into())?;
                (query.offset, query.limit) = (offset, WindowLimit::new(limit)?);
                let found = self.app.rows(run, query).await?;
                Ok(answer.with_rows(found.items, Some(found.total)).fit(budget, self.access.secrets).window(offset))
            }
            "issues" => {
                let (offset, check) = (arguments.offset()?, filter.remove("check"));
                arguments.end()?;
                self.issue_rows(run, check, Span { offset, limit: WindowLimit::new(limit)? }, answer, budget).await
            }
            _ => {
                let next = arguments.take::<String>("next")?;
                arguments.end()?;
                filter.insert("cursor".to_owned(), next.into());
                self.query_pages(run, &table, filter, limit, answer, budget).await
            }
        }
    }

    /// Tables that are read page by page.
    async fn query_pages(
        &self,
        run: i64,
        table: &str,
        filter: Map<String, Value>,
        limit: usize,
        answer: Answer,
        budget: usize,
    ) -> Result<Fields, AppError> {
        match table {
            "links" => {
                let query: LinksQuery = read("filter", filter.into())?;
                let page = |limit| {
                    let (app, query) = (self.app.clone(), LinksQuery { limit, ..query.clone() });
                    reading(async move { app.links(run, query).await })
                };
                self.page(limit, page, answer, budget).await
            }
            "nodes" => {
                let query: NodesQuery = read("filter", filter.into())?;
                let page = |limit| {
                    let (app, query) = (self.app.clone(), NodesQuery { limit, ..query.clone() });
                    reading(async move { app.graph_nodes(run, query).await })
                };
                self.page(limit, page, answer, budget).await
            }
            "edges" => {
                let query: EdgesQuery = read("filter", filter.into())?;
                let page = |limit| {
                    let (app, query) = (self.app.clone(), EdgesQuery { limit, ..query.clone() });
                    reading(async move { app.graph_edges(run, query).await })
                };
                self.page(limit, page, answer, budget).await
            }
            "pages" => {
                let cursor = filter.get("cursor").and_then(Value::as_str).map(str::to_owned);
                let page = |limit| {
                    let (app, cursor) = (self.app.clone(), cursor.clone());
                    reading(async move { app.captured_pages(run, limit, cursor.as_deref()).await })
                };
                self.page(limit, page, answer, budget).await
            }
            _ => Err(wrong("table", "must be urls, issues, links, pages, nodes or edges")),
        }
    }

    /// All checks with their counts, or the URLs of one.
    async fn issue_rows(
        &self,
        run: i64,
        check: Option<Value>,
        span: Span,
        answer: Answer,
        budget: usize,
    ) -> Result<Fields, AppError> {
        let answer = match check {
            Some(Value::String(check)) => {
                let found = self.app.issue_rows(run, &check, span).await?;
                let text = bluesnake_app::check(&check)?;
                answer
                    .with("check", json!({ "name": text.name, "why": text.why, "fix": text.fix }))
                    .with_rows(found.items, Some(found.total))
            }
            Some(_) => return Err(wrong("filter.check", "must be the id of a check")),
            None => {
                let issues = self.app.issues(run).await?;
                let found: Vec<Value> = issues.checks.iter().filter(|check| check.urls > 0).map(short_check).collect();
                let total = found.len() as u64;
                let window = found.into_iter().skip(span.offset as usize).take(span.limit.get());
                answer.with_rows(window, Some(total))
            }
        };
        Ok(answer.fit(budget, self.access.secrets).window(span.offset))
    }

    pub(crate) async fn inspect(&self, mut arguments: Arguments) -> Result<Fields, AppError> {
        let run = arguments.run(&self.app).await?.id;
        let url: String = arguments.need("url")?;
        let is_full = match arguments.take::<String>("format")?.as_deref() {
            None | Some("concise") => false,
            Some("full") => true,
            Some(_) => return Err(wrong("format", "must be `concise` or `full`")),
        };
        let budget = arguments.budget()?;
        arguments.end()?;
        let number = self.app.url_number(run, &url).await?;
        let found = self.app.url(run, number).await?;
        let span = Span { offset: 0, limit: WindowLimit::new(LINKS)? };
        let (inlinks, outlinks) =
            (self.app.inlinks(run, number, span).await?, self.app.outlinks(run, number, span).await?);
        let mut answer = Answer::new()
            .with("run", run)
            .with("number", number)
            .with("inlinks", inlinks.total)
            .with("outlinks", outlinks.total)
            .with_web("url", &found.row)
            .with_web(
                "issues",
                found
                    .issues
                    .iter()
                    .map(|issue| json!({ "id": issue.check.id, "name": issue.check.name, "detail": issue.detail }))
                    .collect::<Vec<_>>(),
            )
            .with_web("redirects", (!found.chain.is_empty()).then_some(&found.chain))
            .with_web("identical", (!found.identical.is_empty()).then_some(&found.identical))
            .with_web("near_duplicates", (!found.near_duplicates.is_empty()).then_some(&found.near_duplicates))
            .with_web("linked_from", &inlinks.items)
            .with_web("links_to", &outlinks.items)
            .with_web("extracted", &found.extracted);
        if is_full {
            answer = answer.with_web("headers", &found.headers).with_web("facts", &found.facts);
        }
        Ok(answer.fit(budget, self.access.secrets).finish(0, None))
    }

    pub(crate) async fn compare(&self, mut arguments: Arguments) -> Result<Fields, AppError> {
        let after = arguments.run(&self.app).await?.id;
        let before = match arguments.take_text("against")? {
            Some(name) => self.app.find_run(&name).await?.id,
            None => self.app.previous_run(after).await?.ok_or_else(|| AppError::Absent {
                message: format!("no run before run {after} can be compared with it"),
                hint: "name one with `against`".to_owned(),
            })?,
        };
        let filter =
            json!({ "class": arguments.take::<String>("class")?, "check": arguments.take::<String>("check")? });
        let (offset, budget) = (arguments.offset()?, arguments.budget()?);
        arguments.end()?;
        let mut query: CompareQuery = read("class", filter)?;
        (query.offset, query.limit) = (offset, WindowLimit::new(ROWS)?);
        let compared = self.app.compare(before, after).await?;
        let rows = self.app.compare_rows(before, after, query).await?;
        let changed = compared.checks.iter().filter(|check| check.new > 0 || check.fixed > 0);
        let checks: Vec<Value> =
            changed.map(|check| json!({ "id": check.id, "new": check.new, "fixed": check.fixed })).collect();
        let classes: Map<String, Value> =
            compared.classes.iter().map(|count| (count.class.as_str().to_owned(), json!(count.urls))).collect();
        let answer = Answer::new()
            .with("before", before)
            .with("after", after)
            .with("urls", classes)
            .with("plans_differ", (!compared.plans_differ.is_empty()).then_some(&compared.plans_differ))
            .with("issues", checks)
            .with_rows(rows.items, Some(rows.total));
        Ok(answer.fit(budget, self.access.secrets).window(offset))
    }

    pub(crate) async fn search(&self, mut arguments: Arguments) -> Result<Fields, AppError> {
        let words: String = arguments.need("query")?;
        let project = arguments.take_text("project")?;
        let limit = arguments.take::<usize>("limit")?.unwrap_or(5);
        let budget = arguments.budget()?;
        arguments.end()?;
        if !(1..=50).contains(&limit) {
            return Err(wrong("limit", "must be 1 to 50"));
        }
        let project = match project {
            Some(name) => Some(self.app.find_project(&name).await?.id),
            None => None,
        };
        let found = self.app.search_captures(&words, project, limit, self.access.secrets).await?;
        let rows = found.into_iter().map(|hit| {
            json!({ "run": hit.run_id, "url": hit.url, "title": hit.title, "heading": hit.heading, "snippet": hit.snippet, "score": hit.score })
        });
        Ok(Answer::new().with_rows(rows, None).fit(budget, self.access.secrets).finish(0, None))
    }

    pub(crate) async fn read(&self, mut arguments: Arguments) -> Result<Fields, AppError> {
        let url: String = arguments.need("url")?;
        let (run, section) = (arguments.take_text("run")?, arguments.take::<String>("section")?);
        let (start, budget) = (arguments.offset()? as usize, arguments.budget()?);
        arguments.end()?;
        let (address, anchor) = match url.split_once('#') {
            Some((address, anchor)) => (address, Some(anchor.to_owned()).filter(|anchor| !anchor.is_empty())),
            None => (url.as_str(), None),
        };
        let run = match run {
            Some(name) => self.app.find_run(&name).await?.id,
            None => self.app.newest_capture(address).await?.id,
        };
        let page = self.app.captured_page(run, address).await?.shown(self.access.secrets);
        let text = match section.or(anchor) {
            None => page.markdown.as_str(),
            Some(name) => find(&page, &name).ok_or_else(|| no_section(&page, &name))?,
        };
        if !text.is_char_boundary(start) || start > text.len() {
            return Err(wrong("next", "is not from an earlier answer to the same call"));
        }
        let (part, rest) = portion(text, start, budget.saturating_sub(PAGE_FACTS).max(40));
        let answer = Answer::new()
            .with("run", run)
            .with("tokens_of_page", page.tokens_o200k)
            .with_web("markdown", part)
            .with_web("url", &page.url)
            .with_web("title", &page.title);
        Ok(answer.fit(budget, self.access.secrets).finish(start as u64, rest.map(|at| at.to_string())))
    }

    /// A page of a list with a cursor. If not all of it fits, it is read again with fewer rows: a cursor follows its last row.
    async fn page<T: Serialize>(
        &self,
        limit: usize,
        read: impl Fn(Limit) -> Reading<T>,
        answer: Answer,
        budget: usize,
    ) -> Result<Fields, AppError> {
        let page = read(Limit::new(limit)?).await?;
        let fitted = answer.with_rows(page.items, None).fit(budget, self.access.secrets);
        let next = match fitted.rows < fitted.of && fitted.rows > 0 {
            true => read(Limit::new(fitted.rows)?).await?.next_cursor,
            false => page.next_cursor,
        };
        Ok(fitted.finish(0, next))
    }
}

/// A page that is being read.
type Reading<T> = Pin<Box<dyn Future<Output = Result<Page<T>, AppError>> + Send>>;

fn reading<T>(page: impl Future<Output = Result<Page<T>, AppError>> + Send + 'static) -> Reading<T> {
    Box::pin(page)
}

/// Reads a query from the words of a caller.
fn read<T: DeserializeOwned>(name: &str, value: Value) -> Result<T, AppError> {
    let given: Map<String, Value> = match value {
        Value::Object(fields) => fields.into_iter().filter(|(_, value)| !value.is_null()).collect(),
        _ => Map::new(),
    };
    serde_json::from_value(given.into()).map_err(|error| wrong(name, &format!("cannot be used: {error}")))
}

fn no_section(page: &CapturedPage, name: &str) -> AppError {
    let known: Vec<&str> = page.headings.iter().map(|heading| heading.words.as_str()).take(30).collect();
    AppError::Absent {
        message: format!("the page has no section `{name}`"),
        hint: format!("its sections are: {}", known.join(" | ")),
    }
}

fn short_run(run: &view::RunView) -> Value {
    json!({
        "run": run.id, "job": run.kind, "site": run.domain, "state": run.state, "reason": run.reason,
        "urls": run.urls_seen, "pages": run.total_pages_crawled, "pending": run.urls_pending, "created_at": run.created_at,
    })
}

fn short_check(check: &view::CheckView) -> Value {
    let examples: Vec<&str> = check.examples.iter().map(|example| example.url.as_str()).collect();
    json!({
        "check": check.text.id, "name": check.text.name, "type": check.text.kind, "priority": check.text.priority,
        "urls": check.urls, "fix": check.text.fix, "examples": examples,
    })
}
