//! Connection limits, a machine out of resources, and responses that never begin.

use std::collections::HashSet;
use std::sync::atomic::{AtomicUsize, Ordering};

use super::super::pool::Pool;
use super::*;

/// A server that counts its connections.
struct Crowded {
    server: Server,
    total: Arc<AtomicUsize>,
}

impl Crowded {
    fn start() -> Self {
        let total = Arc::new(AtomicUsize::new(0));
        let count = Arc::clone(&total);
        let server = Server::start(move |mut stream| {
            count.fetch_add(1, Ordering::SeqCst);
            while read_head(&mut stream).is_some() {
                let _ = stream.write_all(&respond_with("", b"hello"));
            }
        });
        Self { server, total }
    }

    /// A fetcher that resolves every host to this server.
    fn fetcher(&self, pool: &Pool) -> Fetcher {
        let resolve = vec![format!("*:{}", self.server.address)];
        Fetcher::with_pool(&FetchSettings { resolve, ..settings() }, [], pool.clone()).unwrap()
    }

    fn total(&self) -> usize {
        self.total.load(Ordering::SeqCst)
    }
}

async fn reused(fetcher: &Fetcher, host: &str) -> bool {
    fetcher.fetch(&request(&url(&format!("http://{host}/")))).await.result.unwrap().reused
}

#[tokio::test]
async fn many_hosts_share_few_connections() {
    let site = Crowded::start();
    let fetcher = site.fetcher(&Pool::new(3));
    let urls: Vec<CanonicalUrl> = (0..50).map(|number| url(&format!("http://h{number}.example/"))).collect();
    let asks: Vec<Request<'_>> = urls.iter().map(request).collect();
    let fetched = futures_util::future::join_all(asks.iter().map(|request| fetcher.fetch(request))).await;
    for fetched in fetched {
        assert_eq!((fetched.result.unwrap().status, fetched.sends), (200, 1));
    }
    assert_eq!(site.total(), 50);
}

#[tokio::test]
async fn the_least_recently_used_connection_is_closed_first() {
    let site = Crowded::start();
    let fetcher = site.fetcher(&Pool::new(2));
    for (host, is_reused) in [("a", false), ("b", false), ("a", true), ("c", false), ("a", true), ("b", false)] {
        assert_eq!(reused(&fetcher, host).await, is_reused, "{host}");
    }
}

#[tokio::test]
async fn one_crawl_makes_room_for_another() {
    let site = Crowded::start();
    let pool = Pool::new(1);
    let (one, other) = (site.fetcher(&pool), site.fetcher(&pool));
    assert!(!reused(&one, "a").await);
    assert!(reused(&one, "a").await);
    assert!(!reused(&other, "a").await, "a connection of another crawl, with other settings");
    assert!(!reused(&one, "a").await);
}

#[tokio::test]
async fn a_waiter_for_a_host_gets_its_freed_connection() {
    let site = Crowded::start();
    let fetcher = site.fetcher(&Pool::new(1));
    let address = url("http://a.example/");
    let request = request(&address);
    let fetched = futures_util::future::join_all((0..20).map(|_| fetcher.fetch(&request))).await;
    assert!(fetched.iter().all(|fetched| fetched.result.is_ok()));
    assert_eq!(site.total(), 1);
}

#[tokio::test]
async fn a_request_that_is_given_up_gives_its_place_back() {
    let hanging = Server::start(|mut stream| wait_for_end(&mut stream));
    let resolve = vec![format!("*:{}", hanging.address)];
    let settings = FetchSettings { resolve, ..impatient() };
    let fetcher = Fetcher::with_pool(&settings, [], Pool::new(1)).unwrap();
    for host in ["a", "b"] {
        let failure = fetcher.fetch(&request(&url(&format!("http://{host}/")))).await.result.unwrap_err();
        assert_eq!(failure.kind, FailureKind::HeadersTimeout, "{host}");
    }
}

