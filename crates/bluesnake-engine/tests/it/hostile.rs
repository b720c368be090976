//! A hostile web cannot hurt us: every fault has its own class, and all good pages of the same site are stored.

use std::process::{Command, Output};
use std::time::Duration;

use bluesnake_engine::fetch::{Cut, FailureKind, HttpVersion};
use bluesnake_engine::plan::{Mechanisms, RobotsMode};
use bluesnake_engine::{AuditInput, Disposition, EndReason, Reason, Refusal};
use testsite::{Fault, Mode, Monster, Page, Protocol, Reply, Site, Tls, Trap, scenarios};

use crate::world::{Crawled, Folder, crawl, local};

const KILOBYTE: u64 = 1 << 10;
const MEGABYTE: u64 = 1 << 20;
const GIGABYTE: u64 = 1 << 30;

/// Settings that never wait: the faults of these sites are deliberate, so hosts are neither slowed down nor rested.
fn impatient() -> AuditInput {
    let mut input = local();
    input.fetch.connect_timeout_ms = Some(500);
    input.fetch.timeout_ms = Some(500);
    input.fetch.idle_timeout_ms = Some(300);
    input.fetch.total_timeout_ms = Some(1_200);
    input.fetch.attempts = Some(1);
    input.politeness.adaptive = Some(false);
    input.politeness.breaker_failures = Some(0);
    input
}

fn assert_good_pages_are_in(crawled: &Crawled, site: &testsite::Running) {
    for number in 0..10 {
        let url = site.url(&format!("/good/{number}"));
        assert_eq!(crawled.fate(&url), (Disposition::Fetched, "page"), "{url}");
    }
}

