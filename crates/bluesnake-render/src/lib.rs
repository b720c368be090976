//! Pages as a browser shows them: Chrome or Chromium behind the engine's [`Renderer`](bluesnake_engine::render::Renderer).
//!
//! - `wire.rs` speaks the DevTools protocol over a pipe; no port is open.
//! - `process/` starts the browser with a fresh profile and ends it, whatever happens.
//! - `guard.rs` is a proxy inside our process: everything that the browser sends goes through it, so that every address
//!   is checked by the engine.
//! - `page/` renders one page, from the response that the engine fetched.
//! - `browser.rs` and `renderer.rs` keep browsers, contexts and slots.
//!
//! Time inside a page is virtual and counted, so results depend neither on the load of the machine nor on how many
//! pages are rendered at once. Start with [`Chromium`].

#![warn(missing_docs)]

mod browser;
mod find;
mod guard;
mod page;
mod process;
mod renderer;
mod wire;

pub use crate::find::{BrowserNotFound, Found, find};
pub use crate::renderer::Chromium;
