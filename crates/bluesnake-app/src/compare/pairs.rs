//! Which URL of one run is which of the other: a merge of their identities.

use bluesnake_engine::UrlKey;
use bluesnake_store::{ComparedRuns, DatabaseError, UrlIdentity};

/// A URL of either run, with its number in both; 0 where the run does not know it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Pair {
    pub(super) a: u32,
    pub(super) b: u32,
}

/// A pair with the hash that made it one.
#[derive(Clone, Copy)]
struct Found {
    hash: i64,
    pair: Pair,
}

impl Found {
    /// Its place in the list: where the run that found it first found it. Symmetric, like everything in a comparison.
    fn place(&self) -> (u32, u32, i64) {
        let Pair { a, b } = self.pair;
        let (a, b) = (if a > 0 { a } else { b }, if b > 0 { b } else { a });
        (a.min(b), a.max(b), self.hash)
    }
}

/// Every URL of both runs once, in the order in which they were found. Those of `a` with these numbers share their hash
/// with another URL by chance, and are told apart by their whole fingerprints.
pub(super) fn pairs(runs: &ComparedRuns<'_>, a: i64, b: i64, collisions: &[u32]) -> Result<Vec<Pair>, DatabaseError> {
    let keys = (|number: u32| runs.key_of(a, number), |number: u32| runs.key_of(b, number));
    merge(&runs.identities(a)?, &runs.identities(b)?, collisions, keys)
}

/// The same, of identities that are ordered by hash. `keys` are the whole fingerprints of both runs.
fn merge(
    mut rest_a: &[UrlIdentity],
    mut rest_b: &[UrlIdentity],
    collisions: &[u32],
    keys: (impl Fn(u32) -> Result<UrlKey, DatabaseError>, impl Fn(u32) -> Result<UrlKey, DatabaseError>),
) -> Result<Vec<Pair>, DatabaseError> {
    let mut found = Vec::with_capacity(rest_a.len().max(rest_b.len()));
    while let Some(hash) = rest_a.first().into_iter().chain(rest_b.first()).map(|next| next.hash).min() {
        let mut put = |a, b| found.push(Found { hash, pair: Pair { a, b } });
        match (take(&mut rest_a, hash), take(&mut rest_b, hash)) {
            ([a], [b]) if !collisions.contains(&a.number) => put(a.number, b.number),
            ([a], []) => put(a.number, 0),
            ([], [b]) => put(0, b.number),
            (of_a, of_b) => {
                let mut others = Vec::with_capacity(of_b.len());
                for identity in of_b {
                    others.push((keys.1(identity.number)?, identity.number));
                }
                for identity in of_a {
                    let key = keys.0(identity.number)?;
                    let partner = others.iter().position(|(other, _)| *other == key);
                    put(identity.number, partner.map_or(0, |at| others.swap_remove(at).1));
                }
                others.into_iter().for_each(|(_, number)| put(0, number));
            }
        }
    }
    found.sort_unstable_by_key(Found::place);
    Ok(found.into_iter().map(|found| found.pair).collect())
}

/// Takes the identities with this hash from the front.
fn take<'a>(rest: &mut &'a [UrlIdentity], hash: i64) -> &'a [UrlIdentity] {
    let same = rest.iter().take_while(|identity| identity.hash == hash).count();
    let (taken, others) = rest.split_at(same);
    *rest = others;
    taken
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Hashes by number from 1, as the identities of a run.
    fn identities(hashes: &[i64]) -> Vec<UrlIdentity> {
        let mut all: Vec<_> = (1..).zip(hashes).map(|(number, hash)| UrlIdentity { hash: *hash, number }).collect();
        all.sort_unstable();
        all
    }

    fn key(byte: u8) -> UrlKey {
        UrlKey::from_bytes([byte; 16])
    }

    fn merged(a: &[i64], b: &[i64], collisions: &[u32]) -> Vec<(u32, u32)> {
        // Number 1 of the one run is number 2 of the other, and so on.
        let keys = (|number: u32| Ok(key(number as u8)), |number: u32| Ok(key(number as u8 - 1)));
        let pairs = merge(&identities(a), &identities(b), collisions, keys).unwrap();
        pairs.into_iter().map(|pair| (pair.a, pair.b)).collect()
    }

    #[test]
    fn urls_come_in_the_order_in_which_either_run_found_them() {
        assert_eq!(merged(&[10, 20, 30], &[20, 40, 10], &[]), [(2, 1), (1, 3), (0, 2), (3, 0)]);
        assert_eq!(merged(&[20, 40, 10], &[10, 20, 30], &[]), [(1, 2), (3, 1), (2, 0), (0, 3)], "the mirror image");
        assert_eq!(merged(&[], &[], &[]), []);
    }

    #[test]
    fn urls_that_share_a_hash_by_chance_are_told_apart() {
        assert_eq!(merged(&[7, 7], &[9, 7, 7], &[]), [(0, 1), (1, 2), (2, 3)], "two of each");
        assert_eq!(merged(&[7], &[7], &[]), [(1, 1)], "a pair until its URLs are compared");
        assert_eq!(merged(&[7], &[7], &[1]), [(1, 0), (0, 1)], "different URLs");
    }
}
