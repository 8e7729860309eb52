//! `hindmost generate-pages`: man pages and completions, made from the arguments themselves.

use crate::args::{Cli, PagesArgs};
use crate::output::Status;
use clap::CommandFactory as _;
use clap_complete::Shell;
use project::Failure;
use std::io;
use std::path::Path;

pub(crate) fn generate(args: &PagesArgs) -> anyhow::Result<Status> {
    let written = || -> io::Result<()> {
        let man = made(&args.directory, "man1")?;
        clap_mangen::generate_to(Cli::command(), man)?;
        for (shell, directory) in [(Shell::Bash, "bash"), (Shell::Zsh, "zsh"), (Shell::Fish, "fish")] {
            clap_complete::generate_to(
                shell,
                &mut Cli::command(),
                "hindmost",
                made(&args.directory, directory)?,
            )?;
        }
        Ok(())
    };
    written().map_err(|error| {
        Failure::new(format!(
            "cannot write below {}: {error}",
            args.directory.display()
        ))
    })?;
    Ok(Status::Done)
}

fn made(directory: &Path, name: &str) -> io::Result<std::path::PathBuf> {
    let path = directory.join(name);
    std::fs::create_dir_all(&path)?;
    Ok(path)
}
