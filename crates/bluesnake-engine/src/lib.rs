//! A web crawl as a library: deterministic, complete, crash-safe.
//!
//! Promises, each of them a test:
//!
//! - **Same site, same plan, same crawl.** URLs, numbers, depths and links are identical at any parallelism, for any
//!   split into sessions, after any crash.
//! - **Nothing is lost.** Every URL ever seen has exactly one [`Reason`] that says where it ended up, and the classes of
//!   the [`Receipt`] add up.
//! - **It always ends, and says why**: see [`EndReason`]. A stop returns within the grace period.
//! - **Memory is a setting.** It does not grow with what waits, only by some bytes for each URL known.
//! - **Polite first.** robots.txt, Crawl-delay, Retry-After and one rate per host, shared by all crawls of the process.
//! - **A hostile web cannot hurt it.** Every limit is on by default, and says so when it cut something.
//!
//! Start with [`Crawler`]; the crawl itself is readable top to bottom in `crawl.rs`.

#![warn(missing_docs)]

pub mod admit;
mod backlog;
mod budget;
mod commit;
mod crawl;
mod crawler;
mod discover;
pub mod document;
mod doubt;
mod error;
mod event;
pub mod fetch;
mod frontier;
mod ledger;
pub mod link;
pub mod links;
mod memory;
pub mod parse;
pub mod plan;
mod receipt;
pub mod render;
pub mod rows;
pub mod secrets;
mod seen;
mod site;
mod space;
pub mod store;
mod suffix;
pub mod url;
pub mod visit;
pub mod weave;
mod words;
mod worker;

pub use crate::admit::{Refusal, Task, UrlRow};
pub use crate::crawler::{Crawler, Running, Stopper};
pub use crate::discover::{Discovered, default_action};
pub use crate::error::CrawlError;
pub use crate::event::{EndReason, Event, Finished, Progress};
pub use crate::frontier::{HostNews, HostRobots, Paces, Wait, WaitReason};
pub use crate::link::{Link, LinkKind};
pub use crate::links::Links;
pub use crate::memory::MemoryStore;
pub use crate::parse::selector::Element;
pub use crate::plan::{
    AuditInput, AuditPlan, CaptureInput, CapturePlan, CrawlPlan, Job, JobInput, PlanProblems, WeaveInput, WeavePlan,
};
pub use crate::receipt::{Action, Disposition, Number, Reason, Receipt, Source, Turn};
pub use crate::store::{Batch, Store, StoreError};
pub use crate::url::{CanonicalUrl, UrlKey};
pub use crate::visit::{Committed, Outcome, Visit};
