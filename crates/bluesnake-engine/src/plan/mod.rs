//! Settings: what a user writes for each job, and the plans made of it.
//!
//! Each job has one shape of settings for file, flags, requests and database: [`AuditInput`], [`CaptureInput`] and
//! [`WeaveInput`]. Every field is optional and unknown fields are refused. Layers are merged with [`JobInput::over`];
//! `AuditPlan::new` and its siblings fill in the job's defaults, check the result and report all problems at once.
//! A setting that means nothing for a job is not part of its types. The crawler itself works from a [`CrawlPlan`].

mod check;
mod groups;
mod job;
mod schema;
mod words;

use std::time::Duration;

use crate::url::CanonicalUrl;

pub use self::check::{PlanProblems, Problem};
pub use self::groups::{
    AuditGroupInput, AuditSettings, CaptureGroupInput, CaptureParseInput, CaptureParseSettings, CaptureSettings,
    DiscoverInput, DiscoverSettings, ExtractInput, ExtractSettings, FetchInput, FetchSettings, KeepInput, KeepSettings,
    LimitInput, LimitSettings, MemoryInput, MemorySettings, ParseInput, ParseSettings, PolitenessInput,
    PolitenessSettings, RenderInput, RenderSettings, ResourceInput, ResourceSettings, ScopeInput, ScopeSettings,
    TrapInput, TrapSettings, WeaveGroupInput, WeavePolitenessInput, WeavePolitenessSettings, WeaveRenderInput,
    WeaveRenderSettings, WeaveSettings, is_secret,
};
pub use self::job::{
    AuditInput, AuditPlan, CaptureInput, CapturePlan, Job, JobInput, SharedInput, WeaveInput, WeavePlan,
};
pub use self::schema::{Field, Group};
pub use self::words::{
    BudgetCounts, CheckExternal, HashAlgorithm, Mechanisms, PathMatch, RenderMode, RenderWhen, RobotsMode,
    WeaveRenderWhen,
};

/// What the crawler works from: the plan of any job, with fixed values for the settings that the job does not have.
#[derive(Clone, Debug, PartialEq)]
#[expect(missing_docs, reason = "the groups say what they are")]
pub struct CrawlPlan {
    pub seeds: Vec<CanonicalUrl>,
    pub discover: DiscoverSettings,
    /// Whether to request llms-full.txt, to see whether it exists.
    pub checks_llms_full: bool,
    pub scope: ScopeSettings,
    pub traps: TrapSettings,
    pub resources: ResourceSettings,
    pub limits: LimitSettings,
    pub memory: MemorySettings,
    pub politeness: PolitenessSettings,
    pub fetch: FetchSettings,
    pub render: RenderSettings,
    pub parse: ParseSettings,
    pub extract: ExtractSettings,
    pub keep: KeepSettings,
    pub capture: CaptureSettings,
    pub weave: WeaveSettings,
}

impl From<AuditPlan> for CrawlPlan {
    fn from(plan: AuditPlan) -> Self {
        Self {
            seeds: plan.seeds,
            checks_llms_full: plan.discover.llms_txt,
            discover: plan.discover,
            scope: plan.scope,
            traps: plan.traps,
            resources: plan.resources,
            limits: plan.limits,
            memory: plan.memory,
            politeness: plan.politeness,
            fetch: plan.fetch,
            render: plan.render,
            parse: plan.parse,
            extract: plan.extract,
            keep: plan.keep,
            // Duplicate URLs are findings of an audit.
            capture: CaptureSettings { fold_urls: false, ..CaptureSettings::default() },
            weave: WeaveSettings::default(),
        }
    }
}

impl From<CapturePlan> for CrawlPlan {
    fn from(plan: CapturePlan) -> Self {
        let CapturePlan { seeds, capture, discover, scope, traps, limits, memory, politeness, fetch, render, parse } =
            plan;
        // The hash of a document replaces the fingerprint of its page.
        let parse = ParseSettings { content_hash: HashAlgorithm::Off, ..parse.into() };
        // A later capture revalidates the documents and reads unchanged ones again.
        let (keep, resources) = (KeepSettings { html: true, text: false }, ResourceSettings::none());
        let audit = AuditSettings::default();
        let plan = AuditPlan {
            seeds,
            audit,
            discover,
            scope,
            traps,
            resources,
            limits,
            memory,
            politeness,
            fetch,
            render,
            parse,
            extract: ExtractSettings::default(),
            keep,
        };
        Self { capture, checks_llms_full: false, ..plan.into() }
    }
}

impl From<WeavePlan> for CrawlPlan {
    fn from(plan: WeavePlan) -> Self {
        let scope = ScopeSettings {
            follow_internal_nofollow: plan.weave.follow_nofollow,
            skip_files: plan.weave.skip_files,
            ..ScopeSettings::default()
        };
        Self {
            seeds: plan.seeds,
            checks_llms_full: false,
            discover: DiscoverSettings { mechanisms: Mechanisms::Spider, ..DiscoverSettings::default() },
            scope,
            traps: TrapSettings::default(),
            resources: ResourceSettings::none(),
            limits: plan.limits,
            memory: MemorySettings::default(),
            // A walk makes one request at a time, but another crawl of the process may be using the host: no limit.
            politeness: plan.politeness.into(),
            fetch: plan.fetch,
            render: plan.render.into(),
            parse: ParseSettings { content_hash: HashAlgorithm::Off, ..ParseSettings::default() },
            extract: ExtractSettings::default(),
            keep: KeepSettings::default(),
            capture: CaptureSettings { fold_urls: false, ..CaptureSettings::default() },
            weave: plan.weave,
        }
    }
}

