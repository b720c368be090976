//! Settings: what a user writes, and the plan that is made of it.
//!
//! [`PlanInput`] is the one shape of settings for file, flags and requests: every field optional, unknown fields refused.
//! Layers are merged with [`PlanInput::over`]; [`CrawlPlan::new`] checks the result and tells all problems at once.
//! Defaults exist once, in `groups.rs`. Each group is named after the part of the engine that reads it.

mod check;
mod groups;
mod words;

use std::time::Duration;

use serde::{Deserialize, Serialize};

use crate::url::CanonicalUrl;

pub use self::check::{PlanProblems, Problem};
pub use self::groups::{
    DiscoverInput, DiscoverSettings, FetchInput, FetchSettings, LimitInput, LimitSettings, ParseInput, ParseSettings,
    PolitenessInput, PolitenessSettings, ScopeInput, ScopeSettings, WeaveInput, WeaveSettings,
};
pub use self::words::{BudgetCounts, CheckExternal, HashAlgorithm, Mechanisms, PathMatch, Preset, RobotsMode};

use self::check::Check;

/// Settings as written: every field optional.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct PlanInput {
    /// Where candidates come from.
    pub discover: DiscoverInput,
    /// Which URLs belong to the crawl.
    pub scope: ScopeInput,
    /// How much is enough.
    pub limits: LimitInput,
    /// How gently hosts are asked.
    pub politeness: PolitenessInput,
    /// How one request is made.
    pub fetch: FetchInput,
    /// What is read from a document.
    pub parse: ParseInput,
    /// Which hosts make the graph of a weave.
    pub weave: WeaveInput,
}

impl PlanInput {
    /// Every field with its default.
    pub fn defaults() -> Self {
        Self {
            discover: DiscoverInput::defaults(),
            scope: ScopeInput::defaults(),
            limits: LimitInput::defaults(),
            politeness: PolitenessInput::defaults(),
            fetch: FetchInput::defaults(),
            parse: ParseInput::defaults(),
            weave: WeaveInput::defaults(),
        }
    }

    /// What a preset changes.
    pub fn preset(preset: Preset) -> Self {
        let mut input = Self::default();
        match preset {
            Preset::Site => {}
            Preset::Docs => {
                input.scope.paths = Some(PathMatch::Strict);
                input.scope.check_external = Some(CheckExternal::None);
                input.scope.skip_files = Some(true);
                input.scope.fold_addresses = Some(true);
                input.discover.check_resources = Some(false);
                input.discover.llms_txt = Some(true);
                input.fetch.prefer_markdown = Some(true);
                input.parse.skip_identical = Some(false);
                input.politeness.rate = Some(5.0);
                input.fetch.attempts = Some(1);
            }
            Preset::Graph => {
                input.scope.check_external = Some(CheckExternal::None);
                input.scope.external_hops = Some(1);
                input.scope.skip_files = Some(true);
                input.discover.check_resources = Some(false);
                input.discover.mechanisms = Some(Mechanisms::Spider);
                input.politeness.parallelism = Some(3);
                input.politeness.rate = Some(1.0);
                input.fetch.timeout_ms = Some(5_000);
                input.fetch.timeout_step_ms = Some(2_000);
                input.fetch.retry_delays_ms = Some(vec![5_000]);
                input.fetch.cookies = Some(false);
                input.politeness.max_retry_after_ms = Some(30_000);
                input.parse.content_hash = Some(HashAlgorithm::Off);
            }
        }
        input
    }

    /// These settings where they are given, else those of the layer below.
    #[must_use]
    pub fn over(self, below: Self) -> Self {
        Self {
            discover: self.discover.over(below.discover),
            scope: self.scope.over(below.scope),
            limits: self.limits.over(below.limits),
            politeness: self.politeness.over(below.politeness),
            fetch: self.fetch.over(below.fetch),
            parse: self.parse.over(below.parse),
            weave: self.weave.over(below.weave),
        }
    }
}

/// The settings of a run, checked and frozen.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct CrawlPlan {
    /// Where the crawl starts; never empty, no two the same.
    #[serde(serialize_with = "as_strings")]
    pub seeds: Vec<CanonicalUrl>,
    /// Where candidates come from.
    pub discover: DiscoverSettings,
    /// Which URLs belong to the crawl.
    pub scope: ScopeSettings,
    /// How much is enough.
    pub limits: LimitSettings,
    /// How gently hosts are asked.
    pub politeness: PolitenessSettings,
    /// How one request is made.
    pub fetch: FetchSettings,
    /// What is read from a document.
    pub parse: ParseSettings,
    /// Which hosts make the graph of a weave.
    pub weave: WeaveSettings,
}

