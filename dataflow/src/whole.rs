//! Which members the assignment of a whole object of C++ sets: those of its class, of the classes that this derives from, and of the objects in it.
//!
//! Where a part of that is not known the assignment may set all members of any class, as it does in C.

use crate::effects::Target;
use crate::flow::Action;
use crate::program::{FunctionIndex, FunctionInfo, Program};
use crate::writes::written;
use base::IdVec;
use ir::{BinaryOp, ExprId, ExprKind, Member, ObjectType, Type, Unit, VarRef};
use std::collections::{BTreeMap, BTreeSet};

/// The classes of a program, by name: two of one name count as one that has the members of both.
#[derive(Debug, Default)]
pub(crate) struct WholeObjects<'u> {
    /// The members that each declares; under the empty name those of structures without one, which may stand inside any class.
    members: BTreeMap<&'u str, Vec<&'u Member>>,
    /// From which classes each derives; `None` if that, or some text of the file, was not understood.
    bases: BTreeMap<&'u str, Option<BTreeSet<&'u str>>>,
    /// Names that may stand for another type.
    aliases: BTreeSet<&'u str>,
    /// The members that the program's own assignment operators set; `None` if one of them does anything else.
    by_operators: Option<BTreeSet<&'u str>>,
}

impl<'u> WholeObjects<'u> {
    pub(crate) fn new(units: &'u [Unit], functions: &IdVec<FunctionIndex, FunctionInfo<'u>>) -> Self {
        let mut all = WholeObjects {
            by_operators: set_by_operators(functions),
            ..WholeObjects::default()
        };
        for unit in units {
            for member in &unit.members {
                if let Some(class) = &member.class {
                    all.members.entry(&class.name).or_default().push(member);
                }
            }
            for head in &unit.names.classes {
                // Text that was not understood may declare further members.
                let own = head.bases.as_ref().filter(|_| !unit.names.in_part);
                let own = own.map(|bases| bases.iter().map(String::as_str).collect());
                let known = all
                    .bases
                    .entry(&head.name)
                    .or_insert_with(|| Some(BTreeSet::new()));
                *known = known
                    .take()
                    .zip(own)
                    .map(|(known, own): (_, BTreeSet<&str>)| &known | &own);
            }
            all.aliases.extend(unit.names.aliases.iter().map(String::as_str));
        }
        all
    }

    /// The names of the members that an assignment to an object of this class sets; `None` if they are not all known.
    fn of_class(&self, class: &'u str) -> Option<BTreeSet<&'u str>> {
        let mut found = self.by_operators.clone()?;
        let (mut seen, mut work) = (BTreeSet::new(), vec![class]);
        while let Some(class) = work.pop() {
            if !seen.insert(class) {
                continue;
            }
            if self.aliases.contains(class) {
                return None;
            }
            work.extend(self.bases.get(class)?.as_ref()?);
            for member in [class, ""].iter().filter_map(|of| self.members.get(of)).flatten() {
                found.insert(&member.name);
                match (member.ty, &member.object) {
                    (Type::Int { .. } | Type::Float { .. } | Type::Pointer, _) => {}
                    (
                        Type::Aggregate,
                        Some(ObjectType::Class {
                            name,
                            levels: 0,
                            is_reference: false,
                        }),
                    ) => work.push(name.as_str()),
                    // What an array holds, and what a name from outside stands for, is not looked into.
                    _ => return None,
                }
            }
        }
        Some(found)
    }
}

/// The members that functions named `operator=` set, if all that these do is to set members of the object that they are called for.
fn set_by_operators<'u>(functions: &IdVec<FunctionIndex, FunctionInfo<'u>>) -> Option<BTreeSet<&'u str>> {
    let mut found = BTreeSet::new();
    let operators = functions.iter().filter(|info| info.function.name == "operator=");
    for info in operators {
        for point in info.flow.points.iter() {
            match &point.action {
                Action::Assign {
                    target: Target::Local(_),
                    ..
                } => {}
                Action::Assign { by, .. } => match written(info.function, *by) {
                    Some(ExprKind::Field { name, .. }) => drop(found.insert(name.as_str())),
                    _ => return None,
                },
                Action::Call(_) => return None,
                _ => {}
            }
        }
    }
    Some(found)
}

impl<'u> Program<'u> {
    /// The names of the members that the assignment of an object to `target` sets; `None` if they are not all known.
    pub(crate) fn members_of_assigned(
        &self,
        info: &FunctionInfo<'_>,
        target: ExprId,
    ) -> Option<BTreeSet<&'u str>> {
        match self.assigned_object(info, target)? {
            Assigned::Class(class) => self.whole_objects.of_class(class),
            Assigned::Number => Some(BTreeSet::new()),
        }
    }

    /// What pointers and subscripts of an expression lead to, by the declaration of the variable that they begin with.
    fn assigned_object(&self, info: &FunctionInfo<'_>, target: ExprId) -> Option<Assigned> {
        let function = info.function;
        let (mut at, mut followed) = (target, 0);
        let object = loop {
            at = match &function.exprs[at].kind {
                ExprKind::Deref(base) | ExprKind::Index { base, .. } => {
                    followed += 1;
                    *base
                }
                ExprKind::Binary(BinaryOp::Add | BinaryOp::Sub, inner, _) => *inner,
                ExprKind::Step { target, .. } => *target,
                ExprKind::Var(VarRef::Local(local)) => break function.locals[*local].object,
                ExprKind::Var(VarRef::Global(name)) => {
                    let globals = self.units.iter().flat_map(|unit| &unit.globals);
                    let of_name = globals.filter(|global| global.name == *name);
                    break agreed(of_name.map(|global| global.object));
                }
                ExprKind::Field { name, .. } => {
                    break agreed(self.members(name).map(|member| member.object));
                }
                // A cast may lead to any other type.
                _ => return None,
            };
        };
        match object? {
            ObjectType::Class {
                name,
                levels,
                is_reference,
            } if u32::from(levels) + u32::from(is_reference) == followed => {
                Some(Assigned::Class(name.as_str()))
            }
            ObjectType::Number { levels, is_reference }
                if u32::from(levels) + u32::from(is_reference) == followed =>
            {
                Some(Assigned::Number)
            }
            _ => None,
        }
    }
}

/// What an assignment through a pointer sets.
enum Assigned {
    /// An object of this class.
    Class(&'static str),
    /// A number, which an operator of a class may have made.
    Number,
}

/// What all declarations of a name say, if they say the same.
fn agreed(mut objects: impl Iterator<Item = Option<ObjectType>>) -> Option<ObjectType> {
    let first = objects.next()??;
    objects.all(|object| object == Some(first)).then_some(first)
}
