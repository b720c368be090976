//! One request and its answer.
//!
//! [`Fetcher::fetch`] makes a request, waits for the head, reads the body, and tells what happened and how long it took. It
//! follows no redirect and decides nothing about crawling. A request that a kept connection lost on its way is sent
//! again on another one, because the server never saw it; any other attempt is the caller's.

use std::error::Error;
use std::fmt;
use std::future::Future;
use std::pin::{Pin, pin};
use std::sync::Arc;
use std::task::Poll;
use std::time::Duration;

use bytes::Bytes;
use http::header::{
    ACCEPT, ACCEPT_ENCODING, ACCEPT_LANGUAGE, COOKIE, ETAG, IF_MODIFIED_SINCE, IF_NONE_MATCH, LAST_MODIFIED,
    PROXY_AUTHORIZATION, USER_AGENT,
};
use http::response::Parts as ResponseHead;
use http::{Extensions, HeaderMap, HeaderValue, Method, Request, Response, Uri};
use http_body_util::Empty;
use hyper::body::Incoming;
use hyper_util::client::legacy::{Client, Error as ClientError};
use hyper_util::rt::{TokioExecutor, TokioTimer};
use tokio::time::{Instant, Sleep, sleep_until};

use super::body::{self, Extent, Pace};
use super::cache::Cache;
use super::classify;
use super::connector::{ConnectFailure, Connector, Opened, Parts, Phases};
use super::cookies::Cookies;
use super::credentials::Credentials;
use super::outcome::{Failure, FailureKind};
use super::proxy::Proxy;
use super::resolve::{Override, Resolver};
use super::tls::Tls;
use super::{Accept, Answer, Ask, FetchError, Fetched, HttpVersion, Kept, Problems, Take, Timings};
use crate::plan::FetchSettings;
use crate::url::CanonicalUrl;

const POOL_IDLE: Duration = Duration::from_secs(20);
/// As many as there may be requests under way; the idle time is what keeps the pool small.
const POOL_MAX_IDLE_PER_HOST: usize = 1000;
/// The HTTP library's own bounds: for its buffer, and for the fields that its table holds.
const MIN_HEADER_BYTES: usize = 8192;
const MAX_HEADER_COUNT: usize = 10_000;
/// No wait is longer, whatever the settings say, so that times can always be added.
const LONGEST_WAIT_MS: u64 = 24 * 60 * 60 * 1000;
/// How long a body may be slower than the minimum rate.
const SLOWNESS_PATIENCE: Duration = Duration::from_secs(20);
/// How often the first attempt is sent when a kept connection turns out to be dead; later attempts are sent once.
const MAX_SENDS: u32 = 2;

/// Makes the requests of one crawl; cheap to clone.
#[derive(Clone)]
pub struct Fetcher {
    inner: Arc<Inner>,
}

struct Inner {
    client: Client<Connector, Empty<Bytes>>,
    /// The header fields that every request of a kind has.
    templates: [HeaderMap; Accept::ALL.len()],
    credentials: Credentials,
    cookies: Cookies,
    cache: Option<Cache>,
    proxy: Option<Proxy>,
    limits: Limits,
}

#[derive(Clone, Copy)]
struct Limits {
    timeout: Duration,
    timeout_step: Duration,
    total: Duration,
    idle: Duration,
    min_rate: u64,
    header_count: usize,
    count_limit: u64,
    max_ratio: u64,
}

impl fmt::Debug for Fetcher {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Fetcher").finish_non_exhaustive()
    }
}

/// What is wrong with the settings; none of it is about the web.
pub(super) fn problems(settings: &FetchSettings) -> Problems {
    let mut problems = Vec::new();
    Inner::new(settings, &mut problems);
    problems
}

impl Fetcher {
    /// A fetcher for one crawl. `own_hosts` are the origins (`https://a.example`) or authorities of its seeds: extra
    /// headers and initial cookies go there and nowhere else. An origin is exact, so prefer it: what is given for https
    /// then never goes over http.
    pub fn new(settings: &FetchSettings, own_hosts: impl IntoIterator<Item = String>) -> Result<Self, FetchError> {
        let mut problems = Vec::new();
        let inner = Inner::new(settings, &mut problems);
        if !problems.is_empty() {
            return Err(FetchError { problems });
        }
        own_hosts.into_iter().for_each(|host| inner.credentials.add_own(&host));
        Ok(Self { inner: Arc::new(inner) })
    }

