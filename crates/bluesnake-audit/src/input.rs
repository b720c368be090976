//! What an audit reads: the rows of a run, as they are stored.

pub use bluesnake_engine::rows::{AnchorRow as Anchor, PageFacts as Page, StateRow as UrlState, VisitRow as Visit};

/// What is known about the run as a whole.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Run {
    /// How many URLs it has seen; their numbers are 1 to this.
    pub urls: u32,
    /// Whether it is completed, so that something can be missing.
    pub is_completed: bool,
}

/// One URL with everything that is stored about it.
#[derive(Clone, Copy, Debug)]
pub struct Url<'a> {
    /// Its state.
    pub state: UrlState<'a>,
    /// Its visit, if it had a turn.
    pub visit: Option<Visit<'a>>,
}
