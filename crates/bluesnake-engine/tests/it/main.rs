//! Whole crawls on a real local web. Tests believe the server's log, not ours.

mod world;

mod callbacks;
mod determinism;
mod discovery;
mod hostile;
mod politeness;
mod scope;
mod termination;
mod vectors;
