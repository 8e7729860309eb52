//! The pieces of code that a file describes in its unwind tables, and names that decide how control flows.

use crate::elf::Image;
use crate::unwinding::{Row, each_entry, exceptions_of, unwinding};
use iced_x86::{Decoder, DecoderOptions, Instruction, OpKind};
use object::{Object as _, ObjectSection as _, ObjectSymbol as _, RelocationTarget};
use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;

/// A piece of code that has an entry of its own in the unwind tables.
pub(super) struct UnwindEntry {
    pub(super) code: Range<u64>,
    /// Where its table of exceptions is.
    pub(super) exceptions: Option<u64>,
    /// What its unwind table says, by address; empty if it is damaged.
    pub(super) unwinding: Vec<Row>,
    /// What variables occupy of the frame, in bytes from the CFA; `None` where nothing tells.
    pub(super) objects: Option<Vec<Range<i64>>>,
}

pub(super) struct File<'i, 'a> {
    pub(super) image: &'i Image<'a>,
    pub(super) names: Names,
    /// Sorted, not overlapping.
    pub(super) frames: Vec<UnwindEntry>,
    /// First addresses of functions that never return, as far as they have been found.
    pub(super) never_returns: BTreeSet<u64>,
}

impl File<'_, '_> {
    pub(super) fn frame_at(&self, address: u64) -> Option<usize> {
        let after = self.frames.partition_point(|frame| frame.code.start <= address);
        let at = after.checked_sub(1)?;
        self.frames[at].code.contains(&address).then_some(at)
    }
}

/// The pieces of code; `None` without unwind tables, or when they are damaged.
pub(super) fn frames(image: &Image<'_>) -> Option<Vec<UnwindEntry>> {
    // The stubs of the linkage table have one entry together, and are functions of other files.
    let is_stubs = |name: &str| name.starts_with(".plt");
    let stubs = image
        .file
        .sections()
        .filter(|section| section.name().is_ok_and(is_stubs));
    let stubs = stubs.map(|section| section.address()..section.address().saturating_add(section.size()));
    let stubs: Vec<Range<u64>> = stubs.collect();
    let mut found = Vec::new();
    each_entry(image, |entry| {
        let exceptions = exceptions_of(&entry)?;
        let start = entry.initial_address();
        let code = start..start.saturating_add(entry.len());
        let is_stub = stubs.iter().any(|stubs| stubs.contains(&start));
        if image.is_code(start) && !code.is_empty() && !is_stub {
            found.push(UnwindEntry {
                code,
                exceptions,
                unwinding: Vec::new(),
                objects: None,
            });
        }
        Ok(())
    })
    .ok()?;
    found.sort_by_key(|frame| (frame.code.start, frame.code.end));
    let disjoint = found
        .windows(2)
        .all(|pair| pair[0].code.end <= pair[1].code.start);
    let starts = Vec::from_iter(found.iter().map(|frame| frame.code.start));
    let mut rows = unwinding(image, &starts);
    for frame in &mut found {
        frame.unwinding = rows.remove(&frame.code.start).unwrap_or_default();
    }
    disjoint.then_some(found)
}

/// Names of functions, where they decide how control flows.
pub(super) struct Names {
    /// By the address of the cell that the dynamic linker fills with the function's address.
    pub(super) cells: BTreeMap<u64, String>,
    /// Addresses of functions that may return more than once.
    pub(super) returns_twice: BTreeSet<u64>,
    /// First addresses of the rarely executed pieces of functions.
    pub(super) cold: BTreeSet<u64>,
}

/// Functions to whose calls control may come back later.
pub(super) fn returns_twice(name: &str) -> bool {
    let plain = name.split('@').next().unwrap_or_default().trim_start_matches('_');
    // Tests need a function of their own.
    plain == "returns_twice" || library::returns_twice(plain)
}

impl Names {
    pub(super) fn new(image: &Image<'_>) -> Self {
        let mut names = Self {
            cells: BTreeMap::new(),
            returns_twice: BTreeSet::new(),
            cold: BTreeSet::new(),
        };
        for symbol in image.file.symbols().chain(image.file.dynamic_symbols()) {
            let Ok(name) = symbol.name() else { continue };
            if returns_twice(name) && symbol.address() != 0 {
                names.returns_twice.insert(symbol.address());
            }
            if name.contains(".cold") {
                names.cold.insert(symbol.address());
            }
        }
        let symbols = image.file.dynamic_symbol_table();
        for (address, relocation) in image.file.dynamic_relocations().into_iter().flatten() {
            if let RelocationTarget::Symbol(index) = relocation.target()
                && let Some(symbols) = &symbols
                && let Ok(symbol) = object::ObjectSymbolTable::symbol_by_index(symbols, index)
                && let Ok(name) = symbol.name()
            {
                names.cells.insert(address, name.to_owned());
            }
        }
        names
    }

    /// The name of the function that a stub of the linkage table leads to.
    pub(super) fn of_stub(&self, image: &Image<'_>, address: u64) -> Option<&str> {
        let bytes = image.bytes_from(address)?;
        let mut decoder = Decoder::with_ip(64, &bytes[..bytes.len().min(32)], address, DecoderOptions::NONE);
        // `endbr64` may stand in front of the jump.
        for _ in 0..2 {
            let instruction = decoder.decode();
            if instruction.is_jmp_near_indirect() {
                return self.of_cell(&instruction);
            }
        }
        None
    }

    /// The name of the function whose address an instruction reads.
    pub(super) fn of_cell(&self, instruction: &Instruction) -> Option<&str> {
        let reads = instruction.op0_kind() == OpKind::Memory && instruction.is_ip_rel_memory_operand();
        let cell = reads.then(|| instruction.ip_rel_memory_address())?;
        self.cells.get(&cell).map(String::as_str)
    }
}
