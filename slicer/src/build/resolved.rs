//! Calls, once it is known what pointers lead to: whom each may call, and after which of them nothing follows.

use crate::build::callees::Callees;
use crate::build::cxx::Cxx;
use crate::build::indirect::{Foreign, Table};
use crate::build::values::Values;
use crate::build::{Parts, PendingCall, indirect};
use crate::effect::effect;
use crate::graph::FunctionId;
use base::Id as _;
use dataflow::{FunctionIndex, Program};
use ir::{Callee, ExprKind, FunctionKind};
use library::standard::{self, Fact};
use progress_map::PointId;
use rayon::prelude::*;
use std::collections::{BTreeMap, BTreeSet};

impl Parts {
    pub(super) fn resolve_calls(
        &mut self,
        values: &Values<'_, '_>,
        by_name: &Callees<'_, '_>,
        targets: &indirect::Targets,
        tables: &[Table],
    ) {
        let program = values.program;
        let mut in_tables: BTreeMap<(FunctionIndex, ir::ExprId), Vec<usize>> = BTreeMap::new();
        for (number, table) in tables.iter().enumerate() {
            for &call in &table.calls {
                in_tables.entry(call).or_default().push(number);
            }
        }
        let functions = |ids: &[FunctionIndex]| Defaulted::of(ids.iter().copied(), program, by_name);
        let of_tables = Vec::from_iter(tables.iter().map(|table| functions(&table.callees)));
        let resolve = |pending: &mut PendingCall| -> Option<(FunctionIndex, PointId)> {
            let mut leaves = None;
            let info = &program.functions[pending.caller];
            let mut callees: BTreeSet<FunctionIndex> = BTreeSet::new();
            match &info.function.exprs[pending.call].kind {
                ExprKind::Call {
                    callee: Callee::Named(name),
                    ..
                } => callees.extend(values.callees_of((pending.caller, pending.call), name)),
                ExprKind::Call {
                    callee: Callee::Macro(called),
                    args,
                } => {
                    let name = called.name.as_str();
                    callees.extend(values.macros.of(name));
                    callees.extend(by_name.of(info.unit, name));
                    let opaque = values.macros.is_opaque(program, name, args.len());
                    pending.done.hands_on = opaque && !callees.is_empty();
                    if values.macros.leaves(name) {
                        leaves = Some((pending.caller, pending.point));
                    }
                }
                _ => {}
            }
            if let Some(found) = targets.get(&(pending.caller, pending.call)) {
                pending.done.hands_on = pending.done.name.is_some();
                callees.extend(found);
            }
            if let Some((name, _)) = info.function.named_call(pending.call)
                && !callees.is_empty()
                && (base::is_operator(name) || values.means_library(pending.caller, pending.call, name))
            {
                pending.done.hands_on = values.cxx.is_cxx(pending.caller);
            }
            if let Some(found) = values.called_objects.get(&(pending.caller, pending.call)) {
                pending.done.hands_on |= pending.done.name.is_some();
                callees.extend(found);
            }
            let args = match &info.function.exprs[pending.call].kind {
                ExprKind::Call { args, .. } => args.len(),
                _ => usize::MAX,
            };
            let in_tables = in_tables.get(&(pending.caller, pending.call));
            let mut evaluated =
                Defaulted::of(callees.iter().copied(), program, by_name).left_out(args, by_name);
            for &table in in_tables.into_iter().flatten() {
                evaluated.extend(of_tables[table].left_out(args, by_name));
            }
            callees.extend(evaluated);
            let callees = callees.into_iter();
            pending.done.callees = callees.map(|id| FunctionId::from_index(id.index())).collect();
            if let Some(tables) = in_tables {
                pending.done.hands_on |= pending.done.name.is_some();
                let tables = tables.iter();
                let ids = tables.map(|table| FunctionId::from_index(program.functions.len() + table));
                pending.done.callees.extend(ids);
            }
            leaves
        };
        let leaves: Vec<_> = self.calls.par_iter_mut().filter_map(resolve).collect();
        for (caller, point) in leaves {
            self.leaves[caller.index()].insert(point);
        }
    }

