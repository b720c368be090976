//! `bluesnake config`: settings of projects, a file with all settings, and their schema.

use std::path::Path;

use anyhow::Context;
use bluesnake_app::plan::{AuditInput, CaptureInput, WeaveInput, is_secret};
use bluesnake_app::{
    App, ConfigChange, Groups, RunKind, Saved, any_assignment, default_settings, example_file, job_with,
    request_schema, to_groups, unknown,
};
use serde_json::{Map, json};

use crate::args::{ConfigCommand, environment};
use crate::exit::Exit;
use crate::home::{self, Access};
use crate::output::table::{Grid, cell};
use crate::output::{json_text, print_exactly, say};
use crate::report::Usage;

pub(crate) async fn run(db: Option<&Path>, command: &ConfigCommand) -> anyhow::Result<Exit> {
    match command {
        ConfigCommand::Get { project, key } => get(&home::open(db, Access::Read, 1).await?, project, key).await,
        ConfigCommand::Set { project, settings, incremental } => {
            set(&home::open(db, Access::Create, 1).await?, project, settings, *incremental).await
        }
        ConfigCommand::Unset { project, key } => {
            let app = home::open(db, Access::Read, 1).await?;
            let project = app.find_project(project).await?;
            let change = ConfigChange { unset: vec![key.clone()], ..ConfigChange::default() };
            app.save_settings(project.id, change).await?;
            say(&format!("{key} of {} has its default again", project.host));
            Ok(Exit::Done)
        }
        ConfigCommand::Show { project: None, all, job, shown } => {
            show(&Saved::default(), None, all.then_some(*job), shown.json)
        }
        ConfigCommand::Show { project: Some(project), all, job, shown } => {
            let app = home::open(db, Access::Read, 1).await?;
            let project = app.find_project(project).await?;
            let (saved, is_incremental) = app.saved_settings(project.id).await?;
            show(&saved, Some(is_incremental), all.then_some(*job), shown.json)
        }
        ConfigCommand::Init { file, job } => init(file, *job),
        ConfigCommand::Schema { job } => {
            print_exactly(&json_text(&request_schema(*job)));
            Ok(Exit::Done)
        }
    }
}

async fn get(app: &App, project: &str, key: &str) -> anyhow::Result<Exit> {
    let project = app.find_project(project).await?;
    let (saved, is_incremental) = app.saved_settings(project.id).await?;
    let value = match (key, job_with(key)) {
        ("incremental", _) => json!(is_incremental),
        (_, Some(job)) => {
            let (group, name) = key.split_once('.').expect("a setting has a group");
            saved.over_defaults(job)[group][name].clone()
        }
        (_, None) => return Err(Usage(unknown(key).sentence()).into()),
    };
    print_exactly(&format!("{}\n", cell(&value)));
    Ok(Exit::Done)
}

async fn set(app: &App, project: &str, settings: &[String], incremental: Option<bool>) -> anyhow::Result<Exit> {
    let mut given = Saved::default();
    for setting in settings {
        let assigned = any_assignment(setting);
        given.put(assigned.map_err(|problem| Usage(format!("{}: {}", problem.field, problem.sentence())))?);
    }
    if settings.is_empty() && incremental.is_none() {
        return Err(Usage("nothing to save; give GROUP.KEY=VALUE".to_owned()).into());
    }
    let project = app.get_or_create_project(project).await?;
    let change = ConfigChange { settings: given.0, incremental, ..ConfigChange::default() };
    app.save_settings(project.id, change).await.context("cannot save the settings")?;
    say(&format!("saved for {}", project.host));
    Ok(Exit::Done)
}

/// Settings and their sources: all of a job, or those of any job that are not the default.
fn show(saved: &Saved, incremental: Option<bool>, all: Option<RunKind>, as_json: bool) -> anyhow::Result<Exit> {
    let mut layers = vec![("environment", environment_of_all_jobs()?), ("project", saved.0.clone())];
    let listed = match all {
        Some(job) => {
            layers.push(("default", default_settings(job)));
            vec![default_settings(job)]
        }
        None => layers.iter().map(|(_, layer)| layer.clone()).collect(),
    };
    let mut names: Vec<(String, String)> = Vec::new();
    for (group, keys) in listed.iter().flatten() {
        let keys = keys.as_object().into_iter().flat_map(Map::keys);
        names.extend(keys.map(|key| (group.clone(), key.clone())));
    }
    names.sort();
    names.dedup();
    let mut grid = Grid::new(&["setting", "value", "from"]);
    let mut list = Vec::new();
    if let Some(is_incremental) = incremental {
        grid.row(["incremental".to_owned(), is_incremental.to_string(), "project".to_owned()]);
        list.push(json!({ "setting": "incremental", "value": is_incremental, "from": "project" }));
    }
    for (group, key) in names {
        let found = layers.iter().find_map(|(from, layer)| Some((*from, layer.get(&group)?.get(&key)?)));
        let (from, value) = found.expect("a layer has it");
        let value = if is_secret(&key) && from != "default" { &json!("…") } else { value };
        grid.exact_row([format!("{group}.{key}"), value.to_string(), from.to_owned()]);
        list.push(json!({ "setting": format!("{group}.{key}"), "value": value, "from": from }));
    }
    match as_json {
        // Patterns look like URLs with secrets and must stay exact; secret settings are hidden above.
        true => print_exactly(&json_text(&list)),
        false if list.is_empty() => {
            say("all settings have their defaults; list them with `bluesnake config show --all`")
        }
        false => print_exactly(&grid.text()),
    }
    Ok(Exit::Done)
}

fn environment_of_all_jobs() -> anyhow::Result<Groups> {
    let mut all = Saved::default();
    all.put(to_groups(&environment::<AuditInput>()?));
    all.put(to_groups(&environment::<CaptureInput>()?));
    all.put(to_groups(&environment::<WeaveInput>()?));
    Ok(all.0)
}

fn init(file: &Path, job: RunKind) -> anyhow::Result<Exit> {
    let example = example_file(job);
    if file.as_os_str() == "-" {
        print_exactly(&example);
        return Ok(Exit::Done);
    }
    let mut options = std::fs::OpenOptions::new();
    let opened = options.write(true).create_new(true).open(file);
    let mut opened = opened.with_context(|| format!("cannot create {}", file.display()))?;
    std::io::Write::write_all(&mut opened, example.as_bytes())?;
    say(&format!("wrote {0}; use it with: bluesnake {job} URL --config {0}", file.display()));
    Ok(Exit::Done)
}
