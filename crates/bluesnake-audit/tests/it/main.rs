//! Audits of small sites.

mod faults;
mod properties;
mod real_sites;
mod survey;
mod templates;
mod world;
