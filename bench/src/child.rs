//! Child processes of a measurement: the site, and runs of this program.

use std::env;
use std::io::{BufRead, BufReader};
use std::process::{Child, Command, Stdio};

use anyhow::{Context, ensure};
use serde_json::Value;

/// A random web served by `testsite` until this is dropped.
#[derive(Debug)]
pub(crate) struct Site {
    process: Child,
    pub(crate) url: String,
}

impl Site {
    /// Starts the `testsite` next to this program.
    pub(crate) fn serve(pages: u64, further: &[&str]) -> anyhow::Result<Self> {
        let mut command = Command::new(env::current_exe()?.with_file_name("testsite"));
        command.args(["serve", "web", "--pages", &pages.to_string()]).args(further);
        let process = command.stdout(Stdio::piped()).spawn().context("cannot start testsite; build it too")?;
        let mut site = Self { process, url: String::new() };
        let stdout = site.process.stdout.take().expect("its output is piped");
        BufReader::new(stdout).read_line(&mut site.url)?;
        site.url.truncate(site.url.trim_end().len());
        ensure!(site.url.starts_with("http"), "testsite printed no URL");
        Ok(site)
    }
}

impl Drop for Site {
    fn drop(&mut self) {
        // It may have exited already.
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}

/// Runs this program with other arguments and reads the line it prints.
pub(crate) fn measure_alone(arguments: &[&str]) -> anyhow::Result<Value> {
    let output = Command::new(env::current_exe()?).args(arguments).stderr(Stdio::inherit()).output()?;
    ensure!(output.status.success(), "`{}` failed", arguments.join(" "));
    serde_json::from_slice(&output.stdout).context("expected one line of JSON from the measurement")
}

/// A figure of a measurement.
pub(crate) fn figure(measurement: &Value, name: &str) -> anyhow::Result<f64> {
    measurement[name].as_f64().with_context(|| format!("the measurement has no {name}"))
}
