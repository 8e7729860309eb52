//! Targets that need little themselves, and would take all of our time or memory.

use crate::support::{Target, compile};
use progress_map::Map;
use runtime_probe::{Options, hostile, take, take_cores, tasks_of};
use snapshot::Task;
use std::fs;
use std::path::Path;

fn look(target: &Target, options: Options) -> Task {
    let (_, mut tasks) = take(&Map::default(), &tasks_of(&[target.child.id()]), options);
    assert_eq!(tasks.len(), 1);
    tasks.remove(0)
}

/// Each of sixty thousand frames would take a hundred thousand instructions of its unwind table.
#[test]
fn unwind_tables_that_never_end_are_given_up() {
    let assembly = "\
 .text
 .globl deep
 .type deep,@function
deep:
 .cfi_startproc
 .rept 50000
 .cfi_escape 0x0a,0x0b
 .endr
 sub $8,%rsp
 .cfi_adjust_cfa_offset 8
 dec %edi
 jz 1f
 call deep
1: jmp 1b
 .cfi_endproc
 .size deep,.-deep
 .section .note.GNU-stack
";
    let path = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("dear-{}.s", std::process::id()));
    fs::write(&path, assembly).unwrap();
    let source = "#include <stdio.h>\nvoid deep(int);\nint main(void) { puts(\"ready\"); fflush(stdout); deep(60000); }\n";
    let program = compile("gcc", source, path.to_str().unwrap());
    let target = program.start(&[]);
    let task = look(&target, Options::default());
    let error = task.error.unwrap_or_default();
    assert!(error.contains("more than is worked through"), "{error}");
    assert!(!task.frames.is_empty(), "what was followed is shown");
    fs::remove_file(path).unwrap();
}

/// A process of two thousand threads that all stand a megabyte deep in stacks without contents: two gigabytes for us, next to nothing for itself.
#[test]
fn stacks_of_many_threads_share_the_room() {
    const THREADS: usize = 2000;
    let source = r#"
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>
static pthread_barrier_t all;
static void *run(void *none) {
    char big[1000000];
    __asm__ volatile("" : : "r"(big) : "memory");
    pthread_barrier_wait(&all);
    for (;;) pause();
}
int main(int argc, char **argv) {
    int count = atoi(argv[1]);
    pthread_attr_t attributes;
    pthread_t thread;
    pthread_barrier_init(&all, 0, count + 1);
    pthread_attr_init(&attributes);
    pthread_attr_setstacksize(&attributes, 2 << 20);
    while (count--)
        if (pthread_create(&thread, &attributes, run, 0)) abort();
    pthread_barrier_wait(&all);
    puts("ready");
    fflush(stdout);
    for (;;) pause();
}
"#;
    let program = compile("gcc", source, "-O0 -pthread");
    let target = program.start(&[&THREADS.to_string()]);
    let before = peak();
    let task = look(&target, Options::default());
    assert_eq!(task.threads.len(), THREADS);
    // One in each half, and what else a test needs.
    assert!(peak() - before < 1200 << 10, "{} KiB more", peak() - before);
    let cut = task.threads.iter().filter(|thread| {
        let error = thread.error.as_deref().unwrap_or_default();
        error.contains("stack deeper than the") && !thread.frames.is_empty()
    });
    assert_eq!(cut.count(), THREADS, "{:?}", task.threads.first());
    assert!(
        task.frames.iter().any(|frame| frame.function == "main"),
        "{:?}",
        task.frames
    );
}

/// The most memory that this process ever had, in KiB.
fn peak() -> i64 {
    let status = fs::read_to_string("/proc/self/status").unwrap();
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"));
    line.unwrap().trim().trim_end_matches(" kB").parse().unwrap()
}

/// The header of a core, its segments (address and bytes), and its notes (type and bytes) in front of them.
fn core_of(notes: &[(u32, Vec<u8>)], segments: &[(u64, Vec<u8>)]) -> Vec<u8> {
    let mut all_notes = Vec::new();
    for (kind, bytes) in notes {
        let lengths = [5u32, u32::try_from(bytes.len()).unwrap(), *kind];
        all_notes.extend(lengths.into_iter().flat_map(u32::to_le_bytes));
        all_notes.extend(b"CORE\0\0\0\0");
        all_notes.extend(bytes);
        all_notes.resize(all_notes.len().next_multiple_of(4), 0);
    }
    let count = 1 + segments.len();
    let mut core = b"\x7fELF\x02\x01\x01".to_vec();
    core.resize(16, 0);
    core.extend([4u16, 62].into_iter().flat_map(u16::to_le_bytes));
    core.extend(1u32.to_le_bytes());
    core.extend([0u64, 64, 0].into_iter().flat_map(u64::to_le_bytes));
    core.extend(0u32.to_le_bytes());
    let sizes = [64, 56, u16::try_from(count).unwrap(), 0, 0, 0];
    core.extend(sizes.into_iter().flat_map(u16::to_le_bytes));
    let mut offset = 64 + 56 * count as u64;
    let mut add = |core: &mut Vec<u8>, kind: u32, address: u64, length: usize| {
        core.extend([kind, 6].into_iter().flat_map(u32::to_le_bytes));
        let words = [offset, address, 0, length as u64, length as u64, 4];
        core.extend(words.into_iter().flat_map(u64::to_le_bytes));
        offset += length as u64;
    };
    add(&mut core, 4, 0, all_notes.len());
    for (address, bytes) in segments {
        add(&mut core, 1, *address, bytes.len());
    }
    core.extend(all_notes);
    segments.iter().for_each(|(_, bytes)| core.extend(bytes));
    core
}

/// Each would be compared with each: the words of a stack with those of the auxiliary vector, and a mapped file with all that bear its name.
#[test]
fn cores_of_many_small_things_are_read_once() {
    const STACK: u64 = 0x7f00_0000_0000;
    let words = |words: &[u64]| Vec::from_iter(words.iter().flat_map(|word| word.to_le_bytes()));
    // A thread at a place where no code is.
    let mut status = vec![0; 112];
    status[32..36].copy_from_slice(&77u32.to_le_bytes());
    let mut registers = [0; 28];
    (registers[16], registers[17], registers[19]) = (0x40_1000, 0x33, STACK + 4096);
    status.extend(words(&registers));
    let thread = (1, status);

    let vector = [[1, 1].repeat(1 << 17), vec![25, STACK + 64]].concat();
    let bytes = core_of(
        &[thread.clone(), (6, words(&vector))],
        &[(STACK, words(&vec![1; 1 << 20]))],
    );
    let core = hostile::core(&bytes).unwrap();
    assert_eq!(core.rank(), None);

    const FILES: usize = 200_000;
    let mut files = words(&[FILES as u64, 4096]);
    for place in 0..FILES as u64 {
        files.extend(words(&[(place + 16) << 12, (place + 17) << 12, 1]));
    }
    files.extend("/proc/self/exe\0".repeat(FILES).bytes());
    let bytes = core_of(&[thread, (0x4649_4c45, files)], &[(STACK, vec![0; 8192])]);
    let task = take_cores(&Map::default(), &[hostile::core(&bytes).unwrap()]).remove(0);
    assert_eq!(task.frames.len(), 1, "{task:?}");
}
