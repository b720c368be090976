//! Every URL of a run by its key: about 26 bytes each, whatever its length.
//!
//! A URL's number is its position here. One more byte records whether another link could still admit it.

use hashbrown::HashTable;

use crate::admit::Refusal;
use crate::receipt::Number;
use crate::url::UrlKey;

/// The set of all URLs seen, each with its number.
#[derive(Debug, Default)]
pub(crate) struct Seen {
    keys: Vec<UrlKey>,
    /// Zero if the decision is final, otherwise one more than the index of the refusal in [`Refusal::ALL`].
    open: Vec<u8>,
    index: HashTable<u32>,
}

impl Seen {
    pub(crate) fn len(&self) -> usize {
        self.keys.len()
    }

    pub(crate) fn find(&self, key: UrlKey) -> Option<Number> {
        let at = self.index.find(key.hash_bits(), |at| self.keys[*at as usize] == key)?;
        Some(Number(at + 1))
    }

    /// Assigns the next number to a new URL.
    pub(crate) fn insert(&mut self, key: UrlKey) -> Number {
        let at = u32::try_from(self.keys.len()).expect("a run holds fewer than four billion URLs");
        self.keys.push(key);
        self.open.push(0);
        let keys = &self.keys;
        self.index.insert_unique(key.hash_bits(), at, |at| keys[*at as usize].hash_bits());
        Number(at + 1)
    }

    /// The refusal that another link could lift.
    pub(crate) fn open_refusal(&self, number: Number) -> Option<Refusal> {
        let place = self.open[number.0 as usize - 1].checked_sub(1)?;
        Some(Refusal::ALL[usize::from(place)])
    }

    pub(crate) fn leave_open(&mut self, number: Number, refusal: Refusal) {
        let place = Refusal::ALL.iter().position(|known| *known == refusal).expect("every refusal is listed");
        self.open[number.0 as usize - 1] = place as u8 + 1;
    }

    pub(crate) fn close(&mut self, number: Number) {
        self.open[number.0 as usize - 1] = 0;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::url::CanonicalUrl;

    #[test]
    fn numbers_are_given_in_the_order_of_arrival_and_found_again() {
        let mut seen = Seen::default();
        let keys: Vec<UrlKey> =
            (0..1000).map(|i| CanonicalUrl::parse(&format!("http://a/{i}")).unwrap().key()).collect();
        for (at, key) in keys.iter().enumerate() {
            assert_eq!(seen.find(*key), None);
            assert_eq!(seen.insert(*key), Number(at as u32 + 1));
        }
        assert_eq!(seen.find(keys[500]), Some(Number(501)));
    }

    #[test]
    fn an_open_refusal_is_remembered_until_it_is_lifted() {
        let mut seen = Seen::default();
        let number = seen.insert(CanonicalUrl::parse("http://a/").unwrap().key());
        for refusal in Refusal::ALL.iter().copied() {
            seen.leave_open(number, refusal);
            assert_eq!(seen.open_refusal(number), Some(refusal));
        }
        seen.close(number);
        assert_eq!(seen.open_refusal(number), None);
    }
}
