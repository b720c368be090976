//! Live events: the last ones are in a ring that any number of clients read at their own pace.
//!
//! Nothing is queued for a client, so a slow one costs nothing and delays no other; one that is too far behind gets
//! `reset`. Start with [`EventHub`]; `follow.rs` fills it, `routes/events.rs` reads it.

mod follow;

use std::collections::VecDeque;
use std::fmt;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use bluesnake_app::{Secrets, Snapshot};
use serde::Serialize;
use tokio::sync::watch;
use utoipa::ToSchema;

pub(crate) use self::follow::{follow, follow_others, take_in_crashed};
use crate::options::random_hex;

/// How many events can be replayed.
const KEPT: usize = 1024;

/// The kind of event.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub(crate) enum EventKind {
    /// A crawl started.
    Started,
    /// Progress of a crawl; at most four times per second.
    Progress,
    /// A crawl ended, and its run is completed.
    Completed,
    /// A crawl ended early: stopped by a user, a signal or an error.
    Stopped,
    /// A crawl used up its budget; its run can be resumed.
    Paused,
    /// Events were missed: reload everything.
    Reset,
}

impl fmt::Display for EventKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.serialize(f)
    }
}

/// The data of an event.
#[derive(Clone, Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct EventData {
    /// The kind of event, again.
    #[serde(rename = "type")]
    pub(crate) kind: EventKind,
    /// The project; none for `reset`.
    #[serde(rename = "projectID")]
    pub(crate) project_id: Option<i64>,
    /// The run, once it has begun.
    pub(crate) run_id: Option<i64>,
    /// The session, once it has begun.
    pub(crate) crawl_id: Option<i64>,
    /// The state of the run, when a crawl ended.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) run_state: Option<String>,
    /// Why the run is paused.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) reason: Option<String>,
    /// Figures.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) progress: Option<Snapshot>,
}

impl EventData {
    pub(crate) fn new(kind: EventKind, project: i64) -> Self {
        let project_id = Some(project);
        Self { kind, project_id, run_id: None, crawl_id: None, run_state: None, reason: None, progress: None }
    }

    fn reset() -> Self {
        Self { project_id: None, ..Self::new(EventKind::Reset, 0) }
    }
}

/// An event as sent.
#[derive(Debug)]
pub(crate) struct Event {
    number: u64,
    project: Option<i64>,
    text: String,
}

/// The last events.
#[derive(Debug)]
pub(crate) struct EventHub {
    /// Distinguishes the events of this process from those of an earlier one.
    epoch: String,
    ring: Mutex<Ring>,
    newest: watch::Sender<u64>,
    settled: tokio::sync::Notify,
}

#[derive(Debug, Default)]
struct Ring {
    events: VecDeque<Arc<Event>>,
    newest: u64,
}

impl EventHub {
    pub(crate) fn new() -> Self {
        Self {
            epoch: random_hex::<4>(),
            ring: Mutex::default(),
            newest: watch::Sender::new(0),
            settled: tokio::sync::Notify::new(),
        }
    }

    pub(crate) fn publish(&self, data: &EventData) {
        let mut ring = self.ring();
        let number = ring.newest + 1;
        let text = self.wire(number, data);
        if ring.events.len() == KEPT {
            ring.events.pop_front();
        }
        ring.events.push_back(Arc::new(Event { number, project: data.project_id, text }));
        ring.newest = number;
        drop(ring);
        self.newest.send_replace(number);
    }

    /// Waits briefly until earlier events are published.
    pub(crate) async fn settle(&self) {
        let _ = tokio::time::timeout(Duration::from_secs(1), self.settled.notified()).await;
    }

    /// A reader that begins after the event with this id, or with the next one.
    pub(crate) fn reader(self: &Arc<Self>, last_seen: Option<&str>, project: Option<i64>) -> EventReader {
        let newest = self.ring().newest;
        let after = match last_seen {
            None => Some(newest),
            Some(id) => self.number_of(id).filter(|number| *number <= newest),
        };
        EventReader { hub: Arc::clone(self), newest: self.newest.subscribe(), after, project }
    }

