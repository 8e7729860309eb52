//! The probe's readers of bytes, with nothing alive behind them: what fuzzers reach.
//!
//! A file that a task has mapped, a stack that the task has overwritten, a map that somebody else has made and a core
//! that was cut off are all read by a program that may stop other programs. Here each of them is only bytes.
#![allow(unsafe_code)]

use crate::contents::Contents;
use crate::core_file::Core;
use crate::elf::Module;
use crate::evaluate::Unknown;
use crate::frames::Builder;
use crate::locate::Locator;
use crate::memory::Memory;
use crate::modules::{Modules, Space};
use crate::mpir;
use crate::plan;
use crate::proctable::TableEntry;
use crate::registers::{GENERAL, RIP, RSP, Registers};
use crate::symbols;
use crate::unwind::unwind;
use progress_map::Map;
use snapshot::Frame;
use std::path::Path;

/// Where the stack is that [`stacks`] makes: above all code of a program that is linked in the usual way.
const STACK: u64 = 0x7ffc_0000_0000;

/// More starting points would make each run slow, and find nothing else.
const MOST_STARTS: u64 = 24;

/// Reads `file` as the executable of a task whose registers and stack are `stack`, and unwinds from several places in its
/// code, with the values that `map`, taken to be bound to it, lists there. Returns the longest chain of frames; `None` when
/// the file is no module.
///
/// The first 17 words of `stack` are its registers in DWARF's order, the last of them the program counter.
pub fn stacks(file: &[u8], stack: &[u8], map: &Map) -> Option<Vec<Frame>> {
    let module = Module::parse("/fuzzed", Contents::Copied(file.to_vec())).ok()?;
    let code = module.code_ranges();
    // None of these is asked for on the way of every stack.
    let (_, _) = (module.text_hash(), module.name());
    for binding in map.bindings() {
        let (_, _) = (plan::statics(binding), plan::has_floats(binding));
    }
    let mut modules = Modules::default();
    let space = Space::of_one(&mut modules, module, &code);
    let (words, rest) = stack.split_at(stack.len().min(8 * GENERAL));
    let mut registers = Registers::default();
    for (register, word) in (0..).zip(words.chunks_exact(8)) {
        registers.set(register, word.try_into().ok().map(u64::from_le_bytes));
    }
    let mut memory = Memory::default();
    memory.add(STACK, rest.to_vec());
    let locators = Vec::from_iter(map.bindings().map(|binding| Locator::new(map, binding)));
    let bound = Vec::from_iter(locators.iter().filter_map(|locator| {
        let (module, _) = space.modules().next()?;
        Some((module, locator))
    }));
    let mut starts = Vec::from_iter(registers.get(RIP));
    for &(start, end) in &code {
        let step = (end.saturating_sub(start) / MOST_STARTS).max(1);
        starts.extend((0..MOST_STARTS).map(|n| start.saturating_add(n * step)));
    }
    starts.truncate(4 * MOST_STARTS as usize);
    // Where the map says that something is.
    for binding in map.bindings() {
        starts.extend(binding.functions.iter().take(16).map(|function| function.start));
        starts.extend(binding.inlines.iter().take(16).map(|inline| inline.start));
        starts.extend(binding.rows.iter().take(16).map(|row| row.start));
    }
    let mut longest = Vec::new();
    for start in starts {
        let mut registers = registers.clone();
        registers.set(RIP, Some(start));
        if registers.get(RSP).is_none_or(|pointer| pointer < STACK) {
            registers.set(RSP, Some(STACK));
        }
        let (raw, _) = unwind(&modules, &space, registers, &memory);
        let mut not_there = |address, length| Unknown::NotCopied { address, length };
        let mut builder = Builder {
            modules: &modules,
            bound: &bound,
            memory: &memory,
            not_copied: &mut not_there,
            unread: false,
        };
        let frames = builder.build(&raw);
        if frames.len() > longest.len() {
            longest = frames;
        }
        if let Some((module, _)) = space.modules().next() {
            let _ = symbols::name_at(modules.get(module), start);
        }
    }
    Some(longest)
}

/// Opens bytes as a core file; `None` if they are not one.
pub fn core(bytes: &[u8]) -> Option<Core> {
    let contents = std::sync::Arc::new(Contents::Copied(bytes.to_vec()));
    Core::parse(Path::new("/fuzzed"), contents).ok()
}

/// The entries of a launcher's table that lies in our own memory: `bytes` are the number of entries, a pointer to them, and what they hold, as
/// `MPIR_proctable` has it; words that are smaller than the number of bytes are offsets into them. `None` when it cannot be read.
pub fn launcher_table(bytes: &[u8]) -> Option<Vec<TableEntry>> {
    mpir::of_bytes(bytes)
}
