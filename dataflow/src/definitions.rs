//! Which assignments of a local variable reach a point.
//!
//! Only variables whose every change is visible are tracked: one whose address escapes may change behind our back. An
//! address passed to a library function that writes and forgets it (`MPI_Comm_rank(comm, &rank)`) is a definition at
//! that call.

use crate::effects::{Target, children};
use crate::flow::{Action, Flow};
use crate::library::writes_through;
use base::IdVec;
use ir::{Callee, ExprId, ExprKind, Function, LocalId, Type, VarRef};
use progress_map::PointId;

/// The definitions of every local variable of a function.
#[derive(Clone, Debug)]
pub struct Definitions {
    escaped: IdVec<LocalId, bool>,
    points: IdVec<LocalId, Vec<PointId>>,
}

/// The definitions of one variable that reach one point.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Reaching {
    /// Points that define it, sorted.
    pub points: Vec<PointId>,
    /// The value on entry (an argument, or nothing) reaches too.
    pub entry: bool,
}

impl Definitions {
    /// Collects the definitions of `function`.
    pub fn new(function: &Function, flow: &Flow) -> Self {
        let mut found = Definitions {
            escaped: function
                .locals
                .iter()
                .map(|local| local.ty == Type::Array || local.is_static && local.address_taken)
                .collect(),
            points: function.locals.iter().map(|_| Vec::new()).collect(),
        };
        for (id, point) in flow.points.iter_enumerated() {
            match &point.action {
                Action::Assign {
                    target: Target::Local(local),
                    ..
                } => found.points[*local].push(id),
                Action::Call(call) => {
                    for (local, _) in written_by_call(function, *call) {
                        found.points[local].push(id);
                    }
                }
                _ => {}
            }
        }
        for (id, expr) in function.exprs.iter_enumerated() {
            if let ExprKind::Call {
                callee: Callee::Macro(name),
                args,
            } = &expr.kind
                && !only_reads(name)
            {
                // `NEXT(i)` may assign its argument; what is no variable (`i + 1`) it cannot.
                for &arg in args {
                    if let ExprKind::Var(VarRef::Local(local)) = function.exprs[arg].kind {
                        found.escaped[local] = true;
                    }
                }
            }
            // An address is harmless only as the direct argument of a call that is a definition.
            let kept = match &expr.kind {
                ExprKind::Call { .. } => written_by_call(function, id)
                    .into_iter()
                    .map(|(_, arg)| arg)
                    .collect(),
                ExprKind::AddressOf(_) => continue,
                _ => Vec::new(),
            };
            for child in children(expr) {
                if !kept.contains(&child)
                    && let Some(local) = address_of(function, child)
                {
                    found.escaped[local] = true;
                }
            }
        }
        found
    }

    /// Whether the variable may change where no definition shows.
    pub fn escaped(&self, local: LocalId) -> bool {
        self.escaped[local]
    }

    /// The points that define it, in order.
    pub fn of(&self, local: LocalId) -> &[PointId] {
        &self.points[local]
    }

    /// The definitions of `local` that reach the start of `at`, by paths inside `within` only (a sorted list of
    /// points), or anywhere when `None`.
    pub fn reaching(&self, flow: &Flow, local: LocalId, at: PointId, within: Option<&[PointId]>) -> Reaching {
        let mut reaching = Reaching::default();
        let mut seen: IdVec<PointId, bool> = flow.points.iter().map(|_| false).collect();
        let mut work = vec![at];
        while let Some(point) = work.pop() {
            if point == flow.entry() {
                reaching.entry = true;
            }
            for &pred in &flow.preds[point] {
                let inside = within.is_none_or(|points| points.binary_search(&pred).is_ok());
                if !inside || !flow.reachable[pred] || std::mem::replace(&mut seen[pred], true) {
                    continue;
                }
                if self.points[local].binary_search(&pred).is_ok() {
                    reaching.points.push(pred);
                } else {
                    work.push(pred);
                }
            }
        }
        reaching.points.sort_unstable();
        reaching
    }
}

/// Macros of well-known headers that read their arguments and no more.
fn only_reads(name: &str) -> bool {
    matches!(
        name,
        "assert" | "MAX" | "MIN" | "ABS" | "SQR" | "UNUSED" | "NDEBUG" | "INT64_C" | "UINT64_C"
    )
}

/// The local variable whose address an expression is (`&x`, `&x.member`, perhaps cast).
fn address_of(function: &Function, id: ExprId) -> Option<LocalId> {
    match &function.exprs[id].kind {
        ExprKind::AddressOf(inner) => base_variable(function, *inner),
        ExprKind::Cast(_, inner) => address_of(function, *inner),
        _ => None,
    }
}

fn base_variable(function: &Function, id: ExprId) -> Option<LocalId> {
    match &function.exprs[id].kind {
        ExprKind::Var(VarRef::Local(local)) => Some(*local),
        ExprKind::Field {
            base, arrow: false, ..
        } => base_variable(function, *base),
        _ => None,
    }
}

/// The plain variables that a library call writes through an argument, with the argument.
pub(crate) fn written_by_call(function: &Function, call: ExprId) -> Vec<(LocalId, ExprId)> {
    let ExprKind::Call {
        callee: Callee::Named(name),
        args,
    } = &function.exprs[call].kind
    else {
        return Vec::new();
    };
    let mut written = Vec::new();
    for (index, &arg) in args.iter().enumerate() {
        if writes_through(name, index).is_none() {
            continue;
        }
        let mut address = arg;
        while let ExprKind::Cast(_, inner) = function.exprs[address].kind {
            address = inner;
        }
        if let ExprKind::AddressOf(inner) = function.exprs[address].kind
            && let ExprKind::Var(VarRef::Local(local)) = function.exprs[inner].kind
        {
            written.push((local, arg));
        }
    }
    written
}
