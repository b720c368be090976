//! A graph in memory: the reference implementation that other stores are tested against, and enough for small graphs.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Mutex, MutexGuard, PoisonError};

use super::host::Host;
use super::store::{ANSWERED, Again, Edge, Growth, Known, NodeRow, NodeVisit, Standing, StoredMention, WeaveStore};
use crate::admit::Refusal;
use crate::receipt::{Disposition, Number, Reason, Receipt};
use crate::store::{BoxFuture, StoreError};

/// Keeps everything, in number order.
#[derive(Debug, Default)]
pub struct MemoryGraph {
    contents: Mutex<Contents>,
}

#[derive(Debug, Default)]
struct Contents {
    nodes: Vec<NodeRow>,
    by_host: BTreeMap<Host, Number>,
    /// How many subdomains of a domain are nodes.
    subdomains: BTreeMap<String, u32>,
    visits: BTreeMap<Number, NodeVisit>,
    mentions: BTreeMap<(Number, u32), StoredMention>,
    edges: BTreeMap<(Number, Number), u32>,
    /// Hosts that kept their earlier result when revisited.
    kept: BTreeSet<Number>,
    refused: BTreeMap<Host, Refusal>,
}

impl MemoryGraph {
    fn contents(&self) -> MutexGuard<'_, Contents> {
        self.contents.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Every host, in number order.
    pub fn nodes(&self) -> Vec<NodeRow> {
        self.contents().nodes.clone()
    }

    /// The result of each visited host, in number order.
    pub fn visits(&self) -> Vec<NodeVisit> {
        self.contents().visits.values().cloned().collect()
    }

    /// Every link, in number order.
    pub fn edges(&self) -> Vec<Edge> {
        self.contents()
            .edges
            .iter()
            .map(|((from, to), weight)| Edge { from: *from, to: *to, weight: *weight })
            .collect()
    }

    /// Mentioned hosts that did not become nodes, and why.
    pub fn refused(&self) -> Vec<(Host, Refusal)> {
        self.contents().refused.iter().map(|(host, refusal)| (host.clone(), *refusal)).collect()
    }
}

impl Contents {
    fn node(&mut self, number: Number) -> &mut NodeRow {
        &mut self.nodes[number.0 as usize - 1]
    }

    fn standing(&self) -> Standing {
        let pending = self.nodes.iter().filter(|node| node.reason.disposition() == Disposition::Pending);
        let responded = self.nodes.iter().filter(|node| node.reason.disposition() == Disposition::Fetched);
        let nodes = self.nodes.iter().map(|node| (node.reason, 1));
        let refused = self.refused.values().map(|refusal| (Reason::Refused(*refusal), 1));
        Standing {
            nodes: self.nodes.len() as u32,
            pending_depth: pending.map(|node| node.depth).min(),
            mentions_depth: self.mentions.keys().map(|(from, _)| self.nodes[from.0 as usize - 1].depth).min(),
            receipt: nodes.chain(refused).collect::<Receipt>(),
            responded: responded.map(|node| node.host.clone()).take(ANSWERED).collect(),
        }
    }

    fn commit(&mut self, visit: NodeVisit) {
        let node = self.node(visit.number);
        if node.reason != Reason::Queued {
            return;
        }
        node.reason = visit.reason;
        let from = visit.number;
        self.kept.remove(&from);
        if let Some(earlier) = self.visits.get_mut(&from) {
            if visit.falls_short(!earlier.is_unreachable(), earlier.pages_read()) {
                (earlier.pages_limit, earlier.mentions_limit) = (visit.pages_limit, visit.mentions_limit);
                self.kept.insert(from);
                return self.restore(from);
            }
            self.mentions.retain(|(number, _), _| *number != from);
            self.edges.retain(|(number, _), _| *number != from);
        }
        for (mention, position) in visit.mentions.iter().cloned().zip(0..) {
            self.mentions.insert((from, position), StoredMention { from, position, mention });
        }
        self.visits.insert(from, visit);
    }

