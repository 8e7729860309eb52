//! Sources that are not those of the build: somebody edits them, and builds again, while the job hangs that was built before. By their lines a task in the second
//! of two loops is in the first one.

use crate::support::{Sandbox, Target, installed};
use serde_json::Value;
use std::fs::File;
use std::process::{Command, Stdio};
use std::time::{Duration, UNIX_EPOCH};

/// A program that says a byte in the visit given, and stays there; what it includes or defines at its head, and the statements of its work.
fn program(head: &str, work: &str) -> String {
    format!(
        "\
#include <stdlib.h>
#include <unistd.h>
{head}

static volatile int gate = 1;
static int stop, visits, it;

__attribute__((noinline)) static void visit(void)
{{
    if (++visits != stop)
        return;
    if (write(1, \"x\", 1) != 1)
        return;
    while (gate)
        continue;
}}

static void work(void)
{{
{work}}}

int main(int argc, char **argv)
{{
    stop = argc > 1 ? atoi(argv[1]) : 1;
    work();
    return 0;
}}
"
    )
}

/// The lines between the marks are taken out by the edit: what was two loops is one.
fn two_loops() -> String {
    program(
        "",
        "\
    int i;
    for (i = 0; i < 3; i++) {
        visit();
/* from here */
    }
    for (i = 0; i < 3; i++) {
/* to here */
        visit();
    }
",
    )
}

/// The source as it was edited: `instead` is on each of the lines between the marks.
fn one_loop(instead: &str) -> String {
    let text = two_loops();
    let (before, rest) = text.split_once("/* from here */\n").unwrap();
    let (between, after) = rest.split_once("/* to here */").unwrap();
    let lines = format!("{instead}\n").repeat(between.lines().count());
    format!("{before}\n{lines}{after}")
}

/// A program of two loops with a task in each, of which the first one is behind; and the source as it was edited afterwards.
struct Edited {
    sandbox: Sandbox,
    behind: Target,
    ahead: Target,
}

impl Edited {
    fn new(name: &str) -> Self {
        let edited = Self::built_by("cc", name);
        edited.sandbox.write("two.c", one_loop(""));
        edited
    }

    /// Before it is edited.
    fn built_by(compiler: &str, name: &str) -> Self {
        let sandbox = Sandbox::new(name);
        sandbox.write("two.c", two_loops());
        sandbox.compile_by(compiler, "two.c", "two", &["-g", "-O0"]);
        let behind = sandbox.start("two", &["2"]);
        let ahead = sandbox.start("two", &["4"]);
        Self {
            sandbox,
            behind,
            ahead,
        }
    }

    /// Gives the source the time that a copy or an archive may have kept.
    fn dates_from_long_ago(&self) {
        let long_ago = UNIX_EPOCH + Duration::from_secs(1_000_000_000);
        let source = File::options().write(true).open(self.sandbox.path("two.c"));
        source.and_then(|source| source.set_modified(long_ago)).unwrap();
    }

    /// Asks who is behind: whoever is named must be the one.
    fn is_not_misled(&self, arguments: &[&str]) -> Value {
        let pids = [self.behind.pid(), self.ahead.pid()];
        let tasks = [pids[0].as_str(), pids[1].as_str()];
        let run = self
            .sandbox
            .run(&[&["find", "--format", "json"], arguments, &tasks].concat());
        assert!(matches!(run.code, Some(0 | 1 | 3)), "{}{}", run.out, run.err);
        let answer: Value = serde_json::from_str(&run.out).unwrap();
        for class in answer["hindmost"].as_array().unwrap() {
            assert_eq!(class["tasks"], Value::from(vec![&*pids[0]]), "{answer:#}");
        }
        answer
    }
}

/// Whether a warning of the answer has this in it.
fn says(answer: &Value, part: &str) -> bool {
    let warnings = answer["warnings"].as_array().unwrap().iter();
    let mut texts = warnings.map(|warning| warning.as_str().unwrap());
    texts.any(|text| text.contains(part))
}

/// Whether the answer says that the source is newer.
fn warns(answer: &Value) -> bool {
    says(answer, "two.c is newer than the executable")
}

#[test]
fn a_source_that_was_edited_is_not_read_for_the_build() {
    let edited = Edited::new("edited");
    let answer = edited.is_not_misled(&[]);
    assert!(warns(&answer), "{answer:#}");
    // The map of a build is not made of it, either.
    let refused = edited.sandbox.refused(&["map", "--exe", "two"]);
    assert!(refused.contains("no source could be read"), "{refused}");
}

#[test]
fn a_program_that_was_built_again_has_the_time_of_the_one_that_runs() {
    let edited = Edited::new("built-again");
    edited.sandbox.compile("two.c", "two", &["-g", "-O0"]);
    let answer = edited.is_not_misled(&[]);
    assert!(warns(&answer), "{answer:#}");
}

#[test]
fn a_map_of_an_edited_source_is_not_believed() {
    let edited = Edited::new("mapped-late");
    edited.sandbox.ok(&["map", "--quiet", "two.c"]);
    let answer = edited.is_not_misled(&["--map", "app.hmap"]);
    assert!(warns(&answer), "{answer:#}");
}

#[test]
fn a_map_that_was_made_before_the_edit_is_believed() {
    let sandbox = Sandbox::new("mapped-early");
    sandbox.write("two.c", two_loops());
    sandbox.compile("two.c", "two", &["-g", "-O0"]);
    sandbox.ok(&["map", "--quiet", "two.c"]);
    let edited = Edited::new("edited-late");
    std::fs::copy(sandbox.path("app.hmap"), edited.sandbox.path("app.hmap")).unwrap();
    let answer = edited.is_not_misled(&["--map", "app.hmap"]);
    assert_eq!(answer["proven"], true, "{answer:#}");
    assert!(!warns(&answer), "{answer:#}");
}

/// A loop, if EACH is one: what it stands for has no line of its own in the program.
const TWO_VISITS: &str = "    EACH {\n        visit();\n        visit();\n    }\n";

#[test]
fn a_header_that_was_edited_changes_what_includes_it() {
    for between in ["", "#include \"inner.h\"\n"] {
        let sandbox = Sandbox::new(if between.is_empty() {
            "header"
        } else {
            "header-within"
        });
        let edited = if between.is_empty() { "steps.h" } else { "inner.h" };
        sandbox.write("steps.h", between);
        sandbox.write(edited, "#define EACH for (it = 0; it < 3; it++)\n");
        sandbox.write("two.c", program("#include \"steps.h\"", TWO_VISITS));
        sandbox.compile("two.c", "two", &["-g", "-O0"]);
        let behind = sandbox.start("two", &["2"]);
        let ahead = sandbox.start("two", &["3"]);
        // Without the loop the first call is always behind the second.
        sandbox.write(edited, "#define EACH if (1)\n");
        let edited_loop = Edited {
            sandbox,
            behind,
            ahead,
        };
        let newer = format!("{edited} is newer than the executable");
        for arguments in [&[][..], &["--map", "late.hmap"]] {
            let answer = edited_loop.is_not_misled(arguments);
            assert!(says(&answer, &newer), "{answer:#}");
            edited_loop
                .sandbox
                .ok(&["map", "--quiet", "-o", "late.hmap", "two.c"]);
        }
    }
}

#[test]
fn a_source_of_another_text_is_not_read_however_old_it_is() {
    let edited = Edited::new("older");
    edited.dates_from_long_ago();
    let answer = edited.is_not_misled(&[]);
    assert!(
        says(
            &answer,
            "two.c is not the text that the executable was built from"
        ),
        "{answer:#}"
    );
    let refused = edited.sandbox.refused(&["map", "--exe", "two"]);
    assert!(refused.contains("no source could be read"), "{refused}");
}

/// A container has its own text where this host has another one, no newer than the program: its own is the build's.
#[test]
fn a_container_has_sources_of_its_own() {
    if !installed("unshare") {
        return;
    }
    let sandbox = Sandbox::new("container");
    let text = program("#include \"steps.h\"", TWO_VISITS);
    for (place, each) in [("inside", "for (it = 0; it < 3; it++)"), ("app", "if (1)")] {
        sandbox.write(&format!("{place}/steps.h"), format!("#define EACH {each}\n"));
        sandbox.write(&format!("{place}/two.c"), &text);
    }
    let inside = |script: &str, stop: &str| {
        let mut command = Command::new("unshare");
        command.args(["--map-root-user", "--mount", "sh", "-c"]).args([
            &format!("mount --bind inside app && cd app && {script}"),
            "sh",
            stop,
        ]);
        command.current_dir(sandbox.path("")).stdin(Stdio::null());
        command
    };
    let built = inside("cc -g -O0 -o two two.c", "").status().unwrap();
    assert!(
        built.success(),
        "no namespace for mounts may be made, or no compiler is there"
    );
    assert!(!sandbox.path("app/two").exists(), "the program is on this host");
    let [behind, ahead] = ["2", "3"].map(|stop| Target::started(&mut inside("exec ./two \"$1\"", stop)));
    let contained = Edited {
        sandbox,
        behind,
        ahead,
    };
    let answer = contained.is_not_misled(&[]);
    assert_eq!(answer["proven"], true, "{answer:#}");
}

/// clang writes the checksum of a source into the debug info: the time says nothing then, nor need a line be empty.
#[test]
fn a_checksum_tells_whether_a_source_is_the_builds() {
    let built = Edited::built_by("clang", "touched");
    built.sandbox.write("two.c", two_loops());
    let answer = built.is_not_misled(&[]);
    assert_eq!(answer["proven"], true, "{answer:#}");
    assert!(!warns(&answer), "{answer:#}");

    // No map of this build is kept.
    let built = Edited::built_by("clang", "other-text");
    built.sandbox.write("two.c", one_loop(";"));
    built.dates_from_long_ago();
    let answer = built.is_not_misled(&[]);
    assert!(says(&answer, "by the checksum in its debug info"), "{answer:#}");
}

/// The loop, or the order of two calls, is what the compiler's command line says; a source that is read without that has another.
#[test]
fn a_macro_of_the_command_line_is_not_the_one_of_the_source() {
    let in_loop = program("#ifndef EACH\n#define EACH if (1)\n#endif", TWO_VISITS);
    let in_order = program(
        "#ifndef FIRST\n#define FIRST 1\n#endif",
        "\
    if (!FIRST)
        goto second;
first:
    visit();
    if (!FIRST)
        return;
second:
    visit();
    if (!FIRST)
        goto first;
",
    );
    for (text, macros, tasks) in [
        (&in_loop, "-DEACH=for (it = 0; it < 3; it++)", ["2", "3"]),
        (&in_order, "-DFIRST=0", ["1", "2"]),
    ] {
        for level in ["-O0", "-O1", "-O2"] {
            let sandbox = Sandbox::new("command-line");
            sandbox.write("two.c", text);
            sandbox.compile("two.c", "two", &["-g", level, macros]);
            let [behind, ahead] = tasks.map(|stop| sandbox.start("two", &[stop]));
            let built = Edited {
                sandbox,
                behind,
                ahead,
            };
            built.is_not_misled(&[]);
        }
    }
}
