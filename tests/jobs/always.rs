//! Always an answer, and one that a reader understands: locks and who holds them, ranks that fork, that are in `vfork` or `execve`, jobs of
//! musl, Rust and C++ without a map, parts of a job, and processes that are no job at all.

use crate::hindmost::{hindmost, launch_as, my_turn, run, said};
use crate::unprepared::{asked_until, compiled, written};
use corpus::{JobProcesses, Mpi};
use serde_json::Value;
use std::path::Path;
use std::process::Command;

/// Starts four ranks of a program, asks until `fits`, and then lets `judge` look further at the job of that launcher.
#[track_caller]
fn with_job(
    exe: &Path,
    arguments: &[&str],
    fits: &dyn Fn(i32, &Value) -> bool,
    judge: &dyn Fn(u32, &[u32], &Value),
) {
    let processes = JobProcesses::new();
    let exe = exe.to_string_lossy();
    let all = [&["-np", "4", &exe], arguments].concat();
    let mut launcher = launch_as(Mpi::OpenMpi, &all, processes.variable());
    let pid = launcher.id();
    let answer = asked_until(pid, &[], fits);
    let judged = answer.map(|answer| {
        let pids = processes.pids();
        std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| judge(pid, &pids, &answer)))
    });
    processes.end();
    launcher.wait().unwrap_or_else(|error| panic!("{error}"));
    match judged {
        Ok(Ok(())) => {}
        Ok(Err(panic)) => std::panic::resume_unwind(panic),
        Err(said) => panic!("{said}"),
    }
}

fn text(arguments: &[&str]) -> String {
    said(&run(hindmost().arg("find").args(arguments)))
}

#[track_caller]
fn says(text: &str, words: &[&str]) {
    for word in words {
        assert!(text.contains(word), "no '{word}' in:\n{text}");
    }
}

fn parent(pid: u32) -> Option<u32> {
    let stat = std::fs::read_to_string(format!("/proc/{pid}/stat")).ok()?;
    stat.rsplit_once(')')?.1.split_whitespace().nth(1)?.parse().ok()
}

/// Rank 1 waits for a lock that a thread of its own does not give back.
const LOCK: &str = r#"
#include <mpi.h>
#include <pthread.h>
#include <unistd.h>
namespace solver {
pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
volatile int taken;
template <class T> struct Grid { T value; __attribute__((noinline)) void relax(int step); };
template <class T> void Grid<T>::relax(int step)
{
    pthread_mutex_lock(&lock);
    value += step;
    pthread_mutex_unlock(&lock);
}
}
static void *keep(void *)
{
    pthread_mutex_lock(&solver::lock);
    solver::taken = 1;
    for (;;) pause();
    return 0;
}
int main(int argc, char **argv)
{
    int rank, provided;
    double mine = 1, all;
    pthread_t thread;
    MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &provided);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (rank == 1) {
        pthread_create(&thread, 0, keep, 0);
        while (!solver::taken) usleep(1000);
    }
    solver::Grid<double> grid{1};
    for (int step = 0; step < 9; step++) {
        grid.relax(step);
        MPI_Allreduce(&mine, &all, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
    }
    MPI_Finalize();
}
"#;

#[test]
fn a_lock_that_a_thread_keeps() {
    let _turn = my_turn();
    let exe = compiled(
        "mpicxx.openmpi",
        &written("lock.cpp", LOCK),
        "lock",
        &["-O2", "-pthread"],
    );
    let is_locked = |_: i32, answer: &Value| answer["named"] == "1" && answer["trouble"]["kind"] == "lock";
    with_job(&exe, &[], &is_locked, &|launcher, pids, answer| {
        let named = answer["classes"].as_array().into_iter().flatten();
        let named = named
            .filter(|class| class["ranks"] == "1")
            .map(|class| class["frames"][1]["function"].clone());
        assert_eq!(
            Vec::from_iter(named),
            ["solver::Grid<double>::relax"],
            "{answer:#}"
        );
        let launcher = launcher.to_string();
        let whole = text(&["--tree", &launcher]);
        says(
            &whole,
            &[
                "Rank 1 waits for a lock that is held by thread ",
                "which is in pause called from keep",
                "holds the lock",
                // The tree shows what the answer says, and does not contradict it.
                " solver::Grid<double>::relax lock",
                "MPI_Allreduce libmpi",
            ],
        );
        assert!(!whole.contains("no hindmost is named"), "{whole}");
        assert!(!whole.contains("has no known order"), "{whole}");
        // Of a job of which a part is asked for it is said how much was seen.
        let [first, second] = [1, 2].map(|rank: u32| {
            let wanted = format!("OMPI_COMM_WORLD_RANK={rank}");
            let has = |pid: &&u32| {
                let environment = std::fs::read(format!("/proc/{pid}/environ")).unwrap_or_default();
                environment
                    .split(|&byte| byte == 0)
                    .any(|entry| entry == wanted.as_bytes())
            };
            pids.iter().find(has).map(u32::to_string).unwrap_or_default()
        });
        says(
            &text(&[&first, &second]),
            &["\nSaw 2 of 4 tasks: any of the others may be further behind."],
        );
    });
}

