//! The counts of a comparison.

use bluesnake_store::RunFigures;

use super::checks::Audits;
use super::make::Compared;
use super::plans;
use super::view::{ClassCount, ComparedRun, ComparisonView, FieldCount, NotCompared, ReasonCount};
use super::words::{Class, Field};

impl Compared {
    /// Everything but the checks.
    pub(super) fn summary(&self, a: &RunFigures, b: &RunFigures, audits: Option<&Audits>) -> ComparisonView {
        let (urls_of_a, urls_of_b) =
            (self.pairs.iter().filter(|pair| pair.a > 0), self.pairs.iter().filter(|pair| pair.b > 0));
        let settings = audits.map(|audits| (audits.a.row.settings.as_str(), audits.b.row.settings.as_str()));
        ComparisonView {
            a: compared_run(a, urls_of_a.count(), self.a.is_whole(), audits.is_some()),
            b: compared_run(b, urls_of_b.count(), self.b.is_whole(), audits.is_some()),
            plans_differ: plans::differences(&a.run, &b.run, settings),
            not_compared: self.not_compared(),
            classes: self.classes(),
            fields: self.fields(),
            not_visited: self.reasons_of(Class::NotVisited),
            not_visited_before: self.reasons_of(Class::NotVisitedBefore),
            checks: Vec::new(),
        }
    }

    fn not_compared(&self) -> Vec<NotCompared> {
        let depth = NotCompared { field: Field::Depth, why: "depths are final only in completed runs" };
        let inlinks = NotCompared { field: Field::Inlinks, why: "both runs need a stored audit" };
        let missing = [(!self.known.depths, depth), (self.known.inlinks.is_none(), inlinks)];
        missing.into_iter().filter_map(|(is_missing, field)| is_missing.then_some(field)).collect()
    }

    fn classes(&self) -> Vec<ClassCount> {
        let mut counts = Class::ALL.map(|class| ClassCount { class, urls: 0, in_a: 0, in_b: 0 });
        for (pair, outcome) in self.pairs.iter().zip(&self.outcomes) {
            let count = &mut counts[outcome.class as usize];
            count.urls += 1;
            count.in_a += u64::from(pair.a > 0);
            count.in_b += u64::from(pair.b > 0);
        }
        counts.to_vec()
    }

    fn fields(&self) -> Vec<FieldCount> {
        let mut counts = Field::ALL.map(|field| FieldCount { field, urls: 0 });
        for outcome in &self.outcomes {
            outcome.fields.iter().for_each(|field| counts[field as usize].urls += 1);
        }
        counts.to_vec()
    }

    fn reasons_of(&self, class: Class) -> Vec<ReasonCount> {
        let mut counts: Vec<ReasonCount> = Vec::new();
        for outcome in self.outcomes.iter().filter(|outcome| outcome.class == class) {
            let reason = self.reason(*outcome).unwrap_or_default();
            match counts.iter_mut().find(|count| count.reason == reason) {
                Some(count) => count.urls += 1,
                None => counts.push(ReasonCount { reason, urls: 1 }),
            }
        }
        counts.sort_unstable_by_key(|count| (std::cmp::Reverse(count.urls), count.reason));
        counts
    }
}

fn compared_run(figures: &RunFigures, urls: usize, is_whole: bool, has_issues: bool) -> ComparedRun {
    ComparedRun {
        run_id: figures.run.id,
        domain: figures.host.clone(),
        state: figures.run.state.as_str(),
        created_at: figures.run.created_at,
        updated_at: figures.run.updated_at,
        urls: urls as u64,
        visited: figures.counts.visited.unsigned_abs(),
        pages: figures.counts.pages.unsigned_abs(),
        is_whole,
        has_issues,
    }
}
