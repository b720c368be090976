//! HTTP/1.1 written by hand, because a library would not let us break it.
//!
//! Reads one request at a time and keeps the connection alive between them. Start with [`serve`].

use std::io;
use std::pin::pin;
use std::sync::Arc;
use std::time::{Duration, Instant};

use bytes::{Buf, Bytes, BytesMut};
use tokio::io::{AsyncReadExt, AsyncWriteExt};

use crate::address::{split, without_port};
use crate::fault::Fault;
use crate::log::{Exchange, Protocol, Seen};
use crate::reply::{Content, Prepared};
use crate::script::{Step, script};
use crate::serve::{Wire, stay_silent};
use crate::world::{Answer, World};

/// The longest request head accepted.
const MAX_HEAD: usize = 256 << 10;

/// The first bytes of a TLS handshake. Like other servers, we reply that this port does not speak https.
pub(crate) const TLS_HANDSHAKE: u8 = 0x16;

/// How much of a body may still be sent after the request counts as finished.
const LAST_BYTES: usize = 1024;

/// Whether the connection is kept alive after a response.
#[derive(PartialEq)]
enum Then {
    KeepAlive,
    Close,
}

pub(crate) async fn serve(mut wire: impl Wire, world: Arc<World>, connection: u64) {
    let mut unread = BytesMut::with_capacity(4096);
    while let Ok(Some(request)) = next_request(&mut wire, &mut unread).await {
        let mut exchange = world.log.record(|| request.seen(connection));
        let planned = world.answer(&request.host, &request.target);
        if !wait(&mut wire, &mut unread, planned.wait).await {
            return;
        }
        let then = match planned.answer {
            Answer::Reply(reply) => {
                let head = String::from_utf8_lossy(&request.head);
                let reply =
                    reply.for_client(header(&head, "accept").unwrap_or_default(), header(&head, "if-none-match"));
                send_reply(&mut wire, &reply, &request, &mut exchange).await
            }
            Answer::Fault(fault) => play(&mut wire, &fault, &mut exchange).await,
        };
        match then {
            Ok(Then::KeepAlive) => {}
            // The client may be gone; then there is nothing to close.
            Ok(Then::Close) => drop(wire.shutdown().await),
            // Not shut down: a reset must not look like an orderly close.
            Err(_) => return,
        }
    }
}

/// Waits before responding; false if the client disconnects meanwhile.
async fn wait(wire: &mut impl Wire, unread: &mut BytesMut, time: Duration) -> bool {
    if time.is_zero() {
        return true;
    }
    let mut end = pin!(tokio::time::sleep(time));
    loop {
        tokio::select! {
            () = &mut end => return true,
            read = wire.read_buf(unread) => if !matches!(read, Ok(read) if read > 0) { return false },
        }
    }
}

/// A request whose head is parsed and whose body is discarded.
struct Request {
    method: String,
    target: String,
    host: String,
    then: Then,
    head: Bytes,
}

async fn next_request(wire: &mut impl Wire, unread: &mut BytesMut) -> io::Result<Option<Request>> {
    let Some(head) = read_head(wire, unread).await? else { return Ok(None) };
    let text = String::from_utf8_lossy(&head);
    let mut words = text.lines().next().unwrap_or_default().split(' ');
    let (Some(method), Some(target), Some(version)) = (words.next(), words.next(), words.next()) else {
        return Ok(None);
    };
    // Clients send the absolute form to a proxy.
    let (host, target) = match split(target) {
        Some((host, target)) if !target.is_empty() => (host, target),
        Some((host, _)) => (host, "/"),
        None => (without_port(header(&text, "host").unwrap_or_default()), target),
    };
    let wants_close = header(&text, "connection").is_some_and(|value| value.eq_ignore_ascii_case("close"));
    let request = Request {
        method: method.to_owned(),
        target: target.to_owned(),
        host: host.to_ascii_lowercase(),
        then: if wants_close || version == "HTTP/1.0" { Then::Close } else { Then::KeepAlive },
        head: head.clone(),
    };
    let body_bytes = header(&text, "content-length").and_then(|length| length.parse().ok()).unwrap_or(0);
    skip(wire, unread, body_bytes).await?;
    Ok(Some(request))
}

async fn read_head(wire: &mut impl Wire, unread: &mut BytesMut) -> io::Result<Option<Bytes>> {
    let mut searched = 0;
    loop {
        if let Some(at) = unread[searched..].windows(4).position(|window| window == b"\r\n\r\n") {
            return Ok(Some(unread.split_to(searched + at + 4).freeze()));
        }
        if unread.first() == Some(&TLS_HANDSHAKE) {
            wire.write_all(b"HTTP/1.1 400 Bad Request\r\nConnection: close\r\nContent-Length: 0\r\n\r\n").await?;
            wire.shutdown().await?;
            return Ok(None);
        }
        searched = unread.len().saturating_sub(3);
        if unread.len() > MAX_HEAD || wire.read_buf(unread).await? == 0 {
            return Ok(None);
        }
    }
}

async fn skip(wire: &mut impl Wire, unread: &mut BytesMut, mut body_bytes: usize) -> io::Result<()> {
    loop {
        let here = unread.len().min(body_bytes);
        unread.advance(here);
        body_bytes -= here;
        if body_bytes == 0 || wire.read_buf(unread).await? == 0 {
            return Ok(());
        }
    }
}

