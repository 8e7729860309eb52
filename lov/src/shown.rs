//! Who is shown the address of a variable, or of what it leads to.
//!
//! A compiler that sees everybody who knows an object may keep a counter in it in a register for the length of a loop, past calls
//! of functions that it does not see into: clang stores it behind the loop, gcc nowhere if nobody reads it any more. Debug info goes on giving the place
//! in memory. So `bind` believes such memory only where somebody knows the object whom the compiler does not see:
//!
//! - the caller of the function, who has handed it in: a parameter that nobody assigns to, and whose own address is not taken;
//! - a function of MPI that gets an address in it;
//! - a function of the program that gets one, and for which one of the two holds.
//!
//! A pointer that is assigned to twice may lead to another object at the call: nothing is
//! said of it. Nor of overloaded callees, calls through pointers, and what is stored somewhere to be found by others.

use crate::handed::storage;
use base::Confidence;
use base::Id as _;
use dataflow::{Action, FunctionIndex, FunctionInfo, Program};
use ir::{BinaryOp, ExprId, ExprKind, Function, LocalId, Receiver, Type, VarRef};
use progress_map::{Function as Mapped, FunctionId, Map, PointId, Shown, Storage, Term};
use std::collections::{BTreeMap, BTreeSet};

/// One address that a function passes to somebody else, or has been given.
pub(crate) struct Candidate {
    point: PointId,
    variable: Storage,
    to: Option<(FunctionIndex, Storage)>,
}

/// The addresses that a function passes on, each with the callee.
pub(crate) fn candidates(program: &Program<'_>, info: &FunctionInfo<'_>) -> Vec<Candidate> {
    let function = info.function;
    if function.confidence == Confidence::Partial || info.flow.distrust.is_some() {
        return Vec::new();
    }
    let mut found = Vec::new();
    let handed_in = function.locals.iter_enumerated().filter(|&(id, local)| {
        let is_parameter = id.index() < function.params;
        // gcc takes the object that a constructor makes for one that nobody else knows yet.
        let is_this = local.name == ir::THIS && !function.is_constructor();
        local.ty == Type::Pointer && (is_parameter || is_this) && is_never_assigned(info, id)
    });
    for (id, _) in handed_in {
        found.push(Candidate {
            point: info.flow.entry(),
            variable: storage(function, id),
            to: None,
        });
    }
    for (point, each) in info.flow.points.iter_enumerated() {
        if let Action::Call(call) = each.action {
            by_call(program, info, (point, call), &mut found);
        }
    }
    found
}

fn by_call(
    program: &Program<'_>,
    info: &FunctionInfo<'_>,
    (point, call): (PointId, ExprId),
    found: &mut Vec<Candidate>,
) {
    let function = info.function;
    let Some((name, args)) = function.named_call(call) else {
        return;
    };
    let mut show = |local: LocalId, to: Option<(FunctionIndex, LocalId)>| {
        if leads_to_one_object(info, local) {
            let parameter = |(callee, parameter): (FunctionIndex, LocalId)| {
                (callee, storage(program.functions[callee].function, parameter))
            };
            found.push(Candidate {
                point,
                variable: storage(function, local),
                to: to.map(parameter),
            });
        }
    };
    let mut callees = program.callees(info.unit, name);
    let Some(callee) = callees.next() else {
        if base::is_mpi(name) {
            let shown = args.iter().filter_map(|&arg| address(program, function, arg));
            shown.for_each(|local| show(local, None));
        }
        return;
    };
    if callees.next().is_some() {
        return;
    }
    let there = program.functions[callee].function;
    for (index, &arg) in args.iter().enumerate().take(there.params) {
        let parameter = LocalId::from_index(index);
        if there.locals[parameter].ty != Type::Pointer {
            continue;
        }
        // A parameter that is a reference is shown the object that stands there.
        let object = || {
            there
                .language
                .is_cxx()
                .then(|| inside(program, function, arg))
                .flatten()
        };
        if let Some(local) = address(program, function, arg).or_else(object) {
            show(local, Some((callee, parameter)));
        }
    }
    if let Some(this) = dataflow::this(there) {
        let object = match function.receivers.get(&call) {
            Some(&Receiver::At(object)) => {
                address(program, function, object).or_else(|| inside(program, function, object))
            }
            Some(Receiver::This) => dataflow::this(function),
            None => None,
        };
        if let Some(local) = object {
            show(local, Some((callee, this)));
        }
    }
}

/// Whether a parameter leads to the same object as long as its function lasts.
pub(crate) fn is_never_assigned(info: &FunctionInfo<'_>, local: LocalId) -> bool {
    is_reference(info.function, local)
        || info.definitions.of(local).is_empty() && !info.definitions.escaped(local)
}

/// Whether a variable that is an address is a reference, whose members are named like those of an object. It stands for one object, and its own address
/// cannot be taken.
fn is_reference(function: &Function, local: LocalId) -> bool {
    let is_itself = |base: ExprId| {
        let base = function.object(base);
        function.exprs[base].kind == ExprKind::Var(VarRef::Local(local))
    };
    function.language.is_cxx()
        && function.locals[local].ty == Type::Pointer
        && function
            .exprs
            .iter()
            .any(|expr| matches!(expr.kind, ExprKind::Field { base, arrow: false, .. } if is_itself(base)))
}

