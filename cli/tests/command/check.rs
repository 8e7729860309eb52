//! `hindmost check`: what a build keeps, and what helps.

use crate::support::{Run, Sandbox};

/// `n` is passed by address to what the compiler cannot see through, `e` is needed by nobody.
const PROGRAM: &str = "\
volatile int sink;
__attribute__((noinline)) int more(int n)
{
    sink += n;
    return sink < 100;
}
void forever(void)
{
    for (int e = 0;; e++)
        if (!more(1))
            break;
}
int main(int argc, char **argv)
{
    for (int n = 0; n < argc * sink; n++)
        if (more(n))
            sink += n;
    while (more(2))
        sink++;
    forever();
    return 0;
}
";

fn built(name: &str, flags: &[&str]) -> Sandbox {
    let sandbox = Sandbox::new(name);
    sandbox.write("app.c", PROGRAM);
    sandbox.compile("app.c", "app", flags);
    sandbox
}

fn json(run: &Run) -> serde_json::Value {
    serde_json::from_str(&run.out).unwrap_or_else(|error| panic!("{error}: {}", run.out))
}

#[test]
fn an_optimised_build_loses_what_nobody_needs() {
    // gcc sees that `more` leaves the register of `n` alone. Nothing in the program says so.
    let sandbox = built("check-o2", &["-g", "-O2"]);
    let run = sandbox.run(&["check", "app"]);
    assert!(run.out.contains("0 of 2 loops with calls keep"), "{}", run.out);
    let unsafe_register = run
        .out
        .lines()
        .find(|line| line.contains("app.c:15: for in main loses 'n'"));
    assert!(unsafe_register.unwrap().contains("-fno-ipa-ra"), "{}", run.out);
    sandbox.compile("app.c", "app", &["-g", "-O2", "-fno-ipa-ra"]);
    let run = sandbox.run(&["check", "app"]);
    assert_eq!(run.code, Some(1), "{}", run.out);
    assert!(run.out.contains("1 of 2 loops with calls keeps"), "{}", run.out);
    let lost = run
        .out
        .lines()
        .find(|line| line.contains("app.c:9: for in forever loses 'e'"))
        .unwrap();
    assert!(
        lost.contains("-Og") && lost.contains("hindmost counters"),
        "{lost}"
    );
    let without = run
        .out
        .lines()
        .find(|line| line.contains("app.c:18: while in main"))
        .unwrap();
    assert!(without.contains("no order variable in the source"), "{without}");

    for (min, status) in [("50", 0), ("50.1", 1), ("0%", 0)] {
        assert_eq!(
            sandbox.run(&["check", "app", "app.c", "--min", min]).code,
            Some(status),
            "{min}"
        );
    }
    let found = json(&sandbox.run(&["check", "app", "--format", "json"]));
    assert!(run.out.contains("2 loops can block an answer"), "{}", run.out);
    assert_eq!(found["blocking"], 2, "{found}");
    let figures =
        ["loops", "kept", "lost", "partly", "without_variable"].map(|key| found[key].as_u64().unwrap());
    assert_eq!(figures, [2, 1, 1, 0, 1], "{found}");
    assert_eq!(found["kept_percent"], 50.0);

    // The counter that was named keeps the loop, in the same build.
    let patch = sandbox.ok(&["counters", "--quiet", "app.c:9"]);
    assert!(patch.contains("volatile unsigned long"), "{patch}");
    sandbox.write("counter.patch", patch);
    let patched = std::process::Command::new("patch")
        .args(["-p1", "-i", "counter.patch"])
        .current_dir(sandbox.path("."))
        .status();
    assert!(patched.unwrap().success());
    sandbox.compile("app.c", "app", &["-g", "-O2", "-fno-ipa-ra"]);
    let run = sandbox.run(&["check", "app"]);
    assert_eq!(run.code, Some(0), "{}", run.out);
}

#[test]
fn an_unoptimised_build_keeps_all() {
    let sandbox = built("check-o0", &["-g", "-O0"]);
    sandbox.ok(&["map", "--quiet", "--exe", "app"]);
    let run = sandbox.run(&["check", "app", "--map", "app.hmap"]);
    assert_eq!(run.code, Some(0), "{}", run.out);
    assert!(run.out.contains("2 of 2 loops with calls keep"), "{}", run.out);
    // The map knows what was bound: that of another build is refused.
    sandbox.compile("app.c", "other", &["-g", "-O2"]);
    assert_eq!(
        sandbox.run(&["check", "other", "--map", "app.hmap"]).code,
        Some(2)
    );
    sandbox.refused(&["check", "nothing"]);
    assert_eq!(sandbox.run(&["check", "app", "--min", "101"]).code, Some(2));
}

