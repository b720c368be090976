//! The real binary with a separate home folder, so that no test sees the database of another one or of the user.

use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

use serde_json::Value;

/// A folder to be at home in. It stays after a failure, to be looked at.
#[derive(Debug)]
pub(crate) struct Home {
    folder: PathBuf,
}

/// How a command ended.
#[derive(Debug)]
pub(crate) struct Done {
    pub(crate) code: Option<i32>,
    pub(crate) stdout: String,
    pub(crate) stderr: String,
}

impl Home {
    /// An empty home; the name is that of the test.
    pub(crate) fn new(name: &str) -> Self {
        let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("home-{name}"));
        let _ = std::fs::remove_dir_all(&folder);
        std::fs::create_dir_all(&folder).expect("the target folder can be written");
        Self { folder }
    }

    /// A file in this home.
    pub(crate) fn path(&self, name: &str) -> PathBuf {
        self.folder.join(name)
    }

    /// The command line with these arguments, isolated from the caller's environment.
    pub(crate) fn command<S: AsRef<str>>(&self, arguments: &[S]) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_bluesnake"));
        command.env_clear().envs(std::env::var_os("PATH").map(|path| ("PATH", path)));
        command.env("HOME", &self.folder).env("BLUESNAKE_HOME", self.path("data"));
        command.args(arguments.iter().map(AsRef::as_ref)).current_dir(&self.folder);
        command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
        command
    }

    /// Runs a command to its end. The site it may crawl is served by other threads.
    pub(crate) fn run<S: AsRef<str>>(&self, arguments: &[S]) -> Done {
        Done::of(self.command(arguments).output().expect("the binary runs"))
    }

    /// Runs a command that has to succeed.
    pub(crate) fn ok<S: AsRef<str>>(&self, arguments: &[S]) -> Done {
        let done = self.run(arguments);
        let shown: Vec<&str> = arguments.iter().map(AsRef::as_ref).collect();
        assert_eq!(done.code, Some(0), "{shown:?}\n{}\n{}", done.stdout, done.stderr);
        done
    }

    /// Crawls as fast as the site responds, whatever the exit code.
    pub(crate) fn crawl(&self, url: &str, more: &[&str]) -> Done {
        self.run(&[&["crawl", url, "--rate", "0"], more].concat())
    }

    /// The JSON that a command prints.
    pub(crate) fn json<S: AsRef<str>>(&self, arguments: &[S]) -> Value {
        let mut with_json: Vec<&str> = arguments.iter().map(AsRef::as_ref).collect();
        with_json.push("--json");
        serde_json::from_str(&self.ok(&with_json).stdout).expect("--json prints JSON")
    }

    /// The rows that a SELECT answers.
    pub(crate) fn rows(&self, query: &str) -> Vec<Value> {
        let Value::Array(rows) = self.json(&["sql", query, "--limit", "1000000"]) else { panic!("rows are a list") };
        rows
    }

    /// The settings that a run was started with.
    pub(crate) fn plan(&self, run: &str) -> Value {
        self.json(&["runs", "show", run])["plan"].clone()
    }
}

impl Done {
    pub(crate) fn of(output: Output) -> Self {
        let text = |bytes| String::from_utf8(bytes).expect("output is UTF-8");
        Self { code: output.status.code(), stdout: text(output.stdout), stderr: text(output.stderr) }
    }

    /// Demands this exit code, and these words on stderr.
    #[track_caller]
    pub(crate) fn fails(&self, code: i32, words: &[&str]) {
        assert_eq!(self.code, Some(code), "{}\n{}", self.stdout, self.stderr);
        for words in words {
            assert!(self.stderr.contains(words), "{words:?} is missing in:\n{}", self.stderr);
        }
    }

    /// The lines of stdout as JSON.
    pub(crate) fn json_lines(&self) -> Vec<Value> {
        self.stdout.lines().map(|line| serde_json::from_str(line).expect("each line is JSON")).collect()
    }
}

/// Sends a signal to a process that a test started.
pub(crate) fn interrupt(process: &std::process::Child) {
    let sent = Command::new("kill").args(["-INT", &process.id().to_string()]).status().expect("kill runs");
    assert!(sent.success());
}

/// The site as a project is named.
pub(crate) fn project(site: &testsite::Running) -> String {
    site.addr().to_string()
}

/// A real terminal, made by `script` of util-linux.
#[cfg(target_os = "linux")]
pub(crate) fn on_terminal(home: &Home, columns: usize, arguments: &str, no_color: &str) -> String {
    let line = format!("stty rows 40 cols {columns}; '{}' {arguments}", env!("CARGO_BIN_EXE_bluesnake"));
    let mut script = Command::new("script");
    script.args(["-qec", &line, "/dev/null"]).env("BLUESNAKE_HOME", home.path("data")).env("TERM", "xterm");
    script.env("NO_COLOR", no_color).env_remove("BLUESNAKE_DB").stdin(std::process::Stdio::null());
    Done::of(script.output().unwrap()).stdout
}
