//! Comparisons that were made, so that windows over them need not be computed again.

use std::sync::{Arc, Mutex, PoisonError};

use bluesnake_store::state::RunState;
use bluesnake_store::{AuditRow, ComparedRuns, DatabaseError, RunFigures};

use super::Comparison;
use crate::results::changed;

/// How much memory comparisons may take; the last one is kept whatever its size.
const REMEMBERED_BYTES: usize = 128 << 20;

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

    /// Fails if the run was audited again meanwhile: its findings would be those of two audits.
    pub(super) fn check(&self, runs: &ComparedRuns<'_>) -> Result<(), DatabaseError> {
        match runs.audit(self.run)? == self.audit {
            true => Ok(()),
            false => Err(changed(self.run)),
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
        shrink(&mut known);
        Some(used)
    }

    pub(super) fn keep(&self, comparison: Arc<Comparison>) {
        let mut known = self.known.lock().unwrap_or_else(PoisonError::into_inner);
        known.push(comparison);
        shrink(&mut known);
    }
}

/// Drops those used least recently until the others fit. Orders are made later, so all are weighed again.
fn shrink(known: &mut Vec<Arc<Comparison>>) {
    while known.len() > 1 && known.iter().map(|one| one.bytes()).sum::<usize>() > REMEMBERED_BYTES {
        known.remove(0);
    }
}
