//! Whole crawls on a real local web. Tests believe the server's log, not ours.

mod world;

mod callbacks;
mod cases;
mod determinism;
mod discovery;
mod documents;
mod endless;
mod faulty_store;
mod hostile;
mod html5ever;
mod politeness;
mod properties;
mod reading;
mod safety;
mod scope;
mod settings;
mod termination;
mod vectors;
mod weave;
mod weave_sessions;
mod weave_settings;
