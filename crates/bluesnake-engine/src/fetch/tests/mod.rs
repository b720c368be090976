//! The fetcher against servers like those on the web: well-behaved, broken, slow and hostile.
//!
//! Each server is a socket and a few lines. Tests trust the server's view, not the fetcher's. Servers that hang wait
//! for the fetcher to give up, so nothing here sleeps.

mod limits;
#[cfg(unix)]
#[cfg(unix)]
mod shortage;
mod tls;

use std::io::{Read, Write};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::sync::{Arc, Mutex};
use std::thread;

use flate2::Compression;
use flate2::write::GzEncoder;
use rcgen::{CertificateParams, KeyPair, date_time_ymd};
use rustls::pki_types::{PrivateKeyDer, PrivatePkcs8KeyDer};

use super::*;
use crate::plan::FetchSettings;

/// A server on its own port; every connection is handled on its own thread.
struct Server {
    address: SocketAddr,
}

impl Server {
    fn start(handle: impl Fn(TcpStream) + Send + Sync + 'static) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let address = listener.local_addr().unwrap();
        let handle = Arc::new(handle);
        thread::spawn(move || {
            // Nothing can be accepted while a test has used up all descriptors.
            for stream in listener.incoming().flatten() {
                let handle = Arc::clone(&handle);
                thread::spawn(move || handle(stream));
            }
        });
        Self { address }
    }

    /// Answers the first request of each connection with these bytes, then closes it.
    fn responding(response: impl Into<Vec<u8>>) -> Self {
        let response = response.into();
        Self::start(move |mut stream| {
            read_head(&mut stream);
            let _ = stream.write_all(&response);
        })
    }

    /// Answers the first request of each connection with these bytes, then hangs until the fetcher disconnects.
    fn responding_and_hanging(response: impl Into<Vec<u8>>) -> Self {
        let response = response.into();
        Self::start(move |mut stream| {
            read_head(&mut stream);
            let _ = stream.write_all(&response);
            wait_for_end(&mut stream);
        })
    }

    /// Echoes the head of every request as the body, and keeps the connection open.
    fn echoing() -> Self {
        Self::start(|mut stream| {
            while let Some(head) = read_head(&mut stream) {
                let _ = stream.write_all(&respond_with("", head.as_bytes()));
            }
        })
    }

    fn url(&self, path: &str) -> CanonicalUrl {
        url(&format!("http://{}{path}", self.address))
    }
}

/// A complete request head; `None` if the connection ends first.
fn read_head(stream: &mut impl Read) -> Option<String> {
    let mut head = Vec::new();
    let mut byte = [0];
    while !head.ends_with(b"\r\n\r\n") {
        if !matches!(stream.read(&mut byte), Ok(1)) {
            return None;
        }
        head.push(byte[0]);
    }
    Some(String::from_utf8(head).unwrap())
}

fn wait_for_end(stream: &mut impl Read) {
    while matches!(stream.read(&mut [0; 1024]), Ok(1..)) {}
}

fn respond_with(fields: &str, body: &[u8]) -> Vec<u8> {
    let head = format!("HTTP/1.1 200 OK\r\nContent-Length: {}\r\n{fields}\r\n", body.len());
    [head.as_bytes(), body].concat()
}

fn url(text: &str) -> CanonicalUrl {
    CanonicalUrl::parse(text).unwrap()
}

fn settings() -> FetchSettings {
    FetchSettings { allow_private: true, ..FetchSettings::default() }
}

fn impatient() -> FetchSettings {
    FetchSettings { timeout_ms: 300, idle_timeout_ms: 300, connect_timeout_ms: 300, ..settings() }
}

fn fetcher(settings: &FetchSettings) -> Fetcher {
    Fetcher::new(settings, []).unwrap()
}

fn request(url: &CanonicalUrl) -> Request<'_> {
    Request { url, accept: Accept::Page, attempt: 1, take: Take::Body(1 << 20), known: None }
}

async fn fetch(settings: &FetchSettings, url: &CanonicalUrl) -> Result<Response, Failure> {
    fetcher(settings).fetch(&request(url)).await.result
}

async fn failure(settings: &FetchSettings, url: &CanonicalUrl) -> FailureKind {
    match fetch(settings, url).await {
        Ok(response) => panic!("{url} answered: {response:?}"),
        Err(failure) => failure.kind,
    }
}

