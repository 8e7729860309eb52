//! Where results go: files that are there already, links, pipes, full disks, limits of a batch system.

use crate::support::Sandbox;
use std::fs::{self, File};
use std::os::unix::fs::{FileTypeExt as _, symlink};
use std::process::{Command, Stdio};

const SOURCE: &str = "int f(int n) { int i; for (i = 0; i < n; i++) work(i); return i; }\n";

fn sandbox(name: &str) -> Sandbox {
    let sandbox = Sandbox::new(name);
    sandbox.write("f.c", SOURCE);
    sandbox.ok(&["map", "-o", "expected.hmap", "f.c"]);
    sandbox
}

#[test]
fn a_link_stays_a_link() {
    let sandbox = sandbox("output-link");
    sandbox.write("real/app.hmap", "old");
    symlink("real/app.hmap", sandbox.path("link.hmap")).unwrap();
    sandbox.ok(&["map", "-o", "link.hmap", "f.c"]);
    let is_link = |path| fs::symlink_metadata(path).unwrap().file_type().is_symlink();
    assert!(is_link(sandbox.path("link.hmap")));
    let (written, expected) = (sandbox.path("real/app.hmap"), sandbox.path("expected.hmap"));
    assert_eq!(fs::read(written).unwrap(), fs::read(expected).unwrap());
}

/// As root a device would be lost otherwise: `-o /dev/null`.
#[test]
fn what_is_no_file_does_not_become_one() {
    let sandbox = sandbox("output-pipe");
    let pipe = sandbox.path("pipe");
    let made = Command::new("mkfifo").arg(&pipe).status().unwrap();
    assert!(made.success());
    let reader = std::thread::spawn({
        let pipe = pipe.clone();
        move || fs::read(pipe).unwrap()
    });
    sandbox.ok(&["map", "-o", "pipe", "f.c"]);
    assert!(fs::symlink_metadata(&pipe).unwrap().file_type().is_fifo());
    assert_eq!(
        reader.join().unwrap(),
        fs::read(sandbox.path("expected.hmap")).unwrap()
    );
}

#[test]
fn a_full_disk_is_an_error_and_not_silence() {
    let sandbox = sandbox("output-full");
    let output = sandbox
        .command(&["show", "expected.hmap"])
        .stdout(Stdio::from(File::create("/dev/full").unwrap()))
        .output()
        .unwrap();
    let message = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(2), "{message}");
    assert!(message.contains("No space left on device"), "{message}");
}

#[test]
fn a_limit_of_the_size_of_files_is_an_error_and_leaves_nothing_behind() {
    let sandbox = sandbox("output-limit");
    sandbox.write("app.hmap", "old");
    // The map of one function could take less than the limit.
    let functions = (0..40)
        .map(|n| format!("int function_{n}(int it) {{ while (it < {n}) it++; return call_{n}(it); }}\n"));
    sandbox.write("f.c", String::from_iter(functions));
    let hindmost = sandbox.command(&[]);
    // One block of 512 bytes.
    let limited = "ulimit -f 1; exec \"$0\" map --no-cache -q -o app.hmap f.c";
    let output = Command::new("sh")
        .args(["-c", limited])
        .arg(hindmost.get_program())
        .current_dir(&sandbox.root)
        .output()
        .unwrap();
    let message = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(2), "{message}");
    for word in ["cannot write", "app.hmap", "File too large"] {
        assert!(message.contains(word), "no '{word}' in: {message}");
    }
    assert_eq!(fs::read(sandbox.path("app.hmap")).unwrap(), b"old");
    let names = fs::read_dir(&sandbox.root)
        .unwrap()
        .map(|entry| entry.unwrap().file_name());
    let left = Vec::from_iter(names.filter(|name| name.to_string_lossy().contains(".tmp")));
    assert!(left.is_empty(), "{left:?}");
}

