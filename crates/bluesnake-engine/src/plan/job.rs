//! The three jobs: which groups of settings each has, and its defaults.
//!
//! A group is added to the jobs that have a use for it.

use std::fmt::Debug;

use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::check::{Check, Checked, PlanProblems};
use super::groups::*;
use super::schema::{Group, schema_of};
use super::words::PathMatch;
use crate::url::CanonicalUrl;

/// Groups and settings that every job has.
#[derive(Debug)]
pub struct SharedInput<'a> {
    /// Limits of a session.
    pub limits: &'a mut LimitInput,
    /// `politeness.parallelism`.
    pub parallelism: &'a mut Option<usize>,
    /// `politeness.rate`.
    pub rate: &'a mut Option<f64>,
    /// Requests.
    pub fetch: &'a mut FetchInput,
}

/// The settings of a job as written: every field optional.
pub trait JobInput: Clone + Debug + Default + PartialEq + Serialize + DeserializeOwned + Send + Sync + 'static {
    /// The groups that the job has.
    const GROUPS: &'static [Group];

    /// Every field with its default for this job.
    fn defaults() -> Self;

    /// These settings, with absent ones taken from the layer below.
    #[must_use]
    fn over(self, below: Self) -> Self;

    /// Groups and settings that every job has.
    fn shared(&mut self) -> SharedInput<'_>;

    /// The plan of a run with these settings.
    fn into_job(self, seeds: &[String]) -> Result<Job, PlanProblems>;

    /// A JSON Schema with the help and the default of every setting.
    fn schema() -> Value {
        schema_of(Self::GROUPS, &serde_json::to_value(Self::defaults()).expect("settings are JSON"))
    }
}

/// The checked and frozen plan of a run, by its job.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(untagged)]
#[expect(clippy::large_enum_variant, reason = "a process has a handful of plans, and every use of one would unbox it")]
pub enum Job {
    /// Audit a site.
    Audit(AuditPlan),
    /// Capture documentation as Markdown.
    Capture(CapturePlan),
    /// Weave the graph of hosts.
    Weave(WeavePlan),
}

macro_rules! jobs {
    ($( $(#[doc = $doc:literal])* $job:ident: $input:ident, $plan:ident { $( $group:ident: $written:ident, $planned:ident, )* } )*) => {
        $(
            $(#[doc = $doc])*
            ///
            /// As written by a user: every field optional.
            #[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
            #[serde(deny_unknown_fields, default)]
            #[expect(missing_docs, reason = "the groups say what they are")]
            pub struct $input { $( pub $group: $written, )* }

            $(#[doc = $doc])*
            ///
            /// Checked and frozen at the start of a run.
            #[derive(Clone, Debug, PartialEq, Serialize)]
            #[expect(missing_docs, reason = "the groups say what they are")]
            pub struct $plan {
                /// Where to start; never empty, without duplicates.
                #[serde(skip)]
                pub seeds: Vec<CanonicalUrl>,
                $( pub $group: $planned, )*
            }

            impl $plan {
                /// Checks seeds and settings, over the defaults of the job. Reports all problems at once.
                ///
                /// A user name and password in a seed become the credentials of that seed's origin and are kept
                /// nowhere else.
                pub fn new<S: AsRef<str>>(
                    seeds: impl IntoIterator<Item = S>,
                    input: $input,
                ) -> Result<Self, PlanProblems> {
                    let mut check = Check::default();
                    let mut input = input.over($input::defaults());
                    let seeds = check.seeds(seeds, &mut input.fetch);
                    let plan = Self { seeds, $( $group: input.$group.into(), )* };
                    $( plan.$group.check(&mut check); )*
                    if check.problems.is_empty() { Ok(plan) } else { Err(PlanProblems(check.problems)) }
                }
            }

            impl JobInput for $input {
                const GROUPS: &'static [Group] = &[ $( Group {
                    name: stringify!($group), help: $written::HELP, fields: $written::FIELDS,
                }, )* ];

                fn defaults() -> Self {
                    Self::own_defaults().over(Self { $( $group: $written::defaults(), )* })
                }

                fn over(self, below: Self) -> Self {
                    Self { $( $group: self.$group.over(below.$group), )* }
                }

                fn shared(&mut self) -> SharedInput<'_> {
                    let Self { limits, politeness, fetch, .. } = self;
                    SharedInput {
                        limits, parallelism: &mut politeness.parallelism, rate: &mut politeness.rate, fetch,
                    }
                }

                fn into_job(self, seeds: &[String]) -> Result<Job, PlanProblems> {
                    $plan::new(seeds, self).map(Job::$job)
                }
            }
        )*

        impl Job {
            /// Where the run starts.
            pub fn seeds(&self) -> &[CanonicalUrl] {
                match self { $( Self::$job(plan) => &plan.seeds, )* }
            }

            /// Limits of a session.
            pub fn limits(&self) -> &LimitSettings {
                match self { $( Self::$job(plan) => &plan.limits, )* }
            }

            /// Limits of a session.
            pub fn limits_mut(&mut self) -> &mut LimitSettings {
                match self { $( Self::$job(plan) => &mut plan.limits, )* }
            }
        }
    };
}

