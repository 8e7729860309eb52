//! Which assignments of a local variable reach a point.
//!
//! Only variables whose every change is visible are tracked: one whose address escapes may change behind our back. An
//! address passed to a function that is known to write through it and forget it (`MPI_Comm_rank(comm, &rank)`,
//! `advance(&i)`) is a definition at that call.

use crate::effects::{Target, each_child};
use crate::flow::{Action, Flow};
use crate::packs::place_among_parameters;
use crate::summary::{Effect, of_library};
use base::IdVec;
use base::mutant::{Mutant, on};
use ir::{Callee, ExprId, ExprKind, Function, LocalId, Type, VarRef};
use progress_map::PointId;

/// The definitions of every local variable of a function.
#[derive(Clone, Debug)]
pub struct Definitions {
    escaped: IdVec<LocalId, Escape>,
    points: IdVec<LocalId, Vec<PointId>>,
    /// Sorted by call.
    by_calls: Vec<ByCall>,
}

/// Who may change a variable where no definition shows, strongest last.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Escape {
    /// Nobody.
    None,
    /// Nobody but functions that this call leads to, and these promise not to.
    Promised(ExprId),
    /// Anybody.
    Anywhere,
}

/// A call that changes a variable whose address it is given.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct ByCall {
    /// The call.
    pub call: ExprId,
    /// The variable.
    pub local: LocalId,
    /// Which of the call's arguments is the address.
    pub index: usize,
    /// What the call does to it.
    pub effect: Effect,
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
    /// Collects the definitions of `function`, as far as it and the table of library functions show them.
    pub fn new(function: &Function, flow: &Flow) -> Self {
        Self::with(function, flow, changed_by_calls(function, &mut of_library))
    }

    /// The same when this is what calls do to variables whose addresses they are given ([`changed_by_calls`]).
    pub(crate) fn with(function: &Function, flow: &Flow, by_calls: Vec<ByCall>) -> Self {
        let mut found = Definitions {
            escaped: function
                .locals
                .iter()
                .map(|local| {
                    if local.ty == Type::Array || local.is_static && local.address_taken {
                        Escape::Anywhere
                    } else {
                        Escape::None
                    }
                })
                .collect(),
            points: function.locals.iter().map(|_| Vec::new()).collect(),
            by_calls,
        };
        for each in &found.by_calls {
            if each.effect == Effect::Promises {
                let escaped = &mut found.escaped[each.local];
                *escaped = (*escaped).max(Escape::Promised(each.call));
            }
        }
        for (id, point) in flow.points.iter_enumerated() {
            match &point.action {
                Action::Assign {
                    target: Target::Local(local),
                    ..
                } => found.points[*local].push(id),
                Action::Call(call) => {
                    let changed = of_call(&found.by_calls, *call).iter();
                    for each in changed.filter(|each| each.effect.changes()) {
                        found.points[each.local].push(id);
                    }
                }
                _ => {}
            }
        }
        found.note_addresses(function);
        found
    }

    /// Notes the variables whose addresses get anywhere but into a call that is a definition.
    fn note_addresses(&mut self, function: &Function) {
        let mut is_operand: IdVec<ExprId, bool> = function.exprs.iter().map(|_| false).collect();
        for (id, expr) in function.exprs.iter_enumerated() {
            each_child(expr, |child| is_operand[child] = true);
            if let ExprKind::Call {
                callee: Callee::Macro(called),
                args,
            } = &expr.kind
                && !only_reads(&called.name)
            {
                // `NEXT(i)` may assign its argument; what is no variable (`i + 1`) it cannot.
                for &arg in args {
                    if let ExprKind::Var(VarRef::Local(local)) = function.exprs[arg].kind {
                        self.escaped[local] = Escape::Anywhere;
                    }
                }
            }
            // An address is harmless only as the direct argument of a call that is a definition.
            let kept: Vec<ExprId> = match &expr.kind {
                ExprKind::Call { args, .. } => {
                    let here = of_call(&self.by_calls, id).iter();
                    here.map(|each| args[each.index]).collect()
                }
                // A cast of an address is the address; whether that escapes is decided by where the cast stands.
                ExprKind::AddressOf(_) | ExprKind::Cast(..) => continue,
                _ => Vec::new(),
            };
            each_child(expr, |child| {
                if !kept.contains(&child)
                    && let Some(local) = address_of(function, child)
                {
                    self.escaped[local] = Escape::Anywhere;
                }
            });
        }
        // An address that is not an operand of another expression initialises a declaration or is returned.
        let whole = function.exprs.ids().filter(|&id| !is_operand[id]);
        for local in whole.filter_map(|id| address_of(function, id)) {
            self.escaped[local] = Escape::Anywhere;
        }
    }

    /// Whether the variable may change where no definition shows.
    pub fn escaped(&self, local: LocalId) -> bool {
        self.escaped[local] != Escape::None && !on(Mutant::AddressIgnored)
    }

    /// A call that promises not to change the variable although it has its address and may keep it, if no other call could change it unseen.
    pub fn promised(&self, local: LocalId) -> Option<ExprId> {
        match self.escaped[local] {
            Escape::Promised(call) => Some(call),
            Escape::None | Escape::Anywhere => None,
        }
    }

    /// Whether these are the definitions by calls that it was made with.
    pub(crate) fn is_with(&self, by_calls: &[ByCall]) -> bool {
        self.by_calls == by_calls
    }

    /// What the call `call` does to variables whose addresses it is given.
    pub(crate) fn by_call(&self, call: ExprId) -> impl Iterator<Item = &ByCall> {
        of_call(&self.by_calls, call).iter()
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

/// Those of one call; they stand together, because expressions were looked through in order.
fn of_call(by_calls: &[ByCall], call: ExprId) -> &[ByCall] {
    let first = by_calls.partition_point(|each| each.call < call);
    let count = by_calls[first..].partition_point(|each| each.call == call);
    &by_calls[first..first + count]
}

/// Macros of well-known headers that read their arguments and no more.
fn only_reads(name: &str) -> bool {
    matches!(
        name,
        "assert" | "MAX" | "MIN" | "ABS" | "SQR" | "UNUSED" | "NDEBUG" | "INT64_C" | "UINT64_C"
    )
}

/// The local variable whose address an expression is (`&x`, `&x.member`, perhaps cast).
pub(crate) fn address_of(function: &Function, id: ExprId) -> Option<LocalId> {
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
        } => base_variable(function, function.object(*base)),
        _ => None,
    }
}

