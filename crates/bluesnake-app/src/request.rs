//! Requests to start a job: one serialisable type for each job, shared by all front ends.
//!
//! [`Request::read`] is the one reader of requests in JSON and reports all problems at once; [`StartRequest::check`]
//! checks what needs a plan. [`Request::schema`] describes a request with its settings for forms and documentation.

use bluesnake_engine::plan::Field;
use bluesnake_engine::{AuditInput, CaptureInput, JobInput, WeaveInput};
use bluesnake_store::state::RunKind;
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value, json};
use utoipa::ToSchema;

use crate::results::{Job, job};
use crate::settings::{FieldProblem, Groups, read_settings, to_groups};
use crate::spelling::{nearest, without_type_names};
use crate::start::Asked;

/// What to do with an incomplete run of the project.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum StartMode {
    /// Resume it if the project crawls incrementally, else start a new run.
    #[default]
    Auto,
    /// Resume it; an error if there is none.
    Resume,
    /// Start a new run; a paused one stays resumable.
    Fresh,
}

/// A request to start a job.
pub trait Request: Clone + Default + Serialize + DeserializeOwned + Into<StartRequest> {
    /// The settings of the job.
    type Input: JobInput;
    /// The job.
    const JOB: RunKind;
    /// The fields of the request in JSON, besides `url` and `settings`.
    const FIELDS: &'static [Field];

    /// The settings of the request.
    fn settings_mut(&mut self) -> &mut Self::Input;

    /// Reads a request in JSON. Reports all problems at once.
    fn read(mut body: Map<String, Value>) -> Result<Self, Vec<FieldProblem>> {
        let mut problems = Vec::new();
        if let Some(url) = body.remove("url").filter(|url| !url.is_null()) {
            if body.insert("urls".to_owned(), json!([url])).is_some_and(|urls| urls != json!([])) {
                problems.push(FieldProblem::new("urls", "use `url` or `urls`, not both"));
            }
            if !body["urls"][0].is_string() {
                problems.push(FieldProblem::new("url", "must be a string"));
                body.remove("urls");
            }
        }
        let is_given = |name: &str| body.get(name).is_some_and(|value| !value.is_null() && *value != json!([]));
        if is_given("list") && is_given("urls") {
            problems.push(FieldProblem::new("list", "use `list`, `url` or `urls`, not several of them"));
        }
        let settings = match body.remove("settings") {
            None | Some(Value::Null) => Self::Input::default(),
            Some(Value::Object(groups)) => {
                let (settings, wrong) = read_settings(&groups);
                problems.extend(wrong);
                settings
            }
            Some(_) => {
                problems.push(FieldProblem::new("settings", "must be an object"));
                Self::Input::default()
            }
        };
        body.retain(|name, value| match read_field::<Self>(name, value) {
            Ok(()) => true,
            Err(problem) => {
                problems.push(problem);
                false
            }
        });
        if !problems.is_empty() {
            return Err(problems);
        }
        let mut request: Self = serde_json::from_value(body.into()).expect("every field was read");
        *request.settings_mut() = settings;
        Ok(request)
    }

    /// A JSON Schema of the request, with the help and the default of every field.
    fn schema() -> Value {
        let defaults = serde_json::to_value(Self::default()).expect("a request is JSON");
        let mut properties = Map::new();
        let url = "Where to start, if it is one URL.";
        properties.insert("url".to_owned(), json!({ "type": "string", "description": url }));
        for field in Self::FIELDS {
            let mut schema = (field.schema)();
            schema["description"] = field.help.into();
            schema["default"] = defaults[field.name].clone();
            properties.insert(field.name.to_owned(), schema);
        }
        properties.insert("settings".to_owned(), Self::Input::schema());
        json!({ "type": "object", "properties": properties, "additionalProperties": false })
    }
}

/// Whether a field of a request exists and its value fits.
fn read_field<R: Request>(name: &str, value: &Value) -> Result<(), FieldProblem> {
    if !R::FIELDS.iter().any(|field| field.name == name) {
        let known = R::FIELDS.iter().map(|field| field.name).chain(["url", "settings"]);
        let hint = nearest(name, known).map(|meant| format!("did you mean `{meant}`?"));
        return Err(FieldProblem { hint, ..FieldProblem::new(name, format!("unknown field `{name}`")) });
    }
    let alone: Map<String, Value> = [(name.to_owned(), value.clone())].into_iter().collect();
    let read = serde_json::from_value::<R>(alone.into());
    read.map(|_| ()).map_err(|error| FieldProblem::new(name, without_type_names(&error.to_string())))
}

