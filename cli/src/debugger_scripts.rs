//! `hindmost gdb-script` and `hindmost lldb-script`: the commands for debuggers, which come with the program so that both are of one version.

use crate::output::{self, Status};

/// What the scripts have in common.
macro_rules! shared {
    () => {
        include_str!("../../integrations/debuggers/hindmost.py")
    };
}

const GDB: &str = concat!(
    shared!(),
    "\n\n",
    include_str!("../../integrations/debuggers/gdb_commands.py")
);

const LLDB: &str = concat!(
    shared!(),
    "\n\n",
    include_str!("../../integrations/debuggers/core_file.py"),
    "\n\n",
    include_str!("../../integrations/debuggers/lldb_commands.py")
);

pub(crate) fn print_for_gdb() -> anyhow::Result<Status> {
    output::print_plain(GDB)?;
    Ok(Status::Done)
}

pub(crate) fn print_for_lldb() -> anyhow::Result<Status> {
    output::print_plain(LLDB)?;
    Ok(Status::Done)
}
