//! One request and its response.
//!
//! [`Fetcher::fetch`] makes a request, waits for the head, reads the body, and returns what happened and how long it
//! took. It follows no redirects and decides nothing about crawling. A request lost with a dead kept connection is
//! sent again on another one, because the server never saw it; all other retries are up to the caller.

use std::fmt;
use std::net::IpAddr;
use std::pin::pin;
use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;
use http::header::{
    ACCEPT, ACCEPT_ENCODING, ACCEPT_LANGUAGE, COOKIE, ETAG, IF_MODIFIED_SINCE, IF_NONE_MATCH, LAST_MODIFIED,
    PROXY_AUTHORIZATION, USER_AGENT,
};
use http::response::Parts as ResponseHead;
use http::{HeaderMap, HeaderValue, Method, Uri};
use http_body_util::Empty;
use tokio::time::{Instant, sleep, sleep_until};

use super::address::Addresses;
use super::body::{self, ReadBody};
use super::cache::Cache;
use super::classify;
use super::connection::{self, Protocols, SendFailure};
use super::connector::{Connector, Opened, Phases, Route};
use super::cookies::Cookies;
use super::credentials::Credentials;
use super::holds::{Hold, Holds};
use super::limits::{Limits, by, connect_limit};
use super::outcome::{Failure, FailureKind};
use super::pool::{Held, Place, Pool, User};
use super::proxy::Proxy;
use super::resolve::{Override, Resolver};
use super::tls::Tls;
use super::{Accept, FetchError, Fetched, HttpVersion, Kept, Problems, Request, Response, Take, Timings};
use crate::plan::FetchSettings;
use crate::space::{Space, Taken};
use crate::url::CanonicalUrl;

/// Minimums of the HTTP library: its buffer size, and the fields its table holds.
const MIN_HEADER_BYTES: usize = 8192;
const MAX_HEADER_COUNT: usize = 10_000;
/// How often to send the first attempt if kept connections turn out to be dead; later attempts are sent once.
const MAX_SENDS: u32 = 2;
/// How many connections may close before accepting a request until it fails.
const MAX_UNSENT: u32 = 8;
/// The first wait when this machine has no sockets left; it doubles each time, up to a second.
const FIRST_REST: Duration = Duration::from_millis(20);

/// A request as sent over the wire.
type Message = http::Request<Empty<Bytes>>;

/// Makes the requests of one crawl; cheap to clone.
#[derive(Clone)]
pub struct Fetcher {
    inner: Arc<Inner>,
    addresses: Arc<Addresses>,
    /// Memory for large bodies; `None` if unlimited.
    bodies: Option<Space>,
    holds: Arc<Holds>,
}

/// What to record about a request while it is made.
struct Record {
    began: Instant,
    timings: Timings,
    sends: u32,
    room: Option<Taken>,
}

struct Inner {
    pool: Pool,
    user: User,
    connector: Connector,
    protocols: Protocols,
    /// The header fields shared by all requests of a kind.
    templates: [HeaderMap; Accept::ALL.len()],
    credentials: Credentials,
    cookies: Cookies,
    cache: Option<Cache>,
    proxy: Option<Proxy>,
    limits: Limits,
}

impl fmt::Debug for Fetcher {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Fetcher").finish_non_exhaustive()
    }
}

/// Problems in the settings, by field: `("fetch.proxy", "…")`. None of them concern the web.
pub fn problems(settings: &FetchSettings) -> Vec<(&'static str, String)> {
    let mut problems = Vec::new();
    Inner::new(settings, Pool::new(1), &mut problems);
    problems
}

impl Fetcher {
    /// A fetcher for one crawl. `own_hosts` are the origins (`https://a.example`) or authorities of its seeds: extra
    /// headers and initial cookies go only there. An origin is exact, so prefer it: headers and cookies meant for
    /// https then never go over http.
    pub fn new(settings: &FetchSettings, own_hosts: impl IntoIterator<Item = String>) -> Result<Self, FetchError> {
        Self::with_pool(settings, own_hosts, Pool::of_this_process())
    }

    /// A fetcher that shares these connections with others.
    pub(super) fn with_pool(
        settings: &FetchSettings,
        own_hosts: impl IntoIterator<Item = String>,
        pool: Pool,
    ) -> Result<Self, FetchError> {
        let mut problems = Vec::new();
        let inner = Inner::new(settings, pool, &mut problems);
        if !problems.is_empty() {
            return Err(FetchError { problems });
        }
        own_hosts.into_iter().for_each(|host| inner.credentials.add_own(&host));
        Ok(Self { inner: Arc::new(inner), addresses: Arc::new(Addresses::new(0)), bodies: None, holds: Arc::default() })
    }

