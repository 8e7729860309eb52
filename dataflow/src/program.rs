//! All functions together: who calls whom, and what a call may change.

use crate::control::Control;
use crate::definitions::Definitions;
use crate::effects::Target;
use crate::flow::{Action, Flow};
use crate::library::is_library;
use crate::loops::Loops;
use base::{IdVec, define_id};
use ir::{Callee, ExprId, ExprKind, Function, Member, Unit, VarRef};
use progress_map::PointId;
use std::collections::{BTreeMap, BTreeSet};

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
    by_name: BTreeMap<&'u str, Vec<FunctionIndex>>,
    /// Calls of each function by name, with the caller's point and call expression.
    callers: IdVec<FunctionIndex, Vec<(FunctionIndex, PointId, ExprId)>>,
    /// Functions that a pointer may lead to.
    through_pointer: BTreeSet<FunctionIndex>,
    /// What each function may change, its callees included.
    changes: IdVec<FunctionIndex, Changes<'u>>,
    /// Members whose address is taken somewhere: any store may change them.
    exposed_members: BTreeSet<&'u str>,
    /// The members of all structures, by name.
    members: BTreeMap<&'u str, BTreeSet<&'u Member>>,
    /// Globals whose address is taken somewhere.
    exposed_globals: BTreeSet<&'u str>,
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

/// What a function, with everything that it calls, may change outside its own variables.
#[derive(Clone, Debug, Default)]
struct Changes<'u> {
    globals: BTreeSet<&'u str>,
    members: BTreeSet<&'u str>,
    /// It writes through a pointer or subscript that names no member.
    memory: bool,
    /// It calls something that is neither in the map nor in the table of library functions.
    unknown: Option<&'u str>,
}

impl<'u> Program<'u> {
    /// Puts functions together into a program. `functions` are those of `units`, by unit and in source order.
    pub fn new(units: &'u [Unit], functions: IdVec<FunctionIndex, FunctionInfo<'u>>) -> Self {
        let mut by_name: BTreeMap<&str, Vec<FunctionIndex>> = BTreeMap::new();
        for (id, info) in functions.iter_enumerated() {
            by_name.entry(&info.function.name).or_default().push(id);
        }
        let mut program = Program {
            units,
            callers: functions.iter().map(|_| Vec::new()).collect(),
            changes: functions.iter().map(|_| Changes::default()).collect(),
            functions,
            by_name,
            through_pointer: BTreeSet::new(),
            exposed_members: BTreeSet::new(),
            members: BTreeMap::new(),
            exposed_globals: BTreeSet::new(),
            assignments: BTreeMap::new(),
        };
        for unit in units {
            for name in &unit.address_taken_functions {
                program
                    .through_pointer
                    .extend(program.by_name.get(name.as_str()).into_iter().flatten());
            }
            for member in &unit.members {
                program.members.entry(&member.name).or_default().insert(member);
            }
            let globals = unit.globals.iter().filter(|global| global.address_taken);
            program
                .exposed_globals
                .extend(globals.map(|global| global.name.as_str()));
        }
        program.collect_calls();
        program.collect_changes();
        program
    }

    /// The functions that a call by name from `unit` may mean: one of the same file first, else any of other files
    /// that is not `static`.
    pub fn callees(&self, unit: usize, name: &str) -> Vec<FunctionIndex> {
        let all = self.by_name.get(name).map_or(&[][..], Vec::as_slice);
        let here: Vec<_> = all
            .iter()
            .copied()
            .filter(|&id| self.functions[id].unit == unit)
            .collect();
        if !here.is_empty() {
            return here;
        }
        all.iter()
            .copied()
            .filter(|&id| !self.functions[id].function.is_static)
            .collect()
    }

    /// The calls of a function by name.
    pub fn callers(&self, id: FunctionIndex) -> &[(FunctionIndex, PointId, ExprId)] {
        &self.callers[id]
    }

    /// Whether a pointer may lead to the function.
    pub fn is_called_through_pointer(&self, id: FunctionIndex) -> bool {
        self.through_pointer.contains(&id)
    }

    /// Where a global of this name is assigned.
    pub fn assignments(&self, global: &str) -> &[(FunctionIndex, PointId)] {
        self.assignments.get(global).map_or(&[], Vec::as_slice)
    }

    /// Whether the address of a global is taken anywhere.
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

    /// Why the call at `point` may change what `target` names, if it may.
    pub fn may_change(&self, id: FunctionIndex, point: PointId, target: &Target) -> Option<String> {
        let info = &self.functions[id];
        let Action::Call(call) = info.flow.points[point].action else {
            return None;
        };
        let ExprKind::Call { callee, .. } = &info.function.exprs[call].kind else {
            return None;
        };
        match callee {
            Callee::Named(name) => {
                let callees = self.callees(info.unit, name);
                if callees.is_empty() {
                    return self.unknown_may_change(id, name, target);
                }
                callees
                    .into_iter()
                    .find_map(|callee| self.function_may_change(id, callee, target))
            }
            Callee::Macro(name) => Some(format!(
                "the macro {name} could not be expanded and may change it"
            )),
            Callee::Indirect(_) => self
                .through_pointer
                .iter()
                .find_map(|&callee| self.function_may_change(id, callee, target))
                .or_else(|| self.unknown_may_change(id, "a function behind a pointer", target)),
        }
    }

