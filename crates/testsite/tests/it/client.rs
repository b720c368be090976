//! A client that reads raw responses.

use std::collections::BTreeMap;
use std::io;

use testsite::Running;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;

/// Everything a server sent on one connection, and how it ended.
pub(crate) struct Received {
    pub(crate) bytes: Vec<u8>,
    pub(crate) end: End,
}

#[derive(Debug, PartialEq, Eq)]
pub(crate) enum End {
    Closed,
    Reset,
    StoppedReading,
}

/// Requests a path on the main site and reads until the connection ends.
pub(crate) async fn fetch(site: &Running, path: &str) -> Received {
    receive(site, path, usize::MAX).await
}

/// Requests a path and stops reading after `limit` bytes.
pub(crate) async fn receive(site: &Running, path: &str, limit: usize) -> Received {
    let mut stream = ask(site, "127.0.0.1", path).await;
    read(&mut stream, limit).await
}

/// Requests a path on a virtual host and reads until the connection ends.
pub(crate) async fn fetch_on(site: &Running, host: &str, path: &str) -> Received {
    let mut stream = ask(site, host, path).await;
    read(&mut stream, usize::MAX).await
}

/// Sends a request and reads nothing.
pub(crate) async fn ask(site: &Running, host: &str, path: &str) -> TcpStream {
    let mut stream = TcpStream::connect(site.addr()).await.expect("the site accepts connections");
    let request = format!("GET {path} HTTP/1.1\r\nHost: {host}:{}\r\nConnection: close\r\n\r\n", site.port());
    stream.write_all(request.as_bytes()).await.expect("the site accepts a request");
    stream
}

pub(crate) async fn read(stream: &mut TcpStream, limit: usize) -> Received {
    let (mut bytes, mut buffer) = (Vec::new(), vec![0; 64 << 10]);
    let end = loop {
        match stream.read(&mut buffer).await {
            Ok(0) => break End::Closed,
            Ok(read) => bytes.extend_from_slice(&buffer[..read]),
            Err(error) if error.kind() == io::ErrorKind::ConnectionReset => break End::Reset,
            Err(error) => panic!("cannot read: {error}"),
        }
        if bytes.len() >= limit {
            break End::StoppedReading;
        }
    };
    Received { bytes, end }
}

/// Reads one response with a `Content-Length` and leaves the connection open.
pub(crate) async fn read_one(stream: &mut TcpStream) -> Received {
    let mut bytes = Vec::new();
    loop {
        let received = Received { bytes, end: End::StoppedReading };
        if received.is_whole() {
            return received;
        }
        bytes = received.bytes;
        assert_ne!(stream.read_buf(&mut bytes).await.expect("the connection is alive"), 0, "the response is complete");
    }
}

impl Received {
    pub(crate) fn text(&self) -> String {
        String::from_utf8_lossy(&self.bytes).into_owned()
    }

    pub(crate) fn status(&self) -> u16 {
        self.text().split(' ').nth(1).and_then(|status| status.parse().ok()).expect("a response has a status")
    }

    pub(crate) fn headers(&self) -> BTreeMap<String, String> {
        let head = String::from_utf8_lossy(&self.bytes[..self.body_start()]).into_owned();
        let lines = head.lines().skip(1).filter_map(|line| line.split_once(": "));
        lines.map(|(name, value)| (name.to_ascii_lowercase(), value.to_owned())).collect()
    }

    pub(crate) fn header(&self, name: &str) -> Option<String> {
        self.headers().remove(name)
    }

    /// The body without head and chunk sizes, but still content-encoded.
    pub(crate) fn body(&self) -> Vec<u8> {
        let body = &self.bytes[self.body_start()..];
        if self.header("transfer-encoding").is_some() { dechunk(body) } else { body.to_vec() }
    }

    pub(crate) fn html(&self) -> String {
        String::from_utf8(self.body()).expect("the page is UTF-8")
    }

    fn is_whole(&self) -> bool {
        let length = self.header("content-length").and_then(|length| length.parse::<usize>().ok());
        let end = self.head_end().zip(length).map(|(head, body)| head + body);
        end.is_some_and(|end| self.bytes.len() >= end)
    }

    fn body_start(&self) -> usize {
        self.head_end().unwrap_or(self.bytes.len())
    }

    fn head_end(&self) -> Option<usize> {
        self.bytes.windows(4).position(|window| window == b"\r\n\r\n").map(|at| at + 4)
    }
}

fn dechunk(mut rest: &[u8]) -> Vec<u8> {
    let mut body = Vec::new();
    while let Some(line) = rest.windows(2).position(|window| window == b"\r\n") {
        let size = std::str::from_utf8(&rest[..line]).ok().and_then(|size| usize::from_str_radix(size, 16).ok());
        let Some(size) = size.filter(|size| *size > 0 && line + 2 + size <= rest.len()) else { break };
        body.extend_from_slice(&rest[line + 2..line + 2 + size]);
        rest = &rest[(line + 4 + size).min(rest.len())..];
    }
    body
}
