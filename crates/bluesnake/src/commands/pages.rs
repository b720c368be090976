//! Shell completions and manual pages, generated from the same definition as `--help`.

use std::path::Path;

use anyhow::Context;
use clap_complete::Shell;

use crate::args;
use crate::exit::Exit;
use crate::output::{print, say};

/// Prints completions for a shell.
pub(crate) fn completions(shell: Shell) -> anyhow::Result<Exit> {
    let mut script = Vec::new();
    clap_complete::generate(shell, &mut args::command(), "bluesnake", &mut script);
    print(&String::from_utf8_lossy(&script));
    Ok(Exit::Done)
}

/// Writes a page for the program and one for each command.
pub(crate) fn man(folder: &Path) -> anyhow::Result<Exit> {
    std::fs::create_dir_all(folder).with_context(|| format!("cannot create {}", folder.display()))?;
    clap_mangen::generate_to(args::command(), folder)
        .with_context(|| format!("cannot write to {}", folder.display()))?;
    say(&format!("wrote the manual pages to {}", folder.display()));
    Ok(Exit::Done)
}
