//! A separate database for each test, and crawls into it.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};

use bluesnake_engine::plan::{CheckExternal, Mechanisms};
use bluesnake_engine::{AuditInput, AuditPlan, Crawler, Finished, Paces, Store};
use bluesnake_store::state::RunKind;
use bluesnake_store::{Claim, Database, SessionEnd, StartedSession};

/// A folder with a database, removed with this value.
pub(crate) struct Folder(PathBuf);

impl Folder {
    pub(crate) fn new() -> Self {
        static COUNT: AtomicU32 = AtomicU32::new(0);
        let name = format!("store-{}-{}", std::process::id(), COUNT.fetch_add(1, Ordering::Relaxed));
        let path = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
        std::fs::create_dir_all(&path).expect("the folder for temporary files can be written");
        Self(path)
    }

    pub(crate) fn path(&self) -> PathBuf {
        self.0.join("bluesnake.db")
    }

    pub(crate) fn database(&self) -> Database {
        Database::open(&self.path()).expect("a new database opens")
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        // Leftovers are in the build folder.
        std::fs::remove_dir_all(&self.0).ok();
    }
}

/// Settings for a server on loopback that need not be spared.
pub(crate) fn local() -> AuditInput {
    let mut input = AuditInput::default();
    input.politeness.rate = Some(0.0);
    input.politeness.parallelism = Some(8);
    input.fetch.allow_private = Some(true);
    input.fetch.attempts = Some(1);
    (input.fetch.timeout_ms, input.fetch.idle_timeout_ms) = (Some(500), Some(500));
    input.fetch.total_timeout_ms = Some(1_000);
    input.discover.mechanisms = Some(Mechanisms::Spider);
    input.resources.check_external = Some(CheckExternal::None);
    input
}

/// Crawls one seed into a store, to the end of the session.
pub(crate) async fn crawl(seed: &str, input: AuditInput, store: Arc<dyn Store>) -> Finished {
    let plan = AuditPlan::new([seed], input).expect("the plan of a test is valid");
    let running = Crawler::new(plan).store(store).paces(Paces::default()).start().expect("a crawl starts");
    running.wait().await.expect("a crawl on loopback does not break off")
}

/// The same with a listener, so that visits stay whole.
pub(crate) async fn crawl_heard(seed: &str, input: AuditInput, store: Arc<dyn Store>) -> Finished {
    let plan = AuditPlan::new([seed], input).expect("the plan of a test is valid");
    let crawler = Crawler::new(plan).store(store).paces(Paces::default()).on_page(|_| {}).on_resource(|_| {});
    let running = crawler.start().expect("a crawl starts");
    running.wait().await.expect("a crawl on loopback does not break off")
}

/// Begins a run of a project with that host.
pub(crate) async fn begin(database: &Database, host: &str) -> (Claim, StartedSession) {
    let project = database.catalog().get_or_create_project(host, &format!("https://{host}/")).await.unwrap();
    let claim = database.catalog().claim(project.id).await.unwrap();
    let started =
        database.catalog().start_run(&claim, RunKind::Crawl, "[]".to_owned(), "{}".to_owned(), false).await.unwrap();
    (claim, started)
}

/// The end of a session that reached the end of its run.
pub(crate) fn completed() -> SessionEnd {
    SessionEnd {
        session: bluesnake_store::state::SessionState::Completed,
        session_reason: "exhausted".to_owned(),
        run: bluesnake_store::state::RunState::Completed,
        run_reason: None,
        detail: None,
    }
}
