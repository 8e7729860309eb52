//! What a map says of machine code, held against programs that are stepped through. Wherever control goes within a function, the graph has the
//! way; and what is counted with, a register or a slot of the stack, changes by the instructions that the map lists, as it says, and by no other.
//! What was missing would make the order by machine code wrong.

use nix::sys::ptrace;
use nix::sys::signal::Signal;
use nix::sys::wait::{WaitPidFlag, WaitStatus, waitpid};
use nix::unistd::Pid;
use progress_map::{
    Binding, LocationChange, LocationEffect, MachineCode, MachineLocation, TailJump, TailTarget,
};
use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::Path;
use std::process::Command;
use tests::oracle::judge::Directory;

/// So many instructions of one program are executed at most.
const MOST_STEPS: usize = 400_000;

#[test]
fn every_way_that_c_takes_is_in_the_graph() {
    let source = include_str!("code/ways.c");
    let mut tail_calls = 0;
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
        let seen = check("ways.c", source, flags, 40);
        tail_calls += seen.tail_calls;
    }
    assert!(tail_calls > 50, "only {tail_calls} tail calls were made");
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

#[test]
fn what_is_counted_with_changes_as_the_map_says() {
    let source = include_str!("code/counts.c");
    let (mut slots, mut known, mut volatile) = (0, 0, 0);
    for flags in [
        "gcc -O0",
        "gcc -O1 -fno-omit-frame-pointer",
        "gcc -O2",
        "gcc -O3 -fno-pie -no-pie",
        "gcc -Os",
        "clang -O0",
        "clang -O1 -fno-omit-frame-pointer",
        "clang -O2",
        "clang -O3",
        "clang -Os",
    ] {
        let counted = check("counts.c", source, flags, 60);
        assert!(counted.steps > 100, "{flags}: only {counted:?}");
        slots += counted.of_slots;
        known += counted.known;
        volatile += counted.volatile;
    }
    assert!(slots > 200, "only {slots} changes of slots were seen");
    assert!(known > 10, "only {known} branches told what is held");
    assert!(
        volatile > 20,
        "only {volatile} copies out of registers that calls do not preserve were seen"
    );
}

#[test]
fn what_is_kept_beside_arrays_changes_as_the_map_says() {
    let source = include_str!("code/beside_arrays.c");
    let mut slots = 0;
    for flags in [
        "gcc -O1",
        "gcc -O2",
        "gcc -O2 -fno-omit-frame-pointer",
        "gcc -O3",
        "gcc -Os",
    ] {
        let counted = check("beside_arrays.c", source, flags, 60);
        slots += counted.of_slots;
    }
    assert!(slots > 99, "only {slots} changes of slots were seen");
}

/// What was seen of locations that are counted with.
#[derive(Clone, Copy, Debug, Default)]
struct Counted {
    /// Changes by what the map says.
    steps: usize,
    /// Those of slots of the stack.
    of_slots: usize,
    /// How often control came to where a branch tells what is held.
    known: usize,
    /// Copies out of registers that calls do not preserve.
    volatile: usize,
    /// Calls that left no frame.
    tail_calls: usize,
}

/// Wants each jump out of a function to be listed.
struct Jumps<'b> {
    binding: &'b Binding,
    /// The address of the last instruction, and the stack pointer before it.
    last: Option<(u64, u64)>,
    seen: usize,
}

impl Jumps<'_> {
    /// The process is about to execute the instruction at `pc`.
    fn step(&mut self, pc: u64, sp: u64, flags: &str) {
        let last = self.last.replace((pc, sp));
        // Calls and returns move the stack pointer.
        let Some((from, _)) = last.filter(|&(_, before)| before == sp) else {
            return;
        };
        let Some(caller) = self.binding.function_at(from) else {
            return;
        };
        let callee = self.binding.function_at(pc);
        // Into the rest of the same function, or out of the part of the program that debug info describes.
        if callee.is_some_and(|callee| callee.function == caller.function) {
            return;
        }
        let jumps = self.binding.tail_jumps.as_deref().unwrap();
        let fits = jumps
            .iter()
            .filter(|jump| jump.at == from)
            .any(|jump| match jump.to {
                TailTarget::Function(start) => pc == start,
                TailTarget::Linked => callee.is_none(),
                TailTarget::Anywhere => true,
            });
        let is_open = |jump: &TailJump| jump.at == caller.start && jump.to == TailTarget::Anywhere;
        assert!(
            fits || jumps.iter().any(is_open),
            "{flags}: {from:#x} of {} jumped to {pc:#x}",
            caller.name
        );
        self.seen += 1;
    }
}