fn as_strings<S: serde::Serializer>(seeds: &[CanonicalUrl], serializer: S) -> Result<S::Ok, S::Error> {
    serializer.collect_seq(seeds.iter().map(CanonicalUrl::as_str))
}

impl PolitenessSettings {
    /// How many requests one host gets at once.
    pub(crate) fn per_host(&self) -> usize {
        if self.per_host == 0 { self.parallelism } else { self.per_host }
    }

    /// How many requests one IP address gets at once, where one host gets so many.
    pub(crate) fn per_address(&self, per_host: usize) -> usize {
        const LEAST: usize = 8;
        if self.per_address == 0 { per_host.max(LEAST) } else { self.per_address }
    }
}

impl CrawlPlan {
    /// Checks seeds and settings; all problems are told at once.
    ///
    /// A user name and password in a seed become the credentials of that seed's origin and are kept nowhere else.
    pub fn new<S: AsRef<str>>(seeds: impl IntoIterator<Item = S>, input: PlanInput) -> Result<Self, PlanProblems> {
        let mut check = Check::default();
        let mut input = input;
        let seeds = check.seeds(seeds, &mut input);
        let plan = Self {
            seeds,
            discover: input.discover.into(),
            scope: input.scope.into(),
            limits: input.limits.into(),
            politeness: input.politeness.into(),
            fetch: input.fetch.into(),
            parse: input.parse.into(),
            weave: input.weave.into(),
        };
        check.discover(&plan.discover);
        check.scope(&plan.scope);
        check.limits(&plan.limits);
        check.politeness(&plan.politeness);
        check.fetch(&plan.fetch);
        check.weave(&plan.weave);
        if check.problems.is_empty() { Ok(plan) } else { Err(PlanProblems(check.problems)) }
    }

    /// How many ordered visits may be under way or waiting for an earlier one.
    pub fn window(&self) -> usize {
        let by_rate = self.politeness.rate * self.timeout().as_secs_f64();
        (64 * self.politeness.parallelism).max(by_rate.min(100_000.0) as usize)
    }

    /// How long an answer may take to begin.
    pub fn timeout(&self) -> Duration {
        Duration::from_millis(self.fetch.timeout_ms)
    }

    /// How long requests under way may still take after a stop.
    pub fn grace(&self) -> Duration {
        Duration::from_millis(self.politeness.grace_ms)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_problems_are_told_at_once() {
        let mut input = PlanInput::default();
        input.scope.external_hops = Some(9);
        input.scope.include = Some(vec!["(".to_owned()]);
        input.politeness.parallelism = Some(0);
        let PlanProblems(problems) = CrawlPlan::new(["mailto:a@b.c"], input).unwrap_err();
        let fields: Vec<&str> = problems.iter().map(|problem| problem.field.as_str()).collect();
        assert_eq!(fields, ["seeds", "scope.external_hops", "scope.include", "politeness.parallelism"]);
    }

    #[test]
    fn a_layer_above_wins_and_a_layer_below_fills_in() {
        let mut flags = PlanInput::default();
        flags.politeness.rate = Some(2.0);
        let plan = CrawlPlan::new(["a.example"], flags.over(PlanInput::preset(Preset::Docs))).unwrap();
        assert_eq!((plan.politeness.rate, plan.scope.paths), (2.0, PathMatch::Strict));
        assert_eq!(plan.fetch.attempts, 1);
    }

    #[test]
    fn seeds_are_unique_and_their_passwords_become_credentials_of_their_origin() {
        let plan = CrawlPlan::new(["https://me:secret@a.example/x#y", "https://a.example/x"], PlanInput::default());
        let plan = plan.unwrap();
        assert_eq!(plan.seeds, [CanonicalUrl::parse("https://a.example/x").unwrap()]);
        assert_eq!(plan.fetch.auth["https://a.example"], "me:secret");
    }

    #[test]
    fn no_seed_at_all_is_a_problem() {
        assert!(CrawlPlan::new(Vec::<String>::new(), PlanInput::default()).is_err());
    }

    #[test]
    fn the_window_follows_parallelism_or_the_rate() {
        let plan = CrawlPlan::new(["a.example"], PlanInput::default()).unwrap();
        assert_eq!(plan.window(), 320);
    }
}