    /// What holds up all requests in flight, if there are `requests` of them.
    pub(crate) fn held_up(&self, requests: usize) -> Option<Hold> {
        self.holds.of_all(requests)
    }

    /// Limits concurrent requests per IP address, whatever the host names; 0 means no limit. Waiting does not count
    /// against a request's time limits.
    #[must_use]
    pub fn per_address(self, most: usize) -> Self {
        Self { addresses: Arc::new(Addresses::new(most)), ..self }
    }

    /// Limits the memory that large bodies share, from when they turn out to be large until the result is dropped.
    /// Waiting does not count against a request's time limits.
    #[must_use]
    pub(crate) fn with_space_for_bodies(self, bytes: usize) -> Self {
        Self { bodies: Some(Space::new(bytes)), ..self }
    }

    /// Adds an origin or authority to the crawl's own hosts.
    pub fn own_host(&self, host: &str) {
        self.inner.credentials.add_own(host);
    }

    /// What connections of the crawl are opened with.
    pub(super) fn connections(&self) -> (&Connector, &Pool) {
        (&self.inner.connector, &self.inner.pool)
    }

    /// The upstream proxy.
    pub(super) fn upstream(&self) -> Option<&Proxy> {
        self.inner.proxy.as_ref()
    }

    /// The header fields that are sent only to some hosts: credentials, extra headers and cookies.
    pub fn private_headers(&self, url: &CanonicalUrl) -> HeaderMap {
        let mut headers = HeaderMap::new();
        self.inner.add_private(url, &mut headers);
        headers
    }

    /// Makes one attempt. Failures are part of the result. While this machine has no sockets left, it waits, which
    /// does not count against the request's time limits.
    pub async fn fetch(&self, request: &Request<'_>) -> Fetched {
        let mut record = Record { began: Instant::now(), timings: Timings::default(), sends: 0, room: None };
        // Cached rules could be years old.
        let cache = self.inner.cache.as_ref().filter(|_| request.accept != Accept::Robots);
        if let (Some(cache), Take::Body(limit)) = (cache, request.take) {
            let permit = self.inner.pool.permit().await;
            let found = cache.find(request.url, request.accept, limit).await;
            drop(permit);
            if let Some(response) = found {
                return Fetched::kept(response);
            }
        }
        let result = self.exchange(request, &mut record).await;
        let result = result.map(|response| or_known(response, request.known));
        record.timings.total = record.began.elapsed();
        if let (Some(cache), Take::Body(_), Ok(response)) = (cache, request.take, &result) {
            let _permit = self.inner.pool.permit().await;
            cache.keep(request.url, request.accept, response).await;
        }
        Fetched { result, timings: record.timings, sends: record.sends, room: record.room }
    }

    /// Sends a request until it gets a response or fails. The clock starts when there is a connection, or room for
    /// one.
    async fn exchange(&self, request: &Request<'_>, record: &mut Record) -> Result<Response, Failure> {
        let inner = &*self.inner;
        let mut shortage = Shortage::default();
        let mut unsent = 0;
        loop {
            let message = inner.message(request)?;
            let place = inner.pool.place(inner.user, request.url.origin());
            let place = self.holds.during(Hold::Connections, place).await;
            record.began = Instant::now();
            record.sends += 1;
            let attempt = async {
                let mut way = inner.way(place, &message, &mut record.timings).await?;
                let arrived = Instant::now();
                let _slot = match inner.address_of(&mut way) {
                    Some(address) => self.addresses.slot(address).await,
                    None => None,
                };
                record.began += arrived.elapsed();
                inner.attempt(request, message, way, self.bodies.as_ref(), record).await
            };
            match attempt.await {
                Ok(response) => return Ok(response),
                Err(Miss::Final(failure)) => return Err(failure),
                Err(Miss::Lost) => {}
                Err(Miss::Unsent(failure)) => {
                    record.sends -= 1;
                    unsent += 1;
                    if unsent > MAX_UNSENT {
                        return Err(failure);
                    }
                }
                Err(Miss::Shortage(failure)) => {
                    record.sends -= 1;
                    let rest = shortage.rest(&inner.pool, inner.limits.timeout, failure);
                    self.holds.during(Hold::Sockets, rest).await?;
                }
            }
        }
    }
}

impl Drop for Inner {
    fn drop(&mut self) {
        self.pool.forget(self.user);
    }
}

