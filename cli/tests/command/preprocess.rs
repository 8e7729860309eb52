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
    let run = sandbox.run(&["map", "-p", ".", "--trust-build"]);
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
    let run = sandbox.run(&["map", "-p", ".", "--trust-build", "--preprocess-limit", "1"]);
    assert!(run.err.contains("took longer than 1 s"), "{}", run.err);
    assert!(run.out.contains("1 in part"), "{}", run.out);
    // Output that is of something else altogether.
    database(&sandbox, &["echo", "int x;"]);
    let run = sandbox.run(&["map", "-p", ".", "--trust-build"]);
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

/// A tree may come from anywhere, and its database with it. What it would have us run and write, it does not get.
#[test]
fn a_hostile_database_runs_nothing_and_writes_nothing() {
    let sandbox = project("hostile-database");
    sandbox.write("precious", "precious");
    let evil = sandbox.write("evil/cc1", "#!/bin/sh\ntouch owned\nexit 1\n");
    std::fs::copy(&evil, sandbox.path("gcc")).unwrap();
    for program in ["evil/cc1", "gcc"] {
        let executable = std::os::unix::fs::PermissionsExt::from_mode(0o755);
        std::fs::set_permissions(sandbox.path(program), executable).unwrap();
    }
    let source = ["-isystem", "system", "-c", "src/a.c"];
    let precious = sandbox.path("precious");
    let precious = precious.to_str().unwrap();
    let with = |options: &[&str]| database(&sandbox, &[&["gcc"], options, &source].concat());
    let all: [&[&str]; 13] = [
        &["-B", "evil/"],
        &["-Bevil/"],
        &["-wrapper", "./evil/cc1"],
        &["--output", precious],
        &["--output=precious"],
        &["-oprecious"],
        &["-Wp,-o,precious"],
        &["-Wp,-MD,precious"],
        &["-MMD", "-MF", precious],
        &["--write-dependencies"],
        &["-fplugin=./evil/cc1"],
        &["-specs=evil/cc1"],
        &["@precious"],
    ];
    for options in all {
        with(options);
        let run = sandbox.run(&["map", "-p", ".", "--no-cache"]);
        assert_eq!(run.code, Some(0), "{options:?}: {}", run.err);
        assert!(!sandbox.path("owned").exists(), "{options:?}");
        assert_eq!(std::fs::read(precious).unwrap(), b"precious", "{options:?}");
        assert!(!sandbox.path("a.d").exists(), "{options:?}");
    }
    // Programs that are no compilers, and the tree's own that call themselves one.
    for program in ["./gcc", "evil/cc1", "touch"] {
        database(&sandbox, &[program, "owned"]);
        let run = sandbox.run(&["map", "-p", ".", "--no-cache"]);
        assert!(
            run.err.contains("not known as a compiler (--trust-build"),
            "{}",
            run.err
        );
        assert!(!sandbox.path("owned").exists(), "{program}");
    }
    // `PATH` may hold the directory that a command runs in.
    let path = format!(".:{}", std::env::var("PATH").unwrap());
    with(&[]);
    let run = sandbox
        .command(&["map", "-p", ".", "--no-cache"])
        .env("PATH", path)
        .output()
        .unwrap();
    let out = String::from_utf8_lossy(&run.stdout);
    assert!(!sandbox.path("owned").exists());
    is_rebuilt(&sandbox, &out);
}

