//! All functions together: who calls whom, and what a call may change.

use crate::calls::{CallGraph, Calls, NodeId, Site};
use crate::changes::AllChanges;
use crate::control::Control;
use crate::definitions::{Definitions, address_of, changed_by_calls};
use crate::effects::{MemberPath, Target, children, target_of};
use crate::external::{Reach, is_library, reach};
use crate::flow::{Action, Flow};
use crate::loops::Loops;
use crate::summary::{self, Effect, Summaries};
use base::mutant::{Mutant, on};
use base::{Id as _, IdVec, define_id};
use ir::{BinaryOp, Callee, ExprId, ExprKind, Function, Member, Type, Unit, VarRef};
use progress_map::{Interference, Outsider, PointId};
use rayon::prelude::*;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::OnceLock;

define_id!(
    /// A function of the program.
    FunctionIndex, "f"
);

/// Parsed files as one program.
pub struct Program<'u> {
    /// The files.
    pub units: &'u [Unit],
    /// Their functions, by file and then in source order.
    pub functions: IdVec<FunctionIndex, FunctionInfo<'u>>,
    /// Who may call whom.
    pub(crate) calls: Calls<'u>,
    /// The same as a graph.
    pub(crate) call_graph: CallGraph,
    /// Functions that a pointer may lead to.
    through_pointer: BTreeSet<FunctionIndex>,
    /// What each function may change, its callees included.
    changes: AllChanges<'u>,
    /// Members whose address is taken somewhere: any store may change them.
    exposed_members: BTreeSet<&'u str>,
    /// The members of all structures, by name.
    members: BTreeMap<&'u str, BTreeSet<&'u Member>>,
    /// Globals whose address somebody may keep.
    exposed_globals: BTreeSet<&'u str>,
    /// Globals whose address a call of a library function is given that writes through it and forgets it: by calling
    /// function and call, with the number of the argument.
    given_globals: BTreeMap<(FunctionIndex, ExprId), Vec<(&'u str, usize)>>,
    /// What functions do to globals, by the global's number: worked out when asked for.
    global_effects: Vec<OnceLock<BTreeMap<FunctionIndex, Effect>>>,
    /// Some function catches exceptions: any call may end the function that makes it.
    handlers: bool,
    /// Where each global is assigned, by name.
    assignments: BTreeMap<&'u str, Vec<(FunctionIndex, PointId)>>,
}

/// One function with its flow analyses.
pub struct FunctionInfo<'u> {
    /// The index of its file.
    pub unit: usize,
    /// The function.
    pub function: &'u Function,
    /// Its flow graph.
    pub flow: Flow,
    /// Its loops.
    pub loops: Loops,
    /// Its control dependences.
    pub control: Control,
    /// Its definitions.
    pub definitions: Definitions,
}

impl FunctionInfo<'_> {
    /// Whether the function catches what its callees throw.
    pub(crate) fn has_handlers(&self) -> bool {
        let mut statements = self.function.stmts.iter();
        statements.any(|stmt| matches!(stmt.kind, ir::StmtKind::Try { .. }))
    }
}

