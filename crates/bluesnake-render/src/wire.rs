//! The DevTools protocol over a pipe: calls by id, events by session. Messages end with a zero byte.
//!
//! Knows no domain of the protocol. Unknown events are ignored, so a new browser version cannot break it.

use std::collections::HashMap;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use serde::Deserialize;
use serde_json::{Value, json};
use tokio::io::{AsyncBufReadExt, AsyncRead, AsyncWrite, AsyncWriteExt, BufReader};
use tokio::sync::{mpsc, oneshot};
use tokio_util::sync::CancellationToken;

/// Why a call got no result.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub(crate) enum CallError {
    #[error("the browser ended")]
    Closed,
    #[error("the browser did not respond to {0}")]
    Late(&'static str),
    #[error("the browser refused {0}: {1}")]
    Refused(&'static str, String),
}

/// An event of a session.
#[derive(Clone, Debug)]
pub(crate) struct Event {
    pub(crate) method: Box<str>,
    pub(crate) params: Value,
}

/// The calling end; cheap to clone.
#[derive(Clone, Debug)]
pub(crate) struct Wire {
    shared: Arc<Shared>,
}

#[derive(Debug)]
struct Shared {
    next_id: AtomicU64,
    outgoing: mpsc::UnboundedSender<Vec<u8>>,
    waiting: Mutex<HashMap<u64, oneshot::Sender<Result<Value, String>>>>,
    listeners: Mutex<HashMap<Box<str>, mpsc::UnboundedSender<Event>>>,
    closed: CancellationToken,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Message {
    id: Option<u64>,
    #[serde(default)]
    method: Box<str>,
    #[serde(default)]
    params: Value,
    #[serde(default)]
    result: Value,
    error: Option<Value>,
    #[serde(default)]
    session_id: Box<str>,
}

impl Wire {
    /// A wire, and the two tasks that move its messages until the browser ends.
    pub(crate) fn new(
        output: impl AsyncWrite + Send + Unpin + 'static,
        input: impl AsyncRead + Send + Unpin + 'static,
    ) -> (Self, impl Future<Output = ()> + Send, impl Future<Output = ()> + Send) {
        let (outgoing, queue) = mpsc::unbounded_channel();
        let shared = Arc::new(Shared {
            next_id: AtomicU64::new(1),
            outgoing,
            waiting: Mutex::default(),
            listeners: Mutex::default(),
            closed: CancellationToken::new(),
        });
        let (writing, reading) = (write(output, queue), read(input, Arc::clone(&shared)));
        (Self { shared }, writing, reading)
    }

    /// Calls a method and waits for its result.
    pub(crate) async fn call(
        &self,
        session: Option<&str>,
        method: &'static str,
        params: Value,
        patience: Duration,
    ) -> Result<Value, CallError> {
        let result = self.send(session, method, params);
        match tokio::time::timeout(patience, result).await {
            Err(_) => Err(CallError::Late(method)),
            Ok(Err(_)) => Err(CallError::Closed),
            Ok(Ok(Err(message))) => Err(CallError::Refused(method, message)),
            Ok(Ok(Ok(value))) => Ok(value),
        }
    }

    /// Calls a method; the result may be ignored.
    pub(crate) fn send(
        &self,
        session: Option<&str>,
        method: &'static str,
        params: Value,
    ) -> oneshot::Receiver<Result<Value, String>> {
        let id = self.shared.next_id.fetch_add(1, Ordering::Relaxed);
        let (sender, receiver) = oneshot::channel();
        let mut message = json!({ "id": id, "method": method, "params": params });
        if let Some(session) = session {
            message["sessionId"] = session.into();
        }
        let mut bytes = message.to_string().into_bytes();
        bytes.push(0);
        self.shared.waiting.lock().expect("nothing panics with the lock").insert(id, sender);
        let is_closed = self.shared.closed.is_cancelled() || self.shared.outgoing.send(bytes).is_err();
        if is_closed {
            self.shared.waiting.lock().expect("nothing panics with the lock").remove(&id);
        }
        receiver
    }

    /// Delivers the events of a session to a listener. The browser itself is the session without a name.
    pub(crate) fn listen(&self, session: &str, listener: mpsc::UnboundedSender<Event>) {
        self.shared.listeners.lock().expect("nothing panics with the lock").insert(session.into(), listener);
    }

    /// Stops delivering events of a session.
    pub(crate) fn forget(&self, session: &str) {
        self.shared.listeners.lock().expect("nothing panics with the lock").remove(session);
    }

    /// Whether the browser has ended.
    pub(crate) fn is_closed(&self) -> bool {
        self.shared.closed.is_cancelled()
    }
}

async fn write(mut output: impl AsyncWrite + Unpin, mut queue: mpsc::UnboundedReceiver<Vec<u8>>) {
    while let Some(bytes) = queue.recv().await {
        if output.write_all(&bytes).await.is_err() {
            return;
        }
    }
}

async fn read(input: impl AsyncRead + Unpin, shared: Arc<Shared>) {
    let mut input = BufReader::with_capacity(1 << 16, input);
    let mut bytes = Vec::new();
    while input.read_until(0, &mut bytes).await.is_ok_and(|read| read > 0) {
        if bytes.pop() == Some(0)
            && let Ok(message) = serde_json::from_slice::<Message>(&bytes)
        {
            shared.take(message);
        }
        bytes.clear();
        bytes.shrink_to(1 << 20);
    }
    shared.closed.cancel();
    shared.waiting.lock().expect("nothing panics with the lock").clear();
    shared.listeners.lock().expect("nothing panics with the lock").clear();
}

impl Shared {
    fn take(&self, message: Message) {
        let Some(id) = message.id else {
            let listeners = self.listeners.lock().expect("nothing panics with the lock");
            if let Some(listener) = listeners.get(&message.session_id) {
                // A listener that is gone has no use for it.
                let _ = listener.send(Event { method: message.method, params: message.params });
            }
            return;
        };
        let caller = self.waiting.lock().expect("nothing panics with the lock").remove(&id);
        if let Some(caller) = caller {
            let result = match message.error {
                Some(error) => Err(error["message"].as_str().unwrap_or_default().to_owned()),
                None => Ok(message.result),
            };
            let _ = caller.send(result);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn results_find_their_caller_and_events_their_listener() {
        let (ours, theirs) = tokio::io::duplex(1 << 16);
        let (input, output) = tokio::io::split(ours);
        let (wire, writing, reading) = Wire::new(output, input);
        let (sender, mut events) = mpsc::unbounded_channel();
        wire.listen("s", sender);
        let browser = async {
            let (input, mut output) = tokio::io::split(theirs);
            let mut call = Vec::new();
            BufReader::new(input).read_until(0, &mut call).await.unwrap();
            let call: Value = serde_json::from_slice(&call[..call.len() - 1]).unwrap();
            assert_eq!((&call["method"], &call["sessionId"]), (&json!("A.b"), &json!("s")));
            output
                .write_all(b"{\"method\":\"X.y\",\"params\":{\"n\":1},\"sessionId\":\"s\"}\0garbage\0")
                .await
                .unwrap();
            output
                .write_all(format!("{{\"id\":{},\"result\":{{\"ok\":true}}}}\0", call["id"]).as_bytes())
                .await
                .unwrap();
        };
        let caller = async {
            let result = wire.call(Some("s"), "A.b", json!({}), Duration::from_secs(60)).await.unwrap();
            assert_eq!(result, json!({ "ok": true }));
            assert_eq!(events.recv().await.unwrap().params["n"], 1);
            wire.shared.closed.cancelled().await;
            let after = wire.call(None, "A.b", json!({}), Duration::from_secs(60)).await;
            assert_eq!(after, Err(CallError::Closed));
        };
        tokio::select! {
            () = async { tokio::join!(browser, caller); } => {}
            () = async { tokio::join!(writing, reading); } => unreachable!("the writer waits for more"),
        }
    }
}
