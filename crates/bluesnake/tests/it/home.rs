//! A separate folder for each test, in which the real binary runs.
//!
//! The binary gets no environment variables, so all files it leaves are in that folder and can be checked.

use std::io::{BufRead, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Output, Stdio};
use std::time::{Duration, Instant};

use rusqlite::Connection;
use rusqlite::types::FromSql;

/// How often a test kills its job; `BLUESNAKE_KILLS` overrides it for a longer run.
pub(crate) fn kills(default: usize) -> usize {
    std::env::var("BLUESNAKE_KILLS").map_or(default, |text| text.parse().expect("BLUESNAKE_KILLS is a number"))
}

/// A folder with a database.
#[derive(Debug)]
pub(crate) struct Home {
    folder: PathBuf,
}

/// A process that has ended.
#[derive(Debug)]
pub(crate) struct Ended {
    /// None when a signal ended it.
    pub(crate) code: Option<i32>,
    pub(crate) stdout: String,
    pub(crate) stderr: String,
    pub(crate) took: Duration,
}

impl Ended {
    fn of(output: Output, took: Duration) -> Self {
        let text = |bytes| String::from_utf8(bytes).expect("output is UTF-8");
        Self { code: output.status.code(), stdout: text(output.stdout), stderr: text(output.stderr), took }
    }

    /// Checks the exit code.
    #[track_caller]
    pub(crate) fn expect(self, code: i32) -> Self {
        assert_eq!(self.code, Some(code), "{self:#?}");
        self
    }

    /// Checks that all of this was printed, on stdout or stderr.
    #[track_caller]
    pub(crate) fn says(self, parts: &[&str]) -> Self {
        for part in parts {
            assert!(self.stdout.contains(part) || self.stderr.contains(part), "`{part}` is missing in {self:#?}");
        }
        self
    }
}

/// A process at work. Dropping it ends it.
#[derive(Debug)]
pub(crate) struct Working {
    child: Option<Child>,
    started: Instant,
}

impl Working {
    pub(crate) fn start(mut command: Command) -> Self {
        let child = command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn();
        Self { child: Some(child.expect("the binary runs")), started: Instant::now() }
    }

    pub(crate) fn pid(&self) -> u32 {
        self.child.as_ref().expect("it is waited for once").id()
    }

    /// Sends a signal by its name.
    pub(crate) fn signal(&self, name: &str) {
        let sent = Command::new("kill").args([&format!("-{name}"), &self.pid().to_string()]).status();
        assert!(sent.expect("there is a kill command").success());
    }

    /// Whether it has ended by itself.
    pub(crate) fn has_ended(&mut self) -> bool {
        self.child.as_mut().expect("it is waited for once").try_wait().expect("it is our child").is_some()
    }

    /// Ends it without any warning. Returns how it had ended if it was faster.
    pub(crate) async fn kill(mut self) -> Ended {
        self.child.as_mut().expect("it is waited for once").kill().expect("our child can be killed");
        self.end().await
    }

    /// Waits for its end.
    pub(crate) async fn end(mut self) -> Ended {
        let (child, started) = (self.child.take().expect("it is waited for once"), self.started);
        let wait = move || Ended::of(child.wait_with_output().expect("a child can be waited for"), started.elapsed());
        tokio::task::spawn_blocking(wait).await.expect("waiting does not panic")
    }

    /// Reads stderr up to a line with this text.
    pub(crate) async fn says(&mut self, part: &'static str) {
        let child = self.child.as_mut().expect("it is waited for once");
        let mut stderr = BufReader::with_capacity(1, child.stderr.take().expect("stderr is read"));
        let read = move || {
            let mut line = String::new();
            while !line.contains(part) {
                line.clear();
                assert_ne!(stderr.read_line(&mut line).expect("stderr is readable"), 0, "it never printed `{part}`");
            }
            stderr.into_inner()
        };
        let stderr = tokio::task::spawn_blocking(read).await.expect("it is printed");
        self.child.as_mut().expect("it is waited for once").stderr = Some(stderr);
    }
}

impl Drop for Working {
    fn drop(&mut self) {
        if let Some(child) = &mut self.child {
            // A test that failed leaves nothing behind.
            let _ = child.kill();
            let _ = child.wait();
        }
    }
}

impl Home {
    /// An empty folder.
    pub(crate) fn new(name: &str) -> Self {
        Self::at(Path::new(env!("CARGO_TARGET_TMPDIR")).join("faults").join(name))
    }

    /// The same, elsewhere.
    pub(crate) fn at(folder: PathBuf) -> Self {
        let _ = std::fs::remove_dir_all(&folder);
        std::fs::create_dir_all(folder.join("home")).expect("a folder can be made");
        std::fs::create_dir_all(folder.join("tmp")).expect("a folder can be made");
        Self { folder }
    }

    /// The folder of the database.
    pub(crate) fn folder(&self) -> PathBuf {
        self.folder.join("home")
    }

    /// The folder for temporary files of the binary.
    pub(crate) fn temporary(&self) -> PathBuf {
        self.folder.join("tmp")
    }

    pub(crate) fn db(&self) -> PathBuf {
        self.folder().join("bluesnake.db")
    }

    /// The binary with these arguments, in this home.
    pub(crate) fn command(&self, arguments: &[&str]) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_bluesnake"));
        command.args(arguments).env_clear().current_dir(self.folder());
        command.env("BLUESNAKE_HOME", self.folder()).env("HOME", self.folder()).env("TMPDIR", self.temporary());
        command
    }

    pub(crate) fn start(&self, arguments: &[&str]) -> Working {
        Working::start(self.command(arguments))
    }

    pub(crate) async fn run(&self, arguments: &[&str]) -> Ended {
        self.start(arguments).end().await
    }

    /// A connection to the database, as another program has it.
    pub(crate) fn connect(&self) -> Connection {
        let connection = Connection::open(self.db()).expect("the database can be opened");
        connection.busy_timeout(Duration::from_secs(10)).expect("a timeout can be set");
        connection
    }

    /// The first value of a query.
    #[track_caller]
    pub(crate) fn ask<T: FromSql>(&self, sql: &str) -> T {
        let answer = self.connect().query_row(sql, [], |row| row.get(0));
        answer.unwrap_or_else(|error| panic!("{sql}: {error}"))
    }

    /// A table of the newest run of a site.
    pub(crate) async fn export(&self, host: &str, table: &str, format: &str, more: &[&str]) -> String {
        let arguments = [&["export", host, "--table", table, "--format", format], more].concat();
        self.run(&arguments).await.expect(0).stdout
    }
}

/// The Python of `tools/python-env`; none where `./check` skips and reports what needs it.
pub(crate) fn python() -> Option<String> {
    if std::env::var_os("BLUESNAKE_SKIP_PYTHON").is_some() {
        return None;
    }
    let found = Command::new(Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tools/python-env")).output().unwrap();
    assert!(found.status.success(), "tools/python-env failed: {}", String::from_utf8_lossy(&found.stderr));
    Some(String::from_utf8_lossy(&found.stdout).trim().to_owned())
}
