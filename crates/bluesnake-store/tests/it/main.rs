//! The database as the engine and people use it.

mod contract;
mod damage;
mod facts;
mod issues;
mod packing;
mod paging;
mod weave;
mod world;
