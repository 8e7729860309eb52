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

/// The uses of local variables that were asked for, each with where the value may come from.
pub(crate) fn sources(
    info: &FunctionInfo<'_>,
    homes: &[Home],
    uses: &[(PointId, LocalId)],
    mut found: impl FnMut(usize, Source),
) {
    let flow = &info.flow;
    // Definitions: those of parameters on entry first, then assignments in the order of points.
    let params = info.function.params;
    let mut assigned: Vec<(LocalId, PointId)> = Vec::new();
    for (point, each) in flow.points.iter_enumerated() {
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
    let source = |definition: usize| match definition.checked_sub(params) {
        None => Source::Entry(definition as u32),
        Some(number) => Source::Point(assigned[number].1),
    };
    if flow.distrust.is_some() {
        for (number, &(_, local)) in uses.iter().enumerate() {
            by_local[index(local)]
                .iter()
                .for_each(|&definition| found(number, source(definition)));
        }
        return;
    }
    // A variable with one definition needs no rows: that is where its value comes from, if it has one.
    let several = |local: LocalId| by_local[index(local)].len() > 1;
    if !uses.iter().any(|&(_, local)| several(local)) {
        for (number, &(_, local)) in uses.iter().enumerate() {
            by_local[index(local)]
                .iter()
                .for_each(|&definition| found(number, source(definition)));
        }
        return;
    }
    let words = (params + assigned.len()).div_ceil(64);
    let mut masks: Vec<Vec<u64>> = Vec::with_capacity(homes.len());
    for definitions in &by_local {
        let mut mask = Vec::new();
        if definitions.len() > 1 {
            mask = vec![0_u64; words];
            definitions
                .iter()
                .for_each(|&each| mask[each / 64] |= 1 << (each % 64));
        }
        masks.push(mask);
    }
    let mut rows = vec![0_u64; words * flow.points.len()];
    for param in 0..params {
        rows[param / 64] |= 1 << (param % 64);
    }
    let mut definition_at: Vec<Option<(usize, LocalId)>> = vec![None; flow.points.len()];
    for (number, &(local, point)) in assigned.iter().enumerate() {
        definition_at[base::Id::index(point)] = Some((params + number, local));
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
    for (number, &(point, local)) in uses.iter().enumerate() {
        let definitions = &by_local[index(local)];
        if definitions.len() < 2 {
            definitions
                .iter()
                .for_each(|&definition| found(number, source(definition)));
            continue;
        }
        let row = &rows[base::Id::index(point) * words..][..words];
        for &definition in definitions {
            if row[definition / 64] & (1 << (definition % 64)) != 0 {
                found(number, source(definition));
            }
        }
    }
}

fn index(local: LocalId) -> usize {
    base::Id::index(local)
}
