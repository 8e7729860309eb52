//! `hindmost watch` on processes that stand still, and on one that ends by itself.

use crate::support::Sandbox;

/// Says a byte and waits for ever; with an argument, works a little and ends with that status.
const JOB: &str = "\
#include <stdlib.h>
#include <unistd.h>

static void work(int steps)
{
    int i;
    for (i = 0; i < steps; i++)
        usleep(20000);
}

int main(int argc, char **argv)
{
    if (argc > 1) {
        work(30);
        return atoi(argv[1]);
    }
    if (write(1, \"x\", 1) != 1)
        return 1;
    pause();
    return 0;
}
";

fn built(name: &str) -> Sandbox {
    let sandbox = Sandbox::new(name);
    sandbox.write("job.c", JOB);
    sandbox.compile("job.c", "job", &["-g", "-O0"]);
    sandbox.ok(&["map", "--quiet", "-o", "job.hmap", "--exe", "job", "job.c"]);
    sandbox
}

#[test]
fn a_job_that_stands_still_is_reported() {
    let sandbox = built("watch_still");
    let target = sandbox.start("job", &[]);
    let run = sandbox.run(&[
        "watch",
        "--launcher",
        &target.pid(),
        "--map",
        "job.hmap",
        "--every",
        "50ms",
        "--still",
        "200ms",
        "--report",
        "out",
        "--run",
        "echo $HINDMOST_REPORT > ran",
    ]);
    assert_eq!(run.code, Some(4), "{}{}", run.out, run.err);
    let read = |name: &str| std::fs::read_to_string(sandbox.path(name)).unwrap();
    let text = read("out.txt");
    assert!(
        text.starts_with("hung: task ") && text.contains(" sleeps in pause outside of MPI"),
        "{text}"
    );
    assert!(!text.contains('\u{1b}'), "a file holds no styles");
    assert!(read("out.json").contains("hindmost-answer"));
    assert!(read("out.tree.json").contains("hindmost-tree"));
    assert!(read("out.html").contains("hindmost-page"));
    assert_eq!(read("ran"), "out\n");
    assert!(run.err.contains("looked "), "{}", run.err);
    assert!(run.err.contains("watching the job of process "), "{}", run.err);
    let order = sandbox.run(&["order", "--map", "job.hmap", "--stacks", "out.snapshot"]);
    assert!(order.code.is_some_and(|code| code < 2), "{}", order.err);
}

#[test]
fn a_job_that_ends_is_not() {
    let sandbox = built("watch_ends");
    let watch = [
        "watch", "--every", "20ms", "--still", "1h", "--report", "out", "--map", "job.hmap", "--",
    ];
    let run = sandbox.run(&[&watch[..], &["./job", "0"]].concat());
    assert_eq!(run.code, Some(0), "{}{}", run.out, run.err);
    let run = sandbox.run(&[&watch[..], &["./job", "7"]].concat());
    assert_eq!(run.code, Some(7), "the status of the job: {}", run.err);
    assert!(!sandbox.path("out.txt").exists());
    let error = sandbox.refused(&[&watch[..], &["./no-such-program"]].concat());
    assert!(error.contains("cannot start"), "{error}");
    sandbox.refused(&["watch", "--launcher", "4194305", "--map", "job.hmap"]);
}

/// Waits for a signal, and ends well when it comes.
const PAUSES: &str = "\
#include <signal.h>
#include <stdio.h>
#include <unistd.h>

static void on_alarm(int number) { (void)number; }

int main(void)
{
    signal(SIGUSR1, on_alarm);
    pause();
    return 0;
}
";

#[test]
fn an_alarm_is_taken_back_when_the_job_goes_on() {
    let sandbox = Sandbox::new("watch_retracts");
    sandbox.write("job.c", PAUSES);
    sandbox.compile("job.c", "job", &["-g", "-O0"]);
    sandbox.ok(&["map", "--quiet", "-o", "job.hmap", "--exe", "job", "job.c"]);
    let watch = |run: &str| {
        sandbox.run(&[
            "watch", "--every", "50ms", "--still", "100ms", "--report", "out", "--map", "job.hmap", "--run",
            run, "--", "./job",
        ])
    };
    // It wakes by what the alarm runs, and ends well.
    let run = watch("kill -USR1 $(pgrep -P $PPID -x job)");
    assert!(run.err.contains("ALARM: hung: task "), "{}", run.err);
    assert!(run.err.contains("the alarm is taken back"), "{}", run.err);
    assert_eq!(run.code, Some(0), "{}", run.err);
    // It is killed: the alarm was right.
    let run = watch("kill -KILL $(pgrep -P $PPID -x job)");
    assert_eq!(run.code, Some(4), "{}", run.err);
}
