//! The commands in gdb.

use crate::program::{Built, bound_map, built, has_all};
use std::process::Command;
use tests::stopped::{Stopped, has_tools, hindmost, succeed};

/// What gdb prints for each of these commands, an error included, which ends no session.
fn session(built: &Built, commands: &[&str]) -> Vec<String> {
    let dir = &built.directory.path;
    let script = succeed(Command::new(hindmost()).arg("gdb-script")).stdout;
    std::fs::write(dir.join("hindmost-gdb.py"), script).unwrap();
    let mut text = format!(
        "import gdb\ngdb.execute('set pagination off')\ngdb.execute('source hindmost-gdb.py')\n\
         gdb.execute('set hindmost program {}')\n",
        hindmost().display()
    );
    for command in commands {
        text += &format!(
            "print('<<<', flush=True)\ntry:\n    print(gdb.execute({command:?}, to_string=True))\n\
             except gdb.error as error:\n    print('error:', error)\n"
        );
    }
    std::fs::write(dir.join("session.py"), text).unwrap();
    let output = succeed(
        Command::new("gdb")
            .args(["-nx", "-q", "-batch", "-x", "session.py"])
            .arg(&built.program)
            .current_dir(dir)
            .env("XDG_CACHE_HOME", dir)
            .env_remove("DEBUGINFOD_URLS"),
    );
    let said = String::from_utf8(output.stdout).unwrap();
    let parts: Vec<String> = said.split("<<<\n").skip(1).map(str::to_owned).collect();
    assert_eq!(parts.len(), commands.len(), "{said}");
    parts
}

/// Commands that make two processes the inferiors 1 and 2 of gdb.
fn attach(a: &Stopped, b: &Stopped) -> Vec<String> {
    vec![
        format!("attach {}", a.id()),
        "add-inferior -exec iterate".to_owned(),
        "inferior 2".to_owned(),
        format!("attach {}", b.id()),
    ]
}

/// What gdb prints after it has attached to both.
fn attached(built: &Built, a: &Stopped, b: &Stopped, commands: &[&str]) -> Vec<String> {
    let first = attach(a, b);
    let all: Vec<&str> = first
        .iter()
        .map(String::as_str)
        .chain(commands.iter().copied())
        .collect();
    session(built, &all).split_off(first.len())
}

#[test]
fn two_processes_are_ordered_and_compared() {
    if !has_tools(&["gcc", "gdb"]) {
        return;
    }
    let built = built(&["-O0"]);
    let (late, early) = (
        Stopped::new(&built.program, &[7]),
        Stopped::new(&built.program, &[3]),
    );
    let commands = [
        "hindmost order",
        "hindmost compare 1 2",
        "info inferiors",
        "hindmost order 2",
    ];
    let said = attached(&built, &late, &early, &commands);
    let behind = format!("Task pid {} is behind the other one", early.id());
    has_all(
        &said[0],
        &[
            &behind,
            "iteration it=3",
            "it=3 is an earlier iteration than it=7",
        ],
    );
    has_all(&said[1], &[&behind]);
    has_all(&said[2], &["* 2 "]);
    has_all(&said[3], &["only task", "it=3"]);
    assert!(!said[0].contains("Switching"), "{}", said[0]);
}

/// Of a process that gdb holds nobody else reads registers: that is said, and core files have them.
#[test]
fn values_in_registers_come_through_core_files() {
    if !has_tools(&["gcc", "gdb"]) {
        return;
    }
    let built = built(&["-O1"]);
    let (late, early) = (
        Stopped::new(&built.program, &[7]),
        Stopped::new(&built.program, &[3]),
    );
    let commands = [
        "set hindmost gcore off",
        "hindmost order",
        "up 2",
        "print $hindmost(\"it\")",
        "set hindmost gcore on",
        "hindmost order",
        "up 2",
        "print $hindmost(\"it\")",
        "print $hindmost()",
        "gcore saved.core",
        "inferior 1",
        "hindmost compare saved.core",
        "hindmost here",
    ];
    let said = attached(&built, &late, &early, &commands);
    has_all(&said[1], &["Undecided", "set hindmost gcore on"]);
    has_all(&said[3], &["error: hindmost: it: its register"]);
    has_all(
        &said[5],
        &[
            &format!("Task pid {} is behind the other one", early.id()),
            "it=3",
        ],
    );
    has_all(&said[7], &["= 3\n"]);
    has_all(&said[8], &["= \"it=3\"\n"]);
    has_all(
        &said[11],
        &[&format!("Task pid {} is behind the other one", early.id())],
    );
    has_all(&said[12], &["its caller, frame 1, has:", "exchange at"]);
}

