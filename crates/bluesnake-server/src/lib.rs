//! bluesnake over HTTP: everything the app does as a REST API with live events, documented and safe by default.
//!
//! Start with [`serve`]; [`router`] is the same without a socket. Handlers in `routes/` parse, call and render. The app
//! decides what is done, `guard/` decides which requests are allowed, and `error.rs` is the one table of errors.

#![warn(missing_docs)]

mod connection;
mod error;
mod events;
mod extract;
mod guard;
mod metrics;
mod openapi;
mod options;
mod routes;
mod secrets;
mod state;
mod web;

pub use crate::connection::serve;
pub use crate::openapi::document;
pub use crate::options::{ServerLimits, ServerOptions, Token, TokenTooShort};
pub use crate::routes::{caller, mcp_tools, resume_request, router};
