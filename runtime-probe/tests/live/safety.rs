//! The target keeps running and computes the same result, whatever happens to the probe.

use crate::support::{Program, Target, compile, complete, names, snap, snap_with, state, status, until};
use progress_map::Map;
use runtime_probe::{Options, take, tasks_of};
use std::fs;
use std::process::{Command, Stdio};
use std::time::Duration;

/// Computes a checksum with integer, floating-point and vector registers, memory and system calls, and prints it.
/// The argument is the number of rounds.
const CHECKSUM: &str = r#"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>
static unsigned long mix(unsigned long h, unsigned long v) { return (h ^ v) * 0x100000001b3ul; }
__attribute__((noinline)) static unsigned long round_of(unsigned long h, int n) {
    double x[128], sum = 0;
    for (int i = 0; i < 128; i++) x[i] = (double)(h >> 40) / (i + 1);
    for (int k = 0; k < 200; k++) for (int i = 0; i < 128; i++) sum += x[i] * (k + n);
    unsigned long bits;
    memcpy(&bits, &sum, 8);
    return mix(h, bits);
}
int main(int argc, char **argv) {
    int ends[2], rounds = atoi(argv[1]);
    unsigned long h = 0xcbf29ce484222325ul;
    if (pipe(ends)) return 1;
    puts("ready"); fflush(stdout);
    for (int n = 0; n < rounds; n++) {
        unsigned long back = 0;
        struct timespec nap = {0, 20000};
        h = round_of(h, n);
        if (write(ends[1], &h, 8) != 8 || read(ends[0], &back, 8) != 8) return 2;
        if (nanosleep(&nap, 0)) return 3;
        h = mix(h, back);
    }
    printf("%lx\n", h);
    return 0;
}
"#;

fn checksum() -> Program {
    compile("gcc", CHECKSUM, "-g -O2")
}

pub fn running(target: &Target) -> bool {
    fs::metadata(format!("/proc/{}/exe", target.pid())).is_ok() && state(target.pid()) != 'Z'
}

/// xorshift64: the same delays in every run.
struct Random(u64);

impl Random {
    fn below(&mut self, bound: u64) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0 % bound
    }
}

/// How often something is tried: a few times in every test, as often as `cargo xtask no-harm` says in a campaign.
pub fn attempts(variable: &str, usual: usize) -> usize {
    let told = std::env::var(variable).ok();
    told.map_or(usual, |told| told.parse().unwrap())
}

#[test]
fn snapshots_do_not_change_the_result() {
    let program = checksum();
    let wanted = attempts("HINDMOST_SNAPSHOTS", 10);
    let expected = program.start(&["20000"]).finish();
    let (mut count, mut targets) = (0, 0);
    while count < wanted {
        let target = program.start(&["20000"]);
        targets += 1;
        let before = count;
        while running(&target) {
            let task = snap(&Map::default(), target.pid());
            let has_ended = |error: &String| ["ended", "zombie"].iter().any(|word| error.contains(word));
            if task.error.as_ref().is_some_and(has_ended) {
                break;
            }
            assert!(complete(&task), "{:?}", task.error);
            assert!(names(&task).contains(&"main"));
            assert!(task.unstopped || task.held_ns.is_some_and(|held| held > 0));
            count += 1;
        }
        assert!(count > before, "no snapshot while it ran");
        assert_eq!(target.finish(), expected);
    }
    println!("{count} snapshots of {targets} targets, all of which came to the right result");
}

/// A map file that is bound to nothing: the probe unwinds all the same.
fn empty_map(program: &Program) -> String {
    let path = program.path.with_extension("hmap");
    fs::write(&path, Map::default().to_bytes()).unwrap();
    path.display().to_string()
}

#[test]
fn a_probe_killed_at_any_instant_releases_its_targets() {
    let program = checksum();
    let map = empty_map(&program);
    let expected = program.start(&["6000"]).finish();
    let mut targets: Vec<Target> = (0..2).map(|_| program.start(&["6000"])).collect();
    let mut random = Random(0x9e37_79b9_7f4a_7c15);
    let attempts = attempts("HINDMOST_KILLS", 50);
    let (mut killed, mut replaced) = (0, 0);
    for _ in 0..attempts {
        targets.retain_mut(|target| {
            if running(target) {
                return true;
            }
            assert_eq!(
                std::mem::replace(target, program.start(&["6000"])).finish(),
                expected
            );
            replaced += 1;
            true
        });
        let pids: Vec<u32> = targets.iter().map(Target::pid).collect();
        let mut probe = Command::new(env!("CARGO_BIN_EXE_hindmost-probe"))
            .args(["--map", &map, "-o", "/dev/null"])
            .args(pids.iter().map(u32::to_string))
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        std::thread::sleep(Duration::from_micros(random.below(12_000)));
        probe.kill().unwrap();
        if probe.wait().unwrap().code().is_none() {
            killed += 1;
        }
        for pid in pids {
            until("released", || released(pid));
        }
    }
    assert!(
        5 * killed > attempts,
        "only {killed} of {attempts} were killed before their end"
    );
    for target in targets {
        assert_eq!(target.finish(), expected);
        replaced += 1;
    }
    println!(
        "{killed} of {attempts} probes killed; {replaced} targets, all of which came to the right result"
    );
}

