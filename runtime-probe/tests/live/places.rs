//! Tasks in namespaces of their own, and tasks that the kernel protects.

use crate::support::{Target, compile, names, snap, until};
use progress_map::Map;
use std::fs;
use std::process::Command;

const SPIN: &str = r#"
#include <stdio.h>
volatile int sink;
__attribute__((noinline)) static void spin(void) { for (;;) sink++; }
int main(void) { puts("ready"); fflush(stdout); spin(); }
"#;

/// The only child of a process; waits for it.
fn child_of(pid: u32) -> u32 {
    let mut child = None;
    until("a child", || {
        let children = fs::read_to_string(format!("/proc/{pid}/task/{pid}/children")).unwrap_or_default();
        child = children
            .split_whitespace()
            .next()
            .and_then(|pid| pid.parse().ok());
        child.is_some()
    });
    child.unwrap()
}

/// Whether this user may make namespaces; without it the test says so, and fails where everything is to be tested.
fn may_unshare() -> bool {
    let possible = Command::new("unshare")
        .args(["--mount", "--pid", "--fork", "true"])
        .status();
    let possible = possible.is_ok_and(|status| status.success());
    if !possible {
        assert!(std::env::var_os("CI").is_none(), "unshare is not permitted");
        eprintln!("SKIPPED: unshare is not permitted here");
    }
    possible
}

#[test]
fn a_task_in_other_pid_and_mount_namespaces() {
    if !may_unshare() {
        return;
    }
    let program = compile("gcc", SPIN, "-g -O1 -Wl,--build-id");
    let directory = program.path.parent().unwrap();
    let hidden = directory.join("hidden");
    fs::create_dir_all(&hidden).unwrap();
    // The file is where nobody outside can see it: the directory is empty there.
    let script = format!(
        "mount -t tmpfs none {0} && cp {1} {0}/app && exec {0}/app",
        hidden.display(),
        program.path.display()
    );
    let target = Target::start(Command::new("unshare").args([
        "--mount",
        "--pid",
        "--fork",
        "--mount-proc",
        "sh",
        "-c",
        &script,
    ]));
    let pid = child_of(target.pid());
    assert!(!hidden.join("app").exists());
    let mut task = snap(&Map::default(), pid);
    until("spinning", || {
        task = snap(&Map::default(), pid);
        names(&task).contains(&"spin")
    });
    assert!(names(&task).contains(&"main"), "{task:?}");
    assert_eq!(task.error, None);
    crate::support::send("KILL", &pid.to_string());
}

#[test]
fn a_protected_process_is_told_from_that_of_another_user() {
    const PROTECTED: &str = r#"
#include <stdio.h>
#include <sys/prctl.h>
volatile int sink;
int main(void) { prctl(PR_SET_DUMPABLE, 0); puts("ready"); fflush(stdout); for (;;) sink++; }
"#;
    if !crate::support::status(std::process::id(), "Uid").starts_with('0') {
        return; // only root can become somebody else
    }
    let program = compile("gcc", PROTECTED, "-O1");
    let place = std::env::temp_dir().join(format!("hindmost-protected-{}", std::process::id()));
    fs::create_dir_all(&place).unwrap();
    let (probe, app, map) = (place.join("probe"), place.join("app"), place.join("empty.hmap"));
    fs::copy(env!("CARGO_BIN_EXE_hindmost-probe"), &probe).unwrap();
    fs::copy(&program.path, &app).unwrap();
    fs::write(&map, Map::default().to_bytes()).unwrap();
    let somebody = ["--reuid=65534", "--regid=65534", "--clear-groups"];
    let target = Target::start(Command::new("setpriv").args(somebody).arg(&app));
    let output = Command::new("setpriv")
        .args(somebody)
        .arg(&probe)
        .arg("--map")
        .arg(&map)
        .arg(target.pid().to_string())
        .output()
        .unwrap();
    let _ = fs::remove_dir_all(&place);
    let errors = String::from_utf8_lossy(&output.stderr);
    assert!(errors.contains("not dumpable"), "{errors}");
    assert!(errors.contains("/proc still tells of app: state R"), "{errors}");
}
