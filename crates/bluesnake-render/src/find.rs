//! Which browser to use: the one set, the one in `BLUESNAKE_BROWSER`, or one in the usual places.

use std::env;
use std::path::{Path, PathBuf};
use std::process::Stdio;
use std::time::Duration;

/// The environment variable that names a browser.
const VARIABLE: &str = "BLUESNAKE_BROWSER";
/// Older versions lack some of the methods we call.
const OLDEST: u32 = 120;
const PATIENCE: Duration = Duration::from_secs(20);

/// Names to look for in `PATH`.
const NAMES: [&str; 7] = [
    "chromium-headless-shell",
    "chromium",
    "chromium-browser",
    "google-chrome-stable",
    "google-chrome",
    "chrome-headless-shell",
    "microsoft-edge",
];

/// Places outside of `PATH`.
const PLACES: [&str; 6] = [
    "/usr/lib/chromium/chromium-headless-shell",
    "/usr/lib/chromium/chromium",
    "/opt/google/chrome/chrome",
    "/snap/bin/chromium",
    "/Applications/Google Chrome.app/Contents/MacOS/Google Chrome",
    "/Applications/Chromium.app/Contents/MacOS/Chromium",
];

/// A browser that can be used.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Found {
    /// Its program.
    pub path: PathBuf,
    /// Its name and version, as it reports them.
    pub version: String,
}

/// Why there is no browser to use.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum BrowserNotFound {
    /// There is none.
    #[error("no Chrome or Chromium found")]
    Nowhere,
    /// The one that was set does not start.
    #[error("cannot run the browser {}: {why}", path.display())]
    Unusable {
        /// Its program.
        path: PathBuf,
        /// Why not.
        why: String,
    },
    /// It is too old.
    #[error("{version} is too old; version {OLDEST} or later is needed")]
    TooOld {
        /// Its name and version.
        version: String,
    },
}

impl BrowserNotFound {
    /// What to do about it.
    pub fn hint(&self) -> &'static str {
        match self {
            Self::Nowhere | Self::TooOld { .. } if cfg!(target_os = "macos") => {
                "install one with `brew install --cask chromium`, or name one with --browser PATH or BLUESNAKE_BROWSER"
            }
            Self::Nowhere | Self::TooOld { .. } => {
                "install one with `apt install chromium`, or name one with --browser PATH or BLUESNAKE_BROWSER"
            }
            Self::Unusable { .. } => "name another one with --browser PATH or BLUESNAKE_BROWSER",
        }
    }
}

/// Finds a browser and checks its version. An empty path stands for the usual places.
pub async fn find(set: &Path) -> Result<Found, BrowserNotFound> {
    let named = match set.as_os_str().is_empty() {
        false => Some(set.to_owned()),
        true => env::var_os(VARIABLE).filter(|path| !path.is_empty()).map(PathBuf::from),
    };
    if let Some(path) = named {
        return check(&path).await;
    }
    for path in usual_places() {
        if let Ok(found) = check(&path).await {
            return Ok(found);
        }
    }
    Err(BrowserNotFound::Nowhere)
}

fn usual_places() -> impl Iterator<Item = PathBuf> {
    let folders: Vec<PathBuf> = env::var_os("PATH").map(|path| env::split_paths(&path).collect()).unwrap_or_default();
    let in_path = NAMES.into_iter().flat_map(move |name| {
        let folders = folders.clone();
        folders.into_iter().map(move |folder| folder.join(name))
    });
    in_path.chain(PLACES.into_iter().map(PathBuf::from)).filter(|path| path.is_file())
}

async fn check(path: &Path) -> Result<Found, BrowserNotFound> {
    let unusable = |why: String| BrowserNotFound::Unusable { path: path.to_owned(), why };
    let mut command = tokio::process::Command::new(path);
    command.arg("--version").stdin(Stdio::null()).stderr(Stdio::null()).kill_on_drop(true);
    let output = match tokio::time::timeout(PATIENCE, command.output()).await {
        Ok(Ok(output)) => output,
        Ok(Err(error)) => return Err(unusable(error.to_string())),
        Err(_) => return Err(unusable("it does not tell its version".to_owned())),
    };
    let version = String::from_utf8_lossy(&output.stdout).trim().to_owned();
    match major(&version) {
        None => Err(unusable("it does not tell its version".to_owned())),
        Some(major) if major < OLDEST => Err(BrowserNotFound::TooOld { version }),
        Some(_) => Ok(Found { path: path.to_owned(), version }),
    }
}

/// The first number of a version such as `Chromium 156.0.7000.1 built on Debian`.
fn major(version: &str) -> Option<u32> {
    let number = version.split_ascii_whitespace().find(|word| word.starts_with(|c: char| c.is_ascii_digit()))?;
    number.split('.').next()?.parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn versions_are_read() {
        let check = |text, expected| assert_eq!(major(text), expected, "{text}");
        check("Chromium 156.0.7000.1 built on Debian GNU/Linux 12", Some(156));
        check("Google Chrome 119.0.1", Some(119));
        check("HeadlessChrome", None);
        check("", None);
    }

    #[tokio::test]
    async fn a_browser_that_does_not_start_is_named() {
        let missing = find(Path::new("/nonexistent/chrome")).await.unwrap_err();
        assert!(missing.to_string().starts_with("cannot run the browser /nonexistent/chrome: "), "{missing}");
    }
}
