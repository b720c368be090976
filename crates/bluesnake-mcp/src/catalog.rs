//! The tools as clients see them. The whole list must stay small: every client pays for it before the first question.

use std::sync::{Arc, LazyLock};

use rmcp::model::{Tool, ToolAnnotations};
use serde_json::{Value, json};

/// What a tool does to the world.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Effect {
    /// Reads the database.
    Reads,
    /// Sends requests to the web and stores what it gets.
    Crawls,
    /// Pauses what runs.
    Pauses,
}

/// Every tool.
pub(crate) fn tools() -> &'static [Tool] {
    &TOOLS
}

static TOOLS: LazyLock<Vec<Tool>> = LazyLock::new(|| {
    let text = |about: &str| json!({ "type": "string", "description": about });
    let run = || json!({ "type": ["integer", "string"], "description": "Run number, a site for its newest run, or `latest`" });
    let url = || text("URL");
    let settings =
        || json!({ "type": "object", "description": "Settings in groups, e.g. {\"limits\":{\"max_urls\":500}}" });
    let start = |what: &str| {
        json!({
            "url": text(what),
            "run": json!({ "type": "integer", "description": "Resume this paused run instead" }),
            "settings": settings(),
            "fresh": json!({ "type": "boolean", "description": "Start anew even if a paused run could continue" }),
            "wait_seconds": json!({ "type": "integer", "minimum": 0, "maximum": 50, "default": 20, "description": "Wait this long for the end" }),
        })
    };
    vec![
        tool(
            "crawl",
            "Audit a site: crawl it, store every URL, and check it for problems. Returns the run and how far it came; the crawl \
             continues in the background. Then use status, summary, query and inspect.",
            Effect::Crawls,
            start("Where to start"),
            &[],
        ),
        tool(
            "capture",
            "Capture a documentation site as clean Markdown, below the path of the URL. Then use search and read.",
            Effect::Crawls,
            start("Where to start; pages below its path are captured"),
            &[],
        ),
        tool(
            "weave",
            "Build the graph of which hosts link to which, starting from one host. Then query nodes and edges.",
            Effect::Crawls,
            start("Host to start from; without one, the newest graph continues"),
            &[],
        ),
        tool(
            "status",
            "What is running, or how far one run is: counts, rate, what it waits for.",
            Effect::Reads,
            json!({ "run": run(), "wait_seconds": json!({ "type": "integer", "minimum": 0, "maximum": 50, "default": 0, "description": "Wait this long for its end" }) }),
            &[],
        ),
        tool(
            "stop",
            "Pause a running run. Nothing is lost; crawl, capture or weave with `run` resumes it.",
            Effect::Pauses,
            json!({ "run": run() }),
            &["run"],
        ),
        tool(
            "list",
            "List runs, newest first, or projects.",
            Effect::Reads,
            json!({
                "what": json!({ "type": "string", "enum": ["runs", "projects"], "default": "runs" }),
                "job": json!({ "type": "string", "enum": ["crawl", "capture", "weave"] }),
                "state": json!({ "type": "string", "enum": ["in_progress", "paused", "completed", "failed"] }),
                "next": next(),
            }),
            &[],
        ),
        tool(
            "summary",
            "A run at a glance: where its URLs ended up, statuses, and its most important issues with counts and fixes.",
            Effect::Reads,
            json!({ "run": run() }),
            &["run"],
        ),
        tool(
            "query",
            "Rows of a run. urls: filter {status:\"4xx\", type:\"html\", indexable:false, issue:CHECK, search:TEXT, prefix:URL, minDepth, \
             maxWords, reason …}. issues: all checks, or with filter {check:ID} its URLs. links: filter {source, target, position, \
             status}. pages: captured pages. nodes, edges: of a weave.",
            Effect::Reads,
            json!({
                "run": run(),
                "table": json!({ "type": "string", "enum": ["urls", "issues", "links", "pages", "nodes", "edges"], "default": "urls" }),
                "filter": json!({ "type": "object", "description": "Names and values as in the REST API" }),
                "sort": text("urls: number, url, title, status, depth, responseTime, size, wordCount, inlinks, linkScore"),
                "order": json!({ "type": "string", "enum": ["asc", "desc"] }),
                "columns": text("urls: columns, separated by commas"),
                "limit": json!({ "type": "integer", "minimum": 1, "maximum": 500, "default": 20 }),
                "next": next(),
            }),
            &["run"],
        ),
        tool(
            "inspect",
            "Everything about one URL of a run: facts, issues, redirects, links to and from it, and why it was not crawled.",
            Effect::Reads,
            json!({ "run": run(), "url": url(), "format": format() }),
            &["run", "url"],
        ),
        tool(
            "compare",
            "What changed between two runs of a site: URLs that appeared, are gone or changed, and issues that are new or fixed.",
            Effect::Reads,
            json!({
                "run": run(),
                "against": json!({ "type": ["integer", "string"], "description": "The run before; by default the previous comparable one" }),
                "class": json!({ "type": "string", "enum": ["appeared", "gone", "not_visited", "changed"] }),
                "check": text("Only URLs where the findings of this check changed"),
                "next": next(),
            }),
            &["run"],
        ),
        tool(
            "search",
            "Search captured documentation by words; returns sections with their URLs. Read one with read.",
            Effect::Reads,
            json!({
                "query": text("Words or a question; phrases in quotes"),
                "project": text("Only this site"),
                "limit": json!({ "type": "integer", "minimum": 1, "maximum": 50, "default": 5 }),
            }),
            &["query"],
        ),
        tool(
            "read",
            "Read a captured page, or one section of it, as Markdown.",
            Effect::Reads,
            json!({
                "url": url(),
                "run": run(),
                "section": text("Heading or anchor; a URL with #anchor also works"),
                "next": next(),
            }),
            &["url"],
        ),
    ]
});

