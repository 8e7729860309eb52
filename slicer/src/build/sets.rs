//! Sets of functions that may be called together.
//!
//! Calls through pointers meet in many large sets of functions that differ by a few: a pointer to any function of a table, and one to any of
//! the table or three more. Handing everything that a set is called with to each of its functions would cost the sum of all sets. Where one set is
//! part of another, what the larger is called with is handed to the smaller as a whole, and only the rest function by function. Who gets
//! what stays the same.

use crate::build::indirect::{ARGUMENTS, Called, Meeting};
use crate::build::values::Values;
use crate::places::PlaceId;
use base::{Id as _, IdVec, define_id};
use dataflow::FunctionIndex;
use hashbrown::HashMap;
use std::collections::BTreeSet;

define_id!(
    /// A set of functions.
    SetId, "set"
);

/// A smaller set is worth a look if it saves more than so many functions.
const WORTH: u32 = 8;

/// All sets that pointers lead to, or have led to: they never change.
#[derive(Default)]
pub(crate) struct Sets<'u> {
    all: IdVec<SetId, Set>,
    known: HashMap<Vec<Called<'u>>, SetId>,
    /// Those worth a look, the largest first.
    by_size: Vec<SetId>,
}

struct Set {
    /// The functions with source: a bit for each function of the program.
    functions: Vec<u64>,
    count: u32,
    /// What its functions are called with, by number, and return; those without source are called by who meets, and would make
    /// their results one here.
    arguments: Vec<PlaceId>,
    result: Option<PlaceId>,
}

impl<'u> Sets<'u> {
    /// The sets with these functions, which are sorted.
    pub(crate) fn numbers(&mut self, values: &mut Values<'_, '_>, sets: &[Vec<Called<'u>>]) -> Vec<SetId> {
        let mut new: Vec<&Vec<Called<'u>>> = Vec::new();
        new.extend(sets.iter().filter(|set| !self.known.contains_key(*set)));
        // Smaller sets first, so that every set comes after its subsets.
        new.sort_by_key(|set| set.len());
        for set in new {
            let id = self.add(values, set);
            self.known.insert(set.clone(), id);
        }
        sets.iter().map(|set| self.known[set]).collect()
    }

    fn add(&mut self, values: &mut Values<'_, '_>, callees: &[Called<'u>]) -> SetId {
        let mut functions = vec![0_u64; values.program.functions.len().div_ceil(64)];
        for callee in callees {
            if let &Called::Own(function) = callee {
                functions[function.index() / 64] |= 1 << (function.index() % 64);
            }
        }
        let count = functions.iter().map(|word| word.count_ones()).sum();
        let mut set = Set {
            count,
            arguments: Vec::new(),
            result: (count > 0).then(|| values.places.fresh()),
            functions,
        };
        let mut rest = set.functions.clone();
        let mut left = set.count;
        for &id in &self.by_size {
            if left <= WORTH {
                break;
            }
            let part = &self.all[id];
            let saved = || {
                part.functions
                    .iter()
                    .zip(&rest)
                    .map(|(part, rest)| (part & rest).count_ones())
            };
            if part.count > set.count || !part.is_in(&set) || saved().sum::<u32>() <= WORTH {
                continue;
            }
            for (rest, part) in rest.iter_mut().zip(&part.functions) {
                *rest &= !part;
            }
            left = rest.iter().map(|word| word.count_ones()).sum();
            for (index, &into) in part.arguments.iter().enumerate() {
                let argument = set.argument(values, index);
                values.places.flow(argument, into);
            }
            flow(values, part.result, set.result);
        }
        for function in members(&rest) {
            let mut params = values.program.functions[function].function.params;
            if values.known_rest(function).is_some() {
                // It reads arguments beyond its parameters.
                params = params.max(ARGUMENTS + 1);
            }
            let arguments: Vec<Option<PlaceId>> = (0..params)
                .map(|index| Some(set.argument(values, index)))
                .collect();
            values.link(function, &arguments, &arguments);
            let inside = values.result(function);
            flow(values, Some(inside), set.result);
        }
        let id = self.all.push(set);
        if count > WORTH {
            let at = self
                .by_size
                .partition_point(|&other| self.all[other].count >= count);
            self.by_size.insert(at, id);
        }
        id
    }

    /// Hands what is called in a meeting to the functions of a set.
    pub(crate) fn hand_over(&self, values: &mut Values<'_, '_>, meeting: &mut Meeting<'_>, id: SetId) {
        for (index, &into) in self.all[id].arguments.iter().enumerate() {
            let argument = meeting.argument(values, index);
            values.places.flow(argument, into);
        }
        if let Some(inside) = self.all[id].result {
            let result = meeting.result(values);
            values.places.flow(inside, result);
        }
    }

    /// The functions with source of several sets, sorted.
    pub(crate) fn functions(&self, ids: &BTreeSet<SetId>) -> Vec<FunctionIndex> {
        let mut all: Vec<u64> = Vec::new();
        for &id in ids {
            let functions = &self.all[id].functions;
            all.resize(functions.len(), 0);
            all.iter_mut().zip(functions).for_each(|(all, set)| *all |= set);
        }
        members(&all).collect()
    }
}

impl Set {
    fn is_in(&self, other: &Set) -> bool {
        self.functions
            .iter()
            .zip(&other.functions)
            .all(|(part, whole)| part & !whole == 0)
    }

    fn argument(&mut self, values: &mut Values<'_, '_>, index: usize) -> PlaceId {
        while self.arguments.len() <= index {
            self.arguments.push(values.places.fresh());
        }
        self.arguments[index]
    }
}

fn flow(values: &mut Values<'_, '_>, from: Option<PlaceId>, into: Option<PlaceId>) {
    if let (Some(from), Some(into)) = (from, into) {
        values.places.flow(from, into);
    }
}

/// The functions whose bits are set.
fn members(bits: &[u64]) -> impl Iterator<Item = FunctionIndex> + '_ {
    bits.iter().enumerate().flat_map(|(at, &word)| {
        (0..64)
            .filter(move |bit| word & 1 << bit != 0)
            .map(move |bit| FunctionIndex::from_index(64 * at + bit))
    })
}
