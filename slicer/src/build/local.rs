//! Which assignments of plain local variables reach which uses, inside one function.
//!
//! Reaching definitions: forward along the flow graph, sets of definitions as rows of bits. In a function whose flow cannot be
//! trusted (`setjmp`, text that was not understood) every definition reaches every use.

use crate::build::memory::Home;
use dataflow::{Action, FunctionInfo, Target};
use ir::LocalId;
use progress_map::PointId;

/// Where a value may come from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Source {
    /// An assignment.
    Point(PointId),
    /// The caller: the variable is a parameter of this number.
    Entry(u32),
}

/// The definitions of a function's plain local variables: first those of parameters on entry, then assignments in the order of points.
struct Definitions {
    /// How many parameters there are.
    params: usize,
    assigned: Vec<(LocalId, PointId)>,
    by_local: Vec<Vec<usize>>,
}

impl Definitions {
    fn of(info: &FunctionInfo<'_>, homes: &[Home]) -> Self {
        let params = info.function.params;
        let mut assigned: Vec<(LocalId, PointId)> = Vec::new();
        for (point, each) in info.flow.points.iter_enumerated() {
            if let Action::Assign {
                target: Target::Local(local),
                ..
            } = each.action
                && homes[index(local)] == Home::Value
            {
                assigned.push((local, point));
            }
        }
        let mut by_local: Vec<Vec<usize>> = homes.iter().map(|_| Vec::new()).collect();
        for (local, definitions) in by_local.iter_mut().enumerate().take(params) {
            definitions.push(local);
        }
        for (number, &(local, _)) in assigned.iter().enumerate() {
            by_local[index(local)].push(params + number);
        }
        Definitions {
            params,
            assigned,
            by_local,
        }
    }

    fn of_local(&self, local: LocalId) -> &[usize] {
        &self.by_local[index(local)]
    }

    fn source(&self, definition: usize) -> Source {
        match definition.checked_sub(self.params) {
            None => Source::Entry(definition as u32),
            Some(number) => Source::Point(self.assigned[number].1),
        }
    }

    /// As many words as it takes to have a bit for each.
    fn words(&self) -> usize {
        (self.params + self.assigned.len()).div_ceil(64)
    }

    /// By variable: its definitions, as bits. Empty for a variable that has one only, which no other replaces.
    fn masks(&self) -> Vec<Vec<u64>> {
        let mask = |definitions: &Vec<usize>| {
            let mut mask = Vec::new();
            if definitions.len() > 1 {
                mask = vec![0_u64; self.words()];
                definitions
                    .iter()
                    .for_each(|&each| mask[each / 64] |= 1 << (each % 64));
            }
            mask
        };
        self.by_local.iter().map(mask).collect()
    }

    /// By point: the definitions that reach it, as bits.
    fn reaching(&self, info: &FunctionInfo<'_>) -> Vec<u64> {
        let flow = &info.flow;
        let words = self.words();
        let masks = self.masks();
        let mut rows = vec![0_u64; words * flow.points.len()];
        for param in 0..self.params {
            rows[param / 64] |= 1 << (param % 64);
        }
        let mut definition_at: Vec<Option<(usize, LocalId)>> = vec![None; flow.points.len()];
        for (number, &(local, point)) in self.assigned.iter().enumerate() {
            definition_at[base::Id::index(point)] = Some((self.params + number, local));
        }
        let mut out = vec![0_u64; words];
        let mut changed = true;
        while changed {
            changed = false;
            // Points stand nearly in the order in which control meets them: few rounds are needed.
            for point in flow.points.ids() {
                let at = base::Id::index(point) * words;
                out.copy_from_slice(&rows[at..at + words]);
                if let Some((definition, local)) = definition_at[base::Id::index(point)] {
                    let mask = &masks[index(local)];
                    if !mask.is_empty() {
                        out.iter_mut().zip(mask).for_each(|(word, mask)| *word &= !mask);
                    }
                    out[definition / 64] |= 1 << (definition % 64);
                }
                for &succ in &flow.succs[point] {
                    let at = base::Id::index(succ) * words;
                    for (into, word) in rows[at..at + words].iter_mut().zip(&out) {
                        changed |= *word & !*into != 0;
                        *into |= word;
                    }
                }
            }
        }
        rows
    }
}

/// The uses of local variables that were asked for, each with where the value may come from.
pub(crate) fn sources(
    info: &FunctionInfo<'_>,
    homes: &[Home],
    uses: &[(PointId, LocalId)],
    mut found: impl FnMut(usize, Source),
) {
    let definitions = Definitions::of(info, homes);
    let is_one_of_several = |local: LocalId| definitions.of_local(local).len() > 1;
    // A variable with one definition needs no rows: that is where its value comes from, if it has one.
    let needs_rows = uses.iter().any(|&(_, local)| is_one_of_several(local));
    let rows = (info.flow.distrust.is_none() && needs_rows).then(|| definitions.reaching(info));
    let words = definitions.words();
    for (number, &(point, local)) in uses.iter().enumerate() {
        let row = rows.as_ref().filter(|_| is_one_of_several(local));
        let row = row.map(|rows| &rows[base::Id::index(point) * words..][..words]);
        for &definition in definitions.of_local(local) {
            if row.is_none_or(|row| row[definition / 64] & (1 << (definition % 64)) != 0) {
                found(number, definitions.source(definition));
            }
        }
    }
}

fn index(local: LocalId) -> usize {
    base::Id::index(local)
}
