//! From a call to its answer.

use bluesnake_app::AppError;
use rmcp::model::{CallToolResult, ContentBlock, JsonObject, ProgressNotificationParam, ProgressToken};
use rmcp::{Peer, RoleServer};
use tokio_util::sync::CancellationToken;

use crate::Tools;
use crate::answer::Fields;
use crate::arguments::Arguments;

/// The client of a call: it may cancel, and it may want to hear about progress.
#[derive(Debug)]
pub(crate) struct Client {
    pub(crate) cancelled: CancellationToken,
    pub(crate) peer: Peer<RoleServer>,
    pub(crate) progress: Option<ProgressToken>,
}

impl Client {
    /// Tells the client how far the work is, if it asked for that.
    pub(crate) async fn tell(&self, done: u64, total: u64, message: String) {
        let Some(token) = self.progress.clone() else { return };
        let progress =
            ProgressNotificationParam::new(token, done as f64).with_total(total as f64).with_message(message);
        if let Err(error) = self.peer.notify_progress(progress).await {
            tracing::debug!(%error, "the client did not take a progress notification");
        }
    }
}

impl Tools {
    /// Calls a tool; `None` if there is no such tool.
    pub(crate) async fn call(&self, name: &str, arguments: JsonObject, client: Client) -> Option<CallToolResult> {
        let arguments = Arguments::new(arguments);
        let answer = match name {
            "crawl" => self.crawl(arguments, &client).await,
            "capture" => self.capture(arguments, &client).await,
            "weave" => self.weave(arguments, &client).await,
            "status" => self.status(arguments, &client).await,
            "stop" => self.stop(arguments).await,
            reading => {
                let _place = self.readers.acquire().await;
                match reading {
                    "list" => self.list(arguments).await,
                    "summary" => self.summary(arguments).await,
                    "query" => self.query(arguments).await,
                    "inspect" => self.inspect(arguments).await,
                    "compare" => self.compare(arguments).await,
                    "search" => self.search(arguments).await,
                    "read" => self.read(arguments).await,
                    _ => return None,
                }
            }
        };
        Some(match answer {
            Ok(fields) => success(&fields),
            Err(error) => failure(&error),
        })
    }
}

/// The answer twice: for clients that read structured content, and for those that read text.
fn success(fields: &Fields) -> CallToolResult {
    let text = serde_json::to_string(fields).expect("answers are JSON");
    let mut result = CallToolResult::success(vec![ContentBlock::text(text)]);
    result.structured_content = Some(serde_json::to_value(fields).expect("answers are JSON"));
    result
}

/// What went wrong, for the model to read: it can often help itself.
fn failure(error: &AppError) -> CallToolResult {
    let mut text = error.to_string();
    for problem in error.problems() {
        text.push_str(&format!("\n{}: {}", problem.field, problem.message));
    }
    if let Some(hint) = error.hint() {
        text.push_str(&format!("\nhint: {hint}"));
    }
    CallToolResult::error(vec![ContentBlock::text(text)])
}
