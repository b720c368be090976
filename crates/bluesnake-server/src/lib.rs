//! bluesnake over HTTP: every ability of the app as a REST interface with live events, documented and safe by default.
//!
//! Start with [`serve`]; [`router`] is the same without a socket. Handlers in `routes/` parse, call and render: what is
//! done is decided in the app, who may ask is decided in `guard/`, and how failures look stands in one table, `error.rs`.

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

pub use crate::connection::serve;
pub use crate::openapi::document;
pub use crate::options::{ServerLimits, ServerOptions, Token, TokenTooShort};
pub use crate::routes::{caller, resume_request, router};