/// Consent is to run what a build runs, and not to have its files overwritten.
#[test]
fn with_consent_what_is_known_to_write_is_left_out() {
    let sandbox = project("trusted-writers");
    let precious = sandbox.write("precious", "precious");
    let all: [&[&str]; 10] = [
        &["--output", "precious"],
        &["-oprecious"],
        &["-Wp,-o,precious"],
        &["-Wp,-oprecious"],
        &["-Wp,-MMD,precious"],
        &["-MMD", "-MFprecious"],
        &["--write-dependencies"],
        &["--write-user-dependencies"],
        &["-time=precious"],
        &["-save-temps=obj", "-dumpdir", "precious"],
    ];
    let files = || {
        let mut find = Command::new("find");
        find.args([".", "-not", "-name", "compile_commands.json"]);
        let found = find.current_dir(&sandbox.root).output().unwrap();
        let mut lines = Vec::from_iter(
            String::from_utf8(found.stdout)
                .unwrap()
                .lines()
                .map(str::to_owned),
        );
        lines.sort();
        lines
    };
    let before = files();
    for options in all {
        let command = [&["gcc"], options, &["-isystem", "system", "-c", "src/a.c"]].concat();
        database(&sandbox, &command);
        let run = sandbox.run(&["map", "-p", ".", "--no-cache", "--trust-build", "-o", "/dev/null"]);
        assert!(
            run.out.contains("(1 as preprocessed)"),
            "{options:?}: {}{}",
            run.out,
            run.err
        );
        assert_eq!(std::fs::read(&precious).unwrap(), b"precious", "{options:?}");
        assert_eq!(files(), before, "{options:?}");
    }
}

/// A source can crash the compiler that reads it, and that one then writes down how.
#[test]
fn a_compiler_that_a_source_crashes_leaves_nothing_behind() {
    if !installed("clang") {
        return;
    }
    let sandbox = project("crash");
    sandbox.write("src/a.c", format!("#pragma clang __debug crash\n{LOOPS}"));
    std::fs::create_dir(sandbox.path("temporary")).unwrap();
    database(&sandbox, &["clang", "-isystem", "system", "-c", "src/a.c"]);
    let crash = |trust: &[&str]| {
        let mut command = sandbox.command(&["map", "-p", ".", "--no-cache", "-o", "/dev/null"]);
        let run = command
            .args(trust)
            .env("TMPDIR", sandbox.path("temporary"))
            .output()
            .unwrap();
        let said = String::from_utf8_lossy(&run.stderr).into_owned();
        assert!(
            said.contains("not preprocessed") && said.contains("clang failed"),
            "{said}"
        );
        std::fs::read_dir(sandbox.path("temporary")).unwrap().count()
    };
    assert_eq!(crash(&[]), 0);
    assert!(
        crash(&["--trust-build"]) > 0,
        "it should leave something if it can"
    );
}

/// Runs the command of a database that would have the tree's own programs run or loaded, with an environment that leads to the directory in which
/// it runs, and tells what was said. Whatever of the tree runs leaves a file.
#[track_caller]
fn runs_nothing_of_the_tree(sandbox: &Sandbox, arguments: &[&str]) -> (String, String) {
    database(
        sandbox,
        &[arguments, &["-isystem", "system", "-c", "src/a.c"]].concat(),
    );
    let path = format!(".:{}", std::env::var("PATH").unwrap());
    let run = sandbox
        .command(&["map", "-p", ".", "--no-cache"])
        .env("PATH", path)
        .env("LD_LIBRARY_PATH", ":/nowhere")
        .env("COMPILER_PATH", ".")
        .output()
        .unwrap();
    let (out, err) = (
        String::from_utf8(run.stdout).unwrap(),
        String::from_utf8(run.stderr).unwrap(),
    );
    assert_eq!(run.status.code(), Some(0), "{arguments:?}: {err}");
    assert!(
        !sandbox.path("owned").exists(),
        "{arguments:?} ran a program of the tree: {err}"
    );
    (out, err)
}

/// A program that leaves a file.
fn program_of_the_tree(sandbox: &Sandbox, name: &str) {
    let path = sandbox.write(
        name,
        format!("#!/bin/sh\n: > {}\n", sandbox.path("owned").display()),
    );
    let executable = std::os::unix::fs::PermissionsExt::from_mode(0o755);
    std::fs::set_permissions(path, executable).unwrap();
}

