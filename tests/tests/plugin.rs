//! The plugin for gcc: what it reads is what the text says, it never fails a build, and `find` answers by what it left in a program.

use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};
use tests::oracle::generate::Profile;
use tests::oracle::judge::Directory;
use tests::second::{Comparison, Plugin, files_of, installed, made_plugin, random_programs};
use tests::stopped::{hindmost, succeed};

const GCC: &str = "gcc-12";

/// A directory with the plugin in it.
fn with_plugin(number: u64) -> Option<(Directory, PathBuf)> {
    if !installed(GCC) {
        return None;
    }
    let directory = Directory::of_seed(None, number).unwrap();
    let plugin = made_plugin(GCC)?;
    Some((directory, plugin))
}

fn all_agree(found: &Comparison) {
    assert!(found.left_out.is_empty() && found.faults.is_empty(), "{found}");
}

#[test]
fn the_compiler_and_the_text_agree() {
    let Some((directory, plugin)) = with_plugin(26_000) else {
        return;
    };
    let programs = random_programs(
        &directory.path,
        &[(Profile::Plain, 0..10), (Profile::Hard, 0..25)],
    );
    let flags = [format!("-I{}", directory.path.display())];
    let plugin = Plugin {
        gcc: GCC,
        plugin: &plugin,
        flags: &flags,
    };
    let found = plugin.compare(&programs, &[], &directory.path).unwrap();
    all_agree(&found);
    assert!(found.same > 4_000 && found.lovs > 100, "{found}");
    let corpus = files_of(corpus::directory(), "c");
    let headers = [corpus::directory().join("stall.h")];
    if let Some(flags) = include_of_mpi() {
        let plugin = Plugin {
            flags: &flags,
            ..plugin
        };
        let found = plugin.compare(&corpus, &headers, &directory.path).unwrap();
        all_agree(&found);
        assert!(found.files >= 6 && found.same > 500, "{found}");
    }
}

/// Where the compiler finds `mpi.h`, as flags.
fn include_of_mpi() -> Option<Vec<String>> {
    installed("mpicc.openmpi").then(|| {
        let printed = succeed(Command::new("mpicc.openmpi").arg("--showme:incdirs"));
        let directories = String::from_utf8_lossy(&printed.stdout);
        let flags = directories
            .split_whitespace()
            .map(|directory| format!("-I{directory}"));
        Vec::from_iter(flags)
    })
}

