//! Pages of the documentation that are made from the code. `BLUESNAKE_UPDATE_DOCS=1` writes them anew.

use std::fmt::Write;
use std::path::Path;

use bluesnake_app::{JOBS, RunKind, checks, default_settings, groups_of};

#[test]
fn settings_docs_list_every_setting_with_its_default() {
    is_current("docs/settings.md", &settings());
}

#[test]
fn the_example_file_is_current() {
    is_current("bluesnake.example.toml", &bluesnake_app::example_file(RunKind::Crawl));
}

#[test]
fn checks_docs_list_every_check() {
    is_current("docs/checks.md", &page_of_checks());
}

fn page_of_checks() -> String {
    let mut page = "# Checks\n\nA crawl ends with these checks; `bluesnake issues RUN` shows what they found. Thresholds and checks to switch \
                    off are settings of the\ngroup `audit`. Checks for missing things run only on completed runs.\n\n\
                    | id | check | type | priority | why it matters | how to fix it |\n|---|---|---|---|---|---|\n"
        .to_owned();
    for check in checks() {
        let name = format!("{}: {}", check.theme, check.name);
        let cells =
            [check.id, &name, check.kind, check.priority, check.why, check.fix].map(|cell| cell.replace('|', "\\|"));
        let _ = writeln!(page, "| `{}` | {} |", cells[0], cells[1..].join(" | "));
    }
    page
}

fn is_current(page: &str, expected: &str) {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").join(page);
    if std::env::var_os("BLUESNAKE_UPDATE_DOCS").is_some() {
        std::fs::write(&path, expected).unwrap();
    }
    let found = std::fs::read_to_string(&path).unwrap_or_default();
    assert!(found == expected, "{page} is out of date: run this test with BLUESNAKE_UPDATE_DOCS=1 and commit it");
}

fn settings() -> String {
    let mut page = "# Settings\n\nEach job has its own settings. Change any of them with `--set group.key=value`; the value is JSON, or a \
                    word. A settings file\nfor `--config` has the same groups as TOML tables; `bluesnake config init --job JOB` \
                    writes one with every default.\nThe environment variable of a setting is `BLUESNAKE_GROUP__KEY`. \
                    `bluesnake config schema JOB` prints a JSON Schema.\n\nFlags override the environment, which overrides \
                    the file, then settings saved for the project (`bluesnake config set`), then the defaults.\n"
        .to_owned();
    let mut seen: Vec<&str> = Vec::new();
    for group in JOBS.into_iter().flat_map(groups_of) {
        if seen.contains(&group.name) {
            continue;
        }
        seen.push(group.name);
        let jobs: Vec<RunKind> =
            JOBS.into_iter().filter(|job| default_settings(*job).contains_key(group.name)).collect();
        let names: Vec<&str> = jobs.iter().map(|job| job.as_str()).collect();
        let _ = write!(page, "\n## {}\n\n{} Used by: {}.\n\n", group.name, group.help, names.join(", "));
        page.push_str("| setting | default | meaning |\n|---|---|---|\n");
        for field in group.fields {
            let default = |job: &RunKind| default_settings(*job)[group.name][field.name].to_string();
            let first = default(&jobs[0]);
            let (having, lacking): (Vec<RunKind>, Vec<RunKind>) =
                jobs[1..].iter().partition(|job| default_settings(**job)[group.name].get(field.name).is_some());
            let others = having.iter().filter(|job| default(job) != first);
            let others: String = others.map(|job| format!("<br>{job}: `{}`", default(job))).collect();
            let lacking: String = lacking.iter().map(|job| format!(" Not in a {job}.")).collect();
            let help = format!("{}{lacking}", field.help.replace('|', "\\|"));
            let _ = writeln!(page, "| `{}.{}` | `{first}`{others} | {help} |", group.name, field.name);
        }
    }
    page
}
