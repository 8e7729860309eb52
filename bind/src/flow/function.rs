//! From decoded pieces to functions: which pieces belong together, and what becomes of a function in the end.

use super::blocks::{FunctionBlocks, blocks};
use super::decode::{Callee, Piece};
use super::file::{File, UnwindEntry};
use super::leads::Leads;
use super::{Decoded, Registers};
use progress_map::{CodeBlock, CodeCall, CodeWay, LeafCall, LocationChange, MachineCode};
use std::cell::OnceCell;
use std::collections::BTreeMap;

/// Puts the pieces together to functions, and these into one graph.
pub(super) fn assemble(file: &File<'_, '_>, pieces: &[Option<Piece>], functions: &[usize]) -> Decoded {
    let mut leaves = Leaves::new(file, pieces, functions);
    let mut members: BTreeMap<usize, Vec<usize>> = BTreeMap::new();
    for (piece, &function) in functions.iter().enumerate() {
        members.entry(function).or_default().push(piece);
    }
    let mut parts: Vec<FunctionBlocks> = Vec::new();
    let mut calls: Vec<(u64, u64)> = Vec::new();
    for members in members.values() {
        let whole: Option<Vec<(&UnwindEntry, &Piece)>> = members
            .iter()
            .map(|&at| Some((&file.frames[at], pieces[at].as_ref()?)))
            .collect();
        let Some(whole) = whole else { continue };
        let has_calls = whole
            .iter()
            .any(|(_, piece)| piece.steps.values().any(|step| step.call.is_some()));
        if has_calls {
            let again = leaves.may_be_entered_again(functions[members[0]]);
            parts.extend(blocks(&whole, again, &mut leaves));
            calls.extend(direct_calls(&whole));
        }
    }
    let mut registers = Registers::default();
    for part in &mut parts {
        registers.alike.append(&mut part.registers.alike);
        registers.writes.append(&mut part.registers.writes);
    }
    registers.writes.sort_unstable();
    Decoded {
        code: number(parts, &calls),
        tail_jumps: None,
        registers,
    }
}

/// For each piece, the first piece of its function: those are one between which code jumps into the middle.
pub(super) fn functions(file: &File<'_, '_>, pieces: &[Option<Piece>]) -> Vec<usize> {
    let mut sets = petgraph::unionfind::UnionFind::<usize>::new(pieces.len());
    for (at, piece) in pieces.iter().enumerate() {
        let Some(piece) = piece else { continue };
        for target in piece.targets() {
            if let Some(other) = file.frame_at(target).filter(|&other| other != at) {
                let begins = file.frames[other].code.start;
                // A rarely executed piece is one of its function whether or not it comes back.
                if target != begins || file.names.cold.contains(&begins) {
                    sets.union(at, other);
                }
            }
        }
    }
    let mut first: BTreeMap<usize, usize> = BTreeMap::new();
    (0..pieces.len())
        .map(|at| *first.entry(sets.find(at)).or_insert(at))
        .collect()
}

/// The instructions of a function that call one of this file by its address, each with that address.
fn direct_calls<'p>(whole: &'p [(&UnwindEntry, &Piece)]) -> impl Iterator<Item = (u64, u64)> + 'p {
    let steps = whole.iter().flat_map(|(_, piece)| &piece.steps);
    steps.filter_map(|(&at, step)| match step.call {
        Some(Callee::Here(callee)) => Some((at, callee)),
        _ => None,
    })
}

/// What becomes of a function's frame in the end, and whether it may come to MPI before.
pub(super) struct Leaves<'f, 'i, 'a> {
    pub(super) file: &'f File<'i, 'a>,
    pub(super) pieces: &'f [Option<Piece>],
    /// By piece.
    pub(super) function_of: &'f [usize],
    /// By piece: whether it returns to its caller somewhere.
    pub(super) returns: BTreeMap<usize, bool>,
    /// Where all of them lead; found when it is asked for.
    leads: OnceCell<Leads>,
}

