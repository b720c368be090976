//! Resources that need resources: a stylesheet that imports a stylesheet that imports another.
//!
//! Both depth and number are limited, because a chain and a tree of imports can each be endless.

use std::collections::HashMap;

use super::{Refusal, Task, UrlRow};
use crate::discover::Candidate;
use crate::link::Role;
use crate::plan::ResourceSettings;
use crate::receipt::{Number, Source};

/// Where a resource is below the one that a page needs.
#[derive(Clone, Copy, Debug)]
struct Place {
    /// The resource that a page needs.
    root: Number,
    /// 1 for that resource itself.
    depth: u32,
}

/// Admitted resources that may need others.
#[derive(Debug)]
pub(crate) struct Nesting {
    depth: u32,
    below_one: u64,
    places: HashMap<Number, Place>,
    below: HashMap<Number, u64>,
}

impl Nesting {
    pub(crate) fn new(resources: &ResourceSettings) -> Self {
        Self { depth: resources.depth, below_one: resources.nested, places: HashMap::new(), below: HashMap::new() }
    }

    pub(crate) fn check(&self, candidate: &Candidate, task: Task) -> Result<(), Refusal> {
        let Some(parent) = candidate.parent.and_then(|parent| self.places.get(&parent)) else { return Ok(()) };
        if self.depth > 0 && depth_below(*parent, candidate.source) > self.depth {
            return Err(Refusal::ResourceDepth);
        }
        let is_full = self.below.get(&parent.root).is_some_and(|count| *count >= self.below_one);
        if self.below_one > 0 && is_full && may_need_others(task) {
            return Err(Refusal::NestedResources);
        }
        Ok(())
    }

    /// Records an admitted resource. Called in turn order.
    pub(crate) fn count(&mut self, Nested { number, parent, source }: Nested) {
        let parent = parent.and_then(|parent| self.places.get(&parent)).copied();
        let place = match parent {
            Some(parent) => Place { root: parent.root, depth: depth_below(parent, source) },
            None => Place { root: number, depth: 1 },
        };
        self.places.insert(number, place);
        if parent.is_some() {
            *self.below.entry(place.root).or_default() += 1;
        }
    }
}

/// A resource that may need others.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Nested {
    number: Number,
    parent: Option<Number>,
    source: Source,
}

impl Nested {
    /// `None` for pages, and for resources that need nothing.
    pub(crate) fn of(row: &UrlRow) -> Option<Self> {
        let &UrlRow { number, parent, source, .. } = row;
        (row.kind.role() == Role::Resource && may_need_others(row.task)).then_some(Self { number, parent, source })
    }
}

fn may_need_others(task: Task) -> bool {
    matches!(task, Task::Stylesheet | Task::Page)
}

/// The target of a resource's redirect takes its place.
fn depth_below(parent: Place, source: Source) -> u32 {
    if source == Source::Redirect { parent.depth } else { parent.depth + 1 }
}
