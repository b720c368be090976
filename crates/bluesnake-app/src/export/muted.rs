//! A sink for a zip writer.

use std::io::{self, Write};

/// Fails once and accepts everything after that. The zip writer tries to complete its file when it is dropped, and
/// would report the second failure to stderr, not to us.
#[derive(Debug)]
pub(crate) struct Muted<W> {
    out: W,
    has_failed: bool,
}

impl<W: Write> Muted<W> {
    pub(crate) fn new(out: W) -> Self {
        Self { out, has_failed: false }
    }

    /// Returns the error that was hidden from the zip writer.
    pub(crate) fn finish(mut self) -> io::Result<W> {
        if self.has_failed {
            return Err(io::Error::other("an earlier write failed"));
        }
        self.out.flush()?;
        Ok(self.out)
    }

    fn attempt<T>(&mut self, otherwise: T, act: impl FnOnce(&mut W) -> io::Result<T>) -> io::Result<T> {
        if self.has_failed {
            return Ok(otherwise);
        }
        let done = act(&mut self.out);
        self.has_failed = done.as_ref().is_err_and(|error| error.kind() != io::ErrorKind::Interrupted);
        done
    }
}

impl<W: Write> Write for Muted<W> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.attempt(bytes.len(), |out| out.write(bytes))
    }

    fn flush(&mut self) -> io::Result<()> {
        self.attempt((), |out| out.flush())
    }
}