async fn failure_of(server: Server) -> FailureKind {
    failure(&impatient(), &server.url("/")).await
}

async fn text(fetcher: &Fetcher, request: &Request<'_>) -> String {
    let response = fetcher.fetch(request).await.result.unwrap();
    String::from_utf8(response.body.bytes.to_vec()).unwrap().to_ascii_lowercase()
}

#[tokio::test]
async fn a_response_is_returned_with_all_its_parts() {
    let server = Server::responding(respond_with("X-Twice: 1\r\nx-twice: 2\r\n", b"hello"));
    let fetched = fetcher(&settings()).fetch(&request(&server.url("/"))).await;
    let response = fetched.result.unwrap();
    assert_eq!((response.status, response.version), (200, HttpVersion::Http11));
    assert_eq!((&response.body.bytes[..], response.body.wire_bytes, response.body.cut), (&b"hello"[..], 5, None));
    assert_eq!(response.headers.get_all("x-twice").iter().count(), 2);
    assert_eq!(response.remote, Some(server.address));
    assert!(!response.reused && response.kept.is_none());
    let timings = fetched.timings;
    assert!(timings.connect.is_some() && timings.tls.is_none() && timings.first_byte.is_some());
    assert!(timings.total >= timings.first_byte.unwrap() + timings.body.unwrap());
}

#[tokio::test]
async fn a_kept_connection_is_used_again_and_then_opens_nothing() {
    let server = Server::echoing();
    let fetcher = fetcher(&settings());
    let address = server.url("/");
    fetcher.fetch(&request(&address)).await;
    let second = fetcher.fetch(&request(&address)).await;
    assert!(second.result.unwrap().reused);
    assert_eq!((second.timings.dns, second.timings.connect), (None, None));
}

#[tokio::test]
async fn a_request_lost_with_a_kept_connection_is_sent_again() {
    let served = Arc::new(Mutex::new(0));
    let count = Arc::clone(&served);
    let server = Server::start(move |mut stream| {
        read_head(&mut stream);
        *count.lock().unwrap() += 1;
        let _ = stream.write_all(&respond_with("", b"once"));
        read_head(&mut stream); // the second request dies here, unanswered
    });
    let fetcher = fetcher(&settings());
    for _ in 0..3 {
        assert_eq!(fetcher.fetch(&request(&server.url("/"))).await.result.unwrap().status, 200);
    }
    assert_eq!(*served.lock().unwrap(), 3);
}

#[tokio::test]
async fn requests_look_like_those_of_a_browser() {
    let server = Server::echoing();
    let fetcher = fetcher(&settings());
    let head = text(&fetcher, &request(&server.url("/a?b=c"))).await;
    assert!(head.starts_with("get /a?b=c http/1.1\r\n"), "{head}");
    for field in [
        "accept: text/html,application/xhtml+xml",
        "accept-encoding: gzip, deflate, br, zstd",
        "accept-language: en",
        "user-agent: bluesnake/",
        &format!("host: {}", server.address),
    ] {
        assert!(head.contains(&format!("\r\n{field}")), "{field} in {head}");
    }
    assert!(!head.contains("referer") && !head.contains("cookie"), "{head}");
}

#[tokio::test]
async fn the_accept_header_follows_the_request_kind() {
    let server = Server::echoing();
    let fetcher = fetcher(&settings());
    let address = server.url("/");
    for (accept, expected) in [
        (Accept::Resource, "accept: */*"),
        (Accept::Sitemap, "accept: application/xml"),
        (Accept::Robots, "accept: text/plain"),
    ] {
        let head = text(&fetcher, &Request { accept, ..request(&address) }).await;
        assert!(head.contains(expected), "{head}");
    }
}

#[tokio::test]
async fn head_requests_only_the_head() {
    let server = Server::responding("HTTP/1.1 200 OK\r\nContent-Length: 1000\r\n\r\n");
    let address = server.url("/");
    let fetched = fetcher(&settings()).fetch(&Request { take: Take::Head, ..request(&address) }).await;
    let response = fetched.result.unwrap();
    assert_eq!((response.body.bytes.len(), response.body.cut), (0, None));
    assert_eq!(response.headers["content-length"], "1000");
}