/// gdb's own values are right without optimisation; so must ours be, in each of several frames on one line.
#[test]
fn each_call_on_a_line_has_its_own_iteration() {
    if !has_tools(&["gcc", "gdb"]) {
        return;
    }
    let built = built(&["-O0"]);
    let deep = Stopped::new(&built.program, &[0, 1]);
    let attach = format!("attach {}", deep.id());
    let mut commands = vec![attach.as_str(), "up"];
    let depths = 4;
    for _ in 0..depths {
        commands.extend(["up", "print i", "print $hindmost(\"i\")"]);
    }
    commands.extend([
        "set hindmost frames on",
        "bt",
        "up",
        "hindmost here",
        "print $hindmost(\"i\")",
    ]);
    let said = session(&built, &commands);
    let value = |text: &str| text.rsplit("= ").next().unwrap().trim().parse::<i64>();
    for depth in 0..depths {
        let (theirs, ours) = (&said[2 + 3 * depth + 1], &said[2 + 3 * depth + 2]);
        let expected = Ok(i64::try_from(3 - depth + 2).unwrap());
        assert_eq!(
            (value(theirs), value(ours)),
            (expected.clone(), expected),
            "{theirs}{ours}"
        );
    }
    let last = &said[2 + 3 * depths..];
    has_all(
        &last[1],
        &["walk [i=5]", "walk [i=4]", "walk [i=3]", "walk [i=2]"],
    );
    has_all(&last[3], &["main at"]);
    has_all(&last[4], &["error: hindmost: i: it orders no loop"]);
}

/// A process that gdb itself has started, at a breakpoint; what the user changes in it is seen.
#[test]
fn a_breakpoint_is_no_end() {
    if !has_tools(&["gcc", "gdb"]) {
        return;
    }
    let built = built(&["-O0"]);
    let commands = [
        "break exchange if it == 41",
        "run 99",
        "hindmost order",
        "up",
        "print $hindmost(\"it\")",
        "set var it = 55",
        "print $hindmost(\"it\")",
        "frame",
    ];
    let said = session(&built, &commands);
    has_all(&said[2], &["only task", "it=41", "took SIGTRAP"]);
    assert!(!said[2].contains("ended by"), "{}", said[2]);
    has_all(&said[4], &["= 41\n"]);
    has_all(&said[6], &["= 55\n"]);
    has_all(&said[7], &["#1 "]);
}

/// Cores of both processes, which gdb itself has written.
fn cores(built: &Built) -> [u32; 2] {
    let (late, early) = (
        Stopped::new(&built.program, &[7]),
        Stopped::new(&built.program, &[3]),
    );
    attached(
        built,
        &late,
        &early,
        &["gcore early.core", "inferior 1", "gcore late.core"],
    );
    [early.id(), late.id()]
}

#[test]
fn cores_are_ordered_without_a_process() {
    if !has_tools(&["gcc", "gdb"]) {
        return;
    }
    let built = built(&["-O1"]);
    let [early, _] = cores(&built);
    let said = session(
        &built,
        &[
            "add-inferior -exec iterate",
            "core late.core",
            "inferior 2",
            "core early.core",
            "hindmost order",
            "up 2",
            "print $hindmost(\"it\")",
            "hindmost slice stop",
        ],
    );
    has_all(
        &said[4],
        &[&format!("Task pid {early} is behind the other one"), "it=3"],
    );
    has_all(&said[6], &["= 3\n"]);
    has_all(&said[7], &["atoi(argv[1])"]);
}

/// A map of another build, a map that is none, no program, no process, no frame: each an error that says so.
#[test]
fn what_cannot_be_told_is_an_error() {
    if !has_tools(&["gcc", "gdb"]) {
        return;
    }
    let built = built(&["-O0"]);
    let other = self::built(&["-O2"]);
    let map = bound_map(&other);
    let task = Stopped::new(&built.program, &[5]);
    let attach = format!("attach {}", task.id());
    let other_map = format!("set hindmost map {}", map.display());
    let said = session(
        &built,
        &[
            "hindmost order",
            "hindmost here",
            "hindmost slice",
            "hindmost compare 1 2",
            &attach,
            "hindmost order 4",
            "hindmost order two",
            "hindmost compare",
            "set hindmost map iterate.c",
            "hindmost here",
            &other_map,
            "hindmost here",
            "set hindmost map",
            "set hindmost program ./nothing",
            "hindmost here",
        ],
    );
    let expected = [
        (0, "no inferior has a process"),
        (1, "No frame is currently selected"),
        (2, "No frame is currently selected"),
        (3, "inferior 1 has no process"),
        (5, "inferior 4 has no process"),
        (6, "is no list of inferiors"),
        (7, "two inferiors are compared"),
        (9, "not a progress map"),
        (11, "build"),
        (14, "set hindmost program FILE"),
    ];
    for (index, words) in expected {
        has_all(&said[index], &["error: ", words]);
        assert!(!said[index].contains("Traceback"), "{}", said[index]);
    }
}
