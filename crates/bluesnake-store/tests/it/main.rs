//! The database as the engine and people use it.

mod audits;
mod compare;
mod contract;
mod damage;
mod facts;
mod filled;
mod grid;
mod packing;
mod paging;
mod weave;
mod world;