#[tokio::test]
async fn a_redirect_is_a_response_and_not_followed() {
    let server = Server::responding("HTTP/1.1 301 Moved\r\nLocation: /elsewhere\r\nContent-Length: 0\r\n\r\n");
    let response = fetch(&settings(), &server.url("/")).await.unwrap();
    assert_eq!((response.status, response.headers["location"].to_str().unwrap()), (301, "/elsewhere"));
}

#[tokio::test]
async fn secrets_go_to_own_hosts_only() {
    let (own, other) = (Server::echoing(), Server::echoing());
    let (own_url, other_url) = (own.url("/a"), other.url("/b"));
    let settings = FetchSettings {
        headers: [("X-Key".to_owned(), "canary".to_owned())].into(),
        auth: [(own_url.origin().to_owned(), "me:canary".to_owned())].into(),
        initial_cookies: vec!["session=canary".to_owned()],
        ..settings()
    };
    let fetcher = Fetcher::new(&settings, [own_url.origin().to_owned()]).unwrap();
    let at_home = text(&fetcher, &request(&own_url)).await;
    for reported in ["x-key: canary", "authorization: basic bwu6y2fuyxj5", "cookie: session=canary"] {
        assert!(at_home.contains(reported), "{reported} in {at_home}");
    }
    let elsewhere = text(&fetcher, &request(&other_url)).await;
    for secret in ["x-key", "authorization", "cookie", "referer"] {
        assert!(!elsewhere.contains(secret), "{secret} in {elsewhere}");
    }
}

#[tokio::test]
async fn cookies_come_back_and_can_be_switched_off() {
    let start = || {
        Server::start(|mut stream| {
            while let Some(head) = read_head(&mut stream) {
                let _ = stream.write_all(&respond_with("Set-Cookie: id=1; Path=/\r\n", head.as_bytes()));
            }
        })
    };
    for (cookies, expected) in [(true, true), (false, false)] {
        let (server, fetcher) = (start(), fetcher(&FetchSettings { cookies, ..settings() }));
        let address = server.url("/");
        assert!(!text(&fetcher, &request(&address)).await.contains("cookie"));
        assert_eq!(text(&fetcher, &request(&address)).await.contains("cookie: id=1"), expected);
    }
}

#[tokio::test]
async fn a_port_without_a_server_refuses() {
    let free = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap();
    assert_eq!(failure(&settings(), &url(&format!("http://{free}/"))).await, FailureKind::Refused);
}

#[tokio::test]
async fn a_missing_name_is_reported() {
    assert_eq!(failure(&settings(), &url("http://nobody.invalid/")).await, FailureKind::DnsNotFound);
}

#[tokio::test]
async fn a_reset_before_the_head_is_reported() {
    // Closing a socket with unread bytes resets the connection.
    let server = Server::start(|stream| _ = stream.peek(&mut [0]));
    assert_eq!(failure_of(server).await, FailureKind::Reset);
}

#[tokio::test]
async fn a_reset_in_the_body_is_a_failure_and_no_page() {
    let server = Server::start(|mut stream| {
        let _ = stream.peek(&mut [0]);
        let _ = stream.write_all(b"HTTP/1.1 200 OK\r\nContent-Length: 1000\r\n\r\nhalf");
    });
    assert_eq!(failure_of(server).await, FailureKind::Reset);
}

#[tokio::test]
async fn a_connection_closed_before_or_in_the_head_is_reported() {
    for start in ["", "HTTP/1.1 200 OK\r\nContent-", "HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\n"] {
        assert_eq!(failure_of(Server::responding(start)).await, FailureKind::ClosedEarly, "{start:?}");
    }
}

#[tokio::test]
async fn non_http_responses_are_malformed() {
    for garbage in ["SSH-2.0-OpenSSH_9.2\r\n\r\n", "<html></html>\r\n\r\n", "HTTP/1.1 abc OK\r\n\r\n", "\0\0\0\x12\x04"]
    {
        assert_eq!(failure_of(Server::responding(garbage)).await, FailureKind::Malformed, "{garbage:?}");
    }
}

#[tokio::test]
async fn broken_chunks_are_malformed() {
    let head = "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n";
    for chunks in ["xyz\r\nhello\r\n", "5\r\nhello\r\nzz\r\n", "5\r\nhelloTOOLONG\r\n", "ffffffffffffffffff\r\n"] {
        assert_eq!(
            failure_of(Server::responding(format!("{head}{chunks}"))).await,
            FailureKind::Malformed,
            "{chunks:?}"
        );
    }
}