#[tokio::test]
async fn waiting_for_a_place_takes_none_of_the_time_of_a_request() {
    // Ten responses, each taking a good part of a request's time limit.
    let slow = Server::start(|mut stream| {
        read_head(&mut stream);
        let _ = stream.set_read_timeout(Some(Duration::from_millis(150)));
        let _ = stream.read(&mut [0]);
        let _ = stream.write_all(b"HTTP/1.1 200 OK\r\nContent-Length: 0\r\nConnection: close\r\n\r\n");
    });
    let resolve = vec![format!("*:{}", slow.address)];
    let settings = FetchSettings { resolve, timeout_ms: 1000, connect_timeout_ms: 1000, ..settings() };
    let fetcher = Fetcher::with_pool(&settings, [], Pool::new(1)).unwrap();
    let urls: Vec<CanonicalUrl> = (0..10).map(|number| url(&format!("http://h{number}.example/"))).collect();
    let asks: Vec<Request<'_>> = urls.iter().map(request).collect();
    let fetched = futures_util::future::join_all(asks.iter().map(|request| fetcher.fetch(request))).await;
    let outcomes: HashSet<Option<u16>> = fetched.iter().map(|f| f.result.as_ref().ok().map(|a| a.status)).collect();
    assert_eq!(outcomes, HashSet::from([Some(200)]));
}

#[tokio::test]
async fn a_flood_of_informational_responses_is_ended_by_their_number() {
    let sent = Arc::new(AtomicUsize::new(0));
    let count = Arc::clone(&sent);
    let flood = Server::start(move |mut stream| {
        read_head(&mut stream);
        while stream.write_all(&b"HTTP/1.1 103 Early Hints\r\n\r\n".repeat(100)).is_ok() {
            count.fetch_add(100, Ordering::SeqCst);
        }
    });
    assert_eq!(failure(&settings(), &flood.url("/")).await, FailureKind::Flood);
    // The buffers of two sockets hold far more than is ever read.
    assert!(sent.load(Ordering::SeqCst) < 2_000_000, "{sent:?}");
}

#[tokio::test]
async fn a_flood_of_informational_responses_over_http2_is_ended_by_their_bytes() {
    let (mut config, _) = tls_config(&["a.example"], (2000, 2100), |_| ());
    config.alpn_protocols = vec![b"h2".to_vec()];
    let config = Arc::new(config);
    let flood = Server::start(move |stream| {
        let connection = rustls::ServerConnection::new(Arc::clone(&config)).unwrap();
        let mut stream = rustls::StreamOwned::new(connection, stream);
        // The preface ends like a head. Then our settings, and headers of stream 1 that contain only `:status: 103`.
        read_head(&mut stream);
        let settings = [0, 0, 0, 4, 0, 0, 0, 0, 0];
        let informational = [&[0, 0, 5, 1, 4, 0, 0, 0, 1][..], &[0x08, 3], b"103"].concat();
        let _ = stream.read(&mut [0; 1024]);
        let _ = stream.write_all(&settings);
        let many = informational.repeat(1000);
        while stream.write_all(&many).is_ok() {}
    });
    let settings = FetchSettings {
        insecure_hosts: vec!["a.example".to_owned()],
        resolve: vec![format!("*:{}", flood.address)],
        ..settings()
    };
    assert_eq!(failure(&settings, &url("https://a.example/")).await, FailureKind::Flood);
}

/// Answers every request over HTTP/2 with an empty 200, and keeps the connection open.
fn serve_http2(mut stream: impl Read + Write) -> std::io::Result<()> {
    const HEADERS: u8 = 1;
    let mut preface = [0; 24];
    stream.read_exact(&mut preface)?;
    stream.write_all(&[0, 0, 0, 4, 0, 0, 0, 0, 0])?;
    loop {
        let mut frame = [0; 9];
        stream.read_exact(&mut frame)?;
        let [a, b, c, kind, _, id @ ..] = frame;
        let mut payload = vec![0; u32::from_be_bytes([0, a, b, c]) as usize];
        stream.read_exact(&mut payload)?;
        if kind == HEADERS {
            // END_HEADERS and END_STREAM; `:status: 200` is entry 8 of the HPACK static table.
            stream.write_all(&[&[0, 0, 1, HEADERS, 5][..], &id, &[0x88]].concat())?;
        }
    }
}