    fn number_of(&self, id: &str) -> Option<u64> {
        id.strip_prefix(&self.epoch)?.strip_prefix('-')?.parse().ok()
    }

    fn wire(&self, number: u64, data: &EventData) -> String {
        let json = serde_json::to_string(data).expect("an event serialises to JSON");
        let json = Secrets::Masked.show_json(&json);
        format!("id: {}-{number}\nevent: {}\ndata: {json}\n\n", self.epoch, data.kind)
    }

    fn ring(&self) -> MutexGuard<'_, Ring> {
        self.ring.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// One client's position in the ring.
#[derive(Debug)]
pub(crate) struct EventReader {
    hub: Arc<EventHub>,
    newest: watch::Receiver<u64>,
    /// The last event it saw; `None` if that is no longer known.
    after: Option<u64>,
    project: Option<i64>,
}

impl EventReader {
    /// The next events for this client in one chunk, if any.
    pub(crate) async fn next(&mut self) -> String {
        loop {
            self.newest.mark_unchanged();
            let text = self.take();
            if !text.is_empty() {
                return text;
            }
            // The sender lives as long as the hub, and the hub as long as this reader.
            let _ = self.newest.changed().await;
        }
    }

    fn take(&mut self) -> String {
        let ring = self.hub.ring();
        let oldest = ring.newest + 1 - ring.events.len() as u64;
        let Some(after) = self.after.filter(|after| after + 1 >= oldest) else {
            self.after = Some(ring.newest);
            return self.hub.wire(ring.newest, &EventData::reset());
        };
        self.after = Some(ring.newest);
        let is_wanted = |event: &&Arc<Event>| {
            event.number > after && self.project.is_none_or(|project| event.project.is_none_or(|of| of == project))
        };
        ring.events.iter().filter(is_wanted).map(|event| event.text.as_str()).collect()
    }
}

#[cfg(test)]
mod tests {
    use futures_util::FutureExt;

    use super::*;

    fn hub_with(events: i64) -> Arc<EventHub> {
        let hub = Arc::new(EventHub::new());
        for project in 1..=events {
            hub.publish(&EventData::new(EventKind::Started, project));
        }
        hub
    }

    fn id(hub: &EventHub, number: u64) -> String {
        format!("{}-{number}", hub.epoch)
    }

    fn now(reader: &mut EventReader) -> Option<String> {
        reader.next().now_or_never()
    }

    #[test]
    fn a_reader_sees_what_comes_after_it_or_after_the_event_it_names() {
        let hub = hub_with(3);
        let mut new = hub.reader(None, None);
        assert_eq!(now(&mut new), None);
        let text = now(&mut hub.reader(Some(&id(&hub, 1)), None)).unwrap();
        assert!(!text.contains("\"projectID\":1,") && text.contains("\"projectID\":2,"), "{text}");
        hub.publish(&EventData::new(EventKind::Completed, 9));
        let text = now(&mut new).unwrap();
        assert_eq!(text.matches("id: ").count(), 1, "{text}");
        assert!(text.starts_with(&format!("id: {}\nevent: completed\ndata: {{", id(&hub, 4))), "{text}");
        assert_eq!(now(&mut new), None);
    }

    #[test]
    fn a_reader_of_one_project_sees_only_that() {
        let hub = hub_with(5);
        let text = now(&mut hub.reader(Some(&id(&hub, 0)), Some(4))).unwrap();
        assert_eq!(text.matches("event: ").count(), 1, "{text}");
        assert!(text.contains("\"projectID\":4,"), "{text}");
    }

    #[test]
    fn a_reader_that_missed_events_is_reset_once() {
        let hub = hub_with(KEPT as i64 + 10);
        for missed in [id(&hub, 3), "0000-5".to_owned(), "nonsense".to_owned(), id(&hub, 1_000_000)] {
            let mut reader = hub.reader(Some(&missed), None);
            let text = now(&mut reader).unwrap();
            assert!(text.contains("event: reset\n") && text.matches("event: ").count() == 1, "{missed}: {text}");
            assert_eq!(now(&mut reader), None, "{missed}");
        }
        assert!(now(&mut hub.reader(Some(&id(&hub, 20)), None)).unwrap().contains("event: started"));
    }
}