/// A name may turn the text around it, or move the cursor. JSON has an escape for such characters, and it is printed to terminals, too.
#[test]
fn no_character_of_a_name_acts_on_a_terminal() {
    let sandbox = Sandbox::new("output-names");
    let name = "sol\u{202e}ver\u{9b}2J\u{7f}.c";
    sandbox.write(name, SOURCE);
    sandbox.ok(&["map", "-o", "f.hmap", name]);
    let place = format!("{name}:1");
    for arguments in [
        &["show", "f.hmap", &place, "--format", "json"][..],
        &["show", "f.hmap", &place],
        &["slice", &place, name, "--slice-format", "json"],
        &["slice", &place, name, "--slice-format", "sarif"],
        &["slice", &place, name, "--slice-format", "lines"],
        &["slice", &place, name],
    ] {
        let out = sandbox.ok(arguments);
        let acts = |c: char| base::acts_on_terminal(c) && c != '\n';
        assert!(
            out.contains("sol") && !out.chars().any(acts),
            "{arguments:?}: {out:?}"
        );
    }
}

/// Everything that a name could do, to a terminal, a shell, a page, a graph, a format string or a line of its own.
const HOSTILE: &str = "x\u{1b}[2J\u{202e}\u{9b}\"'`$(touch owned)</script><img src=x onerror=alert(1)>%s{{policy}}|{}\\\n\r\tz\u{2028}&amp;]]>-->\u{e0041}\u{ad}";

/// A snapshot whose every text is hostile, of tasks that are told of in all ways.
fn hostile_snapshot() -> String {
    let frame = |name: &str, line: u32| {
        serde_json::json!({
            "function": name, "file": format!("{HOSTILE}.c"), "line": line, "module": format!("{HOSTILE}.so"), "pc": 16 * line,
            "values": {HOSTILE: 5, format!("{HOSTILE}2"): HOSTILE}, "missing": {format!("{HOSTILE}3"): HOSTILE},
        })
    };
    let mut lines =
        vec![serde_json::json!({"hindmost_snapshot": 1, "host": HOSTILE, "size": 12}).to_string()];
    let states = [
        "running",
        "sleeping",
        "uninterruptible",
        "stopped",
        "traced",
        "ended",
        "other",
        "sleeping",
    ];
    for (rank, state) in (0..).zip(states) {
        let frames = match rank {
            5 => vec![],
            6 => vec![serde_json::json!({"function": "f", "file": "f.c", "line": 1, "values": {"i": 3}})],
            _ => vec![
                serde_json::json!({"function": "f", "file": "f.c", "line": 1, "values": {"i": rank, HOSTILE: 3}}),
                frame(HOSTILE, 1 + rank % 3),
                frame(&format!("MPI_Recv{HOSTILE}"), 2),
            ],
        };
        let state = serde_json::json!({"run": state, "system_call": HOSTILE, "wait_channel": HOSTILE, "tracer": 4, "lock": {"address": 5, "owner": 9}});
        let mut task = serde_json::json!({
            "task": format!("{rank}{HOSTILE}"), "pid": 100 + rank, "program": HOSTILE, "told": [HOSTILE], "frames": frames, "state": state,
            "threads": [{"thread": 500 + rank, "name": HOSTILE, "frames": [frame(HOSTILE, 4)], "error": HOSTILE, "told": [HOSTILE], "state": state}],
        });
        // Of some only the name is known, which is then what is printed.
        if rank % 2 == 0 {
            task["rank"] = rank.into();
        }
        if rank == 5 {
            task["error"] = HOSTILE.into();
        }
        lines.push(task.to_string());
    }
    lines.join("\n") + "\n"
}

