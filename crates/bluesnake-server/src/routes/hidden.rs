//! Hides what only the operator may see: files of this machine, its internal errors, and settings that bypass the
//! address check. The command line shows these, the API does not.

use bluesnake_app::view::{ConfigView, RunView};
use serde_json::Value;

use super::settings::{LOCAL, PRIVATE};
use crate::options::ServerOptions;

/// Replaces a hidden value.
const HIDDEN: &str = "…";

/// A run as shown over the network.
pub(super) fn run(mut run: RunView, options: &ServerOptions) -> RunView {
    hide(&mut run.plan, options);
    let is_error_of_ours = run.state == "failed" || run.reason.as_deref() == Some("error");
    if is_error_of_ours && run.detail.is_some() {
        run.detail = Some("internal error; see the server's log".to_owned());
    }
    run
}

/// Saved settings as shown over the network.
pub(super) fn config(mut config: ConfigView, options: &ServerOptions) -> ConfigView {
    hide(&mut config.settings, options);
    hide(&mut config.effective, options);
    config
}

fn hide(groups: &mut Value, options: &ServerOptions) {
    let Some(fetch) = groups.get_mut("fetch").and_then(Value::as_object_mut) else { return };
    let private: &[&str] = if options.allow_private { &[] } else { &PRIVATE };
    for name in LOCAL.iter().chain(private) {
        if let Some(value) = fetch.get_mut(*name) {
            conceal(value);
        }
    }
}

/// Unset values and booleans are not secret.
fn conceal(value: &mut Value) {
    match value {
        Value::String(text) if !text.is_empty() => *text = HIDDEN.to_owned(),
        Value::Array(list) => list.iter_mut().for_each(conceal),
        _ => {}
    }
}

#[cfg(test)]
mod tests {
    use bluesnake_app::{App, AppOptions, AuditRequest, Caller};

    use super::*;

    #[tokio::test]
    async fn internal_errors_go_to_the_log_only() {
        let folder = tempfile::tempdir().unwrap();
        let app = App::open(AppOptions::new(folder.path().join("bluesnake.db"))).await.unwrap();
        let request = AuditRequest { urls: vec!["http://nobody.invalid/".to_owned()], ..AuditRequest::default() };
        let ended = app.start(request, Caller::default()).await.unwrap().wait().await;
        let whole = app.run_view(ended.run.unwrap()).await.unwrap();
        let shown = |reason: &str, detail: &str| {
            let (reason, detail) = (Some(reason.to_owned()), Some(detail.to_owned()));
            run(RunView { state: "paused", reason, detail, ..whole.clone() }, &ServerOptions::default()).detail.unwrap()
        };
        assert!(!shown("error", "the disk of /home/me/bluesnake.db is full").contains("/home"));
        assert_eq!(shown("breaker", "gave up on a.example: it is down"), "gave up on a.example: it is down");
    }
}
