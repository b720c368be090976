//! `bluesnake repair`: copies the readable parts of a damaged database into a new file.

use std::path::Path;

use anyhow::Context;
use bluesnake_app::{Repaired, RepairedTable};
use serde_json::{Value, json};

use crate::args::RepairArguments;
use crate::exit::Exit;
use crate::home;
use crate::output::table::Grid;
use crate::output::{print, print_json, say, thousands};

pub(crate) async fn run(db: Option<&Path>, arguments: &RepairArguments) -> anyhow::Result<Exit> {
    let from = home::database_path(db)?;
    let repaired = bluesnake_app::repair(from.clone(), arguments.output.clone()).await;
    let repaired = repaired.context("cannot repair the database")?;
    match arguments.shown.json {
        true => print_json(&as_json(&repaired)),
        false => print(&as_table(&repaired)),
    }
    let (from, to) = (from.display(), arguments.output.display());
    match repaired.is_whole() {
        true => say(&format!("copied everything from {from} to {to}; nothing was lost")),
        false => say(&format!("copied everything readable from {from} to {to}")),
    }
    if !repaired.damaged_runs.is_empty() {
        let runs: Vec<String> = repaired.damaged_runs.iter().map(i64::to_string).collect();
        say(&format!("runs that lost rows and cannot be resumed: {}", runs.join(", ")));
    }
    say(&format!("the original is unchanged; use the copy with --db {to}"));
    Ok(Exit::Done)
}

fn as_table(repaired: &Repaired) -> String {
    let mut grid = Grid::new(&["table", "rows copied", "rows lost"]).right(&[1, 2]);
    for table in &repaired.tables {
        grid.row([table.name.clone(), thousands(table.copied), lost(table)]);
    }
    grid.text()
}

/// The number of lost rows, if known.
fn lost(table: &RepairedTable) -> String {
    match (table.lost, table.damaged_places) {
        (Some(lost), _) if lost > 0 => thousands(lost),
        (_, 0) => "0".to_owned(),
        (_, _) => "some".to_owned(),
    }
}

fn as_json(repaired: &Repaired) -> Value {
    let table = |table: &RepairedTable| json!({ "name": table.name, "copied": table.copied, "lost": table.lost, "damagedPlaces": table.damaged_places });
    let tables: Vec<Value> = repaired.tables.iter().map(table).collect();
    json!({ "isWhole": repaired.is_whole(), "damagedRunIds": repaired.damaged_runs, "tables": tables })
}
