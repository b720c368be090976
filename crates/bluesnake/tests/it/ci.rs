//! The recipe of docs/guide/ci.md, as it is printed there: a build fails on a new broken link and passes when it is fixed.

use std::path::Path;
use std::process::{Command, Stdio};

use testsite::{Page, Running, Site};

use crate::program::{Done, Home};

/// The script of the guide.
fn script() -> String {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/guide/ci.md");
    let page = std::fs::read_to_string(path).unwrap();
    let (_, rest) = page.split_once("```sh\n").expect("the guide has a script");
    rest.split_once("```").expect("which ends").0.to_owned()
}

/// Runs the script as a build would, against the site as it is now.
fn build(home: &Home, site: &Running) -> Done {
    std::fs::write(home.path("audit.sh"), script()).unwrap();
    let program = Path::new(env!("CARGO_BIN_EXE_bluesnake"));
    let path = std::env::join_paths(
        std::iter::once(program.parent().unwrap().to_owned())
            .chain(std::env::split_paths(&std::env::var_os("PATH").unwrap())),
    );
    let mut command = Command::new("sh");
    command.arg("audit.sh").env_clear().current_dir(home.path("")).stdin(Stdio::null());
    command.env("PATH", path.unwrap()).env("HOME", home.path("")).env("SITE", "http://site.test/");
    command.env("BLUESNAKE_FETCH__RESOLVE", format!("[\"site.test:{}\"]", site.addr()));
    command.env("BLUESNAKE_FETCH__ALLOW_PRIVATE", "true").env("BLUESNAKE_POLITENESS__RATE", "0");
    Done::of(command.output().unwrap())
}

async fn site(home: Page) -> Running {
    // It was broken before, so it fails no build.
    let old = Page::titled("Old").link("/broken-for-years");
    Site::new().page("/", home.link("/old")).page("/old", old).page("/pricing", Page::titled("Pricing")).start().await
}

#[tokio::test(flavor = "multi_thread")]
async fn a_new_broken_link_fails_the_build_until_it_is_fixed() {
    let home = Home::new("ci");
    let fine = site(Page::titled("Home").link("/pricing")).await;
    let typo = site(Page::titled("Home").link("/pricng")).await;

    let first = build(&home, &fine);
    assert_eq!(first.code, Some(0), "{}", first.stderr);
    assert!(first.stderr.contains("no earlier completed run of site.test"), "{}", first.stderr);

    for attempt in 1..=2 {
        let broken = build(&home, &typo);
        broken.fails(
            4,
            &["--fail-on conditions met:", "new:issue: 1 new: ", "(internal-client-error)", "http://site.test/pricng"],
        );
        assert!(!broken.stderr.contains("broken-for-years"), "attempt {attempt}: {}", broken.stderr);
        let junit = std::fs::read_to_string(home.path("junit.xml")).unwrap();
        assert!(junit.contains("<testcase name=\"internal-client-error\""), "{junit}");
        assert!(junit.contains("http://site.test/pricng") && junit.contains("<failure"), "{junit}");
        assert!(!junit.contains("broken-for-years"), "only what is new fails: {junit}");
    }

    let fixed = build(&home, &fine);
    assert_eq!((fixed.code, fixed.stderr.as_str()), (Some(0), ""));
}

/// The run during an outage visited nothing, so it must not be what later runs are compared with.
#[tokio::test(flavor = "multi_thread")]
async fn after_an_outage_a_new_broken_link_is_still_new() {
    let home = Home::new("ci-outage");
    let fine = site(Page::titled("Home").link("/pricing")).await;
    let typo = site(Page::titled("Home").link("/pricng")).await;
    let at = |address: &str, more: &[&str]| {
        let resolve = format!("site.test:{address}");
        let arguments = ["crawl", "http://site.test/", "--rate", "0", "--quiet", "--resolve", &resolve];
        home.run(&[&arguments[..], &["--allow-private", "--set", "fetch.attempts=1"], more].concat())
    };
    assert_eq!(at(&fine.addr().to_string(), &[]).code, Some(0));
    let down = at("127.0.0.1:1", &["--fail-on", "internal-no-response"]);
    down.fails(1, &["cannot crawl http://site.test/", "--fail-on conditions met:", "internal-no-response"]);
    let found = home.ok(&["issues", "latest", "--check", "internal-no-response"]).stdout;
    assert!(found.contains("http://site.test/"), "{found}");
    let junit = home.ok(&["issues", "latest", "--format", "junit"]).stdout;
    assert!(junit.contains("<failure"), "{junit}");

    at(&typo.addr().to_string(), &["--fail-on", "new"]).fails(4, &["http://site.test/pricng"]);
    assert!(home.ok(&["compare", "latest"]).stdout.contains("run 1"), "run 2 visited nothing");
}
