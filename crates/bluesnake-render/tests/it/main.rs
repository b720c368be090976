//! Whole crawls with a real browser on local sites. Tests believe the server's log, not ours.
//!
//! `tools/browser` installs the Chromium that they use.

mod browser;
