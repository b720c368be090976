//! Crawls of one app: started, watched, queued, stopped, broken off.

use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use bluesnake_app::{
    Access, App, AppError, AppEvent, AppOptions, AuditRequest, Caller, Conflict, Hooks, Kind, PauseReason, Phase,
    ResumeRequest, RunState, SessionHandle, Snapshot, StartMode,
};
use serde_json::Value;
use testsite::{Latency, Running, Site, scenarios};

/// An app on its own empty database that runs two crawls at once.
pub(crate) async fn open(name: &str) -> App {
    open_with(name, 2).await
}

async fn open_with(name: &str, max_concurrent_sessions: usize) -> App {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("app-{name}"));
    let _ = std::fs::remove_dir_all(&folder);
    std::fs::create_dir_all(&folder).unwrap();
    App::open(AppOptions { max_concurrent_sessions, ..AppOptions::new(folder.join("bluesnake.db")) }).await.unwrap()
}

/// A crawl of a site, as fast as it answers.
pub(crate) fn request(site: &Running) -> AuditRequest {
    let mut request = AuditRequest { urls: vec![site.url("/")], ..AuditRequest::default() };
    request.settings.politeness.rate = Some(0.0);
    request.settings.politeness.grace_ms = Some(50);
    request
}

/// Resumes the run that was paused last, with the settings of this request.
pub(crate) async fn resume(
    app: &App,
    project: bluesnake_app::view::Project,
    request: &AuditRequest,
) -> Result<SessionHandle, AppError> {
    let settings = bluesnake_app::to_groups(&request.settings);
    let request = ResumeRequest { settings, force: request.force, kind: None };
    app.resume_project(project.id, request, Caller::operator()).await
}

/// A site whose crawl takes longer than any test.
fn long() -> Site {
    scenarios::high_fan_out(2000).latency(Latency::fixed(Duration::from_millis(100)), 1)
}

async fn until(crawl: &bluesnake_app::SessionHandle, is_reached: impl FnMut(&Snapshot) -> bool) -> Snapshot {
    let mut snapshots = crawl.snapshots();
    let reached = tokio::time::timeout(Duration::from_secs(300), snapshots.wait_for(is_reached)).await;
    reached.expect("it is reached in time").expect("the crawl reports progress").clone()
}

