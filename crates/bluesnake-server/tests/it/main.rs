//! The server through real sockets, on real databases, crawling a real local site.

mod abuse;
#[cfg(unix)]
mod browser;
mod captures;
mod client;
mod codes;
mod endpoints;
mod errors;
mod events;
mod exports;
mod grid;
mod guard;
mod issues;
mod lists;
mod mcp;
mod openapi;
mod private;
mod secrets;
mod weaves;
mod web;
mod world;
