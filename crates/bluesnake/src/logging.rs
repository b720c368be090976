//! Logs go to stderr: only errors and warnings by default. A server logs each request at level debug. Secrets in URLs are
//! masked in every line, including those of libraries.

use std::io::{self, Write};

use bluesnake_app::Secrets;
use tracing_subscriber::EnvFilter;

use crate::args::LogFormat;
use crate::output::paint::Paint;

/// Starts logging; `BLUESNAKE_LOG` takes a filter such as `bluesnake_engine=debug`.
pub(crate) fn start(verbose: u8) {
    let log = tracing_subscriber::fmt().with_env_filter(filter(verbose, "error,bluesnake_store=warn"));
    log.with_writer(|| MaskedStderr).with_target(false).with_ansi(Paint::is_on_stderr()).init();
}

/// Starts logging of a server, as text or as JSON lines.
pub(crate) fn start_for_server(verbose: u8, format: LogFormat) {
    let log =
        tracing_subscriber::fmt().with_env_filter(filter(verbose, "error,bluesnake_store=warn,bluesnake_server=info"));
    let log = log.with_writer(|| MaskedStderr).with_target(false).with_ansi(Paint::is_on_stderr());
    match format {
        LogFormat::Text => log.init(),
        LogFormat::Json => log.json().flatten_event(true).init(),
    }
}

fn filter(verbose: u8, quiet: &str) -> EnvFilter {
    let default = match verbose {
        0 => quiet,
        1 => "warn,bluesnake=info",
        2 => "warn,bluesnake=debug",
        _ => "trace",
    };
    EnvFilter::try_from_env("BLUESNAKE_LOG").unwrap_or_else(|_| EnvFilter::new(default))
}

/// Stderr with secrets in URLs masked. Each write is a whole line.
#[derive(Debug)]
struct MaskedStderr;

impl Write for MaskedStderr {
    fn write(&mut self, line: &[u8]) -> io::Result<usize> {
        io::stderr().write_all(&Secrets::Masked.show_bytes(line))?;
        Ok(line.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        io::stderr().flush()
    }
}
