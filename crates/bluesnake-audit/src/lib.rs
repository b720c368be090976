//! The audit of a run: which checks find what on which URLs, and what is derived from all links.
//!
//! Pure: rows come in as a stream, findings go out; no SQL, no clock, no dependence on hash-map order. A run is read
//! three times, in number order: [`Survey`] takes the state of every URL and then all links; the [`Audit`] it becomes
//! takes every URL again, with its facts and links, and returns a [`Report`].

mod anchors;
mod audit;
mod catalogue;
mod checks;
mod copies;
mod details;
mod duplicates;
mod facts;
mod fragments;
mod graph;
mod headers;
mod input;
mod language;
mod near;
mod notes;
mod pixels;
mod rank;
mod relations;
mod report;
mod rule;
mod schema;
mod site;
mod state;
mod subject;
mod survey;
mod twins;
mod url_texts;
mod verdict;

pub use crate::audit::Audit;
pub use crate::catalogue::{Check, Kind, Priority, Scope, Theme, all_checks, check};
pub use crate::input::{Anchor, Page, Run, Url, UrlState, Visit};
pub use crate::pixels::{description_pixels, title_pixels};
pub use crate::report::{Derived, Finding, FindingList, Findings, Inlinks, Report, Shared, Verdict};
pub use crate::survey::Survey;
