//! Tasks that cannot be read: each with its reason, none dropped, no wait without end.

use crate::support::{Target, compile, complete, names, snap, snap_in, snap_with, state, status, until};
use progress_map::{Binding, Map};
use runtime_probe::{Options, Stopping, TaskRef, take, tasks_of};
use std::fs;
use std::process::Command;
use std::time::{Duration, Instant};

const SPIN: &str = r#"
#include <stdio.h>
volatile int sink;
int main(void) { puts("ready"); fflush(stdout); for (;;) sink++; }
"#;

fn error(task: &snapshot::Task) -> &str {
    assert!(task.frames.is_empty(), "{task:?}");
    task.error.as_deref().unwrap()
}

#[test]
fn a_pid_that_is_gone_or_reused() {
    let task = snap(&Map::default(), 0x3fff_fff0);
    assert!(error(&task).contains("no process has pid"), "{task:?}");

    let program = compile("gcc", SPIN, "-O2");
    let target = program.start(&[]);
    let mut found = tasks_of(&[target.pid()]);
    found[0].started = found[0].started.map(|ticks| ticks - 1);
    let (_, records) = take(&Map::default(), &found, Options::default());
    assert!(
        error(&records[0]).contains("another process by now"),
        "{records:?}"
    );
}

#[test]
fn a_zombie() {
    let mut child = Command::new("true").spawn().unwrap();
    until("a zombie", || state(child.id()) == 'Z');
    let task = snap(&Map::default(), child.id());
    assert!(error(&task).contains("is a zombie"), "{task:?}");
    assert!(child.wait().unwrap().success());
}

#[test]
fn a_process_whose_main_thread_has_ended() {
    const HEADLESS: &str = r#"
#include <pthread.h>
#include <stdio.h>
#include <unistd.h>
static void *body(void *p) { usleep(20000); puts("ready"); fflush(stdout); for (;;) pause(); return p; }
int main(void) { pthread_t t; pthread_create(&t, 0, body, 0); pthread_exit(0); }
"#;
    let program = compile("gcc", HEADLESS, "-O2 -pthread");
    let target = program.start(&[]);
    until("ended", || state(target.pid()) == 'Z');
    let task = snap(&Map::default(), target.pid());
    assert!(error(&task).contains("the main thread of pid"), "{task:?}");
}

#[test]
fn already_traced() {
    const TRACER: &str = r#"
#include <stdio.h>
#include <stdlib.h>
#include <sys/ptrace.h>
#include <unistd.h>
int main(int argc, char **argv) { if (ptrace(PTRACE_SEIZE, atoi(argv[1]), 0, 0)) return 1; puts("ready"); fflush(stdout); for (;;) pause(); }
"#;
    let program = compile("gcc", SPIN, "-O2");
    let target = program.start(&[]);
    let tracer = compile("gcc", TRACER, "-O2");
    let tracing = tracer.start(&[&target.pid().to_string()]);
    let task = snap(&Map::default(), target.pid());
    let expected = format!("already traced by pid {} (program)", tracing.pid());
    assert!(error(&task).contains(&expected), "{task:?}");
    assert_eq!(status(target.pid(), "TracerPid"), tracing.pid().to_string());
    drop(tracing);
    until("free again", || status(target.pid(), "TracerPid") == "0");
    assert!(complete(&snap(&Map::default(), target.pid())));
}

#[test]
fn a_task_in_uninterruptible_sleep_does_not_hold_up_the_others() {
    // The parent of a vfork waits uninterruptibly for its child.
    const VFORK: &str = r#"
#include <stdio.h>
#include <unistd.h>
int main(void) { puts("ready"); fflush(stdout); if (vfork() == 0) { sleep(60); _exit(0); } return 0; }
"#;
    let sleeper = compile("gcc", VFORK, "-O2");
    let spinner = compile("gcc", SPIN, "-O2");
    let asleep = sleeper.start(&[]);
    let awake = spinner.start(&[]);
    until("state D", || state(asleep.pid()) == 'D');
    let options = Options {
        patience: Duration::from_millis(300),
        ..Options::default()
    };
    // It need not be stopped to be read.
    let task = snap_with(&Map::default(), asleep.pid(), options);
    assert!(
        complete(&task) && task.unstopped && names(&task).contains(&"main"),
        "{task:?}"
    );
    let options = Options {
        stopping: Stopping::Always,
        ..options
    };
    let begun = Instant::now();
    let (_, records) = take(&Map::default(), &tasks_of(&[asleep.pid(), awake.pid()]), options);
    assert!(begun.elapsed() < Duration::from_secs(30));
    assert!(
        error(&records[0]).contains("did not stop within 300 ms"),
        "{records:?}"
    );
    assert!(error(&records[0]).contains("state D"), "{records:?}");
    assert!(complete(&records[1]), "{records:?}");
    until("let go", || status(asleep.pid(), "TracerPid") == "0");
    // Our own children are waited for one by one; a second window works as well.
    let task = snap_with(&Map::default(), awake.pid(), options);
    assert!(complete(&task), "{task:?}");
}

