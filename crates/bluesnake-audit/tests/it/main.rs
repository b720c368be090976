//! Audits of small sites.

mod faults;
mod properties;
mod real_sites;
mod refusals;
mod survey;
mod templates;
mod ways;
mod world;
