//! Connection limits per client, so that no client can take all of them.

use std::collections::HashMap;
use std::net::{IpAddr, Ipv6Addr};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// The connections of each client.
#[derive(Debug)]
pub(crate) struct Places {
    most: usize,
    taken: Mutex<HashMap<IpAddr, usize>>,
}

/// A slot; freed when dropped.
#[derive(Debug)]
pub(crate) struct Place {
    places: Arc<Places>,
    client: IpAddr,
}

impl Places {
    pub(crate) fn new(most: usize) -> Arc<Self> {
        Arc::new(Self { most, taken: Mutex::default() })
    }

    /// A slot for a client; `None` if it is at its limit.
    pub(crate) fn take(self: &Arc<Self>, client: IpAddr) -> Option<Place> {
        let mut taken = self.taken();
        let count = taken.entry(client).or_default();
        if *count >= self.most {
            return None;
        }
        *count += 1;
        Some(Place { places: Arc::clone(self), client })
    }

    fn taken(&self) -> MutexGuard<'_, HashMap<IpAddr, usize>> {
        self.taken.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Drop for Place {
    fn drop(&mut self) {
        let mut taken = self.places.taken();
        let Some(count) = taken.get_mut(&self.client) else { return };
        *count -= 1;
        if *count == 0 {
            taken.remove(&self.client);
        }
    }
}

/// The client behind an address. An IPv6 customer has a whole network (RFC 6177), so the network counts.
pub(crate) fn client_of(address: IpAddr) -> IpAddr {
    match address.to_canonical() {
        IpAddr::V6(address) => {
            let [a, b, c, d, ..] = address.segments();
            Ipv6Addr::new(a, b, c, d, 0, 0, 0, 0).into()
        }
        v4 => v4,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_client_has_its_places_and_gives_them_back() {
        let (places, one, other) = (Places::new(2), "192.0.2.1".parse().unwrap(), "192.0.2.2".parse().unwrap());
        let (first, _second) = (places.take(one).unwrap(), places.take(one).unwrap());
        assert!(places.take(one).is_none());
        let others = places.take(other);
        assert!(others.is_some(), "another client has its own");
        drop((first, others));
        assert!(places.take(one).is_some());
        assert_eq!(places.taken().len(), 1, "clients without connections are forgotten");
    }

    #[test]
    fn a_network_of_ipv6_is_one_client() {
        let client = |text: &str| client_of(text.parse().unwrap());
        assert_eq!(client("2001:db8:1:2::1"), client("2001:db8:1:2:ffff:ffff:ffff:ffff"));
        assert_ne!(client("2001:db8:1:2::1"), client("2001:db8:1:3::1"));
        assert_eq!(client("::ffff:192.0.2.1"), client("192.0.2.1"));
        assert_ne!(client("192.0.2.1"), client("192.0.2.2"));
    }
}
