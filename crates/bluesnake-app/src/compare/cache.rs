//! Comparisons that were made, so that windows over them need not be computed again.

use std::sync::{Arc, Mutex, PoisonError};

use bluesnake_store::state::RunState;
use bluesnake_store::{AuditRow, RunFigures};

use super::Comparison;

/// How many rows to remember over all comparisons; the last one is kept whatever its size.
const REMEMBERED_ROWS: usize = 4_000_000;

/// What a run knew when it was compared.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Version {
    run: i64,
    state: RunState,
    urls: i64,
    visits: i64,
    /// Of the stored audit; a run can be audited again.
    audit: Option<i64>,
}

impl Version {
    pub(super) fn of(figures: &RunFigures, audit: Option<&AuditRow>) -> Self {
        let counts = &figures.counts;
        Self {
            run: figures.run.id,
            state: figures.run.state,
            urls: counts.seen,
            visits: counts.visited + counts.guides,
            audit: audit.map(|audit| audit.id),
        }
    }
}

/// Comparisons, the last used at the end.
#[derive(Debug, Default)]
pub(crate) struct Comparisons {
    known: Mutex<Vec<Arc<Comparison>>>,
    /// Held while one is made: a second caller waits for it instead of making it too.
    pub(super) making: tokio::sync::Mutex<()>,
}

impl Comparisons {
    pub(super) fn of(&self, versions: (Version, Version)) -> Option<Arc<Comparison>> {
        let mut known = self.known.lock().unwrap_or_else(PoisonError::into_inner);
        let at = known.iter().position(|comparison| comparison.versions == versions)?;
        let used = known.remove(at);
        known.push(Arc::clone(&used));
        Some(used)
    }

    pub(super) fn keep(&self, comparison: Arc<Comparison>) {
        let mut known = self.known.lock().unwrap_or_else(PoisonError::into_inner);
        known.push(comparison);
        let rows = |known: &[Arc<Comparison>]| known.iter().map(|one| one.compared.pairs.len()).sum::<usize>();
        while known.len() > 1 && rows(&known) > REMEMBERED_ROWS {
            known.remove(0);
        }
    }
}