#[test]
fn what_was_kept_since_an_earlier_build_is_asked_for_alone() {
    let sandbox = built("check-since", &["-g", "-O0"]);
    let before = sandbox.run(&["check", "app", "--format", "json"]).out;
    sandbox.write("before.json", &before);
    let since = ["check", "app", "--since", "before.json"];
    let run = sandbox.run(&since);
    // `while (more(2))` has no variable, and had none.
    assert_eq!(run.code, Some(0), "{}", run.err);
    assert!(
        run.err
            .contains("since before.json: every loop that kept a variable keeps one"),
        "{}",
        run.err
    );
    sandbox.compile("app.c", "app", &["-g", "-O2"]);
    let run = sandbox.run(&since);
    assert_eq!(run.code, Some(1), "{}", run.err);
    assert!(run.err.contains("no longer do"), "{}", run.err);
    assert!(run.err.contains("for in forever loses 'e'"), "{}", run.err);
    assert!(!run.err.contains("while in main"), "{}", run.err);
    // The other way round nothing is lost.
    sandbox.write(
        "optimised.json",
        sandbox.run(&["check", "app", "--format", "json"]).out,
    );
    sandbox.compile("app.c", "app", &["-g", "-O0"]);
    assert_eq!(
        sandbox.run(&["check", "app", "--since", "optimised.json"]).code,
        Some(0)
    );
    sandbox.write(
        "other.json",
        "{\"schema\": \"hindmost-map\", \"version\": 1, \"each\": []}",
    );
    let why = sandbox.refused(&["check", "app", "--since", "other.json"]);
    assert!(why.contains("other.json: it is a hindmost-map"), "{why}");
    sandbox.write("noise.json", "noise");
    assert!(
        sandbox
            .refused(&["check", "app", "--since", "noise.json"])
            .contains("noise.json")
    );
}

/// The lines of a template that are the recipe, without their indentation.
fn steps(template: &str, indented: &str) -> String {
    let from = template
        .lines()
        .skip_while(|line| line.strip_prefix(indented) != Some("set -eu"));
    let steps = from.map_while(|line| line.strip_prefix(indented));
    steps.map(|line| format!("{line}\n")).collect()
}

/// The templates of services have the steps of the recipe, which is run here as they would: on the base branch, and then on a change.
#[test]
fn a_ci_job_fails_when_a_change_loses_a_variable() {
    const RECIPE: &str = include_str!("../../../integrations/ci/recipe.sh");
    let recipe = &RECIPE[RECIPE.find("set -eu").unwrap()..];
    assert_eq!(
        steps(
            include_str!("../../../integrations/ci/action.yml"),
            &" ".repeat(8)
        ),
        recipe
    );
    assert_eq!(
        steps(
            include_str!("../../../integrations/ci/gitlab.yml"),
            &" ".repeat(6)
        ),
        recipe
    );

    let sandbox = built("check-ci", &["-g", "-O0"]);
    sandbox.write("recipe.sh", recipe);
    let hindmost = std::path::Path::new(env!("CARGO_BIN_EXE_hindmost"));
    let directories = std::env::var_os("PATH").unwrap();
    let directories =
        std::iter::once(hindmost.parent().unwrap().to_owned()).chain(std::env::split_paths(&directories));
    let path = std::env::join_paths(directories).unwrap();
    let run = |out: &str, base: &str, min: &str| {
        std::process::Command::new("sh")
            .arg("recipe.sh")
            .current_dir(&sandbox.root)
            .env("PATH", &path)
            .env("XDG_CACHE_HOME", sandbox.path("cache"))
            .envs([("PROGRAM", "./app"), ("OUT", out), ("BASE", base), ("MIN", min)])
            .output()
            .unwrap()
    };
    let base = run("base", "", "50");
    assert_eq!(
        base.status.code(),
        Some(0),
        "{}",
        String::from_utf8_lossy(&base.stderr)
    );
    for kept in ["app.hmap", "check.json", "check.sarif"] {
        assert!(sandbox.path("base").join(kept).is_file(), "{kept}");
    }
    sandbox.compile("app.c", "app", &["-g", "-O2"]);
    let change = run("change", "base/check.json", "");
    let said = String::from_utf8_lossy(&change.stderr).into_owned();
    assert_eq!(change.status.code(), Some(1), "{said}");
    assert!(said.contains("for in forever loses 'e'"), "{said}");
    assert_eq!(run("again", "", "100").status.code(), Some(1));
}
