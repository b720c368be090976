//! What bluesnake can do, for every front door: projects, runs and crawls, settings, results and exports.
//!
//! Start with [`App`]. Front doors parse, call and render; the rules are here, the shapes they show are in [`view`].
//! Nothing in here knows how a caller reached it.

mod accept;
mod active;
pub mod capture;
mod config;
mod error;
pub mod export;
mod favicon;
mod frozen;
mod pages;
pub mod paging;
mod projects;
mod readable;
mod repair;
mod request;
mod results;
mod running;
mod secrets;
mod session;
mod settings;
mod snapshot;
mod spelling;
mod start;
pub mod view;
pub mod weave;

pub use crate::config::{ConfigChange, Saved};
pub use crate::error::{AppError, Conflict, Kind};
pub use crate::favicon::Reach;
pub use crate::pages::{LinksQuery, PagesOf, PagesQuery};
pub use crate::paging::{Limit, Page};
pub use crate::readable::readable_hosts;
pub use crate::repair::repair;
pub use crate::request::{
    AuditRequest, CaptureRequest, Request, ResumeRequest, StartMode, StartRequest, WeaveRequest, request_schema,
};
pub use crate::results::{SitemapFiles, Summary, TableExport, is_reader_gone, site_root};
pub use crate::running::{Access, App, AppEvent, AppOptions, CrawlHandle, SessionEnded};
pub use crate::secrets::Secrets;
pub use crate::session::Ended;
pub use crate::settings::{
    FieldProblem, Groups, JOBS, any_assignment, assignment, default_settings, env_settings, example_file,
    file_settings, groups_of, job_with, json_settings, to_groups, unknown,
};
pub use crate::snapshot::{HostState, Phase, Snapshot, Waiting};
pub use crate::spelling::{nearest, without_type_names};
pub use crate::start::{Caller, Hooks};

pub use bluesnake_engine as engine;
pub use bluesnake_store as store;

/// The version of this program.
pub const VERSION: &str = env!("CARGO_PKG_VERSION");
