//! The server sends what is declared.

use std::time::{Duration, Instant};

use testsite::{Latency, Page, Reply, Site};
use tokio::io::AsyncWriteExt;
use tokio::net::TcpStream;

use crate::client::{End, ask, fetch, fetch_on, read_one};

#[tokio::test]
async fn a_page_has_all_its_parts() {
    let page = Page::titled("Tom & Jerry")
        .link("/a?x=1&y=2")
        .nofollow_link("/n")
        .image("/i.png")
        .stylesheet("/s.css")
        .script("/x.js")
        .canonical("/c")
        .hreflang("de", "/de")
        .noindex()
        .form("/send")
        .head("<!-- head -->")
        .html("<!-- body -->");
    let site = Site::new().page("/", page).start().await;

    let html = fetch(&site, "/").await.html();

    for part in [
        "<title>Tom &amp; Jerry</title>",
        "<a href=\"/a?x=1&amp;y=2\">",
        "<a href=\"/n\" rel=\"nofollow\">",
        "<img src=\"/i.png\" alt=\"\">",
        "<link rel=\"stylesheet\" href=\"/s.css\">",
        "<script src=\"/x.js\"></script>",
        "<link rel=\"canonical\" href=\"/c\">",
        "<link rel=\"alternate\" hreflang=\"de\" href=\"/de\">",
        "<meta name=\"robots\" content=\"noindex\">",
        "<form action=\"/send\"",
        "<!-- head -->",
        "<!-- body -->",
    ] {
        assert!(html.contains(part), "{part} in {html}");
    }
}

#[tokio::test]
async fn padded_page_has_the_requested_size() {
    let site = Site::new().page("/", Page::titled("Big").pad_to(20_000)).start().await;
    let size = fetch(&site, "/").await.body().len();
    assert!((19_900..20_100).contains(&size), "{size}");
}

#[tokio::test]
async fn placeholders_are_filled_in_everywhere() {
    let site = Site::new()
        .page("/", Page::titled("Home").link("{origin}/a").link("{host:other.test}/b"))
        .redirect("/old", 301, "{host:other.test}/new")
        .robots("Sitemap: {origin}/sitemap.xml\n")
        .host("other.test", Site::new().sitemap("/sitemap.xml", ["/x&y", "{origin}/z"]))
        .start()
        .await;
    let (origin, other) = (site.origin(), site.url_on("other.test", ""));

    let html = fetch(&site, "/").await.html();
    assert!(html.contains(&format!("href=\"{origin}/a\"")) && html.contains(&format!("href=\"{other}/b\"")), "{html}");
    assert_eq!(fetch(&site, "/old").await.header("location"), Some(format!("{other}/new")));
    assert_eq!(fetch(&site, "/robots.txt").await.html(), format!("Sitemap: {origin}/sitemap.xml\n"));
    let sitemap = fetch_on(&site, "other.test", "/sitemap.xml").await.html();
    assert!(sitemap.contains(&format!("<loc>{other}/x&amp;y</loc>")), "{sitemap}");
    assert!(sitemap.contains(&format!("<loc>{origin}/z</loc>")), "{sitemap}");
}

#[tokio::test]
async fn host_header_selects_the_site() {
    let site = Site::new()
        .page("/", Page::titled("Main"))
        .host("other.test", Site::new().page("/", Page::titled("Other")))
        .start()
        .await;
    assert!(fetch(&site, "/").await.html().contains("Main"));
    assert!(fetch_on(&site, "OTHER.test", "/").await.html().contains("Other"));
}

#[tokio::test]
async fn sequence_repeats_its_last_reply() {
    let flaky = Reply::sequence([Reply::status(503).header("Retry-After", "1"), Reply::status(500), Reply::html("ok")]);
    let site = Site::new().reply("/flaky", flaky).start().await;
    let mut statuses = Vec::new();
    for _ in 0..4 {
        statuses.push(fetch(&site, "/flaky").await.status());
    }
    assert_eq!(statuses, [503, 500, 200, 200]);
}

