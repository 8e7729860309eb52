//! What is seen of a process besides its stacks: sizes of jobs, states of threads, owners of locks.

use crate::support::{Target, compile, names, snap, until};
use progress_map::Map;
use runtime_probe::{Options, job_of_pids, take};
use snapshot::{ProcessState, RunState, Task};
use std::process::Command;

const SLEEPER: &str = r#"
#include <stdio.h>
#include <unistd.h>
int main(void) { puts("ready"); fflush(stdout); for (;;) pause(); }
"#;

#[test]
fn ranks_that_were_not_given_are_missing() {
    let program = compile("gcc", SLEEPER, "-O2");
    let rank = |rank: &str, size: &str| {
        let mut command = Command::new(&program.path);
        command
            .env("OMPI_COMM_WORLD_RANK", rank)
            .env("OMPI_COMM_WORLD_SIZE", size);
        Target::start(&mut command)
    };
    let three = [rank("0", "6"), rank("1", "6"), rank("2", "6")];
    let pids = Vec::from_iter(three.iter().map(Target::pid));
    let job = job_of_pids(&pids);
    assert_eq!(job.size, Some(6));
    assert_eq!(job.missing.to_string(), "3-5");
    let (header, _) = take(&Map::default(), &job.tasks, Options::default());
    assert_eq!(header.size, Some(6));

    // One that was asked for by itself misses nobody, and tells the size all the same.
    let one = job_of_pids(&pids[..1]);
    assert!(one.missing.is_empty());
    assert_eq!(one.size, Some(6));
    // Of two jobs together no size is that of both.
    let other = rank("3", "4");
    let mixed = job_of_pids(&[pids[0], other.pid()]);
    assert_eq!(mixed.size, None);
    assert!(mixed.missing.is_empty());
    // Nor is one that a rank lies beyond.
    let beyond = rank("9", "4");
    assert_eq!(job_of_pids(&[beyond.pid()]).size, None);
}

/// The second thread holds the first lock and sleeps; the main one and a third wait for it, a fourth for a condition.
const LOCKS: &str = r#"
#include <pthread.h>
#include <stdio.h>
#include <sys/syscall.h>
#include <unistd.h>
static pthread_mutex_t lock, other = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t condition = PTHREAD_COND_INITIALIZER;
static volatile int held;
static void *holder(void *p) { pthread_mutex_lock(&lock); held = (int)syscall(SYS_gettid); for (;;) pause(); return p; }
static void *waiter(void *p) { pthread_mutex_lock(&lock); return p; }
static void *conditional(void *p) { pthread_mutex_lock(&other); for (;;) pthread_cond_wait(&condition, &other); return p; }
int main(void) {
    pthread_mutexattr_t kind;
    pthread_mutexattr_init(&kind);
    KIND;
    pthread_mutex_init(&lock, &kind);
    pthread_t t;
    pthread_create(&t, 0, holder, 0);
    while (!held) usleep(100);
    pthread_create(&t, 0, waiter, 0);
    pthread_create(&t, 0, conditional, 0);
    printf("ready\n%d %p\n", held, (void *)&lock);
    fflush(stdout);
    pthread_mutex_lock(&lock);
    return 0;
}
"#;

#[test]
fn whoever_waits_for_a_lock_names_its_owner() {
    for kind in [
        "pthread_mutexattr_settype(&kind,PTHREAD_MUTEX_NORMAL)",
        "pthread_mutexattr_settype(&kind,PTHREAD_MUTEX_RECURSIVE)",
        "pthread_mutexattr_setrobust(&kind,PTHREAD_MUTEX_ROBUST)",
        "pthread_mutexattr_setprotocol(&kind,PTHREAD_PRIO_INHERIT)",
    ] {
        let program = compile("gcc", &LOCKS.replace("KIND", kind), "-O2 -pthread");
        let mut target = program.start(&[]);
        let told = target.line();
        let (owner, address) = told.split_once(" 0x").unwrap();
        let owner: u32 = owner.parse().unwrap();
        let address = u64::from_str_radix(address, 16).unwrap();
        let mut task = Task::default();
        until(kind, || {
            task = snap(&Map::default(), target.pid());
            // On a busy machine the threads come to their calls one after the other.
            let threads = task.threads.iter().filter_map(|thread| thread.state.as_ref());
            let states: Vec<_> = threads.chain(&task.state).collect();
            let waits = |state: &ProcessState| {
                let call = state.system_call.as_deref();
                state.run == RunState::Sleeping && matches!(call, Some("futex" | "pause"))
            };
            states.len() == 4 && states.into_iter().all(waits)
        });
        let lock = task.state.as_ref().unwrap().lock.unwrap();
        assert_eq!((lock.address, lock.owner), (address, Some(owner)), "{kind}");
        assert_eq!(task.threads.len(), 3);
        for thread in &task.threads {
            let state = thread.state.as_ref().unwrap();
            assert_eq!(state.run, RunState::Sleeping, "{thread:?}");
            let does = |name: &str| thread.frames.iter().any(|frame| frame.function == name);
            assert_eq!(state.lock.is_some(), does("waiter"), "{kind}: {thread:?}");
            assert_eq!(
                state.lock.and_then(|lock| lock.owner),
                does("waiter").then_some(owner)
            );
            let call = if does("holder") { "pause" } else { "futex" };
            assert_eq!(state.system_call.as_deref(), Some(call), "{thread:?}");
        }
        assert!(names(&task).contains(&"main"), "{task:?}");
    }
}
