//! All tests here need a browser.

mod determinism;
mod guard;
mod hostile;
mod settings;
mod sources;
mod world;
