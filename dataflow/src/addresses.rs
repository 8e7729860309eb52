//! Whose address a program takes: functions that a pointer may lead to, members and globals that may change through one.

use crate::calls::Calls;
use crate::program::{FunctionIndex, FunctionInfo};
use crate::summary::{self, Effect};
use base::IdVec;
use ir::{Callee, ExprId, ExprKind, Unit, VarRef};
use rayon::prelude::*;
use std::collections::{BTreeMap, BTreeSet};

/// The addresses that a program takes.
#[derive(Default)]
pub(crate) struct Addresses<'u> {
    /// Functions that a pointer may lead to.
    pub functions: BTreeSet<FunctionIndex>,
    /// Members whose address is taken somewhere: any store may change them.
    pub members: BTreeSet<&'u str>,
    /// Globals whose address somebody may keep.
    pub globals: BTreeSet<&'u str>,
    /// Globals whose address a call of a library function is given that writes through it and forgets it: by calling
    /// function and call, with the number of the argument.
    pub given: BTreeMap<(FunctionIndex, ExprId), Vec<(&'u str, usize)>>,
}

/// The addresses that one function takes.
#[derive(Default)]
struct Taken<'u> {
    /// Of members, by name.
    members: Vec<&'u str>,
    /// Of globals, by name, but for those that are [`Self::given`].
    globals: Vec<&'u str>,
    /// Of globals, given to a library function that forgets them: the call, the global, and the number of the argument.
    given: Vec<(ExprId, &'u str, usize)>,
}

impl<'u> Addresses<'u> {
    /// What the functions of `units` take, and what the files' own initialisers do.
    pub(crate) fn taken(
        units: &'u [Unit],
        functions: &IdVec<FunctionIndex, FunctionInfo<'u>>,
        calls: &Calls<'u>,
    ) -> Self {
        let mut all = Addresses::default();
        for unit in units {
            for name in &unit.address_taken_functions {
                all.functions.extend(calls.named(name));
            }
            let globals = unit.globals.iter().filter(|global| global.address_taken);
            all.globals.extend(globals.map(|global| global.name.as_str()));
        }
        let taken = functions.as_slice().par_iter().map(|info| Taken::by(info, calls));
        let taken: Vec<Taken<'u>> = taken.collect();
        for (id, taken) in functions.ids().zip(taken) {
            all.members.extend(taken.members);
            all.globals.extend(taken.globals);
            for (call, global, index) in taken.given {
                all.given.entry((id, call)).or_default().push((global, index));
            }
        }
        all
    }
}

impl<'u> Taken<'u> {
    fn by(info: &FunctionInfo<'u>, calls: &Calls<'u>) -> Self {
        let function = info.function;
        let exprs = &function.exprs;
        let mut taken = Taken::default();
        // Addresses that stand as an argument of a call which forgets them.
        let mut forgotten: BTreeSet<ExprId> = BTreeSet::new();
        for (call, expr) in exprs.iter_enumerated() {
            let ExprKind::Call {
                callee: Callee::Named(name),
                args,
            } = &expr.kind
            else {
                continue;
            };
            let addresses = args.iter().enumerate().filter_map(|(index, &arg)| {
                let ExprKind::AddressOf(inner) = exprs[arg].kind else {
                    return None;
                };
                match &exprs[inner].kind {
                    ExprKind::Var(VarRef::Global(global)) => Some((index, arg, global)),
                    _ => None,
                }
            });
            for (index, arg, global) in addresses {
                if summary::of_library(name, index) != Effect::Keeps
                    && calls.callees(info.unit, name).next().is_none()
                {
                    forgotten.insert(arg);
                    taken.given.push((call, global, index));
                }
            }
        }
        for (address, expr) in exprs.iter_enumerated() {
            let ExprKind::AddressOf(inner) = expr.kind else {
                continue;
            };
            match &exprs[inner].kind {
                ExprKind::Field { name, .. } => {
                    taken.members.push(name);
                    if function.language.is_cxx() {
                        taken.globals.push(name);
                    }
                }
                ExprKind::Var(VarRef::Global(name)) if !forgotten.contains(&address) => {
                    taken.globals.push(name);
                    if function.language.is_cxx() {
                        taken.members.push(name);
                    }
                }
                _ => {}
            }
        }
        taken
    }
}