#[tokio::test]
async fn path_matches_any_query_unless_declared() {
    let site = Site::new().page("/a", Page::titled("Plain")).page("/a?x=1", Page::titled("Special")).start().await;
    assert!(fetch(&site, "/a?y=2").await.html().contains("Plain"));
    assert!(fetch(&site, "/a?x=1").await.html().contains("Special"));
    assert_eq!(fetch(&site, "/b").await.status(), 404);
}

#[tokio::test]
async fn connections_stay_open_and_request_bodies_are_skipped() {
    let site = Site::new().page("/", Page::titled("Home")).start().await;
    let mut stream = TcpStream::connect(site.addr()).await.unwrap();
    for _ in 0..3 {
        stream.write_all(b"POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 5\r\n\r\nhello").await.unwrap();
        assert_eq!(read_one(&mut stream).await.status(), 200);
    }
    assert_eq!(site.seen().connections(), 1);
    assert_eq!(site.seen().count("/"), 3);
}

#[tokio::test]
async fn head_request_gets_no_body() {
    let site = Site::new().page("/", Page::titled("Home")).start().await;
    let mut stream = TcpStream::connect(site.addr()).await.unwrap();
    stream.write_all(b"HEAD / HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n").await.unwrap();
    let received = crate::client::read(&mut stream, usize::MAX).await;
    assert_eq!((received.status(), received.body().len()), (200, 0));
    assert_ne!(received.header("content-length"), Some("0".into()));
}

#[tokio::test]
async fn proxy_request_uses_the_host_of_its_target() {
    let site = Site::new().host("other.test", Site::new().page("/x", Page::titled("Other"))).start().await;
    let received = fetch(&site, "http://other.test/x").await;
    assert!(received.html().contains("Other"));
    assert_eq!(site.seen().count_on("other.test", "/x"), 1);
}

#[tokio::test]
async fn latency_depends_on_seed_and_path_only() {
    let ms = Duration::from_millis;
    let spread = Latency::log_normal(ms(50), ms(500));
    let times = |seed| (0..1000).map(|page| spread.of(seed, &format!("/{page}"))).collect::<Vec<_>>();
    assert_eq!(times(1), times(1));
    assert_ne!(times(1), times(2));

    let mut sorted = times(1);
    sorted.sort();
    assert!((ms(42)..ms(60)).contains(&sorted[500]), "median {:?}", sorted[500]);
    assert!((ms(350)..ms(750)).contains(&sorted[990]), "99th {:?}", sorted[990]);
    assert!((ms(10)..=ms(20)).contains(&Latency::uniform(ms(10), ms(20)).of(1, "/")));
}

#[tokio::test]
async fn response_waits_for_latency_and_delay() {
    let ms = Duration::from_millis;
    let site =
        Site::new().reply("/", Reply::html("slow").delay(ms(20))).latency(Latency::fixed(ms(30)), 1).start().await;
    let start = Instant::now();
    assert_eq!(fetch(&site, "/").await.status(), 200);
    assert!(start.elapsed() >= ms(50));
}

#[tokio::test]
async fn disconnected_client_does_not_count_as_in_flight() {
    let site = Site::new().reply("/", Reply::html("late").delay(Duration::from_secs(600))).start().await;
    let impatient = ask(&site, "127.0.0.1", "/").await;
    site.wait_for(|seen| seen.requests() == 1).await;
    drop(impatient);
    site.wait_for(|seen| seen.log()[0].answered.is_some()).await;
}

#[tokio::test]
async fn dropping_a_site_closes_port_and_connections() {
    let site = Site::new().page("/", Page::titled("Home")).start().await;
    let address = site.addr();
    let mut open = TcpStream::connect(address).await.unwrap();
    open.write_all(b"GET / HTTP/1.1\r\nHost: x\r\n\r\n").await.unwrap();
    read_one(&mut open).await;

    drop(site);

    assert_ne!(crate::client::read(&mut open, 1).await.end, End::StoppedReading);
    assert!(TcpStream::connect(address).await.is_err());
}

#[tokio::test]
async fn site_can_listen_on_another_loopback_address() {
    let site = Site::new().bind("127.0.0.2").page("/", Page::titled("Home").link("{origin}/a")).start().await;
    assert!(site.origin().starts_with("http://127.0.0.2:"));
    assert!(fetch(&site, "/").await.html().contains("http://127.0.0.2:"));
}
