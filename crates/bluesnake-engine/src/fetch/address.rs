//! Limits concurrent requests per IP address, whatever the host names.

use std::collections::HashMap;
use std::net::IpAddr;
use std::sync::{Arc, Mutex};

use tokio::sync::{OwnedSemaphorePermit, Semaphore};

/// The IP addresses with requests in flight, for one crawl.
pub(super) struct Addresses {
    most: usize,
    busy: Mutex<HashMap<IpAddr, Arc<Semaphore>>>,
}

impl Addresses {
    /// At most `most` concurrent requests per address; 0 means no limit.
    pub(super) fn new(most: usize) -> Self {
        Self { most: most.min(Semaphore::MAX_PERMITS), busy: Mutex::default() }
    }

    /// Waits until another request may go to this address.
    pub(super) async fn slot(&self, address: IpAddr) -> Option<Slot<'_>> {
        if self.most == 0 {
            return None;
        }
        let slots = {
            let mut busy = self.busy.lock().expect("no panic happens while requests are counted");
            Arc::clone(busy.entry(address).or_insert_with(|| Arc::new(Semaphore::new(self.most))))
        };
        let permit = slots.acquire_owned().await.expect("nobody closes it");
        Some(Slot { addresses: self, address, permit: Some(permit) })
    }
}

/// The right to have a request in flight to an address.
pub(super) struct Slot<'a> {
    addresses: &'a Addresses,
    address: IpAddr,
    permit: Option<OwnedSemaphorePermit>,
}

impl Drop for Slot<'_> {
    fn drop(&mut self) {
        let mut busy = self.addresses.busy.lock().expect("no panic happens while requests are counted");
        self.permit = None;
        // Only the map still holds it: the address is unused and nothing waits for it.
        if busy.get(&self.address).is_some_and(|slots| Arc::strong_count(slots) == 1) {
            busy.remove(&self.address);
        }
    }
}

#[cfg(test)]
mod tests {
    use std::net::Ipv4Addr;

    use futures_util::FutureExt;

    use super::*;

    #[tokio::test]
    async fn requests_per_address_are_limited_and_idle_addresses_forgotten() {
        let addresses = Addresses::new(2);
        let [one, other] = [1, 2].map(|last| IpAddr::from(Ipv4Addr::new(192, 0, 2, last)));
        let first = addresses.slot(one).await;
        let second = addresses.slot(one).await;
        let mut third = Box::pin(addresses.slot(one));
        assert!(third.as_mut().now_or_never().is_none());
        assert!(addresses.slot(other).now_or_never().is_some(), "another address has its own");
        drop(first);
        let third = third.await;
        drop((second, third));
        assert!(addresses.busy.lock().unwrap().is_empty());
        assert!(Addresses::new(0).slot(one).await.is_none(), "0 is no limit");
    }
}
