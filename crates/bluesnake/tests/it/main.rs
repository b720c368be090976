//! The binary as people use it, and the shape of the workspace.

mod capture;
mod ci;
mod command_line;
mod config;
mod descriptors;
mod exports;
mod faults;
mod findings;
mod flags;
mod home;
mod hygiene;
mod kill;
mod layers;
mod lists;
mod memory;
mod program;
mod repair;
mod runs;
mod secrets;
mod serve;
mod sql;
mod urls;
mod verify;
mod weave;
mod weave_flags;
mod weave_sessions;
