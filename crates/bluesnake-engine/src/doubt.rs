//! Whether unreachable hosts are to blame, or this machine has lost its network.
//!
//! Failures typical of a lost network are held back until another host responds. If there are many in a row, a URL
//! that responded earlier is requested again; if it fails too, no host is blamed: the run pauses, and the failed URLs
//! stay pending.

use std::collections::VecDeque;

use crate::event::EndReason;
use crate::fetch::FailureKind;
use crate::url::CanonicalUrl;
use crate::visit::{Outcome, Visit};

/// How every host fails on a machine without network, or with one that leads nowhere.
pub(crate) const NO_NETWORK: [FailureKind; 5] = [
    FailureKind::DnsNotFound,
    FailureKind::DnsFailed,
    FailureKind::Unreachable,
    FailureKind::ConnectTimeout,
    FailureKind::Proxy,
];

/// Limit on visits held back.
pub(crate) const MOST_HELD: usize = 10_000;

/// What a visit says about the network.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Sign {
    /// It failed as everything does without network.
    Silence,
    /// The network works.
    Response,
    /// Nothing: no request was made.
    None,
}

impl Sign {
    /// What this visit says.
    pub(crate) fn of(visit: &Visit) -> Self {
        match &visit.outcome {
            Outcome::Failed(failure) if NO_NETWORK.contains(&failure.kind) => Self::Silence,
            Outcome::Failed(failure) if failure.kind == FailureKind::AddressRefused => Self::None,
            Outcome::Refused { .. } => Self::None,
            Outcome::Responded | Outcome::Redirected { .. } | Outcome::RedirectLoop | Outcome::Failed(_) => {
                Self::Response
            }
        }
    }
}

/// What is known about the network.
#[derive(Debug)]
pub(crate) enum Network {
    /// Unknown until this request responds.
    Probe(CanonicalUrl),
    /// It works: the hosts are to blame.
    There,
    /// It is lost.
    Lost,
}

/// A run of visits that look as if this machine had no network.
#[derive(Debug)]
pub(crate) struct Doubt<V> {
    /// How many are many; 0 turns the check off.
    many: usize,
    held: Vec<V>,
    held_bytes: usize,
    /// What remains to be requested to find out, while undecided.
    probes: Option<VecDeque<CanonicalUrl>>,
    is_probing: bool,
}

impl<V> Doubt<V> {
    pub(crate) fn new(many: u32) -> Self {
        Self { many: many as usize, held: Vec::new(), held_bytes: 0, probes: None, is_probing: false }
    }

    /// Takes a visit of this many bytes; returns those that can be recorded, in order of arrival.
    pub(crate) fn sort_out(&mut self, visit: V, bytes: usize, sign: Sign) -> Vec<V> {
        match sign {
            Sign::Silence if self.many > 0 => {
                self.held_bytes += bytes;
                self.held.push(visit);
                Vec::new()
            }
            Sign::None => vec![visit],
            Sign::Silence | Sign::Response => {
                let mut believed = self.believe();
                believed.push(visit);
                believed
            }
        }
    }

    /// The hosts are to blame: returns the visits held back, to be recorded.
    pub(crate) fn believe(&mut self) -> Vec<V> {
        self.probes = None;
        self.held_bytes = 0;
        std::mem::take(&mut self.held)
    }

    /// Bytes of the visits held back.
    pub(crate) fn held_bytes(&self) -> usize {
        self.held_bytes
    }

    /// Whether the limit is reached; no further visit starts until it is decided whether the network is down.
    pub(crate) fn is_full(&self) -> bool {
        self.held.len() >= MOST_HELD
    }

    pub(crate) fn is_many(&self) -> bool {
        self.held.len() >= self.many
    }

    /// Whether nothing is held back and nothing is being checked.
    pub(crate) fn is_settled(&self) -> bool {
        self.held.is_empty() && !self.is_probing
    }

    /// Whether the network is being checked.
    pub(crate) fn is_open(&self) -> bool {
        self.probes.is_some() || self.is_probing
    }

    /// Checks the network if it is time: nothing else will arrive, or many visits are in doubt and a witness, which
    /// responded earlier, is known.
    pub(crate) fn question(
        &mut self,
        is_over: bool,
        witnesses: impl IntoIterator<Item = CanonicalUrl>,
    ) -> Option<Network> {
        if self.held.is_empty() || self.is_open() || !(is_over || self.is_many()) {
            return None;
        }
        let probes: VecDeque<CanonicalUrl> = witnesses.into_iter().collect();
        if !probes.is_empty() {
            self.probes = Some(probes);
            return self.next_probe();
        }
        // If nothing has ever responded, a few failures are no reason for doubt.
        is_over.then(|| if self.is_many() { Network::Lost } else { Network::There })
    }

    /// Takes the visit of a probe.
    pub(crate) fn probed(&mut self, visit: &Visit) -> Option<Network> {
        self.is_probing = false;
        self.probes.as_ref()?;
        // A refusal by known rules takes no request, so it says nothing.
        if Sign::of(visit) == Sign::Response { Some(Network::There) } else { self.next_probe() }
    }

    fn next_probe(&mut self) -> Option<Network> {
        let probe = self.probes.as_mut()?.pop_front();
        self.is_probing = probe.is_some();
        Some(probe.map_or(Network::Lost, Network::Probe))
    }
}

/// Why a run pauses on a machine without network.
pub(crate) fn network_lost() -> EndReason {
    EndReason::HostGivenUp { host: "the network".to_owned(), why: "no host can be reached any more".to_owned() }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn visits_held_back_are_limited_and_their_bytes_counted() {
        let mut doubt = Doubt::new(5);
        for number in 0..MOST_HELD {
            assert!(!doubt.is_full());
            assert!(doubt.sort_out(number, 3, Sign::Silence).is_empty());
        }
        assert!(doubt.is_full());
        assert_eq!(doubt.held_bytes(), 3 * MOST_HELD);
        assert_eq!(doubt.sort_out(MOST_HELD, 3, Sign::Response).len(), MOST_HELD + 1);
        assert_eq!((doubt.held_bytes(), doubt.is_full()), (0, false));
    }
}
