//! A local web server with declared truth and planned faults.
//!
//! Declare a [`Site`] (or take one from [`scenarios`], or generate a [`Web`] from a seed), start it, crawl it, and
//! compare: [`Running::expected`] is what the site is, [`Running::seen`] the requests it received. It listens on
//! loopback only.
//!
//! ```
//! # tokio::runtime::Runtime::new().unwrap().block_on(async {
//! use testsite::{Fault, Page, Site};
//!
//! let site = Site::new()
//!     .page("/", Page::titled("Home").link("/a").link("/broken"))
//!     .page("/a", Page::titled("A"))
//!     .fault("/broken", Fault::ResetMidBody)
//!     .start()
//!     .await;
//! assert_eq!(site.expected()[&site.url("/a")].status, 200);
//! # });
//! ```

mod address;
mod broken_content;
mod cpu;
mod encode;
mod fault;
mod folder;
mod generate;
pub mod healthy;
mod http1;
mod http2;
mod large;
mod latency;
mod log;
mod mode;
mod monster;
mod page;
pub mod planted;
mod problem;
mod prose;
mod random;
pub mod rendered;
mod reply;
mod running;
pub mod scenarios;
mod script;
mod serve;
mod site;
pub mod sitemap;
mod tls;
mod trap;
mod truth;
mod web;
mod words;
mod world;

pub use cpu::cpu_time;
pub use fault::Fault;
pub use generate::{StaticSite, Written};
pub use large::Large;
pub use latency::Latency;
pub use log::{Protocol, Seen, Summary};
pub use mode::{Mode, Until};
pub use monster::Monster;
pub use page::Page;
pub use problem::Problem;
pub use reply::{Pieces, Reply};
pub use running::Running;
pub use site::Site;
pub use tls::Tls;
pub use trap::Trap;
pub use truth::{Role, Truth};
pub use web::Web;