    fn function_may_change(
        &self,
        here: FunctionIndex,
        callee: FunctionIndex,
        target: &Target,
    ) -> Option<String> {
        let changes = &self.changes[callee];
        let name = &self.functions[callee].function.name;
        let direct = match target {
            Target::Local(_) => false,
            Target::Global(global) => changes.globals.contains(global.as_str()),
            Target::Member { member, .. } => changes.members.contains(member.as_str()),
            Target::Memory => true,
        };
        if direct {
            return Some(format!("{name}() may change it"));
        }
        changes
            .unknown
            .and_then(|unknown| self.unknown_may_change(here, unknown, target))
    }

    /// What a function outside the map may change: a `static` global only by calling back into this file.
    fn unknown_may_change(&self, here: FunctionIndex, name: &str, target: &Target) -> Option<String> {
        if is_library(name) {
            return None;
        }
        let safe = match target {
            Target::Local(_) => true,
            Target::Global(global) => {
                let unit = self.functions[here].unit;
                let is_static = self.units[unit]
                    .globals
                    .iter()
                    .any(|each| each.name == *global && each.is_static);
                let others_change_it = self.functions.iter_enumerated().any(|(id, info)| {
                    id != here
                        && info.unit == unit
                        && (!info.function.is_static || self.through_pointer.contains(&id))
                        && self.changes[id].globals.contains(global.as_str())
                });
                is_static && !others_change_it
            }
            Target::Member { .. } | Target::Memory => false,
        };
        (!safe).then(|| format!("{name}() is not in the map and may change it"))
    }

    fn collect_calls(&mut self) {
        for (caller, info) in self.functions.iter_enumerated() {
            for (point, each) in info.flow.points.iter_enumerated() {
                if let Action::Call(call) = each.action
                    && let ExprKind::Call {
                        callee: Callee::Named(name),
                        ..
                    } = &info.function.exprs[call].kind
                {
                    for callee in self.callees(info.unit, name) {
                        self.callers[callee].push((caller, point, call));
                    }
                }
            }
        }
    }

    fn collect_changes(&mut self) {
        for (id, info) in self.functions.iter_enumerated() {
            let mut changes = Changes::default();
            for (point, each) in info.flow.points.iter_enumerated() {
                match &each.action {
                    Action::Assign {
                        target: Target::Local(_),
                        ..
                    } => {}
                    Action::Assign { by, .. } => match written(info.function, *by) {
                        Some(ExprKind::Var(VarRef::Global(name))) => {
                            changes.globals.insert(name);
                            self.assignments.entry(name).or_default().push((id, point));
                        }
                        Some(ExprKind::Field { name, .. }) => drop(changes.members.insert(name)),
                        _ => changes.memory = true,
                    },
                    Action::Call(call) => {
                        if let ExprKind::Call { callee, .. } = &info.function.exprs[*call].kind {
                            match callee {
                                Callee::Named(name)
                                    if self.callees(info.unit, name).is_empty() && !is_library(name) =>
                                {
                                    changes.unknown.get_or_insert(name);
                                }
                                Callee::Named(_) => {}
                                Callee::Macro(name) => drop(changes.unknown.get_or_insert(name)),
                                Callee::Indirect(_) => {
                                    changes.unknown.get_or_insert("a function behind a pointer");
                                }
                            }
                        }
                    }
                    _ => {}
                }
            }
            for expr in &info.function.exprs {
                let ExprKind::AddressOf(inner) = expr.kind else {
                    continue;
                };
                match &info.function.exprs[inner].kind {
                    ExprKind::Field { name, .. } => drop(self.exposed_members.insert(name)),
                    ExprKind::Var(VarRef::Global(name)) => drop(self.exposed_globals.insert(name)),
                    _ => {}
                }
            }
            self.changes[id] = changes;
        }
        self.close_changes();
    }

    /// Adds what callees change to what their callers change, until nothing is added.
    fn close_changes(&mut self) {
        let mut work: BTreeSet<FunctionIndex> = self.functions.ids().collect();
        while let Some(callee) = work.pop_first() {
            let changes = self.changes[callee].clone();
            for (caller, ..) in self.callers[callee].clone() {
                let into = &mut self.changes[caller];
                let before = (
                    into.globals.len(),
                    into.members.len(),
                    into.memory,
                    into.unknown.is_some(),
                );
                into.globals.extend(changes.globals.iter().copied());
                into.members.extend(changes.members.iter().copied());
                into.memory |= changes.memory;
                into.unknown = into.unknown.or(changes.unknown);
                if before
                    != (
                        into.globals.len(),
                        into.members.len(),
                        into.memory,
                        into.unknown.is_some(),
                    )
                {
                    work.insert(caller);
                }
            }
        }
    }
}

/// What an assignment writes.
fn written(function: &Function, by: ExprId) -> Option<&ExprKind> {
    match function.exprs[by].kind {
        ExprKind::Assign { target, .. } | ExprKind::Step { target, .. } => Some(&function.exprs[target].kind),
        _ => None,
    }
}
