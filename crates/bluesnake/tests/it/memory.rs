//! What the program takes of the machine's memory when pages are made to take much of it.

use std::time::Duration;

use testsite::{Large, Reply, Site};

use crate::program::{Done, Home};

/// Runs a command to its end; also returns its peak memory in MB, where the system reports it.
fn measured(home: &Home, arguments: &[&str]) -> (Done, Option<u64>) {
    let mut child = home.command(arguments).spawn().expect("the binary runs");
    let status = format!("/proc/{}/status", child.id());
    let mut peak = None;
    // The figure only grows, and is gone with the process.
    while child.try_wait().expect("it is our child").is_none() {
        let text = std::fs::read_to_string(&status).unwrap_or_default();
        let kilobytes = text.lines().find_map(|line| line.strip_prefix("VmHWM:")?.trim().strip_suffix(" kB"));
        peak = kilobytes.and_then(|number| number.trim().parse::<u64>().ok()).or(peak);
        std::thread::sleep(Duration::from_millis(10));
    }
    (Done::of(child.wait_with_output().expect("it has ended")), peak.map(|peak| peak / 1024))
}

/// Pages of one long word, and pages of tags alone, were all read at once: 33 of 10 MB took 5.5 GB.
#[tokio::test(flavor = "multi_thread")]
async fn a_capture_of_large_pages_stays_within_its_memory() {
    const PAGES: usize = 12;
    const WORD_BYTES: usize = 5_000_000;
    const DENSE_BYTES: usize = 1_500_000;
    // The window limits bodies, parsed pages and waiting visits; vocabularies and the database come on top.
    const MOST_MEGABYTES: u64 = 3 * 64 + 300;
    let words = Site::new().large("/words", Large::Words { words: PAGES as u64, bytes: WORD_BYTES }).start().await;
    let home = Reply::html((0..PAGES).map(|page| format!("<a href=/dense/{page}>{page}</a>")).collect::<String>());
    let dense = (0..PAGES).fold(Site::new().reply("/dense/", home), |site, page| {
        let html = format!("<title>{page}</title>{}", format!("<h6>{page}").repeat(DENSE_BYTES / 5));
        site.reply(&format!("/dense/{page}"), Reply::html(html))
    });
    let dense = dense.start().await;
    for (name, url) in [("words", words.url("/words/")), ("dense", dense.url("/dense/"))] {
        let home = Home::new(&format!("capture-memory-{name}"));
        let (done, peak) = measured(&home, &["capture", &url, "--rate", "0", "--parallelism", "32"]);
        println!("{name}: {peak:?} MB");
        assert_eq!(done.code, Some(0), "{}{}", done.stdout, done.stderr);
        assert!(done.stdout.contains(&format!("captured: {} pages", PAGES + 1)), "{}", done.stdout);
        assert!(peak.is_none_or(|peak| peak < MOST_MEGABYTES), "{name}: {peak:?} MB");
    }
}