/// What the calls of `function` do to variables whose addresses they are given, when `effect` tells what a function, by name, does
/// through its argument of that number.
pub(crate) fn changed_by_calls(
    function: &Function,
    effect: &mut dyn FnMut(&str, usize) -> Effect,
) -> Vec<ByCall> {
    let mut by_calls = Vec::new();
    for id in function.exprs.ids() {
        addresses_given(function, id, effect, &mut by_calls);
    }
    by_calls
}

/// The plain variables whose addresses a call is given, when it is known to forget them.
fn addresses_given(
    function: &Function,
    call: ExprId,
    effect: &mut dyn FnMut(&str, usize) -> Effect,
    found: &mut Vec<ByCall>,
) {
    let ExprKind::Call {
        callee: Callee::Named(name),
        args,
    } = &function.exprs[call].kind
    else {
        return;
    };
    let first = found.len();
    for (index, &arg) in args.iter().enumerate() {
        let mut address = arg;
        while let ExprKind::Cast(_, inner) = function.exprs[address].kind {
            address = inner;
        }
        if let ExprKind::AddressOf(inner) = function.exprs[address].kind
            && let ExprKind::Var(VarRef::Local(local)) = function.exprs[inner].kind
        {
            let mut effect = effect(name, place_among_parameters(function, args, index));
            if address != arg {
                // Through a cast it may be another type's value that is changed.
                effect = effect.several();
            }
            if effect != Effect::Keeps {
                found.push(ByCall {
                    call,
                    local,
                    index,
                    effect,
                });
            }
        }
    }
    // Given the same address twice, a callee changes the variable under two names.
    for at in first..found.len() {
        let again = found[first..].iter().filter(|each| each.local == found[at].local);
        if again.count() > 1 {
            found[at].effect = found[at].effect.several();
        }
    }
}
