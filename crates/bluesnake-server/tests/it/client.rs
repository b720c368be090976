//! A client that sends exactly the given bytes, even those that no library would send.

use std::net::SocketAddr;
use std::time::Duration;

use serde_json::Value;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;

/// Longer than anything here takes.
pub(crate) const PATIENCE: Duration = Duration::from_secs(300);

/// A request.
#[derive(Clone, Debug)]
pub(crate) struct Ask {
    pub(crate) method: String,
    pub(crate) path: String,
    pub(crate) headers: Vec<(String, String)>,
    pub(crate) body: String,
}

/// A query result.
#[derive(Clone, Debug)]
pub(crate) struct Answer {
    pub(crate) status: u16,
    pub(crate) headers: Vec<(String, String)>,
    pub(crate) body: Vec<u8>,
}

impl Ask {
    pub(crate) fn new(method: &str, path: &str) -> Self {
        Self { method: method.to_owned(), path: path.to_owned(), headers: Vec::new(), body: String::new() }
    }

    pub(crate) fn header(mut self, name: &str, value: &str) -> Self {
        self.headers.push((name.to_owned(), value.to_owned()));
        self
    }

    /// A body in JSON.
    pub(crate) fn json(self, body: &Value) -> Self {
        self.header("Content-Type", "application/json").text(&body.to_string())
    }

    pub(crate) fn text(mut self, body: &str) -> Self {
        self.body = body.to_owned();
        self
    }

    /// The request as bytes. `Host` is that of the server unless the test sets another, or "-" for none.
    pub(crate) fn bytes(&self, server: SocketAddr) -> Vec<u8> {
        let mut text = format!("{} {} HTTP/1.1\r\nConnection: close\r\n", self.method, self.path);
        let is_said = |name: &str| self.headers.iter().any(|(said, _)| said.eq_ignore_ascii_case(name));
        if !is_said("host") {
            text.push_str(&format!("Host: {server}\r\n"));
        }
        for (name, value) in self.headers.iter().filter(|(_, value)| value != "-") {
            text.push_str(&format!("{name}: {value}\r\n"));
        }
        if !self.body.is_empty() && !is_said("content-length") {
            text.push_str(&format!("Content-Length: {}\r\n", self.body.len()));
        }
        text.push_str("\r\n");
        text.push_str(&self.body);
        text.into_bytes()
    }

    pub(crate) async fn send(&self, server: SocketAddr) -> Answer {
        let answer = tokio::time::timeout(PATIENCE, send(server, &self.bytes(server))).await;
        answer.unwrap_or_else(|_| panic!("no response to {} {}", self.method, self.path))
    }
}

/// Sends bytes and reads the response until the server closes the connection.
pub(crate) async fn send(server: SocketAddr, bytes: &[u8]) -> Answer {
    let mut stream = TcpStream::connect(server).await.expect("the server listens");
    // A server that refuses early may close before everything is sent.
    let _ = stream.write_all(bytes).await;
    let mut received = Vec::new();
    let _ = stream.read_to_end(&mut received).await;
    Answer::of(&received)
}

impl Answer {
    pub(crate) fn of(bytes: &[u8]) -> Self {
        let end = bytes.windows(4).position(|four| four == b"\r\n\r\n");
        let end = end.unwrap_or_else(|| panic!("incomplete response: {:?}", String::from_utf8_lossy(bytes)));
        let head = String::from_utf8_lossy(&bytes[..end]).into_owned();
        let mut lines = head.split("\r\n");
        let status = lines.next().and_then(|line| line.split(' ').nth(1)?.parse().ok()).expect("a status");
        let headers = lines.filter_map(|line| line.split_once(": ")).map(|(a, b)| (a.to_lowercase(), b.to_owned()));
        let mut answer = Self { status, headers: headers.collect(), body: bytes[end + 4..].to_vec() };
        if answer.header("transfer-encoding") == Some("chunked") {
            answer.body = unchunked(&answer.body).expect("the response is complete");
        }
        answer
    }

    pub(crate) fn header(&self, name: &str) -> Option<&str> {
        self.headers.iter().find(|(known, _)| known == name).map(|(_, value)| value.as_str())
    }

    pub(crate) fn text(&self) -> String {
        String::from_utf8_lossy(&self.body).into_owned()
    }

    #[track_caller]
    pub(crate) fn json(&self) -> Value {
        serde_json::from_slice(&self.body).unwrap_or_else(|error| panic!("{error} in {}", self.text()))
    }

    /// Demands a problem with this status and code.
    #[track_caller]
    pub(crate) fn is_problem(&self, status: u16, code: &str) -> Value {
        assert_eq!(self.status, status, "{}", self.text());
        assert_eq!(self.header("content-type"), Some("application/problem+json"));
        let problem = self.json();
        assert_eq!((&problem["code"], &problem["status"]), (&code.into(), &status.into()), "{problem}");
        assert_eq!(problem["type"], format!("urn:bluesnake:problem:{code}"));
        assert!(problem["detail"].as_str().is_some_and(|detail| !detail.is_empty()), "{problem}");
        problem
    }

    /// Demands this status.
    #[track_caller]
    pub(crate) fn is(&self, status: u16) -> &Self {
        assert_eq!(self.status, status, "{}", self.text());
        self
    }
}

/// The body without its chunks; none when the last one is missing.
pub(crate) fn unchunked(mut bytes: &[u8]) -> Option<Vec<u8>> {
    let mut body = Vec::new();
    loop {
        let end = bytes.windows(2).position(|two| two == b"\r\n")?;
        let size = usize::from_str_radix(std::str::from_utf8(&bytes[..end]).ok()?, 16).ok()?;
        bytes = &bytes[end + 2..];
        if size == 0 {
            return Some(body);
        }
        body.extend_from_slice(bytes.get(..size)?);
        bytes = bytes.get(size + 2..)?;
    }
}
