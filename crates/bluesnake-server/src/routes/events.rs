//! The stream of events.

use std::convert::Infallible;
use std::time::Duration;

use axum::body::Body;
use axum::http::HeaderMap;
use axum::http::header::{CACHE_CONTROL, CONTENT_TYPE};
use axum::response::{IntoResponse, Response};
use futures_util::stream;
use serde::Deserialize;
use tokio::sync::OwnedSemaphorePermit;
use tokio_util::sync::CancellationToken;
use utoipa::IntoParams;

use crate::error::{Code, Problem};
use crate::events::{EventData, EventReader};
use crate::extract::InQuery;
use crate::state::Server;

/// Which project.
#[derive(Debug, Deserialize, IntoParams)]
#[serde(deny_unknown_fields)]
#[into_params(parameter_in = Query)]
pub(crate) struct Listening {
    /// Only events of this project.
    #[serde(rename = "projectID")]
    #[param(rename = "projectID")]
    project_id: Option<i64>,
}

/// Server-sent events: started, progress (at most four per second and crawl), completed, paused, stopped.
///
/// Every event has an id. A client that reconnects with `Last-Event-ID` receives the events it missed, or `reset` if it
/// missed too many: then it should reload everything. A comment is sent every 15 s. Clients that do not read are
/// disconnected.
#[utoipa::path(get, path = "/events", tag = "events",
    params(Listening, ("Last-Event-ID" = Option<String>, Header, description = "The last event received")),
    responses((status = 200, description = "Event stream", content_type = "text/event-stream", body = EventData)))]
pub(crate) async fn events(
    server: Server,
    InQuery(listening): InQuery<Listening>,
    headers: HeaderMap,
) -> Result<Response, Problem> {
    let streams = std::sync::Arc::clone(&server.event_streams);
    let place = streams
        .try_acquire_owned()
        .map_err(|_| Problem::busy(Code::TooManyEventStreams, "too many event streams are open"))?;
    let last_seen = headers.get("last-event-id").map(|id| id.to_str().unwrap_or_default());
    let client = Client {
        reader: server.events.reader(last_seen, listening.project_id),
        heartbeat: server.options.limits.heartbeat,
        end: server.end.clone(),
        has_begun: false,
        _place: place,
    };
    let events = stream::unfold(client, |mut client| async {
        let text = client.next().await?;
        Some((Ok::<String, Infallible>(text), client))
    });
    let headers = [(CONTENT_TYPE, "text/event-stream"), (CACHE_CONTROL, "no-store")];
    Ok((headers, Body::from_stream(events)).into_response())
}

/// A subscriber.
struct Client {
    reader: EventReader,
    heartbeat: Duration,
    end: CancellationToken,
    has_begun: bool,
    _place: OwnedSemaphorePermit,
}

impl Client {
    /// The next chunk of the stream; none when the server shuts down.
    async fn next(&mut self) -> Option<String> {
        if !std::mem::replace(&mut self.has_begun, true) {
            return Some("retry: 2000\n\n".to_owned());
        }
        tokio::select! {
            biased;
            text = self.reader.next() => Some(text),
            () = self.end.cancelled() => None,
            () = tokio::time::sleep(self.heartbeat) => Some(": still here\n\n".to_owned()),
        }
    }
}