#[test]
fn no_text_of_a_snapshot_acts_where_it_is_printed() {
    let sandbox = Sandbox::new("output-snapshot");
    sandbox.write("f.c", SOURCE);
    sandbox.ok(&["map", "-o", "f.hmap", "f.c"]);
    sandbox.write("job.snapshot", hostile_snapshot());
    let order = ["order", "--map", "f.hmap", "--stacks", "job.snapshot"];
    let tree = ["tree", "job.snapshot", "--map", "f.hmap", "--format"];
    let last = format!("7{HOSTILE}");
    let all: [(&[&str], &[&str]); 11] = [
        (&order, &[]),
        (&order, &["--format", "json"]),
        (&order, &["--format", "sarif"]),
        (&order, &["--explain", "0", "1"]),
        (&order, &["--explain", "0", &last]),
        (&order, &["--slice", "--all"]),
        (&tree, &["text"]),
        (&tree, &["json"]),
        (&tree, &["dot"]),
        (&tree, &["folded"]),
        (&tree, &["html"]),
    ];
    for (command, more) in all {
        let arguments = [command, more].concat();
        let run = sandbox.run(&arguments);
        let dot_indents = more == ["dot"];
        let acts = |c: char| base::acts_on_terminal(c) && c != '\n' && !(c == '\t' && dot_indents);
        for said in [&run.out, &run.err] {
            let found = said
                .find(acts)
                .map(|at| said[..at].chars().rev().take(60).collect::<String>());
            assert_eq!(found, None, "{arguments:?}");
        }
        match more.last() {
            Some(&("json" | "sarif")) => drop(serde_json::from_str::<serde_json::Value>(&run.out).unwrap()),
            // The data's block and the script's are all that end.
            Some(&"html") => {
                assert_eq!(run.out.matches("</script").count(), 2);
                assert!(!run.out.contains("<img"));
            }
            _ => {}
        }
        assert!(
            run.out.contains("touch owned") || more.contains(&"--explain"),
            "{arguments:?}: {}{}",
            run.out,
            run.err
        );
    }
}

#[test]
fn commands_that_are_advised_can_be_pasted() {
    let sandbox = Sandbox::new("output-advice");
    let name = "a $(touch owned).c";
    sandbox.write(name, "#include <unistd.h>\nstruct s { struct s *next; };\nint main(int argc, char **argv) {\n  struct s l = {0};\n  struct s *p;\n  for (p = &l; p; p = p->next)\n    pause();\n  return 0;\n}\n");
    sandbox.compile(name, "app", &["-g", "-O2"]);
    let out = sandbox.run(&["check", "app"]).out;
    assert!(
        out.contains("hindmost counters '") && out.contains(".c:6'"),
        "{out}"
    );
}

/// `patch` takes what it is to change from lines of the patch, and a file's name may have a line end in it.
#[test]
fn a_patch_changes_the_file_that_it_is_of() {
    let sandbox = Sandbox::new("output-patch");
    let source = "struct s { struct s *next; };\nvoid g(struct s *p);\nvoid f(struct s *p) {\n  for (; p; p = p->next)\n    g(p);\n}\n";
    let victim = "Makefile";
    let hostile = format!("a.c\n+++ b/{victim}\n@@ -1 +1 @@\n-all:\n+all:; touch owned\n.c");
    let names = [hostile.as_str(), "b c\t\"\\.c", "größe.c"];
    for name in names {
        sandbox.write(&format!("src/{name}"), source);
    }
    sandbox.write(victim, "all:\n");
    let patch = sandbox.ok(&["counters", "--quiet", "src"]);
    sandbox.write("patch", &patch);
    for program in [
        &["patch", "-p1", "-i", "patch"][..],
        &["git", "apply", "-R", "patch"],
    ] {
        let output = Command::new(program[0])
            .args(&program[1..])
            .current_dir(&sandbox.root)
            // The sandbox is below a repository: paths are not its own.
            .env("GIT_CEILING_DIRECTORIES", sandbox.root.parent().unwrap())
            .output()
            .unwrap();
        assert!(output.status.success(), "{program:?}: {output:?}\n{patch}");
        let is_changed = program[0] == "patch";
        for name in names {
            let now = fs::read_to_string(sandbox.path(&format!("src/{name}"))).unwrap();
            assert_eq!(now.contains("hindmost_"), is_changed, "{program:?}: {name}");
        }
        assert_eq!(fs::read_to_string(sandbox.path(victim)).unwrap(), "all:\n");
    }
}
