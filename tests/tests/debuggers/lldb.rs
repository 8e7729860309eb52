//! The commands in lldb.

use crate::program::{Built, bound_map, built, has_all};
use std::process::Command;
use tests::stopped::{Stopped, has_tools, hindmost, python_of_lldb, succeed};

/// What lldb prints for each of these commands, an error included, which ends no session.
fn session(built: &Built, commands: &[&str]) -> Vec<String> {
    let dir = &built.directory.path;
    let script = succeed(Command::new(hindmost()).arg("lldb-script")).stdout;
    std::fs::write(dir.join("hindmost_lldb.py"), script).unwrap();
    let mut text = format!(
        "command script import hindmost_lldb.py\nhindmost set program {}\n",
        hindmost().display()
    );
    for command in commands {
        text += &format!("script print('<<<', flush=True)\n{command}\n");
    }
    std::fs::write(dir.join("session"), text).unwrap();
    // Errors stand where they belong only if both streams are one. An error in the end is lldb's own end.
    let output = Command::new("sh")
        .args([
            "-c",
            "exec lldb --no-lldbinit --batch -o 'command source --stop-on-error false session' 2>&1",
        ])
        .current_dir(dir)
        .env("PYTHONPATH", python_of_lldb())
        .env("XDG_CACHE_HOME", dir)
        .env_remove("DEBUGINFOD_URLS")
        .output()
        .unwrap();
    let said = String::from_utf8(output.stdout).unwrap();
    let parts: Vec<String> = said.split("<<<\n").skip(1).map(str::to_owned).collect();
    assert_eq!(parts.len(), commands.len(), "{said}");
    parts
}

/// Of two live processes and of cores of them, which gdb writes: the same answers, with values in registers, too.
#[test]
fn processes_and_cores_are_ordered() {
    if !has_tools(&["gcc", "gdb", "lldb"]) {
        return;
    }
    let built = built(&["-O1"]);
    let (late, early) = (
        Stopped::new(&built.program, &[7]),
        Stopped::new(&built.program, &[3]),
    );
    for (name, task) in [("late", &late), ("early", &early)] {
        let write = format!("gcore {name}.core");
        let pid = task.id().to_string();
        succeed(
            Command::new("gdb")
                .args(["-nx", "-q", "-batch", "-p", &pid, "-ex", &write])
                .current_dir(&built.directory.path)
                .env_remove("DEBUGINFOD_URLS"),
        );
    }
    let behind = format!("Task pid {} is behind the other one", early.id());
    let attach = [&late, &early].map(|task| format!("process attach --pid {}", task.id()));
    let said = session(
        &built,
        &[
            "target create iterate",
            &attach[0],
            "target create iterate",
            &attach[1],
            "hindmost order",
            "hindmost compare 0 1",
            "frame select 1",
            "hindmost here",
            "frame select 2",
            "hindmost here",
            "hindmost slice it",
            "hindmost compare late.core",
            "hindmost set gcore off",
            "hindmost order",
            "frame info",
        ],
    );
    has_all(
        &said[4],
        &[
            &behind,
            "iteration it=3",
            "it=3 is an earlier iteration than it=7",
        ],
    );
    has_all(&said[5], &[&behind]);
    has_all(&said[7], &["exchange at"]);
    has_all(&said[9], &["main at", "iteration it=3"]);
    has_all(&said[10], &["for (int it = 0; it < 100; it++)"]);
    has_all(&said[11], &[&behind]);
    has_all(&said[13], &["Undecided", "'hindmost set gcore on' reads them"]);
    has_all(&said[14], &["frame #2", "main"]);

    let said = session(
        &built,
        &[
            "target create iterate --core late.core",
            "target create iterate --core early.core",
            "hindmost order",
            "frame select 2",
            "hindmost here",
            "hindmost order 0",
        ],
    );
    has_all(&said[2], &[&behind, "it=3"]);
    has_all(&said[4], &["iteration it=3"]);
    has_all(&said[5], &["only task", "it=7"]);
}

/// No target, no process, another build's map, no program: each an error that says so.
#[test]
fn what_cannot_be_told_is_an_error() {
    if !has_tools(&["gcc", "lldb"]) {
        return;
    }
    let built = built(&["-O0"]);
    let other = self::built(&["-O2"]);
    let map = format!("hindmost set map {}", bound_map(&other).display());
    let task = Stopped::new(&built.program, &[5]);
    let attach = format!("process attach --pid {}", task.id());
    let said = session(
        &built,
        &[
            "hindmost order",
            "hindmost here",
            "hindmost slice",
            "target create iterate",
            "hindmost compare 0 1",
            &attach,
            "hindmost order 4",
            "hindmost order two",
            "hindmost compare",
            "hindmost set map iterate.c",
            "hindmost here",
            &map,
            "hindmost here",
            "hindmost set map",
            "hindmost set gcore perhaps",
            "hindmost set program ./nothing",
            "hindmost here",
            "hindmost set program",
            "hindmost slice \"",
            "hindmost compare 'a",
        ],
    );
    let expected = [
        (0, "no target has a process"),
        (1, "no frame is selected"),
        (2, "no frame is selected"),
        (4, "target 0 has no process"),
        (6, "target 4 has no process"),
        (7, "is no list of targets"),
        (8, "two targets are compared"),
        (10, "not a progress map"),
        (12, "build"),
        (14, "'on' or 'off'"),
        (16, "hindmost set program FILE"),
        (18, "hindmost"),
        (19, "No closing quotation"),
    ];
    for (index, words) in expected {
        has_all(&said[index], &["error: ", words]);
        assert!(!said[index].contains("Traceback"), "{}", said[index]);
    }
}