/// Rank 2 does what it is told, in the fourth round.
const KIDS: &str = r#"
#define _GNU_SOURCE
#include <mpi.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
int main(int argc, char **argv)
{
    int rank;
    double mine = 1, all;
    if (getenv("AGAIN"))
        execv("/proc/self/exe", argv);
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    for (int step = 0; step < 9; step++) {
        if (rank == 2 && step == 3 && !strcmp(argv[1], "fork") && !fork())
            for (;;) pause();
        if (rank == 2 && step == 3 && !strcmp(argv[1], "vfork") && !vfork())
            for (;;) pause();
        if (rank == 2 && step == 3 && !strcmp(argv[1], "exec")) {
            setenv("AGAIN", "1", 1);
            execv("/proc/self/exe", argv);
        }
        if (rank == 1 && step == 5)
            for (;;) pause();
        MPI_Allreduce(&mine, &all, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
    }
    MPI_Finalize();
}
"#;

#[test]
fn what_a_rank_forks_does_not_stand_for_it() {
    let _turn = my_turn();
    // Without -g: with it, a map would tell the program from others, but not from its fork either.
    let exe = compiled("mpicc.openmpi", &written("kids.c", KIDS), "kids", &["-g", "-O1"]);
    let one = |_: i32, answer: &Value| answer["named"] == "1" && answer["tasks"] == 4;
    with_job(&exe, &["fork"], &one, &|launcher, _, answer| {
        let pids = answer["classes"].as_array().into_iter().flatten();
        let pids = pids.flat_map(|class| class["state"]["pids"].as_array().cloned().unwrap_or_default());
        let parents = Vec::from_iter(pids.map(|pid| parent(pid.as_u64().unwrap_or_default() as u32)));
        assert_eq!(parents, vec![Some(launcher); 4], "{answer:#}");
    });
}

#[test]
fn a_rank_in_vfork_is_in_d() {
    let _turn = my_turn();
    let exe = compiled(
        "mpicc.openmpi",
        &written("kids.c", KIDS),
        "kids-vfork",
        &["-g", "-O1"],
    );
    let in_d = |_: i32, answer: &Value| answer["named"] == "2" && answer["halted"][0]["why"] == "kernel";
    with_job(&exe, &["vfork"], &in_d, &|launcher, _, answer| {
        let pid = answer["halted"][0]["pid"].as_u64().unwrap_or_default() as u32;
        assert_eq!(parent(pid), Some(launcher), "{answer:#}");
        says(
            &text(&[&launcher.to_string()]),
            &["\nRank 2 is in vfork(), state D: what it started has neither"],
        );
    });
}

#[test]
fn a_rank_in_execve_is_named_or_said_to_be_unread_and_nobody_else() {
    let _turn = my_turn();
    let exe = compiled(
        "mpicc.openmpi",
        &written("kids.c", KIDS),
        "kids-exec",
        &["-g", "-O1"],
    );
    // All others wait in the fourth sum.
    let others_wait = |_: i32, answer: &Value| {
        let mut classes = answer["classes"].as_array().into_iter().flatten();
        classes
            .any(|class| class["ranks"] == "0-1,3" && class["frames"].to_string().contains("MPI_Allreduce"))
    };
    with_job(&exe, &["exec"], &others_wait, &|launcher, _, _| {
        for _ in 0..5 {
            let output = run(hindmost().args(["find", "--format", "json", &launcher.to_string()]));
            let answer: Value =
                serde_json::from_slice(&output.stdout).unwrap_or_else(|_| panic!("{}", said(&output)));
            let named = answer["named"].as_str().unwrap_or_default();
            assert!(named.is_empty() || named == "2", "{answer:#}");
            let unread = &answer["unreadable"][0];
            assert!(named == "2" || unread["rank"] == 2, "{answer:#}");
            assert_eq!(answer["proven"], false, "{answer:#}");
        }
    });
}

/// Ranks without MPI, of a library without unwind information: rank 1 computes, and the others sleep.
const MUSL: &str = r#"
#include <stdlib.h>
#include <string.h>
#include <time.h>
volatile int gate = 1;
__attribute__((noinline)) void compute(void) { while (gate) continue; }
int main(void)
{
    struct timespec long_time = {100000, 0};
    if (!strcmp(getenv("OMPI_COMM_WORLD_RANK"), "1")) compute();
    nanosleep(&long_time, 0);
}
"#;

#[test]
fn of_musl_without_mpi() {
    let _turn = my_turn();
    let source = written("musl.c", MUSL);
    for (name, flags) in [
        ("musl-static", &["-O2", "-static"][..]),
        ("musl-shared", &["-g", "-O2"]),
    ] {
        let exe = compiled("musl-gcc", &source, name, flags);
        let one = |code: i32, answer: &Value| code == 3 && answer["named"] == "1" && answer["tasks"] == 4;
        with_job(&exe, &[], &one, &|launcher, _, answer| {
            assert_eq!(answer["probable"][0]["function"], "compute", "{answer:#}");
            assert_eq!(answer["trouble"]["kind"], "computing", "{answer:#}");
            says(
                &text(&[&launcher.to_string()]),
                &["computing in compute", "the other 3 are in nanosleep"],
            );
            // What calls `main` was guessed, and does not matter.
            let one = answer["classes"].as_array().into_iter().flatten();
            let one = one
                .filter(|class| class["ranks"] == "1")
                .map(|class| class["frames"][0]["function"].clone());
            assert_eq!(Vec::from_iter(one), ["main"], "{answer:#}");
        });
    }
}

const RUST: &str = r#"
use std::ffi::c_void;
use std::sync::atomic::{AtomicI32, Ordering};
mod solver {
    pub struct Grid<T> { pub value: T }
    pub trait Relax { fn relax(&self, gate: &super::AtomicI32); }
    impl<T> Relax for Grid<T> {
        #[inline(never)]
        fn relax(&self, gate: &super::AtomicI32) { while gate.load(super::Ordering::Relaxed) == 1 {} }
    }
}
use solver::Relax;
#[repr(C)]
pub struct World([u8; 0]);
extern "C" {
    fn MPI_Init(count: *mut c_void, arguments: *mut c_void) -> i32;
    fn MPI_Comm_rank(world: *const World, rank: *mut i32) -> i32;
    fn MPI_Barrier(world: *const World) -> i32;
    fn MPI_Finalize() -> i32;
    static ompi_mpi_comm_world: World;
}
static GATE: AtomicI32 = AtomicI32::new(1);
fn main() {
    unsafe {
        MPI_Init(std::ptr::null_mut(), std::ptr::null_mut());
        let (mut rank, world) = (0, std::ptr::addr_of!(ompi_mpi_comm_world));
        MPI_Comm_rank(world, &mut rank);
        let grid = solver::Grid { value: 1.0f64 };
        for step in 0..9 {
            if rank == 1 && step == 3 { grid.relax(&GATE); }
            MPI_Barrier(world);
        }
        MPI_Finalize();
        let _ = grid.value;
    }
}
"#;

#[test]
fn of_rust() {
    let _turn = my_turn();
    let directories = run(Command::new("mpicc.openmpi").arg("--showme:libdirs"));
    let directories = String::from_utf8_lossy(&directories.stdout).into_owned();
    let mut flags = vec!["-O", "-l", "mpi"];
    for directory in directories.split_whitespace() {
        flags.extend(["-L", directory]);
    }
    let exe = compiled("rustc", &written("relax.rs", RUST), "relax-rs", &flags);
    let one = |code: i32, answer: &Value| code == 3 && answer["named"] == "1" && answer["tasks"] == 4;
    with_job(&exe, &[], &one, &|_, _, answer| {
        let function = answer["probable"][0]["function"].as_str().unwrap_or_default();
        assert!(function.ends_with("::solver::Relax>::relax"), "{function}");
        let frames = answer["classes"][0]["frames"].as_array().map_or(0, Vec::len);
        // `main` and the call, without what Rust's library does around them.
        assert!(frames <= 3, "{answer:#}");
        let doubt = answer["probable"][0]["doubt"].as_str().unwrap_or_default();
        assert!(doubt.contains("Rust"), "{doubt}");
    });
}

#[test]
fn processes_that_are_no_job() {
    let _turn = my_turn();
    let mut sleeper = Command::new("sleep").arg("600").spawn().unwrap();
    let mut shell = Command::new("sh")
        .args(["-c", "read line"])
        .stdin(std::process::Stdio::piped())
        .spawn()
        .unwrap();
    // Until both have become what they run.
    std::thread::sleep(std::time::Duration::from_millis(300));
    let pids = [&sleeper, &shell].map(|child| child.id().to_string());
    let each = pids.clone().map(|pid| text(&[&pid]));
    let both = text(&[&pids[0], &pids[1]]);
    for child in [&mut sleeper, &mut shell] {
        child.kill().unwrap();
        child.wait().unwrap();
    }
    for said in &each {
        says(
            said,
            &[
                "exit Some(1)",
                "One process, and no other to compare it with",
                "It is no rank of a parallel job",
            ],
        );
        assert!(!said.contains("rebuild"), "{said}");
        says(said, &["\nNext: "]);
    }
    says(&both, &["exit Some(1)", "these are no ranks of a parallel job"]);
    assert!(!both.contains("rebuild"), "{both}");
}
