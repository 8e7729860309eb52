//! Root reads what a job names with the rights of the job's user: nobody has root print the lines of a file that is closed to him.

use crate::support::{Sandbox, Target};
use std::fs;
use std::os::unix::fs::{PermissionsExt as _, chown};
use std::os::unix::process::CommandExt as _;
use std::process::{Command, Stdio};

const NOBODY: u32 = 65534;

/// What only its owner is to see.
const SECRET: &str = "\
#include <unistd.h>
static volatile int gate = 1;
int main(void)
{
    int i;
    if (write(1, \"x\", 1) != 1)
        return 1;
    /* the password is sesame */
    for (i = 0; gate; i++)
        continue;
}
";

/// The program of a closed source, as the debug info of any program could name it; `None` for whoever is not root and reads for nobody else.
fn closed(name: &str) -> Option<Sandbox> {
    if !nix::unistd::geteuid().is_root() {
        eprintln!("SKIPPED: it takes root");
        return None;
    }
    let sandbox = Sandbox::new(name);
    let source = sandbox.write("secret.c", SECRET);
    sandbox.compile("secret.c", "spin", &["-g"]);
    fs::set_permissions(source, fs::Permissions::from_mode(0o600)).unwrap();
    Some(sandbox)
}

fn started_by(sandbox: &Sandbox, user: u32) -> Target {
    // From where everybody may run it: the way to the sandbox may be closed.
    // Another test may be running its copy.
    let name = sandbox.root.file_name().unwrap().to_string_lossy();
    let program = std::env::temp_dir().join(format!("hindmost-{name}-{}-{user}", std::process::id()));
    fs::copy(sandbox.path("spin"), &program).unwrap();
    let mut command = Command::new(&program);
    command.uid(user).gid(user).stdin(Stdio::null());
    let target = Target::started(&mut command);
    fs::remove_file(program).unwrap();
    target
}

#[test]
fn a_source_that_a_user_may_not_read_is_not_shown_for_his_job() {
    let Some(sandbox) = closed("rights-find") else {
        return;
    };
    let said = |target: &Target, arguments: &[&str]| {
        let run = sandbox.run(&[arguments, &[&target.pid()]].concat());
        run.out + &run.err
    };
    let (own, other) = (started_by(&sandbox, 0), started_by(&sandbox, NOBODY));
    sandbox.ok(&["map", "--quiet", "-o", "given.hmap", "secret.c"]);
    for arguments in [
        &["find"][..],
        &["find", "--slice", "--all"],
        &["find", "--tree=html"],
        &["find", "--map", "given.hmap"],
        &["find", "--format", "sarif"],
    ] {
        let shown = said(&own, arguments);
        let hidden = said(&other, arguments);
        assert!(
            shown.contains("sesame") || arguments.contains(&"--slice") || arguments.contains(&"sarif"),
            "{arguments:?}: {shown}"
        );
        assert!(!hidden.contains("sesame"), "{arguments:?}: {hidden}");
        assert!(
            hidden.contains("main"),
            "{arguments:?}: the rest is told: {hidden}"
        );
    }
    // Nor because it was shown, or kept, before.
    assert!(!said(&other, &["find"]).contains("sesame"));
}

#[test]
fn a_map_of_somebody_else_opens_no_closed_source() {
    let Some(sandbox) = closed("rights-map") else {
        return;
    };
    sandbox.ok(&["map", "--quiet", "-o", "app.hmap", "--exe", "spin", "secret.c"]);
    let target = started_by(&sandbox, 0);
    let said = || sandbox.run(&["find", "--map", "app.hmap", &target.pid()]).out;
    assert!(said().contains("sesame"));
    chown(sandbox.path("app.hmap"), Some(NOBODY), Some(NOBODY)).unwrap();
    let hidden = said();
    assert!(
        !hidden.contains("sesame") && hidden.contains("secret.c:"),
        "{hidden}"
    );
}
