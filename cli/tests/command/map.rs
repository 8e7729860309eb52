//! `hindmost map`: which files, which bytes, which warnings.

use crate::support::Sandbox;
use expect_test::expect;
use std::fs;

const F: &str = "int f(int n) { int i; for (i = 0; i < n; i++) g(i); return i; }\n";

/// The files that a map holds, as `show` would name them.
fn files_of(sandbox: &Sandbox, map: &str) -> usize {
    let json: serde_json::Value =
        serde_json::from_str(&sandbox.ok(&["show", map, "--format", "json"])).unwrap();
    usize::try_from(json["files"].as_u64().unwrap()).unwrap()
}

#[test]
fn a_directory_is_searched_for_sources() {
    let sandbox = Sandbox::new("directory");
    sandbox.write("src/a.c", F);
    sandbox.write("src/deep/b.h", "static inline int h(void) { return 2; }\n");
    sandbox.write("src/deep/c.cpp", "class X { int g() { return 3; } };\n");
    sandbox.write("src/deep/d.f90", "end\n");
    sandbox.write("src/.git/d.c", "int d(void) { return 0; }\n");
    sandbox.write("src/build/CMakeCache.txt", "");
    sandbox.write("src/build/e.c", "int e(void) { return 0; }\n");
    std::os::unix::fs::symlink(".", sandbox.path("src/loop")).unwrap();
    std::os::unix::fs::symlink("a.c", sandbox.path("src/same.c")).unwrap();
    let out = sandbox.ok(&["map", "-o", "a.hmap", "src"]);
    assert!(
        out.starts_with("a.hmap: 3 files, 3 functions, 1 loop, 1 of them with a LOV; "),
        "{out}"
    );
}

#[test]
fn headers_come_with_their_sources() {
    let sandbox = Sandbox::new("headers");
    sandbox.write(
        "src/a.c",
        format!("#include <stdio.h>\n#include \"../inc/a.h\"\n{F}"),
    );
    sandbox.write("inc/a.h", "#include \"b.h\"\n");
    sandbox.write("inc/b.h", "#define N 3\n");
    sandbox.ok(&["map", "src/a.c"]);
    assert_eq!(files_of(&sandbox, "app.hmap"), 3);
}

#[test]
fn a_compilation_database() {
    let sandbox = Sandbox::new("database");
    sandbox.write("src/a.c", format!("#include <own.h>\n{F}"));
    sandbox.write("include/own.h", "#define OWN 1\n");
    sandbox.write("src/b.f90", "end\n");
    sandbox.write("src/c.cpp", "int g() { return 0; }\n");
    let root = sandbox.root.to_str().unwrap();
    let entry = |file: &str| {
        format!(
            r#"{{"directory": "{root}/build", "file": "{file}", "command": "cc -I../include -c {file}"}}"#
        )
    };
    let database = [
        entry("../src/a.c"),
        entry("../src/./a.c"),
        entry("gone.c"),
        entry("../src/b.f90"),
        entry("../src/c.cpp"),
    ];
    sandbox.write("build/compile_commands.json", format!("[{}]", database.join(",")));
    let run = sandbox.run(&["map", "-p", "build", "-o", "a.hmap"]);
    assert_eq!(run.code, Some(0), "{}", run.err);
    assert!(run.err.contains("build/gone.c"), "{}", run.err);
    assert!(
        run.err.contains("1 compile commands are for neither C nor C++"),
        "{}",
        run.err
    );
    assert_eq!(files_of(&sandbox, "a.hmap"), 3);
    let shown = sandbox.ok(&["show", "a.hmap", "a.c:2", "--format", "json"]);
    assert!(shown.contains(&format!("\"{root}/src/a.c\"")), "{shown}");
}

#[test]
fn the_same_bytes_whatever_the_threads_and_the_order() {
    let sandbox = Sandbox::new("deterministic");
    for i in 0..20 {
        sandbox.write(&format!("src/f{i}.c"), F.replace("f(", &format!("f{i}(")));
    }
    sandbox.ok(&["map", "--no-cache", "-j", "4", "-o", "many.hmap", "src"]);
    let one = sandbox
        .command(&[
            "map",
            "--no-cache",
            "-j",
            "1",
            "-o",
            "one.hmap",
            "src/f7.c",
            "src",
        ])
        .output()
        .unwrap();
    assert!(one.status.success());
    assert_eq!(
        fs::read(sandbox.path("many.hmap")).unwrap(),
        fs::read(sandbox.path("one.hmap")).unwrap()
    );
    let left: Vec<_> = fs::read_dir(&sandbox.root)
        .unwrap()
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .filter(|name| name.ends_with(".tmp"))
        .collect();
    assert_eq!(left, [""; 0], "nothing temporary stays");
}

