//! Threads: every one is read, each with its own stack, and all run on.

use crate::support::{Program, compile, names, snap, snap_with, status, until};
use progress_map::Map;
use runtime_probe::{Options, Threads};
use snapshot::Task;
use std::fs;

const THREE: &str = r#"
#define _GNU_SOURCE
#include <pthread.h>
#include <stdio.h>
#include <unistd.h>
static volatile int sink, up;
static void *first(void *p) { pthread_setname_np(pthread_self(), "first one"); up = 1; for (;;) sink++; return p; }
static void *second(void *p) { up = 2; for (;;) pause(); return p; }
int main(void) {
    pthread_t t;
    pthread_create(&t, 0, first, 0);
    while (up != 1) ;
    pthread_create(&t, 0, second, 0);
    while (up != 2) ;
    puts("ready");
    fflush(stdout);
    for (;;) pause();
}
"#;

fn functions(thread: &snapshot::Thread) -> Vec<&str> {
    thread
        .frames
        .iter()
        .map(|frame| frame.function.as_str())
        .collect()
}

fn settled(pid: u32) -> Task {
    let mut task = Task::default();
    until("both threads in their places", || {
        task = snap(&Map::default(), pid);
        names(&task).contains(&"pause")
            && task.threads.len() == 2
            && functions(&task.threads[1]).contains(&"pause")
    });
    task
}

#[test]
fn every_thread_has_a_stack_of_its_own() {
    let program = compile("gcc", THREE, "-O1 -pthread");
    let target = program.start(&[]);
    let task = settled(target.pid());
    let [first, second] = &task.threads[..] else {
        panic!("{task:?}");
    };
    assert_eq!(first.name, "first one");
    assert!(
        functions(first).contains(&"first") && !functions(first).contains(&"main"),
        "{first:?}"
    );
    assert!(functions(second).contains(&"second"), "{second:?}");
    assert_ne!(first.thread, task.pid.unwrap());
    assert!(first.error.is_none() && (first.unstopped || first.held_ns.is_some()));
    for thread in [first, second] {
        let traced = fs::read_to_string(format!("/proc/{}/status", thread.thread)).unwrap();
        assert!(traced.contains("TracerPid:\t0"), "{traced}");
    }
    assert_eq!(status(target.pid(), "TracerPid"), "0");

    let options = Options {
        threads: Threads::Main,
        ..Options::default()
    };
    let alone = snap_with(&Map::default(), target.pid(), options);
    assert!(alone.threads.is_empty());
    assert_eq!(alone.frames, task.frames);
}

#[test]
fn threads_that_come_and_go_are_no_error() {
    const SHORT: &str = r#"
#include <pthread.h>
#include <stdio.h>
static void *body(void *p) { for (volatile int i = 0; i < 20000000; i++) ; return p; }
int main(void) {
    puts("ready");
    fflush(stdout);
    for (;;) {
        pthread_t t[4];
        for (int i = 0; i < 4; i++) pthread_create(&t[i], 0, body, 0);
        for (int i = 0; i < 4; i++) pthread_join(t[i], 0);
    }
}
"#;
    let program = compile("gcc", SHORT, "-O1 -pthread");
    let target = program.start(&[]);
    let (mut looks, mut whole) = (0, 0);
    // On a busy machine a thread may be caught in its making or its end at every one of the first looks.
    until("some thread is read whole", || {
        looks += 1;
        let task = snap(&Map::default(), target.pid());
        // Within clone itself libc's tables do not lead on.
        assert!(
            names(&task).iter().any(|name| ["main", "clone3"].contains(name)),
            "{task:?}"
        );
        for thread in &task.threads {
            match &thread.error {
                None => whole += 1,
                // While it is being made or undone a thread has no stack that the tables describe.
                Some(reason) => assert!(!reason.contains("traced"), "{thread:?}"),
            }
        }
        looks >= 20 && whole > 0
    });
}

#[test]
fn a_thread_is_read_when_the_main_one_has_ended() {
    const HEADLESS: &str = r#"
#include <pthread.h>
#include <stdio.h>
#include <unistd.h>
static void *body(void *p) { usleep(20000); puts("ready"); fflush(stdout); for (;;) pause(); return p; }
int main(void) { pthread_t t; pthread_create(&t, 0, body, 0); pthread_exit(0); }
"#;
    let program: Program = compile("gcc", HEADLESS, "-O1 -pthread");
    let target = program.start(&[]);
    let mut task = Task::default();
    until("only the other thread is left", || {
        task = snap(&Map::default(), target.pid());
        task.frames.is_empty()
            && task
                .threads
                .first()
                .is_some_and(|t| functions(t).contains(&"pause"))
    });
    let reason = task.error.unwrap();
    assert!(reason.contains("the main thread of pid"), "{reason}");
    assert!(functions(&task.threads[0]).contains(&"body"));
}
