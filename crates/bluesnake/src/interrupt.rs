//! Signals that end the program, on Unix and on Windows.

use crate::exit::Exit;

#[cfg(unix)]
use tokio::signal::unix::{Signal, SignalKind, signal};

/// Ctrl-C, SIGTERM, and the end of the terminal.
pub(crate) struct Interrupts {
    #[cfg(unix)]
    signals: [Signal; 3],
}

impl Interrupts {
    #[cfg(unix)]
    pub(crate) fn listen() -> Self {
        let kinds = [SignalKind::interrupt(), SignalKind::terminate(), SignalKind::hangup()];
        Self { signals: kinds.map(|kind| signal(kind).expect("the runtime handles signals")) }
    }

    #[cfg(not(unix))]
    pub(crate) fn listen() -> Self {
        Self {}
    }

    #[cfg(unix)]
    pub(crate) async fn next(&mut self) {
        let [interrupt, terminate, hangup] = &mut self.signals;
        tokio::select! {
            _ = interrupt.recv() => {}
            _ = terminate.recv() => {}
            _ = hangup.recv() => {}
        }
    }

    #[cfg(not(unix))]
    pub(crate) async fn next(&mut self) {
        tokio::signal::ctrl_c().await.expect("the runtime handles signals");
    }

    /// Finishes this work unless a signal ends the program. Only for work after everything is stored.
    pub(crate) async fn or_leave<T>(&mut self, work: impl Future<Output = T>) -> T {
        tokio::select! {
            done = work => done,
            () = self.next() => std::process::exit(Exit::Stopped as i32),
        }
    }
}

/// Turns a write beyond the file size limit into an error; by default this signal kills the process.
#[cfg(unix)]
pub(crate) fn outlive_file_limit() -> std::io::Result<Signal> {
    const SIGXFSZ: i32 = 25;
    signal(SignalKind::from_raw(SIGXFSZ))
}

#[cfg(not(unix))]
pub(crate) fn outlive_file_limit() {}
