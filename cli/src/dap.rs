//! `hindmost dap`: the debug adapter, over standard input and output.

use crate::args::DapArgs;
use crate::output::Status;
use ::dap::{Host, Settings};
use std::io::{self, BufReader};
use std::process::{Command, Stdio};
use std::sync::Arc;

pub(crate) fn run(args: &DapArgs) -> anyhow::Result<Status> {
    let settings = Settings {
        pids: args.pids.clone(),
        report: args.report.clone(),
        map: args.map.clone(),
        debugger: args.debugger.clone(),
    };
    let (incomings, writer) = ::dap::connect(BufReader::new(io::stdin()), io::stdout());
    ::dap::serve(incomings, writer, Arc::new(Job), settings);
    Ok(Status::Done)
}

/// The job, as `hindmost find` sees it. That is a process of its own: an editor that leaves does not wait for it, and whatever befalls it
/// is an answer to the editor.
struct Job;

impl Host for Job {
    fn answer(&self, settings: &Settings) -> Result<String, String> {
        if let Some(path) = &settings.report {
            return project::read_text(path).map_err(|error| error.to_string());
        }
        let this =
            std::env::current_exe().map_err(|error| format!("hindmost does not find itself: {error}"))?;
        let mut find = Command::new(this);
        find.args(["find", "--format", "json"]);
        if let Some(map) = &settings.map {
            find.arg("--map").arg(map);
        }
        let done = find
            .args(settings.pids.iter().map(u32::to_string))
            .stdin(Stdio::null())
            .output()
            .map_err(|error| format!("hindmost find does not start: {error}"))?;
        // Somebody is named, nobody, or somebody probably; the answer says which.
        match done.status.code() {
            Some(0 | 1 | 3) => Ok(String::from_utf8_lossy(&done.stdout).into_owned()),
            _ => Err(String::from_utf8_lossy(&done.stderr).trim().to_owned()),
        }
    }
}
