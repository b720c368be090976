//! The browser's processes.

#[cfg(not(unix))]
mod other;
#[cfg(unix)]
mod unix;

#[cfg(not(unix))]
pub(crate) use self::other::Process;
#[cfg(unix)]
pub(crate) use self::unix::Process;
