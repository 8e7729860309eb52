//! What of a map the probe reads, as a map of its own: what is sent to other hosts.
//!
//! The probe needs the binding, which says where code comes from and where variables are, and of the static half the names of files and how many functions there are. Points, flow, scopes and loops are for the order, which
//! whoever asks makes; so are the ways through the machine code. What is left has the numbers of the whole, so that what a probe says by the one means the same by the other.

use crate::{Binding, CodeBlock, File, Function, LocationChange, LocationEffect, MachineCode, Map};
use base::{Id, Span};
use std::collections::{BTreeMap, BTreeSet};

impl Map {
    /// The same as far as the probe reads it.
    pub fn for_probe(&self) -> Map {
        // Where a build describes no variables, the probe says which of the loops' it misses.
        let names_variables = self.bindings().any(Binding::describes_no_variables);
        let functions = self.functions.iter().map(|function| {
            if names_variables {
                Function {
                    linkage_name: None,
                    ..function.clone()
                }
            } else {
                without_contents()
            }
        });
        let files = self.files.iter().map(|file| File {
            path: file.path.clone(),
            hash: [0; 32],
        });
        Map {
            files: files.collect(),
            functions: functions.collect(),
            binding: self.binding.as_ref().map(for_probe),
            libraries: self.libraries.iter().map(for_probe).collect(),
            ..Map::default()
        }
    }
}

impl Binding {
    /// Whether the build describes no variables at all: its compiler was told so (`-g1`).
    pub fn describes_no_variables(&self) -> bool {
        // gcc's name comes with its options; the last one counts.
        let options = self.producer.split_whitespace();
        let mut level = options
            .filter(|option| option.starts_with("-g") && option[2..].chars().all(|c| c.is_ascii_digit()));
        level.next_back() == Some("-g1")
    }
}

/// A function of which nothing is known but that it has its number. All are in the first file at its beginning, which keeps them sorted.
fn without_contents() -> Function {
    Function::bare("", Id::from_index(0), Span::default())
}

fn for_probe(binding: &Binding) -> Binding {
    Binding {
        merges: Vec::new(),
        code: counting(&binding.code),
        tail_jumps: None,
        ..binding.clone()
    }
}

/// What the functions count with ([`MachineCode::counted`]), and which code is whose: stretches of one function that touch are one.
fn counting(code: &MachineCode) -> MachineCode {
    if code.counted().is_empty() {
        return MachineCode::default();
    }
    let mut blocks: Vec<CodeBlock> = Vec::new();
    // The first of the new blocks of each function.
    let mut first: BTreeMap<u32, u32> = BTreeMap::new();
    for block in &code.blocks {
        let next = u32::try_from(blocks.len()).unwrap_or(u32::MAX);
        let function = *first.entry(block.function).or_insert(next);
        match blocks.last_mut() {
            Some(last) if last.function == function && last.end == block.start => last.end = block.end,
            _ => blocks.push(CodeBlock {
                function,
                communicates: false,
                ..*block
            }),
        }
    }
    let counts = |change: &LocationChange| {
        change.effect.counts() || matches!(change.effect, LocationEffect::AddHeld { .. })
    };
    let changes = code.changes.iter().filter(|change| counts(change));
    let changes = changes.filter_map(|change| {
        let function = code.blocks.get(change.block as usize)?.function;
        Some(LocationChange {
            block: *first.get(&function)?,
            ..*change
        })
    });
    MachineCode {
        blocks,
        changes: BTreeSet::from_iter(changes).into_iter().collect(),
        ..MachineCode::default()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::generate;

    /// What each address counts with, by one map's code and by another's.
    fn counted_at(code: &MachineCode, address: u64) -> Option<BTreeMap<crate::MachineLocation, bool>> {
        let block = code.block_at(address)?;
        Some(
            code.counted()
                .remove(&code.blocks[block as usize].function)
                .unwrap_or_default(),
        )
    }

    #[test]
    fn what_is_left_is_a_map_with_the_same_numbers() {
        let mut smaller = 0;
        for seed in 0..300 {
            let whole = generate::arbitrary(seed);
            let left = whole.for_probe();
            left.validate().unwrap_or_else(|error| panic!("{seed}: {error}"));
            let bytes = left.to_bytes();
            let read = Map::from_bytes(&bytes).unwrap_or_else(|error| panic!("{seed}: {error}"));
            assert_eq!(read, left, "{seed}");
            smaller += usize::from(bytes.len() < whole.to_bytes().len());
            assert_eq!(left.functions.len(), whole.functions.len());
            assert!(
                left.files
                    .iter()
                    .map(|file| &file.path)
                    .eq(whole.files.iter().map(|file| &file.path))
            );
            for (one, other) in left.bindings().zip(whole.bindings()) {
                assert_eq!(one.variables, other.variables);
                assert_eq!(one.rows, other.rows);
                if one.code.blocks.is_empty() {
                    assert!(other.code.counted().is_empty(), "{seed}");
                    continue;
                }
                for block in &other.code.blocks {
                    for address in [block.start, block.end.saturating_sub(1), block.end] {
                        assert_eq!(
                            counted_at(&one.code, address),
                            counted_at(&other.code, address),
                            "{seed}: {address:#x}"
                        );
                    }
                }
            }
        }
        assert!(smaller > 250, "{smaller}");
    }
}
