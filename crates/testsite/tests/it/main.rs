//! The server as seen by a client, over plain sockets.

mod audited;
mod client;
mod content;
mod declared;
mod faults;
mod folders;
mod generated;
mod http2;
mod links;
mod modes;
mod seen;
mod static_site;
mod tls;
mod truth;
mod webs;
