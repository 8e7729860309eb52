//! Where lvalues are, and what assignments store there.

use crate::build::memory::Home;
use crate::build::values::Values;
use crate::places::{Key, PlaceId};
use base::Id as _;
use dataflow::FunctionIndex;
use ir::{ExprId, ExprKind, Function, LocalId, Type, VarRef};

/// What is known of a member name, whatever structures have it.
#[derive(Clone, Copy, Debug)]
pub(super) struct MemberNature {
    pub(super) in_union: bool,
    pub(super) all_arrays: bool,
    pub(super) some_array: bool,
    pub(super) all_scalars: bool,
    pub(super) aggregate: bool,
}

impl<'u> Values<'_, 'u> {
    pub(super) fn member(&mut self, name: &str) -> MemberNature {
        if let Some(&known) = self.members.get(name) {
            return known;
        }
        let mut nature = MemberNature {
            in_union: false,
            all_arrays: false,
            some_array: false,
            all_scalars: true,
            aggregate: false,
        };
        let mut count = 0;
        let mut arrays = 0;
        let mut key = None;
        for member in self.program.members(name) {
            key = Some(member.name.as_str());
            count += 1;
            nature.in_union |= member.in_union;
            arrays += usize::from(member.ty == Type::Array);
            nature.aggregate |= member.ty == Type::Aggregate;
            nature.all_scalars &= matches!(member.ty, Type::Int { .. } | Type::Float { .. } | Type::Pointer);
        }
        nature.all_arrays = count > 0 && arrays == count;
        nature.some_array = arrays > 0;
        nature.all_scalars &= count > 0;
        if let Some(key) = key {
            self.members.insert(key, nature);
        }
        nature
    }

    /// Where an lvalue is; `None` for a variable that is not in memory, and for what is no lvalue.
    pub(crate) fn location(&mut self, id: FunctionIndex, expr: ExprId) -> Option<(PlaceId, Key)> {
        let function = self.program.functions[id].function;
        match &function.exprs[expr].kind {
            ExprKind::Var(VarRef::Local(local)) => match self.homes[id.index()][local.index()] {
                Home::Value => None,
                Home::Memory | Home::Aggregate | Home::Borrowed => Some((self.local(id, *local), None)),
            },
            ExprKind::Var(VarRef::Global(name)) => {
                let unit = self.program.functions[id].unit;
                self.global(unit, name).map(|place| (place, None))
            }
            ExprKind::Field { base, name, arrow } => {
                let place = if *arrow {
                    self.pointer(id, *base)
                } else {
                    match self.location(id, *base) {
                        // A member of a member is one of the whole object, told by its own name.
                        Some((place, _)) => Some(place),
                        None => self.value(*base),
                    }
                };
                let place = place.unwrap_or(self.outside);
                self.followed.push(place);
                if !arrow {
                    self.note_nesting(function, *base, name);
                }
                let key = if self.is_under_union(function, expr) {
                    None
                } else {
                    Some(self.names.id(name))
                };
                Some((place, key))
            }
            ExprKind::Index { base, index } => {
                let place = self.elements_of(id, *base).or_else(|| self.value(*index));
                let place = place.unwrap_or(self.outside);
                self.followed.push(place);
                Some((place, None))
            }
            ExprKind::Deref(inner) => {
                let place = self.elements_of(id, *inner).unwrap_or(self.outside);
                self.followed.push(place);
                Some((place, None))
            }
            ExprKind::Unseen => Some((self.unseen(id, expr)?, None)),
            ExprKind::Cast(_, inner) | ExprKind::Comma(_, inner) => self.location(id, *inner),
            ExprKind::Conditional(_, then, other) => {
                let then = self.address(id, *then)?;
                let other = self.address(id, *other)?;
                Some((self.merge(then, other), None))
            }
            _ => None,
        }
    }

    /// `base` has a member `inner`: if it is a member itself, the one stands inside the other.
    pub(super) fn note_nesting(&mut self, function: &Function, mut base: ExprId, inner: &str) {
        while let ExprKind::Index { base: inner, .. } | ExprKind::Comma(_, inner) = function.exprs[base].kind
        {
            base = inner;
        }
        if let ExprKind::Field { name, .. } = &function.exprs[base].kind {
            let pair = (self.names.id(name), self.names.id(inner));
            self.nested.insert(pair);
        }
    }

    /// What a subscript or `*` is applied to.
    pub(super) fn elements_of(&mut self, id: FunctionIndex, base: ExprId) -> Option<PlaceId> {
        let function = self.program.functions[id].function;
        // A variable whose type the source does not show, and which is never assigned, is taken for an array.
        if let ExprKind::Var(VarRef::Global(name)) = &function.exprs[base].kind {
            let unit = self.program.functions[id].unit;
            if self.global_type(unit, name) == Type::Unknown && self.program.assignments(name).is_empty() {
                return self.global(unit, name);
            }
        }
        self.pointer(id, base)
    }

    /// The value of what is followed as a pointer: of what the program does not declare, nothing is known then.
    fn pointer(&mut self, id: FunctionIndex, base: ExprId) -> Option<PlaceId> {
        let info = &self.program.functions[id];
        if let ExprKind::Var(VarRef::Global(name)) = &info.function.exprs[base].kind
            && self.global(info.unit, name) == Some(self.outside)
        {
            return None;
        }
        self.value(base)
    }

    /// Whether a member stands in a union, or in a structure in one.
    pub(super) fn is_under_union(&mut self, function: &Function, mut expr: ExprId) -> bool {
        loop {
            match &function.exprs[expr].kind {
                ExprKind::Field { base, name, arrow } => {
                    if self.member(name).in_union {
                        return true;
                    }
                    if *arrow {
                        return false;
                    }
                    expr = function.object(*base);
                }
                ExprKind::Index { base, .. } => expr = *base,
                _ => return false,
            }
        }
    }

    /// The address of an lvalue, or the value of any other expression.
    pub(crate) fn address(&mut self, id: FunctionIndex, expr: ExprId) -> Option<PlaceId> {
        match self.location(id, expr) {
            Some((place, None)) => Some(place),
            Some((place, Some(name))) => Some(self.places.member_address(place, name)),
            None => self.value(expr),
        }
    }

    pub(super) fn assign(&mut self, id: FunctionIndex, target: ExprId, value: ExprId) {
        let function = self.program.functions[id].function;
        let Some(location) = self.location(id, target) else {
            // A plain variable.
            let plain = plain_variable(function, target);
            if let (Some(local), Some(place)) = (plain, self.value(value))
                && !matches!(function.locals[local].ty, Type::Float { .. })
            {
                let into = self.local(id, local);
                self.places.flow(place, into);
            }
            return;
        };
        self.store(id, location, value);
        if self.may_be_structure(id, target) {
            self.copy_structure(id, location, value);
        }
    }

    pub(super) fn initialise(&mut self, id: FunctionIndex, local: LocalId, init: ExprId) {
        let place = self.local(id, local);
        match self.homes[id.index()][local.index()] {
            Home::Value => {
                let ty = self.program.functions[id].function.locals[local].ty;
                if let Some(value) = self.value(init)
                    && !matches!(ty, Type::Float { .. })
                {
                    self.places.flow(value, place);
                }
            }
            Home::Memory | Home::Borrowed => self.store(id, (place, None), init),
            Home::Aggregate => {
                self.store(id, (place, None), init);
                self.copy_structure(id, (place, None), init);
            }
        }
    }

    pub(super) fn store(&mut self, id: FunctionIndex, (place, key): (PlaceId, Key), value: ExprId) {
        if let Some(value) = self.value(value).filter(|_| !self.is_whole_object(id, value)) {
            let into = self.places.content(place, key);
            self.places.flow(value, into);
        }
    }

    pub(super) fn may_be_structure(&mut self, id: FunctionIndex, target: ExprId) -> bool {
        let function = self.program.functions[id].function;
        match &function.exprs[target].kind {
            ExprKind::Var(VarRef::Local(local)) => self.homes[id.index()][local.index()] == Home::Aggregate,
            ExprKind::Var(VarRef::Global(name)) => {
                let unit = self.program.functions[id].unit;
                matches!(self.global_type(unit, name), Type::Aggregate | Type::Unknown)
            }
            ExprKind::Field { name, .. } => !self.member(name).all_scalars,
            ExprKind::Index { .. } | ExprKind::Deref(_) => true,
            ExprKind::Cast(_, inner) => self.may_be_structure(id, *inner),
            _ => false,
        }
    }

    /// The value may be a whole structure: then both contain the same pointers.
    pub(super) fn copy_structure(&mut self, id: FunctionIndex, (place, key): (PlaceId, Key), value: ExprId) {
        let function = self.program.functions[id].function;
        let is_copy = match &function.exprs[value].kind {
            ExprKind::Call { .. } => true,
            _ => self.location(id, value).is_some(),
        };
        if !is_copy {
            return;
        }
        let into = match key {
            None => place,
            Some(name) => self.places.member_address(place, name),
        };
        if let Some(from) = self.address(id, value) {
            self.places.unite_contents(into, from);
        }
    }
}

/// The local variable that an lvalue names.
pub(crate) fn plain_variable(function: &Function, expr: ExprId) -> Option<LocalId> {
    match &function.exprs[expr].kind {
        ExprKind::Var(VarRef::Local(local)) => Some(*local),
        ExprKind::Cast(_, inner) => plain_variable(function, *inner),
        _ => None,
    }
}
