//! Budgets of single hosts.

use std::collections::HashMap;

use crate::url::CanonicalUrl;

/// How many URLs of each host were let in.
#[derive(Debug)]
pub(crate) struct HostCounts {
    limit: u64,
    counts: HashMap<Box<str>, u64>,
}

impl HostCounts {
    pub(crate) fn new(limit: u64) -> Self {
        Self { limit, counts: HashMap::new() }
    }

    pub(crate) fn count(&mut self, url: &CanonicalUrl) {
        if self.limit > 0 {
            *self.counts.entry(url.authority().into()).or_default() += 1;
        }
    }

    pub(crate) fn is_spent(&self, url: &CanonicalUrl) -> bool {
        self.limit > 0 && self.counts.get(url.authority()).is_some_and(|count| *count >= self.limit)
    }
}
