//! The shapes that are shown outside: the same for JSON on the command line, REST and MCP.

mod link;
mod page;
mod project;
mod run;
mod summary;
mod visit;

pub use self::link::{LinkView, PageLinks};
pub use self::page::{DocumentView, PageContent, UrlView};
pub use self::project::{ActiveStats, ClearedQueue, ConfigView, ProjectView, QueueStatus};
pub use self::run::{ActiveSession, RunView, SessionView, receipt};
pub use self::summary::{BrokenView, SlowPageView, StatusCount, SummaryView};

pub(crate) use self::visit::{host_visit, url_visit};
