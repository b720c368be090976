//! Shared state of all handlers.

use std::convert::Infallible;
use std::ops::Deref;
use std::sync::{Arc, Mutex};

use axum::extract::FromRequestParts;
use axum::http::request::Parts;
use bluesnake_app::{App, AppError};
use tokio::sync::{OwnedSemaphorePermit, Semaphore};
use tokio::task::JoinSet;
use tokio_util::sync::CancellationToken;

use crate::error::{Code, Problem};
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

impl Server {
    /// A place among the few queries that may run at a time.
    pub(crate) fn place(&self) -> Result<OwnedSemaphorePermit, Problem> {
        let place = Arc::clone(&self.queries).try_acquire_owned();
        place.map_err(|_| Problem::busy(Code::TooManyQueries, "too many queries are running"))
    }

    /// Does expensive work in such a place. It continues if the client leaves, and keeps its place until it ends.
    pub(crate) async fn in_place<T: Send + 'static, W>(&self, work: impl FnOnce(App) -> W) -> Result<T, Problem>
    where
        W: Future<Output = Result<T, AppError>> + Send + 'static,
    {
        let place = self.place()?;
        let work = work(self.app.clone());
        #[expect(clippy::disallowed_methods, reason = "it must outlive the request, and it ends by itself")]
        let task = tokio::spawn(async move {
            let _place = place;
            work.await
        });
        match task.await {
            Ok(result) => Ok(result?),
            Err(panic) => std::panic::resume_unwind(panic.into_panic()),
        }
    }
}

#[cfg(test)]
mod tests {
    use std::task::Poll;

    use bluesnake_app::AppOptions;

    use super::*;

    #[tokio::test]
    async fn work_keeps_its_place_after_the_client_left() {
        let folder = tempfile::tempdir().unwrap();
        let app = App::open(AppOptions::new(folder.path().join("bluesnake.db"))).await.unwrap();
        let mut options = ServerOptions::default();
        options.limits.queries = 1;
        let server = Server::new(app, options);
        let (finish, finished) = tokio::sync::oneshot::channel::<()>();
        let work = server.in_place(|_| async move {
            let _ = finished.await;
            Ok(())
        });
        let mut client = Box::pin(work);
        assert!(std::future::poll_fn(|context| Poll::Ready(client.as_mut().poll(context).is_pending())).await);
        drop(client);
        assert!(server.place().is_err());
        finish.send(()).unwrap();
        assert!(Arc::clone(&server.queries).acquire_owned().await.is_ok());
    }
}