macro_rules! requests {
    ($(
        $(#[doc = $doc:literal])*
        $job:ident, $kind:ident: $name:ident of $input:ident {
            $( #[doc = $help:literal] $field:ident, $json:literal: $type:ty = $schema:tt, )*
        }
    )*) => {
        /// A request to start one of the jobs.
        #[derive(Clone, Debug)]
        #[expect(missing_docs, reason = "the requests say what they are")]
        #[expect(clippy::large_enum_variant, reason = "a process starts a handful of jobs at a time")]
        pub enum StartRequest { $( $job($name), )* }

        $(
            $(#[doc = $doc])*
            #[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
            #[serde(rename_all = "camelCase", deny_unknown_fields, default)]
            pub struct $name {
                /// Settings, over the saved ones.
                pub settings: $input,
                $( #[doc = $help] pub $field: $type, )*
            }

            impl Request for $name {
                type Input = $input;
                const JOB: RunKind = RunKind::$kind;
                const FIELDS: &'static [Field] =
                    &[ $( Field { name: $json, help: $help.trim_ascii(), schema: || json!($schema) }, )* ];

                fn settings_mut(&mut self) -> &mut $input {
                    &mut self.settings
                }
            }

            impl From<$name> for StartRequest {
                fn from(request: $name) -> Self {
                    Self::$job(request)
                }
            }
        )*

        /// The JSON Schema of the request for a job.
        pub fn request_schema(job: RunKind) -> Value {
            let mut schema = match job { $( RunKind::$kind => $name::schema(), )* };
            schema["$schema"] = "https://json-schema.org/draft/2020-12/schema".into();
            schema["title"] = match job { $( RunKind::$kind => stringify!($name).into(), )* };
            schema
        }
    };
}

requests! {
    /// Audit a site: crawl it and report on every URL.
    Audit, Crawl: AuditRequest of AuditInput {
        /// Where to start. The first URL names the project.
        urls, "urls": Vec<String> = { "type": "array", "items": { "type": "string" } },
        /// Instead of `urls`: the URL of a sitemap, a sitemap index, or a text file with one URL per line. Exactly these URLs are visited, with their resources; with the setting `scope.max_depth`, their links are followed too.
        list, "list": Option<String> = { "type": ["string", "null"] },
        /// `auto` resumes a paused run if the project crawls incrementally; `fresh` starts a new run; `resume` fails if there is none.
        mode, "mode": StartMode = { "type": "string", "enum": ["auto", "resume", "fresh"] },
        /// Resume with settings that differ from those the run was started with.
        force, "force": bool = { "type": "boolean" },
        /// Whether the project crawls incrementally; without it, as saved for the project.
        incremental, "incremental": Option<bool> = { "type": ["boolean", "null"] },
    }

    /// Capture documentation as Markdown.
    Capture, Capture: CaptureRequest of CaptureInput {
        /// Where to start; pages below these paths are captured. The first URL names the project.
        urls, "urls": Vec<String> = { "type": "array", "items": { "type": "string" } },
        /// `auto` resumes a capture that was interrupted; `fresh` starts a new one; `resume` fails if there is none.
        mode, "mode": StartMode = { "type": "string", "enum": ["auto", "resume", "fresh"] },
        /// Resume with settings that differ from those the capture was started with.
        force, "force": bool = { "type": "boolean" },
        /// Maximum number of unique pages per URL, like the setting `scope.page_limit`.
        page_limit, "pageLimit": Option<u64> = { "type": ["integer", "null"], "minimum": 0 },
        /// Download pages again even if an earlier capture has them.
        refresh, "refresh": bool = { "type": "boolean" },
    }

    /// Weave the graph of which hosts link to which.
    Weave, Weave: WeaveRequest of WeaveInput {
        /// Hosts to start from; without any, the newest graph continues.
        urls, "urls": Vec<String> = { "type": "array", "items": { "type": "string" } },
        /// `auto` continues the newest graph and adds the hosts given; `fresh` starts another; `resume` fails if there is none.
        mode, "mode": StartMode = { "type": "string", "enum": ["auto", "resume", "fresh"] },
        /// Continue with settings that differ from those the graph was started with.
        force, "force": bool = { "type": "boolean" },
        /// Retry hosts that failed in earlier sessions.
        retry_failed, "retryFailed": bool = { "type": "boolean" },
    }
}

/// How to resume.
#[derive(Clone, Debug, Default, PartialEq, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields, default)]
pub struct ResumeRequest {
    /// Settings that override those of the run: rate and budget may change; send secrets again.
    #[schema(value_type = Object)]
    pub settings: Groups,
    /// Allow other settings to change too.
    pub force: bool,
    /// The job of the run; without it, the run that was paused last. Only for projects.
    #[serde(deserialize_with = "job")]
    #[schema(value_type = Option<Job>, default = json!(null))]
    pub kind: Option<RunKind>,
}

impl From<StartRequest> for Asked {
    fn from(request: StartRequest) -> Self {
        match request {
            StartRequest::Audit(AuditRequest { urls, list, settings, incremental, mode, force }) => {
                let settings = to_groups(&settings);
                Self { kind: Some(RunKind::Crawl), urls, list, settings, incremental, mode, force, ..Self::default() }
            }
            StartRequest::Capture(CaptureRequest { urls, mut settings, page_limit, mode, force, refresh }) => {
                settings.scope.page_limit = page_limit.or(settings.scope.page_limit);
                Self {
                    kind: Some(RunKind::Capture),
                    urls,
                    settings: to_groups(&settings),
                    incremental: Some(true),
                    mode,
                    force,
                    refresh,
                    ..Self::default()
                }
            }
            StartRequest::Weave(WeaveRequest { urls, settings, mode, force, retry_failed }) => {
                let settings = to_groups(&settings);
                Self { kind: Some(RunKind::Weave), urls, settings, mode, force, retry_failed, ..Self::default() }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read<R: Request>(body: Value) -> Result<R, Vec<FieldProblem>> {
        R::read(body.as_object().unwrap().clone())
    }

    #[test]
    fn a_request_is_read_from_json_with_all_problems_at_once() {
        let body = json!({"url": "a.example", "settings": {"limits": {"session_budget": 5}}, "mode": "fresh"});
        let request: AuditRequest = read(body).unwrap();
        assert_eq!((request.urls.as_slice(), request.mode), (&["a.example".to_owned()][..], StartMode::Fresh));
        assert_eq!(request.settings.limits.session_budget, Some(5));

        let body = json!({"url": 5, "mod": "fresh", "force": "yes", "settings":
            {"limit": {"x": 1}, "limits": {"session_budget": "many"}, "weave": {"max_depth": 1}}});
        let problems = read::<AuditRequest>(body).unwrap_err();
        let mut fields: Vec<&str> = problems.iter().map(|problem| problem.field.as_str()).collect();
        fields.sort_unstable();
        assert_eq!(fields, ["force", "limit.x", "limits.session_budget", "mod", "url", "weave.max_depth"]);
        let hint = problems.iter().find(|problem| problem.field == "mod").and_then(|problem| problem.hint.as_deref());
        assert_eq!(hint, Some("did you mean `mode`?"));
    }

    #[test]
    fn one_url_or_several() {
        let urls = |body| read::<WeaveRequest>(body).map(|request| request.urls);
        assert_eq!(urls(json!({})), Ok(vec![]));
        assert_eq!(urls(json!({"urls": ["a", "b"]})), Ok(vec!["a".to_owned(), "b".to_owned()]));
        assert_eq!(urls(json!({"url": "a", "urls": ["b"]})).unwrap_err()[0].field, "urls");
        assert_eq!(urls(json!({"list": "a"})).unwrap_err()[0].message, "unknown field `list`");
    }

    #[test]
    fn a_list_is_used_instead_of_urls() {
        let wrong = |body| read::<AuditRequest>(body).map_err(|problems| problems[0].field.clone());
        for other in [json!({"url": "a"}), json!({"urls": ["a"]})] {
            let mut body = json!({"list": "http://a.example/sitemap.xml"});
            body.as_object_mut().unwrap().extend(other.as_object().unwrap().clone());
            assert_eq!(wrong(body.clone()), Err("list".to_owned()), "{body}");
        }
        let list = json!({"list": "http://a.example/sitemap.xml", "url": null, "urls": []});
        assert_eq!(wrong(list).unwrap().list.as_deref(), Some("http://a.example/sitemap.xml"));
        assert!(wrong(json!({"list": null, "url": "a"})).is_ok());
    }

    #[test]
    fn a_request_survives_being_written_and_read() {
        let mut request = CaptureRequest { urls: vec!["a.example".to_owned()], refresh: true, ..Default::default() };
        request.settings.capture.fold_urls = Some(false);
        assert_eq!(read::<CaptureRequest>(serde_json::to_value(&request).unwrap()), Ok(request));
    }

    #[test]
    fn the_schema_names_every_field_of_the_request() {
        fn check<R: Request>() {
            let written = serde_json::to_value(R::default()).unwrap();
            let schema = request_schema(R::JOB);
            let named = schema["properties"].as_object().unwrap();
            for field in written.as_object().unwrap().keys() {
                assert!(named[field]["description"].is_string(), "{field}");
            }
            assert_eq!(named.len(), written.as_object().unwrap().len() + 1, "and `url`");
        }
        check::<AuditRequest>();
        check::<CaptureRequest>();
        check::<WeaveRequest>();
    }
}
