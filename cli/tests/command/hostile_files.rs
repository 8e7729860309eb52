//! Names that lead elsewhere by now: to a pipe that nobody writes to, to a device without an end, to a directory. Whoever reads them must not wait,
//! and must not read for ever.

use crate::support::Sandbox;
use std::fs;
use std::os::unix::fs::symlink;
use std::path::Path;
use std::process::Command;

const SOURCE: &str = "int f(int n) { int i; for (i = 0; i < n; i++) work(i); return i; }\n";

fn pipe(path: &Path) {
    let made = Command::new("mkfifo").arg(path).status().unwrap();
    assert!(made.success());
}

/// Runs the command; one that waits for ever is ended after a minute, and fails the test.
#[track_caller]
fn ended(sandbox: &Sandbox, arguments: &[&str]) -> (i32, String) {
    let command = sandbox.command(arguments);
    let mut timed = Command::new("timeout");
    timed.args(["--kill-after", "1", "60"]).arg(command.get_program());
    timed.args(arguments).current_dir(&sandbox.root);
    timed.envs(
        command
            .get_envs()
            .filter_map(|(name, value)| Some((name, value?))),
    );
    let output = timed.output().unwrap();
    let said = [output.stdout, output.stderr].concat();
    let said = String::from_utf8_lossy(&said).into_owned();
    let code = output.status.code().unwrap_or(-1);
    assert!(
        ![124, 137, -1].contains(&code),
        "{arguments:?} did not end: {said}"
    );
    (code, said)
}

#[test]
fn what_a_user_names_is_a_file_or_an_error() {
    let sandbox = Sandbox::new("hostile-named");
    sandbox.write("f.c", SOURCE);
    sandbox.ok(&["map", "-o", "f.hmap", "f.c"]);
    pipe(&sandbox.path("pipe"));
    fs::create_dir(sandbox.path("build")).unwrap();
    pipe(&sandbox.path("build/compile_commands.json"));
    let own = std::process::id().to_string();
    for name in ["pipe", "/dev/zero"] {
        for arguments in [
            &["show", name][..],
            &["order", "--map", "f.hmap", "--stacks", name],
            &["order", "--map", name, "--stacks", "f.c"],
            &["tree", name, "--map", "f.hmap"],
            &["view", name, "--map", "f.hmap"],
            &["map", "-o", "g.hmap", "--exe", name, "f.c"],
            &["map", "-o", "g.hmap", "-p", name],
            &["map", "-o", "g.hmap", "-p", "build"],
            &["find", "--core", name],
            &["find", "--table", name],
            &["find", "--map", name, &own],
            &["check", name],
        ] {
            let (code, said) = ended(&sandbox, arguments);
            assert_eq!(code, 2, "{arguments:?}: {said}");
            let named = said.contains("not a regular file") && said.contains("cannot read");
            assert!(named, "{arguments:?}: {said}");
        }
        ended(&sandbox, &["lsp", "--map", name]);
        for arguments in [
            &["map", "-o", "g.hmap", name, "f.c"][..],
            &["slice", "f.c:1", name, "f.c"],
            &["counters", name, "f.c"],
        ] {
            let (_, said) = ended(&sandbox, arguments);
            assert!(said.contains("not a regular file"), "{arguments:?}: {said}");
        }
    }
}

#[test]
fn sources_and_headers_that_are_no_files_are_left_out() {
    let sandbox = Sandbox::new("hostile-sources");
    let included = ["pipe.h", "zero.h", "huge.h"].map(|name| format!("#include \"{name}\"\n"));
    sandbox.write("src/f.c", included.concat() + SOURCE);
    pipe(&sandbox.path("src/pipe.h"));
    symlink("/dev/zero", sandbox.path("src/zero.h")).unwrap();
    fs::File::create(sandbox.path("src/huge.h"))
        .unwrap()
        .set_len(1 << 40)
        .unwrap();
    pipe(&sandbox.path("src/g.c"));
    symlink("/dev/zero", sandbox.path("src/h.c")).unwrap();
    let (code, said) = ended(&sandbox, &["map", "-o", "f.hmap", "src"]);
    assert_eq!(code, 0, "{said}");
    assert!(said.contains("huge.h") && said.contains("more than"), "{said}");
    assert_eq!(said.matches("huge.h").count(), 1, "{said}");
    let shown = sandbox.ok(&["show", "f.hmap", "src/f.c:4"]);
    assert!(shown.contains("loop"), "{shown}");

    // What the map names is gone by the time of the hang, and something else has its name.
    sandbox.write("stacks", "#hindmost-stacks\n");
    fs::remove_file(sandbox.path("src/f.c")).unwrap();
    pipe(&sandbox.path("src/f.c"));
    for arguments in [
        &["show", "f.hmap", "src/f.c:4"][..],
        &["slice", "src/f.c:4", "src"],
    ] {
        ended(&sandbox, arguments);
    }
}

#[test]
fn debug_info_and_programs_that_became_pipes_are_not_waited_for() {
    let sandbox = Sandbox::new("hostile-programs");
    sandbox.write(
        "spin.c",
        "#include <unistd.h>\nint main(void) { write(1, \"x\", 1); for (;;) pause(); }\n",
    );
    sandbox.compile("spin.c", "spin", &["-g"]);
    let made = Command::new("sh")
        .args(["-c", "objcopy --only-keep-debug spin spin.debug && strip spin && objcopy --add-gnu-debuglink=spin.debug spin"])
        .current_dir(&sandbox.root)
        .status()
        .unwrap();
    assert!(made.success());
    fs::remove_file(sandbox.path("spin.debug")).unwrap();
    pipe(&sandbox.path("spin.debug"));
    let target = sandbox.start("spin", &[]);
    let (code, said) = ended(&sandbox, &["find", &target.pid()]);
    assert!(code != 2 && said.contains("pause"), "{code}: {said}");
    // The program itself is deleted, and its name is now that of a pipe.
    fs::remove_file(sandbox.path("spin")).unwrap();
    pipe(&sandbox.path("spin"));
    let (code, said) = ended(&sandbox, &["find", &target.pid()]);
    assert!(code != 2 && said.contains("pause"), "{code}: {said}");
}
