//! Everything bluesnake can do, for every front end: projects, runs and sessions, settings, results and exports.
//!
//! Start with [`App`]. Front ends parse, call and render; the rules are here, the shapes they show are in [`view`].
//! Nothing in here knows how a caller reached it.

mod app;
mod audit;
pub mod capture;
pub mod compare;
mod config;
mod error;
pub mod export;
mod frozen;
mod list;
mod projects;
mod readable;
mod rendering;
mod report;
mod request;
mod results;
mod secrets;
mod sessions;
mod settings;
mod spelling;
mod start;
pub mod view;
pub mod weave;

pub use crate::app::{Access, App, AppOptions, Work, repair};
pub use crate::audit::audit_changes;
pub use crate::config::{ConfigChange, Saved};
pub use crate::error::{AppError, Conflict, Kind};
pub use crate::export::date::date;
pub use crate::list::{ListSource, UrlList, url_list};
pub use crate::projects::{CapturesQuery, Reach, RunsQuery, origin_of};
pub use crate::readable::readable_hosts;
pub use crate::request::{
    AuditRequest, CaptureRequest, Request, ResumeRequest, StartMode, StartRequest, WeaveRequest, request_schema,
};
pub use crate::results::{
    BucketView, ExportFormats, FacetValue, FacetView, FacetsQuery, FacetsView, FolderView, HistogramQuery,
    HistogramView, Job, Limit, LinksQuery, Page, PageTypes, PagesOf, PagesQuery, RowView, RowsFileQuery, RowsQuery,
    RowsWindow, RunStates, Shape, Span, Summary, Tables, TreeView, Window, WindowLimit, check, checks, depends_on_time,
    job,
};
pub use crate::secrets::Secrets;
pub use crate::sessions::{AppEvent, Ended, HostState, Phase, SessionEnded, SessionHandle, Snapshot, Waiting};
pub use crate::settings::{
    FieldProblem, Groups, JOBS, any_assignment, assignment, default_settings, env_settings, example_file,
    file_settings, groups_of, job_with, json_settings, to_groups, unknown,
};
pub use crate::spelling::{nearest, without_type_names};
pub use crate::start::{Caller, Hooks};

pub use bluesnake_extract::{Tokens, tokens};

pub use bluesnake_engine::fetch::{FailureKind, connection_limit, file_limit, raise_file_limit};
pub use bluesnake_engine::{Disposition, EndReason, Finished, Reason, Receipt, Refusal, Source};
pub use bluesnake_store::state::{PauseReason, RunKind, RunState};
pub use bluesnake_store::{
    Favicon, Limits as QueryLimits, Order, PageType, QueryResult, Repaired, RepairedTable, RowSort, SeedFate,
    StatusFilter, Table, UrlSort,
};

/// Settings as front doors fill them in.
pub mod plan {
    pub use bluesnake_engine::plan::{
        AuditGroupInput, CheckExternal, Mechanisms, PathMatch, Problem, RenderInput, RenderMode, RenderWhen,
        RobotsMode, WeaveRenderInput, WeaveRenderWhen, is_secret,
    };
    pub use bluesnake_engine::{AuditInput, CaptureInput, JobInput, PlanProblems, WeaveInput};
}

/// The version of this program.
pub const VERSION: &str = env!("CARGO_PKG_VERSION");
