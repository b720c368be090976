//! A declared site once it listens: URLs filled in, replies ready.
//!
//! [`World::answer`] is the one place that decides the reply to a request; the protocol modules only transport it.

use std::collections::HashMap;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
use std::time::Duration;

use crate::address::{Addresses, split_query};
use crate::broken_content;
use crate::fault::Fault;
use crate::folder;
use crate::large::Large;
use crate::latency::Latency;
use crate::log::Log;
use crate::mode::{Effect, Mode, Weather};
use crate::page::Page;
use crate::reply::Prepared;
use crate::site::{Route, Site};
use crate::trap::Trap;
use crate::web::Web;

/// Everything the server needs to respond.
pub(crate) struct World {
    pub(crate) addresses: Addresses,
    pub(crate) log: Arc<Log>,
    /// Whether a port with TLS responds to http, too.
    pub(crate) offers_http: bool,
    main: Domain,
    hosts: HashMap<String, Domain>,
    web: Option<Web>,
    trapped: AtomicU64,
}

/// The response to one request.
pub(crate) enum Answer {
    Reply(Arc<Prepared>),
    Fault(Fault),
}

/// The response, and how long to wait before sending it.
pub(crate) struct Planned {
    pub(crate) answer: Answer,
    pub(crate) wait: Duration,
}

struct Domain {
    origin: String,
    routes: HashMap<String, Ready>,
    traps: Vec<(String, Trap)>,
    large: Vec<(String, Large)>,
    folders: Vec<(String, PathBuf)>,
    latency: Latency,
    latency_seed: u64,
    weather: Vec<Weather>,
    missing: Arc<Prepared>,
}

enum Ready {
    Replies { replies: Vec<Arc<Prepared>>, asked: AtomicUsize },
    Fault(Fault),
}

impl World {
    pub(crate) fn new(site: &Site, addresses: Addresses) -> Self {
        let domain = |name: &str, site| Domain::new(site, &addresses, addresses.origin_of(name));
        Self {
            main: domain(&addresses.ip, site),
            hosts: site.hosts.iter().map(|(name, site)| (name.clone(), domain(name, site))).collect(),
            web: site.web.clone(),
            offers_http: site.offers_http,
            log: Arc::new(Log::new(site.keeps_log)),
            trapped: AtomicU64::new(0),
            addresses,
        }
    }

    /// The response to this request. Counts it: sequences and storms advance.
    pub(crate) fn answer(&self, host: &str, target: &str) -> Planned {
        let domain = self.hosts.get(host).unwrap_or(&self.main);
        let answer = self
            .struck(domain, target)
            .or_else(|| domain.declared(target))
            .or_else(|| self.trap(domain, target))
            .or_else(|| Self::large(domain, target))
            .or_else(|| Self::file(domain, target))
            .or_else(|| self.generated(host, target))
            .unwrap_or_else(|| Answer::Reply(Arc::clone(&domain.missing)));
        let thinking = domain.latency.of(domain.latency_seed, target);
        let delay = if let Answer::Reply(reply) = &answer { reply.delay } else { Duration::ZERO };
        Planned { answer, wait: thinking + delay }
    }

    /// Whether connections are accepted and then ignored.
    pub(crate) fn is_silent(&self) -> bool {
        self.main.weather.iter().any(|weather| *weather.mode() == Mode::SilentAfterAccept)
    }

    /// The number of requests after which an HTTP/2 connection gets GOAWAY.
    pub(crate) fn goes_away_after(&self) -> Option<u64> {
        self.main.weather.iter().find_map(|weather| match weather.mode() {
            Mode::GoAwayAfter(requests) => Some(*requests),
            _ => None,
        })
    }

    fn struck(&self, domain: &Domain, target: &str) -> Option<Answer> {
        domain.weather.iter().find_map(|weather| weather.strike(target)).map(|effect| match effect {
            Effect::Reply(reply) => Answer::Reply(Arc::clone(&reply.prepare(&self.addresses, &domain.origin)[0])),
            Effect::Fault(fault) => Answer::Fault(fault),
        })
    }

    fn trap(&self, domain: &Domain, target: &str) -> Option<Answer> {
        let (prefix, trap) = domain.traps.iter().find(|(prefix, _)| is_under(target, prefix))?;
        let number = self.trapped.fetch_add(1, Ordering::Relaxed);
        Some(Answer::Reply(Arc::new(trap.answer(prefix, target, number))))
    }

    fn large(domain: &Domain, target: &str) -> Option<Answer> {
        let (prefix, large) = domain.large.iter().find(|(prefix, _)| is_under(target, prefix))?;
        let page = large.page(prefix, target)?;
        Some(Answer::Reply(Arc::new(Prepared::page(200, page.to_html()))))
    }

    fn file(domain: &Domain, target: &str) -> Option<Answer> {
        let mut folders = domain.folders.iter();
        let reply = folders.find_map(|(prefix, path)| folder::answer(path, prefix, target))?;
        Some(Answer::Reply(Arc::new(reply)))
    }

    fn generated(&self, host: &str, target: &str) -> Option<Answer> {
        let reply = self.web.as_ref()?.answer(&self.addresses, host, target)?;
        Some(Answer::Reply(Arc::new(reply)))
    }
}

impl Domain {
    fn new(site: &Site, addresses: &Addresses, origin: String) -> Self {
        let ready = |route: &Route| Ready::new(route, addresses, &origin);
        let missing = Page::titled("Not found").status(404).reply().prepare(addresses, &origin);
        Self {
            routes: site.routes.iter().map(|(path, route)| (path.clone(), ready(route))).collect(),
            traps: site.traps.clone(),
            large: site.large.clone(),
            folders: site.folders.clone(),
            latency: site.latency,
            latency_seed: site.latency_seed,
            weather: site.modes.iter().cloned().map(Weather::new).collect(),
            missing: Arc::clone(&missing[0]),
            origin,
        }
    }

    fn declared(&self, target: &str) -> Option<Answer> {
        let ready = self.routes.get(target).or_else(|| self.routes.get(split_query(target).0))?;
        Some(match ready {
            Ready::Fault(fault) => Answer::Fault(fault.clone()),
            Ready::Replies { replies, asked } => {
                let number = asked.fetch_add(1, Ordering::Relaxed).min(replies.len() - 1);
                Answer::Reply(Arc::clone(&replies[number]))
            }
        })
    }
}

impl Ready {
    fn new(route: &Route, addresses: &Addresses, origin: &str) -> Self {
        let reply = match route {
            Route::Page(page) => page.reply(),
            Route::Reply(reply) => reply.clone(),
            Route::Fault(fault) => match broken_content::reply(fault) {
                Some(reply) => reply,
                None => return Self::Fault(fault.clone()),
            },
        };
        Self::Replies { replies: reply.prepare(addresses, origin), asked: AtomicUsize::new(0) }
    }
}

/// Whether the target is the prefix itself or below it, as a path or a query.
pub(crate) fn is_under(target: &str, prefix: &str) -> bool {
    target.strip_prefix(prefix).is_some_and(|rest| rest.is_empty() || rest.starts_with(['/', '?']))
}
