//! Resource usage of this process, as reported by Linux.

use std::fs;

use anyhow::Context;

/// Linux reports CPU time in hundredths of a second on every machine.
const TICKS_PER_SECOND: f64 = 100.0;

/// User and system time of all threads since the process began.
pub(crate) fn cpu_seconds() -> anyhow::Result<f64> {
    let stat = fs::read_to_string("/proc/self/stat").context("cannot read the CPU time of this process")?;
    // The name in the second field may contain spaces, so start after its closing parenthesis.
    let (_, fields) = stat.rsplit_once(')').context("/proc/self/stat has no name")?;
    let mut fields = fields.split_whitespace().skip(11);
    let mut ticks = || fields.next()?.parse::<f64>().ok();
    let (user, system) = (ticks().context("no user time")?, ticks().context("no system time")?);
    Ok((user + system) / TICKS_PER_SECOND)
}

/// The peak memory of the process.
pub(crate) fn peak_rss_bytes() -> anyhow::Result<u64> {
    let status = fs::read_to_string("/proc/self/status").context("cannot read the memory of this process")?;
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:")).context("no VmHWM")?;
    let kibibytes: u64 = line.trim().trim_end_matches(" kB").parse().context("VmHWM is not a number")?;
    Ok(kibibytes * 1024)
}

/// Rounded to three decimals, for output.
pub(crate) fn rounded(value: f64) -> f64 {
    (value * 1000.0).round() / 1000.0
}