fn headers(head: &str) -> impl Iterator<Item = (&str, &str)> {
    head.lines().skip(1).filter_map(|line| line.split_once(':')).map(|(name, value)| (name, value.trim()))
}

fn header<'a>(head: &'a str, wanted: &str) -> Option<&'a str> {
    headers(head).find(|(name, _)| name.eq_ignore_ascii_case(wanted)).map(|(_, value)| value)
}

impl Request {
    fn seen(&self, connection: u64) -> Seen {
        let head = String::from_utf8_lossy(&self.head);
        Seen {
            order: 0,
            at: Instant::now(),
            answered: None,
            host: self.host.clone(),
            method: self.method.clone(),
            target: self.target.clone(),
            headers: headers(&head).map(|(name, value)| (name.to_owned(), value.to_owned())).collect(),
            connection,
            protocol: Protocol::Http1,
        }
    }
}

async fn send_reply(
    wire: &mut impl Wire,
    reply: &Prepared,
    request: &Request,
    exchange: &mut Exchange,
) -> io::Result<Then> {
    let mut head = head_of(reply, &request.then);
    match &reply.body {
        _ if request.method == "HEAD" || has_no_body(reply.status) => send_last(wire, &head, exchange).await?,
        Content::Whole(body) if !reply.is_chunked => {
            head.extend_from_slice(body);
            send_last(wire, &head, exchange).await?;
        }
        Content::Whole(body) => {
            wire.write_all(&head).await?;
            send_chunked(wire, body.chunks(8 << 10), exchange).await?;
        }
        Content::Streamed { make, own } => {
            wire.write_all(&head).await?;
            send_chunked(wire, make(own), exchange).await?;
        }
    }
    wire.flush().await?;
    let says_close =
        reply.headers.iter().any(|(name, value)| name.eq_ignore_ascii_case("connection") && value == "close");
    Ok(if says_close || request.then == Then::Close { Then::Close } else { Then::KeepAlive })
}

fn head_of(reply: &Prepared, then: &Then) -> Vec<u8> {
    let reason = http::StatusCode::from_u16(reply.status).ok().and_then(|status| status.canonical_reason());
    let mut head = format!("HTTP/1.1 {} {}\r\n", reply.status, reason.unwrap_or("Unknown"));
    for (name, value) in &reply.headers {
        head.extend([name, ": ", value, "\r\n"]);
    }
    match &reply.body {
        _ if has_no_body(reply.status) || declares_length(reply) => {}
        Content::Whole(body) if !reply.is_chunked => head.push_str(&format!("Content-Length: {}\r\n", body.len())),
        Content::Whole(_) | Content::Streamed { .. } => head.push_str("Transfer-Encoding: chunked\r\n"),
    }
    if *then == Then::Close {
        head.push_str("Connection: close\r\n");
    }
    head.push_str("\r\n");
    head.into_bytes()
}

fn declares_length(reply: &Prepared) -> bool {
    reply.headers.iter().any(|(name, _)| name.eq_ignore_ascii_case("content-length"))
}

fn has_no_body(status: u16) -> bool {
    matches!(status, 100..200 | 204 | 304)
}

async fn send_last(wire: &mut impl Wire, bytes: &[u8], exchange: &mut Exchange) -> io::Result<()> {
    let (first, last) = bytes.split_at(if bytes.len() > 64 << 10 { bytes.len() - LAST_BYTES } else { 0 });
    wire.write_all(first).await?;
    exchange.answered();
    wire.write_all(last).await
}

async fn send_chunked<T: AsRef<[u8]>>(
    wire: &mut impl Wire,
    pieces: impl IntoIterator<Item = T>,
    exchange: &mut Exchange,
) -> io::Result<()> {
    for piece in pieces {
        let piece = piece.as_ref();
        let mut chunk = format!("{:x}\r\n", piece.len()).into_bytes();
        chunk.extend_from_slice(piece);
        chunk.extend_from_slice(b"\r\n");
        wire.write_all(&chunk).await?;
    }
    exchange.answered();
    wire.write_all(b"0\r\n\r\n").await
}

/// Plays a fault. The connection never survives it.
async fn play(wire: &mut impl Wire, fault: &Fault, exchange: &mut Exchange) -> io::Result<Then> {
    for step in script(fault).expect("content faults are sent as replies") {
        match step {
            Step::Send(bytes) => wire.write_all(&bytes).await?,
            Step::Stream(pieces) => {
                for piece in pieces {
                    wire.write_all(&piece).await?;
                }
            }
            Step::Drip { bytes, every } => {
                for piece in bytes {
                    wire.write_all(&piece).await?;
                    wire.flush().await?;
                    tokio::time::sleep(every).await;
                }
            }
            Step::WaitUntilClientLeaves => stay_silent(&mut *wire).await,
            Step::Reset => {
                wire.flush().await?;
                wire.reset_on_close();
                return Err(io::ErrorKind::ConnectionReset.into());
            }
        }
    }
    wire.flush().await?;
    exchange.answered();
    Ok(Then::Close)
}
