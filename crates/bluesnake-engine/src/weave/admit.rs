//! Which hosts mentioned by a level become nodes, and their numbers.
//!
//! Pure. Mentions arrive ordered by (number of the mentioning host, position), which is also the order of the new
//! numbers; nothing else affects them.

use super::host::Host;
use super::store::{Edge, Growth, Known, NodeRow, StoredMention};
use crate::admit::Refusal;
use crate::plan::WeaveSettings;
use crate::receipt::{Number, Reason};

/// Numbers hosts one by one.
#[derive(Debug)]
pub(super) struct Admission<'a> {
    settings: &'a WeaveSettings,
    /// What the store knows, plus additions since.
    known: Known,
    last: u32,
    growth: Growth,
}

impl<'a> Admission<'a> {
    pub(super) fn new(settings: &'a WeaveSettings, known: Known, last: u32) -> Self {
        Self { settings, known, last, growth: Growth::default() }
    }

    /// A seed is always a node, whatever the limits.
    pub(super) fn start_at(&mut self, host: Host) {
        self.enter(host, 0);
    }

    /// Processes the mentions of hosts at one depth.
    pub(super) fn take_up(&mut self, depth: u32, mentioned: StoredMention) {
        let StoredMention { from, position, mention } = mentioned;
        self.growth.taken.push((from, position));
        // An excluded host that is a seed stays in: the user asked for it.
        if mention.is_excluded && !self.known.nodes.contains_key(&mention.host) {
            self.growth.refused.push((mention.host, Refusal::ExcludedHost));
        } else if self.is_one_too_many(&mention.host) {
            self.growth.refused.push((mention.host, Refusal::SubdomainLimit));
        } else {
            let to = self.enter(mention.host, depth + 1);
            self.growth.edges.push(Edge { from, to, weight: mention.pages });
        }
    }

    /// The resulting changes.
    pub(super) fn into_growth(self) -> (Growth, u32) {
        (self.growth, self.last)
    }

    fn is_one_too_many(&self, host: &Host) -> bool {
        let limit = self.settings.max_subdomains_per_root;
        let is_new_subdomain = !self.known.nodes.contains_key(host) && host.is_subdomain();
        let there = self.known.subdomains.get(host.domain()).copied().unwrap_or(0);
        limit > 0 && is_new_subdomain && there >= limit
    }

    /// The number of a host at this depth; a host known to be deeper moves up.
    fn enter(&mut self, host: Host, depth: u32) -> Number {
        if let Some((number, known_depth)) = self.known.nodes.get_mut(&host) {
            if *known_depth > depth {
                *known_depth = depth;
                self.growth.nearer.push((*number, depth));
            }
            return *number;
        }
        self.last += 1;
        let number = Number(self.last);
        if host.is_subdomain() {
            *self.known.subdomains.entry(host.domain().to_owned()).or_default() += 1;
        }
        self.known.nodes.insert(host.clone(), (number, depth));
        let is_near = depth <= self.settings.max_depth;
        let reason = if is_near { Reason::Queued } else { Refusal::TooDeep.into() };
        self.growth.nodes.push(NodeRow { number, host, depth, reason });
        number
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::weave::store::Mention;

    fn host(name: &str) -> Host {
        Host::from_stored(name.to_owned())
    }

    fn mention(from: u32, position: u32, name: &str, pages: u32) -> StoredMention {
        let mention = Mention { host: host(name), pages, is_excluded: name.starts_with("fb.") };
        StoredMention { from: Number(from), position, mention }
    }

    fn grown(settings: &WeaveSettings, known: Known, depth: u32, mentions: Vec<StoredMention>) -> Growth {
        let last = known.nodes.len() as u32;
        let mut admission = Admission::new(settings, known, last);
        mentions.into_iter().for_each(|mention| admission.take_up(depth, mention));
        admission.into_growth().0
    }

    fn known(names: &[&str]) -> Known {
        let numbered = names.iter().zip(1..).map(|(name, number)| (host(name), (Number(number), 0)));
        Known { nodes: numbered.collect(), ..Known::default() }
    }

    #[test]
    fn hosts_are_numbered_in_the_order_of_mentions() {
        let mentions = vec![
            mention(1, 0, "b.test", 2),
            mention(1, 1, "c.test", 1),
            mention(2, 0, "c.test", 3),
            mention(2, 1, "a.test", 1),
        ];
        let growth = grown(&WeaveSettings::default(), known(&["a.test", "x.test"]), 0, mentions);
        let nodes: Vec<_> = growth.nodes.iter().map(|node| (node.number.0, node.host.as_str(), node.depth)).collect();
        assert_eq!(nodes, [(3, "b.test", 1), (4, "c.test", 1)]);
        let edges: Vec<_> = growth.edges.iter().map(|edge| (edge.from.0, edge.to.0, edge.weight)).collect();
        assert_eq!(edges, [(1, 3, 2), (1, 4, 1), (2, 4, 3), (2, 1, 1)]);
        assert_eq!(growth.taken.len(), 4);
    }

    #[test]
    fn subdomains_per_domain_are_limited() {
        let settings = WeaveSettings { max_subdomains_per_root: 2, ..WeaveSettings::default() };
        let names = ["a.x.co.uk", "x.co.uk", "b.x.co.uk", "c.x.co.uk", "a.x.co.uk", "a.y.co.uk"];
        let mentions = names.iter().zip(0..).map(|(name, at)| mention(1, at, name, 1)).collect();
        let growth = grown(&settings, known(&["seed.test"]), 0, mentions);
        let nodes: Vec<_> = growth.nodes.iter().map(|node| node.host.as_str()).collect();
        assert_eq!(nodes, ["a.x.co.uk", "x.co.uk", "b.x.co.uk", "a.y.co.uk"]);
        assert_eq!(growth.refused, [(host("c.x.co.uk"), Refusal::SubdomainLimit)]);
        assert_eq!(growth.edges.len(), 5);
    }

    #[test]
    fn hosts_beyond_the_depth_are_unvisited_nodes() {
        let settings = WeaveSettings { max_depth: 1, ..WeaveSettings::default() };
        let growth = grown(&settings, known(&["a.test"]), 1, vec![mention(1, 0, "b.test", 1)]);
        assert_eq!(growth.nodes[0].reason, Reason::Refused(Refusal::TooDeep));
        assert_eq!(growth.edges.len(), 1);
    }

    #[test]
    fn excluded_hosts_are_only_reported() {
        let growth = grown(&WeaveSettings::default(), known(&["a.test"]), 0, vec![mention(1, 0, "fb.com", 1)]);
        assert_eq!(growth.refused, [(host("fb.com"), Refusal::ExcludedHost)]);
        assert!(growth.nodes.is_empty() && growth.edges.is_empty());
    }

    #[test]
    fn a_host_found_on_a_shorter_path_moves_up() {
        let mut known = known(&["a.test", "b.test"]);
        known.nodes.insert(host("b.test"), (Number(2), 4));
        let growth = grown(&WeaveSettings::default(), known, 0, vec![mention(1, 0, "b.test", 1)]);
        assert_eq!(growth.nearer, [(Number(2), 1)]);
    }
}