    /// Adds an origin or authority to the crawl's own hosts.
    pub fn own_host(&self, host: &str) {
        self.inner.credentials.add_own(host);
    }

    /// Makes one attempt. What goes wrong is part of the result.
    pub async fn fetch(&self, ask: &Ask<'_>) -> Fetched {
        let began = Instant::now();
        // Rules that were kept on disk may be years old.
        let cache = self.inner.cache.as_ref().filter(|_| ask.accept != Accept::Robots);
        if let (Some(cache), Take::Body(limit)) = (cache, ask.take)
            && let Some(answer) = cache.find(ask.url, ask.accept, limit).await
        {
            let timings = Timings { total: began.elapsed(), ..Timings::default() };
            return Fetched { result: Ok(answer), timings, sends: 0 };
        }
        let (mut timings, mut sends) = (Timings::default(), 0);
        let result = self.inner.exchange(ask, began, &mut timings, &mut sends).await;
        let result = result.map(|answer| or_known(answer, ask.known));
        timings.total = began.elapsed();
        if let (Some(cache), Take::Body(_), Ok(answer)) = (cache, ask.take, &result) {
            cache.keep(ask.url, ask.accept, answer).await;
        }
        Fetched { result, timings, sends }
    }
}

impl Inner {
    fn new(settings: &FetchSettings, problems: &mut Problems) -> Self {
        check_sizes(settings, problems);
        let proxy = proxy(settings, problems);
        let connector = Connector::new(Parts {
            resolver: Resolver::new(overrides(settings, problems), settings.allow_private),
            tls: Tls::new(settings, problems),
            proxy: proxy.clone(),
            allow_private: settings.allow_private,
            time_limit: connect_limit(settings),
        });
        let has_cache = !settings.cache_dir.as_os_str().is_empty();
        Self {
            client: client(settings, connector),
            templates: templates(settings, problems),
            credentials: Credentials::new(settings, problems),
            cookies: Cookies::new(settings, problems),
            cache: has_cache.then(|| Cache::new(&settings.cache_dir, settings.cache_seconds)),
            proxy,
            limits: Limits::of(settings),
        }
    }

    async fn exchange(
        &self,
        ask: &Ask<'_>,
        began: Instant,
        timings: &mut Timings,
        sends: &mut u32,
    ) -> Result<Answer, Failure> {
        let times = self.limits.times(ask.attempt, began);
        let mut alarm = pin!(sleep_until(times.head.min(began + self.limits.idle)));
        let response = self.head(ask, times, alarm.as_mut(), timings, sends).await?;
        let head_came = Instant::now();
        let (head, body) = response.into_parts();
        let (opened, reused) = connection(&head.extensions);
        timings.note_head(opened.map(|opened| &opened.phases).filter(|_| !reused), head_came - began);
        if head.headers.len() > self.limits.header_count {
            return Err(FailureKind::HeadersTooLarge.into());
        }
        self.cookies.keep(ask.url, &head.headers);
        let body = match ask.take {
            Take::Head => super::Body::default(),
            take => body::read(body, &head.headers, self.limits.extent(take), self.limits.pace(times), alarm).await?,
        };
        timings.body = Some(head_came.elapsed());
        let opened = opened.cloned();
        Ok(answer(head, body, opened.as_deref(), reused))
    }

    /// The head of the answer, over a connection that lives.
    async fn head(
        &self,
        ask: &Ask<'_>,
        times: Times,
        mut alarm: Pin<&mut Sleep>,
        timings: &mut Timings,
        sends: &mut u32,
    ) -> Result<Response<Incoming>, Failure> {
        let most = if ask.attempt == 1 { MAX_SENDS } else { 1 };
        loop {
            *sends += 1;
            let request = self.request(ask)?;
            let error = match by(times.head, alarm.as_mut(), self.client.request(request)).await {
                None if times.head == times.total => return Err(FailureKind::TotalTimeout.into()),
                None => return Err(FailureKind::HeadersTimeout.into()),
                Some(Ok(response)) => return Ok(response),
                Some(Err(error)) => error,
            };
            let failure = classify::head_failure(&error);
            if *sends == most || !classify::is_unanswered(&error, &failure, was_kept(&error)) {
                timings.note_phases(phases_of(&error));
                return Err(failure);
            }
        }
    }