/// A call of a function of known code.
struct Activation {
    function: u32,
    /// Its canonical frame address.
    cfa: u64,
    /// Its last instruction's block, the stack pointer then, and what everything that is counted with held.
    last: Option<(u32, u64, BTreeMap<MachineLocation, u64>)>,
    /// What registers that calls do not preserve hold by what the map says of instructions, if the parts of that are known. At a copy that it lists they must.
    volatile: BTreeMap<MachineLocation, Option<u64>>,
}

/// Holds what is counted with against what the map says of each instruction.
struct Watch<'c> {
    code: &'c MachineCode,
    /// By function: what is counted with, and whether in 32 bits.
    counted: BTreeMap<u32, BTreeMap<MachineLocation, bool>>,
    active: Vec<Activation>,
    seen: Counted,
}

impl Watch<'_> {
    /// The process is about to execute an instruction of `block`.
    fn step(&mut self, pid: Pid, pc: u64, block: u32, registers: &nix::libc::user_regs_struct, flags: &str) {
        let sp = registers.rsp;
        // Whoever has returned has taken the return address from the stack.
        while self.active.last().is_some_and(|active| sp >= active.cfa) {
            self.active.pop();
        }
        let function = self.code.blocks[block as usize].function;
        let start = self.code.blocks[function as usize].start;
        let is_new = self
            .active
            .last()
            .is_none_or(|active| active.function != function || sp + 8 != active.cfa);
        if pc == start && is_new {
            self.active.push(Activation {
                function,
                cfa: sp + 8,
                last: None,
                volatile: BTreeMap::new(),
            });
        }
        let Some(active) = self
            .active
            .last_mut()
            .filter(|active| active.function == function)
        else {
            return;
        };
        let Some(counted) = self.counted.get(&function) else {
            return;
        };
        let held = counted.iter().filter_map(|(&location, &half)| {
            let value = match location {
                MachineLocation::Register(number) => match number {
                    3 => registers.rbx,
                    6 => registers.rbp,
                    12 => registers.r12,
                    13 => registers.r13,
                    14 => registers.r14,
                    15 => registers.r15,
                    other => panic!("{flags}: calls do not preserve register {other}"),
                },
                // What is below the stack pointer is not the function's yet, or any more.
                MachineLocation::Slot(offset) => {
                    let address = active.cfa.wrapping_add_signed(offset.into());
                    let word = || ptrace::read(pid, address as ptrace::AddressType).unwrap();
                    (address >= sp).then(word)?.cast_unsigned()
                }
            };
            let is_narrow = half && matches!(location, MachineLocation::Slot(_));
            Some((location, if is_narrow { value & 0xffff_ffff } else { value }))
        });
        let held: BTreeMap<MachineLocation, u64> = held.collect();
        for change in self.code.changes_of(block) {
            if let (LocationEffect::Known { value, half }, Some(&is)) =
                (change.effect, held.get(&change.location))
            {
                let narrow = |value: u64| if half { value & 0xffff_ffff } else { value };
                let at = self.code.blocks[block as usize];
                assert_eq!(
                    narrow(is),
                    narrow(value.cast_unsigned()),
                    "{flags}: {change:?} at {at:x?}"
                );
                self.seen.known += 1;
            }
        }
        if let Some((before, lowest, old)) = active.last.take() {
            for (&location, &value) in &held {
                let is_kept = match location {
                    MachineLocation::Slot(offset) => active.cfa.wrapping_add_signed(offset.into()) >= lowest,
                    MachineLocation::Register(_) => true,
                };
                let Some(&was) = old.get(&location).filter(|_| is_kept) else {
                    continue;
                };
                let changes = self.code.changes_of(before).iter();
                let mut changes =
                    changes.filter(|change| change.location == location && change.effect.changes());
                let change = changes.next();
                assert!(changes.next().is_none());
                let narrow = |value: u64, half: bool| if half { value & 0xffff_ffff } else { value };
                let expected = match change.map(|change| change.effect) {
                    None => Some(was),
                    Some(LocationEffect::Set(value)) => Some(value.cast_unsigned()),
                    Some(LocationEffect::Add { step, half }) => {
                        Some(narrow(was.wrapping_add_signed(step), half))
                    }
                    Some(LocationEffect::AddHeld { from, half }) => {
                        old.get(&from).map(|&step| narrow(was.wrapping_add(step), half))
                    }
                    Some(LocationEffect::Copy { from, add, half }) => {
                        let held = if from.is_preserved() {
                            old.get(&from)
                        } else {
                            self.seen.volatile += 1;
                            let made = active.volatile.get(&from);
                            assert!(
                                made.is_some(),
                                "{flags}: who makes what {change:?} copies is not listed"
                            );
                            made.and_then(Option::as_ref)
                        };
                        held.map(|&held| narrow(held.wrapping_add_signed(add), half))
                    }
                    Some(
                        LocationEffect::Other | LocationEffect::Bounded { .. } | LocationEffect::Known { .. },
                    ) => None,
                };
                let at = self.code.blocks[before as usize];
                // Of a slot that holds larger things as well, what has 32 bits leaves the rest as it was.
                let is_part = match change.map(|change| change.effect) {
                    Some(LocationEffect::Set(_)) => matches!(location, MachineLocation::Slot(_)),
                    Some(effect) => {
                        matches!(location, MachineLocation::Slot(_)) && effect.is_half() == Some(true)
                    }
                    None => false,
                };
                let value = narrow(value, is_part);
                assert!(
                    expected.is_none_or(|expected| narrow(expected, is_part) == value),
                    "{flags}: {location:?} was {was:#x} and is {value:#x} after {change:?} at {at:x?}"
                );
                if expected.is_some_and(|expected| expected != was) {
                    self.seen.steps += 1;
                    self.seen.of_slots += usize::from(matches!(location, MachineLocation::Slot(_)));
                }
            }
            change_volatile(&mut active.volatile, &old, self.code.changes_of(before));
        }
        active.last = Some((block, sp, held));
    }
}