fn next() -> Value {
    json!({ "type": "string", "description": "`next` of the answer before" })
}

fn format() -> Value {
    json!({ "type": "string", "enum": ["concise", "full"], "default": "concise" })
}

fn tool(name: &'static str, about: &'static str, effect: Effect, mut properties: Value, required: &[&str]) -> Tool {
    properties["max_tokens"] = json!({ "type": "integer", "minimum": 500, "maximum": 20_000, "default": 4_000 });
    let schema =
        json!({ "type": "object", "properties": properties, "required": required, "additionalProperties": false });
    let Value::Object(schema) = schema else { unreachable!("an object was written") };
    let mut annotations = ToolAnnotations::new();
    annotations.read_only_hint = Some(effect == Effect::Reads);
    annotations.open_world_hint = Some(effect == Effect::Crawls);
    if effect != Effect::Reads {
        annotations.destructive_hint = Some(false);
    }
    Tool::new(name, about, Arc::new(schema)).with_annotations(annotations)
}

#[cfg(test)]
mod tests {
    use bluesnake_app::tokens;

    use super::*;

    #[test]
    fn the_list_of_tools_is_small() {
        let all = serde_json::to_string(tools()).unwrap();
        let cost = tokens(&all).o200k;
        assert_eq!(tools().len(), 12);
        assert!(cost <= 4_000, "{cost} tokens");
        for tool in tools() {
            let words = tool.description.as_deref().unwrap().split_whitespace().count();
            assert!(words <= 60, "{}: {words} words", tool.name);
        }
    }

    #[test]
    fn no_tool_destroys_anything() {
        for tool in tools() {
            let annotations = tool.annotations.as_ref().unwrap();
            assert_ne!(annotations.destructive_hint, Some(true), "{}", tool.name);
            assert_eq!(
                annotations.read_only_hint == Some(false),
                annotations.destructive_hint.is_some(),
                "{}",
                tool.name
            );
        }
    }
}
