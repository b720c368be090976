//! The app as a front door uses it: through its public face, on a real site.

mod docs;
mod favicon;
mod output;
mod paging;
mod running;
