//! Pages that try to keep the browser busy: each ends in its outcome, and nothing is left.

use std::time::{Duration, Instant};

use testsite::rendered::{HOSTILE, hostile};

use super::world::{crawl, local};

/// Processes of browsers that this process started, by their profile folder.
fn browsers_left() -> Vec<String> {
    let ours = format!("bluesnake-browser-{}-", std::process::id());
    let processes = std::fs::read_dir("/proc").into_iter().flatten().flatten();
    let commands = processes.filter_map(|process| std::fs::read(process.path().join("cmdline")).ok());
    let commands = commands.map(|command| String::from_utf8_lossy(&command).replace('\0', " "));
    commands.filter(|command| command.contains(&ours)).collect()
}

#[tokio::test(flavor = "multi_thread")]
async fn hostile_pages_end_in_their_outcome_and_leave_nothing() {
    let site = hostile().start().await;
    let mut input = local();
    input.render.timeout_ms = Some(6_000);
    input.render.slots = Some(2);
    let began = Instant::now();
    let crawled = crawl(&site.url("/"), input).await;
    assert!(began.elapsed() < Duration::from_secs(150), "{:?}", began.elapsed());
    for (path, _, outcomes) in HOSTILE {
        let visit = crawled.visit(path);
        let render = visit.page.as_ref().unwrap().render.as_ref().unwrap();
        // A machine that is busy elsewhere may cut any page short, which is reported as such.
        let is_expected = outcomes.contains(&render.outcome.as_str()) || render.outcome.as_str() == "timed-out";
        assert!(is_expected, "{path}: {:?} {:?}", render.outcome, render.detail);
        assert_eq!(visit.title(), Some(path), "the page itself is kept");
    }
    assert_eq!(browsers_left(), Vec::<String>::new());
    let profiles = std::fs::read_dir(std::env::temp_dir()).unwrap().flatten();
    let ours = format!("bluesnake-browser-{}-", std::process::id());
    assert_eq!(profiles.filter(|entry| entry.file_name().to_string_lossy().starts_with(&ours)).count(), 0);
}
