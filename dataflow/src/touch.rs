//! Whether a call may change a variable, and what it is known to add to it.

use crate::calls::NodeId;
use crate::effects::{MemberPath, Target, children, target_of};
use crate::external::{Reach, is_library, reach};
use crate::flow::Action;
use crate::program::{FunctionIndex, FunctionInfo, Program};
use crate::summary::{self, Effect};
use base::mutant::{Mutant, on};
use ir::{Callee, ExprId, ExprKind, Function, VarRef};
use progress_map::{Interference, Outsider, PointId};
use std::collections::{BTreeMap, BTreeSet};

/// Whether a call may change a variable, weakest claim last.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Touch {
    /// It cannot.
    Leaves,
    /// It could, but is taken not to: by whom or what.
    Assumed(Interference),
    /// It may: by whom or what.
    May(Interference),
}

impl<'u> Program<'u> {
    /// The variables that the call at `point` may step: those whose address it is given, and those of `globals` that its
    /// callees assign.
    pub fn changed_by_call(
        &self,
        id: FunctionIndex,
        point: PointId,
        globals: &BTreeSet<&str>,
    ) -> Vec<Target> {
        let info = &self.functions[id];
        let Action::Call(call) = info.flow.points[point].action else {
            return Vec::new();
        };
        let changed = info
            .definitions
            .by_call(call)
            .filter(|each| each.effect.changes());
        let mut targets: Vec<Target> = changed.map(|each| Target::Local(each.local)).collect();
        if let ExprKind::Call {
            callee: Callee::Named(name),
            ..
        } = &info.function.exprs[call].kind
        {
            let nodes: Vec<NodeId> = self.calls.nodes(info.unit, name).collect();
            let assigned = globals.iter().filter(|name| {
                let number = self.writes.changes.number_of_global(name);
                number
                    .is_some_and(|number| nodes.iter().any(|&node| self.writes.changes.global(node, number)))
            });
            targets.extend(assigned.map(|&name| Target::Global(name.into())));
        }
        targets.sort();
        targets.dedup();
        targets
    }

    /// What functions that assign a global do to it, callees included; the others leave it alone.
    fn effects_on_global(&self, name: &str) -> Option<&BTreeMap<FunctionIndex, Effect>> {
        let number = self.writes.changes.number_of_global(name)?;
        Some(self.writes.global_effects[number].get_or_init(|| summary::on_global(self, name)))
    }

    /// What functions outside the map that the call at `point` leads to may do to `target`.
    pub fn trusted_in_call(&self, id: FunctionIndex, point: PointId, target: &Target) -> Touch {
        let info = &self.functions[id];
        let Action::Call(call) = info.flow.points[point].action else {
            return Touch::Leaves;
        };
        let ExprKind::Call {
            callee: Callee::Named(name),
            ..
        } = &info.function.exprs[call].kind
        else {
            return Touch::Leaves;
        };
        let callees = self.callees(info.unit, name);
        let unknown = callees.filter_map(|callee| self.writes.changes.unknown(callee));
        self.some_unknown_may_change(id, unknown, target)
    }

    /// What the call at `point` is known to add to what `target` names, when it is a constant on every path.
    pub fn added_by_call(&self, id: FunctionIndex, point: PointId, target: &Target) -> Option<i64> {
        let info = &self.functions[id];
        // A call that something is thrown out of has done a part of what it does, and a handler goes on from there.
        if info.has_handlers() {
            return None;
        }
        let Action::Call(call) = info.flow.points[point].action else {
            return None;
        };
        let effect = match target {
            Target::Local(local) => {
                let mut here = info.definitions.by_call(call).filter(|each| each.local == *local);
                here.next()?.effect
            }
            Target::Global(name) => {
                let ExprKind::Call {
                    callee: Callee::Named(callee),
                    ..
                } = &info.function.exprs[call].kind
                else {
                    return None;
                };
                let number = self.writes.changes.number_of_global(name)?;
                let mut nodes = self.calls.nodes(info.unit, callee);
                if !nodes.any(|node| self.writes.changes.global(node, number)) {
                    return None;
                }
                let callees = self.callees(info.unit, callee);
                let known = self.effects_on_global(name);
                let effect = |callee| known.and_then(|known| known.get(&callee)).copied();
                let mut effects = callees.map(|callee| effect(callee).unwrap_or(Effect::Leaves));
                let first = effects.next()?;
                effects.all(|other| other == first).then_some(first)?
            }
            Target::Member(_) => self.effect_on_member(id, point, target)?,
            Target::Memory => return None,
        };
        match effect {
            Effect::Adds(step) => Some(step),
            _ => None,
        }
    }