impl Inner {
    fn new(settings: &FetchSettings, pool: Pool, problems: &mut Problems) -> Self {
        check_sizes(settings, problems);
        let proxy = proxy(settings, problems);
        let connector = Connector {
            resolver: Resolver::new(overrides(settings, problems), settings.allow_private),
            tls: Tls::new(settings, problems),
            proxy: proxy.clone(),
            allow_private: settings.allow_private,
            time_limit: connect_limit(settings),
            pool: pool.clone(),
        };
        let has_cache = !settings.cache_dir.as_os_str().is_empty();
        Self {
            pool,
            user: User::new(),
            connector,
            protocols: Protocols::new(settings, MAX_HEADER_COUNT, MIN_HEADER_BYTES),
            templates: templates(settings, problems),
            credentials: Credentials::new(settings, problems),
            cookies: Cookies::new(settings, problems),
            cache: has_cache.then(|| Cache::new(&settings.cache_dir, settings.cache_seconds)),
            proxy,
            limits: Limits::of(settings),
        }
    }

    /// Determines how a request gets to its host.
    async fn way(&self, place: Place, message: &Message, timings: &mut Timings) -> Result<Way, Miss> {
        let permit = match place {
            Place::Kept(held) => return Ok(Way::Kept(held)),
            Place::Room(permit) => permit,
        };
        let mut phases = Phases::default();
        match self.connector.route(message.uri(), permit, &mut phases).await {
            Ok(route) => Ok(Way::New(route, phases)),
            Err(failure) => Err(self.not_opened(failure, phases, timings)),
        }
    }

    fn address_of(&self, way: &mut Way) -> Option<IpAddr> {
        match way {
            Way::Kept(held) => held.connection().opened().remote.map(|remote| remote.ip()),
            Way::New(route, _) => self.connector.host_address(route),
        }
    }

    async fn attempt(
        &self,
        request: &Request<'_>,
        message: Message,
        way: Way,
        bodies: Option<&Space>,
        record: &mut Record,
    ) -> Result<Response, Miss> {
        let times = self.limits.times(request.attempt, record.began);
        let mut alarm = pin!(sleep_until(times.head.min(record.began + self.limits.idle)));
        let work = self.head(request, message, way, &mut record.timings, record.sends);
        let (response, mut held) = match by(times.head, alarm.as_mut(), work).await {
            None if times.head == times.total => return Err(Miss::Final(FailureKind::TotalTimeout.into())),
            None => return Err(Miss::Final(FailureKind::HeadersTimeout.into())),
            Some(result) => result?,
        };
        let head_came = Instant::now();
        let (head, body) = response.into_parts();
        let opened = Arc::clone(held.connection().opened());
        let reused = opened.mark_responded();
        record.timings.note_head((!reused).then_some(&opened.phases), head_came - record.began);
        if head.headers.len() > self.limits.header_count {
            return Err(Miss::Final(FailureKind::HeadersTooLarge.into()));
        }
        self.cookies.keep(request.url, &head.headers);
        let read = match request.take {
            Take::Head => {
                drop(body);
                ReadBody::default()
            }
            take => {
                let (extent, pace) = (self.limits.extent(take), self.limits.pace(times));
                let body = body::read(body, &head.headers, extent, pace, alarm, bodies);
                body.await.map_err(|failure| Miss::Final(opened.flood().unwrap_or(failure)))?
            }
        };
        record.began += read.waited;
        record.room = read.room;
        record.timings.body = Some(head_came.elapsed().saturating_sub(read.waited));
        let response = whole_response(head, read.body, &opened, reused);
        drop(opened);
        held.give_back();
        Ok(response)
    }

    /// The head of the response, over a live connection.
    async fn head(
        &self,
        request: &Request<'_>,
        message: Message,
        way: Way,
        timings: &mut Timings,
        sends: u32,
    ) -> Result<(http::Response<connection::Body>, Held), Miss> {
        let (mut held, is_kept) = match way {
            Way::Kept(mut held) => {
                if !held.connection().is_ready().await {
                    return Err(Miss::Unsent(FailureKind::ClosedEarly.into()));
                }
                (held, true)
            }
            Way::New(route, phases) => Box::pin(self.open(request.url, &message, route, phases, timings)).await?,
        };
        let SendFailure { error, is_unsent } = match held.connection().send(message, request.url).await {
            Ok(response) => return Ok((response, held)),
            Err(failure) => failure,
        };
        let opened = held.connection().opened();
        if let Some(flood) = opened.flood() {
            return Err(Miss::Final(flood));
        }
        let failure = classify::head_failure(&error);
        let most = if request.attempt == 1 { MAX_SENDS } else { 1 };
        let miss = if (is_unsent && is_kept) || classify::is_not_taken(&error) {
            Miss::Unsent(failure)
        } else if sends < most && classify::is_lost(&error, &failure, opened.has_responded()) {
            Miss::Lost
        } else {
            return Err(Miss::Final(failure));
        };
        held.discard();
        Err(miss)
    }

