//! HTTP/2 by ALPN, and its faults.

use bytes::Bytes;
use h2::client::SendRequest;
use h2::{Reason, RecvStream};
use testsite::{Fault, Mode, Page, Protocol, Running, Site};
use tokio::task::JoinSet;

use crate::tls::connect;

/// A connection driven by a separate task.
struct Client {
    requests: SendRequest<Bytes>,
    tasks: JoinSet<Result<(), h2::Error>>,
    origin: String,
}

impl Client {
    async fn of(site: &Running) -> Self {
        let stream = connect(site, "127.0.0.1", &[b"h2"]).await.expect("the certificate is good");
        let (requests, connection) = h2::client::handshake(stream).await.unwrap();
        let mut tasks = JoinSet::new();
        tasks.spawn(connection);
        Self { requests, tasks, origin: site.origin() }
    }

    async fn get(&mut self, path: &str) -> Result<(u16, Vec<u8>), h2::Error> {
        let mut requests = self.requests.clone().ready().await?;
        let request = http::Request::get(format!("{}{path}", self.origin)).body(()).unwrap();
        let response = requests.send_request(request, true)?.0.await?;
        let status = response.status().as_u16();
        Ok((status, read(response.into_body()).await?))
    }
}

async fn read(mut body: RecvStream) -> Result<Vec<u8>, h2::Error> {
    let mut bytes = Vec::new();
    while let Some(piece) = body.data().await {
        let piece = piece?;
        body.flow_control().release_capacity(piece.len())?;
        bytes.extend_from_slice(&piece);
    }
    Ok(bytes)
}

#[tokio::test]
async fn pages_and_bad_content_are_served_over_http2() {
    let site = Site::new()
        .http2()
        .page("/", Page::titled("Home"))
        .fault("/gzip", Fault::BadGzip)
        .fault("/bomb", Fault::ZstdBomb { decoded: 10 << 20 })
        .start()
        .await;
    let mut client = Client::of(&site).await;
    let (status, body) = client.get("/").await.unwrap();
    assert_eq!(status, 200);
    assert!(String::from_utf8(body).unwrap().contains("<title>Home</title>"));
    assert_eq!(client.get("/missing").await.unwrap().0, 404);
    assert!(client.get("/bomb").await.unwrap().1.starts_with(b"\x28\xb5\x2f\xfd"));

    let log = site.log();
    assert!(
        log.iter().all(|seen| seen.protocol == Protocol::Http2 && seen.connection == 0 && seen.host == "127.0.0.1")
    );
    assert!(log.iter().all(|seen| seen.answered.is_some()));
}

#[tokio::test]
async fn streams_are_refused_and_reset() {
    let site = Site::new()
        .http2()
        .page("/", Page::titled("Home"))
        .fault("/refused", Fault::RefuseStream)
        .fault("/reset", Fault::ResetStream)
        .fault("/syntax", Fault::BadChunkSize)
        .start()
        .await;
    let mut client = Client::of(&site).await;
    assert_eq!(client.get("/refused").await.unwrap_err().reason(), Some(Reason::REFUSED_STREAM));
    assert_eq!(client.get("/reset").await.unwrap_err().reason(), Some(Reason::INTERNAL_ERROR));
    assert_eq!(client.get("/syntax").await.unwrap_err().reason(), Some(Reason::INTERNAL_ERROR));
    assert_eq!(client.get("/").await.unwrap().0, 200);
}

#[tokio::test]
async fn connection_gets_goaway_after_its_requests() {
    let site = Site::new().http2().mode(Mode::GoAwayAfter(2)).page("/", Page::titled("Home")).start().await;
    let mut client = Client::of(&site).await;
    assert_eq!(client.get("/").await.unwrap().0, 200);
    assert_eq!(client.get("/").await.unwrap().0, 200);
    client.tasks.join_next().await.expect("the connection has a task").expect("no panic").expect("an orderly end");
    assert!(client.get("/").await.is_err());
    assert_eq!(Client::of(&site).await.get("/").await.unwrap().0, 200);
}