#[test]
fn a_broken_file_does_not_stop_the_others() {
    let sandbox = Sandbox::new("broken");
    sandbox.write("good.c", F);
    sandbox.write("broken.c", "int bad(int n) { while ( { n+ }\n");
    let run = sandbox.run(&["map", "good.c", "broken.c", "gone.c"]);
    assert_eq!(run.code, Some(0), "{}", run.err);
    assert!(
        run.err.contains("broken.c") && run.err.contains("gone.c"),
        "{}",
        run.err
    );
    assert!(
        sandbox
            .ok(&["show", "app.hmap", "good.c:1"])
            .contains("LOV i: strict")
    );
}

#[test]
fn what_cannot_be_mapped() {
    let sandbox = Sandbox::new("cannot-map");
    sandbox.write("empty.c", "/* nothing */\n");
    sandbox.write("x.f90", "end\n");
    sandbox.write("db/compile_commands.json", "{\"not\": \"an array\"}");
    sandbox.write("good.c", F);
    expect![[r#"
        hindmost: error: nothing to map
        hint: give C or C++ files, directories, -p compile_commands.json, or --exe PROGRAM built with -g
    "#]]
    .assert_eq(&sandbox.refused(&["map"]));
    expect![[r#"
        hindmost: warning: cannot read gone.c: No such file or directory (os error 2)
        hindmost: error: no source could be read
    "#]]
    .assert_eq(&sandbox.refused(&["map", "gone.c"]));
    expect![[r#"
        hindmost: error: no function with a body in 1 file
        hint: nothing was written; a map is made of C and C++ files with function definitions
    "#]]
    .assert_eq(&sandbox.refused(&["map", "empty.c"]));
    expect![[r#"
        hindmost: warning: x.f90: Fortran is not supported yet
        hindmost: error: no source could be read
    "#]]
    .assert_eq(&sandbox.refused(&["map", "x.f90"]));
    expect![[r#"
        hindmost: error: db/compile_commands.json: not a compilation database: invalid type: map, expected a sequence at line 1 column 0
        hint: it is a JSON array of objects with directory, file, and command or arguments
    "#]].assert_eq(&sandbox.refused(&["map", "-p", "db"]));
    expect![[r#"
        hindmost: error: nowhere does not exist
        hint: CMake writes it with -DCMAKE_EXPORT_COMPILE_COMMANDS=ON; for make, use `bear -- make`
    "#]]
    .assert_eq(&sandbox.refused(&["map", "-p", "nowhere"]));
    expect![[r#"
        hindmost: error: good.c: not an ELF file: give the program itself, not a script that starts it
    "#]]
    .assert_eq(&sandbox.refused(&["map", "--exe", "good.c", "good.c"]));
    expect![[r#"
        hindmost: error: cannot write no/such/dir.hmap: No such file or directory (os error 2)
    "#]]
    .assert_eq(&sandbox.refused(&["map", "-o", "no/such/dir.hmap", "good.c"]));
    assert!(
        !sandbox.path("app.hmap").exists(),
        "nothing is written when there is nothing to write"
    );
}

#[test]
fn bound_to_its_executable() {
    let sandbox = Sandbox::new("bound");
    sandbox.write(
        "src/app.c",
        "int main(void) { int i; for (i = 0; i < 9; i++) ; return i - 9; }\n",
    );
    sandbox.compile("src/app.c", "app", &["-g", "-O0"]);
    // No sources given: the debug info names them.
    let out = sandbox.ok(&["map", "--exe", "app"]);
    assert!(out.starts_with("app.hmap: 1 file, 1 function"), "{out}");
    assert!(out.contains("bound to app"), "{out}");
    let json: serde_json::Value =
        serde_json::from_str(&sandbox.ok(&["show", "app.hmap", "--format", "json"])).unwrap();
    assert_eq!(json["binding"]["functions_in_map"], 1, "{json:#}");
    assert_eq!(json["binding"]["variables_located"], 1, "{json:#}");

    sandbox.compile("src/app.c", "stripped", &["-O0", "-s"]);
    let message = sandbox.refused(&["map", "--exe", "stripped"]);
    assert!(
        message.contains("stripped: no debug info: rebuild with -g"),
        "{message}"
    );
}

#[test]
fn macros_of_headers_without_code_are_known_from_the_executable() {
    let sandbox = Sandbox::new("map-headers-of-exe");
    sandbox.write(
        "include/lib/each.h",
        "#define EACH(i, n) for (i = 0; i < (n); i++)\n",
    );
    sandbox.write("include/lib/grid.h", "struct grid { int cells; };\n");
    sandbox.write(
        "src/main.c",
        "#include <lib/grid.h>\n#include <lib/each.h>\nvoid visit(int i) { (void)i; }\n\
         int main(int argc, char **argv)\n{\n    struct grid grid = {argc + 3};\n    int i;\n    EACH(i, grid.cells)\n    {\n\
         \x20       visit(i);\n    }\n    return !argv;\n}\n",
    );
    let include = format!("-I{}", sandbox.path("include").display());
    sandbox.compile("src/main.c", "app", &["-g", "-O0", &include]);
    let said = sandbox.ok(&["map", "--exe", "app", "-o", "app.hmap"]);
    assert!(said.contains("1 loop, 1 of them with a LOV"), "{said}");
    let shown = sandbox.ok(&["show", "app.hmap", "main.c:10"]);
    assert!(shown.contains("LOV i: strict, up"), "{shown}");
}

#[test]
fn arms_that_the_build_left_out_change_nothing() {
    let sandbox = Sandbox::new("map-as-built");
    sandbox.write(
        "app.c",
        "int step;\nvoid keep(int *);\nvoid visit(void);\n#ifdef SHOW\nvoid show(void) { keep(&step); }\n#else\n\
         void show(void) { visit(); }\n#endif\nint main(void)\n{\n    for (step = 0; step < 9; step++)\n        show();\n#ifdef SHOW\n\
         \x20   keep(&step);\n#endif\n    return 0;\n}\n",
    );
    sandbox.write("other.c", "void visit(void) {}\nvoid keep(int *p) { *p = 9; }\n");
    for (flag, expected) in [("-DHIDE", true), ("-DSHOW", false)] {
        let built = sandbox.path("app.o").display().to_string();
        sandbox.compile("app.c", "app.o", &["-g", "-O2", "-c", flag]);
        sandbox.compile("other.c", "app", &["-g", "-O2", &built]);
        // By the debug info's names for the sources, and by those of the user.
        for sources in [&[][..], &["app.c", "other.c"]] {
            sandbox.ok(&[&["map", "--no-cache", "--exe", "app", "-o", "app.hmap"], sources].concat());
            let shown = sandbox.ok(&["show", "app.hmap", "app.c:11"]);
            assert_eq!(shown.contains("LOV step: strict"), expected, "{flag}: {shown}");
        }
    }
    // A library of the same program includes the file, and takes the other arm.
    let built = sandbox.path("app.o").display().to_string();
    sandbox.compile("app.c", "app.o", &["-g", "-O2", "-c", "-DHIDE"]);
    sandbox.compile("other.c", "app", &["-g", "-O2", &built]);
    sandbox.write("more.c", "#include \"app.c\"\nvoid more(void) { show(); }\n");
    sandbox.compile(
        "more.c",
        "libmore.so",
        &["-g", "-O2", "-fPIC", "-shared", "-DSHOW", "-Dmain=other_main"],
    );
    let with_library = [
        "map",
        "--no-cache",
        "--exe",
        "app",
        "--library",
        "libmore.so",
        "-o",
        "app.hmap",
    ];
    sandbox.ok(&with_library);
    let shown = sandbox.ok(&["show", "app.hmap", "app.c:11"]);
    assert!(!shown.contains("LOV step: strict"), "{shown}");
    // Without a build, both arms are possible.
    sandbox.ok(&["map", "--no-cache", "-o", "app.hmap", "app.c", "other.c"]);
    let shown = sandbox.ok(&["show", "app.hmap", "app.c:11"]);
    assert!(!shown.contains("LOV step: strict"), "{shown}");
}
