//! Core files, held against what the probe said of the same process at the same moment.

use crate::support::{Program, Target, compile, names, snap, state, until};
use progress_map::Map;
use runtime_probe::{Core, take_cores};
use snapshot::Task;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

/// Has gdb write the core of a process.
fn gcore(target: &Target, directory: &Path) -> PathBuf {
    let stem = directory.join("core");
    let pid = target.pid().to_string();
    let output = Command::new("gcore")
        .arg("-o")
        .arg(&stem)
        .arg(&pid)
        .output()
        .unwrap();
    assert!(
        output.status.success(),
        "{}",
        String::from_utf8_lossy(&output.stderr)
    );
    directory.join(format!("core.{pid}"))
}

/// What a core says.
fn read(map: &Map, path: &Path) -> Task {
    let core = Core::open(path).unwrap();
    let mut records = take_cores(map, &[core]);
    assert_eq!(records.len(), 1);
    records.remove(0)
}

/// A process that stands still left the same stack and values in a core as the probe saw.
pub fn the_core_of(target: &Target, program: &Program, map: &Map, live: &Task) {
    let path = gcore(target, program.path.parent().unwrap());
    let dead = read(map, &path);
    fs::remove_file(path).unwrap();
    assert_eq!(dead.frames, live.frames);
    assert_eq!((dead.pid, &dead.error), (live.pid, &live.error));
    let threads = |task: &Task| Vec::from_iter(task.threads.iter().map(|t| (t.thread, t.frames.clone())));
    assert_eq!(threads(&dead), threads(live));
}

/// Calls itself to a depth, then waits.
const DEEP: &str = r#"
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>
static int descend(int depth) {
    volatile char room[700];
    room[0] = depth;
    if (depth == 0) {
        puts("ready"); fflush(stdout);
        if (getenv("CRASH")) abort();
        for (;;) pause();
    }
    return descend(depth - 1) + room[0];
}
int main(int argc, char **argv) { return descend(argc > 1 ? atoi(argv[1]) : 40); }
"#;

fn stopped(program: &Program) -> Target {
    let target = program.start(&[]);
    until("stopped", || {
        target.signal("STOP");
        state(target.pid()) == 'T'
    });
    target
}

/// Three threads; the last aborts if it is told to.
const THREADS: &str = r#"
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>
static volatile int sink, up, back;
static void *first(void *p) { up = 1; for (;;) sink++; return p; }
static void *second(void *p) {
    while (!back) ;  /* libc's code around the start of a thread has no unwind information */
    puts("ready"); fflush(stdout);
    if (getenv("CRASH")) abort();
    for (;;) pause();
    return p;
}
int main(void) {
    pthread_t t;
    pthread_create(&t, 0, first, 0);
    while (up != 1) ;
    pthread_create(&t, 0, second, 0);
    back = 1;
    for (;;) pause();
}
"#;

#[test]
fn every_thread_is_in_the_core() {
    let program = compile("gcc", THREADS, "-g -O1 -pthread");
    let target = stopped(&program);
    let map = Map::default();
    let live = snap(&map, target.pid());
    assert_eq!(live.threads.len(), 2, "{live:?}");
    the_core_of(&target, &program, &map, &live);
}

#[test]
fn the_thread_that_crashed_is_told() {
    if !cores_stay_here() {
        return;
    }
    let program = compile("gcc", THREADS, "-g -O1 -pthread");
    let (_, path) = crashed(&program, &[]);
    let core = Core::open(&path).unwrap();
    let (signal, thread) = core.signal().unwrap();
    let task = read(&Map::default(), &path);
    assert_eq!((signal, task.threads.len()), (6, 2), "{task:?}");
    let of = task.threads.iter().find(|t| Some(t.thread) == thread).unwrap();
    assert!(of.frames.iter().any(|frame| frame.function == "second"), "{of:?}");
    assert!(names(&task).contains(&"main"), "{task:?}");
}