#[test]
fn a_32_bit_process() {
    const TINY: &str = r#"
void _start(void) {
    static const char text[] = "ready\n";
    int unused;
    __asm__ volatile("int $0x80" : "=a"(unused) : "a"(4), "b"(1), "c"(text), "d"(6) : "memory");
    for (;;) ;
}
"#;
    let program = compile("gcc", TINY, "-m32 -nostdlib -static -O1");
    let target = program.start(&[]);
    let task = snap(&Map::default(), target.pid());
    assert!(task.error.unwrap().contains("32-bit"));
    assert_eq!(status(target.pid(), "TracerPid"), "0");
}

#[test]
fn a_program_that_replaces_itself_all_the_time() {
    const AGAIN: &str = r#"
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>
int main(int argc, char **argv) {
    int n = argc > 1 ? atoi(argv[1]) : 0;
    char next[16];
    if (n == 0) { puts("ready"); fflush(stdout); }
    usleep(3000);
    snprintf(next, sizeof next, "%d", n + 1);
    execl("/proc/self/exe", argv[0], next, (char *)0);
    return 1;
}
"#;
    let program = compile("gcc", AGAIN, "-O2");
    let target = program.start(&[]);
    let mut whole = 0;
    for _ in 0..40 {
        let task = snap(&Map::default(), target.pid());
        if complete(&task) {
            whole += 1;
            // The loader or the program, but never a mixture.
            let names = names(&task);
            assert!(names.contains(&"_start"), "{names:?}");
        } else {
            assert!(task.error.is_some());
        }
    }
    assert!(whole > 0);
}

/// Two programs that are built alike replace each other, with addresses that are not random: nothing in `/proc/PID/stat` tells them apart.
/// A stack of one that is read by the code of the other has functions on it that never run. Each runs longer than a look takes, or none would ever be read.
#[test]
fn programs_at_the_same_addresses_are_not_mixed() {
    const ALIKE: &str = r#"
#include <stdio.h>
#include <sys/personality.h>
#include <unistd.h>
static volatile long n;
static void ready(void) { puts("ready"); fflush(stdout); personality(ADDR_NO_RANDOMIZE); }
__attribute__((noinline, aligned(256))) static void FIRST(void) { for (long i = 0; i < 5000000; i++) n++; }
__attribute__((noinline, aligned(256))) static void SECOND(void) { for (long i = 0; i < 5000000; i++) n++; }
__attribute__((aligned(256))) int main(int argc, char **argv) {
    if (argc > 2) ready();
    else if (IS_FIRST) FIRST();
    else SECOND();
    execl(argv[1], argv[0], IS_FIRST ? "/proc/self/fd/8" : "/proc/self/fd/9", (char *)0);
    return 1;
}
"#;
    let defines = [
        "-DFIRST=runs_a -DSECOND=never_a -DIS_FIRST=1",
        "-DFIRST=never_b -DSECOND=runs_b -DIS_FIRST=0",
    ];
    let [first, second] = defines.map(|defines| {
        // Not by their paths, whose length would move the stack.
        compile("gcc", ALIKE, &format!("-O0 {defines}"))
    });
    let script = "exec 8<\"$0\" 9<\"$1\"; exec -a app \"$0\" /proc/self/fd/9 start";
    let target = Target::start(
        Command::new("bash")
            .args(["-c", script])
            .args([&first.path, &second.path]),
    );
    let (mut seen, mut looks) = (0, 0);
    while seen < 20 && looks < 1000 {
        looks += 1;
        let task = snap(&Map::default(), target.pid());
        let names = names(&task);
        let never = names.iter().find(|name| name.starts_with("never"));
        assert!(never.is_none(), "{task:?}");
        seen += usize::from(names.iter().any(|name| name.starts_with("runs")));
    }
    assert!(seen > 0, "not once read in {looks} looks");
}

#[test]
fn a_deleted_executable() {
    let program = compile("gcc", SPIN, "-O2");
    let target = program.start(&[]);
    fs::remove_file(&program.path).unwrap();
    fs::write(&program.path, "something else").unwrap();
    let task = snap(&Map::default(), target.pid());
    assert!(complete(&task), "{task:?}");
    assert!(names(&task).contains(&"main"));
}

#[test]
fn not_ours() {
    let user = fs::read_to_string("/proc/self/loginuid").unwrap_or_default();
    let root = status(std::process::id(), "Uid").starts_with('0');
    if !root {
        return; // only root can run a probe as somebody else
    }
    let program = compile("gcc", SPIN, "-O2");
    let target = program.start(&[]);
    let place = std::env::temp_dir().join(format!("hindmost-not-ours-{}", std::process::id()));
    fs::create_dir_all(&place).unwrap();
    let probe = place.join("probe");
    let map = place.join("empty.hmap");
    fs::copy(env!("CARGO_BIN_EXE_hindmost-probe"), &probe).unwrap();
    fs::write(&map, Map::default().to_bytes()).unwrap();
    let output = Command::new("setpriv")
        .args(["--reuid=65534", "--regid=65534", "--clear-groups"])
        .arg(&probe)
        .args(["--map", map.to_str().unwrap(), &target.pid().to_string()])
        .output()
        .unwrap();
    let _ = fs::remove_dir_all(&place);
    let errors = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(1), "{errors} {user}");
    assert!(
        errors.contains("belongs to user 0, not to user 65534"),
        "{errors}"
    );
    assert!(
        snapshot::read(&String::from_utf8_lossy(&output.stdout))
            .unwrap()
            .1[0]
            .error
            .is_some()
    );
}

