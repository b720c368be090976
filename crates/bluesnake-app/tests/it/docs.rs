//! Pages of the documentation that are made from the code. `BLUESNAKE_UPDATE_DOCS=1` writes them anew.

use std::fmt::Write;
use std::path::Path;

use bluesnake_engine::PlanInput;
use bluesnake_engine::plan::{
    DiscoverInput, FetchInput, LimitInput, ParseInput, PolitenessInput, ScopeInput, WeaveInput,
};
use bluesnake_engine::weave::CRAWL_ONLY;
use bluesnake_store::all_checks;

#[test]
fn the_page_of_settings_lists_every_setting_with_its_default() {
    is_current("docs/settings.md", &settings());
}

#[test]
fn the_example_file_is_current() {
    is_current("bluesnake.example.toml", &bluesnake_app::example_file());
}

#[test]
fn the_page_of_checks_lists_every_check() {
    is_current("docs/checks.md", &page_of_checks());
}

fn page_of_checks() -> String {
    let mut page = "# Checks\n\nWhat `bluesnake export RUN --table issues` looks for, computed from what is stored whenever it is asked. \
                    Nothing is told\nthat a run cannot know: what says that something is absent needs a run that is completed.\n\n\
                    | id | check | type | priority | why it matters | how to fix it |\n|---|---|---|---|---|---|\n"
        .to_owned();
    for check in all_checks() {
        let (kind, priority) = (check.kind.as_str(), check.priority.as_str());
        let cells = [check.id, check.name, kind, priority, check.why, check.fix].map(|cell| cell.replace('|', "\\|"));
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
    let groups = [
        ("discover", DiscoverInput::FIELDS, DiscoverInput::MEANINGS),
        ("scope", ScopeInput::FIELDS, ScopeInput::MEANINGS),
        ("limits", LimitInput::FIELDS, LimitInput::MEANINGS),
        ("politeness", PolitenessInput::FIELDS, PolitenessInput::MEANINGS),
        ("fetch", FetchInput::FIELDS, FetchInput::MEANINGS),
        ("parse", ParseInput::FIELDS, ParseInput::MEANINGS),
        ("weave", WeaveInput::FIELDS, WeaveInput::MEANINGS),
    ];
    let defaults = serde_json::to_value(PlanInput::defaults()).unwrap();
    let mut page = "# Settings\n\nChange any of them with `--set group.key=value`; the value is JSON, or a word. Programs that use \
                    the library fill a\n`PlanInput`. Presets (`--preset docs`, `--preset graph`) change some of the defaults.\n\
                    \nThose with a † are for crawls and captures: a weave makes no use of them, and refuses them.\n"
        .to_owned();
    for (group, fields, (about, meanings)) in groups {
        let _ = write!(page, "\n## {group}\n\n{}\n\n| setting | default | meaning |\n|---|---|---|\n", about.trim());
        for (field, meaning) in fields.iter().zip(meanings) {
            let default = &defaults[group][field];
            let mark = if CRAWL_ONLY.contains(&format!("{group}.{field}").as_str()) { " †" } else { "" };
            let meaning = meaning.trim().replace('|', "\\|");
            let _ = writeln!(page, "| `{group}.{field}`{mark} | `{default}` | {meaning} |");
        }
    }
    page
}
