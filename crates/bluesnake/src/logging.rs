//! Logs go to stderr, and only warnings unless more is asked for.

use tracing_subscriber::EnvFilter;

use crate::output::paint::Paint;

/// Starts logging; `BLUESNAKE_LOG` takes a filter such as `bluesnake_engine=debug`.
pub(crate) fn start(verbose: u8) {
    let default = match verbose {
        0 => "error,bluesnake_store=warn",
        1 => "info",
        2 => "debug",
        _ => "trace",
    };
    let filter = EnvFilter::try_from_env("BLUESNAKE_LOG").unwrap_or_else(|_| EnvFilter::new(default));
    let log = tracing_subscriber::fmt().with_env_filter(filter).with_writer(std::io::stderr).with_target(false);
    log.with_ansi(Paint::is_on_stderr()).init();
}
