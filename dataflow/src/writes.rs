//! What functions write themselves outside their own variables, and by that what they change with all that they call.

use crate::changes::AllChanges;
use crate::effects::Target;
use crate::external::is_library;
use crate::flow::Action;
use crate::program::{FunctionIndex, FunctionInfo, Program};
use crate::summary::Effect;
use base::Id as _;
use ir::{BinaryOp, Callee, ExprId, ExprKind, Function, Type, VarRef};
use progress_map::{Outsider, PointId};
use rayon::prelude::*;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::OnceLock;

/// What the functions of a program write.
#[derive(Default)]
pub(crate) struct Writes<'u> {
    /// What each function may change, its callees included.
    pub changes: AllChanges<'u>,
    /// Where each global is assigned, by name.
    pub assignments: BTreeMap<&'u str, Vec<(FunctionIndex, PointId)>>,
    /// What functions do to globals, by the global's number: worked out when asked for.
    pub global_effects: Vec<OnceLock<BTreeMap<FunctionIndex, Effect>>>,
}

/// Something outside its own variables that a function changes itself.
enum Change<'u> {
    /// A global of this name, at this point.
    Global(&'u str, PointId),
    /// A member of this name.
    Member(&'u str),
    /// All members of some structure.
    Whole,
    /// It calls through a pointer: whatever a function whose address is taken changes.
    BehindPointer,
    /// It calls this, of which nothing is known: whatever that may change.
    Unknown(Outsider<&'u str>),
}

impl<'u> Program<'u> {
    /// What all functions write. Who calls whom, and whose address is taken, must be known.
    pub(crate) fn all_writes(&self) -> Writes<'u> {
        let all = self.functions.as_slice().par_iter().enumerate();
        let own = all.map(|(index, info)| self.own_changes(FunctionIndex::from_index(index), info));
        let own: Vec<Vec<Change<'u>>> = own.collect();
        let mut changes = AllChanges::new(self.functions.len());
        let mut assignments: BTreeMap<&str, Vec<(FunctionIndex, PointId)>> = BTreeMap::new();
        for (id, own) in self.functions.ids().zip(own) {
            for change in own {
                match change {
                    Change::Global(name, point) => {
                        changes.add_global(id, name);
                        assignments.entry(name).or_default().push((id, point));
                    }
                    Change::Member(name) => changes.add_member(id, name),
                    Change::Whole => changes.add_whole(id),
                    Change::BehindPointer => changes.add_behind_pointer(id),
                    Change::Unknown(outsider) => changes.add_unknown(id, outsider),
                }
            }
        }
        let behind_pointers: BTreeSet<FunctionIndex> = self.behind_pointers().collect();
        changes.close(&self.calls, &self.call_graph, &behind_pointers);
        let globals = 0..changes.global_count();
        Writes {
            global_effects: globals.map(|_| OnceLock::new()).collect(),
            changes,
            assignments,
        }
    }

    /// Whether the code at a point, apart from the functions that it calls, may change a member of this name whose address is never taken.
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
                Some(ExprKind::Deref(_) | ExprKind::Index { .. }) => {
                    if let Some(target) = self.copied_structure(info, *by) {
                        match self.members_of_assigned(info, target) {
                            Some(members) => found.extend(members.into_iter().map(Change::Member)),
                            None => found.push(Change::Whole),
                        }
                    }
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
                            found.push(Change::Unknown(Outsider::Named(name)));
                        }
                        Callee::Named(_) => {}
                        Callee::Macro(called) => {
                            found.push(Change::Unknown(Outsider::Named(called.name.as_str())))
                        }
                        Callee::Indirect(_) => {
                            found.push(Change::BehindPointer);
                            found.push(Change::Unknown(Outsider::BehindPointer));
                        }
                    }
                }
            }
            _ => {}
        }
        found
    }

    /// What an assignment through a pointer or a subscript is to, if it sets a whole structure, as far as that shows: by what is assigned
    /// to, or by the value.
    fn copied_structure(&self, info: &FunctionInfo<'_>, by: ExprId) -> Option<ExprId> {
        let ExprKind::Assign {
            op: None,
            target,
            value,
        } = info.function.exprs[by].kind
        else {
            return None;
        };
        (self.is_of_structures(info, target) || self.is_structure(info, value)).then_some(target)
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
}

/// Whether a call fills one object, whose size the program asks of the compiler: `memset(p, 0, sizeof *p)`.
fn fills_structure(function: &Function, call: ExprId) -> bool {
    let Some((name, [_, _, size])) = function.named_call(call) else {
        return false;
    };
    library::function(name).is_some_and(|row| row.fills) && function.exprs[*size].kind == ExprKind::Constant
}

/// What an assignment writes.
pub(crate) fn written(function: &Function, by: ExprId) -> Option<&ExprKind> {
    match function.exprs[by].kind {
        ExprKind::Assign { target, .. } | ExprKind::Step { target, .. } => Some(&function.exprs[target].kind),
        _ => None,
    }
}
