//! `bluesnake config`: settings of projects, and a file with all of them.

use std::path::Path;

use anyhow::Context;
use bluesnake_app::plan::PlanInput;
use bluesnake_app::{App, assignment, env_settings, example_file};
use serde_json::{Map, Value, json};

use crate::args::ConfigCommand;
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
            app.unset_setting(project.id, key).await?;
            say(&format!("{key} of {} is the default again", project.host));
            Ok(Exit::Done)
        }
        ConfigCommand::Show { project: None, all, shown } => show(&PlanInput::default(), None, *all, shown.json),
        ConfigCommand::Show { project: Some(project), all, shown } => {
            let app = home::open(db, Access::Read, 1).await?;
            let project = app.find_project(project).await?;
            let (saved, is_incremental) = app.saved_settings(project.id).await?;
            show(&saved, Some(is_incremental), *all, shown.json)
        }
        ConfigCommand::Init { file } => init(file),
    }
}

async fn get(app: &App, project: &str, key: &str) -> anyhow::Result<Exit> {
    let project = app.find_project(project).await?;
    let (saved, is_incremental) = app.saved_settings(project.id).await?;
    let value = match key {
        "incremental" => json!(is_incremental),
        key => {
            let settings = serde_json::to_value(saved.over(PlanInput::defaults())).expect("settings are JSON");
            let found = key.split_once('.').and_then(|(group, key)| settings.get(group)?.get(key).cloned());
            // The same words as for an assignment that names no setting.
            found.ok_or_else(|| {
                Usage(assignment(&format!("{key}=0")).err().map(|problem| problem.0).unwrap_or_default())
            })?
        }
    };
    print_exactly(&format!("{}\n", cell(&value)));
    Ok(Exit::Done)
}

async fn set(app: &App, project: &str, settings: &[String], incremental: Option<bool>) -> anyhow::Result<Exit> {
    let mut input = PlanInput::default();
    for setting in settings {
        input = assignment(setting).map_err(|problem| Usage(problem.0))?.over(input);
    }
    if settings.is_empty() && incremental.is_none() {
        return Err(Usage("there is nothing to save; give GROUP.KEY=VALUE".to_owned()).into());
    }
    let project = app.get_or_create_project(project).await?;
    app.save_settings(project.id, input, incremental).await.context("the settings were not saved")?;
    say(&format!("saved for {}", project.host));
    Ok(Exit::Done)
}

/// Every setting that is not the default, or all, with where it comes from.
fn show(saved: &PlanInput, incremental: Option<bool>, all: bool, as_json: bool) -> anyhow::Result<Exit> {
    let environment = env_settings(std::env::vars()).map_err(|problem| Usage(problem.0))?;
    let to_map = |input: &PlanInput| -> Map<String, Value> {
        serde_json::from_value(serde_json::to_value(input).expect("settings are JSON"))
            .expect("settings come in groups")
    };
    let layers = [
        ("environment", to_map(&environment)),
        ("project", to_map(saved)),
        ("default", to_map(&PlanInput::defaults())),
    ];
    let mut grid = Grid::new(&["setting", "value", "from"]);
    let mut list = Vec::new();
    if let Some(is_incremental) = incremental {
        grid.row(["incremental".to_owned(), is_incremental.to_string(), "project".to_owned()]);
        list.push(json!({ "setting": "incremental", "value": is_incremental, "from": "project" }));
    }
    for (group, keys) in &layers[2].1 {
        for key in keys.as_object().into_iter().flat_map(Map::keys) {
            let found = layers.iter().find_map(|(from, layer)| Some((*from, layer.get(group)?.get(key)?)));
            let Some((from, value)) = found.filter(|(from, _)| all || *from != "default") else { continue };
            let is_secret =
                matches!(key.as_str(), "auth" | "headers" | "initial_cookies" | "proxy") && from != "default";
            let value = if is_secret { &json!("…") } else { value };
            grid.exact_row([format!("{group}.{key}"), value.to_string(), from.to_owned()]);
            list.push(json!({ "setting": format!("{group}.{key}"), "value": value, "from": from }));
        }
    }
    match as_json {
        // Patterns look like URLs with secrets; what is secret among settings is hidden above.
        true => print_exactly(&json_text(&list)),
        false if list.is_empty() => say("every setting has its default; `bluesnake config show --all` lists them"),
        false => print_exactly(&grid.text()),
    }
    Ok(Exit::Done)
}

fn init(file: &Path) -> anyhow::Result<Exit> {
    if file.as_os_str() == "-" {
        print_exactly(&example_file());
        return Ok(Exit::Done);
    }
    let mut options = std::fs::OpenOptions::new();
    let opened = options.write(true).create_new(true).open(file);
    let mut opened = opened.with_context(|| format!("cannot make {}", file.display()))?;
    std::io::Write::write_all(&mut opened, example_file().as_bytes())?;
    say(&format!("wrote {}; use it with: bluesnake crawl URL --config {}", file.display(), file.display()));
    Ok(Exit::Done)
}
