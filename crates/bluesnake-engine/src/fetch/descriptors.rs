//! File descriptors: how many this process may have, and how many of them connections may use.

/// Reserved for the database, output files, the runtime and the server's listener.
const RESERVE: u64 = 20;
/// The maximum number of connections: each costs memory, and there are not that many workers.
const MOST_CONNECTIONS: usize = 4096;

/// Raises the limit on open files to the maximum allowed. Call it at program start.
pub fn raise_file_limit() {
    #[cfg(unix)]
    {
        use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};
        let Rlimit { current, maximum } = getrlimit(Resource::Nofile);
        // macOS reports no limit, but refuses more than this.
        const ALWAYS_ALLOWED: u64 = 10_240;
        for wanted in [maximum, Some(maximum.map_or(ALWAYS_ALLOWED, |most| most.min(ALWAYS_ALLOWED)))] {
            let is_more = current.is_some_and(|current| wanted.is_none_or(|wanted| wanted > current));
            if is_more && setrlimit(Resource::Nofile, Rlimit { current: wanted, maximum }).is_ok() {
                break;
            }
        }
    }
}

/// How many files this process may have open; `None` if unlimited.
pub fn file_limit() -> Option<u64> {
    #[cfg(unix)]
    return rustix::process::getrlimit(rustix::process::Resource::Nofile).current;
    #[cfg(not(unix))]
    None
}

/// How many connections may be open at once, over all crawls of this process.
pub fn connection_limit() -> usize {
    connections_within(file_limit())
}

/// A DNS lookup briefly has several files open, and others need some too, so connections get half of them.
fn connections_within(files: Option<u64>) -> usize {
    let Some(files) = files else { return MOST_CONNECTIONS };
    let connections = usize::try_from(files.saturating_sub(RESERVE) / 2).unwrap_or(usize::MAX);
    connections.clamp(1, MOST_CONNECTIONS)
}
