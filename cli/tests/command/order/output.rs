//! What is safe to print, and where it goes.

use super::{ORDER, SOLVER, hung_job, in_solve, library, sandbox, task};

#[test]
fn what_comes_from_the_target_is_escaped() {
    let evil = "x\\u001b[2Jy";
    let stacks = [
        task(evil, None, &in_solve(18, 7, &library("MPI_\\u0007Foo"))),
        task("plain", None, &in_solve(16, 7, &library("exchange"))),
    ];
    let sandbox = sandbox("escaped", &stacks.concat());
    let run = sandbox.run(&ORDER);
    assert!(!run.out.contains(['\u{1b}', '\u{7}']), "{:?}", run.out);
    assert!(run.out.contains("x\\u{1b}[2Jy"), "{}", run.out);
}

#[test]
fn a_source_that_changed_is_not_shown() {
    let sandbox = sandbox("changed", &hung_job());
    sandbox.write("solver.c", format!("/* new */\n{SOLVER}"));
    let out = sandbox.ok(&ORDER);
    assert!(
        out.contains("solver.c has changed since the map was made"),
        "{out}"
    );
    assert!(!out.contains("> 8 |"), "{out}");
}

#[test]
fn colours_only_where_they_belong() {
    let sandbox = sandbox("colours", &hung_job());
    let forced = sandbox
        .command(&ORDER)
        .env("CLICOLOR_FORCE", "1")
        .output()
        .unwrap();
    assert!(forced.stdout.contains(&0x1b));
    let not = sandbox
        .command(&ORDER)
        .env("CLICOLOR_FORCE", "1")
        .env("NO_COLOR", "1")
        .output()
        .unwrap();
    assert!(!not.stdout.contains(&0x1b));
    assert!(!sandbox.ok(&ORDER).contains('\u{1b}'));
}

#[test]
fn a_reader_that_goes_away_is_no_error() {
    let sandbox = sandbox("pipe", &hung_job());
    let mut child = sandbox
        .command(&ORDER)
        .stdout(std::process::Stdio::piped())
        .stderr(std::process::Stdio::piped())
        .spawn()
        .unwrap();
    drop(child.stdout.take());
    let output = child.wait_with_output().unwrap();
    assert_eq!(output.status.code(), Some(0));
    assert!(
        output.stderr.is_empty(),
        "{}",
        String::from_utf8_lossy(&output.stderr)
    );
}