impl<'f, 'i, 'a> Leaves<'f, 'i, 'a> {
    /// `function_of` gives the first piece of each piece's function.
    pub(super) fn new(file: &'f File<'i, 'a>, pieces: &'f [Option<Piece>], function_of: &'f [usize]) -> Self {
        Self {
            file,
            pieces,
            function_of,
            returns: BTreeMap::new(),
            leads: OnceCell::new(),
        }
    }

    fn leads(&self) -> &Leads {
        self.leads.get_or_init(|| Leads::of(self))
    }

    /// Whether a call may come back.
    pub(super) fn returns(&mut self, callee: Callee) -> bool {
        match callee {
            Callee::Returns => true,
            Callee::OnItsOwn | Callee::NeverReturns | Callee::Unknown => false,
            Callee::Here(address) => self.file.frame_at(address).is_some_and(|at| {
                let pieces = self.pieces;
                let has_return = || {
                    let mut steps = pieces[at].iter().flat_map(|piece| piece.steps.values());
                    steps.any(|step| step.returns)
                };
                *self.returns.entry(at).or_insert_with(has_return)
            }),
        }
    }

    /// Whether a call may come to MPI.
    pub(super) fn may_communicate(&self, callee: Callee) -> bool {
        match callee {
            Callee::OnItsOwn => false,
            // At the end of a program what it has registered runs.
            Callee::Returns | Callee::NeverReturns | Callee::Unknown => true,
            Callee::Here(address) => {
                let start = self.file.frame_at(address);
                start.is_none_or(|start| self.leads().communicates[start])
            }
        }
    }

    /// Whether tail calls may lead from a function, by its first piece, to itself: its frame would then be that of a later call.
    pub(super) fn may_be_entered_again(&self, function: usize) -> bool {
        self.leads().returns_by_jumps[function]
    }
}

/// Numbers the blocks of all functions.
pub(super) fn number(functions: Vec<FunctionBlocks>, calls: &[(u64, u64)]) -> MachineCode {
    let mut ranges: Vec<(u64, u64, usize, bool)> = Vec::new();
    for (function, blocks) in functions.iter().enumerate() {
        let blocks = blocks.blocks.iter();
        ranges.extend(blocks.map(|(block, communicates)| (block.start, block.end, function, *communicates)));
    }
    ranges.sort_unstable();
    let mut first: Vec<Option<u32>> = vec![None; functions.len()];
    let mut blocks = Vec::with_capacity(ranges.len());
    for (number, &(start, end, function, communicates)) in (0u32..).zip(&ranges) {
        let function = *first[function].get_or_insert(number);
        blocks.push(CodeBlock {
            start,
            end,
            function,
            communicates,
        });
    }
    let block = |address: u64| {
        let at = blocks.binary_search_by_key(&address, |block| block.start).ok()?;
        u32::try_from(at).ok()
    };
    let mut ways: Vec<CodeWay> = Vec::new();
    let mut changes: Vec<LocationChange> = Vec::new();
    for function in &functions {
        for &(from, to, certain) in &function.ways {
            if let (Some(from), Some(to)) = (block(from), block(to)) {
                ways.push(CodeWay { from, to, certain });
            }
        }
        for &(at, location, effect) in &function.changes {
            if let Some(block) = block(at) {
                changes.push(LocationChange {
                    block,
                    location,
                    effect,
                });
            }
        }
    }
    ways.sort_unstable();
    ways.dedup();
    changes.sort_unstable();
    changes.dedup();
    let mut code = MachineCode {
        blocks,
        ways,
        changes,
        calls: Vec::new(),
        leaf_calls: Vec::new(),
    };
    let (mut found, mut leaves) = (Vec::new(), Vec::new());
    for &(at, callee) in calls {
        let Some(block) = code.block_at(at) else { continue };
        match code.block_at(callee) {
            Some(entered) => found.push(CodeCall {
                block,
                callee: code.blocks[entered as usize].function,
            }),
            // Of a function that calls nothing there are no blocks.
            None => leaves.push(LeafCall { block, callee }),
        }
    }
    found.sort_unstable();
    leaves.sort_unstable();
    (code.calls, code.leaf_calls) = (found, leaves);
    code
}
