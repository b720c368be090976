//! Every protocol fault does on the wire what its name says.

use std::time::{Duration, Instant};

use testsite::{Fault, Page, Running, Site};

use crate::client::{End, Received, ask, fetch, receive};

const SOON: Duration = Duration::from_millis(2);

async fn site_with(fault: Fault) -> Running {
    Site::new().fault("/fault", fault).page("/good", Page::titled("Good")).start().await
}

async fn suffer(fault: Fault) -> Received {
    fetch(&site_with(fault).await, "/fault").await
}

async fn suffer_up_to(fault: Fault, limit: usize) -> Received {
    receive(&site_with(fault).await, "/fault", limit).await
}

#[tokio::test]
async fn hang_lasts_until_the_client_disconnects() {
    let site = site_with(Fault::HangBeforeHeaders).await;
    let waiting = ask(&site, "127.0.0.1", "/fault").await;
    site.wait_for(|seen| seen.requests() == 1).await;
    assert_eq!(fetch(&site, "/good").await.status(), 200);
    assert!(site.log()[0].answered.is_none());

    drop(waiting);
    site.wait_for(|seen| seen.log()[0].answered.is_some()).await;
}

#[tokio::test]
async fn slow_headers_arrive_byte_by_byte() {
    let start = Instant::now();
    let received = suffer_up_to(Fault::SlowHeaders { every: SOON }, 20).await;
    assert!(received.bytes.starts_with(b"HTTP/1.1 200 OK\r\nCon"));
    assert!(start.elapsed() >= 19 * SOON);
}

#[tokio::test]
async fn slow_body_arrives_byte_by_byte() {
    let head = suffer_up_to(Fault::SlowBody { every: SOON }, 1).await.bytes.len();
    let start = Instant::now();
    let received = suffer_up_to(Fault::SlowBody { every: SOON }, head + 20).await;
    assert!(received.body().len() >= 19 && received.body().iter().all(|byte| *byte == b'.'));
    assert!(start.elapsed() >= 18 * SOON);
}

#[tokio::test]
async fn connections_end_as_the_fault_declares() {
    let check = async |fault: Fault, end: End, ending: &str| {
        let name = fault.name();
        let received = suffer(fault).await;
        assert_eq!(received.end, end, "{name}");
        assert!(received.text().ends_with(ending), "{name}: {}", received.text());
        received
    };
    assert_eq!(check(Fault::DropBeforeHeaders, End::Closed, "").await.bytes.len(), 0);
    assert_eq!(check(Fault::ResetBeforeHeaders, End::Reset, "").await.bytes.len(), 0);
    assert_eq!(check(Fault::RefuseStream, End::Reset, "").await.bytes.len(), 0);
    check(Fault::ResetInHeaders, End::Reset, "Content-Type: text/ht").await;
    let cut = check(Fault::ResetMidBody, End::Reset, "</html>\n").await;
    assert_eq!(cut.header("content-length"), Some((cut.body().len() * 2).to_string()));
    let whole = check(Fault::ResetAfterBody, End::Reset, "</html>\n").await;
    assert_eq!(whole.header("content-length"), Some(whole.body().len().to_string()));
    let short = check(Fault::TruncatedBody, End::Closed, "</html>\n").await;
    assert_eq!(short.header("content-length"), Some((short.body().len() * 2).to_string()));
    let long = check(Fault::BodyLongerThanLength, End::Closed, "</html>\n").await;
    assert_eq!(long.header("content-length"), Some((long.body().len() / 2).to_string()));
}

#[tokio::test]
async fn chunk_faults_break_chunks_as_declared() {
    let check = async |fault: Fault, ending: &str| {
        let name = fault.name();
        let received = suffer(fault).await;
        assert_eq!(received.header("transfer-encoding"), Some("chunked".into()), "{name}");
        assert!(received.text().ends_with(ending), "{name}: {}", received.text());
        received
    };
    check(Fault::BadChunkSize, "</html>\n\r\nxyz\r\nnot a chunk\r\n0\r\n\r\n").await;
    check(Fault::MissingFinalChunk, "</html>\n\r\n").await;
    check(Fault::ChunkTrailers, "0\r\nX-Checksum: 1234\r\nX-Late: yes\r\n\r\n").await;
    let both = check(Fault::LengthAndChunked, "</html>\n\r\n0\r\n\r\n").await;
    assert_eq!(both.header("content-length"), Some("5".into()));
}

#[tokio::test]
async fn endless_faults_do_not_end() {
    const ENOUGH: usize = 5_000_000;
    let check = async |fault: Fault, piece: &str| {
        let name = fault.name();
        let received = suffer_up_to(fault, ENOUGH).await;
        assert_eq!(received.end, End::StoppedReading, "{name}");
        assert!(received.text()[ENOUGH - 1000..].contains(piece), "{name}");
    };
    check(Fault::EndlessBody, "<p>and so on</p>\n").await;
    check(Fault::EndlessHeaders, "X-More: and so on\r\n").await;
    check(Fault::EmptyChunksForever, "\r\n0\r\n\r\n0\r\n\r\n").await;
    check(Fault::EndlessChunkSize, "0000000000000000").await;
}

#[tokio::test]
async fn oversized_heads_are_sent() {
    let huge = suffer(Fault::HugeHeader).await;
    assert_eq!(huge.header("x-huge").unwrap().len(), 1_000_000);
    let many = suffer(Fault::ManyHeaders).await;
    assert!(many.headers().len() > 10_000);
    assert!(many.text().ends_with("</html>\n"));
}

#[tokio::test]
async fn garbage_faults_are_not_http() {
    let garbage = suffer(Fault::GarbageInsteadOfHttp).await.bytes;
    assert!(garbage.len() == 4096 && garbage.iter().all(|byte| *byte >= 0x80));
    assert!(suffer(Fault::GarbageStatusLine).await.text().starts_with("HTTQ/x.y maybe\r\n"));
    assert!(suffer(Fault::Http09).await.text().starts_with("<!doctype html>"));
    assert!(suffer(Fault::Status999).await.text().starts_with("HTTP/1.1 999 Request Denied\r\n"));
    let no_content = suffer(Fault::NoContentWithBody).await;
    assert_eq!(no_content.status(), 204);
    assert!(!no_content.body().is_empty());
}

#[tokio::test]
async fn no_fault_stops_the_server() {
    let faults = Fault::all(1 << 20, SOON);
    let site = faults.iter().fold(Site::new().page("/good", Page::titled("Good")), |site, fault| {
        site.fault(&format!("/{}", fault.name()), fault.clone())
    });
    let site = site.start().await;
    for fault in &faults {
        drop(ask(&site, "127.0.0.1", &format!("/{}", fault.name())).await);
    }
    assert_eq!(fetch(&site, "/good").await.status(), 200);
}

#[test]
fn fault_names_are_unique_path_segments() {
    let faults = Fault::all(1, SOON);
    let names: std::collections::BTreeSet<_> = faults.iter().map(Fault::name).collect();
    assert_eq!(names.len(), faults.len());
    assert!(names.contains("reset-mid-body") && names.contains("gzip-bomb"));
}

#[tokio::test]
async fn fault_status_matches_the_wire() {
    let every = Duration::from_millis(1);
    for fault in Fault::all(1 << 20, every).into_iter().filter(|fault| fault.status() != 0) {
        if let Fault::SlowHeaders { .. } = fault {
            continue;
        }
        let name = fault.name();
        assert_eq!(suffer_up_to(fault.clone(), 100).await.status(), fault.status(), "{name}");
    }
}