#[test]
fn a_map_of_another_build() {
    let program = compile("gcc", SPIN, "-g -O2 -Wl,--build-id");
    let target = program.start(&[]);
    let map = Map {
        binding: Some(Binding {
            build_id: vec![0xab, 0xcd],
            executable: "/ci/program".to_owned(),
            ..Binding::default()
        }),
        ..Map::default()
    };
    let task = snap_in(&map, target.pid(), "main");
    let error = task.error.clone().unwrap();
    assert!(error.contains("has build-id "), "{error}");
    assert!(error.contains("bound to build-id abcd (/ci/program)"), "{error}");
    assert!(
        error.contains("map this build again with `hindmost map --exe "),
        "{error}"
    );
    // Names are better than nothing.
    assert_eq!(task.frames.last().unwrap().line, None);
}

#[test]
fn the_binary_reports_errors_and_usage() {
    let run = |arguments: &[&str]| {
        let output = Command::new(env!("CARGO_BIN_EXE_hindmost-probe"))
            .args(arguments)
            .output()
            .unwrap();
        (
            output.status.code(),
            String::from_utf8_lossy(&output.stderr).into_owned(),
        )
    };
    assert_eq!(run(&["--help"]).0, Some(0));
    assert_eq!(run(&["1"]).0, Some(2));
    let (code, text) = run(&["--map", "/nonexistent", "1"]);
    assert_eq!(code, Some(2));
    assert!(text.contains("cannot read /nonexistent"), "{text}");
    let program = compile("gcc", SPIN, "-O2");
    let source = program.source.to_str().unwrap();
    let (code, text) = run(&["--map", source, "1"]);
    assert_eq!(code, Some(2));
    assert!(text.contains(source), "{text}");
    let map = program.path.with_extension("hmap");
    fs::write(&map, Map::default().to_bytes()).unwrap();
    let map = map.to_str().unwrap();
    let (code, text) = run(&["--map", map, "--launcher", "1073741808"]);
    assert_eq!(code, Some(2));
    assert!(text.contains("no process has pid"), "{text}");
    assert_eq!(run(&["--map", map, "1073741808"]).0, Some(1));

    // A program's name is its owner's choice, and a map of another build has the probe name it.
    let other = Map {
        binding: Some(Binding {
            executable: "/ci/x\u{1b}[2J".to_owned(),
            build_id: vec![1; 20],
            ..Binding::default()
        }),
        ..Map::default()
    };
    fs::write(map, other.to_bytes()).unwrap();
    let named = program.path.with_file_name("x\u{1b}[2J\u{202e}\nprogram");
    fs::copy(&program.path, &named).unwrap();
    let target = Target::start(&mut Command::new(&named));
    let (_, text) = run(&["--map", map, &target.pid().to_string()]);
    let acts = |c: char| base::acts_on_terminal(c) && c != '\n';
    assert!(text.contains("program") && !text.contains(acts), "{text:?}");
    assert!(
        text.lines().all(|line| line.starts_with("hindmost-probe: ")),
        "{text:?}"
    );
}

/// Whoever has closed its output gets no more, and no panic.
#[test]
fn the_binary_says_what_it_can() {
    let program = compile("gcc", SPIN, "-O2");
    let target = program.start(&[]);
    let map = program.path.with_extension("hmap");
    fs::write(&map, Map::default().to_bytes()).unwrap();
    let script = "\"$0\" --help >/dev/full && \"$0\" --help >&- && ! \"$0\" 2>/dev/full \
        && { \"$0\" --map \"$1\" $2 2>/dev/full >/dev/null; test $? = 0; } && { \"$0\" --map \"$1\" $2 >/dev/full; test $? = 2; }";
    let output = Command::new("sh")
        .args(["-c", script, env!("CARGO_BIN_EXE_hindmost-probe")])
        .arg(&map)
        .arg(target.pid().to_string())
        .output()
        .unwrap();
    assert!(output.status.success(), "{output:?}");
}

#[test]
fn tasks_keep_their_order_and_names_are_unique() {
    let program = compile("gcc", SPIN, "-O2");
    let targets = [program.start(&[]), program.start(&[])];
    let mut tasks: Vec<TaskRef> = tasks_of(&[targets[1].pid(), targets[0].pid(), targets[1].pid()]);
    assert_eq!(tasks.len(), 2);
    for task in &mut tasks {
        task.rank = Some(5);
    }
    let (header, records) = take(&Map::default(), &tasks, Options::default());
    let pids: Vec<_> = records.iter().map(|record| record.pid.unwrap()).collect();
    assert_eq!(pids, [targets[1].pid(), targets[0].pid()]);
    assert!(snapshot::read(&snapshot::write(&header, &records)).is_ok());
    assert!(header.window_us.is_some() && !header.host.is_empty());
}
