//! The app as a front door uses it: through its public face, on a real site.

mod audit;
mod compare;
mod compared_issues;
mod docs;
mod favicon;
mod issues;
mod output;
mod paging;
mod report;
mod running;
