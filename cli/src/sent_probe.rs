//! The probe that is sent to other hosts, and whatever else is installed beside this command.

use crate::host_args::HostArgs;
use cluster::Probe;
use project::Failure;
use regular_files::Limit;
use std::path::{Path, PathBuf};

/// A probe with all its debug info has less.
const LARGEST_PROBE: Limit = Limit::of(256 << 20);

/// The file that the user names, or the one of this name that is installed beside this command.
pub(crate) fn named_or_beside(named: Option<&Path>, name: &str) -> Result<PathBuf, Failure> {
    match named {
        Some(named) => Ok(named.to_owned()),
        None => Ok(std::env::current_exe()
            .map_err(|error| Failure::new(format!("it is not known where hindmost is: {error}")))?
            .with_file_name(name)),
    }
}

/// The probe that is sent along.
pub(crate) fn probe(args: &HostArgs) -> Result<Probe, Failure> {
    const NAME: &str = "hindmost-probe";
    let path = named_or_beside(args.probe.as_deref(), NAME)?;
    let refused = |why: String| {
        Failure::new(format!("{}: {why}", path.display())).hint(format!(
            "to look at other hosts hindmost sends {NAME} there, which is installed beside it; --probe FILE names another, --here asks no other host"
        ))
    };
    let bytes =
        regular_files::read_named(&path, LARGEST_PROBE).map_err(|error| refused(error.to_string()))?;
    let probe = Probe::new(&bytes).map_err(|fault| refused(fault.to_string()))?;
    let probe = match std::path::absolute(&path) {
        Ok(path) => probe.found_at(&path),
        Err(_) => probe,
    };
    Ok(if args.keep_probe { probe.kept() } else { probe })
}
