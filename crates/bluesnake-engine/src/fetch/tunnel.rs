//! Connections for another client of the same crawl, such as a browser.
//!
//! They lead where the crawl's own connections lead: the same `resolve` settings, the same address guard, the same
//! upstream proxy and the same limit on open sockets. What is sent over them is up to the client.

use std::io;
use std::pin::Pin;
use std::task::{Context, Poll};

use http::{HeaderValue, Uri};
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};

use super::client::Fetcher;
use super::connector::{Phases, Transport};
use super::outcome::Failure;
use super::pool::Permit;

/// A connection to a checked address.
pub struct Tunnel {
    pub(super) transport: Transport,
    pub(super) _permit: Permit,
    /// Whether it leads to a proxy that expects requests with absolute URLs.
    pub is_forwarded: bool,
}

impl std::fmt::Debug for Tunnel {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Tunnel").field("is_forwarded", &self.is_forwarded).finish_non_exhaustive()
    }
}

impl Fetcher {
    /// Opens a connection to the host and port of a URL. A client that speaks TLS over it asks for an https URL; plain
    /// http may be forwarded by an upstream proxy.
    pub async fn tunnel(&self, uri: &Uri) -> Result<Tunnel, Failure> {
        let (connector, pool) = self.connections();
        let mut phases = Phases::default();
        let route = connector.route(uri, pool.permit().await, &mut phases).await?;
        connector.open_tunnel(uri, route, &mut phases).await
    }

    /// The password of the upstream proxy, for requests that it forwards.
    pub fn upstream_authorization(&self) -> Option<HeaderValue> {
        self.upstream()?.authorization()
    }
}

impl AsyncRead for Tunnel {
    fn poll_read(mut self: Pin<&mut Self>, cx: &mut Context<'_>, buffer: &mut ReadBuf<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.transport).poll_read(cx, buffer)
    }
}

impl AsyncWrite for Tunnel {
    fn poll_write(mut self: Pin<&mut Self>, cx: &mut Context<'_>, bytes: &[u8]) -> Poll<io::Result<usize>> {
        Pin::new(&mut self.transport).poll_write(cx, bytes)
    }

    fn poll_flush(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.transport).poll_flush(cx)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.transport).poll_shutdown(cx)
    }
}
