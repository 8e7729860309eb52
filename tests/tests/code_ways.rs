//! The graph of machine code that a map holds, held against programs that are stepped through: wherever control goes within a function, the graph
//! has the way. What it lacked would make the order by machine code wrong.

use nix::sys::ptrace;
use nix::sys::signal::Signal;
use nix::sys::wait::{WaitPidFlag, WaitStatus, waitpid};
use nix::unistd::Pid;
use progress_map::MachineCode;
use std::collections::BTreeSet;
use std::fs;
use std::path::Path;
use std::process::Command;
use tests::oracle::judge::Directory;

/// So many instructions of one program are executed at most.
const MOST_STEPS: usize = 400_000;

#[test]
fn every_way_that_c_takes_is_in_the_graph() {
    let source = include_str!("code/ways.c");
    for flags in [
        "gcc -O0",
        "gcc -O1 -fno-pie -no-pie",
        "gcc -O2",
        "gcc -O2 -fno-plt -fcf-protection=none",
        "gcc -O3",
        "gcc -Os -fno-pie -no-pie",
        "clang -O0",
        "clang -O2",
        "clang -O3 -fno-pie -no-pie",
        "clang -Os",
    ] {
        // The one that calls `setjmp` is left out, and the rest of the program is there.
        check("ways.c", source, flags, 40);
    }
}

#[test]
fn every_way_that_cxx_takes_is_in_the_graph() {
    let source = include_str!("code/ways.cpp");
    for flags in [
        "g++ -O0",
        "g++ -O2",
        "g++ -O3 -fno-pie -no-pie",
        "g++ -Os",
        "clang++ -O0",
        "clang++ -O2",
    ] {
        check("ways.cpp", source, flags, 60);
    }
}

/// Builds a program, steps through it, and wants each of its ways, of which there are `least` at least.
fn check(name: &str, source: &str, flags: &str, least: usize) {
    let directory = Directory::of_seed(None, 0).unwrap();
    let dir = directory.path.as_path();
    fs::write(dir.join(name), source).unwrap();
    let (compiler, flags_only) = flags.split_once(' ').unwrap();
    let mut command = Command::new(compiler);
    command
        .args(flags_only.split(' '))
        .args(["-g", "-w", name, "-o", "program"]);
    let built = command.current_dir(dir).output().unwrap();
    assert!(
        built.status.success(),
        "{flags}: {}",
        String::from_utf8_lossy(&built.stderr)
    );
    let program = dir.join("program");
    let bytes = fs::read(&program).unwrap();
    let sources = vec![engine::SourceFile {
        path: name.to_owned(),
        bytes: source.as_bytes().to_vec(),
    }];
    let mut map = engine::map_sources(sources, &|_| ());
    engine::bind_map(&mut map, &bytes, None, "program").unwrap();
    let code = &map.binding.as_ref().unwrap().code;
    let taken = step_through(&program, code, flags);
    assert!(
        taken.len() >= least,
        "{flags}: only {} ways were taken",
        taken.len()
    );
}

/// A call that has not returned: the block that it ends, and where its return address is.
struct Open {
    block: u32,
    slot: u64,
}

/// Executes the program instruction by instruction; returns the ways that it took within functions.
fn step_through(program: &Path, code: &MachineCode, flags: &str) -> BTreeSet<(u32, u32)> {
    let mut child = Command::new(program).spawn().unwrap();
    let pid = Pid::from_raw(i32::try_from(child.id()).unwrap());
    let options = WaitPidFlag::WUNTRACED;
    assert!(matches!(
        waitpid(pid, Some(options)).unwrap(),
        WaitStatus::Stopped(_, Signal::SIGSTOP)
    ));
    ptrace::seize(pid, ptrace::Options::PTRACE_O_EXITKILL).unwrap();
    // Whoever is seized in a stop can be stepped once it has been continued into a trap of ours.
    ptrace::interrupt(pid).unwrap();
    nix::sys::signal::kill(pid, Signal::SIGCONT).unwrap();
    let bias = bias(pid, program, code);
    let mut taken = BTreeSet::new();
    let mut open: Vec<Open> = Vec::new();
    // The last instruction that was executed in known code: its block, its address, and the stack pointer before it.
    let mut last: Option<(u32, u64)> = None;
    for _ in 0..MOST_STEPS {
        let signal = match waitpid(pid, None).unwrap() {
            WaitStatus::Exited(..) | WaitStatus::Signaled(..) => break,
            WaitStatus::Stopped(_, Signal::SIGTRAP) | WaitStatus::PtraceEvent(..) => None,
            WaitStatus::Stopped(_, Signal::SIGCONT) => None,
            WaitStatus::Stopped(_, signal) => Some(signal),
            _ => None,
        };
        let registers = ptrace::getregs(pid).unwrap();
        let (pc, sp) = (registers.rip.wrapping_sub(bias), registers.rsp);
        let block = code.block_at(pc);
        if let Some((from, before)) = last {
            let end = code.blocks[from as usize].end;
            let word = ptrace::read(pid, sp as ptrace::AddressType)
                .unwrap_or_default()
                .cast_unsigned();
            // An instruction that repeats itself (`rep stos`) is stepped through, too.
            let goes_on = block == Some(from) && pc >= before;
            let called = word.wrapping_sub(bias) == end && !goes_on && pc != end;
            if called {
                open.push(Open {
                    block: from,
                    slot: sp,
                });
            } else if let Some(to) = block.filter(|_| !goes_on)
                && same_function(code, from, to)
            {
                let returned = open.last().is_some_and(|open| sp > open.slot);
                if !returned {
                    take(code, (from, to), flags, &mut taken);
                }
            }
        }
        // Frames that were left: by a return, or several at once by an exception or a jump out of them.
        let mut left = None;
        while let Some(top) = open.last().filter(|top| sp > top.slot) {
            left = Some(top.block);
            open.pop();
        }
        if let (Some(from), Some(to)) = (left, block)
            && same_function(code, from, to)
        {
            take(code, (from, to), flags, &mut taken);
        }
        // In code that is not known a call of known code is a call back: what is known ends with the call that is open.
        last = block.map(|block| (block, pc));
        ptrace::step(pid, signal).unwrap();
    }
    let _ = child.kill();
    let _ = child.wait();
    taken
}

fn same_function(code: &MachineCode, a: u32, b: u32) -> bool {
    code.blocks[a as usize].function == code.blocks[b as usize].function
}

fn take(code: &MachineCode, (from, to): (u32, u32), flags: &str, taken: &mut BTreeSet<(u32, u32)>) {
    let known = code.ways_from(from).iter().any(|way| way.to == to);
    let at = |block: u32| code.blocks[block as usize];
    assert!(
        known,
        "{flags}: control came from {:x?} to {:x?}",
        at(from),
        at(to)
    );
    taken.insert((from, to));
}

/// How far the program is from where it was linked to be.
fn bias(pid: Pid, program: &Path, code: &MachineCode) -> u64 {
    let maps = fs::read_to_string(format!("/proc/{pid}/maps")).unwrap();
    let name = program.file_name().unwrap().to_str().unwrap();
    let line = maps
        .lines()
        .find(|line| line.ends_with(&format!("/{name}")))
        .unwrap();
    let start = u64::from_str_radix(line.split('-').next().unwrap(), 16).unwrap();
    // A program that was linked to an address says so in all of its addresses.
    let linked = code.blocks.first().map_or(0, |block| block.start);
    if linked >= start { 0 } else { start }
}