    /// Whether the call at `point` may change what `target` names.
    pub fn may_change(&self, id: FunctionIndex, point: PointId, target: &Target) -> Touch {
        let info = &self.functions[id];
        let Action::Call(call) = info.flow.points[point].action else {
            return Touch::Leaves;
        };
        if on(Mutant::CalleeUpdateIgnored) {
            return Touch::Leaves;
        }
        let ExprKind::Call { callee, args } = &info.function.exprs[call].kind else {
            return Touch::Leaves;
        };
        if let Target::Global(global) = target
            && self
                .given_globals(id, call)
                .iter()
                .any(|(name, _)| *name == *global)
        {
            let line = info.flow.points[point].span.line;
            return Touch::May(Interference::SetByCall { line });
        }
        match callee {
            Callee::Named(name) => {
                if self.is_known(info.unit, name) {
                    self.some_may_change(id, self.callees(info.unit, name), target)
                } else {
                    self.unknown_may_change(id, Outsider::Named(name), args, target)
                }
            }
            Callee::Macro(called) => Touch::May(Interference::ByMacro {
                name: called.name.to_string(),
            }),
            Callee::Indirect(_) => {
                let known = self.some_behind_pointer_may_change(id, target);
                known.max(self.unknown_may_change(id, Outsider::BehindPointer, args, target))
            }
        }
    }

    /// Whether a function that a pointer may lead to may change `target`.
    fn some_behind_pointer_may_change(&self, here: FunctionIndex, target: &Target) -> Touch {
        let number = self.number(target);
        let direct = match target {
            Target::Local(_) => false,
            Target::Global(_) => number.is_some_and(|number| self.writes.changes.by_pointer().global(number)),
            Target::Member(_) => self.writes.changes.by_pointer().member(number),
            Target::Memory => true,
        };
        if direct {
            // Which of them may do so is looked up only to tell the user.
            return self.some_may_change(here, self.behind_pointers(), target);
        }
        let unknown = self.writes.changes.by_pointer().unknown.iter().copied();
        self.some_unknown_may_change(here, unknown, target)
    }

    /// Whether a function, with all that it calls, may change a global or a member of the name of `target`.
    pub(crate) fn leads_to_change(&self, id: FunctionIndex, target: &Target) -> bool {
        let (node, number) = (self.calls.node(id), self.number(target));
        match target {
            Target::Global(_) => number.is_some_and(|number| self.writes.changes.global(node, number)),
            Target::Member(_) => self.writes.changes.member(node, number),
            Target::Local(_) | Target::Memory => true,
        }
    }

    /// The number of the global or member that `target` names, if some function of the program changes one of that name.
    fn number(&self, target: &Target) -> Option<usize> {
        match target {
            Target::Global(global) => self.writes.changes.number_of_global(global),
            Target::Member(path) => self.writes.changes.number_of_member(&path.member),
            Target::Local(_) | Target::Memory => None,
        }
    }

    /// Whether one of `callees` may change `target`.
    fn some_may_change(
        &self,
        here: FunctionIndex,
        callees: impl Iterator<Item = FunctionIndex>,
        target: &Target,
    ) -> Touch {
        let number = self.number(target);
        let mut changers: BTreeSet<&str> = BTreeSet::new();
        let mut unknown: BTreeSet<Outsider<&str>> = BTreeSet::new();
        for callee in callees {
            let node = self.calls.node(callee);
            let direct = match target {
                Target::Local(_) => false,
                Target::Global(_) => number.is_some_and(|number| self.writes.changes.global(node, number)),
                Target::Member(_) => self.writes.changes.member(node, number),
                Target::Memory => true,
            };
            if direct {
                changers.extend([self.functions[callee].function.name.as_str()])
            } else {
                unknown.extend(self.writes.changes.unknown(callee))
            }
        }
        let direct = changers.into_iter();
        let direct = direct
            .map(|name| {
                Touch::May(Interference::ByFunction {
                    function: name.to_owned(),
                })
            })
            .max();
        let unknown = self.some_unknown_may_change(here, unknown.into_iter(), target);
        direct.unwrap_or(Touch::Leaves).max(unknown)
    }