    fn request(&self, ask: &Ask<'_>) -> Result<Request<Empty<Bytes>>, Failure> {
        let uri = Uri::try_from(ask.url.as_str())
            .map_err(|error| Failure::new(FailureKind::Unsendable, error.to_string()))?;
        let mut request = Request::new(Empty::new());
        *request.uri_mut() = uri;
        if ask.take == Take::Head {
            *request.method_mut() = Method::HEAD;
        }
        let headers = request.headers_mut();
        *headers = self.templates[ask.accept as usize].clone();
        self.credentials.apply(ask.url, ask.referer, headers);
        if let Some(known) = ask.known {
            for (validator, condition) in [(ETAG, IF_NONE_MATCH), (LAST_MODIFIED, IF_MODIFIED_SINCE)] {
                headers.extend(known.headers.get(validator).map(|value| (condition, value.clone())));
            }
        }
        let is_own = self.cookies.has_initial() && self.credentials.is_own(ask.url);
        if let Some(cookies) = self.cookies.header(ask.url, is_own) {
            // A Cookie header that the operator wrote by hand is sent as it stands.
            headers.entry(COOKIE).or_insert(cookies);
        }
        if let Some(authorization) = self.proxy_authorization(ask.url) {
            headers.insert(PROXY_AUTHORIZATION, authorization);
        }
        Ok(request)
    }

    fn proxy_authorization(&self, url: &CanonicalUrl) -> Option<HeaderValue> {
        self.proxy.as_ref().filter(|proxy| proxy.forwards(url.is_https()))?.authorization()
    }
}

/// When an attempt must have come how far.
#[derive(Clone, Copy)]
struct Times {
    head: Instant,
    total: Instant,
}

impl Limits {
    fn of(settings: &FetchSettings) -> Self {
        Self {
            timeout: wait(settings.timeout_ms),
            timeout_step: wait(settings.timeout_step_ms),
            total: wait(settings.total_timeout_ms),
            idle: wait(settings.idle_timeout_ms),
            min_rate: settings.min_rate,
            header_count: settings.header_count,
            count_limit: if settings.body_limit == 0 { u64::MAX } else { settings.body_limit as u64 },
            max_ratio: settings.max_ratio as u64,
        }
    }

    /// Each further attempt has a step more time than the one before.
    fn times(&self, attempt: u32, began: Instant) -> Times {
        let more = self.timeout_step * attempt.saturating_sub(1);
        let total = began + self.total + more;
        Times { head: total.min(began + self.timeout + more), total }
    }

    fn extent(&self, take: Take) -> Extent {
        Extent { take, count_limit: self.count_limit, max_ratio: self.max_ratio }
    }

    fn pace(&self, times: Times) -> Pace {
        Pace { idle: self.idle, deadline: times.total, min_rate: self.min_rate, patience: SLOWNESS_PATIENCE }
    }
}

/// What the work gives, or nothing once the time has come. The alarm may ring earlier and is then set anew.
async fn by<T>(deadline: Instant, mut alarm: Pin<&mut Sleep>, work: impl Future<Output = T>) -> Option<T> {
    let mut work = pin!(work);
    std::future::poll_fn(|cx| {
        if let Poll::Ready(done) = work.as_mut().poll(cx) {
            return Poll::Ready(Some(done));
        }
        while alarm.as_mut().poll(cx).is_ready() {
            if Instant::now() >= deadline {
                return Poll::Ready(None);
            }
            alarm.as_mut().reset(deadline);
        }
        Poll::Pending
    })
    .await
}