    /// Opens a connection and starts HTTP on it. Also returns whether it is a kept one after all, because another
    /// request opened it in the meantime.
    async fn open(
        &self,
        url: &CanonicalUrl,
        message: &Message,
        route: Route,
        mut phases: Phases,
        timings: &mut Timings,
    ) -> Result<(Held, bool), Miss> {
        let failure = match self.connector.open(message.uri(), route, &mut phases).await {
            Ok(stream) => match self.protocols.begin(stream).await {
                Ok(connection) => return Ok(self.pool.opened(self.user, url.origin(), connection)),
                Err(error) => classify::head_failure(&error),
            },
            Err(failure) => failure,
        };
        Err(self.not_opened(failure, phases, timings))
    }

    fn not_opened(&self, failure: Failure, phases: Phases, timings: &mut Timings) -> Miss {
        if failure.kind == FailureKind::Exhausted {
            return Miss::Shortage(failure);
        }
        timings.note_phases(phases);
        Miss::Final(failure)
    }

    fn message(&self, request: &Request<'_>) -> Result<Message, Failure> {
        if !request.url.is_whole() {
            return Err(Failure::new(FailureKind::Unsendable, "it is too long"));
        }
        let uri = Uri::try_from(request.url.as_str())
            .map_err(|error| Failure::new(FailureKind::Unsendable, error.to_string()))?;
        let mut message = Message::new(Empty::new());
        *message.uri_mut() = uri;
        if request.take == Take::Head {
            *message.method_mut() = Method::HEAD;
        }
        let headers = message.headers_mut();
        *headers = self.templates[request.accept as usize].clone();
        self.add_private(request.url, headers);
        if let Some(known) = request.known {
            for (validator, condition) in [(ETAG, IF_NONE_MATCH), (LAST_MODIFIED, IF_MODIFIED_SINCE)] {
                headers.extend(known.headers.get(validator).map(|value| (condition, value.clone())));
            }
        }
        if let Some(authorization) = self.proxy_authorization(request.url) {
            headers.insert(PROXY_AUTHORIZATION, authorization);
        }
        Ok(message)
    }

    /// Adds the header fields that are sent only to some hosts.
    fn add_private(&self, url: &CanonicalUrl, headers: &mut HeaderMap) {
        self.credentials.apply(url, headers);
        let is_own = self.cookies.has_initial() && self.credentials.is_own(url);
        if let Some(cookies) = self.cookies.header(url, is_own) {
            // A Cookie header set by the operator is sent unchanged.
            headers.entry(COOKIE).or_insert(cookies);
        }
    }

    fn proxy_authorization(&self, url: &CanonicalUrl) -> Option<HeaderValue> {
        self.proxy.as_ref().filter(|proxy| proxy.forwards(url.is_https()))?.authorization()
    }
}

/// How a request gets to its host.
enum Way {
    /// Over an open connection.
    Kept(Held),
    /// Over one that has yet to be opened.
    New(Route, Phases),
}

/// Why an attempt got no response.
enum Miss {
    /// It failed.
    Final(Failure),
    /// It was lost with a kept connection that the server had already closed; send it again.
    Lost,
    /// The connection was closed before the server accepted the request.
    Unsent(Failure),
    /// This machine has no sockets left, which is no fault of the host.
    Shortage(Failure),
}

/// A period in which this machine cannot open connections.
#[derive(Default)]
struct Shortage {
    since: Option<Instant>,
    rests: u32,
}

impl Shortage {
    /// Waits before another try. Returns the failure if the process could not open a connection for as long as a
    /// request may take.
    async fn rest(&mut self, pool: &Pool, patience: Duration, failure: Failure) -> Result<(), Failure> {
        let since = *self.since.get_or_insert_with(Instant::now);
        let last_success = pool.last_opened().map_or(since, |opened| opened.max(since));
        if last_success.elapsed() >= patience {
            return Err(failure);
        }
        pool.close_idle();
        let rest = FIRST_REST * (1 << self.rests.min(6));
        self.rests += 1;
        sleep(rest.min(Duration::from_secs(1))).await;
        Ok(())
    }
}

