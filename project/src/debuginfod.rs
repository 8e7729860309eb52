//! Maps from servers of debug info: the section of a program's map, by its build-id.
//!
//! A debuginfod serves the sections of every program and debug file that it knows, so a site that runs one serves maps as soon as they are embedded; and any
//! web server, or a directory that all hosts see (`file://`), serves what `hindmost extract --store` lays out. They are asked by elfutils' own client, which
//! knows proxies and certificates, and keeps what it was given and what is not there.

use crate::compiler_command::Trust;
use crate::compiler_program::program;
use crate::finish::{Finished, Limits, Unfinished, finish};
use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt as _;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

const CLIENT: &str = "debuginfod-find";
/// Whoever asks about a job that hangs waits for it: so long, where servers do not answer.
const PATIENCE: Duration = Duration::from_secs(5);
/// It puts out one name.
const LONGEST_NAME: u64 = 8192;

/// The file in the client's cache with the map of a build, from the first server of `DEBUGINFOD_URLS` that has it; nothing where no server is named, the client is
/// not installed, or nobody has it.
///
/// # Errors
/// Why it cannot be told whether somebody has it.
pub(crate) fn map_of_build(build_id: &[u8]) -> Result<Option<PathBuf>, String> {
    let servers = std::env::var_os("DEBUGINFOD_URLS").unwrap_or_default();
    let is_blank = servers.as_bytes().iter().all(u8::is_ascii_whitespace);
    if is_blank || build_id.is_empty() {
        return Ok(None);
    }
    let Ok(client) = program(CLIENT, Trust::Nothing) else {
        return Ok(None);
    };
    let mut command = Command::new(&*client);
    command
        .current_dir("/")
        .arg("section")
        .arg(engine::build_id_text(build_id))
        .arg(embed::MAP);
    // It gives up by itself before we end it, so that its cache is as it leaves it; what the user has set holds.
    for (name, seconds) in [("DEBUGINFOD_TIMEOUT", "3"), ("DEBUGINFOD_MAXTIME", "4")] {
        if std::env::var_os(name).is_none() {
            command.env(name, seconds);
        }
    }
    let limits = Limits {
        time: PATIENCE,
        output: LONGEST_NAME,
    };
    match finish(&mut command, limits) {
        Ok(Finished { output, status, .. }) => {
            let name = output.strip_suffix(b"\n").unwrap_or(&output);
            let path = Path::new(OsStr::from_bytes(name));
            Ok((status.success() && path.is_absolute()).then(|| path.to_owned()))
        }
        Err(Unfinished::TooLong | Unfinished::GoesOn) => Err(format!(
            "the servers of DEBUGINFOD_URLS were asked for a map and have not answered for {} s",
            PATIENCE.as_secs()
        )),
        Err(Unfinished::NotStarted(error)) => Err(format!("cannot run {CLIENT}: {error}")),
    }
}

/// Where a map lies below a directory that is served, as the client asks for it.
pub(crate) fn served_name(build_id: &[u8]) -> PathBuf {
    let build = Path::new("buildid").join(engine::build_id_text(build_id));
    build.join("section").join(embed::MAP)
}
