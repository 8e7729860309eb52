//! Pointers that leave the member whose address they were: `int *p = &s.a; p[1] = 4;` writes what stands behind `a`, and
//! `MPI_Bcast(&s.a, 3, …)` three members.
//!
//! The address of a member stands for that member only ([`Places`](crate::places::Places)), or every `f(&s->n)` would reach
//! all of `s`. So pointers are noted that something is added to, that a subscript other than 0 is applied to, or that a function without
//! source gets together with a count. Where the address of a member may come there, it is the address of the whole object as well.
//!
//! An array that is a member is walked through all the time, and what is done to its elements stays inside. It is left where a
//! pointer goes back from its beginning: `p[-1]`, `*(p - 1)`. Of a name that stands for an array in one structure and for a number in
//! another, `&s.x` is the latter, and `s.x` the former.
//!
//! A size that is one `sizeof` may be that of the whole object where the address of a member is written beside it, `memset(&s->a, 0, sizeof *s)`:
//! what is asked for the size of is not known here. Elsewhere it is taken for that of what the pointer points to.

use crate::build::values::Values;
use crate::effect::LibraryEffect;
use crate::places::PlaceId;
use dataflow::FunctionIndex;
use ir::{BinaryOp, ExprId, ExprKind, Function, Type, UnaryOp, VarRef};
use library::{Access, Extent, Role};

/// Pointers that are moved, and the addresses that must not be.
#[derive(Debug, Default)]
pub(crate) struct Moves {
    /// What is moved, in either direction.
    moved: Vec<PlaceId>,
    /// What goes back from where it points.
    back: Vec<PlaceId>,
    /// Addresses of members that are no arrays.
    numbers: Vec<PlaceId>,
    /// Addresses of members that are arrays.
    arrays: Vec<PlaceId>,
}