/// The earlier response, if the server says it is unchanged.
fn or_known(response: Response, known: Option<&Response>) -> Response {
    match known {
        Some(known) if response.status == 304 => Response {
            kept: Some(Kept::NotModified),
            remote: response.remote,
            reused: response.reused,
            version: response.version,
            certificate_problem: response.certificate_problem,
            body: super::Body { wire_bytes: response.body.wire_bytes, ..known.body.clone() },
            ..known.clone()
        },
        _ => response,
    }
}

fn whole_response(head: ResponseHead, body: super::Body, opened: &Opened, reused: bool) -> Response {
    Response {
        status: head.status.as_u16(),
        headers: head.headers,
        body,
        version: HttpVersion::of(head.version),
        remote: opened.remote,
        reused,
        kept: None,
        certificate_problem: opened.certificate_problem.clone(),
    }
}

fn check_sizes(settings: &FetchSettings, problems: &mut Problems) {
    let mut require = |holds: bool, field, message: String| {
        if !holds {
            problems.push((field, message));
        }
    };
    let is_count = (1..=MAX_HEADER_COUNT).contains(&settings.header_count);
    require(is_count, "fetch.header_count", format!("must be 1 to {MAX_HEADER_COUNT}"));
    let is_size = settings.header_bytes >= MIN_HEADER_BYTES;
    require(is_size, "fetch.header_bytes", format!("must be at least {MIN_HEADER_BYTES}"));
    require(settings.max_ratio >= 1, "fetch.max_ratio", "must be at least 1".to_owned());
}

fn proxy(settings: &FetchSettings, problems: &mut Problems) -> Option<Proxy> {
    if settings.proxy.is_empty() {
        return None;
    }
    Proxy::parse(&settings.proxy).map_err(|message| problems.push(("fetch.proxy", format!("the proxy {message}")))).ok()
}

fn overrides(settings: &FetchSettings, problems: &mut Problems) -> Vec<Override> {
    let mut overrides = Vec::new();
    for text in &settings.resolve {
        match Override::parse(text) {
            Ok(parsed) => overrides.push(parsed),
            Err(message) => problems.push(("fetch.resolve", message)),
        }
    }
    overrides
}

fn templates(settings: &FetchSettings, problems: &mut Problems) -> [HeaderMap; Accept::ALL.len()] {
    let mut shared = HeaderMap::new();
    let mut add = |name, value: &str, field, problems: &mut Problems| {
        if value.is_empty() {
            return;
        }
        match HeaderValue::try_from(value) {
            Ok(value) => _ = shared.insert(name, value),
            Err(_) => {
                problems.push((field, format!("`{}` has characters that no header may have", value.escape_debug())))
            }
        }
    };
    add(USER_AGENT, &settings.user_agent, "fetch.user_agent", problems);
    add(ACCEPT_LANGUAGE, &settings.accept_language, "fetch.accept_language", problems);
    shared.insert(ACCEPT_ENCODING, HeaderValue::from_static("gzip, deflate, br, zstd"));
    Accept::ALL.map(|accept| {
        let mut headers = shared.clone();
        headers.insert(ACCEPT, HeaderValue::from_static(accept.header(settings.prefer_markdown)));
        headers
    })
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn message(url: &CanonicalUrl) -> Result<Message, Failure> {
        let inner = Inner::new(&FetchSettings::default(), Pool::new(1), &mut Vec::new());
        inner.message(&Request { url, accept: Accept::Page, attempt: 1, take: Take::Count, known: None })
    }

    proptest! {
        #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

        #[test]
        fn every_path_and_query_is_sent_unchanged(path in "\\PC{0,60}", query in "\\PC{0,60}") {
            let url = CanonicalUrl::parse(&format!("http://a.example/{path}?{query}")).unwrap();
            let message = message(&url).unwrap();
            prop_assert_eq!(message.uri().path_and_query().unwrap().as_str(), url.path_and_query());
        }

        #[test]
        fn a_host_is_asked_by_its_name_or_told_to_have_none(host in "[!-~]{1,30}") {
            if let Ok(url) = CanonicalUrl::parse(&format!("http://{host}/")) {
                match message(&url) {
                    Ok(message) => prop_assert_eq!(message.uri().host().unwrap(), url.host()),
                    Err(failure) => prop_assert_eq!(failure.kind, FailureKind::Unsendable),
                }
            }
        }
    }
}
