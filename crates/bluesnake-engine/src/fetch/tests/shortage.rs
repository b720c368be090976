//! A machine without free file descriptors. The limit applies to a whole process, so each test runs in its own.

use std::future::poll_fn;
use std::pin::pin;
use std::task::Poll;

use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};

use super::*;
use crate::memory::MemoryStore;
use crate::receipt::{Disposition, Reason};
use crate::weave::Weaver;
use crate::weave::memory::MemoryGraph;
use crate::{AuditInput, AuditPlan, CrawlError, Crawler, Progress, WaitReason, WeaveInput, WeavePlan};

/// Runs the rest of a test in its own process.
fn in_a_process_of_its_own(name: &str, test: impl Future<Output = ()>) {
    const CHILD: &str = "BLUESNAKE_TEST_CHILD";
    if std::env::var_os(CHILD).is_none() {
        let mut command = std::process::Command::new(std::env::current_exe().unwrap());
        command.args(["--exact", &format!("fetch::tests::shortage::{name}"), "--nocapture"]).env(CHILD, "1");
        let ended = command.output().unwrap();
        let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
        assert!(ended.status.success(), "{}\n{}", text(&ended.stdout), text(&ended.stderr));
        assert!(text(&ended.stdout).contains("1 passed"), "{}", text(&ended.stdout));
        return;
    }
    tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap().block_on(test);
}

/// Lowers the limit so that nothing can be opened, or restores it.
fn set_file_limit(current: Option<u64>) {
    let Rlimit { maximum, .. } = getrlimit(Resource::Nofile);
    setrlimit(Resource::Nofile, Rlimit { current, maximum }).unwrap();
}

fn plan(seed: &str) -> AuditPlan {
    let mut input = AuditInput::default();
    input.fetch.allow_private = Some(true);
    input.fetch.timeout_ms = Some(300);
    AuditPlan::new([seed], input).unwrap()
}

#[test]
fn a_shortage_that_passes_charges_no_attempt_and_blames_nobody() {
    in_a_process_of_its_own("a_shortage_that_passes_charges_no_attempt_and_blames_nobody", async {
        let server = Server::echoing();
        let before = getrlimit(Resource::Nofile).current;
        set_file_limit(Some(0));
        let fetcher = fetcher(&settings());
        let address = server.url("/");
        let request = request(&address);
        let mut fetching = pin!(fetcher.fetch(&request));
        let is_waiting = poll_fn(|cx| Poll::Ready(fetching.as_mut().poll(cx).is_pending())).await;
        assert!(is_waiting, "it failed at once");
        set_file_limit(before);
        let fetched = fetching.await;
        assert_eq!((fetched.result.unwrap().status, fetched.sends), (200, 1));
    });
}

#[test]
fn a_crawl_pauses_when_no_connection_can_be_opened() {
    in_a_process_of_its_own("a_crawl_pauses_when_no_connection_can_be_opened", async {
        set_file_limit(Some(0));
        for seed in ["http://127.0.0.1:9/", "http://no-such-host.example/"] {
            let store = Arc::new(MemoryStore::default());
            let ended = Crawler::new(plan(seed)).store(store.clone()).start().unwrap().wait().await;
            assert!(matches!(&ended, Err(CrawlError::Shortage(_))), "{seed}: {ended:?}");
            let urls = store.urls();
            assert!(!urls.is_empty() && urls.iter().all(|row| row.reason == Reason::Queued), "{urls:?}");
        }
    });
}

#[test]
fn a_crawl_says_that_it_waits_for_sockets_and_goes_on() {
    in_a_process_of_its_own("a_crawl_says_that_it_waits_for_sockets_and_goes_on", async {
        let server = Server::echoing();
        let before = getrlimit(Resource::Nofile).current;
        set_file_limit(Some(0));
        let mut input = AuditInput::default();
        input.fetch.allow_private = Some(true);
        let plan = AuditPlan::new([server.url("/").as_str()], input).unwrap();
        let running = Crawler::new(plan).start().unwrap();
        let mut progress = running.progress();
        let is_told = |progress: &Progress| {
            progress.waiting.as_ref().is_some_and(|wait| wait.reason == WaitReason::Sockets && wait.host.is_empty())
        };
        progress.wait_for(is_told).await.unwrap();
        set_file_limit(before);
        assert_eq!(running.wait().await.unwrap().receipt.count(Disposition::Failed), 0);
    });
}

#[test]
fn a_weave_pauses_when_no_connection_can_be_opened() {
    in_a_process_of_its_own("a_weave_pauses_when_no_connection_can_be_opened", async {
        set_file_limit(Some(0));
        let graph = Arc::new(MemoryGraph::default());
        let mut input = WeaveInput::default();
        (input.fetch.allow_private, input.fetch.timeout_ms) = (Some(true), Some(300));
        let plan = WeavePlan::new(["http://127.0.0.1:9/"], input).unwrap();
        let ended = Weaver::new(plan, graph.clone()).start().unwrap().wait().await;
        assert!(matches!(&ended, Err(CrawlError::Shortage(_))), "{ended:?}");
        let nodes = graph.nodes();
        assert!(!nodes.is_empty() && nodes.iter().all(|node| node.reason == Reason::Queued), "{nodes:?}");
    });
}
