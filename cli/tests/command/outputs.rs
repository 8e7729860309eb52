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