/// Whether the connection on which a request failed had brought answers before.
fn was_kept(error: &ClientError) -> bool {
    let mut known = Extensions::new();
    if let Some(connected) = error.connect_info() {
        connected.get_extras(&mut known);
    }
    known.get::<Arc<Opened>>().is_some_and(|opened| opened.has_answered())
}

/// How far a connection came that did not come to stand.
fn phases_of(error: &ClientError) -> Phases {
    let connect = error.source().and_then(|source| source.downcast_ref::<ConnectFailure>());
    connect.map(|connect| connect.phases).unwrap_or_default()
}

/// The connection that an answer came over, and whether it had brought answers before.
fn connection(extensions: &Extensions) -> (Option<&Arc<Opened>>, bool) {
    let opened = extensions.get::<Arc<Opened>>();
    (opened, opened.is_some_and(|opened| opened.mark_answered()))
}

/// The earlier answer, when the server says that it still holds.
fn or_known(answer: Answer, known: Option<&Answer>) -> Answer {
    match known {
        Some(known) if answer.status == 304 => Answer {
            kept: Some(Kept::NotModified),
            remote: answer.remote,
            reused: answer.reused,
            version: answer.version,
            certificate_problem: answer.certificate_problem,
            body: super::Body { wire_bytes: answer.body.wire_bytes, ..known.body.clone() },
            ..known.clone()
        },
        _ => answer,
    }
}

fn answer(head: ResponseHead, body: super::Body, opened: Option<&Opened>, reused: bool) -> Answer {
    Answer {
        status: head.status.as_u16(),
        headers: head.headers,
        body,
        version: HttpVersion::of(head.version),
        remote: opened.and_then(|opened| opened.remote),
        reused,
        kept: None,
        certificate_problem: opened.and_then(|opened| opened.certificate_problem.clone()),
    }
}

fn client(settings: &FetchSettings, connector: Connector) -> Client<Connector, Empty<Bytes>> {
    Client::builder(TokioExecutor::new())
        .pool_timer(TokioTimer::new())
        .timer(TokioTimer::new())
        .pool_idle_timeout(POOL_IDLE)
        .pool_max_idle_per_host(POOL_MAX_IDLE_PER_HOST)
        .http1_max_headers(settings.header_count.min(MAX_HEADER_COUNT))
        .http1_max_buf_size(settings.header_bytes.max(MIN_HEADER_BYTES))
        .http2_max_header_list_size(u32::try_from(settings.header_bytes).unwrap_or(u32::MAX))
        .build(connector)
}

/// Opening a connection must fail by itself, so that a name server or a host that hangs is told from a slow answer.
fn connect_limit(settings: &FetchSettings) -> Duration {
    let most_of_the_wait = settings.timeout_ms - settings.timeout_ms / 10;
    wait(settings.connect_timeout_ms.min(most_of_the_wait))
}

fn wait(milliseconds: u64) -> Duration {
    Duration::from_millis(milliseconds.min(LONGEST_WAIT_MS))
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

    fn request(url: &CanonicalUrl) -> Result<Request<Empty<Bytes>>, Failure> {
        let inner = Inner::new(&FetchSettings::default(), &mut Vec::new());
        inner.request(&Ask {
            url,
            accept: Accept::Page,
            attempt: 1,
            take: Take::Count,
            referer: Some(url),
            known: None,
        })
    }

    proptest! {
        #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

        #[test]
        fn every_path_and_query_is_asked_for_as_it_stands(path in "\\PC{0,60}", query in "\\PC{0,60}") {
            let url = CanonicalUrl::parse(&format!("http://a.example/{path}?{query}")).unwrap();
            let request = request(&url).unwrap();
            prop_assert_eq!(request.uri().path_and_query().unwrap().as_str(), url.path_and_query());
        }

        #[test]
        fn a_host_is_asked_by_its_name_or_told_to_have_none(host in "[!-~]{1,30}") {
            if let Ok(url) = CanonicalUrl::parse(&format!("http://{host}/")) {
                match request(&url) {
                    Ok(request) => prop_assert_eq!(request.uri().host().unwrap(), url.host()),
                    Err(failure) => prop_assert_eq!(failure.kind, FailureKind::Unsendable),
                }
            }
        }
    }
}
