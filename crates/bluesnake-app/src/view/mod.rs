//! The shapes that are shown outside: the same for JSON on the command line, REST and MCP.

/// Declares a view with its conversion from a row. A field has the value of the row's field of that name, or the one after
/// `=`.
macro_rules! view {
    (
        $(#[$meta:meta])*
        pub struct $name:ident from $row:ident: $type_of_row:ty {
            $( $(#[$meta_of_field:meta])* pub $field:ident: $type:ty $(= $value:expr)?, )*
        }
    ) => {
        $(#[$meta])*
        #[derive(Clone, Debug, PartialEq, serde::Serialize, utoipa::ToSchema)]
        #[serde(rename_all = "camelCase")]
        pub struct $name { $( $(#[$meta_of_field])* pub $field: $type, )* }

        impl From<$type_of_row> for $name {
            fn from($row: $type_of_row) -> Self {
                Self { $( $field: $crate::view::view!(@ $row.$field $(= $value)?), )* }
            }
        }
    };
    (@ $row:ident.$field:ident) => { $row.$field };
    (@ $row:ident.$field:ident = $value:expr) => { $value };
}

mod detail;
mod issue;
mod link;
mod page;
mod project;
mod run;
mod summary;
mod visit;

pub use self::detail::{HeaderView, HopView, InlinkView, UrlDetail, UrlIssueView};
pub use self::issue::{CheckText, CheckView, IssueRowView, IssuesView, SharedView};
pub use self::link::{LinkView, PageLinks};
pub use self::page::{DocumentView, PageContent, PageForm, UrlView};
pub use self::project::{ActiveStats, ClearedQueue, ConfigView, Project, ProjectView, QueueStatus};
pub use self::run::{ActiveSession, CaptureRunView, Run, RunView, SessionView, receipt};
pub use self::summary::{BrokenView, SlowPageView, StatusCount, SummaryView};

pub(crate) use view;

pub(crate) use self::run::site_root;
pub(crate) use self::visit::{host_visit, url_visit};