#[tokio::test]
async fn idle_connections_of_http2_make_room_for_other_hosts() {
    let (mut config, _) = tls_config(&["a.example"], (2000, 2100), |_| ());
    config.alpn_protocols = vec![b"h2".to_vec()];
    let config = Arc::new(config);
    let server = Server::start(move |stream| {
        let connection = rustls::ServerConnection::new(Arc::clone(&config)).unwrap();
        let _ = serve_http2(rustls::StreamOwned::new(connection, stream));
    });
    let urls: Vec<CanonicalUrl> = (0..20).map(|number| url(&format!("https://h{number}.example/"))).collect();
    let settings = FetchSettings {
        insecure_hosts: urls.iter().map(|url| url.host().to_owned()).collect(),
        resolve: vec![format!("*:{}", server.address)],
        ..settings()
    };
    let fetcher = Fetcher::with_pool(&settings, [], Pool::new(2)).unwrap();
    let asks: Vec<Request<'_>> = urls.iter().map(request).collect();
    let fetching = futures_util::future::join_all(asks.iter().map(|request| fetcher.fetch(request)));
    let fetched = tokio::time::timeout(Duration::from_secs(60), fetching).await.expect("nobody waits for ever");
    for fetched in fetched {
        let response = fetched.result.unwrap();
        assert_eq!((response.status, response.version), (200, HttpVersion::Http2));
    }
}

#[tokio::test]
async fn a_few_informational_responses_do_no_harm() {
    let hints = "HTTP/1.1 103 Early Hints\r\nLink: </a.css>; rel=preload\r\n\r\n".repeat(50);
    let server = Server::start(move |mut stream| {
        while read_head(&mut stream).is_some() {
            let _ = stream.write_all(&[hints.as_bytes(), &respond_with("", b"hello")].concat());
        }
    });
    let fetcher = fetcher(&settings());
    for is_reused in [false, true, true, true] {
        let response = fetcher.fetch(&request(&server.url("/"))).await.result.unwrap();
        assert_eq!((&response.body.bytes[..], response.reused), (&b"hello"[..], is_reused));
    }
}

/// Bodies in flight were not counted: 256 workers could hold 2.5 GB of them.
#[tokio::test(flavor = "multi_thread")]
async fn large_bodies_share_the_memory_that_there_is_for_them() {
    const LARGE: usize = 2 << 20;
    let server = Server::start(|mut stream| {
        while let Some(head) = read_head(&mut stream) {
            let size = if head.starts_with("GET /small") { 100_000 } else { LARGE };
            let _ = stream.write_all(&respond_with("", &vec![b'x'; size]));
        }
    });
    let fetcher = fetcher(&FetchSettings { total_timeout_ms: 300, ..impatient() }).with_space_for_bodies(3 << 20);
    let (large, small) = (server.url("/large"), server.url("/small"));
    let large = Request { take: Take::Body(10 << 20), ..request(&large) };
    let first = fetcher.fetch(&large).await;
    assert_eq!(first.result.as_ref().unwrap().body.bytes.len(), LARGE);
    let is_read = AtomicUsize::new(0);
    let second = async {
        let second = fetcher.fetch(&large).await;
        assert_eq!(is_read.load(Ordering::SeqCst), 1, "it waits until the first one is read");
        second
    };
    let reading = async {
        assert_eq!(
            fetcher.fetch(&request(&small)).await.result.unwrap().body.bytes.len(),
            100_000,
            "small ones need no room"
        );
        // Longer than a request may take: waiting for room does not count.
        tokio::time::sleep(Duration::from_millis(700)).await;
        is_read.store(1, Ordering::SeqCst);
        drop(first);
    };
    let (second, ()) = tokio::join!(second, reading);
    assert_eq!(second.result.unwrap().body.bytes.len(), LARGE);
    assert!(second.timings.total < Duration::from_millis(700), "{:?}", second.timings);
}