#[tokio::test]
async fn a_short_body_is_never_taken_for_whole() {
    let chunked = "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n";
    for short in [
        "HTTP/1.1 200 OK\r\nContent-Length: 1000\r\n\r\nhalf".to_owned(),
        format!("{chunked}4\r\nhalf\r\n"),
        format!("{chunked}8\r\nhalf"),
    ] {
        let response = fetch(&settings(), &Server::responding(short.clone()).url("/")).await.unwrap();
        assert_eq!((&response.body.bytes[..], response.body.cut), (&b"half"[..], Some(Cut::Truncated)), "{short:?}");
    }
}

#[tokio::test]
async fn a_body_without_a_length_ends_with_its_connection() {
    let response = fetch(&settings(), &Server::responding("HTTP/1.0 200 OK\r\n\r\nall of it").url("/")).await.unwrap();
    assert_eq!((&response.body.bytes[..], response.body.cut), (&b"all of it"[..], None));
    assert_eq!(response.version, HttpVersion::Http10);
}

#[tokio::test]
async fn trailers_and_empty_chunks_do_no_harm() {
    let response = "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n0\r\nX-Trailer: 1\r\n\r\n";
    let response = fetch(&settings(), &Server::responding(response).url("/")).await.unwrap();
    assert_eq!((&response.body.bytes[..], response.body.cut), (&b"hello"[..], None));
}

#[tokio::test]
async fn a_flood_of_headers_is_refused() {
    let many: String = (0..10_000).map(|number| format!("X-{number}: 1\r\n")).collect();
    assert_eq!(failure_of(Server::responding(respond_with(&many, b""))).await, FailureKind::HeadersTooLarge);
    let few_too_many: String = (0..201).map(|number| format!("X-{number}: 1\r\n")).collect();
    assert_eq!(failure_of(Server::responding(respond_with(&few_too_many, b""))).await, FailureKind::HeadersTooLarge);
    let enough: String = (0..199).map(|number| format!("X-{number}: 1\r\n")).collect();
    assert!(fetch(&settings(), &Server::responding(respond_with(&enough, b"")).url("/")).await.is_ok());
}

#[tokio::test]
async fn a_header_of_a_megabyte_is_refused() {
    let large = format!("X-Large: {}\r\n", "x".repeat(1 << 20));
    assert_eq!(
        failure_of(Server::responding_and_hanging(respond_with(&large, b""))).await,
        FailureKind::HeadersTooLarge
    );
}

#[tokio::test]
async fn a_response_that_never_begins_times_out() {
    for start in ["", "HTTP/1.1 200 OK\r\nX-Slow"] {
        assert_eq!(failure_of(Server::responding_and_hanging(start)).await, FailureKind::HeadersTimeout, "{start:?}");
    }
}

#[tokio::test]
async fn a_body_that_stops_coming_is_given_up() {
    let start = "HTTP/1.1 200 OK\r\nContent-Length: 1000\r\n\r\nhalf";
    assert_eq!(failure_of(Server::responding_and_hanging(start)).await, FailureKind::BodyTimeout);
    let settings = FetchSettings { timeout_ms: 200, total_timeout_ms: 200, ..settings() };
    let server = Server::responding_and_hanging(start);
    assert_eq!(failure(&settings, &server.url("/")).await, FailureKind::TotalTimeout);
}

#[tokio::test]
async fn later_attempts_may_take_longer() {
    let settings = FetchSettings { timeout_ms: 10, timeout_step_ms: 150, ..settings() };
    let server = Server::responding_and_hanging("");
    let address = server.url("/");
    let fetched = fetcher(&settings).fetch(&Request { attempt: 3, ..request(&address) }).await;
    assert_eq!(fetched.result.unwrap_err().kind, FailureKind::HeadersTimeout);
    assert!(fetched.timings.total >= Duration::from_millis(310));
}

#[tokio::test]
async fn an_endless_body_is_cut_at_the_limit() {
    for fields in ["", "Transfer-Encoding: chunked\r\n"] {
        let server = Server::start(move |mut stream| {
            read_head(&mut stream);
            let _ = stream.write_all(format!("HTTP/1.1 200 OK\r\n{fields}\r\n").as_bytes());
            let piece =
                if fields.is_empty() { vec![b'x'; 1000] } else { [b"3e8\r\n", &[b'x'; 1000][..], b"\r\n"].concat() };
            while stream.write_all(&piece).is_ok() {}
        });
        let address = server.url("/");
        for take in [Take::Body(100_000), Take::Count] {
            let settings = FetchSettings { body_limit: 100_000, ..settings() };
            let body = fetcher(&settings).fetch(&Request { take, ..request(&address) }).await.result.unwrap().body;
            assert_eq!((body.cut, body.decoded_bytes), (Some(Cut::Limit), 100_000), "{take:?}");
        }
    }
}