    /// Finds the calls that may not return: they end the program, or lead to one that does.
    pub(super) fn find_ends(&mut self, program: &Program<'_>, cxx: &Cxx, foreign: &[Foreign<'_>]) {
        let through_pointers = foreign
            .iter()
            .filter(|each| each.effects.iter().any(|effect| effect.ends));
        let through_pointers: BTreeSet<(FunctionIndex, ir::ExprId)> =
            through_pointers.map(|each| (each.caller, each.call)).collect();
        // Who calls a function: a call, or a table of this number, as which of its calls.
        #[derive(Clone, Copy)]
        enum Caller {
            Call(usize),
            Table(usize, usize),
        }
        let functions = program.functions.len() + self.tables.len();
        let mut callers: Vec<Vec<Caller>> = (0..functions).map(|_| Vec::new()).collect();
        for (number, table) in self.tables.iter().enumerate() {
            for (at, callee) in table.callees.iter().enumerate() {
                callers[callee.index()].push(Caller::Table(number, at));
            }
        }
        let mut work: Vec<Caller> = Vec::new();
        for (number, pending) in self.calls.iter().enumerate() {
            for callee in &pending.done.callees {
                callers[callee.index()].push(Caller::Call(number));
            }
            if through_pointers.contains(&(pending.caller, pending.call)) {
                work.push(Caller::Call(number));
            }
            let info = &program.functions[pending.caller];
            if (pending.done.callees.is_empty() || pending.done.hands_on)
                && let ExprKind::Call { callee, .. } = &info.function.exprs[pending.call].kind
                && let Some(name) = callee.name()
                && (pending.done.callees.is_empty() && effect(&name).ends
                    || cxx.catches && cxx.is_cxx(pending.caller) && standard::holds(&name, Fact::Throws))
            {
                work.push(Caller::Call(number));
            }
        }
        // What is thrown ends the function that throws it, and may end its callers.
        for (function, ends) in self.ends.iter().enumerate() {
            if !ends.is_empty() {
                work.extend(&callers[function]);
            }
        }
        while let Some(caller) = work.pop() {
            let (function, is_first) = match caller {
                Caller::Call(number) => {
                    let pending = &self.calls[number];
                    let ends = &mut self.ends[pending.caller.index()];
                    let is_first = ends.is_empty();
                    (pending.caller.index(), ends.insert(pending.point) && is_first)
                }
                Caller::Table(number, at) => {
                    let table = &mut self.tables[number];
                    let is_first = table.ends.is_empty();
                    (table.id.index(), table.ends.insert(at) && is_first)
                }
            };
            if is_first {
                work.extend(&callers[function]);
            }
        }
    }
}

/// Names of functions that have default arguments, each with the largest number of parameters that a function of it has.
struct Defaulted<'u>(BTreeMap<&'u str, usize>);

impl<'u> Defaulted<'u> {
    fn of(
        ids: impl Iterator<Item = FunctionIndex>,
        program: &Program<'u>,
        by_name: &Callees<'_, '_>,
    ) -> Self {
        let mut found = BTreeMap::new();
        for function in ids.map(|id| program.functions[id].function) {
            let name = match (function.kind, &function.linkage_name) {
                (FunctionKind::Lambda, Some(name)) => name,
                _ => &function.name,
            };
            if !by_name.defaults(name).is_empty() {
                let most = found.entry(name.as_str()).or_default();
                *most = function.params.max(*most);
            }
        }
        Self(found)
    }

    /// What evaluates the arguments that a call with so many leaves out.
    fn left_out(&self, args: usize, by_name: &Callees<'_, '_>) -> Vec<FunctionIndex> {
        let lacking = self.0.iter().filter(|&(_, params)| *params > args);
        lacking
            .flat_map(|(name, _)| by_name.defaults(name).iter().copied())
            .collect()
    }
}