jobs! {
    /// The settings of an audit.
    Audit: AuditInput, AuditPlan {
        audit: AuditGroupInput, AuditSettings,
        discover: DiscoverInput, DiscoverSettings,
        scope: ScopeInput, ScopeSettings,
        traps: TrapInput, TrapSettings,
        resources: ResourceInput, ResourceSettings,
        limits: LimitInput, LimitSettings,
        memory: MemoryInput, MemorySettings,
        politeness: PolitenessInput, PolitenessSettings,
        fetch: FetchInput, FetchSettings,
        render: RenderInput, RenderSettings,
        parse: ParseInput, ParseSettings,
        extract: ExtractInput, ExtractSettings,
        keep: KeepInput, KeepSettings,
    }

    /// The settings of a capture.
    Capture: CaptureInput, CapturePlan {
        capture: CaptureGroupInput, CaptureSettings,
        discover: DiscoverInput, DiscoverSettings,
        scope: ScopeInput, ScopeSettings,
        traps: TrapInput, TrapSettings,
        limits: LimitInput, LimitSettings,
        memory: MemoryInput, MemorySettings,
        politeness: PolitenessInput, PolitenessSettings,
        fetch: FetchInput, FetchSettings,
        render: RenderInput, RenderSettings,
        parse: CaptureParseInput, CaptureParseSettings,
    }

    /// The settings of a weave.
    Weave: WeaveInput, WeavePlan {
        weave: WeaveGroupInput, WeaveSettings,
        limits: LimitInput, LimitSettings,
        politeness: WeavePolitenessInput, WeavePolitenessSettings,
        fetch: FetchInput, FetchSettings,
        render: WeaveRenderInput, WeaveRenderSettings,
    }
}

/// Where a job's defaults differ from those of its groups.
impl AuditInput {
    fn own_defaults() -> Self {
        Self::default()
    }
}

impl CaptureInput {
    fn own_defaults() -> Self {
        let mut input = Self::default();
        input.scope.paths = Some(PathMatch::Strict);
        input.scope.skip_files = Some(true);
        input.discover.llms_txt = Some(true);
        input.fetch.prefer_markdown = Some(true);
        input.parse.skip_identical = Some(false);
        input.politeness.rate = Some(5.0);
        input.fetch.attempts = Some(1);
        input
    }
}

impl WeaveInput {
    fn own_defaults() -> Self {
        let mut input = Self::default();
        input.politeness.parallelism = Some(3);
        input.politeness.rate = Some(1.0);
        input.politeness.max_retry_after_ms = Some(30_000);
        input.fetch.timeout_ms = Some(5_000);
        input.fetch.timeout_step_ms = Some(2_000);
        input.fetch.retry_delays_ms = Some(vec![5_000]);
        input.fetch.cookies = Some(false);
        input
    }
}
