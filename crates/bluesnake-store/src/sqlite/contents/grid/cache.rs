//! Grids and orders that are kept in memory, within a budget of bytes; the least recently used go first.

use std::hash::Hash;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use hashbrown::HashMap;

use super::columns::Grid;
use super::facets::{Facet, FacetCounts, Histogram, HistogramOf};
use super::filter::RowFilter;
use super::rows::RowSort;
use super::select::Bits;

/// For the columns of runs.
const GRID_BYTES: usize = 128 << 20;
/// For orders, and for sets of URLs that are expensive to find.
const ORDER_BYTES: usize = 64 << 20;
/// For facets, and for histograms.
const COUNT_BYTES: usize = 4 << 20;

/// What a database keeps in memory for lists.
#[derive(Debug)]
pub(in crate::sqlite) struct Kept {
    pub(super) grids: Cache<GridId, Grid>,
    pub(super) orders: Cache<(GridId, RowFilter, RowSort), Vec<u32>>,
    pub(super) sets: Cache<(GridId, Set), Bits>,
    pub(super) facets: Cache<(GridId, RowFilter, Vec<Facet>), FacetCounts>,
    pub(super) histograms: Cache<(GridId, RowFilter, (HistogramOf, usize)), Histogram>,
}

impl Default for Kept {
    fn default() -> Self {
        Self {
            grids: Cache::new(GRID_BYTES),
            orders: Cache::new(ORDER_BYTES * 3 / 4),
            sets: Cache::new(ORDER_BYTES / 4),
            facets: Cache::new(COUNT_BYTES),
            histograms: Cache::new(COUNT_BYTES),
        }
    }
}

/// Identifies the state of a run.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) enum GridId {
    /// As its audit left it.
    Sealed {
        /// The id of the audit, which belongs to one run.
        audit: i64,
    },
    /// As it is while it grows.
    Live {
        run: i64,
        urls: u64,
        visits: u64,
        /// When its state changed: clearing a queue adds no visits.
        changed_at: i64,
    },
}

/// A set of URLs that is not found in columns.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(super) enum Set {
    Search(String),
    Prefix(String),
    Issue(String),
    /// Pages on which a rule found something.
    Contains(String),
    /// Pages on which it found nothing.
    Lacks(String),
}

/// What an entry takes besides its key and its value: a slot in the map, a lock and counters.
const ENTRY_BYTES: usize = 200;

/// What a key takes in memory besides itself.
pub(super) trait Weight {
    fn weight(&self) -> usize;
}

impl Weight for GridId {
    fn weight(&self) -> usize {
        0
    }
}

impl<T> Weight for (GridId, RowFilter, T) {
    fn weight(&self) -> usize {
        size_of::<Self>() + self.1.weight()
    }
}

impl Weight for (GridId, Set) {
    fn weight(&self) -> usize {
        match &self.1 {
            Set::Search(text) | Set::Prefix(text) | Set::Issue(text) | Set::Contains(text) | Set::Lacks(text) => {
                text.len()
            }
        }
    }
}

/// Values by key. Whoever asks for a value that is being made waits for it.
#[derive(Debug)]
pub(super) struct Cache<K, V> {
    budget: usize,
    entries: Mutex<Entries<K, V>>,
}

#[derive(Debug)]
struct Entries<K, V> {
    by_key: HashMap<K, Entry<V>>,
    /// The sum over all entries.
    bytes: usize,
    /// Counts uses.
    now: u64,
}

#[derive(Debug)]
struct Entry<V> {
    slot: Arc<Mutex<Option<Arc<V>>>>,
    /// 0 until it is made.
    bytes: usize,
    used: u64,
}

impl<K: Clone + Eq + Hash + Weight, V> Cache<K, V> {
    pub(super) fn new(budget: usize) -> Self {
        Self { budget, entries: Mutex::new(Entries { by_key: HashMap::new(), bytes: 0, now: 0 }) }
    }

    /// The value of a key; made if it is not kept, by one caller at a time.
    pub(super) fn get_or_make<E>(
        &self,
        key: &K,
        weight: impl FnOnce(&V) -> usize,
        make: impl FnOnce() -> Result<V, E>,
    ) -> Result<Arc<V>, E> {
        let slot = self.slot(key);
        let mut value = slot.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(value) = &*value {
            return Ok(Arc::clone(value));
        }
        let made = make();
        match made {
            Ok(made) => {
                let made = Arc::new(made);
                *value = Some(Arc::clone(&made));
                drop(value);
                self.weigh(key, weight(&made));
                Ok(made)
            }
            Err(error) => {
                self.lock().by_key.remove(key);
                Err(error)
            }
        }
    }