#[test]
fn a_tree_cannot_name_its_own_programs_otherwise() {
    let sandbox = project("own-programs");
    for name in ["gcc", "clang", "cc1", "gnat1", "f951"] {
        program_of_the_tree(&sandbox, name);
    }
    sandbox.write("words", "-wrapper ./cc1");
    std::os::unix::fs::symlink("/bin/sh", sandbox.path("cc")).unwrap();
    sandbox.write("src/a.f90", ": > owned\n");
    // The directory of the tree by other names, and where it happens to be.
    let here = sandbox.path("gcc");
    for program in [
        "/proc/self/cwd/gcc",
        "/proc/self/cwd/cc",
        "/proc/thread-self/cwd/./gcc",
        here.to_str().unwrap(),
    ] {
        let (_, err) = runs_nothing_of_the_tree(&sandbox, &[program]);
        assert!(err.contains("neither in a directory of PATH"), "{program}: {err}");
    }
    for options in [
        &["gcc", "-D", "@words"][..],
        &["mpicc.mpich", "-D", "-cc=./gcc"],
        &["gcc", "-x", "ada"],
        &["gcc", "src/a.f90"],
    ] {
        let (_, err) = runs_nothing_of_the_tree(&sandbox, options);
        assert!(err.contains("not known to be harmless"), "{options:?}: {err}");
    }
    // A wrapper looks for its compiler in `PATH`, too.
    for compiler in ["gcc", "mpicc.openmpi", "mpicc.mpich"] {
        if installed(compiler) {
            let (out, _) = runs_nothing_of_the_tree(&sandbox, &[compiler]);
            is_rebuilt(&sandbox, &out);
        }
    }
}

#[test]
fn a_tree_cannot_have_its_own_library_loaded() {
    let sandbox = project("own-library");
    let owned = sandbox.path("owned");
    sandbox.write(
        "own.c",
        format!(
            "#include <fcntl.h>\n__attribute__((constructor)) static void f(void) {{ open(\"{}\", O_CREAT | O_WRONLY, 0600); }}\n",
            owned.display()
        ),
    );
    // gcc's own programs need this one, and hindmost does not.
    sandbox.compile("own.c", "libz.so.1", &["-shared", "-fPIC"]);
    let (out, _) = runs_nothing_of_the_tree(&sandbox, &["gcc"]);
    is_rebuilt(&sandbox, &out);
    // With consent it is loaded: the attack is one.
    let mut consent = sandbox.command(&["map", "-p", ".", "--no-cache", "--trust-build"]);
    assert!(consent.env("LD_LIBRARY_PATH", ":/nowhere").output().is_ok());
    assert!(owned.exists());
}

/// clang leaves languages other than its own to a gcc, which it looks for below the `--sysroot`.
#[test]
fn a_sysroot_is_no_place_of_programs() {
    if !installed("clang") {
        return;
    }
    let sandbox = project("sysroot");
    let machine = "mips-unknown-linux-gnu";
    sandbox.write(&format!("root/usr/lib/gcc/{machine}/99/crtbegin.o"), "");
    std::fs::create_dir_all(sandbox.path("root/usr/lib").join(machine)).unwrap();
    program_of_the_tree(&sandbox, &format!("root/usr/{machine}/bin/{machine}-gcc"));
    program_of_the_tree(&sandbox, &format!("root/usr/{machine}/bin/gcc"));
    sandbox.write("src/b.F90", "");
    let target = format!("--target={machine}");
    for other in [&["-x", "f95-cpp-input"][..], &["-xf95-cpp-input"], &["src/b.F90"]] {
        let (_, err) =
            runs_nothing_of_the_tree(&sandbox, &[&["clang", "--sysroot=root", &target], other].concat());
        assert!(err.contains("not known to be harmless"), "{other:?}: {err}");
    }
    // With consent, they are: the attack is one.
    sandbox.run(&["map", "-p", ".", "--no-cache", "--trust-build"]);
    assert!(sandbox.path("owned").exists());
}

