//! Shared state of all handlers.

use std::convert::Infallible;
use std::ops::Deref;
use std::sync::{Arc, Mutex};

use axum::extract::FromRequestParts;
use axum::http::request::Parts;
use bluesnake_app::App;
use tokio::sync::Semaphore;
use tokio::task::JoinSet;
use tokio_util::sync::CancellationToken;

use crate::events::{self, EventHub};
use crate::guard::limits::Clients;
use crate::metrics::Metrics;
use crate::options::ServerOptions;

/// Shared state of all handlers. Cheap to clone.
#[derive(Clone, Debug)]
pub(crate) struct Server(Arc<Shared>);

impl Deref for Server {
    type Target = Shared;

    fn deref(&self) -> &Shared {
        &self.0
    }
}

impl FromRequestParts<Self> for Server {
    type Rejection = Infallible;

    async fn from_request_parts(_: &mut Parts, server: &Self) -> Result<Self, Infallible> {
        Ok(server.clone())
    }
}

/// The app, the options, and metrics.
#[derive(Debug)]
pub(crate) struct Shared {
    pub(crate) app: App,
    pub(crate) options: ServerOptions,
    pub(crate) events: Arc<EventHub>,
    pub(crate) metrics: Arc<Metrics>,
    pub(crate) clients: Clients,
    pub(crate) exports: Arc<Semaphore>,
    pub(crate) queries: Arc<Semaphore>,
    pub(crate) event_streams: Arc<Semaphore>,
    /// Ends event streams.
    pub(crate) end: CancellationToken,
    /// Cancelled with the server.
    _tasks: Mutex<JoinSet<()>>,
}

impl Server {
    pub(crate) fn new(app: App, options: ServerOptions) -> Self {
        let (events, metrics) = (Arc::new(EventHub::new()), Arc::new(Metrics::default()));
        let mut tasks = JoinSet::new();
        // Subscribes now, not when the task is first polled.
        let heard = app.events();
        tasks.spawn(events::follow(app.clone(), heard, Arc::clone(&events), Arc::clone(&metrics)));
        tasks.spawn(events::follow_others(app.clone(), Arc::clone(&events)));
        tasks.spawn(events::take_in_crashed(app.clone()));
        Self(Arc::new(Shared {
            clients: Clients::new(&options.limits),
            exports: Arc::new(Semaphore::new(options.limits.exports)),
            queries: Arc::new(Semaphore::new(options.limits.queries)),
            event_streams: Arc::new(Semaphore::new(options.limits.event_streams)),
            end: CancellationToken::new(),
            _tasks: Mutex::new(tasks),
            app,
            options,
            events,
            metrics,
        }))
    }
}