    /// The newest kept value whose key fits.
    pub(super) fn find(&self, fits: impl Fn(&K) -> bool) -> Option<K> {
        let entries = self.lock();
        let fitting = entries.by_key.iter().filter(|(key, entry)| entry.bytes > 0 && fits(key));
        fitting.max_by_key(|(_, entry)| entry.used).map(|(key, _)| key.clone())
    }

    fn slot(&self, key: &K) -> Arc<Mutex<Option<Arc<V>>>> {
        let mut entries = self.lock();
        entries.now += 1;
        let now = entries.now;
        let entry =
            entries.by_key.entry_ref(key).or_insert_with(|| Entry { slot: Arc::default(), bytes: 0, used: now });
        entry.used = now;
        Arc::clone(&entry.slot)
    }

    /// Notes the size of a value, and drops others until all fit. This one stays, whatever its size.
    pub(super) fn weigh(&self, key: &K, value_bytes: usize) {
        let mut entries = self.lock();
        let Entries { by_key, bytes, .. } = &mut *entries;
        let Some(entry) = by_key.get_mut(key) else { return };
        let own = ENTRY_BYTES + key.weight() + value_bytes;
        *bytes = *bytes - entry.bytes + own;
        entry.bytes = own;
        while *bytes > self.budget {
            let others = by_key.iter().filter(|(other, entry)| *other != key && entry.bytes > 0);
            let oldest = others.min_by_key(|(_, entry)| entry.used).map(|(key, _)| key.clone());
            let Some(oldest) = oldest.and_then(|oldest| by_key.remove(&oldest)) else { return };
            *bytes -= oldest.bytes;
        }
    }

    fn lock(&self) -> MutexGuard<'_, Entries<K, V>> {
        self.entries.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    impl Weight for u32 {
        fn weight(&self) -> usize {
            0
        }
    }

    impl Weight for String {
        fn weight(&self) -> usize {
            self.len()
        }
    }

    fn ask(cache: &Cache<u32, u32>, key: u32) -> (u32, bool) {
        let mut is_made = false;
        let value = cache.get_or_make(
            &key,
            |_| 40,
            || {
                is_made = true;
                Ok::<_, ()>(key * 2)
            },
        );
        (*value.unwrap(), is_made)
    }

    #[test]
    fn the_least_recently_used_value_is_dropped_first() {
        let cache = Cache::new(2 * (ENTRY_BYTES + 40));
        assert_eq!([1, 2, 1, 3].map(|key| ask(&cache, key)), [(2, true), (4, true), (2, false), (6, true)]);
        assert_eq!([1, 3, 2].map(|key| ask(&cache, key)), [(2, false), (6, false), (4, true)]);
    }

    #[test]
    fn a_value_larger_than_the_budget_is_kept_alone() {
        let cache = Cache::new(10);
        assert_eq!([1, 1, 2, 1].map(|key| ask(&cache, key).1), [true, false, true, true]);
    }

    #[test]
    fn empty_values_and_long_keys_count_too() {
        let cache: Cache<String, ()> = Cache::new(10 * ENTRY_BYTES);
        let keep = |key: &str| cache.get_or_make(&key.to_owned(), |()| 0, || Ok::<_, ()>(())).unwrap();
        (0..1_000).for_each(|number| drop(keep(&number.to_string())));
        assert!((5..10).contains(&cache.lock().by_key.len()));
        keep(&"x".repeat(9 * ENTRY_BYTES));
        assert_eq!(cache.lock().by_key.len(), 1);
        let sum: usize = cache.lock().by_key.values().map(|entry| entry.bytes).sum();
        assert_eq!(cache.lock().bytes, sum);
    }

    #[test]
    fn a_failure_is_not_kept() {
        let cache: Cache<u32, u32> = Cache::new(100);
        assert_eq!(cache.get_or_make(&1, |_| 1, || Err("failed")), Err("failed"));
        assert_eq!(ask(&cache, 1), (2, true));
    }

    #[test]
    fn a_value_is_made_once_for_all_who_wait() {
        let (cache, made) = (Cache::new(100), std::sync::atomic::AtomicUsize::new(0));
        std::thread::scope(|scope| {
            for _ in 0..8 {
                scope.spawn(|| {
                    cache.get_or_make(
                        &1,
                        |_| 1,
                        || {
                            made.fetch_add(1, std::sync::atomic::Ordering::Relaxed);
                            std::thread::yield_now();
                            Ok::<u32, ()>(7)
                        },
                    )
                });
            }
        });
        assert_eq!(made.into_inner(), 1);
    }
}