#[tokio::test]
async fn a_gzip_bomb_is_cut_and_does_not_fill_the_memory() {
    let mut encoder = GzEncoder::new(Vec::new(), Compression::best());
    for _ in 0..64 {
        encoder.write_all(&[0; 1 << 20]).unwrap();
    }
    let server = Server::responding(respond_with("Content-Encoding: gzip\r\n", &encoder.finish().unwrap()));
    let address = server.url("/");
    let fetched = fetcher(&settings()).fetch(&Request { take: Take::Body(usize::MAX), ..request(&address) }).await;
    let body = fetched.result.unwrap().body;
    assert_eq!(body.cut, Some(Cut::Ratio));
    assert!(body.bytes.len() <= 32 << 20, "{}", body.bytes.len());
}

#[tokio::test]
async fn private_addresses_are_refused_in_every_spelling() {
    let server = Server::echoing();
    let port = server.address.port();
    let guarded = FetchSettings { allow_private: false, ..settings() };
    for host in [
        "127.0.0.1",
        "[::1]",
        "[::ffff:127.0.0.1]",
        "2130706433",
        "0177.0.0.1",
        "0x7f.0.0.1",
        "127.1",
        "localhost",
        "localhost.",
        "[64:ff9b::7f00:1]",
        "[2002:7f00:1::]",
        "0.0.0.0",
        "[::]",
        "169.254.169.254",
        "[::ffff:a9fe:a9fe]",
    ] {
        let kind = failure(&guarded, &url(&format!("http://{host}:{port}/"))).await;
        assert_eq!(kind, FailureKind::AddressRefused, "{host}");
    }
    let metadata = url("http://169.254.169.254/latest/meta-data/");
    assert_eq!(
        failure(&settings(), &metadata).await,
        FailureKind::AddressRefused,
        "even where private ones are allowed"
    );
}

#[tokio::test]
async fn the_operator_may_say_where_a_host_is() {
    let server = Server::echoing();
    let resolve = vec![format!("a.example:{}", server.address), format!("*.b.example:{}", server.address)];
    let settings = FetchSettings { resolve, ..FetchSettings::default() };
    let fetcher = fetcher(&settings);
    for host in ["a.example", "www.b.example"] {
        let head = text(&fetcher, &request(&url(&format!("http://{host}/x")))).await;
        assert!(head.contains(&format!("host: {host}\r\n")), "{head}");
    }
}

/// A server with a certificate for these names, and that certificate.
fn serve_tls(names: &[&str]) -> (Server, String) {
    serve_tls_between(names, (2000, 2100))
}

/// A server whose certificate is valid from the first year to the second.
fn serve_tls_between(names: &[&str], years: (i32, i32)) -> (Server, String) {
    serve_tls_with(names, years, |_| ())
}

/// The same with a certificate that differs in some way.
fn serve_tls_with(names: &[&str], years: (i32, i32), change: impl FnOnce(&mut CertificateParams)) -> (Server, String) {
    let (config, pem) = tls_config(names, years, change);
    let config = Arc::new(config);
    let server = Server::start(move |stream| {
        let connection = rustls::ServerConnection::new(Arc::clone(&config)).unwrap();
        let mut stream = rustls::StreamOwned::new(connection, stream);
        if let Some(head) = read_head(&mut stream) {
            let _ = stream.write_all(&respond_with("", head.as_bytes()));
            wait_for_end(&mut stream);
        }
    });
    (server, pem)
}