#[tokio::test(flavor = "multi_thread")]
async fn a_crawl_reports_start_and_completion_in_order() {
    let site = scenarios::small().start().await;
    let app = open("completes").await;
    let mut events = app.events();
    let visits = Arc::new(AtomicUsize::new(0));
    let counted = Arc::clone(&visits);
    let visit = Arc::new(move |visit: Value| {
        let is_guide = matches!(visit["task"].as_str(), Some("robots" | "sitemap"));
        counted.fetch_add(usize::from(!is_guide), Ordering::Relaxed);
    });
    let crawl =
        app.start(request(&site), Caller { hooks: Hooks { visit: Some(visit) }, ..Caller::operator() }).await.unwrap();
    let project = crawl.project().id;
    assert_eq!(crawl.project().host, site.addr().to_string());
    let ended = crawl.wait().await;
    assert_eq!((ended.state, ended.reason, ended.error.is_none()), (RunState::Completed, None, true));
    let finished = ended.finished.as_ref().unwrap();
    assert!(finished.receipt.adds_up());
    assert_eq!(finished.progress.visits, visits.load(Ordering::Relaxed) as u64, "a call for each visit");
    let (run, session) = (ended.run.unwrap(), ended.session.unwrap());
    assert_eq!(events.recv().await.unwrap(), AppEvent::Started { project, run, session });
    let AppEvent::Completed { project: told, end } = events.recv().await.unwrap() else { panic!("it is completed") };
    assert_eq!((told, end.run, end.session, end.state), (project, ended.run, ended.session, RunState::Completed));
    assert!(app.active_sessions().is_empty());
    assert_eq!(app.stop_session(project).unwrap_err().kind(), Kind::Conflict(Conflict::NotRunning));
    assert_eq!(app.receipt(ended.run.unwrap()).await.unwrap(), finished.receipt);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_stopped_crawl_is_paused_by_user_and_can_be_resumed() {
    let site = scenarios::high_fan_out(60).latency(Latency::fixed(Duration::from_millis(20)), 1).start().await;
    let app = open("stopped").await;
    let mut events = app.events();
    let crawl = app.start(request(&site), Caller::operator()).await.unwrap();
    let project = crawl.project().clone();
    site.wait_for(|seen| seen.requests() > 10).await;
    app.stop_session(project.id).unwrap();
    let ended = crawl.wait().await;
    assert_eq!((ended.state, ended.reason), (RunState::Paused, Some(PauseReason::User)));
    assert!(
        matches!(events.recv().await.unwrap(), AppEvent::Started { project: started, .. } if started == project.id)
    );
    assert!(matches!(events.recv().await.unwrap(), AppEvent::Stopped { project: told, .. } if told == project.id));

    let mut again = request(&site);
    again.urls.clear();
    let resumed = resume(&app, project.clone(), &again).await.unwrap().wait().await;
    assert_eq!((resumed.run, resumed.state), (ended.run, RunState::Completed));
    assert_ne!(resumed.session, ended.session, "a session of its own");
    let run = app.run_view(app.find_run(&project.host).await.unwrap().id).await.unwrap();
    assert_eq!((run.crawls.len(), run.total_pages_crawled, run.urls_pending), (2, 61, 0));
    let error = resume(&app, project, &request(&site)).await.unwrap_err();
    assert!(error.to_string().starts_with("no paused run to resume"), "{error}");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_session_stopped_while_loading_reports_the_whole_receipt() {
    let site = scenarios::high_fan_out(60).start().await;
    let app = open("stopped_while_loading").await;
    let mut first = request(&site);
    first.settings.limits.session_budget = Some(10);
    let crawl = app.start(first.clone(), Caller::operator()).await.unwrap();
    let run = crawl.wait().await.run.unwrap();
    for _ in 0..20 {
        let resumed = resume(&app, crawl.project().clone(), &first.clone()).await.unwrap();
        resumed.stop();
        let Some(finished) = resumed.wait().await.finished.clone() else { continue };
        assert_eq!(finished.receipt, app.receipt(run).await.unwrap());
        assert_eq!(finished.progress.seen, finished.receipt.seen());
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_run_paused_by_its_byte_limit_resumes_with_a_higher_one() {
    let site = scenarios::high_fan_out(60).start().await;
    let app = open("bytes").await;
    let mut first = request(&site);
    first.settings.scope.max_bytes = Some(2_000);
    let crawl = app.start(first.clone(), Caller::operator()).await.unwrap();
    let ended = crawl.wait().await;
    assert_eq!((ended.state, ended.reason), (RunState::Paused, Some(PauseReason::Budget)));
    let run = app.find_run(&crawl.project().host).await.unwrap();
    assert!(run.detail.unwrap_or_default().contains("scope.max_bytes"), "it reports why");
    first.settings.scope.max_bytes = Some(10_000_000);
    let resumed = resume(&app, crawl.project().clone(), &first).await.unwrap().wait().await;
    assert_eq!((resumed.run, resumed.state), (ended.run, RunState::Completed));
}

#[tokio::test(flavor = "multi_thread")]
async fn an_early_stop_is_not_lost() {
    let site = long().start().await;
    let app = open("early_stop").await;
    for round in 0..30 {
        let crawl = app.start(request(&site), Caller::operator()).await.unwrap();
        until(&crawl, |figures| figures.run_id.is_some()).await;
        crawl.stop();
        let ended = tokio::time::timeout(Duration::from_secs(300), crawl.wait()).await;
        assert_eq!(ended.expect("it stops").reason, Some(PauseReason::User), "round {round}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn progress_comes_at_most_four_times_a_second_and_ends_with_the_final_figures() {
    let site = scenarios::high_fan_out(60).latency(Latency::fixed(Duration::from_millis(100)), 1).start().await;
    let app = open("snapshots").await;
    let crawl = app.start(request(&site), Caller::operator()).await.unwrap();
    let mut snapshots = crawl.snapshots();
    let (started, mut told) = (Instant::now(), Vec::new());
    let watched = tokio::time::timeout(Duration::from_secs(300), async {
        while told.last().is_none_or(|last: &Snapshot| last.phase != Phase::Ended) {
            snapshots.changed().await.unwrap();
            told.push(snapshots.borrow_and_update().clone());
        }
    });
    watched.await.expect("the crawl ends");
    let seconds = started.elapsed().as_secs_f64();
    assert!(told.len() as f64 <= 4.0 * seconds + 5.0, "{} in {seconds} s", told.len());
    assert!(told.len() >= 4, "{} in {seconds} s", told.len());
    let phases: Vec<Phase> = told.iter().map(|snapshot| snapshot.phase).collect();
    let order = [Phase::Queued, Phase::Starting, Phase::Crawling, Phase::Stopping, Phase::Finishing, Phase::Ended];
    assert!(phases.is_sorted_by_key(|phase| order.iter().position(|known| known == phase)), "{phases:?}");
    assert!(phases.contains(&Phase::Crawling), "{phases:?}");
    assert!(told.is_sorted_by_key(|snapshot| snapshot.visits));
    assert!(told.iter().all(|snapshot| snapshot.dropped == 0 && snapshot.run_id.is_some()));
    let finished = crawl.wait().await.finished.clone().unwrap();
    let last = told.last().unwrap();
    assert_eq!((last.visits, last.seen, last.pending), (finished.progress.visits, finished.receipt.seen(), 0));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_second_crawl_of_the_same_project_is_refused() {
    let site = long().start().await;
    let app = open("same_project").await;
    let crawl = app.start(request(&site), Caller::operator()).await.unwrap();
    until(&crawl, |snapshot| snapshot.phase == Phase::Crawling).await;
    for mode in [StartMode::Auto, StartMode::Resume, StartMode::Fresh] {
        let error = app.start(AuditRequest { mode, ..request(&site) }, Caller::operator()).await.unwrap_err();
        assert!(error.to_string().starts_with("crawl already in progress for this project"), "{error}");
        assert_eq!(error.kind(), Kind::Conflict(Conflict::InProgress));
    }
    let project = crawl.project().id;
    assert_eq!(app.delete_project(project).await.unwrap_err().kind(), Kind::Conflict(Conflict::InProgress));
    app.stop_session(project).unwrap();
    crawl.wait().await;
    assert_eq!(app.runs(None, None).await.unwrap().len(), 1);
}

#[tokio::test(flavor = "multi_thread")]
async fn with_one_slot_a_second_crawl_waits_and_leaves_no_run_if_stopped_early() {
    let (one, two, three) = (long().start().await, long().start().await, scenarios::small().start().await);
    let app = open_with("queued", 1).await;
    let first = app.start(request(&one), Caller::operator()).await.unwrap();
    until(&first, |snapshot| snapshot.phase == Phase::Crawling).await;
    let second = app.start(request(&two), Caller::operator()).await.unwrap();
    let third = app.start(request(&three), Caller::operator()).await.unwrap();
    assert_eq!(app.active_sessions().len(), 3);
    assert_eq!(second.snapshots().borrow().phase, Phase::Queued);

    second.stop();
    let ended = second.wait().await;
    assert_eq!((ended.run, ended.session, ended.finished.is_none()), (None, None, true));
    assert!(ended.error.is_none());
    assert_eq!((two.seen().requests(), three.seen().requests()), (0, 0), "no requests were made");
    assert_eq!(app.runs(Some(second.project().id), None).await.unwrap().len(), 0);

    first.stop();
    first.wait().await;
    assert_eq!(third.wait().await.state, RunState::Completed);
    let free = one.log().iter().filter_map(|seen| seen.answered).max().unwrap();
    assert!(three.log()[0].at >= free, "it started after the first one ended");
}

#[tokio::test(flavor = "multi_thread")]
async fn shutdown_pauses_every_crawl_with_reason_signal() {
    let (one, two, three) = (long().start().await, long().start().await, long().start().await);
    let app = open_with("shut_down", 2).await;
    let mut crawls = Vec::new();
    for site in [&one, &two] {
        let crawl = app.start(request(site), Caller::operator()).await.unwrap();
        until(&crawl, |snapshot| snapshot.phase == Phase::Crawling).await;
        crawls.push(crawl);
    }
    let queued = app.start(request(&three), Caller::operator()).await.unwrap();
    app.shut_down().await;
    assert!(app.active_sessions().is_empty());
    for crawl in crawls {
        let ended = crawl.wait().await;
        assert_eq!((ended.state, ended.reason), (RunState::Paused, Some(PauseReason::Signal)));
        let run = app.find_run(&crawl.project().host).await.unwrap();
        assert_eq!((run.state, run.reason.as_deref()), (RunState::Paused, Some("signal")));
    }
    let ended = queued.wait().await;
    assert_eq!((ended.state, ended.reason), (RunState::Paused, Some(PauseReason::Signal)));
    assert_eq!(three.seen().requests(), 0, "it never ran");
    let run = app.find_run(&queued.project().host).await.unwrap();
    assert_eq!((Some(run.id), run.state, run.reason.as_deref()), (ended.run, RunState::Paused, Some("signal")));
    let error = app.start(request(&three), Caller::operator()).await.unwrap_err();
    assert_eq!(error.kind(), Kind::Conflict(Conflict::Closing), "no session starts during shutdown");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_crawl_queued_at_shutdown_is_resumed_from_its_seeds() {
    let (one, two) = (long().start().await, scenarios::small().start().await);
    let app = open_with("queued_at_the_end", 1).await;
    let first = app.start(request(&one), Caller::operator()).await.unwrap();
    until(&first, |snapshot| snapshot.phase == Phase::Crawling).await;
    let queued = app.start(request(&two), Caller::operator()).await.unwrap();
    app.shut_down().await;
    drop(app);

    let path = Path::new(env!("CARGO_TARGET_TMPDIR")).join("app-queued_at_the_end/bluesnake.db");
    let app = App::open(AppOptions::new(path)).await.unwrap();
    assert!(app.queue_status(queued.project().id, None).await.unwrap().can_resume, "and reports it");
    let resumed = app.resume_interrupted(&ResumeRequest::default(), &Caller::operator()).await.unwrap();
    assert_eq!(resumed.len(), 2, "the one that ran and the one that waited");
    let of_queued = resumed.into_iter().map(Result::unwrap).find(|crawl| crawl.project().id == queued.project().id);
    let ended = of_queued.expect("it is among them").wait().await;
    assert_eq!((ended.run, ended.state), (queued.wait().await.run, RunState::Completed));
    assert_eq!(two.seen().count("/"), 1);
    app.shut_down().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_panicking_hook_fails_the_run_which_can_be_resumed() {
    let site = scenarios::high_fan_out(20).start().await;
    let app = open("panics").await;
    let mut events = app.events();
    let visit = Arc::new(|_: Value| panic!("a bug of the caller"));
    let crawl =
        app.start(request(&site), Caller { hooks: Hooks { visit: Some(visit) }, ..Caller::operator() }).await.unwrap();
    let project = crawl.project().clone();
    let ended = crawl.wait().await;
    assert_eq!(ended.state, RunState::Failed);
    assert_eq!(ended.error.as_ref().unwrap().kind(), Kind::Internal);
    assert!(
        matches!(events.recv().await.unwrap(), AppEvent::Started { project: started, .. } if started == project.id)
    );
    assert!(matches!(events.recv().await.unwrap(), AppEvent::Stopped { project: told, .. } if told == project.id));
    let run = app.find_run(&project.host).await.unwrap();
    assert_eq!((Some(run.id), run.state, run.can_resume), (ended.run, RunState::Failed, true));
    let resumed = resume(&app, project, &request(&site)).await.unwrap().wait().await;
    assert_eq!((resumed.run, resumed.state), (ended.run, RunState::Completed));
}

#[test]
fn a_run_of_a_dead_app_can_be_resumed() {
    let runtime = || tokio::runtime::Runtime::new().unwrap();
    let server = runtime();
    let site = server.block_on(async {
        scenarios::high_fan_out(200).latency(Latency::fixed(Duration::from_millis(20)), 1).start().await
    });
    let gone = runtime();
    let (host, path) = gone.block_on(async {
        let app = open("gone").await;
        let crawl = app.start(request(&site), Caller::operator()).await.unwrap();
        until(&crawl, |snapshot| snapshot.visits > 5).await;
        let path = Path::new(env!("CARGO_TARGET_TMPDIR")).join("app-gone/bluesnake.db");
        (crawl.project().host.clone(), path)
    });
    // Every task ends where it is, as in a killed process.
    gone.shutdown_timeout(Duration::from_secs(5));
    runtime().block_on(async {
        let app = App::open(AppOptions { access: Access::Write, ..AppOptions::new(path) }).await.unwrap();
        let run = app.find_run(&host).await.unwrap();
        assert_eq!((run.state, run.reason.as_deref()), (RunState::Paused, Some("crashed")));
        let project = app.find_project(&host).await.unwrap();
        let ended = resume(&app, project, &request(&site)).await.unwrap().wait().await;
        assert_eq!((ended.run, ended.state), (Some(run.id), RunState::Completed));
        let found = app.run_view(app.find_run(&host).await.unwrap().id).await.unwrap();
        assert_eq!((found.total_pages_crawled, found.crawls.len()), (201, 1), "a session that crashed goes on");
    });
}

#[test]
fn a_run_of_a_dead_process_is_not_shown_as_running_and_reading_changes_nothing() {
    let runtime = || tokio::runtime::Runtime::new().unwrap();
    let (here, gone) = (runtime(), runtime());
    let (site, app) = here.block_on(async { (long().start().await, open("looks").await) });
    gone.block_on(async {
        let path = Path::new(env!("CARGO_TARGET_TMPDIR")).join("app-looks/bluesnake.db");
        let other = App::open(AppOptions::new(path)).await.unwrap();
        let crawl = other.start(request(&site), Caller::operator()).await.unwrap();
        until(&crawl, |snapshot| snapshot.visits > 5).await;
        assert!(!app.active_elsewhere().await.unwrap().is_empty(), "it is shown while it runs");
    });
    gone.shutdown_timeout(Duration::from_secs(5));
    here.block_on(async {
        let host = site.addr().to_string();
        assert_eq!(app.active_everywhere().await.unwrap(), []);
        assert_eq!(app.find_run(&host).await.unwrap().state, RunState::InProgress, "reading changes nothing");
        app.take_in_crashed().await.unwrap();
        assert_eq!(app.find_run(&host).await.unwrap().reason.as_deref(), Some("crashed"));
    });
}

#[tokio::test(flavor = "multi_thread")]
async fn an_invalid_request_creates_no_project() {
    let app = open("wrong").await;
    let mut wrong = AuditRequest { urls: vec!["mailto:me".to_owned()], ..AuditRequest::default() };
    wrong.settings.scope.external_hops = Some(9);
    let error = app.start(wrong, Caller::default()).await.unwrap_err();
    assert_eq!(error.kind(), Kind::Invalid);
    let bluesnake_app::AppError::Plan(problems) = error else { panic!("{error}") };
    assert_eq!(problems.0.len(), 2, "all problems at once: {problems:?}");
    assert_eq!(app.start(AuditRequest::default(), Caller::default()).await.unwrap_err().kind(), Kind::Invalid);
    assert!(app.projects().await.unwrap().is_empty());
}

#[tokio::test(flavor = "multi_thread")]
async fn only_operators_reach_private_addresses() {
    let site = scenarios::small().start().await;
    let app = open("private").await;
    let crawl = app.start(request(&site), Caller::default()).await.unwrap();
    let ended = crawl.wait().await;
    let fates = app.seed_fates(ended.run.unwrap()).await.unwrap();
    assert_eq!((fates.len(), fates[0].reason.as_str()), (1, "private_address"));
    assert_eq!(site.seen().requests(), 0);
}
