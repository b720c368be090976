//! Systems on which a browser cannot be controlled over a pipe: none is started there.

use std::io;
use std::path::Path;

use crate::wire::Wire;

/// A browser that cannot be started.
#[derive(Debug)]
pub(crate) struct Process {
    pub(crate) wire: Wire,
}

impl Process {
    pub(crate) fn start(_: &Path, _: &str) -> io::Result<Self> {
        Err(io::Error::new(io::ErrorKind::Unsupported, "rendering is not supported on this system yet"))
    }

    pub(crate) fn memory(&self) -> Option<u64> {
        None
    }

    pub(crate) async fn close(self) {}

    pub(crate) fn kill(&self) {}
}