    fn grow(&mut self, growth: Growth) {
        for node in growth.nodes {
            self.refused.remove(&node.host);
            self.by_host.insert(node.host.clone(), node.number);
            if node.host.is_subdomain() {
                *self.subdomains.entry(node.host.domain().to_owned()).or_default() += 1;
            }
            self.nodes.push(node);
        }
        for Edge { from, to, weight } in growth.edges {
            self.edges.insert((from, to), weight);
        }
        for (host, refusal) in growth.refused {
            self.refused.entry(host).or_insert(refusal);
        }
        for key in growth.taken {
            self.mentions.remove(&key);
        }
        for (number, depth) in growth.nearer {
            self.come_nearer(number, depth);
        }
    }

    fn come_nearer(&mut self, number: Number, depth: u32) {
        if self.node(number).depth <= depth {
            return;
        }
        self.node(number).depth = depth;
        let own = self.edges.range((number, Number(0))..).take_while(|((from, _), _)| *from == number);
        let linked: Vec<Number> = own.map(|((_, to), _)| *to).collect();
        linked.into_iter().for_each(|to| self.come_nearer(to, depth + 1));
    }

    fn visit_again(&mut self, again: Again) {
        for node in self.nodes.iter_mut().filter(|node| node.depth <= again.depth) {
            let was_kept = again.failed && self.kept.contains(&node.number);
            if was_kept || self.visits.get(&node.number).is_some_and(|visit| again.includes(visit)) {
                node.reason = Reason::Queued;
            }
        }
    }

    /// Restores a host to its state when it was visited.
    fn restore(&mut self, number: Number) {
        self.node(number).reason = self.visits[&number].reason;
    }

    fn settle_depths(&mut self, max_depth: u32) {
        let too_deep = Reason::Refused(Refusal::TooDeep);
        for node in &mut self.nodes {
            if node.reason == too_deep && node.depth <= max_depth {
                node.reason = Reason::Queued;
            } else if node.reason == Reason::Queued && node.depth > max_depth {
                node.reason = self.visits.get(&node.number).map_or(too_deep, |visit| visit.reason);
            }
        }
    }
}

impl WeaveStore for MemoryGraph {
    fn standing(&self) -> BoxFuture<'_, Result<Standing, StoreError>> {
        Box::pin(async move { Ok(self.contents().standing()) })
    }

    fn pending(&self, depth: u32, after: Number, limit: usize) -> BoxFuture<'_, Result<Vec<NodeRow>, StoreError>> {
        Box::pin(async move {
            let contents = self.contents();
            let pending = contents.nodes.iter().filter(|node| node.reason.disposition() == Disposition::Pending);
            Ok(pending.filter(|node| node.depth == depth && node.number > after).take(limit).cloned().collect())
        })
    }

    fn commit(&self, visits: Vec<NodeVisit>) -> BoxFuture<'_, Result<(), StoreError>> {
        Box::pin(async move {
            let mut contents = self.contents();
            visits.into_iter().for_each(|visit| contents.commit(visit));
            Ok(())
        })
    }

    fn mentions(&self, depth: u32, limit: usize) -> BoxFuture<'_, Result<Vec<StoredMention>, StoreError>> {
        Box::pin(async move {
            let contents = self.contents();
            let of_depth = |mentioned: &&StoredMention| contents.nodes[mentioned.from.0 as usize - 1].depth == depth;
            Ok(contents.mentions.values().filter(of_depth).take(limit).cloned().collect())
        })
    }

    fn known(&self, hosts: Vec<Host>) -> BoxFuture<'_, Result<Known, StoreError>> {
        Box::pin(async move {
            let contents = self.contents();
            let mut known = Known::default();
            for host in hosts {
                let count = contents.subdomains.get(host.domain());
                known.subdomains.insert(host.domain().to_owned(), count.copied().unwrap_or(0));
                if let Some(number) = contents.by_host.get(&host) {
                    known.nodes.insert(host, (*number, contents.nodes[number.0 as usize - 1].depth));
                }
            }
            Ok(known)
        })
    }

    fn grow(&self, growth: Growth) -> BoxFuture<'_, Result<(), StoreError>> {
        Box::pin(async move {
            self.contents().grow(growth);
            Ok(())
        })
    }

    fn visit_again(&self, again: Again) -> BoxFuture<'_, Result<(), StoreError>> {
        Box::pin(async move {
            self.contents().visit_again(again);
            Ok(())
        })
    }

    fn settle_depths(&self, max_depth: u32) -> BoxFuture<'_, Result<(), StoreError>> {
        Box::pin(async move {
            self.contents().settle_depths(max_depth);
            Ok(())
        })
    }
}