/// Whether the variable is an object itself, or leads to the same one wherever it leads to any.
pub(crate) fn leads_to_one_object(info: &FunctionInfo<'_>, id: LocalId) -> bool {
    let local = &info.function.locals[id];
    let is_handed_in = id.index() < info.function.params || local.name == ir::THIS;
    let most = if is_handed_in { 0 } else { 1 };
    !local.is_static
        && (local.ty != Type::Pointer
            || is_reference(info.function, id)
            || info.definitions.of(id).len() <= most && !info.definitions.escaped(id))
}

/// The variable into whose object an address leads: a variable itself, or what a pointer leads to.
fn address(program: &Program<'_>, function: &Function, id: ExprId) -> Option<LocalId> {
    match function.exprs[id].kind {
        ExprKind::Cast(_, inner) | ExprKind::Comma(_, inner) => address(program, function, inner),
        ExprKind::Binary(BinaryOp::Add | BinaryOp::Sub, a, b) => {
            address(program, function, a).or_else(|| address(program, function, b))
        }
        ExprKind::AddressOf(inner) => inside(program, function, inner),
        ExprKind::Var(VarRef::Local(local)) => {
            matches!(function.locals[local].ty, Type::Pointer | Type::Array).then_some(local)
        }
        // An array within the object stands for the address of its first element.
        ExprKind::Field { ref name, .. } => {
            let mut members = program.members(name).peekable();
            let is_array = members.peek().is_some() && members.all(|member| member.ty == Type::Array);
            is_array.then(|| inside(program, function, id)).flatten()
        }
        _ => None,
    }
}

/// The variable that an expression is a part of, or of whose object.
fn inside(program: &Program<'_>, function: &Function, id: ExprId) -> Option<LocalId> {
    match function.exprs[id].kind {
        // `&p` is the address of the pointer, and of a reference that of what it stands for: they look alike here.
        ExprKind::Var(VarRef::Local(local)) => (function.locals[local].ty != Type::Pointer).then_some(local),
        ExprKind::Field { base, arrow, .. } => {
            let base = function.object(base);
            match function.exprs[base].kind {
                // What a pointer leads to, what a reference stands for, or the structure itself.
                ExprKind::Var(VarRef::Local(local)) => Some(local),
                _ if arrow => address(program, function, base),
                _ => inside(program, function, base),
            }
        }
        ExprKind::Index { base, .. } | ExprKind::Deref(base) => address(program, function, base),
        _ => None,
    }
}

/// A local variable of a function of the map.
type Variable = (FunctionId, Storage);

/// The rows that concern a variable which the order, or the arguments of MPI calls, need. `map` is complete except for these rows.
pub(crate) fn of_wanted(
    map: &Map,
    all: impl Iterator<Item = (FunctionId, Vec<Candidate>)>,
    ids: &BTreeMap<FunctionIndex, FunctionId>,
) -> Vec<Shown> {
    let mut rows: Vec<Shown> = Vec::new();
    for (function, candidates) in all {
        for candidate in candidates {
            let to = match candidate.to {
                None => None,
                Some((callee, parameter)) => match ids.get(&callee) {
                    Some(&callee) => Some((callee, parameter)),
                    None => continue,
                },
            };
            rows.push(Shown {
                function,
                point: candidate.point,
                variable: candidate.variable,
                to,
            });
        }
    }
    rows.sort();
    rows.dedup();
    // The variables that may lead to the same object as one that is needed.
    let mut beside: BTreeMap<Variable, Vec<Variable>> = BTreeMap::new();
    for row in &rows {
        if let Some(to) = &row.to {
            let from = (row.function, row.variable.clone());
            beside.entry(from.clone()).or_default().push(to.clone());
            beside.entry(to.clone()).or_default().push(from);
        }
    }
    let mut wanted: BTreeSet<Variable> = BTreeSet::new();
    let mut work = roots(map);
    while let Some(variable) = work.pop() {
        if wanted.insert(variable.clone()) {
            work.extend(beside.get(&variable).into_iter().flatten().cloned());
        }
    }
    rows.retain(|row| wanted.contains(&(row.function, row.variable.clone())));
    rows
}

/// The local variables that lead to what the order and calls of MPI ask for.
fn roots(map: &Map) -> Vec<Variable> {
    let of_function = |function: &Mapped| {
        let lovs = function.loops.iter().flat_map(|in_loop| &in_loop.lovs);
        let storages = lovs.flat_map(|lov| {
            let terms = [&lov.start, &lov.step].into_iter().flatten();
            let terms = terms.flat_map(Term::variables).map(|(_, storage)| storage);
            std::iter::once(&lov.storage).chain(terms)
        });
        Vec::from_iter(storages.filter_map(Storage::local_root).cloned())
    };
    let mut found = Vec::new();
    for (id, function) in map.functions.iter_enumerated() {
        found.extend(of_function(function).into_iter().map(|root| (id, root)));
    }
    for call in &map.mpi_calls {
        let terms = call
            .arguments
            .iter()
            .filter_map(|argument| argument.term.as_ref());
        let storages = terms.flat_map(Term::variables).map(|(_, storage)| storage);
        found.extend(
            storages
                .filter_map(Storage::local_root)
                .map(|root| (call.function, root.clone())),
        );
    }
    found
}