const HEADER: &str = "\
void work(int stop);
static inline int twice(int n)
{
    return 2 * n;
}
";
const MAIN: &str = "\
#include \"work.h\"
#include <stdlib.h>
int main(int argc, char **argv)
{
    work(twice(argc > 1 ? atoi(argv[1]) : 7));
    return 0;
}
";
/// The same in C++: a template, an object with an end, a loop over a range, a lambda.
const WORK_OF_CXX: &str = "\
#include \"work.h\"
#include <unistd.h>
#include <vector>
volatile int gate = 1;
struct Held {
    int number;
    explicit Held(int of) : number(of) {}
    ~Held() { number = 0; }
};
template <typename T> void stay(T stop, const Held &held)
{
    if (held.number != stop)
        return;
    if (write(1, \"staying\\n\", 8) != 8)
        return;
    while (gate)
        continue;
}
extern \"C\" void go(int stop)
{
    std::vector<int> one{1};
    for (int count = 0; count < 1000; count++) {
        Held held(count);
        auto look = [&] { stay(stop, held); };
        for (int each : one)
            if (each == 1)
                look();
    }
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
            if (write(1, \"staying\\n\", 8) != 8)
                return;
            while (gate)
                continue;
        }
    }
}
";

fn compile(directory: &Path, plugin: &Path, words: &[&str]) -> Output {
    Command::new(GCC)
        .arg(format!("-fplugin={}", plugin.display()))
        .args(words)
        .current_dir(directory)
        .stdin(Stdio::null())
        .output()
        .unwrap()
}

fn written(directory: &Path) {
    for (name, text) in [("work.h", HEADER), ("main.c", MAIN), ("work.c", WORK)] {
        std::fs::write(directory.join(name), text).unwrap();
    }
}

#[test]
fn find_answers_by_what_the_compiler_left_in_the_program() {
    let Some((directory, plugin)) = with_plugin(26_001) else {
        return;
    };
    let at = &directory.path;
    written(at);
    let made = compile(at, &plugin, &["-g", "-O1", "-o", "app", "main.c", "work.c"]);
    assert!(made.status.success() && made.stderr.is_empty(), "{made:?}");
    // Nothing but the program is left.
    for name in ["work.h", "main.c", "work.c"] {
        std::fs::remove_file(at.join(name)).unwrap();
    }
    behind_is_early(at);
}

#[test]
fn find_answers_by_what_the_compiler_left_in_a_program_of_cxx() {
    const CXX: &str = "g++-12";
    if !installed(CXX) {
        return;
    }
    let Some((directory, plugin)) = with_plugin(26_004) else {
        return;
    };
    let at = &directory.path;
    written(at);
    let main = MAIN
        .replace("work(twice", "go(twice")
        .replace("#include \"work.h\"", "#include \"work.h\"\nvoid go(int stop);");
    std::fs::write(at.join("main.c"), main).unwrap();
    std::fs::write(at.join("go.cc"), WORK_OF_CXX).unwrap();
    let made = compile(at, &plugin, &["-g", "-O1", "-c", "main.c"]);
    assert!(made.status.success() && made.stderr.is_empty(), "{made:?}");
    let flag = format!("-fplugin={}", plugin.display());
    let strict = "-fplugin-arg-hindmost-strict";
    succeed(
        Command::new(CXX)
            .args([&flag, strict, "-g", "-O1", "-o", "app", "main.o", "go.cc"])
            .current_dir(at),
    );
    for name in ["work.h", "main.c", "work.c", "go.cc"] {
        std::fs::remove_file(at.join(name)).unwrap();
    }
    behind_is_early(at);
}

/// Of two processes of the program `app` the one that stays earlier is found to be behind.
fn behind_is_early(at: &Path) {
    let stopped = |stop: u32| tests::stopped::Stopped::new(&at.join("app"), &[stop]);
    let (early, late) = (stopped(3), stopped(40));
    let found = Command::new(hindmost())
        .args(["find", "--format", "json"])
        .args([early.id().to_string(), late.id().to_string()])
        .env("XDG_CACHE_HOME", at)
        .output()
        .unwrap();
    let answer: serde_json::Value = serde_json::from_slice(&found.stdout).unwrap();
    assert_eq!(found.status.code(), Some(0), "{answer}");
    assert_eq!(
        answer["hindmost"][0]["tasks"],
        serde_json::json!([early.id().to_string()]),
        "{answer}"
    );
}

#[test]
fn a_build_never_fails_for_the_plugin() {
    let Some((directory, plugin)) = with_plugin(26_002) else {
        return;
    };
    let at = &directory.path;
    written(at);
    let has_fragment = |object: &str| {
        let bytes = std::fs::read(at.join(object)).unwrap();
        embed::section(&bytes, embed::UNITS).unwrap().is_some()
    };
    let notes = |output: &Output| {
        let said = String::from_utf8_lossy(&output.stderr).into_owned();
        said.matches("hindmost: no fragment of the map").count()
    };
    let strict = "-fplugin-arg-hindmost-strict";
    // What of the command leaves no fragment, even where all warnings are errors.
    std::fs::write(at.join("main.i"), "int f(void) { return 1; }\n").unwrap();
    for words in [
        &["-flto", "-c", "main.c", "-o", "x.o"][..],
        &["-c", "main.i", "-o", "x.o"],
        &["-x", "c++", "-c", "-fpreprocessed", "main.i", "-o", "x.o"],
    ] {
        let output = compile(at, &plugin, &[&["-Werror"], words].concat());
        assert!(output.status.success(), "{words:?}: {output:?}");
        assert_eq!(notes(&output), 1, "{words:?}: {output:?}");
        let output = compile(at, &plugin, &[&[strict], words].concat());
        assert!(
            !output.status.success() && notes(&output) == 1,
            "{words:?}: {output:?}"
        );
    }
    // Nothing is assembled, and nobody misses anything.
    for words in [
        &["-fsyntax-only", "main.c"][..],
        &["-E", "main.c", "-o", "x.i"],
        &["-M", "main.c", "-o", "x.d"],
    ] {
        let output = compile(at, &plugin, &[&[strict], words].concat());
        assert!(
            output.status.success() && output.stderr.is_empty(),
            "{words:?}: {output:?}"
        );
    }
    // A precompiled header holds no code; whoever uses it is read whole, or not at all.
    let header = compile(
        at,
        &plugin,
        &[strict, "-x", "c-header", "work.h", "-o", "work.h.gch"],
    );
    assert!(header.status.success(), "{header:?}");
    let user = compile(at, &plugin, &["-Werror", "-c", "main.c", "-o", "x.o"]);
    assert!(user.status.success(), "{user:?}");
    assert_eq!(has_fragment("x.o"), notes(&user) == 0);
    of_cxx(at, &plugin, &has_fragment, &notes);
    // A program that is wrong gets the compiler's own message, and no fragment.
    std::fs::write(at.join("wrong.c"), "int f(void) { return x; }\n").unwrap();
    let wrong = compile(at, &plugin, &["-c", "wrong.c"]);
    assert!(!wrong.status.success() && notes(&wrong) == 0, "{wrong:?}");
}

/// Names of values stand where they are used, and not where they were declared.
const NAMED_VALUES: &str = "\
#include <cstdlib>
#include <string>
enum { ONE, TWO, OTHER };
static const int limit = 9;
struct Grid {
    enum Kind { PLAIN, FINE };
    Kind kind;
    int step;
    void set(int to);
};
void Grid::set(int to)
{
    kind = FINE;
    if (kind == PLAIN && to == TWO)
        step = ONE;
    else if (to == OTHER)
        step = TWO;
    switch (to) {
    case ONE:
        step = limit;
        break;
    default:
        kind = PLAIN;
    }
    std::string all(\"all\");
    if (all + \" of it\" == \"it\")
        kind = FINE;
    for (int it = ONE; it < limit; it++) {
        step += it == TWO ? ONE : OTHER;
        if (step > limit)
            std::abort();
    }
}
";

#[test]
fn names_of_values_stand_where_they_are_used() {
    if !installed("g++-12") {
        return;
    }
    let Some((directory, plugin)) = with_plugin(26_006) else {
        return;
    };
    let source = directory.path.join("named.cc");
    std::fs::write(&source, NAMED_VALUES).unwrap();
    let plugin = Plugin {
        gcc: "g++-12",
        plugin: &plugin,
        flags: &[],
    };
    let found = plugin.compare(&[source], &[], &directory.path).unwrap();
    all_agree(&found);
    assert!(found.same >= 16, "{found}");
}

/// A gcc takes what was made for it; what was made for another one is said and costs the fragment.
#[test]
fn each_gcc_has_a_plugin_of_its_own() {
    const OTHER: &str = "gcc-11";
    if !installed(OTHER) || !installed(GCC) {
        return;
    }
    let (Some(newer), Some(older)) = (made_plugin(GCC), made_plugin(OTHER)) else {
        return;
    };
    let directory = Directory::of_seed(None, 26_005).unwrap();
    let at = &directory.path;
    written(at);
    std::fs::write(at.join("go.cc"), WORK_OF_CXX).unwrap();
    for (gcc, cxx, own, foreign) in [(GCC, "g++-12", &newer, &older), (OTHER, "g++-11", &older, &newer)] {
        for (compiler, source) in [(gcc, "work.c"), (cxx, "go.cc")] {
            let compiled = |plugin: &Path, more: &[&str]| {
                let output = Command::new(compiler)
                    .arg(format!("-fplugin={}", plugin.display()))
                    .args(["-Werror", "-g", "-O1", "-c", source, "-o", "x.o"])
                    .args(more)
                    .current_dir(at)
                    .output()
                    .unwrap();
                let said = String::from_utf8_lossy(&output.stderr).into_owned();
                (output.status.success(), said)
            };
            let strict = "-fplugin-arg-hindmost-strict";
            assert_eq!(compiled(own, &[strict]), (true, String::new()), "{compiler}");
            let object = std::fs::read(at.join("x.o")).unwrap();
            assert!(embed::section(&object, embed::UNITS).unwrap().is_some());
            let (is_compiled, said) = compiled(foreign, &[]);
            assert!(is_compiled, "{compiler}: {said}");
            assert!(said.contains("was made for another gcc than this one"), "{said}");
            let object = std::fs::read(at.join("x.o")).unwrap();
            assert_eq!(embed::section(&object, embed::UNITS), Ok(None));
            assert!(!compiled(foreign, &[strict]).0);
        }
    }
    let programs = random_programs(at, &[(Profile::Hard, 30..36)]);
    let flags = [format!("-I{}", at.display())];
    let plugin = Plugin {
        gcc: OTHER,
        plugin: &older,
        flags: &flags,
    };
    let found = plugin.compare(&programs, &[], at).unwrap();
    all_agree(&found);
    assert!(found.same > 500, "{found}");
}

/// What C++ compiles beforehand: headers, and interfaces of modules. What of that is not read says so.
fn of_cxx(at: &Path, plugin: &Path, has_fragment: &dyn Fn(&str) -> bool, notes: &dyn Fn(&Output) -> usize) {
    const CXX: &str = "g++-12";
    if !installed(CXX) {
        return;
    }
    let write = |name: &str, text: &str| std::fs::write(at.join(name), text).unwrap();
    write(
        "pre.h",
        "#include <vector>\ninline int twice(int n) { return 2 * n; }\n",
    );
    write("pre.cc", "#include \"pre.h\"\nint main() { return twice(0); }\n");
    write(
        "part.cc",
        "export module part;\nexport int twice(int n) { return 2 * n; }\n",
    );
    write("whole.cc", "import part;\nint main() { return twice(0); }\n");
    let modules = ["-std=c++20", "-fmodules-ts"];
    for (words, object) in [
        (&["-x", "c++-header", "pre.h", "-o", "pre.h.gch"][..], None),
        (&["-c", "pre.cc", "-o", "pre.o"], Some("pre.o")),
        (&["-c", "part.cc", "-o", "part.o"], Some("part.o")),
        (&["-c", "whole.cc", "-o", "whole.o"], Some("whole.o")),
    ] {
        let output = Command::new(CXX)
            .arg(format!("-fplugin={}", plugin.display()))
            .arg("-Werror")
            .args(
                modules
                    .iter()
                    .filter(|_| !words.contains(&"pre.h") && !words.contains(&"pre.cc")),
            )
            .args(words)
            .current_dir(at)
            .output()
            .unwrap();
        assert!(output.status.success(), "{words:?}: {output:?}");
        if let Some(object) = object {
            assert_eq!(has_fragment(object), notes(&output) == 0, "{words:?}: {output:?}");
        }
    }
    for objects in [&["pre.o"][..], &["part.o", "whole.o"]] {
        succeed(
            Command::new(CXX)
                .args(objects)
                .args(["-o", "compiled"])
                .current_dir(at),
        );
        succeed(&mut Command::new(at.join("compiled")));
    }
}

#[test]
fn levels_of_optimisation_read_the_same() {
    let Some((directory, plugin)) = with_plugin(26_003) else {
        return;
    };
    let programs = random_programs(&directory.path, &[(Profile::Hard, 100..104)]);
    let include = format!("-I{}", directory.path.display());
    let object = directory.path.join("x.o");
    for program in &programs {
        let read = |levels: &[&str]| {
            let flags = Vec::from_iter(
                levels
                    .iter()
                    .map(|&level| level.to_owned())
                    .chain([include.clone()]),
            );
            let plugin = Plugin {
                gcc: GCC,
                plugin: &plugin,
                flags: &flags,
            };
            plugin.unit(program, &object).unwrap()
        };
        let plain = ir::packed::pack(&read(&["-O0"]));
        for levels in [&["-O1"][..], &["-O2", "-g"], &["-Os", "-g3"]] {
            assert!(
                ir::packed::pack(&read(levels)) == plain,
                "{} {levels:?}",
                program.display()
            );
        }
    }
}
