//! `hindmost cc`: a compiler, run as it is, and then the fragments of its sources for what it has written.

use crate::embed_args::CcArgs;
use crate::output::{self, Terminal};
use project::Failure;
use std::ffi::OsString;
use std::num::NonZeroUsize;
use std::os::unix::process::ExitStatusExt as _;
use std::process::{Command, ExitCode, ExitStatus};
use std::time::SystemTime;

/// Ends as the compiler does. Whatever keeps a fragment from being made is a warning: a build never fails because of it.
pub(crate) fn run(args: &CcArgs) -> ExitCode {
    let Some((compiler, options)) = args.command.split_first() else {
        return ExitCode::from(2);
    };
    let since = SystemTime::now();
    let status = match Command::new(compiler).args(options).status() {
        Ok(status) => status,
        Err(error) => {
            output::error(
                &Failure::new(format!("cannot run {}: {error}", compiler.to_string_lossy())).into(),
            );
            // As shells say of a command that is not there.
            return ExitCode::from(127);
        }
    };
    if status.success() {
        add_fragments(&args.command, since);
    }
    ended_as(status)
}

fn add_fragments(command: &[OsString], since: SystemTime) {
    // A word that is no text names no source that a map could.
    let words = Vec::from_iter(command.iter().map(|word| word.to_string_lossy().into_owned()));
    let Ok(directory) = std::env::current_dir() else {
        return;
    };
    // A build runs as many compilers as there are processors.
    project::start_threads(Some(NonZeroUsize::MIN));
    for compilation in project::compilations(&words, &directory) {
        if let Err(error) = project::add_fragments(&compilation, since, &Terminal::showing(false)) {
            output::warn(&format!(
                "{error}; it is as the compiler has made it, without a fragment of the map"
            ));
        }
    }
}

/// The exit code that a shell would have: of what a signal has ended, 128 and its number.
fn ended_as(status: ExitStatus) -> ExitCode {
    let code = status
        .code()
        .or_else(|| status.signal().map(|signal| 128 + signal));
    ExitCode::from(code.and_then(|code| u8::try_from(code).ok()).unwrap_or(1))
}
