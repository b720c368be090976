//! Logs go to stderr: only errors and warnings by default. A server logs each request at level debug. Secrets in URLs are
//! masked in every line, including those of libraries.

use std::io::{self, Write};

use bluesnake_app::Secrets;
use tracing_subscriber::filter::Targets;
use tracing_subscriber::fmt::layer;
use tracing_subscriber::layer::SubscriberExt;
use tracing_subscriber::util::SubscriberInitExt;

use crate::args::LogFormat;
use crate::output::paint::Paint;

/// Starts logging; `BLUESNAKE_LOG` takes levels by target, such as `error,bluesnake_engine=debug`.
pub(crate) fn start(verbose: u8) {
    start_with(targets(verbose, "error,bluesnake_store=warn"), LogFormat::Text);
}

/// Starts logging of a server, as text or as JSON lines.
pub(crate) fn start_for_server(verbose: u8, format: LogFormat) {
    start_with(targets(verbose, "error,bluesnake_store=warn,bluesnake_server=info"), format);
}

fn start_with(targets: Targets, format: LogFormat) {
    let lines = layer().with_writer(|| MaskedStderr).with_target(false).with_ansi(Paint::is_on_stderr());
    let log = tracing_subscriber::registry().with(targets);
    match format {
        LogFormat::Text => log.with(lines).init(),
        LogFormat::Json => log.with(lines.json().flatten_event(true)).init(),
    }
}

fn targets(verbose: u8, quiet: &str) -> Targets {
    let default = match verbose {
        0 => quiet,
        1 => "warn,bluesnake=info",
        2 => "warn,bluesnake=debug",
        _ => "trace",
    };
    let wanted = std::env::var("BLUESNAKE_LOG").ok().and_then(|levels| levels.parse().ok());
    wanted.unwrap_or_else(|| default.parse().expect("these levels are valid"))
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