impl<'u> FunctionInfo<'u> {
    /// Analyses one function.
    pub fn new(unit: usize, function: &'u Function) -> Self {
        let flow = Flow::new(function);
        let loops = Loops::new(&flow);
        let control = Control::new(&flow, &loops);
        let definitions = Definitions::new(function, &flow);
        FunctionInfo {
            unit,
            function,
            flow,
            loops,
            control,
            definitions,
        }
    }
}

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
    /// Analyses the functions of parsed files, side by side, and puts them together. The program does not depend on the
    /// number of threads.
    pub fn of_units(units: &'u [Unit]) -> Self {
        let functions: Vec<(usize, &Function)> = units
            .iter()
            .enumerate()
            .flat_map(|(unit, each)| each.functions.iter().map(move |function| (unit, function)))
            .collect();
        let infos: Vec<FunctionInfo<'_>> = functions
            .into_par_iter()
            .map(|(unit, function)| FunctionInfo::new(unit, function))
            .collect();
        Program::new(units, infos.into())
    }

    /// Puts functions together into a program. `functions` are those of `units`, by unit and in source order.
    pub fn new(units: &'u [Unit], functions: IdVec<FunctionIndex, FunctionInfo<'u>>) -> Self {
        let calls = Calls::new(&functions);
        let mut program = Program {
            units,
            call_graph: calls.graph(),
            calls,
            changes: AllChanges::new(functions.len()),
            functions,
            through_pointer: BTreeSet::new(),
            exposed_members: BTreeSet::new(),
            members: BTreeMap::new(),
            exposed_globals: BTreeSet::new(),
            given_globals: BTreeMap::new(),
            global_effects: Vec::new(),
            handlers: false,
            assignments: BTreeMap::new(),
        };
        program.handlers = program.functions.iter().any(FunctionInfo::has_handlers);
        for unit in units {
            for name in &unit.address_taken_functions {
                program.through_pointer.extend(program.calls.named(name));
            }
            for member in &unit.members {
                program.members.entry(&member.name).or_default().insert(member);
            }
            let globals = unit.globals.iter().filter(|global| global.address_taken);
            program
                .exposed_globals
                .extend(globals.map(|global| global.name.as_str()));
        }
        program.collect_addresses();
        program.collect_changes();
        program.follow_addresses();
        program
    }

    /// Looks into the functions of the program that are given addresses of variables: what only reads or steps a variable
    /// does not hide its changes.
    fn follow_addresses(&mut self) {
        let gives_addresses = |info: &FunctionInfo<'_>| {
            info.function.exprs.iter().any(|expr| match &expr.kind {
                ExprKind::Call {
                    callee: Callee::Named(name),
                    args,
                } => {
                    args.iter().any(|&arg| address_of(info.function, arg).is_some())
                        && self.is_known(info.unit, name)
                }
                _ => false,
            })
        };
        let all = self.functions.as_slice().par_iter().enumerate();
        let givers = all.filter(|(_, info)| gives_addresses(info));
        let givers: Vec<(usize, &FunctionInfo<'_>)> = givers.collect();
        // One after the other: what is known of a function that passes an address on in a circle depends on who asked first.
        let mut summaries = Summaries::default();
        let changed = givers.into_iter().map(|(index, info)| {
            let mut effect =
                |name: &str, index: usize| summaries.through_argument(self, info.unit, name, index);
            (index, info, changed_by_calls(info.function, &mut effect))
        });
        let changed: Vec<_> = changed
            .filter(|(_, info, by_calls)| !info.definitions.is_with(by_calls))
            .collect();
        let refined = changed.into_par_iter().map(|(index, info, by_calls)| {
            let definitions = Definitions::with(info.function, &info.flow, by_calls);
            (FunctionIndex::from_index(index), definitions)
        });
        let refined: Vec<(FunctionIndex, Definitions)> = refined.collect();
        for (id, definitions) in refined {
            self.functions[id].definitions = definitions;
        }
    }

    /// The functions that a call by name from `unit` may mean: one of the same file first, else any of other files
    /// that is not `static`.
    pub fn callees(&self, unit: usize, name: &str) -> impl Iterator<Item = FunctionIndex> + use<'_, 'u> {
        self.calls.callees(unit, name)
    }

    /// Whether some function of the program may be meant by a name in `unit`.
    pub(crate) fn is_known(&self, unit: usize, name: &str) -> bool {
        self.callees(unit, name).next().is_some()
    }

    /// The calls that may mean a function, by name.
    pub(crate) fn callers(&self, id: FunctionIndex) -> impl Iterator<Item = Site> + use<'_, 'u> {
        self.calls.callers(id)
    }

    /// Whether a pointer may lead to the function.
    pub fn is_called_through_pointer(&self, id: FunctionIndex) -> bool {
        self.through_pointer.contains(&id)
    }

    /// The functions that a pointer may lead to: nobody has a pointer to a constructor, although it is called without a sign of it in the
    /// source.
    fn behind_pointers(&self) -> impl Iterator<Item = FunctionIndex> + use<'_, 'u> {
        let constructs = |id: &FunctionIndex| {
            let function = self.functions[*id].function;
            let qualified = function.linkage_name.as_deref();
            // What a namespace of its own name holds may be any function, but such a one has a type.
            function.returns == Type::Unknown
                && qualified.is_some_and(|qualified| base::constructs(qualified, &function.name))
        };
        self.through_pointer
            .iter()
            .copied()
            .filter(move |id| !constructs(id))
    }

    /// Whether something that is thrown may be caught, so that tasks go on which have left out a part of the program.
    pub(crate) fn catches(&self) -> bool {
        self.handlers
    }

    /// Where a global of this name is assigned.
    pub fn assignments(&self, global: &str) -> &[(FunctionIndex, PointId)] {
        self.assignments.get(global).map_or(&[], Vec::as_slice)
    }

    /// The globals whose address the call is given, when it is a library function's that sets them and forgets the
    /// address, with the number of the argument.
    pub(crate) fn given_globals(&self, id: FunctionIndex, call: ExprId) -> &[(&'u str, usize)] {
        self.given_globals.get(&(id, call)).map_or(&[], Vec::as_slice)
    }

    /// Whether somebody may keep the address of a global.
    pub fn is_exposed_global(&self, name: &str) -> bool {
        self.exposed_globals.contains(name)
    }

    /// Whether the address of a member of this name is taken anywhere.
    pub fn is_exposed_member(&self, name: &str) -> bool {
        self.exposed_members.contains(name)
    }

    /// The members of this name in all structures that the program shows.
    pub fn members(&self, name: &str) -> impl Iterator<Item = &'u Member> + use<'_, 'u> {
        self.members.get(name).into_iter().flatten().copied()
    }

    /// Whether some function of the program changes a global of this name where that shows.
    pub fn is_changed_global(&self, name: &str) -> bool {
        self.changes.is_changed(name)
    }

    /// The functions that may assign a global of this name, callees in the program included.
    pub(crate) fn changers(&self, name: &str) -> &[FunctionIndex] {
        self.changes.changers(name)
    }

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
                let number = self.changes.number_of_global(name);
                number.is_some_and(|number| nodes.iter().any(|&node| self.changes.global(node, number)))
            });
            targets.extend(assigned.map(|&name| Target::Global(name.into())));
        }
        targets.sort();
        targets.dedup();
        targets
    }

    /// What functions that assign a global do to it, callees included; the others leave it alone.
    fn effects_on_global(&self, name: &str) -> Option<&BTreeMap<FunctionIndex, Effect>> {
        let number = self.changes.number_of_global(name)?;
        Some(self.global_effects[number].get_or_init(|| summary::on_global(self, name)))
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
        let unknown = callees.filter_map(|callee| self.changes.unknown(callee));
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
                let number = self.changes.number_of_global(name)?;
                let mut nodes = self.calls.nodes(info.unit, callee);
                if !nodes.any(|node| self.changes.global(node, number)) {
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
                    self.unknown_may_change(id, Some(name), args, target)
                }
            }
            Callee::Macro(called) => Touch::May(Interference::ByMacro {
                name: called.name.to_string(),
            }),
            Callee::Indirect(_) => {
                let known = self.some_behind_pointer_may_change(id, target);
                known.max(self.unknown_may_change(id, None, args, target))
            }
        }
    }

    /// Whether a function that a pointer may lead to may change `target`.
    fn some_behind_pointer_may_change(&self, here: FunctionIndex, target: &Target) -> Touch {
        let number = self.number(target);
        let direct = match target {
            Target::Local(_) => false,
            Target::Global(_) => number.is_some_and(|number| self.changes.by_pointer().global(number)),
            Target::Member(_) => self.changes.by_pointer().member(number),
            Target::Memory => true,
        };
        match direct {
            // Which of them is asked for the user's sake.
            true => self.some_may_change(here, self.behind_pointers(), target),
            false => {
                self.some_unknown_may_change(here, self.changes.by_pointer().unknown.iter().copied(), target)
            }
        }
    }

    /// Whether a function, with all that it calls, may change a global or a member of the name of `target`.
    pub(crate) fn leads_to_change(&self, id: FunctionIndex, target: &Target) -> bool {
        let (node, number) = (self.calls.node(id), self.number(target));
        match target {
            Target::Global(_) => number.is_some_and(|number| self.changes.global(node, number)),
            Target::Member(_) => self.changes.member(node, number),
            Target::Local(_) | Target::Memory => true,
        }
    }

    /// The number of the global or member that `target` names, if some function of the program changes one of that name.
    fn number(&self, target: &Target) -> Option<usize> {
        match target {
            Target::Global(global) => self.changes.number_of_global(global),
            Target::Member(path) => self.changes.number_of_member(&path.member),
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
        let mut unknown: BTreeSet<&str> = BTreeSet::new();
        for callee in callees {
            let node = self.calls.node(callee);
            let direct = match target {
                Target::Local(_) => false,
                Target::Global(_) => number.is_some_and(|number| self.changes.global(node, number)),
                Target::Member(_) => self.changes.member(node, number),
                Target::Memory => true,
            };
            if direct {
                changers.extend([self.functions[callee].function.name.as_str()])
            } else {
                unknown.extend(self.changes.unknown(callee))
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

    /// Whether one of the functions `names`, of which nothing is known, may change `target`.
    fn some_unknown_may_change<'n>(
        &self,
        here: FunctionIndex,
        names: impl Iterator<Item = &'n str>,
        target: &Target,
    ) -> Touch {
        let names: BTreeSet<&str> = names.collect();
        let each = names
            .into_iter()
            .map(|name| self.unknown_may_change(here, Some(name), &[], target));
        each.max().unwrap_or(Touch::Leaves)
    }

    /// What a function outside the map, given `args`, may change: anything that it can name or reach. That it does so to a
    /// variable whose address nobody takes would need a declaration of it in source that the map has not seen, or a
    /// call back; that is assumed not to be. One behind a pointer has no name.
    fn unknown_may_change(
        &self,
        here: FunctionIndex,
        name: Option<&str>,
        args: &[ExprId],
        target: &Target,
    ) -> Touch {
        let info = &self.functions[here];
        if let Some(name) = name.filter(|name| is_library(name)) {
            return match target {
                Target::Member(path) if library_writes(info.function, name, args, path) => {
                    Touch::May(Interference::WrittenOver {
                        function: name.to_owned(),
                    })
                }
                _ => Touch::Leaves,
            };
        }
        let outsider = || match name {
            Some(name) => Outsider::Named(name.to_owned()),
            None => Outsider::BehindPointer,
        };
        let assumed = || Touch::Assumed(Interference::UnmappedLeaves(outsider()));
        match target {
            Target::Local(_) => Touch::Leaves,
            Target::Global(global) => {
                let is_static = self.units[info.unit]
                    .globals
                    .iter()
                    .any(|each| each.name == *global && each.is_static);
                let others: Vec<(FunctionIndex, &FunctionInfo<'_>)> = self
                    .changes
                    .changers(global)
                    .iter()
                    .map(|&id| (id, &self.functions[id]))
                    .filter(|&(id, other)| id != here && (!is_static || other.unit == info.unit))
                    .collect();
                let called_back = others.iter().find(|(id, _)| self.through_pointer.contains(id));
                if let Some((_, other)) = called_back {
                    return Touch::May(Interference::CallsBack {
                        outsider: outsider(),
                        function: other.function.name.to_string(),
                    });
                }
                let alone = is_static && others.iter().all(|(_, other)| other.function.is_static);
                if alone { Touch::Leaves } else { assumed() }
            }
            Target::Member(path) => {
                // Whoever is given the structure, or the address of a part of it, is free to write to it.
                if args.iter().any(|&arg| gives(info.function, arg, &path.root)) {
                    Touch::May(Interference::Unmapped(outsider()))
                } else {
                    assumed()
                }
            }
            Target::Memory => Touch::May(Interference::Unmapped(outsider())),
        }
    }

    /// Finds the members and globals whose address is taken, and by whom.
    fn collect_addresses(&mut self) {
        let all = self.functions.as_slice().par_iter();
        let taken: Vec<Taken<'u>> = all.map(|info| self.addresses_taken(info)).collect();
        for (id, taken) in self.functions.ids().zip(taken) {
            self.exposed_members.extend(taken.members);
            self.exposed_globals.extend(taken.globals);
            for (call, global, index) in taken.given {
                let given = self.given_globals.entry((id, call)).or_default();
                given.push((global, index));
            }
        }
    }

    fn addresses_taken(&self, info: &FunctionInfo<'u>) -> Taken<'u> {
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
                if summary::of_library(name, index) != Effect::Keeps && !self.is_known(info.unit, name) {
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

    /// Whether what stands at a point, without what is called there, may change a member of this name whose address nobody takes.
    pub fn changes_member(&self, id: FunctionIndex, point: PointId, member: &str) -> bool {
        let changes = self.changes_at(id, &self.functions[id], point);
        changes.iter().any(|change| match change {
            Change::Member(name) => *name == member,
            Change::Whole => true,
            Change::Global(..) | Change::BehindPointer | Change::Unknown(_) => false,
        })
    }

    /// What a function changes itself, in order.
    fn own_changes(&self, id: FunctionIndex, info: &FunctionInfo<'u>) -> Vec<Change<'u>> {
        let points = info.flow.points.ids();
        points
            .flat_map(|point| self.changes_at(id, info, point))
            .collect()
    }

    /// What is changed at one point, but for what functions of the program change that it calls.
    fn changes_at(&self, id: FunctionIndex, info: &FunctionInfo<'u>, point: PointId) -> Vec<Change<'u>> {
        let mut found = Vec::new();
        let function = info.function;
        // In C++ a name that nothing declares may be a member's or a global's.
        let either = function.language.is_cxx();
        match &info.flow.points[point].action {
            Action::Assign {
                target: Target::Local(_),
                ..
            } => {}
            Action::Assign { by, .. } => match written(function, *by) {
                Some(ExprKind::Deref(_) | ExprKind::Index { .. }) if self.copies_structure(info, *by) => {
                    found.push(Change::Whole);
                }
                Some(ExprKind::Var(VarRef::Global(name))) => {
                    found.push(Change::Global(name, point));
                    if either {
                        found.push(Change::Member(name));
                    }
                }
                Some(ExprKind::Field { name, .. }) => {
                    found.push(Change::Member(name));
                    if either {
                        found.push(Change::Global(name, point));
                    }
                }
                _ => {}
            },
            Action::Call(call) => {
                let given = self.given_globals(id, *call).iter();
                found.extend(given.map(|&(name, _)| Change::Global(name, point)));
                if fills_structure(function, *call) {
                    found.push(Change::Whole);
                }
                if let ExprKind::Call { callee, .. } = &function.exprs[*call].kind {
                    match callee {
                        Callee::Named(name) if !self.is_known(info.unit, name) && !is_library(name) => {
                            found.push(Change::Unknown(name));
                        }
                        Callee::Named(_) => {}
                        Callee::Macro(called) => found.push(Change::Unknown(called.name.as_str())),
                        Callee::Indirect(_) => {
                            found.push(Change::BehindPointer);
                            found.push(Change::Unknown("a function behind a pointer"));
                        }
                    }
                }
            }
            _ => {}
        }
        found
    }

    /// Whether an assignment through a pointer or a subscript sets a whole structure, as far as that shows: by what is assigned
    /// to, or by the value.
    fn copies_structure(&self, info: &FunctionInfo<'_>, by: ExprId) -> bool {
        let ExprKind::Assign {
            op: None,
            target,
            value,
        } = info.function.exprs[by].kind
        else {
            return false;
        };
        self.is_of_structures(info, target) || self.is_structure(info, value)
    }

    /// Whether the value of an expression is a structure.
    fn is_structure(&self, info: &FunctionInfo<'_>, value: ExprId) -> bool {
        match &info.function.exprs[value].kind {
            ExprKind::List(_) => true,
            ExprKind::Var(VarRef::Local(local)) => info.function.locals[*local].ty == Type::Aggregate,
            ExprKind::Var(VarRef::Global(name)) => {
                let mut globals = self.units.iter().flat_map(|unit| &unit.globals);
                globals.any(|global| global.ty == Type::Aggregate && global.name == *name)
            }
            ExprKind::Call {
                callee: Callee::Named(name),
                ..
            } => {
                let mut callees = self.callees(info.unit, name);
                callees.any(|callee| self.functions[callee].function.returns == Type::Aggregate)
            }
            ExprKind::Deref(_) | ExprKind::Index { .. } => self.is_of_structures(info, value),
            ExprKind::Field { name, .. } => self.members(name).any(|member| member.ty == Type::Aggregate),
            _ => false,
        }
    }

    /// Whether a pointer that is followed, or a subscript, leads to a structure.
    fn is_of_structures(&self, info: &FunctionInfo<'_>, element: ExprId) -> bool {
        let mut at = match info.function.exprs[element].kind {
            ExprKind::Deref(base) | ExprKind::Index { base, .. } => base,
            _ => return false,
        };
        loop {
            at = match &info.function.exprs[at].kind {
                ExprKind::Var(VarRef::Local(local)) => return info.function.locals[*local].of_structures,
                ExprKind::Var(VarRef::Global(name)) => {
                    let mut globals = self.units.iter().flat_map(|unit| &unit.globals);
                    return globals.any(|global| global.of_structures && global.name == *name);
                }
                ExprKind::Field { name, .. } => return self.members(name).any(|member| member.of_structures),
                ExprKind::AddressOf(inner) => return self.is_structure(info, *inner),
                ExprKind::Cast(_, inner) | ExprKind::Binary(BinaryOp::Add | BinaryOp::Sub, inner, _) => {
                    *inner
                }
                ExprKind::Step { target, .. } => *target,
                _ => return false,
            };
        }
    }

    fn collect_changes(&mut self) {
        let all = self.functions.as_slice().par_iter().enumerate();
        let own = all.map(|(index, info)| self.own_changes(FunctionIndex::from_index(index), info));
        let own: Vec<Vec<Change<'u>>> = own.collect();
        for (id, own) in self.functions.ids().zip(own) {
            for change in own {
                match change {
                    Change::Global(name, point) => {
                        self.changes.add_global(id, name);
                        self.assignments.entry(name).or_default().push((id, point));
                    }
                    Change::Member(name) => self.changes.add_member(id, name),
                    Change::Whole => self.changes.add_whole(id),
                    Change::BehindPointer => self.changes.add_behind_pointer(id),
                    Change::Unknown(name) => self.changes.add_unknown(id, name),
                }
            }
        }
        let behind_pointers: BTreeSet<FunctionIndex> = self.behind_pointers().collect();
        self.changes
            .close(&self.calls, &self.call_graph, &behind_pointers);
        let globals = 0..self.changes.global_count();
        self.global_effects = globals.map(|_| OnceLock::new()).collect();
    }
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

/// Something outside its own variables that a function changes itself.
enum Change<'u> {
    /// A global of this name, at this point.
    Global(&'u str, PointId),
    /// A member of this name.
    Member(&'u str),
    /// All members of some structure.
    Whole,
    /// What functions change that a pointer may lead to.
    BehindPointer,
    /// Whatever this changes that it calls, of which nothing is known.
    Unknown(&'u str),
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
pub fn library_writes(function: &Function, name: &str, args: &[ExprId], path: &MemberPath) -> bool {
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

/// Whether a call fills one object, whose size the program asks of the compiler: `memset(p, 0, sizeof *p)`.
fn fills_structure(function: &Function, call: ExprId) -> bool {
    let Some((name, [_, _, size])) = function.named_call(call) else {
        return false;
    };
    matches!(name, "memset" | "memcpy" | "memmove") && function.exprs[*size].kind == ExprKind::Constant
}

/// What an assignment writes.
fn written(function: &Function, by: ExprId) -> Option<&ExprKind> {
    match function.exprs[by].kind {
        ExprKind::Assign { target, .. } | ExprKind::Step { target, .. } => Some(&function.exprs[target].kind),
        _ => None,
    }
}
