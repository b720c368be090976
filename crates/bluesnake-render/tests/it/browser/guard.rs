//! What a page can reach through the browser: what the crawl itself may reach, and nothing else.

use std::time::Duration;

use bluesnake_engine::render::RenderOutcome;
use testsite::{Page, Reply, Site};

use super::world::{crawl, local};

/// Every way of a page to send something, against one origin.
const WAYS: &str = r#"
const at = way => `TARGET/${way}`;
const element = (name, fields) => document.body.append(Object.assign(document.createElement(name), fields));
fetch(at('fetch'), {mode: 'no-cors'}).catch(() => {});
const xhr = new XMLHttpRequest(); xhr.open('GET', at('xhr')); xhr.send();
navigator.sendBeacon(at('beacon'), 'x');
element('img', {src: at('image')});
element('iframe', {src: at('iframe')});
element('script', {src: at('script')});
element('video', {src: at('video')});
element('link', {rel: 'prefetch', href: at('prefetch')});
element('link', {rel: 'preconnect', href: at('preconnect')});
element('link', {rel: 'dns-prefetch', href: at('dns-prefetch')});
element('link', {rel: 'stylesheet', href: at('stylesheet')});
element('img', {src: '/redirect'});
try { new WebSocket(at('websocket').replace('http', 'ws')) } catch {}
try { new EventSource(at('eventsource')) } catch {}
try { navigator.serviceWorker.register('/worker.js').catch(() => {}) } catch {}
try { new Worker(URL.createObjectURL(new Blob([`fetch('${at('worker')}', {mode: 'no-cors'})`]))) } catch {}
try {
  const peer = new RTCPeerConnection({iceServers: [{urls: 'stun:' + at('').split('/')[2]}]});
  peer.createDataChannel('x');
  peer.createOffer().then(offer => peer.setLocalDescription(offer));
} catch {}
setTimeout(() => { location.href = at('navigation') }, 500);
"#;

async fn attack(target: &str, redirect_to: &str) -> (testsite::Running, super::world::Crawled) {
    let script = WAYS.replace("TARGET", target);
    let site = Site::new()
        .host(
            "public.test",
            Site::new()
                .reply("/", Reply::html(format!("<!doctype html><body><p>x<script>{script}</script>")))
                .redirect("/redirect", 302, redirect_to)
                .reply("/worker.js", Reply::text("text/javascript", format!("fetch('{target}/service-worker')"))),
        )
        .start()
        .await;
    let mut input = local();
    input.fetch.allow_private = Some(false);
    input.fetch.connect_timeout_ms = Some(2_000);
    input.fetch.resolve = Some(site.resolve().collect());
    input.resources.check = Some(false);
    let crawled = crawl(&site.url_on("public.test", "/"), input).await;
    (site, crawled)
}

#[tokio::test(flavor = "multi_thread")]
async fn a_page_reaches_nothing_on_this_machine() {
    let victim = Site::new().page("/", Page::titled("Victim")).start().await;
    let datagrams = tokio::net::UdpSocket::bind(victim.addr()).await.unwrap();
    let target = victim.origin();
    let (_site, crawled) = attack(&target, &format!("{target}/redirected")).await;
    assert_eq!(victim.seen().paths(), Vec::<String>::new(), "requests that arrived");
    let mut packet = [0; 64];
    let received = tokio::time::timeout(Duration::from_millis(50), datagrams.recv_from(&mut packet)).await;
    assert!(received.is_err(), "a datagram arrived");
    let page = crawled.visit("/");
    let render = page.page.as_ref().unwrap().render.as_ref().unwrap();
    assert_eq!(render.outcome, RenderOutcome::Complete, "{:?}", render.detail);
    let blocked: Vec<&str> =
        render.requests.iter().filter(|request| request.is_blocked).map(|request| &*request.url).collect();
    for way in [
        "fetch",
        "xhr",
        "beacon",
        "image",
        "iframe",
        "script",
        "stylesheet",
        "websocket",
        "eventsource",
        "worker",
        "redirected",
    ] {
        assert!(blocked.iter().any(|url| url.ends_with(&format!("/{way}"))), "{way} is not recorded: {blocked:?}");
    }
    assert!(render.redirect.as_ref().unwrap().ends_with("/navigation"));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_page_reaches_neither_metadata_services_nor_files_nor_private_names() {
    for target in ["http://169.254.169.254", "file:///etc", "http://localhost:1", "http://[::1]:1", "http://10.0.0.1"] {
        let (site, crawled) = attack(target, &format!("{target}/redirected")).await;
        let page = crawled.visit("/");
        let render = page.page.as_ref().unwrap().render.as_ref().unwrap();
        assert_eq!(render.outcome, RenderOutcome::Complete, "{target}: {:?}", render.detail);
        let is_ours = |url: &str| url.starts_with(&site.url_on("public.test", "/"));
        let reached = render
            .requests
            .iter()
            .filter(|request| !is_ours(&request.url) && !request.is_blocked && request.status.is_some());
        assert_eq!(reached.count(), 0, "{target}: {:?}", render.requests);
    }
}