/// Whether the kernel writes cores into the directory of the process.
fn cores_stay_here() -> bool {
    let pattern = fs::read_to_string("/proc/sys/kernel/core_pattern").unwrap();
    let pattern = pattern.trim();
    let stay = !pattern.contains(['|', '/', '%']);
    if !stay {
        eprintln!("SKIPPED: this machine sends its cores elsewhere ({pattern}); gcore's are tested");
    }
    stay
}

/// Runs a program that crashes, and returns its pid and its core.
fn crashed(program: &Program, environment: &[(&str, &str)]) -> (u32, PathBuf) {
    let directory = program.path.parent().unwrap();
    let mut command = Command::new("sh");
    command
        .args(["-c", "ulimit -c unlimited; exec ./program 25"])
        .env("CRASH", "1")
        .envs(environment.iter().copied())
        .current_dir(directory);
    let mut target = Target::start(&mut command);
    let pid = target.pid();
    assert!(!target.child.wait().unwrap().success());
    let mut paths = ["core".to_owned(), format!("core.{pid}")]
        .map(|name| directory.join(name))
        .into_iter();
    (pid, paths.find(|path| path.exists()).expect("a core"))
}

#[test]
fn the_kernels_own_core() {
    if !cores_stay_here() {
        return;
    }
    // Two segments of a program that lld has linked share a page of the file: the kernel leaves out what the file has.
    for flags in ["-g -O0", "-g -O0 -fuse-ld=lld", "-g -O0 -no-pie -fuse-ld=lld"] {
        let program = compile("gcc", DEEP, flags);
        let job = [("OMPI_COMM_WORLD_RANK", "17"), ("OMPI_COMM_WORLD_SIZE", "20")];
        let (pid, path) = crashed(&program, &job);
        let core = Core::open(&path).unwrap();
        assert_eq!(
            (core.pid(), core.rank(), core.job_size()),
            (Some(pid), Some(17), Some(20))
        );
        assert_eq!(core.signal(), Some((6, None)));
        assert_eq!(core.executable(), program.path.to_str());
        assert_eq!(core.cut_off(), None);
        let task = read(&Map::default(), &path);
        let own = names(&task).iter().filter(|name| **name == "descend").count();
        assert_eq!((own, names(&task).contains(&"main")), (26, true), "{task:?}");
        assert!(names(&task).contains(&"abort"), "{task:?}");
    }
}

#[test]
fn a_core_that_is_cut_off_gives_what_it_holds() {
    let program = compile("gcc", DEEP, "-g -O0");
    let target = stopped(&program);
    let directory = program.path.parent().unwrap();
    let path = gcore(&target, directory);
    let whole = fs::read(&path).unwrap();
    let frames = read(&Map::default(), &path).frames.len();
    assert!(frames > 40);
    // gdb writes the notes last: bring them to where the kernel writes them.
    let kernels = with_notes_first(&whole);
    let cut = directory.join("cut");
    let (mut some, mut none) = (0, 0);
    for part in 0..=40 {
        let length = kernels.len() * part / 40;
        fs::write(&cut, &kernels[..length]).unwrap();
        match Core::open(&cut) {
            Ok(core) => {
                assert_eq!(core.cut_off().is_some(), part < 40, "{part}");
                let task = take_cores(&Map::default(), &[core]).remove(0);
                if part < 40 {
                    assert!(task.error.unwrap().contains("is cut off"), "{part}");
                }
                assert!(task.frames.len() <= frames);
                some += 1;
            }
            Err(error) => {
                assert!(error.to_string().contains("cut"), "{part}: {error}");
                none += 1;
            }
        }
    }
    assert!(some > 30 && none >= 1, "{some} {none}");
}

