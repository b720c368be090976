//! Accepts connections and passes each to its protocol.
//!
//! One task per connection, all owned by the accepting task: dropping that task ends everything.

use std::sync::Arc;
use std::time::Duration;

use tokio::io::{AsyncRead, AsyncReadExt, AsyncWrite};
use tokio::net::{TcpListener, TcpStream};
use tokio::task::JoinSet;
use tokio_rustls::TlsAcceptor;
use tokio_rustls::server::TlsStream;

use crate::tls::Acceptor;
use crate::world::World;
use crate::{http1, http2};

/// How long to wait after accepting has failed.
const PAUSE: Duration = Duration::from_millis(10);

/// A connection that can be reset as well as closed.
pub(crate) trait Wire: AsyncRead + AsyncWrite + Unpin + Send {
    /// Makes the next close a reset (SO_LINGER 0).
    fn reset_on_close(&self);
}

impl Wire for TcpStream {
    fn reset_on_close(&self) {
        // A socket that the client has already closed cannot be reset, and need not be.
        self.set_zero_linger().ok();
    }
}

impl Wire for TlsStream<TcpStream> {
    fn reset_on_close(&self) {
        self.get_ref().0.reset_on_close();
    }
}

pub(crate) async fn accept_for_ever(listener: TcpListener, acceptor: Option<Acceptor>, world: Arc<World>) {
    let mut connections = JoinSet::new();
    let mut number = 0;
    loop {
        tokio::select! {
            accepted = listener.accept() => {
                let Ok((stream, _)) = accepted else {
                    // The client is gone already, or file descriptors are short: wait for others to end.
                    tokio::time::sleep(PAUSE).await;
                    continue;
                };
                connections.spawn(serve(stream, acceptor.clone(), Arc::clone(&world), number));
                number += 1;
            }
            Some(_) = connections.join_next() => {}
        }
    }
}

async fn serve(stream: TcpStream, acceptor: Option<Acceptor>, world: Arc<World>, connection: u64) {
    stream.set_nodelay(true).ok();
    if world.is_silent() {
        return stay_silent(stream).await;
    }
    match acceptor {
        None => http1::serve(stream, world, connection).await,
        Some(Acceptor::Stall) => stay_silent(stream).await,
        Some(Acceptor::Handshake(_)) if world.offers_http && !begins_with_tls(&stream).await => {
            http1::serve(stream, world, connection).await;
        }
        Some(Acceptor::Handshake(tls)) => serve_tls(stream, tls, world, connection).await,
    }
}

/// Whether the client's first byte is that of a TLS handshake.
async fn begins_with_tls(stream: &TcpStream) -> bool {
    let mut first = [0];
    matches!(stream.peek(&mut first).await, Ok(1)) && first[0] == http1::TLS_HANDSHAKE
}

async fn serve_tls(stream: TcpStream, tls: TlsAcceptor, world: Arc<World>, connection: u64) {
    // A client that rejects our certificate is what the TLS faults are for.
    let Ok(stream) = tls.accept(stream).await else { return };
    if stream.get_ref().1.alpn_protocol() == Some(b"h2") {
        http2::serve(stream, world, connection).await;
    } else {
        http1::serve(stream, world, connection).await;
    }
}

/// Reads everything and sends nothing, until the client disconnects.
pub(crate) async fn stay_silent(mut stream: impl AsyncRead + Unpin) {
    let mut ignored = [0; 1024];
    while matches!(stream.read(&mut ignored).await, Ok(read) if read > 0) {}
}