/// Whether nobody traces or stops a process, or it has ended.
fn released(pid: u32) -> bool {
    let gone = fs::read_to_string(format!("/proc/{pid}/status")).is_err();
    gone || (status(pid, "TracerPid") == "0" && !matches!(state(pid), 't' | 'T'))
}

#[test]
fn a_probe_without_memory_or_disk_releases_its_targets() {
    let program = checksum();
    let map = empty_map(&program);
    let expected = program.start(&["10000"]).finish();
    let target = program.start(&["10000"]);
    let pid = target.pid();
    let probe = |limit: u64, output: &str| {
        // In KB of address space. Whoever has too little of it is told so, or dies: by the kernel at the start, later by itself.
        let script = format!("ulimit -v {limit}; exec \"$0\" --map \"$1\" -o {output} {pid}");
        let said = Command::new("sh")
            .args(["-c", &script, env!("CARGO_BIN_EXE_hindmost-probe"), &map])
            // With it the standard library needs memory to say that there is none.
            .env("RUST_BACKTRACE", "1")
            .output()
            .unwrap();
        until("released", || released(pid));
        said
    };
    let (mut answered, mut failed) = (0, 0);
    let attempts = attempts("HINDMOST_STARVED", 40) as u64;
    for attempt in 0..attempts {
        // From what no program can start in to what is enough for any snapshot.
        let limit = 1000 + attempt * 30_000 / attempts;
        match probe(limit, "/dev/null").status.code() {
            // 1: read, but by a map that is not of this build.
            Some(1) => answered += 1,
            _ => failed += 1,
        }
    }
    assert!(answered > 0 && failed > 0, "{answered} answered, {failed} failed");
    let full = probe(1_000_000, "/dev/full");
    assert_eq!(full.status.code(), Some(2), "{full:?}");
    let message = String::from_utf8_lossy(&full.stderr);
    assert!(message.contains("/dev/full"), "{message}");
    assert_eq!(target.finish(), expected);
    println!("{failed} of {attempts} probes had too little memory; the target came to the right result");
}

/// Stands on a stack of 7 MB, and then on one whose chain of frames leads back to itself; comes home from both.
const STACKS: &str = r#"
#include <signal.h>
#include <stdio.h>
#include <string.h>
static sigset_t told;
static long turn(void) {
    int number = 0;
    puts("ready"); fflush(stdout);
    sigwait(&told, &number);
    return number == SIGUSR1;
}
__attribute__((noinline)) static long deep(void) {
    volatile char room[7 << 20];
    memset((char *)room, 1, sizeof room);
    long sum = turn();
    for (unsigned i = 0; i < sizeof room; i++) sum += room[i];
    return sum;
}
__attribute__((noinline)) static long damaged(void) {
    void **frame = __builtin_frame_address(0), *kept[2] = {frame[0], frame[1]};
    frame[0] = frame;
    frame[1] = (char *)damaged + 24;
    long sum = turn();
    frame[0] = kept[0];
    frame[1] = kept[1];
    return sum;
}
int main(void) {
    sigemptyset(&told); sigaddset(&told, SIGUSR1); sigprocmask(SIG_BLOCK, &told, 0);
    long sum = deep(); sum += damaged(); printf("%ld\n", sum); return 0;
}
"#;

#[test]
fn deep_and_damaged_stacks() {
    let program = compile("gcc", STACKS, "-O0 -fno-omit-frame-pointer");
    let mut target = program.start(&[]);
    let whole = Options {
        limit: 8 << 20,
        ..Options::default()
    };
    for options in [Options::default(), whole] {
        let task = snap_with(&Map::default(), target.pid(), options);
        let error = task.error.clone().unwrap_or_default();
        let is_cut = error.contains("stack deeper than the");
        assert_eq!(is_cut, options != whole, "{error}");
        assert!(is_cut || names(&task).contains(&"main"), "{task:?}");
    }
    target.signal("USR1");
    assert_eq!(target.line(), "ready");
    let task = snap(&Map::default(), target.pid());
    let error = task.error.clone().unwrap_or_default();
    assert!(error.contains("the stack is damaged"), "{task:?}");
    assert!(
        names(&task).contains(&"damaged") && task.frames.len() < 10,
        "{task:?}"
    );
    assert!(is_free(target.pid()));
    target.signal("USR1");
    assert_eq!(target.finish(), (2 + (7 << 20)).to_string());
}