/// Does to registers that calls do not preserve what the map says of an instruction, before which the others held this.
fn change_volatile(
    volatile: &mut BTreeMap<MachineLocation, Option<u64>>,
    old: &BTreeMap<MachineLocation, u64>,
    changes: &[LocationChange],
) {
    let before = volatile.clone();
    for change in changes.iter().filter(|change| !change.location.is_preserved()) {
        let of = |location: MachineLocation| match before.get(&location) {
            Some(made) => *made,
            None => old.get(&location).copied(),
        };
        let narrow = |value: u64, half: bool| if half { value & 0xffff_ffff } else { value };
        let made = match change.effect {
            LocationEffect::Set(value) => Some(value.cast_unsigned()),
            LocationEffect::Add { step, half } => {
                of(change.location).map(|was| narrow(was.wrapping_add_signed(step), half))
            }
            LocationEffect::Copy { from, add, half } => {
                of(from).map(|held| narrow(held.wrapping_add_signed(add), half))
            }
            LocationEffect::Bounded { .. } => continue,
            LocationEffect::AddHeld { .. } | LocationEffect::Other | LocationEffect::Known { .. } => None,
        };
        volatile.insert(change.location, made);
    }
}

/// Builds a program, steps through it, and wants each of its ways, of which there are `least` at least.
fn check(name: &str, source: &str, flags: &str, least: usize) -> Counted {
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
    let binding = map.binding.as_ref().unwrap();
    let (taken, counted) = step_through(&program, binding, flags);
    assert!(
        taken.len() >= least,
        "{flags}: only {} ways were taken",
        taken.len()
    );
    counted
}

/// A call that has not returned: the block that it ends, and where its return address is.
struct Open {
    block: u32,
    slot: u64,
}

/// Executes the program instruction by instruction; returns the ways that it took within functions, and what changed of what is counted with.
fn step_through(program: &Path, binding: &Binding, flags: &str) -> (BTreeSet<(u32, u32)>, Counted) {
    let code = &binding.code;
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
    let mut watch = Watch {
        code,
        counted: code.counted(),
        active: Vec::new(),
        seen: Counted::default(),
    };
    // The last instruction that was executed in known code: its block, its address, and the stack pointer before it.
    let mut last: Option<(u32, u64)> = None;
    let mut jumps = Jumps {
        binding,
        last: None,
        seen: 0,
    };
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
        jumps.step(pc, sp, flags);
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
        if let Some(block) = block {
            watch.step(pid, pc, block, &registers, flags);
        }
        // In code that is not known a call of known code is a call back: what is known ends with the call that is open.
        last = block.map(|block| (block, pc));
        ptrace::step(pid, signal).unwrap();
    }
    let _ = child.kill();
    let _ = child.wait();
    watch.seen.tail_calls = jumps.seen;
    (taken, watch.seen)
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
