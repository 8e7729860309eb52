//! Maps that travel inside programs: put there behind the link, or file by file by the compiler's wrapper.

use crate::support::{Run, Sandbox, Target, installed};
use serde_json::{Value, json};
use std::path::PathBuf;
use std::process::{Command, Stdio};

/// The program's main file; the loop is in the other one.
const MAIN: &str = "\
#include \"work.h\"
#include <stdlib.h>
int main(int argc, char **argv)
{
    work(twice(argc > 1 ? atoi(argv[1]) : 7));
    return 0;
}
";

const WORK: &str = "\
#include \"work.h\"
#include <unistd.h>
volatile int gate = 1;
void work(int stop)
{
    for (int count = 0; count < 1000; count++) {
        if (count == stop) {
            if (write(1, \"x\", 1) != 1)
                return;
            while (gate)
                continue;
        }
    }
}
";

const HEADER: &str = "\
void work(int stop);
static inline int twice(int n)
{
    return 2 * n;
}
";

pub(crate) fn written(name: &str) -> Sandbox {
    let sandbox = Sandbox::new(name);
    sandbox.write("src/main.c", MAIN);
    sandbox.write("src/work.c", WORK);
    sandbox.write("src/work.h", HEADER);
    sandbox
}

/// Runs a tool in the sandbox, which must succeed.
#[track_caller]
pub(crate) fn tool(sandbox: &Sandbox, words: &[&str]) {
    let output = Command::new(words[0])
        .args(&words[1..])
        .current_dir(&sandbox.root)
        .env("XDG_CACHE_HOME", sandbox.path("cache"))
        .output()
        .unwrap();
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(output.status.success(), "{words:?}: {said}");
}

/// Removes the maps that are kept.
pub(crate) fn forget(sandbox: &Sandbox) {
    let _ = std::fs::remove_dir_all(sandbox.path("cache"));
}

/// Compiles a source by the wrapper.
#[track_caller]
pub(crate) fn wrapped(sandbox: &Sandbox, words: &[&str]) -> Run {
    let run = sandbox.run(&[&["cc", "--"], words].concat());
    assert_eq!(run.code, Some(0), "{words:?}: {}", run.err);
    run
}

/// The answer about two processes of `program`, of which the second is further on, once the sources are gone; and what it warned of.
#[track_caller]
pub(crate) fn found(sandbox: &Sandbox, program: &str) -> (Value, String) {
    let _ = std::fs::remove_dir_all(sandbox.path("src"));
    let (early, late) = (sandbox.start(program, &["3"]), sandbox.start(program, &["40"]));
    let pids = [early.pid(), late.pid()];
    let run = sandbox.run(&["find", &pids[0], &pids[1], "--format", "json"]);
    let answer: Value = serde_json::from_str(&run.out).unwrap_or_else(|error| panic!("{error}: {}", run.err));
    assert_eq!(run.code, Some(0), "{}{}", run.out, run.err);
    assert_eq!(
        answer["hindmost"][0]["tasks"],
        serde_json::json!([early.pid()]),
        "{answer}"
    );
    (answer, run.err)
}

/// The sections of a file of ELF, by readelf.
pub(crate) fn sections(sandbox: &Sandbox, file: &str) -> String {
    let output = Command::new("readelf")
        .args(["-SW", file])
        .current_dir(&sandbox.root)
        .output()
        .unwrap();
    String::from_utf8(output.stdout).unwrap()
}

#[test]
fn a_map_survives_what_is_done_to_programs() {
    let sandbox = written("embed-strip");
    tool(
        &sandbox,
        &["cc", "-g", "-O1", "-o", "app", "src/main.c", "src/work.c"],
    );
    let told = sandbox.ok(&["embed", "app", "-o", "whole"]);
    assert!(told.starts_with("whole carries its map; "), "{told}");
    assert!(
        !sections(&sandbox, "app").contains(".hindmost.map"),
        "only the output has it"
    );
    for (name, words) in [
        ("plain", &["cp", "whole", "plain"][..]),
        ("no-debug", &["strip", "-g", "whole", "-o", "no-debug"]),
        (
            "unneeded",
            &["strip", "--strip-unneeded", "whole", "-o", "unneeded"],
        ),
        ("stripped", &["strip", "-s", "whole", "-o", "stripped"]),
        (
            "copied",
            &[
                "objcopy",
                "--strip-debug",
                "--compress-debug-sections",
                "whole",
                "copied",
            ],
        ),
    ] {
        tool(&sandbox, words);
        let (_, said) = found(&sandbox, name);
        assert_eq!(said, "", "{name}");
    }
    tool(&sandbox, &["objcopy", "--only-keep-debug", "whole", "app.debug"]);
    assert!(sandbox.ok(&["show", "app.debug"]).contains("Bound to "));
}

#[test]
fn a_map_inside_is_a_map_for_every_command() {
    let sandbox = written("embed-commands");
    tool(
        &sandbox,
        &["cc", "-g", "-O1", "-o", "app", "src/main.c", "src/work.c"],
    );
    sandbox.ok(&["map", "--exe", "app", "-o", "beside.hmap"]);
    sandbox.ok(&["embed", "app", "--map", "beside.hmap"]);
    assert_eq!(sandbox.ok(&["show", "app"]), sandbox.ok(&["show", "beside.hmap"]));
    let line = ["show", "app", "src/work.c:6"];
    assert_eq!(
        sandbox.ok(&line),
        sandbox.ok(&["show", "beside.hmap", "src/work.c:6"])
    );
    sandbox.ok(&["extract", "app", "-o", "out.hmap"]);
    let bytes = |name: &str| std::fs::read(sandbox.path(name)).unwrap();
    assert!(bytes("out.hmap") == bytes("beside.hmap"));
    let before = bytes("app").len();
    sandbox.ok(&["embed", "app"]);
    assert_eq!(bytes("app").len(), before, "it is replaced");
}

#[test]
fn a_map_is_stored_by_the_build_id_as_debug_files_are() {
    let sandbox = written("embed-store");
    tool(
        &sandbox,
        &["cc", "-g", "-O1", "-o", "whole", "src/main.c", "src/work.c"],
    );
    tool(&sandbox, &["strip", "-s", "whole", "-o", "app"]);
    sandbox.ok(&["embed", "whole"]);
    sandbox.ok(&["extract", "whole", "--store", "maps"]);
    forget(&sandbox);
    std::fs::remove_dir_all(sandbox.path("src")).unwrap();
    let (early, late) = (sandbox.start("app", &["3"]), sandbox.start("app", &["40"]));
    let find = |maps: PathBuf| {
        let mut command = sandbox.command(&["find", &early.pid(), &late.pid(), "--format", "json"]);
        let output = command.env("HINDMOST_MAP_PATH", maps).output().unwrap();
        serde_json::from_slice::<Value>(&output.stdout).unwrap()["hindmost"][0]["tasks"].to_string()
    };
    assert!(find(sandbox.path("maps")).contains(&early.pid()));
    assert!(!find(sandbox.path("nowhere")).contains(&early.pid()));
}

#[test]
fn linkers_join_what_the_wrapper_has_put_into_objects() {
    const LINKERS: [&str; 4] = ["bfd", "gold", "lld", "mold"];
    if !LINKERS.iter().all(|linker| installed(&format!("ld.{linker}"))) {
        return;
    }
    for linker in LINKERS {
        let sandbox = written(&format!("embed-{linker}"));
        let with = format!("-fuse-ld={linker}");
        wrapped(&sandbox, &["cc", "-g", "-O1", "-c", "src/main.c"]);
        wrapped(&sandbox, &["cc", "-g", "-O1", "-c", "src/work.c", "-o", "w.o"]);
        // Through archives, one of which names its objects alone, and through a link that makes an object again.
        tool(&sandbox, &["ar", "rcs", "libw.a", "w.o"]);
        tool(&sandbox, &["ld", "-r", "main.o", "-o", "m.o"]);
        tool(&sandbox, &["ar", "rcs", "--thin", "libm.a", "m.o"]);
        tool(
            &sandbox,
            &["cc", &with, "-Wl,--gc-sections", "libm.a", "libw.a", "-o", "app"],
        );
        tool(&sandbox, &["strip", "-g", "app", "-o", "stripped"]);
        assert!(
            sections(&sandbox, "stripped").contains(".hindmost.units"),
            "{linker}"
        );
        let (_, said) = found(&sandbox, "app");
        assert_eq!(said, "", "{linker}");
    }
}

#[test]
fn fragments_give_the_map_that_sources_give() {
    let sandbox = written("embed-equal");
    wrapped(
        &sandbox,
        &["cc", "-g", "-O1", "-o", "app", "src/main.c", "src/work.c"],
    );
    sandbox.ok(&["embed", "app", "-o", "whole"]);
    sandbox.ok(&[
        "map",
        "--exe",
        "app",
        "src/main.c",
        "src/work.c",
        "-o",
        "sources.hmap",
    ]);
    let summary = |map: &str| {
        let value: Value = serde_json::from_str(&sandbox.ok(&["show", map, "--format", "json"])).unwrap();
        value
            .to_string()
            .replace(sandbox.root.to_str().unwrap(), "")
            .replace("\"/src", "\"src")
    };
    assert_eq!(summary("whole"), summary("sources.hmap"));
    for line in 1..15 {
        let place = format!("work.c:{line}");
        let of = |map: &str| {
            sandbox
                .run(&["show", map, &place])
                .out
                .replace(sandbox.root.to_str().unwrap(), "")
        };
        assert_eq!(
            of("whole").replace("/src/", "src/"),
            of("sources.hmap").replace("/src/", "src/"),
            "{place}"
        );
    }
}

#[test]
fn the_compiler_is_run_as_if_it_were_alone() {
    let sandbox = written("embed-cc");
    let alone = |words: &[&str]| {
        let output = Command::new("cc")
            .args(words)
            .current_dir(&sandbox.root)
            .stdin(Stdio::null())
            .output()
            .unwrap();
        (
            output.status.code(),
            output.stdout,
            String::from_utf8(output.stderr).unwrap(),
        )
    };
    let through = |words: &[&str]| {
        let words = [&["cc", "--", "cc"], words].concat();
        let output = sandbox.command(&words).stdin(Stdio::null()).output().unwrap();
        (
            output.status.code(),
            output.stdout,
            String::from_utf8(output.stderr).unwrap(),
        )
    };
    sandbox.write("src/broken.c", "int f( {\n");
    sandbox.write("src/warns.c", "int f(void) { int unused; return 1; }\n");
    sandbox.write("options", "-c src/work.c -o by_file.o -MD\n");
    for words in [
        &["-E", "src/main.c"][..],
        &["-fsyntax-only", "src/broken.c"],
        &["-Wall", "-c", "src/warns.c"],
        &["-c", "src/main.c", "-o", "/dev/null"],
        &["--version"],
        &["-c", "nowhere.c"],
        &["-S", "src/main.c", "-o", "-"],
        &["-c", "src/main.c", "-o", "-"],
        &["-c", "-x", "c", "-"],
        &["@options"],
        &["-c", "src/main.c", "src/work.c"],
        &["-flto", "-c", "src/main.c", "-o", "lto.o"],
    ] {
        assert_eq!(through(words), alone(words), "{words:?}");
    }
    // A file that this command has not written is none of its business, whatever it is called.
    sandbox.write("main.o", "written by somebody else");
    let past = std::time::SystemTime::now() - std::time::Duration::from_secs(60);
    std::fs::File::options()
        .write(true)
        .open(sandbox.path("main.o"))
        .unwrap()
        .set_modified(past)
        .unwrap();
    assert_eq!(
        sandbox.run(&["cc", "--", "true", "-c", "src/main.c"]).code,
        Some(0)
    );
    assert_eq!(
        std::fs::read(sandbox.path("main.o")).unwrap(),
        b"written by somebody else"
    );
    let run = sandbox.run(&["cc", "--", "no-such-compiler", "-c", "src/main.c"]);
    assert_eq!(run.code, Some(127), "{}", run.err);
    // A compiler that a signal ends.
    sandbox.write("killed.sh", "kill -9 $$\n");
    assert_eq!(sandbox.run(&["cc", "--", "sh", "killed.sh"]).code, Some(137));
}

#[test]
fn an_object_is_the_compilers_but_for_one_section() {
    let sandbox = written("embed-object");
    tool(
        &sandbox,
        &["cc", "-g", "-O2", "-c", "src/work.c", "-o", "alone.o"],
    );
    wrapped(
        &sandbox,
        &["cc", "-g", "-O2", "-c", "src/work.c", "-o", "wrapped.o"],
    );
    tool(
        &sandbox,
        &["objcopy", "-R", ".hindmost.units", "wrapped.o", "without.o"],
    );
    tool(&sandbox, &["objcopy", "alone.o", "same.o"]);
    let bytes = |name: &str| std::fs::read(sandbox.path(name)).unwrap();
    assert!(bytes("without.o") == bytes("same.o"));
    // Compiled again, it is the same again.
    let first = bytes("wrapped.o");
    wrapped(
        &sandbox,
        &["cc", "-g", "-O2", "-c", "src/work.c", "-o", "wrapped.o"],
    );
    assert!(bytes("wrapped.o") == first);
}

/// Wherever the map came from, the answer says it, and by its hash it is found again.
#[test]
fn an_answer_names_its_map() {
    let sandbox = written("embed-named");
    tool(
        &sandbox,
        &[
            "cc",
            "-g",
            "-Wl,--build-id=0x1234",
            "-o",
            "app",
            "src/main.c",
            "src/work.c",
        ],
    );
    let process = sandbox.start("app", &["3"]);
    let of = |arguments: &[&str]| {
        let run = sandbox.run(arguments);
        let answer: Value =
            serde_json::from_str(&run.out).unwrap_or_else(|error| panic!("{error}: {}", run.err));
        answer["map"].clone()
    };
    let find = || {
        of(&[
            "find",
            &process.pid(),
            "--format",
            "json",
            "--save",
            "job.snapshot",
        ])
    };
    let hash = |name: &str| {
        let bytes = std::fs::read(sandbox.path(name)).unwrap();
        engine::build_id_text(&engine::content_hash(&bytes))
    };
    let path = |name: &str| {
        sandbox
            .path(name)
            .canonicalize()
            .unwrap()
            .to_string_lossy()
            .into_owned()
    };
    let (made, kept) = (find(), find());
    assert_eq!((&made["from"], &kept["from"]), (&json!("made"), &json!("kept")));
    assert_eq!((&made["blake3"], &made["path"]), (&kept["blake3"], &Value::Null));
    sandbox.ok(&["embed", "app"]);
    sandbox.ok(&["extract", "app", "-o", "inside"]);
    let inside =
        json!({"from": "program", "path": path("app"), "build_id": "1234", "blake3": hash("inside")});
    let recorded = of(&[
        "order",
        "--map",
        &path("app"),
        "--stacks",
        "job.snapshot",
        "--format",
        "json",
    ]);
    assert_eq!(recorded, inside);
    sandbox.ok(&["map", "--exe", "app", "-q"]);
    let beside =
        json!({"from": "file", "path": path("app.hmap"), "build_id": "1234", "blake3": hash("app.hmap")});
    assert_eq!(find(), beside);
}

#[test]
fn what_cannot_be_used_is_said_and_left_out() {
    let sandbox = written("embed-bad");
    let built = |name: &str, level: &str| {
        wrapped(
            &sandbox,
            &[
                "cc",
                "-g",
                level,
                "-Wl,--build-id=0x1234",
                "-o",
                name,
                "src/main.c",
                "src/work.c",
            ],
        );
    };
    built("app", "-O1");
    built("other", "-O0");
    sandbox.ok(&["embed", "other"]);
    sandbox.ok(&["extract", "other", "-o", "other.hmap"]);
    let why = sandbox.refused(&["embed", "app", "--map", "other.hmap"]);
    assert!(why.contains("other.hmap"), "{why}");

    // The map of another build, by force; then one that is cut short, and one that is no map.
    let map = std::fs::read(sandbox.path("other.hmap")).unwrap();
    for (name, content) in [
        ("foreign", &map[..]),
        ("cut", &map[..map.len() / 2]),
        ("noise", &b"noise"[..]),
    ] {
        sandbox.write("content", content);
        let section = ".hindmost.map=content";
        forget(&sandbox);
        tool(&sandbox, &["objcopy", "--add-section", section, "app", name]);
        let process = sandbox.start(name, &["3"]);
        let run = sandbox.run(&["find", &process.pid()]);
        assert!(
            run.out.contains("the map inside") && run.out.contains("ignored: "),
            "{name}: {}",
            run.out
        );
        assert!(
            run.out.contains("count=6"),
            "{name}: the fragments tell: {}",
            run.out
        );
    }

    // Fragments of another version, and damaged ones: the sources are asked instead.
    for (name, change) in [
        ("older", &b"hindmost-unit 1 abc\0"[..]),
        ("damaged", b"hindmost-uxyz"),
    ] {
        sandbox.write("content", change);
        let section = ".hindmost.units=content";
        forget(&sandbox);
        tool(&sandbox, &["objcopy", "--update-section", section, "app", name]);
        let process = sandbox.start(name, &["3"]);
        let run = sandbox.run(&["find", &process.pid()]);
        assert!(
            run.out.contains("fragments of the map inside"),
            "{name}: {}",
            run.out
        );
        assert!(run.out.contains("count=6"), "{name}: {}", run.out);
    }
    assert!(sandbox.refused(&["show", "app"]).contains("no map inside"));
    sandbox.write("text", "no program");
    assert!(sandbox.refused(&["embed", "text"]).contains("text"));
}

#[test]
fn a_program_of_which_only_a_part_was_compiled_by_the_wrapper() {
    let sandbox = written("embed-part");
    wrapped(&sandbox, &["cc", "-g", "-O1", "-c", "src/work.c"]);
    tool(
        &sandbox,
        &["cc", "-g", "-O1", "-o", "app", "src/main.c", "work.o"],
    );
    let process = sandbox.start("app", &["3"]);
    let find = || sandbox.run(&["find", &process.pid()]).out;
    let functions = || sandbox.ok(&["embed", "app", "-o", "whole"]) + &sandbox.ok(&["show", "whole"]);
    // The sources are here: they know more.
    assert!(functions().contains("3 files, 3 functions"), "{}", functions());
    forget(&sandbox);
    std::fs::remove_dir_all(sandbox.path("src")).unwrap();
    assert!(functions().contains("2 files, 2 functions"), "{}", functions());
    let found = find();
    assert!(
        found.contains("1 of the sources of") && found.contains("carry no fragment"),
        "{found}"
    );
    assert!(found.contains("count=6"), "{found}");
}

#[test]
fn who_runs_a_program_that_is_given_a_map_runs_it_as_before() {
    let sandbox = written("embed-running");
    tool(
        &sandbox,
        &["cc", "-g", "-O1", "-o", "app", "src/main.c", "src/work.c"],
    );
    tool(&sandbox, &["chmod", "2751", "app"]);
    let mut running: Target = sandbox.start("app", &["3"]);
    sandbox.ok(&["embed", "app"]);
    assert!(running.is_running());
    use std::os::unix::fs::PermissionsExt as _;
    let mode = std::fs::metadata(sandbox.path("app"))
        .unwrap()
        .permissions()
        .mode();
    // Without the rights of another: the new file may have a new owner.
    assert_eq!(mode & 0o7777, 0o751);
    let run = sandbox.run(&["find", &running.pid()]);
    assert!(run.out.contains("count=6"), "{}{}", run.out, run.err);
}