/// Moves the segment of notes in front of all memory, as the kernel writes cores.
fn with_notes_first(core: &[u8]) -> Vec<u8> {
    let word = |at: usize| u64::from_le_bytes(core[at..at + 8].try_into().unwrap());
    let headers = word(32) as usize;
    let count = u16::from_le_bytes(core[56..58].try_into().unwrap()) as usize;
    let data = headers + 56 * count;
    let header = |index: usize| headers + 56 * index;
    let is_note = |index: &usize| core[header(*index)..].starts_with(&4u32.to_le_bytes());
    let notes = (0..count).find(is_note).unwrap();
    let (from, size) = (
        word(header(notes) + 8) as usize,
        word(header(notes) + 32) as usize,
    );
    let mut out = core[..data].to_vec();
    out.extend(&core[from..from + size]);
    while !out.len().is_multiple_of(8) {
        out.push(0);
    }
    let moved = out.len() - data;
    out.extend(&core[data..from]);
    for index in 0..count {
        let offset = if index == notes {
            data
        } else {
            word(header(index) + 8) as usize + moved
        };
        out[header(index) + 8..header(index) + 16].copy_from_slice(&(offset as u64).to_le_bytes());
    }
    out
}

#[test]
fn damaged_cores_are_refused_or_read_in_part() {
    let program = compile("gcc", DEEP, "-g -O0");
    let target = stopped(&program);
    let directory = program.path.parent().unwrap();
    let path = gcore(&target, directory);
    let core = with_notes_first(&fs::read(&path).unwrap());
    let damaged = directory.join("damaged");
    let mut state = 20261121u64;
    println!("seed {state}");
    let mut random = move |below: usize| {
        state = state
            .wrapping_mul(6364136223846793005)
            .wrapping_add(1442695040888963407);
        ((state >> 33) as usize) % below
    };
    let mut read = 0;
    for round in 0..120 {
        let mut bytes = core.clone();
        // Headers and notes come first; what follows is memory, where most damage is to values.
        let within = if round % 3 == 0 {
            bytes.len()
        } else {
            0x6000.min(bytes.len())
        };
        for _ in 0..=random(6) {
            let at = random(within);
            bytes[at] = match random(3) {
                0 => 0,
                1 => 0xff,
                _ => random(256) as u8,
            };
        }
        fs::write(&damaged, &bytes).unwrap();
        // Nothing to hold it against: it must end, and without a panic.
        if let Ok(core) = Core::open(&damaged) {
            take_cores(&Map::default(), &[core]);
            read += 1;
        }
    }
    assert!(read > 40, "only {read} were opened at all");
}

#[test]
fn what_is_no_core_is_refused_by_name() {
    let program = compile("gcc", DEEP, "-g -O0");
    let directory = program.path.parent().unwrap();
    let refused = |name: &str, bytes: &[u8]| {
        let path = directory.join(name);
        fs::write(&path, bytes).unwrap();
        let error = Core::open(&path).err().unwrap().to_string();
        assert!(error.contains(name), "{error}");
        error
    };
    assert!(refused("empty", b"").contains("is empty"));
    assert!(refused("text", b"core dumped").contains("is not a core file"));
    assert!(refused("packed.zst", b"\x28\xb5\x2f\xfdxxxx").contains("compressed (zstd)"));
    let elf = fs::read(&program.path).unwrap();
    assert!(refused("app", &elf).contains("a program or a library"));
    assert!(
        Core::open(&directory.join("nowhere"))
            .err()
            .unwrap()
            .to_string()
            .contains("nowhere")
    );
    assert!(
        Core::open(directory)
            .err()
            .unwrap()
            .to_string()
            .contains("not a regular file")
    );
}

#[test]
fn a_program_that_was_built_again() {
    let program = compile("gcc", DEEP, "-g -O0");
    let target = stopped(&program);
    let directory = program.path.parent().unwrap();
    let path = gcore(&target, directory);
    let live = snap(&Map::default(), target.pid());
    assert_eq!(names(&live).last(), names(&read(&Map::default(), &path)).last());
    let other = compile("gcc", &DEEP.replace("700", "800"), "-g -O0");
    fs::rename(&other.path, &program.path).unwrap();
    let task = read(&Map::default(), &path);
    assert!(!names(&task).contains(&"descend"), "{task:?}");
    let error = task.error.unwrap();
    assert!(
        error.contains("no longer the file that the process ran"),
        "{error}"
    );
}