fn tls_config(
    names: &[&str],
    (first, last): (i32, i32),
    change: impl FnOnce(&mut CertificateParams),
) -> (rustls::ServerConfig, String) {
    let names: Vec<String> = names.iter().map(|name| (*name).to_owned()).collect();
    let mut certificate = CertificateParams::new(names).unwrap();
    certificate.not_before = date_time_ymd(first, 1, 1);
    certificate.not_after = date_time_ymd(last, 1, 1);
    change(&mut certificate);
    let signing_key = KeyPair::generate().unwrap();
    let cert = certificate.self_signed(&signing_key).unwrap();
    let key = PrivateKeyDer::Pkcs8(PrivatePkcs8KeyDer::from(signing_key.serialize_der()));
    let config = rustls::ServerConfig::builder_with_provider(Arc::new(rustls::crypto::ring::default_provider()))
        .with_safe_default_protocol_versions()
        .unwrap()
        .with_no_client_auth()
        .with_single_cert(vec![cert.der().clone()], key)
        .unwrap();
    (config, cert.pem())
}

/// A folder that is removed with the test.
struct Folder(std::path::PathBuf);

impl Folder {
    fn new(name: &str) -> Self {
        let path = std::env::temp_dir().join(format!("bluesnake-fetch-{name}-{}", std::process::id()));
        std::fs::create_dir_all(&path).unwrap();
        Self(path)
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

#[tokio::test]
async fn a_certificate_of_an_unknown_issuer_is_refused_and_known_ones_are_taken() {
    let (server, certificate) = serve_tls(&["a.example", "127.0.0.1"]);
    let address = url(&format!("https://{}/", server.address));
    assert_eq!(failure(&settings(), &address).await, FailureKind::TlsUnknownIssuer);

    let folder = Folder::new("ca");
    let ca_file = folder.0.join("ca.pem");
    std::fs::write(&ca_file, certificate).unwrap();
    let resolve = vec![format!("*:{}", server.address)];
    let trusting = FetchSettings { ca_file, resolve, ..settings() };
    let fetched = fetcher(&trusting).fetch(&request(&url("https://a.example/"))).await;
    assert!(fetched.timings.tls.is_some());
    assert_eq!(fetched.result.unwrap().certificate_problem, None);
    assert_eq!(failure(&trusting, &url("https://b.example/")).await, FailureKind::TlsWrongName);
}

#[tokio::test]
async fn an_expired_or_future_certificate_is_reported() {
    let folder = Folder::new("dates");
    for (years, expected) in [((2000, 2001), FailureKind::TlsExpired), ((2090, 2100), FailureKind::TlsNotYetValid)] {
        let (server, certificate) = serve_tls_between(&["a.example"], years);
        let ca_file = folder.0.join("ca.pem");
        std::fs::write(&ca_file, certificate).unwrap();
        let settings = FetchSettings { ca_file, resolve: vec![format!("*:{}", server.address)], ..settings() };
        assert_eq!(failure(&settings, &url("https://a.example/")).await, expected);
    }
}

#[tokio::test]
async fn an_insecure_host_connects_and_its_problem_is_reported() {
    let (server, _) = serve_tls(&["a.example"]);
    let resolve = vec![format!("*:{}", server.address)];
    let settings = FetchSettings { insecure_hosts: vec!["b.example".to_owned()], resolve, ..settings() };
    let response = fetch(&settings, &url("https://b.example/")).await.unwrap();
    assert_eq!(response.certificate_problem.as_deref(), Some("the certificate's issuer is not known"));
    assert_eq!(failure(&settings, &url("https://a.example/")).await, FailureKind::TlsUnknownIssuer);
}

#[tokio::test]
async fn hanging_and_failing_handshakes_are_distinguished() {
    let hanging = Server::start(|mut stream| wait_for_end(&mut stream));
    let address = url(&format!("https://{}/", hanging.address));
    assert_eq!(failure(&impatient(), &address).await, FailureKind::TlsTimeout);
    let plain = Server::start(|mut stream| {
        let _ = stream.write_all(b"HTTP/1.1 400 Bad Request\r\n\r\n");
        wait_for_end(&mut stream);
    });
    assert_eq!(failure(&impatient(), &url(&format!("https://{}/", plain.address))).await, FailureKind::TlsFailed);
}

/// A proxy that supports CONNECT, echoes plain requests, and requires a password.
fn proxy(target: SocketAddr) -> Server {
    Server::start(move |mut stream| {
        let Some(head) = read_head(&mut stream) else { return };
        if !head.to_ascii_lowercase().contains("proxy-authorization: basic bwu6c2vjcmv0") {
            let _ = stream.write_all(b"HTTP/1.1 407 Proxy Authentication Required\r\nContent-Length: 0\r\n\r\n");
        } else if head.starts_with("CONNECT ") {
            let _ = stream.write_all(b"HTTP/1.1 200 Connection established\r\n\r\n");
            let mut onward = TcpStream::connect(target).unwrap();
            let (mut back, mut forth) = (onward.try_clone().unwrap(), stream.try_clone().unwrap());
            thread::spawn(move || std::io::copy(&mut back, &mut forth));
            let _ = std::io::copy(&mut stream, &mut onward);
        } else {
            let _ = stream.write_all(&respond_with("", head.as_bytes()));
        }
    })
}

#[tokio::test]
async fn a_proxy_is_used_with_its_password() {
    let (server, _) = serve_tls(&["a.example"]);
    let proxy = proxy(server.address);
    let settings = FetchSettings {
        proxy: format!("http://me:secret@{}", proxy.address),
        insecure_hosts: vec!["a.example".to_owned()],
        ..FetchSettings::default()
    };
    let secure = text(&fetcher(&settings), &request(&url("https://a.example/x"))).await;
    assert!(secure.starts_with("get /x http/1.1") && !secure.contains("proxy-authorization"), "{secure}");
    let plain = text(&fetcher(&settings), &request(&url("http://a.example/x"))).await;
    assert!(plain.starts_with("get http://a.example/x http/1.1"), "{plain}");
}

#[tokio::test]
async fn a_refusing_proxy_is_reported() {
    let refusing = proxy("127.0.0.1:1".parse().unwrap());
    let settings = FetchSettings { proxy: format!("http://{}", refusing.address), ..FetchSettings::default() };
    assert_eq!(failure(&settings, &url("https://a.example/")).await, FailureKind::Proxy);
    let free = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap();
    let settings = FetchSettings { proxy: format!("http://{free}"), ..FetchSettings::default() };
    assert_eq!(failure(&settings, &url("http://a.example/")).await, FailureKind::Proxy);
}

#[tokio::test]
async fn a_proxy_does_not_bypass_the_guard() {
    let server = Server::echoing();
    let settings = FetchSettings { proxy: format!("http://{}", server.address), ..FetchSettings::default() };
    for host in ["127.0.0.1", "localhost", "[::1]", "169.254.169.254"] {
        assert_eq!(failure(&settings, &url(&format!("http://{host}/"))).await, FailureKind::AddressRefused, "{host}");
    }
}

#[tokio::test]
async fn a_socks_proxy_is_used() {
    let server = Server::echoing();
    let target = server.address;
    let socks = Server::start(move |mut stream| {
        let mut greeting = [0; 3];
        stream.read_exact(&mut greeting).unwrap();
        assert_eq!(greeting, [5, 1, 0]);
        stream.write_all(&[5, 0]).unwrap();
        let mut request = [0; 5];
        stream.read_exact(&mut request).unwrap();
        assert_eq!(request[..4], [5, 1, 0, 3], "the name is left to the proxy");
        let mut name_and_port = vec![0; usize::from(request[4]) + 2];
        stream.read_exact(&mut name_and_port).unwrap();
        assert!(name_and_port.starts_with(b"a.example"));
        stream.write_all(&[5, 0, 0, 1, 0, 0, 0, 0, 0, 0]).unwrap();
        let mut onward = TcpStream::connect(target).unwrap();
        let (mut back, mut forth) = (onward.try_clone().unwrap(), stream.try_clone().unwrap());
        thread::spawn(move || std::io::copy(&mut back, &mut forth));
        let _ = std::io::copy(&mut stream, &mut onward);
    });
    let settings = FetchSettings { proxy: format!("socks5://{}", socks.address), ..FetchSettings::default() };
    let head = text(&fetcher(&settings), &request(&url("http://a.example/x"))).await;
    assert!(head.starts_with("get /x http/1.1"), "{head}");
}

/// A server that counts its requests and responds with the count.
fn counting() -> (Server, Arc<Mutex<u32>>) {
    let requests = Arc::new(Mutex::new(0));
    let count = Arc::clone(&requests);
    let server = Server::start(move |mut stream| {
        while let Some(head) = read_head(&mut stream) {
            let number = {
                let mut count = count.lock().unwrap();
                *count += 1;
                *count
            };
            let status = if head.starts_with("GET /broken") { "500 Broken" } else { "200 OK" };
            let body = format!("answer {number}");
            let response = format!(
                "HTTP/1.1 {status}\r\nX-Kept: yes\r\nSet-Cookie: a=b\r\nContent-Length: {}\r\n\r\n{body}",
                body.len()
            );
            let _ = stream.write_all(response.as_bytes());
        }
    });
    (server, requests)
}

#[tokio::test]
async fn a_cached_response_is_not_requested_again() {
    let (server, requests) = counting();
    let folder = Folder::new("cache");
    let settings = FetchSettings { cache_dir: folder.0.clone(), ..settings() };
    let address = server.url("/page");
    let first = fetch(&settings, &address).await.unwrap();
    let second = fetch(&settings, &address).await.unwrap();
    assert!(first.kept.is_none() && second.kept.is_some());
    assert_eq!((second.status, &second.body), (200, &first.body));
    assert_eq!(second.headers["x-kept"], "yes");
    assert!(!second.headers.contains_key("set-cookie"), "a session is not kept");
    assert_eq!(*requests.lock().unwrap(), 1);
}

#[tokio::test]
async fn a_corrupt_cache_file_is_requested_again() {
    let (server, requests) = counting();
    let folder = Folder::new("damaged");
    let settings = FetchSettings { cache_dir: folder.0.clone(), ..settings() };
    let address = server.url("/page");
    fetch(&settings, &address).await.unwrap();
    let sub_folder = std::fs::read_dir(&folder.0).unwrap().next().unwrap().unwrap().path();
    let file = std::fs::read_dir(sub_folder).unwrap().next().unwrap().unwrap().path();
    let whole = std::fs::read(&file).unwrap();
    for damage in [&whole[..whole.len() - 1], &[&whole[..40], b"?", &whole[41..]].concat(), b""] {
        std::fs::write(&file, damage).unwrap();
        assert!(fetch(&settings, &address).await.unwrap().kept.is_none());
    }
    assert_eq!(*requests.lock().unwrap(), 4);
}

#[tokio::test]
async fn server_errors_are_not_cached_and_old_responses_are_refreshed() {
    let (server, requests) = counting();
    let folder = Folder::new("expiry");
    let settings = FetchSettings { cache_dir: folder.0.clone(), cache_seconds: 60, ..settings() };
    for _ in 0..2 {
        fetch(&settings, &server.url("/broken")).await.unwrap();
    }
    assert_eq!(*requests.lock().unwrap(), 2);
    fetch(&settings, &server.url("/page")).await.unwrap();
    let sub_folder = std::fs::read_dir(&folder.0).unwrap().next().unwrap().unwrap().path();
    let file = std::fs::read_dir(sub_folder).unwrap().next().unwrap().unwrap().path();
    let two_minutes_ago = std::time::SystemTime::now() - Duration::from_secs(120);
    std::fs::File::options().write(true).open(file).unwrap().set_modified(two_minutes_ago).unwrap();
    assert!(fetch(&settings, &server.url("/page")).await.unwrap().kept.is_none());
}

#[tokio::test]
async fn a_cache_that_cannot_be_written_fails_nothing() {
    let (server, _) = counting();
    let folder = Folder::new("unwritable");
    let file = folder.0.join("file");
    std::fs::write(&file, "in the way").unwrap();
    let settings = FetchSettings { cache_dir: file, ..settings() };
    assert_eq!(fetch(&settings, &server.url("/")).await.unwrap().status, 200);
}

#[test]
fn all_problems_of_the_settings_are_reported_at_once() {
    let settings = FetchSettings {
        user_agent: "a\nb".to_owned(),
        headers: [("bad name".to_owned(), "x".to_owned())].into(),
        auth: [("https://a.example".to_owned(), "no colon".to_owned())].into(),
        initial_cookies: vec!["nameonly".to_owned()],
        proxy: "ftp://proxy".to_owned(),
        resolve: vec!["nonsense".to_owned()],
        ca_file: "/no/such/file.pem".into(),
        header_count: 0,
        timeout_ms: u64::MAX,
        ..FetchSettings::default()
    };
    let fields: Vec<&str> = problems(&settings).into_iter().map(|(field, _)| field).collect();
    assert_eq!(
        fields,
        [
            "fetch.header_count",
            "fetch.proxy",
            "fetch.resolve",
            "fetch.ca_file",
            "fetch.user_agent",
            "fetch.headers",
            "fetch.auth",
            "fetch.initial_cookies",
        ]
    );
    assert!(Fetcher::new(&settings, []).is_err());
    assert_eq!(problems(&FetchSettings::default()), []);
}
