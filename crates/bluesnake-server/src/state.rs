//! Shared state of all handlers.

use std::sync::{Arc, Mutex};

use bluesnake_app::App;
use tokio::sync::Semaphore;
use tokio::task::JoinSet;
use tokio_util::sync::CancellationToken;

use crate::events::{self, EventHub};
use crate::guard::limits::Clients;
use crate::metrics::Metrics;
use crate::options::ServerOptions;

/// Shared state of all handlers. Cheap to clone.
pub(crate) type Server = Arc<Shared>;

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

impl Shared {
    pub(crate) fn new(app: App, options: ServerOptions) -> Server {
        let (events, metrics) = (Arc::new(EventHub::new()), Arc::new(Metrics::default()));
        let mut tasks = JoinSet::new();
        // Subscribes now, not when the task is first polled.
        let heard = app.events();
        tasks.spawn(events::follow(app.clone(), heard, Arc::clone(&events), Arc::clone(&metrics)));
        tasks.spawn(events::follow_others(app.clone(), Arc::clone(&events)));
        tasks.spawn(events::take_in_crashed(app.clone()));
        Arc::new(Self {
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
        })
    }
}