/// What must become of a fault: disposition, reason, status, and why the body is not whole.
type Class = (Disposition, &'static str, Option<u16>, Option<Cut>);

fn failed(reason: &'static str) -> Class {
    (Disposition::Failed, reason, None, None)
}

fn page(cut: Option<Cut>) -> Class {
    (Disposition::Fetched, "page", Some(200), cut)
}

fn class_of(crawled: &Crawled, url: &str) -> Class {
    let (disposition, reason) = crawled.fate(url);
    let visit = crawled.visit(url);
    (disposition, reason, visit.status(), visit.response.as_ref().and_then(|response| response.cut))
}

fn class_by_http1(fault: &Fault) -> Class {
    use Fault::*;
    match fault {
        HangBeforeHeaders | SlowHeaders { .. } => failed("headers_timeout"),
        SlowBody { .. } => failed("total_timeout"),
        EndlessChunkSize => failed("flood"),
        DropBeforeHeaders => failed("closed_early"),
        ResetBeforeHeaders | ResetInHeaders | ResetMidBody | ResetStream | RefuseStream => failed("reset"),
        BadChunkSize | GarbageInsteadOfHttp | GarbageStatusLine | Http09 => failed("malformed"),
        EndlessHeaders | HugeHeader | ManyHeaders => failed("headers_too_large"),
        TruncatedBody | MissingFinalChunk => page(Some(Cut::Truncated)),
        TruncatedGzip | GzipTrailingGarbage => page(Some(Cut::Encoding)),
        // Not a byte of these can be decoded.
        BadGzip | NestedEncodings | ZstdHugeWindow => {
            (Disposition::Failed, "not_parsed", Some(200), Some(Cut::Encoding))
        }
        GzipBomb { .. } | BrotliBomb { .. } | ZstdBomb { .. } => page(Some(Cut::Ratio)),
        EndlessBody => page(Some(Cut::Limit)),
        Status999 => (Disposition::Fetched, "resource", Some(999), None),
        NoContentWithBody => (Disposition::Fetched, "page", Some(204), None),
        RedirectWithoutLocation | RedirectToFile | RedirectToFtp | RedirectToData | RedirectToJavascript => {
            (Disposition::Redirected, "bad_location", Some(302), None)
        }
        ResetAfterBody
        | BodyLongerThanLength
        | ChunkTrailers
        | EmptyChunksForever
        | LengthAndChunked
        | DoubleGzip
        | MetaRefreshSelf
        | MetaRefreshPingPong
        | CharsetHeaderAgainstBom
        | CharsetMetaLies
        | CharsetHeaderLies
        | Utf16WithBom
        | InvalidUtf8
        | Utf7 => page(None),
    }
}

/// Every fault of connections, chunks and encodings that a server can make.
#[tokio::test(flavor = "multi_thread")]
async fn every_fault_has_its_own_class_and_good_pages_are_stored() {
    let every = Duration::from_millis(60);
    let site = scenarios::hostile_with(GIGABYTE, every, []).start().await;
    let mut input = impatient();
    input.fetch.body_limit = Some(2 << 20);
    // The server makes its bombs while we wait.
    input.fetch.idle_timeout_ms = Some(3_000);
    input.fetch.total_timeout_ms = Some(4_000);
    input.politeness.parallelism = Some(16);
    let crawled = crawl(&site.url("/"), input).await;
    assert!(crawled.finished.is_complete(), "{}", crawled.finished.receipt);
    assert_good_pages_are_in(&crawled, &site);
    let mut wrong = Vec::new();
    for fault in Fault::all(GIGABYTE, every) {
        let url = site.url(&format!("/fault/{}", fault.name()));
        let (expected, seen) = (class_by_http1(&fault), class_of(&crawled, &url));
        if expected != seen {
            wrong.push(format!("{}: expected {expected:?}, seen {seen:?}", fault.name()));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// Fault matrix, HTTP/2: resets, refusals, endless and slow bodies end in time and in their class.
#[tokio::test(flavor = "multi_thread")]
async fn faults_over_http2_have_their_class() {
    let faults = [
        (Fault::HangBeforeHeaders, failed("headers_timeout")),
        (Fault::ResetBeforeHeaders, failed("reset")),
        (Fault::RefuseStream, failed("reset")),
        (Fault::ResetStream, failed("reset")),
        (Fault::SlowBody { every: Duration::from_millis(60) }, failed("total_timeout")),
        (Fault::GzipBomb { decoded: GIGABYTE }, page(Some(Cut::Ratio))),
        (Fault::DoubleGzip, page(None)),
        (Fault::RedirectToFile, (Disposition::Redirected, "bad_location", Some(302), None)),
    ];
    let mut home = Page::titled("Home").link("/large");
    let mut declared = Site::new().http2().reply("/large", Monster::OneLine(50 * MEGABYTE).reply());
    for (fault, _) in &faults {
        home = home.link(&format!("/fault/{}", fault.name()));
        declared = declared.fault(&format!("/fault/{}", fault.name()), fault.clone());
    }
    for number in 0..10 {
        home = home.link(&format!("/good/{number}"));
        declared = declared.page(&format!("/good/{number}"), Page::titled(&format!("Good {number}")));
    }
    let site = declared.page("/", home).start().await;
    let folder = Folder::new();
    let mut input = trusting(&folder, &site, impatient());
    input.fetch.body_limit = Some(2 << 20);
    let crawled = crawl(&site.url("/"), input).await;
    assert!(crawled.finished.is_complete(), "{}", crawled.finished.receipt);
    assert_good_pages_are_in(&crawled, &site);
    assert_eq!(class_of(&crawled, &site.url("/large")), page(Some(Cut::Limit)));
    let mut wrong = Vec::new();
    for (fault, expected) in faults {
        let seen = class_of(&crawled, &site.url(&format!("/fault/{}", fault.name())));
        if seen != expected {
            let said = crawled.visit(&site.url(&format!("/fault/{}", fault.name()))).error();
            wrong.push(format!("{}: expected {expected:?}, seen {seen:?} {said:?}", fault.name()));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// Fault matrix, HTTP/2: a flood of tiny frames fills only the window of its own stream. It ends at its own limits, and the
/// pages that share its connection are stored.
#[tokio::test(flavor = "multi_thread")]
async fn a_flood_of_http2_frames_does_not_fail_other_pages() {
    let home = Page::titled("Home").link("/flood").links((0..10).map(|number| format!("/good/{number}")));
    let site = (0..10).fold(Site::new().page("/", home), |site, number| {
        let late = Reply::html(format!("<title>Good {number}</title>")).delay(Duration::from_millis(50));
        site.reply(&format!("/good/{number}"), late)
    });
    let site = site.fault("/flood", Fault::EndlessBody).http2().start().await;
    let folder = Folder::new();
    let mut input = trusting(&folder, &site, impatient());
    input.fetch.attempts = Some(2);
    input.fetch.body_limit = Some(0);
    let crawled = crawl(&site.url("/"), input).await;
    assert_eq!(crawled.fate(&site.url("/flood")), (Disposition::Failed, "total_timeout"));
    assert_good_pages_are_in(&crawled, &site);
}

/// A truncated page is reported as such, after retries.
#[tokio::test(flavor = "multi_thread")]
async fn a_truncated_body_never_counts_as_complete() {
    let site = Site::new()
        .page("/", Page::titled("Home").link("/short").link("/chunks"))
        .fault("/short", Fault::TruncatedBody)
        .fault("/chunks", Fault::MissingFinalChunk)
        .start()
        .await;
    let mut input = impatient();
    input.fetch.attempts = Some(3);
    let crawled = crawl(&site.url("/"), input).await;
    for path in ["/short", "/chunks"] {
        let visit = crawled.visit(&site.url(path));
        assert_eq!(visit.response.as_ref().unwrap().cut, Some(Cut::Truncated), "{path}");
        assert_eq!((visit.attempts, site.seen().count(path)), (3, 3), "{path}");
    }
}

/// A complete page is not a copy of a truncated one.
#[tokio::test(flavor = "multi_thread")]
async fn a_complete_page_is_not_a_copy_of_a_truncated_one() {
    let whole = "<!doctype html><html><head><title>Faulty</title></head><body><p>A page with a fault.</p>\
                 <a href=\"/\">home</a></body></html>\n";
    let site = Site::new()
        .page("/", Page::titled("Home").link("/short").link("/whole"))
        .fault("/short", Fault::TruncatedBody)
        .reply("/whole", Reply::html(whole))
        .start()
        .await;
    let crawled = crawl(&site.url("/"), impatient()).await;
    assert_eq!(crawled.visit(&site.url("/whole")).identical_to, None);
    assert_eq!(crawled.visit(&site.url("/whole")).links.len(), 1);
}

/// Text is always valid, regardless of header, byte order mark and meta tag, and UTF-7 is never decoded.
#[tokio::test(flavor = "multi_thread")]
async fn lying_charsets_give_the_title_a_browser_shows() {
    let titles = [
        (Fault::CharsetHeaderAgainstBom, "Grüße"),
        (Fault::CharsetMetaLies, "Grüße"),
        (Fault::CharsetHeaderLies, "Gr\u{fffd}\u{fffd}e"),
        (Fault::Utf16WithBom, "Grüße"),
        (Fault::InvalidUtf8, "Broken"),
        (Fault::Utf7, "+ADw-script+AD4-alert(1)"),
    ];
    let mut home = Page::titled("Home");
    let mut site = Site::new();
    for (fault, _) in &titles {
        home = home.link(&format!("/{}", fault.name()));
        site = site.fault(&format!("/{}", fault.name()), fault.clone());
    }
    let site = site.page("/", home).start().await;
    let crawled = crawl(&site.url("/"), local()).await;
    for (fault, title) in titles {
        let visit = crawled.visit(&site.url(&format!("/{}", fault.name())));
        assert_eq!(visit.title(), Some(title), "{}", fault.name());
    }
}

/// `Location`, refresh, canonical, base and links with foreign schemes are reported and never opened.
#[tokio::test(flavor = "multi_thread")]
async fn foreign_schemes_are_never_opened() {
    let page = Page::titled("Home")
        .head("<meta http-equiv=\"refresh\" content=\"0; url=file:///etc/passwd\">")
        .canonical("ftp://127.0.0.1/canonical")
        .html("<iframe src=\"file:///etc/hosts\"></iframe><img src=\"data:image/png;base64,AAAA\">")
        .html("<form action=\"javascript:alert(1)\"></form>")
        .links(["file:///etc/passwd", "ftp://127.0.0.1/x", "javascript:alert(1)", "data:text/html,x", "gopher://a/"])
        .links(["/file", "/ftp", "/data", "/javascript"]);
    let site = Site::new()
        .page("/", page)
        .fault("/file", Fault::RedirectToFile)
        .fault("/ftp", Fault::RedirectToFtp)
        .fault("/data", Fault::RedirectToData)
        .fault("/javascript", Fault::RedirectToJavascript)
        .robots("Sitemap: file:///etc/passwd\nSitemap: {origin}/sitemap.xml\n")
        .sitemap("/sitemap.xml", ["file:///etc/passwd", "javascript:alert(1)"])
        .start()
        .await;
    let mut input = local();
    input.discover.mechanisms = Some(Mechanisms::Both);
    input.resources.check_external = Some(bluesnake_engine::plan::CheckExternal::All);
    let crawled = crawl(&site.url("/"), input).await;
    assert!(crawled.finished.is_complete());
    for url in crawled.all_urls() {
        assert!(url.starts_with(&site.origin()), "{url} was parsed as a URL");
    }
    for path in ["/file", "/ftp", "/data", "/javascript"] {
        assert_eq!(crawled.fate(&site.url(path)), (Disposition::Redirected, "bad_location"), "{path}");
        let note = crawled.visit(&site.url(path)).note.clone().unwrap_or_default();
        assert!(note.contains("leads to no web address"), "{path}: {note}");
    }
}

/// A refresh never requests a page again.
#[tokio::test(flavor = "multi_thread")]
async fn refresh_loops_are_followed_once() {
    let site = Site::new()
        .page("/", Page::titled("Home").link("/self").link("/ping"))
        .fault("/self", Fault::MetaRefreshSelf)
        .fault("/ping", Fault::MetaRefreshPingPong)
        .start()
        .await;
    let crawled = crawl(&site.url("/"), local()).await;
    assert!(crawled.finished.is_complete());
    assert_eq!(crawled.fate(&site.url("/ping?pong")), (Disposition::Fetched, "page"));
    assert_eq!(site.seen().requested_more_than_once(), Vec::<String>::new());
}

/// A loop is distinguished from a chain that is only too long.
#[tokio::test(flavor = "multi_thread")]
async fn redirect_loops_and_endless_chains_are_cut() {
    let home = Page::titled("Home").link("/loop/1").link("/self").link("/chain/1000");
    let site = Site::new().page("/", home).redirect_loop("/loop", 3).redirect("/self", 302, "/self");
    let site = site.redirect_chain("/chain", 1000).start().await;
    let crawled = crawl(&site.url("/"), local()).await;
    assert!(crawled.finished.is_complete());
    assert_eq!(crawled.fate(&site.url("/self")), (Disposition::Redirected, "redirect_loop"));
    assert_eq!(crawled.fate(&site.url("/loop/3")), (Disposition::Redirected, "redirect_loop"));
    assert_eq!(crawled.fate(&site.url("/chain/990")), (Disposition::Redirected, "redirect"));
    assert_eq!(crawled.fate(&site.url("/chain/989")), (Disposition::Refused, "too_many_redirects"));
    assert_eq!(site.seen().count("/chain/989"), 0, "ten redirects are followed and no more");
}

/// Each trap ends by the rule that is meant for it, and the good pages are in.
#[tokio::test(flavor = "multi_thread")]
async fn every_trap_ends_by_its_own_rule() {
    assert_traps_end(&[
        (Trap::Calendar, "/trap/2024/01", "calendar"),
        (Trap::SessionIds, "/trap?page=1", "query_explosion"),
        (Trap::PathRepetition, "/trap/", "repeated_path"),
        (Trap::Facets, "/trap", "query_explosion"),
    ])
    .await;
}

/// "Not found" pages with status 200, under random names and with links to more of their kind.
#[tokio::test(flavor = "multi_thread")]
async fn a_maze_of_soft_404_pages_ends_by_its_own_rule() {
    assert_traps_end(&[(Trap::SoftNotFound, "/trap/start", "same_content")]).await;
}

async fn assert_traps_end(traps: &[(Trap, &str, &str)]) {
    let mut wrong = Vec::new();
    for &(trap, entry, reason) in traps {
        let home = Page::titled("Home").link(entry).links((0..10).map(|number| format!("/good/{number}")));
        let site = (0..10).fold(Site::new().page("/", home), |site, number| {
            site.page(&format!("/good/{number}"), Page::titled(&format!("Good {number}")))
        });
        let site = site.trap("/trap", trap).start().await;
        let mut input = local();
        input.traps.query_variants = Some(60);
        input.traps.calendar_dates = Some(60);
        input.traps.same_content = Some(60);
        input.scope.max_urls = Some(1_500);
        let crawled = crawl(&site.url("/"), input).await;
        assert_good_pages_are_in(&crawled, &site);
        let receipt = &crawled.finished.receipt;
        let ended_by_its_rule = crawled.refused_by(reason) > 0;
        if !ended_by_its_rule || receipt.count_of(Refusal::MaxUrls) > 0 {
            wrong.push(format!("{trap:?} is not ended by `{reason}`:\n{receipt}"));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// Slow URLs cost their timeouts, not the crawl.
#[tokio::test(flavor = "multi_thread")]
async fn two_hundred_slow_urls_do_not_block_two_hundred_good_ones() {
    let every = Duration::from_millis(40);
    let slow = [Fault::HangBeforeHeaders, Fault::SlowHeaders { every }, Fault::SlowBody { every }];
    let mut home = Page::titled("Home");
    let mut declared = Site::new();
    for number in 0..200 {
        let (bad, good) = (format!("/slow/{number}"), format!("/good/{number}"));
        home = home.link(&bad).link(&good);
        declared = declared.fault(&bad, slow[number % slow.len()].clone());
        declared = declared.page(&good, Page::titled(&format!("Good {number}")));
    }
    let site = declared.page("/", home).start().await;
    let mut input = impatient();
    input.politeness.parallelism = Some(32);
    input.fetch.connect_timeout_ms = Some(300);
    input.fetch.timeout_ms = Some(300);
    input.fetch.total_timeout_ms = Some(600);
    let crawled = crawl(&site.url("/"), input).await;
    assert!(crawled.finished.is_complete(), "{}", crawled.finished.receipt);
    assert_eq!(crawled.finished.receipt.count(Disposition::Fetched), 201);
    assert_eq!(crawled.finished.receipt.count(Disposition::Failed), 200);
    // They are waited for side by side.
    assert!(site.seen().most_at_once() >= 16, "{}", site.seen().most_at_once());
}

/// URLs that are dead for good cost their attempts, not the run.
#[tokio::test(flavor = "multi_thread")]
async fn a_few_dead_urls_fail_and_the_run_completes() {
    let dead = ["/dead/1", "/dead/2", "/dead/3"];
    for breaker_failures in [0, 20] {
        for fault in [Fault::ResetBeforeHeaders, Fault::TruncatedBody] {
            let home = Page::titled("Home").links((0..10).map(|number| format!("/good/{number}"))).links(dead);
            let site = (0..10).fold(Site::new().page("/", home), |site, number| {
                site.page(&format!("/good/{number}"), Page::titled(&format!("Good {number}")))
            });
            let site = dead.iter().fold(site, |site, path| site.fault(path, fault.clone())).start().await;
            let mut input = impatient();
            input.fetch.attempts = Some(3);
            input.politeness.breaker_failures = Some(breaker_failures);
            input.politeness.breaker_pause_ms = Some(5);
            let crawled = crawl(&site.url("/"), input).await;
            assert_eq!(crawled.finished.reason, EndReason::Exhausted, "{fault:?}, breaker {breaker_failures}");
            assert_good_pages_are_in(&crawled, &site);
            for path in dead {
                assert_eq!(site.seen().count(path), 3, "{path}: {fault:?}, breaker {breaker_failures}");
            }
        }
    }
}

/// Fault matrix: random 30 % resets. Retries get all pages, and the server sees no more requests than that.
#[tokio::test(flavor = "multi_thread")]
async fn random_resets_are_retried_within_bounds() {
    let site = scenarios::high_fan_out(100).mode(Mode::RandomResets { percent: 30.0, seed: 7 }).start().await;
    let mut input = impatient();
    input.fetch.attempts = Some(8);
    input.politeness.breaker_failures = Some(20);
    let crawled = crawl(&site.url("/"), input).await;
    assert!(crawled.finished.is_complete(), "{}", crawled.finished.receipt);
    assert_eq!(crawled.finished.receipt.count(Disposition::Fetched), site.expected().len() as u64);
    for visit in crawled.store.visits() {
        let path = visit.url().path().to_owned();
        let requested = site.seen().count(&path);
        assert_eq!(requested as u32, visit.attempts, "{path}: the server's count differs from the visit's");
    }
}

/// Fault matrix: random 30 % resets with few attempts. What is not in is in its class.
#[tokio::test(flavor = "multi_thread")]
async fn random_resets_without_retries_are_failures_of_their_class() {
    let site = scenarios::high_fan_out(60).mode(Mode::RandomResets { percent: 30.0, seed: 3 }).start().await;
    let mut input = impatient();
    input.politeness.parallelism = Some(1);
    let crawled = crawl(&site.url("/"), input).await;
    let receipt = &crawled.finished.receipt;
    assert!(crawled.finished.is_complete(), "{receipt}");
    assert_eq!(receipt.count(Disposition::Fetched) + receipt.count_of(FailureKind::Reset), receipt.seen());
}

/// Fault matrix: a server that hangs after N requests. The run ends; what came is in, and nothing else is called fetched.
#[tokio::test(flavor = "multi_thread")]
async fn a_server_that_hangs_after_some_requests_does_not_hang_the_run() {
    let site = scenarios::high_fan_out(30).mode(Mode::HangAfter(20)).start().await;
    let mut input = impatient();
    input.fetch.timeout_ms = Some(100);
    input.politeness.parallelism = Some(1);
    input.politeness.breaker_failures = Some(5);
    input.politeness.breaker_pause_ms = Some(5);
    input.politeness.breaker_trips = Some(1);
    let crawled = crawl(&site.url("/"), input).await;
    let receipt = &crawled.finished.receipt;
    assert_eq!(receipt.count(Disposition::Fetched), 20, "{receipt}");
    let left = receipt.count_of(FailureKind::HeadersTimeout) + receipt.count(Disposition::Pending);
    assert_eq!(left, receipt.seen() - 20, "{receipt}");
}

/// Fault matrix: a server that accepts connections and never responds, not even to robots.txt.
#[tokio::test(flavor = "multi_thread")]
async fn a_silent_server_is_a_timeout() {
    let site = Site::new().page("/", Page::titled("Home")).mode(Mode::SilentAfterAccept).start().await;
    let crawled = crawl(&site.url("/"), impatient()).await;
    assert_eq!(crawled.fate(&site.url("/")), (Disposition::Failed, "headers_timeout"));
}

/// The settings with the site's own authority trusted.
fn trusting(folder: &Folder, site: &testsite::Running, mut input: AuditInput) -> AuditInput {
    input.fetch.ca_file = Some(folder.file("ca.pem", &site.ca_pem()));
    input
}

fn secure_site() -> Site {
    Site::new().page("/", Page::titled("Home").link("/a")).page("/a", Page::titled("A"))
}

/// Fault matrix, TLS: each certificate in its class, and no request is ever sent over such a connection.
#[tokio::test(flavor = "multi_thread")]
async fn every_bad_certificate_has_its_own_failure_kind_and_no_bypass() {
    let certificates = [
        (Tls::expired(), "tls_expired"),
        (Tls::not_yet_valid(), "tls_not_yet_valid"),
        (Tls::wrong_host(), "tls_wrong_name"),
        (Tls::self_signed(), "tls_unknown_issuer"),
        (Tls::unknown_ca(), "tls_unknown_issuer"),
        (Tls::handshake_stall(), "tls_timeout"),
    ];
    for robots in [RobotsMode::Respect, RobotsMode::Ignore] {
        for (tls, reason) in certificates {
            let site = secure_site().tls(tls).start().await;
            let folder = Folder::new();
            let mut input = trusting(&folder, &site, impatient());
            input.politeness.robots = Some(robots);
            let crawled = crawl(&site.url("/"), input).await;
            assert_eq!(crawled.fate(&site.url("/")), (Disposition::Failed, reason), "{tls:?} {robots}");
            assert_eq!(site.seen().requests(), 0, "{tls:?}: nothing is sent over such a connection");
        }
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_host_trusted_by_the_operator_is_crawled_and_its_problem_is_shown() {
    for (tls, problem) in
        [(Tls::expired(), "expired"), (Tls::wrong_host(), "another name"), (Tls::self_signed(), "issuer is not known")]
    {
        let site = secure_site().tls(tls).start().await;
        let folder = Folder::new();
        let mut input = trusting(&folder, &site, impatient());
        input.fetch.insecure_hosts = Some(vec!["127.0.0.1".to_owned()]);
        let crawled = crawl(&site.url("/"), input).await;
        for path in ["/", "/a"] {
            let visit = crawled.visit(&site.url(path));
            let reported =
                visit.response.as_ref().and_then(|response| response.certificate_problem.clone()).unwrap_or_default();
            assert!(reported.contains(problem), "{tls:?} {path}: {reported}");
        }
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn an_insecure_host_does_not_affect_others() {
    let site = secure_site().tls(Tls::self_signed()).start().await;
    let mut input = impatient();
    input.fetch.insecure_hosts = Some(vec!["localhost".to_owned()]);
    let crawled = crawl(&site.url("/"), input).await;
    assert_eq!(crawled.fate(&site.url("/")), (Disposition::Failed, "tls_unknown_issuer"));
}

#[tokio::test(flavor = "multi_thread")]
async fn http2_is_spoken_where_it_is_offered() {
    for (site, offers, expected) in [
        (secure_site().http2(), true, Protocol::Http2),
        (secure_site().http2(), false, Protocol::Http1),
        (secure_site().tls(Tls::trusted()), true, Protocol::Http1),
    ] {
        let site = site.start().await;
        let folder = Folder::new();
        let mut input = trusting(&folder, &site, impatient());
        input.fetch.http2 = Some(offers);
        let crawled = crawl(&site.url("/"), input).await;
        assert_eq!(crawled.finished.receipt.count_of(Reason::Page), 2);
        assert!(site.log().iter().all(|seen| seen.protocol == expected), "{:?}", site.log());
        let version = if expected == Protocol::Http2 { HttpVersion::Http2 } else { HttpVersion::Http11 };
        assert_eq!(crawled.visit(&site.url("/a")).response.as_ref().unwrap().version, version);
    }
}

/// Fault matrix, HTTP/2: GOAWAY costs no page and counts as no failure.
#[tokio::test(flavor = "multi_thread")]
async fn goaway_loses_no_page() {
    let site = scenarios::high_fan_out(60).http2().mode(Mode::GoAwayAfter(3)).start().await;
    let folder = Folder::new();
    let crawled = crawl(&site.url("/"), trusting(&folder, &site, impatient())).await;
    assert!(crawled.finished.is_complete(), "{}", crawled.finished.receipt);
    assert_eq!(crawled.finished.receipt.count(Disposition::Fetched), site.expected().len() as u64);
    assert_eq!(site.seen().requested_more_than_once(), Vec::<String>::new());
    assert!(site.seen().connections() > 1);
}

/// Entities are never expanded, files never opened, and the valid sitemap next to them is read.
#[tokio::test(flavor = "multi_thread")]
async fn hostile_sitemaps_are_survived_and_reported() {
    let site = scenarios::hostile_sitemaps().start().await;
    let mut input = impatient();
    input.discover.mechanisms = Some(Mechanisms::Both);
    input.scope.exclude = Some(vec!["/loc/".to_owned()]);
    input.fetch.timeout_ms = Some(20_000);
    input.fetch.idle_timeout_ms = Some(20_000);
    input.fetch.total_timeout_ms = Some(60_000);
    let crawled = crawl(&site.url("/"), input).await;
    assert!(crawled.finished.is_complete(), "{}", crawled.finished.receipt);
    assert_eq!(crawled.fate(&site.url("/found")), (Disposition::Fetched, "page"));
    assert_eq!(crawled.finished.receipt.count_of(Refusal::Excluded), 50_000);
    for hostile in ["/laughs.xml", "/entity.xml", "/many.xml"] {
        assert!(crawled.visit(&site.url(hostile)).note.is_some(), "{hostile} has a note about its problem");
    }
    let all = crawled.all_urls();
    assert!(!all.iter().any(|url| url.contains("lol") || url.contains("root:")), "no entity is expanded");
    assert_eq!(site.seen().count("/self.xml"), 1);
    assert_eq!(crawled.fate(&site.url("/deep/3.xml")), (Disposition::Refused, "sitemap_depth"));
}

/// Where the child process of a test finds its site.
const CHILD_SEED: &str = "BLUESNAKE_IT_SEED";

/// The part of the next two tests that runs in a separate process: a stack overflow would kill it, and its memory is
/// measured without the server's. Does nothing without a seed.
#[test]
fn a_crawl_in_a_separate_process() {
    let Ok(seed) = std::env::var(CHILD_SEED) else { return };
    let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build().unwrap();
    let mut input = impatient();
    input.discover.mechanisms = Some(Mechanisms::Both);
    input.scope.exclude = Some(vec!["/loc/".to_owned()]);
    // Only size matters here, so timeouts are long enough for a busy machine.
    input.fetch.timeout_ms = Some(20_000);
    input.fetch.idle_timeout_ms = Some(20_000);
    input.fetch.total_timeout_ms = Some(60_000);
    let crawled = runtime.block_on(crawl(&seed, input));
    assert!(crawled.finished.is_complete(), "{}", crawled.finished.receipt);
    for url in crawled.urls_in(Disposition::Fetched) {
        println!("fetched {url}");
    }
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let peak = status.lines().find_map(|line| line.strip_prefix("VmHWM:"));
    println!("peak {}", peak.unwrap_or("unknown").trim());
}

fn crawl_in_a_child(seed: &str) -> Output {
    let this = std::env::current_exe().expect("the test runs from a file");
    let mut child = Command::new(this);
    child.args(["--exact", "hostile::a_crawl_in_a_separate_process", "--nocapture"]).env(CHILD_SEED, seed);
    child.output().expect("the test can be started again")
}

/// The child's peak memory in MB; `None` where the system does not report it.
fn peak_megabytes(output: &str) -> Option<u64> {
    let line = output.lines().find_map(|line| line.strip_prefix("peak "))?;
    let kilobytes: u64 = line.strip_suffix(" kB")?.parse().expect("the peak is a number");
    Some(kilobytes / 1024)
}

/// Runs a crawl of the site in a child process, and gives its output and the peak of its memory.
async fn survive(site: &testsite::Running) -> (String, Option<u64>) {
    let seed = site.url("/");
    let output = tokio::task::spawn_blocking(move || crawl_in_a_child(&seed)).await.unwrap();
    let (said, errors) = (String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
    assert!(output.status.success(), "the child ended with {}:\n{said}\n{errors}", output.status);
    let peak = peak_megabytes(&said);
    (said.into_owned(), peak)
}

/// Neither an abort nor 300 MB, with default limits.
#[tokio::test(flavor = "multi_thread")]
async fn monsters_and_bombs_neither_abort_nor_fill_the_memory() {
    let monsters = [
        ("deep-nesting", Monster::DeepNesting(100_000)),
        ("many-attributes", Monster::ManyAttributes(1_000_000)),
        ("huge-attribute", Monster::HugeAttribute(5 * MEGABYTE)),
        ("one-line", Monster::OneLine(100 * MEGABYTE)),
        ("nul-bytes", Monster::NulBytes),
    ];
    let bombs = [
        Fault::GzipBomb { decoded: 10 * GIGABYTE },
        Fault::BrotliBomb { decoded: 50 * GIGABYTE },
        Fault::ZstdBomb { decoded: 10 * GIGABYTE },
        Fault::ZstdHugeWindow,
        Fault::NestedEncodings,
        Fault::EndlessBody,
        Fault::EndlessHeaders,
        Fault::HugeHeader,
        Fault::ManyHeaders,
    ];
    let mut home = Page::titled("Home");
    let mut declared = Site::new();
    for (name, monster) in monsters {
        home = home.link(&format!("/{name}"));
        declared = declared.reply(&format!("/{name}"), monster.reply());
    }
    for bomb in bombs {
        home = home.link(&format!("/{}", bomb.name()));
        declared = declared.fault(&format!("/{}", bomb.name()), bomb);
    }
    let site = declared.page("/", home.link("/good")).page("/good", Page::titled("Good")).start().await;
    let (said, peak) = survive(&site).await;
    for path in ["/good", "/deep-nesting", "/many-attributes", "/huge-attribute", "/one-line", "/nul-bytes"] {
        assert!(said.contains(&format!("fetched {}\n", site.url(path))), "{path} is in:\n{said}");
    }
    assert!(peak.is_none_or(|peak| peak < 300), "{peak:?} MB");
}

/// A sitemap of a million addresses, and the other hostile ones, in less than 200 MB.
#[tokio::test(flavor = "multi_thread")]
async fn hostile_sitemaps_do_not_fill_the_memory() {
    let site = scenarios::hostile_sitemaps().start().await;
    let (said, peak) = survive(&site).await;
    assert!(said.contains(&format!("fetched {}\n", site.url("/found"))), "{said}");
    assert!(peak.is_none_or(|peak| peak < 200), "{peak:?} MB");
}

/// What is still read from a page that is too deep or too wide, in this process.
#[tokio::test(flavor = "multi_thread")]
async fn an_overly_deep_page_is_reported_and_its_links_are_followed() {
    let site = Site::new()
        .page("/", Page::titled("Home").link("/deep").link("/wide"))
        .reply("/deep", Monster::DeepNesting(100_000).reply())
        .reply("/wide", Monster::ManyAttributes(20 * KILOBYTE).reply())
        .start()
        .await;
    let crawled = crawl(&site.url("/"), local()).await;
    let deep = crawled.visit(&site.url("/deep"));
    assert!(deep.page.as_ref().unwrap().is_depth_cut);
    let wide = crawled.visit(&site.url("/wide"));
    assert_eq!(wide.links.iter().filter(|link| link.target().as_str() == site.url("/")).count(), 1);
}