/// Nobody traces it and nothing has stopped it.
fn is_free(pid: u32) -> bool {
    status(pid, "TracerPid") == "0" && !matches!(state(pid), 't' | 'T')
}

#[test]
fn children_of_a_target_are_left_alone() {
    // A child that were traced or stopped would not be waited for, or would end by a signal.
    const FORKS: &str = r#"
#include <stdio.h>
#include <sys/wait.h>
#include <unistd.h>
int main(void) {
    int sum = 0;
    puts("ready"); fflush(stdout);
    for (int i = 0; i < 400; i++) {
        int status = 0;
        pid_t child = fork();
        if (child == 0) { usleep(200); _exit(i % 100); }
        if (waitpid(child, &status, 0) != child || !WIFEXITED(status)) return 1;
        sum += WEXITSTATUS(status);
    }
    printf("%d\n", sum);
    return 0;
}
"#;
    let program = compile("gcc", FORKS, "-O2");
    let target = program.start(&[]);
    while running(&target) {
        snap(&Map::default(), target.pid());
    }
    assert_eq!(target.finish(), (4 * (0..100).sum::<u32>()).to_string());
}

#[test]
fn a_stopped_target_stays_stopped() {
    let program = checksum();
    let expected = program.start(&["200"]).finish();
    let target = program.start(&["200"]);
    target.signal("STOP");
    until("stopped", || state(target.pid()) == 'T');
    for _ in 0..20 {
        let task = snap(&Map::default(), target.pid());
        assert!(complete(&task), "{:?}", task.error);
        // On its way back from the tracing stop it is runnable for an instant.
        until("stopped again", || state(target.pid()) == 'T');
        std::thread::sleep(Duration::from_millis(2));
        assert_eq!(state(target.pid()), 'T');
        assert_eq!(status(target.pid(), "TracerPid"), "0");
    }
    target.signal("CONT");
    assert_eq!(target.finish(), expected);
}

#[test]
fn signals_on_their_way_are_delivered() {
    // Counts the signals of a timer: none may be lost or doubled by a stop.
    const SIGNALS: &str = r#"
#include <signal.h>
#include <stdio.h>
#include <unistd.h>
#include <sys/types.h>
static volatile sig_atomic_t count;
static void handler(int n) { (void)n; count++; }
int main(void) {
    struct sigaction action = {.sa_handler = handler};
    sigaction(SIGRTMIN + 3, &action, 0);
    puts("ready"); fflush(stdout);
    for (int i = 0; i < 20000; i++) { union sigval v = {.sival_int = i}; sigqueue(getpid(), SIGRTMIN + 3, v); for (volatile int k = 0; k < 2000; k++); }
    printf("%d\n", (int)count);
    return 0;
}
"#;
    let program = compile("gcc", SIGNALS, "-O2");
    let target = program.start(&[]);
    while running(&target) {
        snap(&Map::default(), target.pid());
    }
    assert_eq!(target.finish(), "20000");
}

#[test]
fn targets_may_end_at_any_moment() {
    const SHORT: &str = r#"
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>
int main(int argc, char **argv) { puts("ready"); fflush(stdout); usleep(atoi(argv[1])); return 7; }
"#;
    let program = compile("gcc", SHORT, "-O2");
    let mut random = Random(42);
    for _ in 0..12 {
        let mut targets: Vec<Target> = (0..6)
            .map(|_| program.start(&[&random.below(20_000).to_string()]))
            .collect();
        let pids: Vec<u32> = targets.iter().map(Target::pid).collect();
        let tasks = tasks_of(&pids);
        let (_, records) = take(&Map::default(), &tasks, Options::default());
        assert_eq!(records.len(), 6);
        for record in &records {
            let error = record.error.as_deref().unwrap_or_default();
            assert!(
                !record.frames.is_empty() || error.contains("ended") || error.contains("zombie"),
                "{record:?}"
            );
        }
        for target in &mut targets {
            // The exit status belongs to the parent: the probe must not have taken it.
            assert_eq!(target.child.wait().unwrap().code(), Some(7));
        }
    }
}