impl<'u> Values<'_, 'u> {
    /// Something is added to a value, or taken away.
    pub(super) fn note_move(&mut self, id: FunctionIndex, expr: ExprId, value: Option<PlaceId>) {
        let function = self.program.functions[id].function;
        if let Some(value) = value.filter(|_| self.may_be_address(function, expr)) {
            self.moves.moved.push(value);
        }
    }

    /// Whether the value of an expression may be an address.
    pub(crate) fn may_be_address(&self, function: &Function, expr: ExprId) -> bool {
        match &function.exprs[expr].kind {
            ExprKind::Var(VarRef::Local(local)) => holds_address(function.locals[*local].ty),
            ExprKind::Field { name, .. } => {
                let mut members = self.program.members(name).peekable();
                members.peek().is_none() || members.any(|member| holds_address(member.ty))
            }
            ExprKind::Cast(_, inner) => self.may_be_address(function, *inner),
            ExprKind::Int(_) | ExprKind::Float(_) => false,
            _ => true,
        }
    }

    /// A subscript is applied to a pointer.
    pub(super) fn note_subscript(&mut self, id: FunctionIndex, index: ExprId, pointer: PlaceId) {
        let function = self.program.functions[id].function;
        if !matches!(function.exprs[index].kind, ExprKind::Int(0)) {
            self.moves.moved.push(pointer);
        }
        if is_negative(function, index) {
            self.moves.back.push(pointer);
        }
    }

    /// A pointer is followed.
    pub(super) fn note_followed(&mut self, id: FunctionIndex, inner: ExprId, pointer: PlaceId) {
        let function = self.program.functions[id].function;
        let mut inner = inner;
        while let ExprKind::Cast(_, of) = function.exprs[inner].kind {
            inner = of;
        }
        let goes_back = match function.exprs[inner].kind {
            ExprKind::Binary(BinaryOp::Sub, _, by) => matches!(function.exprs[by].kind, ExprKind::Int(_)),
            ExprKind::Binary(BinaryOp::Add, _, by) => is_negative(function, by),
            _ => false,
        };
        if goes_back {
            self.moves.back.push(pointer);
        }
    }

    /// The address of a member is taken with `&`.
    pub(super) fn note_member_address(&mut self, name: &str, address: PlaceId) {
        let nature = self.member(name);
        if !nature.all_arrays && !nature.aggregate {
            self.moves.numbers.push(address);
        }
    }

    /// A member that is an array stands for its address.
    pub(super) fn note_array(&mut self, address: PlaceId) {
        self.moves.arrays.push(address);
    }

    /// A function without source may go beyond what its arguments point to: it is told how much.
    pub(super) fn note_counted(
        &mut self,
        id: FunctionIndex,
        name: &str,
        args: &[ExprId],
        effect: &LibraryEffect,
    ) {
        let (Some(row), function) = (library::function(name), self.program.functions[id].function) else {
            return;
        };
        let is_one =
            |count: usize, pointer: ExprId| match args.get(count).map(|&arg| &function.exprs[arg].kind) {
                None | Some(ExprKind::Int(0 | 1)) => true,
                Some(ExprKind::Constant) => !is_address_of_member(function, pointer),
                Some(_) => false,
            };
        let is_mpi = base::is_mpi(row.name);
        for (index, &arg) in args.iter().enumerate() {
            let Some(value) = self.value(arg).filter(|_| effect.follows(index)) else {
                continue;
            };
            let Some(argument) = row
                .argument(index)
                .filter(|argument| argument.extent != Extent::One)
            else {
                continue;
            };
            if matches!(argument.access, Access::Value | Access::Object | Access::Calls) {
                continue;
            }
            let mut rest = index + 1..row.arguments.len();
            let is_all = if is_mpi {
                // The count, and a type of MPI's own behind it: others may be as large as the structure.
                rest.find(|&at| row.arguments[at].role == Some(Role::Count))
                    .is_none_or(|at| {
                        is_one(at, arg) && args.get(at + 1).is_none_or(|&ty| is_constant(function, ty))
                    })
            } else {
                rest.rfind(|&at| row.arguments[at].access == Access::Value)
                    .is_none_or(|at| is_one(at, arg))
            };
            if !is_all {
                self.moves.moved.push(value);
            }
        }
    }

    /// Lets the addresses of members be those of whole objects where they are moved. Whether any was.
    pub(crate) fn leave_members(&mut self) -> bool {
        let moves = std::mem::take(&mut self.moves);
        let mut left: Vec<(PlaceId, PlaceId)> = Vec::new();
        for (moved, addresses) in [(&moves.moved, &moves.numbers), (&moves.back, &moves.arrays)] {
            if moved.is_empty() || addresses.is_empty() {
                continue;
            }
            let reached = self.places.leading_to(moved);
            let mut addresses = Vec::from_iter(addresses.iter().map(|&address| self.places.find(address)));
            addresses.sort_unstable();
            addresses.dedup();
            for address in addresses {
                if reached[address] {
                    let around = self.places.member_of(address).iter();
                    left.extend(around.map(|&(_, object)| (self.places.find(object), address)));
                }
            }
        }
        self.moves = moves;
        left.sort_unstable();
        left.dedup();
        left.retain(|&(object, address)| object != address && !self.places.has_edge(object, address));
        for &(object, address) in &left {
            self.places.flow(object, address);
        }
        !left.is_empty()
    }
}

/// Whether a value of this type may be an address: a number too narrow for one is none.
fn holds_address(ty: Type) -> bool {
    !matches!(ty, Type::Float { .. } | Type::Int { bits: Some(..64), .. })
}

/// Whether an expression is written as the address of a member, `&s->a`, whatever it is converted to.
fn is_address_of_member(function: &Function, expr: ExprId) -> bool {
    match function.exprs[expr].kind {
        ExprKind::Cast(_, inner) => is_address_of_member(function, inner),
        ExprKind::AddressOf(inner) => matches!(function.exprs[inner].kind, ExprKind::Field { .. }),
        _ => false,
    }
}

fn is_negative(function: &Function, expr: ExprId) -> bool {
    match function.exprs[expr].kind {
        ExprKind::Int(value) => value < 0,
        ExprKind::Unary(UnaryOp::Neg, inner) => matches!(function.exprs[inner].kind, ExprKind::Int(_)),
        ExprKind::Cast(_, inner) => is_negative(function, inner),
        _ => false,
    }
}

/// Whether an argument is a constant of a library, as those are written.
fn is_constant(function: &Function, expr: ExprId) -> bool {
    match &function.exprs[expr].kind {
        ExprKind::Var(VarRef::Global(name)) => base::is_shouted(name.as_bytes()),
        ExprKind::Cast(_, inner) => is_constant(function, *inner),
        _ => false,
    }
}
