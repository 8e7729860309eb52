//! Stacks through code that has no unwind tables.

use crate::support::{compile, names, snap, until};
use progress_map::Map;
use snapshot::Task;

const SILENT: &str = r#"
#include <stdio.h>
#include <unistd.h>
volatile int sink;
__attribute__((noinline)) void inner(int n) { volatile long a[9]; a[n % 9] = n; for (;;) { pause(); sink += (int)a[n % 9]; } }
__attribute__((noinline)) void middle(void (*f)(int), int n) { volatile long a[5]; a[n % 5] = n; f(n); sink += (int)a[n % 5]; }
__attribute__((noinline)) void outer(int n) { middle(inner, n + 1); sink++; }
int main(int argc, char **argv) { (void)argv; puts("ready"); fflush(stdout); outer(argc); return sink; }
"#;

#[test]
fn frames_without_tables_are_shown_and_marked() {
    for flags in [
        "-O1 -fno-omit-frame-pointer",
        "-O1 -fomit-frame-pointer",
        "-O2 -fomit-frame-pointer -static",
        "-O0 -s -no-pie",
    ] {
        let silent =
            format!("{flags} -fno-asynchronous-unwind-tables -fno-unwind-tables -fno-optimize-sibling-calls");
        let program = compile("gcc", SILENT, &silent);
        let target = program.start(&[]);
        let mut task = Task::default();
        until(flags, || {
            task = snap(&Map::default(), target.pid());
            names(&task).iter().any(|name| name.contains("pause"))
        });
        let own = Vec::from_iter(
            task.frames
                .iter()
                .filter(|frame| frame.module.as_deref() == Some("program")),
        );
        // The function that calls into libc is where the tables end; what is outside of it is guessed.
        assert!(own.iter().any(|frame| frame.guessed), "{flags}: {task:?}");
        let first = task.frames.iter().rposition(|frame| frame.guessed).unwrap();
        assert!(
            task.frames[..=first].iter().all(|frame| frame.guessed),
            "{flags}: {task:?}"
        );
        assert!(!task.frames[first + 1..].is_empty(), "{flags}: {task:?}");
        assert!(
            task.error.as_ref().unwrap().contains("is guessed"),
            "{flags}: {task:?}"
        );
        if flags.contains("-s ") {
            // Nameless, but told by where they are.
            assert!(
                own.iter().filter(|frame| frame.pc.is_some()).count() >= 4,
                "{flags}: {task:?}"
            );
            continue;
        }
        let chain: Vec<&str> = names(&task)
            .into_iter()
            .filter(|name| ["inner", "middle", "outer", "main"].contains(name))
            .collect();
        assert_eq!(chain, ["inner", "middle", "outer", "main"], "{flags}: {task:?}");
    }
}
