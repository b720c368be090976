//! The binary as people use it, and the shape of the workspace.

mod command_line;
mod docs;
mod layers;
