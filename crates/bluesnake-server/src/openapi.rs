//! The OpenAPI description, generated from the code.

use std::sync::OnceLock;

use utoipa::openapi::path::{Operation, Parameter, ParameterBuilder, ParameterIn};
use utoipa::openapi::schema::{KnownFormat, Schema, SchemaFormat, Type};
use utoipa::openapi::security::{HttpAuthScheme, HttpBuilder, SecurityScheme};
use utoipa::openapi::{ContentBuilder, ObjectBuilder, OpenApi, Ref, RefOr, Response, ResponseBuilder};
use utoipa::{OpenApi as Derive, PartialSchema, ToSchema};

use crate::error::ProblemDetails;
use crate::routes::{self, EXPORTS};
use crate::secrets::PARAMETER;

/// The bytes of a file, for the description.
#[derive(Debug)]
pub(crate) struct File;

impl PartialSchema for File {
    fn schema() -> RefOr<Schema> {
        let format = SchemaFormat::KnownFormat(KnownFormat::Binary);
        ObjectBuilder::new().schema_type(Type::String).format(Some(format)).into()
    }
}

impl ToSchema for File {}

/// General information about the API.
#[derive(Derive)]
#[openapi(
    info(
        title = "bluesnake",
        version = "1",
        description = "A deterministic web crawler. Errors are problem details (RFC 9457) with a \
                       stable `code`. If the server has a token, requests need `Authorization: Bearer TOKEN`.",
        license(name = "MIT OR Apache-2.0", identifier = "MIT OR Apache-2.0"),
    ),
    components(schemas(ProblemDetails)),
    security(("token" = []), ()),
    tags(
        (name = "crawls", description = "Start, stop and resume crawls; read single sessions"),
        (name = "projects", description = "Crawled sites"),
        (name = "runs", description = "A run is one logical crawl of a site, in one or more sessions"),
        (name = "pages", description = "Results"),
        (name = "grid", description = "Windows of a run's URLs for tables of any size, with totals, facets and a tree"),
        (name = "issues", description = "What the checks of an audit found, why it matters and how to fix it"),
        (name = "compare", description = "What changed between two runs, and reports"),
        (name = "captures", description = "Documentation as Markdown: start, read and search captures"),
        (name = "weaves", description = "The graph of which hosts link to which"),
        (name = "config", description = "Settings of a site"),
        (name = "events", description = "Live events"),
        (name = "sql", description = "SQL queries"),
        (name = "system", description = "The server itself"),
    )
)]
pub(crate) struct Described;

/// Problems that any operation can return, from the guard or from the server itself.
const PROBLEMS: [(&str, &str); 13] = [
    ("400", "The request is malformed"),
    ("401", "The token is missing or wrong"),
    ("403", "The request comes from a foreign origin, or the feature is disabled"),
    ("404", "Not found"),
    ("409", "The current state does not allow it"),
    ("413", "The body is too large"),
    ("415", "The body is not JSON"),
    ("421", "The server is not known by this host name"),
    ("422", "A field is invalid; `problems` names it"),
    ("429", "Too many requests; see Retry-After"),
    ("431", "The head of the request is too large"),
    ("500", "Internal error; the log has details under `id`"),
    ("503", "Temporarily unavailable; see Retry-After"),
];

/// The description as JSON, as returned by `/api/v1/openapi.json`.
pub fn document() -> &'static str {
    static DOCUMENT: OnceLock<String> = OnceLock::new();
    DOCUMENT.get_or_init(|| {
        let mut description = routes::description();
        describe_token(&mut description);
        describe_operations(&mut description);
        let mut text = description.to_pretty_json().expect("a description serialises to JSON");
        text.push('\n');
        text
    })
}

fn describe_token(description: &mut OpenApi) {
    let scheme = SecurityScheme::Http(HttpBuilder::new().scheme(HttpAuthScheme::Bearer).build());
    description.components.get_or_insert_default().add_security_scheme("token", scheme);
}

fn describe_operations(description: &mut OpenApi) {
    for (path, item) in &mut description.paths.paths {
        let methods =
            [("get", &mut item.get), ("post", &mut item.post), ("put", &mut item.put), ("delete", &mut item.delete)];
        for (method, operation) in methods {
            let Some(operation) = operation else { continue };
            operation.operation_id = Some(operation_id(method, path));
            if shows_secrets(method, path, operation) {
                operation.parameters.get_or_insert_default().push(RefOr::T(show_secrets()));
            }
            add_problems(operation);
            describe_responses(operation);
        }
    }
}

/// Whether a response contains masked URLs. Settings and stored documents are exact, and events are always masked.
fn shows_secrets(method: &str, path: &str, operation: &Operation) -> bool {
    let is_of_system = operation.tags.iter().flatten().any(|tag| tag == "system" || tag == "config");
    let is_json = match operation.responses.responses.get("200") {
        Some(RefOr::T(response)) => response.content.contains_key("application/json"),
        _ => false,
    };
    EXPORTS.contains(&path) || (is_json && !is_of_system && matches!(method, "get" | "post"))
}

/// The parameter that [`crate::secrets`] removes from every request.
fn show_secrets() -> Parameter {
    let schema = ObjectBuilder::new().schema_type(Type::Boolean).default(Some(false.into()));
    ParameterBuilder::new()
        .name(PARAMETER)
        .parameter_in(ParameterIn::Query)
        .description(Some("Show values of secret-looking URL parameters instead of `***`."))
        .schema(Some(schema))
        .build()
}

/// A unique name for an operation: `get_projects_id_runs`.
fn operation_id(method: &str, path: &str) -> String {
    let words = path.trim_start_matches("/api/v1").split(|c: char| !c.is_ascii_alphanumeric());
    let words: Vec<&str> = std::iter::once(method).chain(words.filter(|word| !word.is_empty())).collect();
    words.join("_")
}

/// Gives every response a description.
fn describe_responses(operation: &mut Operation) {
    for response in operation.responses.responses.values_mut() {
        if let RefOr::T(response) = response
            && response.description.is_empty()
        {
            response.description = "Success".to_owned();
        }
    }
}

fn add_problems(operation: &mut Operation) {
    for (status, meaning) in PROBLEMS {
        let known = &mut operation.responses.responses;
        known.entry(status.to_owned()).or_insert_with(|| problem(meaning).into());
    }
}

fn problem(meaning: &str) -> Response {
    let content = ContentBuilder::new().schema(Some(Ref::from_schema_name("Problem"))).build();
    ResponseBuilder::new().description(meaning).content("application/problem+json", content).build()
}