impl From<Job> for CrawlPlan {
    fn from(job: Job) -> Self {
        match job {
            Job::Audit(plan) => plan.into(),
            Job::Capture(plan) => plan.into(),
            Job::Weave(plan) => plan.into(),
        }
    }
}

impl ResourceSettings {
    fn none() -> Self {
        Self { check: false, check_external: CheckExternal::None, ..Self::default() }
    }
}

impl PolitenessSettings {
    /// How many requests one host gets at once.
    pub(crate) fn per_host(&self) -> usize {
        if self.per_host == 0 { self.parallelism } else { self.per_host }
    }

    /// How many requests one IP address gets at once, where one host gets this many.
    pub(crate) fn per_address(&self, per_host: usize) -> usize {
        const LEAST: usize = 8;
        if self.per_address == 0 { per_host.max(LEAST) } else { self.per_address }
    }
}

impl CrawlPlan {
    /// How many ordered visits may be under way or waiting for an earlier one.
    pub fn window(&self) -> usize {
        let by_rate = self.politeness.rate * self.timeout().as_secs_f64();
        (64 * self.politeness.parallelism).max(by_rate.min(100_000.0) as usize)
    }

    /// Maximum time until a response starts.
    pub fn timeout(&self) -> Duration {
        Duration::from_millis(self.fetch.timeout_ms)
    }

    /// How long running requests may take after a stop.
    pub fn grace(&self) -> Duration {
        Duration::from_millis(self.politeness.grace_ms)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_problems_are_reported_at_once() {
        let mut input = AuditInput::default();
        input.scope.external_hops = Some(9);
        input.scope.include = Some(vec!["(".to_owned()]);
        input.politeness.parallelism = Some(0);
        let PlanProblems(problems) = AuditPlan::new(["mailto:a@b.c"], input).unwrap_err();
        let fields: Vec<&str> = problems.iter().map(|problem| problem.field.as_str()).collect();
        assert_eq!(fields, ["seeds", "scope.external_hops", "scope.include", "politeness.parallelism"]);
    }

    #[test]
    fn a_layer_overrides_the_layer_below_and_defaults_of_the_job_fill_in() {
        let (mut flags, mut file) = (CaptureInput::default(), CaptureInput::default());
        flags.politeness.rate = Some(2.0);
        file.politeness.rate = Some(3.0);
        file.politeness.parallelism = Some(7);
        let plan = CapturePlan::new(["a.example"], flags.over(file)).unwrap();
        assert_eq!((plan.politeness.rate, plan.politeness.parallelism), (2.0, 7));
        assert_eq!((plan.scope.paths, plan.fetch.attempts), (PathMatch::Strict, 1));
    }

    #[test]
    fn seeds_are_unique_and_their_passwords_become_credentials_of_their_origin() {
        let plan = AuditPlan::new(["https://me:secret@a.example/x#y", "https://a.example/x"], AuditInput::default());
        let plan = plan.unwrap();
        assert_eq!(plan.seeds, [CanonicalUrl::parse("https://a.example/x").unwrap()]);
        assert_eq!(plan.fetch.auth["https://a.example"], "me:secret");
    }

    #[test]
    fn a_plan_needs_a_seed() {
        assert!(AuditPlan::new(Vec::<String>::new(), AuditInput::default()).is_err());
    }

    #[test]
    fn the_window_follows_parallelism_or_the_rate() {
        let plan = AuditPlan::new(["a.example"], AuditInput::default()).unwrap();
        assert_eq!(CrawlPlan::from(plan).window(), 320);
    }

    #[test]
    fn the_schema_has_help_type_and_default_of_every_setting_of_the_job_and_no_other() {
        fn check<I: JobInput>(absent: &[&str]) {
            let (schema, defaults) = (I::schema(), serde_json::to_value(I::defaults()).unwrap());
            for group in I::GROUPS {
                for field in group.fields {
                    let found = &schema["properties"][group.name]["properties"][field.name];
                    assert_eq!(found["default"], defaults[group.name][field.name], "{}.{}", group.name, field.name);
                    assert!(found["type"].is_string(), "{}.{}", group.name, field.name);
                    assert!(found["description"].as_str().is_some_and(|help| help.ends_with('.')), "{}", field.name);
                }
            }
            for group in absent {
                assert!(schema["properties"].get(*group).is_none(), "{group}");
            }
        }
        check::<AuditInput>(&["weave", "capture"]);
        check::<CaptureInput>(&["weave", "audit", "extract", "resources", "keep"]);
        check::<WeaveInput>(&["discover", "scope", "traps", "resources", "memory", "parse", "keep", "capture"]);
    }
}
