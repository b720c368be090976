//! The browser's processes: started with a fresh profile and a pipe, ended on every way out.
//!
//! If our process is killed, the pipe closes and the browser ends by itself. On all other ways out it is asked to close
//! and, if it does not, its process group is killed. Profiles that a killed process left behind are removed by the next.

use std::fs::File;
use std::io;
use std::path::Path;
use std::process::Stdio;
use std::time::Duration;

use serde_json::json;
use tempfile::TempDir;
use tokio::process::Child;
use tokio::task::JoinSet;

use crate::wire::Wire;

/// How long the browser may take to close.
const CLOSING: Duration = Duration::from_secs(2);
/// The names of profile folders begin with this, then the id of our process.
const PROFILE: &str = "bluesnake-browser-";

/// Flags without which pages lose content, behave differently or reach the network past the guard.
const FLAGS: &[&str] = &[
    "--headless=new",
    "--remote-debugging-pipe",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--no-default-browser-check",
    "--no-pings",
    "--disable-background-networking",
    "--disable-breakpad",
    "--disable-client-side-phishing-detection",
    "--disable-component-update",
    "--disable-default-apps",
    "--disable-dev-shm-usage",
    "--disable-domain-reliability",
    "--disable-extensions",
    "--disable-popup-blocking",
    "--disable-sync",
    "--hide-scrollbars",
    "--metrics-recording-only",
    "--mute-audio",
    "--password-store=basic",
    "--use-mock-keychain",
    // One process for a page and its frames, so that their requests are seen in one place.
    "--disable-site-isolation-trials",
    "--disable-features=HttpsUpgrades,Translate,OptimizationHints,MediaRouter,IsolateOrigins,site-per-process,\
     InterestFeedContentSuggestions,AutofillServerCommunication,CertificateTransparencyComponentUpdater",
    // Without these, timers of pages rendered side by side are delayed until after they are read.
    "--disable-background-timer-throttling",
    "--disable-backgrounding-occluded-windows",
    "--disable-renderer-backgrounding",
    // By default, loopback and WebRTC go past a proxy. Chromium obeys the first of these policies, its headless shell
    // the second.
    "--proxy-bypass-list=<-loopback>",
    "--webrtc-ip-handling-policy=disable_non_proxied_udp",
    "--force-webrtc-ip-handling-policy=disable_non_proxied_udp",
    // The limit of a page's scripts, in MiB; beyond it, the tab crashes.
    "--js-flags=--max-old-space-size=512",
];

/// A running browser.
#[derive(Debug)]
pub(crate) struct Process {
    child: Child,
    pub(crate) wire: Wire,
    /// Moves the messages of the wire.
    _tasks: JoinSet<()>,
    _profile: TempDir,
}

impl Process {
    /// Starts a browser that sends everything to a proxy.
    pub(crate) fn start(program: &Path, proxy: &str) -> io::Result<Self> {
        remove_old_profiles();
        let profile = tempfile::Builder::new().prefix(&format!("{PROFILE}{}-", std::process::id())).tempdir()?;
        let mut command = std::process::Command::new(program);
        command.args(FLAGS).arg(format!("--proxy-server={proxy}"));
        command.arg(format!("--user-data-dir={}", profile.path().display()));
        if rustix::process::geteuid().is_root() {
            // The sandbox cannot be used by root.
            command.arg("--no-sandbox");
        }
        command.arg("about:blank");
        // The profile is also its home, so that nothing of the user is read or written.
        command.env("HOME", profile.path()).env("XDG_CONFIG_HOME", profile.path()).env("TZ", "UTC");
        command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(log_of(profile.path())?);
        let (output, input) = pipes(&mut command)?;
        let mut command = tokio::process::Command::from(command);
        let child = command.process_group(0).kill_on_drop(true).spawn()?;
        drop(command);
        let (wire, writing, reading) = Wire::new(output, input);
        let mut tasks = JoinSet::new();
        tasks.spawn(writing);
        tasks.spawn(reading);
        Ok(Self { child, wire, _tasks: tasks, _profile: profile })
    }

    /// Resident memory of all processes of the browser, in bytes; `None` where the system does not tell.
    pub(crate) fn memory(&self) -> Option<u64> {
        let group = self.child.id()?;
        let entries = std::fs::read_dir("/proc").ok()?;
        let of_group = entries.flatten().filter_map(|entry| resident_in_group(&entry.path(), group));
        Some(of_group.sum())
    }

    /// Asks the browser to close, then makes it.
    pub(crate) async fn close(mut self) {
        drop(self.wire.send(None, "Browser.close", json!({})));
        if tokio::time::timeout(CLOSING, self.child.wait()).await.is_err() {
            self.kill();
            let _ = self.child.wait().await;
        }
        // Helpers may outlive the main process for a moment.
        self.kill();
    }

    /// Ends all processes of the browser at once.
    pub(crate) fn kill(&self) {
        let id = self.child.id().and_then(|id| i32::try_from(id).ok());
        if let Some(group) = id.and_then(rustix::process::Pid::from_raw) {
            // It fails only if they are gone.
            let _ = rustix::process::kill_process_group(group, rustix::process::Signal::KILL);
        }
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        self.kill();
    }
}

/// The browser's messages go to its profile, which is removed with it.
fn log_of(profile: &Path) -> io::Result<Stdio> {
    File::create(profile.join("stderr")).map(Stdio::from)
}

type Output = tokio::net::unix::pipe::Sender;
type Input = tokio::net::unix::pipe::Receiver;

/// The browser reads calls from descriptor 3 and writes results to descriptor 4.
fn pipes(command: &mut std::process::Command) -> io::Result<(Output, Input)> {
    use command_fds::{CommandFdExt, FdMapping};
    let (their_input, our_output) = io::pipe()?;
    let (our_input, their_output) = io::pipe()?;
    let mappings = vec![
        FdMapping { parent_fd: their_input.into(), child_fd: 3 },
        FdMapping { parent_fd: their_output.into(), child_fd: 4 },
    ];
    command.fd_mappings(mappings).map_err(io::Error::other)?;
    Ok((Output::from_owned_fd(our_output.into())?, Input::from_owned_fd(our_input.into())?))
}

fn resident_in_group(process: &Path, group: u32) -> Option<u64> {
    const PAGE: u64 = 4096;
    let stat = std::fs::read_to_string(process.join("stat")).ok()?;
    // The name in parentheses may contain anything; the group is the third field after it.
    let group_of = stat.rsplit_once(") ")?.1.split(' ').nth(2)?.parse::<u32>().ok()?;
    let pages = std::fs::read_to_string(process.join("statm")).ok()?;
    let mut pages = pages.split(' ').skip(1).map(|pages| pages.parse::<u64>().unwrap_or(0));
    let (resident, shared) = (pages.next()?, pages.next()?);
    (group_of == group).then(|| resident.saturating_sub(shared) * PAGE)
}

/// Removes profiles whose process is gone.
fn remove_old_profiles() {
    let Ok(entries) = std::fs::read_dir(std::env::temp_dir()) else { return };
    for entry in entries.flatten() {
        let name = entry.file_name();
        let owner = name.to_str().and_then(|name| name.strip_prefix(PROFILE)?.split('-').next()?.parse::<i32>().ok());
        let Some(owner) = owner.and_then(rustix::process::Pid::from_raw) else { continue };
        if rustix::process::test_kill_process(owner) == Err(rustix::io::Errno::SRCH) {
            // Another process may be removing it too.
            let _ = std::fs::remove_dir_all(entry.path());
        }
    }
}