#[test]
fn no_header_is_read_as_somebody_compiled_it() {
    if !installed("clang") {
        return;
    }
    let sandbox = project("precompiled");
    sandbox.write("first.h", "");
    sandbox.write("first.h.pch", "not compiled at all");
    let first = ["-include", "first.h"];
    let (_, err) = runs_nothing_of_the_tree(&sandbox, &[&["clang"], &first[..]].concat());
    assert!(err.contains("somebody has compiled before"), "{err}");
    let (out, _) = runs_nothing_of_the_tree(&sandbox, &[&["gcc"], &first[..]].concat());
    is_rebuilt(&sandbox, &out);
}

#[test]
fn wrappers_of_mpi_are_compilers() {
    for compiler in ["mpicc.openmpi", "mpicc.mpich", "clang"] {
        if !installed(compiler) {
            continue;
        }
        let sandbox = project(&format!("wrapper-{compiler}"));
        database(&sandbox, &[compiler, "-isystem", "system", "-c", "src/a.c"]);
        is_rebuilt(&sandbox, &sandbox.ok(&["map", "-p", "."]));
    }
}

/// Commands put together at random of options that write, options that run programs and options that do neither: whatever is run of them,
/// nothing of the tree changes. That they would change it is seen when the same are run with consent.
#[test]
fn no_command_changes_the_tree() {
    const WORDS: [&str; 36] = [
        "-o",
        "-oout1",
        "--output",
        "--output=out2",
        "-MD",
        "-MMD",
        "-MF",
        "-MFout3",
        "-Wp,-MD,out4",
        "-Wp,-o,out5",
        "-Wp,-MMD,out6",
        "-save-temps",
        "-save-temps=obj",
        "-dumpdir",
        "-dumpbase",
        "-fdump-tree-all",
        "-ftime-trace",
        "--write-dependencies",
        "--dependencies",
        "-c",
        "-S",
        "-g",
        "-gsplit-dwarf",
        "-fstack-usage",
        "-fcallgraph-info",
        "-fprofile-arcs",
        "-ftest-coverage",
        "-wrapper",
        "touch,out7",
        "-Bevil/",
        "-Wp,-DX,-o,out9",
        "-D",
        "X",
        "-O2",
        "-Ielsewhere",
        "-fdiagnostics-format=json-file",
    ];
    const FILES: u64 = 40;
    let sandbox = project("random-commands");
    let evil = sandbox.write("evil/cc1", "#!/bin/sh\ntouch out8\nexit 1\n");
    let executable = std::os::unix::fs::PermissionsExt::from_mode(0o755);
    std::fs::set_permissions(&evil, executable).unwrap();
    let mut random = base::Random(42);
    let mut below = |most: usize| random.below(most);
    let mut entries = Vec::new();
    for file in 0..FILES {
        let name = format!("many/{file}.c");
        sandbox.write(&name, LOOPS);
        let mut words = vec!["gcc".to_owned(), "-isystem".to_owned(), "system".to_owned()];
        words.extend((0..1 + below(4)).map(|_| WORDS[below(WORDS.len())].to_owned()));
        words.push(name.clone());
        entries.push(serde_json::json!({"directory": sandbox.root, "file": name, "arguments": words}));
    }
    sandbox.write("compile_commands.json", serde_json::json!(entries).to_string());
    let listed = || {
        let find = Command::new("find")
            .args([
                ".",
                "-path",
                "./cache",
                "-prune",
                "-o",
                "-type",
                "f",
                "-printf",
                "%p %s %T@\n",
            ])
            .current_dir(&sandbox.root)
            .output()
            .unwrap();
        let mut lines: Vec<String> = String::from_utf8(find.stdout)
            .unwrap()
            .lines()
            .map(str::to_owned)
            .collect();
        lines.sort();
        lines
    };
    let before = listed();
    let run = sandbox.run(&["map", "-p", ".", "--no-cache", "-o", "/dev/null"]);
    assert_eq!(run.code, Some(0), "{}", run.err);
    assert_eq!(listed(), before, "{}", run.err);
    assert!(run.out.contains("as preprocessed"), "some are run: {}", run.out);
    sandbox.run(&["map", "-p", ".", "--no-cache", "--trust-build", "-o", "/dev/null"]);
    assert_ne!(listed(), before, "consent should have let some of them write");
}
