//! `hindmost map -p`: what raw text leaves open comes from the build's own preprocessor, and a compiler that is missing,
//! fails or hangs costs a warning.

use crate::support::{Sandbox, installed};
use std::process::Command;

/// Loops behind macros that another header, out of the map's sight, defines.
const LOOPS: &str = "#include <loops.h>
int work(int);
int f(int n) {
  int sum = 0;
  EACH_BEGIN(i, n)
    sum += work(i);
  EACH_END
  return sum;
}
int plain(int n) { while (n > 0) n--; return n; }
";
const HEADER: &str = "#define EACH_BEGIN(i, n) { int i; for (i = 0; i < (n); i++) {\n#define EACH_END }}\n";

/// A project whose header the map does not see: it is in a system directory, as far as the compiler is concerned.
fn project(name: &str) -> Sandbox {
    let sandbox = Sandbox::new(name);
    sandbox.write("src/a.c", LOOPS);
    sandbox.write(
        "src/main.c",
        "int f(int);\nint work(int n) { return n; }\nint main(void) { return f(3); }\n",
    );
    sandbox.write("system/loops.h", HEADER);
    sandbox.write(
        "CMakeLists.txt",
        "cmake_minimum_required(VERSION 3.10)\nproject(loops C)\nadd_executable(loops src/a.c src/main.c)\n\
         target_include_directories(loops SYSTEM PRIVATE system)\n",
    );
    sandbox.write(
        "Makefile",
        "loops: src/a.c src/main.c\n\tgcc -isystem system -g -o a.o -c src/a.c\n\tgcc -g -o main.o -c src/main.c\n",
    );
    sandbox
}

/// The database of a command for `src/a.c`.
fn database(sandbox: &Sandbox, arguments: &[&str]) {
    let entry = serde_json::json!([{
        "directory": sandbox.root, "file": "src/a.c", "arguments": arguments
    }]);
    sandbox.write("compile_commands.json", entry.to_string());
}

/// What `show` says of the function at a line.
fn shown(sandbox: &Sandbox, line: &str) -> String {
    sandbox.ok(&["show", "app.hmap", line])
}

#[track_caller]
fn is_rebuilt(sandbox: &Sandbox, out: &str) {
    assert!(
        out.contains("(1 as preprocessed)") && out.contains("2 loops, 1 of them with a LOV"),
        "{out}"
    );
    let loops = shown(sandbox, "a.c:6");
    assert!(
        loops.contains("call work 6:12") && loops.contains("LOV i: strict"),
        "{loops}"
    );
    assert!(
        loops.contains("understood as the preprocessor left it"),
        "{loops}"
    );
}

#[track_caller]
fn is_partial(sandbox: &Sandbox, cause: &str) {
    let run = sandbox.run(&["map", "-p", "."]);
    assert_eq!(run.code, Some(0), "{}", run.err);
    let about = run
        .err
        .lines()
        .filter(|line| line.contains("not preprocessed"))
        .count();
    assert_eq!(about, 1, "{}", run.err);
    assert!(run.err.contains(cause), "{}", run.err);
    assert!(run.out.contains("1 in part"), "{}", run.out);
}

#[test]
fn a_database_by_cmake() {
    if !installed("cmake") {
        return;
    }
    let sandbox = project("cmake");
    let made = Command::new("cmake")
        .args(["-S", ".", "-B", "build", "-DCMAKE_EXPORT_COMPILE_COMMANDS=ON"])
        .current_dir(&sandbox.root)
        .output()
        .unwrap();
    assert!(made.status.success(), "{}", String::from_utf8_lossy(&made.stderr));
    let without = sandbox.ok(&["map", "-p", "build", "--no-preprocess"]);
    assert!(without.contains("1 in part"), "{without}");
    let with = sandbox.ok(&["map", "-p", "build"]);
    is_rebuilt(&sandbox, &with);
}

#[test]
fn a_database_by_bear() {
    if !installed("bear") || !installed("make") {
        return;
    }
    let sandbox = project("bear");
    let made = Command::new("bear")
        .args(["--", "make", "-B"])
        .current_dir(&sandbox.root)
        .output()
        .unwrap();
    assert!(made.status.success(), "{}", String::from_utf8_lossy(&made.stderr));
    let with = sandbox.ok(&["map", "-p", "."]);
    is_rebuilt(&sandbox, &with);
}

#[test]
fn compilers_that_do_not_answer() {
    let sandbox = project("no-answer");
    database(&sandbox, &["no-such-compiler", "-c", "src/a.c"]);
    is_partial(&sandbox, "no-such-compiler is not installed");
    database(&sandbox, &["gcc", "-c", "src/a.c"]);
    is_partial(&sandbox, "loops.h: No such file or directory");
    database(&sandbox, &["sh", "hang.sh"]);
    sandbox.write("hang.sh", "exit 3\n");
    // `sh -E hang.sh`: a compiler that says nothing.
    is_partial(&sandbox, "failed");
    let hang = sandbox.write("hang", "#!/bin/sh\nsleep 600 &\nsleep 600\n");
    let mut mode = std::fs::metadata(&hang).unwrap().permissions();
    std::os::unix::fs::PermissionsExt::set_mode(&mut mode, 0o755);
    std::fs::set_permissions(&hang, mode).unwrap();
    database(&sandbox, &[hang.to_str().unwrap(), "src/a.c"]);
    let run = sandbox.run(&["map", "-p", ".", "--preprocess-limit", "1"]);
    assert!(run.err.contains("took longer than 1 s"), "{}", run.err);
    assert!(run.out.contains("1 in part"), "{}", run.out);
    // Output that is of something else altogether.
    database(&sandbox, &["echo", "int x;"]);
    let run = sandbox.run(&["map", "-p", "."]);
    assert!(run.err.contains("no line markers"), "{}", run.err);
    assert!(run.out.contains("1 in part"), "{}", run.out);
}

#[test]
fn commands_for_files_that_are_not_there() {
    let sandbox = project("no-file");
    let entry = |file: &str| serde_json::json!({"directory": sandbox.root, "file": file, "command": format!("gcc -isystem system -c {file}")});
    let entries = serde_json::json!([entry("src/gone.c"), entry("src/a.c")]);
    sandbox.write("compile_commands.json", entries.to_string());
    let run = sandbox.run(&["map", "-p", "."]);
    assert_eq!(run.code, Some(0), "{}", run.err);
    assert!(run.err.contains("gone.c"), "{}", run.err);
    is_rebuilt(&sandbox, &run.out);
}
