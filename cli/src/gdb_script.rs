//! `hindmost gdb-script`: the commands for gdb, which come with the program so that both are of one version.

use crate::output::{self, Status};

pub(crate) fn print() -> anyhow::Result<Status> {
    output::print_plain(include_str!("../../integrations/gdb/hindmost.py"))?;
    Ok(Status::Done)
}
