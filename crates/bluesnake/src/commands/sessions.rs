//! `bluesnake sessions`: the sessions of runs.

use std::path::Path;

use super::{is_confirmed, project_id, runs};
use crate::args::SessionsCommand;
use crate::exit::Exit;
use crate::home::{self, Access};
use crate::output::{print, print_json, say};

pub(crate) async fn run(db: Option<&Path>, command: &SessionsCommand) -> anyhow::Result<Exit> {
    let app = home::open(db, Access::Read, 1).await?;
    let (sessions, as_json) = match command {
        SessionsCommand::List { project, shown } => {
            let project = project_id(&app, project.as_deref()).await?;
            (app.sessions(project).await?, shown.json)
        }
        SessionsCommand::Show { session, shown } => (vec![app.session_view(*session).await?], shown.json),
        SessionsCommand::Delete { session, yes } => {
            app.session_view(*session).await?;
            if is_confirmed(&format!("session {session} and all its results"), *yes)? {
                app.delete_session(*session).await?;
                say(&format!("deleted session {session}"));
            }
            return Ok(Exit::Done);
        }
    };
    match (as_json, command) {
        (true, SessionsCommand::Show { .. }) => print_json(&sessions[0]),
        (true, _) => print_json(&sessions),
        (false, _) => print(&runs::sessions(&sessions)),
    }
    Ok(Exit::Done)
}