    /// Whether one of the functions `outside`, of which nothing is known, may change `target`.
    fn some_unknown_may_change<'n>(
        &self,
        here: FunctionIndex,
        outside: impl Iterator<Item = Outsider<&'n str>>,
        target: &Target,
    ) -> Touch {
        let outside: BTreeSet<Outsider<&str>> = outside.collect();
        let each = outside
            .into_iter()
            .map(|name| self.unknown_may_change(here, name, &[], target));
        each.max().unwrap_or(Touch::Leaves)
    }

    /// What a function outside the map that is given `args` may change: anything that it can name or reach. To change a variable whose
    /// address is never taken, it would need a declaration of that variable in source that the map has not seen, or would have to call back
    /// into the program; both are assumed not to happen. Memory behind a pointer has no name, so that nothing is assumed of it.
    fn unknown_may_change(
        &self,
        here: FunctionIndex,
        outsider: Outsider<&str>,
        args: &[ExprId],
        target: &Target,
    ) -> Touch {
        let info = &self.functions[here];
        if let Outsider::Named(name) = outsider
            && is_library(name)
        {
            return match target {
                Target::Member(path) if library_writes(info.function, name, args, path) => {
                    Touch::May(Interference::WrittenOver {
                        function: name.to_owned(),
                    })
                }
                _ => Touch::Leaves,
            };
        }
        let assumed = || Touch::Assumed(Interference::UnmappedLeaves(outsider.to_owned()));
        match target {
            Target::Local(_) => Touch::Leaves,
            Target::Global(global) => {
                let is_static = self.units[info.unit]
                    .globals
                    .iter()
                    .any(|each| each.name == *global && each.is_static);
                // The function that asks is one of them: it may be called back, too.
                let changers: Vec<(FunctionIndex, &FunctionInfo<'_>)> = self
                    .writes
                    .changes
                    .changers(global)
                    .iter()
                    .map(|&id| (id, &self.functions[id]))
                    .filter(|(_, other)| !is_static || other.unit == info.unit)
                    .collect();
                let called_back = changers
                    .iter()
                    .find(|(id, _)| self.addresses.functions.contains(id));
                if let Some((_, other)) = called_back {
                    return Touch::May(Interference::CallsBack {
                        outsider: outsider.to_owned(),
                        function: other.function.name.to_string(),
                    });
                }
                let alone = is_static && changers.iter().all(|(_, other)| other.function.is_static);
                if alone { Touch::Leaves } else { assumed() }
            }
            Target::Member(path) => {
                // A function that is given the structure, or the address of a part of it, may write to it.
                if args.iter().any(|&arg| gives(info.function, arg, &path.root)) {
                    Touch::May(Interference::Unmapped(outsider.to_owned()))
                } else {
                    assumed()
                }
            }
            Target::Memory => Touch::May(Interference::Unmapped(outsider.to_owned())),
        }
    }
}

/// Whether an argument leads to the structure that `root` is or points to; a member's value alone does not.
fn gives(function: &Function, arg: ExprId, root: &VarRef) -> bool {
    let mut work = vec![(arg, false)];
    while let Some((id, address)) = work.pop() {
        let expr = &function.exprs[id];
        let inside_address = address || matches!(expr.kind, ExprKind::AddressOf(_));
        match &expr.kind {
            ExprKind::Var(var) if var == root => return true,
            ExprKind::Field { .. } if !address => {}
            _ => work.extend(children(expr).into_iter().map(|child| (child, inside_address))),
        }
    }
    false
}

/// Whether a library function that is given `args` may write to the member: it is given the structure, or the address of a part of it and
/// writes more than that part.
pub(crate) fn library_writes(function: &Function, name: &str, args: &[ExprId], path: &MemberPath) -> bool {
    let is_one = |count: usize| {
        let builtin = |id: &ExprId| match &function.exprs[*id].kind {
            ExprKind::Var(VarRef::Global(name)) => name.starts_with("MPI_"),
            _ => false,
        };
        let one = args.get(count).map(|&id| &function.exprs[id].kind) == Some(&ExprKind::Int(1));
        one && args.get(count + 1).is_some_and(builtin)
    };
    args.iter().enumerate().any(|(index, &arg)| {
        if !gives(function, arg, &path.root) {
            return false;
        }
        let whole = match reach(name, index) {
            Reach::Nothing => return false,
            Reach::One => false,
            Reach::Counted(count) => !is_one(count),
            Reach::Any => true,
        };
        let mut address = arg;
        while let ExprKind::Cast(_, inner) = function.exprs[address].kind {
            address = inner;
        }
        let part = match function.exprs[address].kind {
            ExprKind::AddressOf(inner) => target_of(function, inner),
            _ => Target::Memory,
        };
        match part {
            Target::Member(other) => {
                let below = path.path.strip_prefix(other.path.as_str());
                whole || below.is_some_and(|rest| rest.is_empty() || rest.starts_with('.'))
            }
            _ => true,
        }
    })
}
