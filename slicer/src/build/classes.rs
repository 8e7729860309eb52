//! Which functions a call in C++ cannot mean, because the class of the object that it is for is known.
//!
//! The program form resolves calls by name alone. Here the declaration of the object tells more: what is called for an object
//! that is declared as an `A` is a function of `A`, of a class from which `A` derives, or, if it is virtual, of one that derives
//! from `A`. A name alone means, in a member function, one of the classes around it in the same sense, or no member function.
//!
//! Whatever is not certain keeps all candidates: classes whose bases are not all in the program, names that may be a typedef
//! or a parameter of a template somewhere, members of one name with several types, objects that are computed by calls.

use crate::build::cxx::{Cxx, this_of};
use dataflow::{FunctionIndex, Program};
use hashbrown::{HashMap, HashSet};
use ir::{ClassHead, ExprId, ExprKind, Function, FunctionKind, Held, LocalId, ObjectType, Receiver, VarRef};
use std::collections::BTreeSet;

/// What is known of a class of the program, or of all that have its name.
#[derive(Debug, Default)]
struct Class<'u> {
    bases: BTreeSet<&'u str>,
    /// Something in the head of some class of the name was not understood.
    in_part: bool,
    has_arrow: bool,
    has_library_base: bool,
    is_local: bool,
    /// It, and all from which it derives; none if that is not known.
    ancestors: Option<HashSet<&'u str>>,
}

/// The classes of a program.
pub(crate) struct Classes<'u> {
    all: HashMap<&'u str, Class<'u>>,
    namespaces: HashSet<&'u str>,
    /// What variables at file scope are; none where declarations differ.
    globals: HashMap<&'u str, Option<ObjectType>>,
    /// Lambdas by their file and where they begin.
    lambdas: HashMap<(usize, u32, u32), FunctionIndex>,
}

/// What an expression is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Object<'u> {
    /// An object of a class, or what leads to one through so many pointers.
    Of(&'u str, u8),
    /// What a lambda made.
    Lambda(FunctionIndex),
    /// An object of the standard library, or what leads to one through so many pointers.
    Library(Held, u8),
}

/// Names in a qualified name that are looked at.
const PARTS_LIMIT: usize = 64;
/// How deep classes derive from another that are followed.
const DEPTH_LIMIT: usize = 100;

impl<'u> Classes<'u> {
    pub(crate) fn new(program: &Program<'u>) -> Self {
        let mut all: HashMap<&'u str, Class<'u>> = HashMap::new();
        let mut namespaces = HashSet::new();
        let mut aliases: HashSet<&'u str> = HashSet::new();
        let mut globals: HashMap<&'u str, Option<ObjectType>> = HashMap::new();
        for unit in program.units {
            for head in &unit.names.classes {
                all.entry(&head.name).or_default().add(head);
            }
            namespaces.extend(unit.names.namespaces.iter().map(String::as_str));
            aliases.extend(unit.names.aliases.iter().map(String::as_str));
            for global in &unit.globals {
                let known = globals.entry(&global.name).or_insert(global.object);
                *known = known.filter(|known| Some(*known) == global.object);
            }
        }
        let names: Vec<&'u str> = all.keys().copied().collect();
        for name in names {
            let ancestors = ancestors(&all, &aliases, name);
            if let Some(class) = all.get_mut(name) {
                class.ancestors = ancestors;
            }
        }
        let mut lambdas = HashMap::new();
        for (id, info) in program.functions.iter_enumerated() {
            if info.function.kind == FunctionKind::Lambda {
                let span = info.function.span;
                lambdas.insert((info.unit, span.line, span.column), id);
            }
        }
        Classes {
            all,
            namespaces,
            globals,
            lambdas,
        }
    }

    /// Those of the functions of one name that a call may mean.
    pub(crate) fn narrow(
        &self,
        program: &Program<'u>,
        cxx: &Cxx,
        (id, call): (FunctionIndex, ExprId),
        candidates: Vec<FunctionIndex>,
    ) -> Vec<FunctionIndex> {
        let function = program.functions[id].function;
        if self.is_for_container(program, cxx, id, call) {
            return Vec::new();
        }
        let Some(&first) = candidates.first().filter(|_| candidates.len() > 1) else {
            return candidates;
        };
        // A member of the name that can be called holds any function.
        if !cxx.is_cxx(id)
            || program
                .members(&program.functions[first].function.name)
                .next()
                .is_some()
        {
            return candidates;
        }
        let kept: Vec<FunctionIndex> = match function.receivers.get(&call) {
            Some(Receiver::This) => {
                let Some(around) = self.scopes(function.linkage_name.as_deref()) else {
                    return candidates;
                };
                let may_be = |callee: &FunctionIndex| self.is_in_reach(program, &around, *callee);
                candidates.iter().copied().filter(may_be).collect()
            }
            _ => {
                let object = cxx.receiver(id, call);
                let Some(Object::Of(class, levels)) =
                    object.and_then(|object| self.object(program, cxx, id, object))
                else {
                    return candidates;
                };
                if !self.is_certain(class, levels) {
                    return candidates;
                }
                let may_be = |callee: &FunctionIndex| self.is_member_of(program, class, *callee);
                candidates.iter().copied().filter(may_be).collect()
            }
        };
        // One that is only declared has no source; whoever else has the name stands for it as before.
        if kept.is_empty() { candidates } else { kept }
    }

    /// The functions that a call of an object leads to, where its class, or the lambda that made it, is known.
    pub(crate) fn called_as(
        &self,
        program: &Program<'u>,
        cxx: &Cxx,
        id: FunctionIndex,
        called: ExprId,
    ) -> Option<Vec<FunctionIndex>> {
        match self.object(program, cxx, id, called)? {
            Object::Lambda(lambda) => Some(vec![lambda]),
            Object::Of(class, 0) if self.is_certain(class, 0) => {
                let callable = cxx.callable.iter().copied();
                let found = callable.filter(|&callee| self.is_member_of(program, class, callee));
                Some(found.collect())
            }
            Object::Of(..) | Object::Library(..) => None,
        }
    }

    /// Whether a call is made for an object of the standard library that is known to hold values: no function of the program is meant, since none of
    /// these classes has virtual ones.
    pub(crate) fn is_for_container(
        &self,
        program: &Program<'u>,
        cxx: &Cxx,
        id: FunctionIndex,
        call: ExprId,
    ) -> bool {
        let object = cxx.receiver(id, call);
        object.is_some_and(|object| self.library_object(program, cxx, id, object) == Some(Held::Values))
    }

    /// What the object of the standard library holds that a call is made for, or whose address it is given: none where it may be another.
    pub(crate) fn library_object(
        &self,
        program: &Program<'u>,
        cxx: &Cxx,
        id: FunctionIndex,
        object: ExprId,
    ) -> Option<Held> {
        match self.object(program, cxx, id, object)? {
            Object::Library(held, 0 | 1) => Some(held),
            _ => None,
        }
    }

    /// Whether all of a class is known. `levels` pointers lead to its object: where there is none, `->` may be a function of the class,
    /// and lead to an object of another one.
    fn is_certain(&self, class: &str, levels: u8) -> bool {
        let Some(ancestors) = self.all.get(class).and_then(|class| class.ancestors.as_ref()) else {
            return false;
        };
        let has_arrow = |name: &&str| self.all.get(name).is_none_or(|class| class.has_arrow);
        levels > 0 || !ancestors.iter().any(has_arrow)
    }

    /// Whether one of two classes may derive from the other, or they are one.
    fn may_be_related(&self, one: &str, other: &str) -> bool {
        let ancestors = |name: &str| self.all.get(name).and_then(|class| class.ancestors.as_ref());
        match (ancestors(one), ancestors(other)) {
            (Some(of_one), Some(of_other)) => of_one.contains(other) || of_other.contains(one),
            _ => true,
        }
    }

    /// Whether a function may be called for an object of a class.
    fn is_member_of(&self, program: &Program<'u>, class: &str, callee: FunctionIndex) -> bool {
        let info = &program.functions[callee];
        let function = info.function;
        if !function.kind.is_function() || !function.language.is_cxx() {
            return true;
        }
        if function.kind == FunctionKind::Lambda {
            return false;
        }
        // Text that was not understood may have hidden the class around it.
        let may_be_hidden = program.units[info.unit].names.in_part;
        match qualifier(function.linkage_name.as_deref(), &function.name) {
            Some(other) if self.all.contains_key(other) => self.may_be_related(class, other),
            Some(other) => !self.namespaces.contains(other) || may_be_hidden,
            None => may_be_hidden,
        }
    }

    /// Whether a function may be meant by its name alone in a function of the classes `around`.
    fn is_in_reach(&self, program: &Program<'u>, around: &[&str], callee: FunctionIndex) -> bool {
        let function = program.functions[callee].function;
        if !function.kind.is_function() || !function.language.is_cxx() {
            return true;
        }
        match qualifier(function.linkage_name.as_deref(), &function.name) {
            Some(other) if self.all.contains_key(other) && !self.namespaces.contains(other) => {
                around.iter().any(|class| self.may_be_related(class, other))
            }
            _ => true,
        }
    }

    /// The classes around a function, of which all is known; none if there is another scope around it whose names it sees.
    fn scopes(&self, linkage: Option<&'u str>) -> Option<Vec<&'u str>> {
        let mut parts: Vec<&str> = linkage?.split("::").take(PARTS_LIMIT).collect();
        parts.pop();
        let mut around = Vec::new();
        for part in parts {
            match self.all.get(part) {
                Some(class) if class.ancestors.is_some() && !class.is_local => around.push(part),
                None if self.namespaces.contains(part) => {}
                _ => return None,
            }
        }
        (!around.is_empty()).then_some(around)
    }

    /// Whether a name alone, in a function, may be that of a member that one of the classes around the function has from the standard
    /// library.
    pub(crate) fn may_inherit_from_library(&self, function: &Function) -> bool {
        let Some(scopes) = function
            .linkage_name
            .as_deref()
            .and_then(|linkage| linkage.rsplit_once("::"))
        else {
            return true;
        };
        let mut parts = scopes.0.split("::");
        parts.any(|part| {
            !self.is_own(part) && (self.all.contains_key(part) || !self.namespaces.contains(part))
        })
    }

    /// Whether a variable that is declared so is an object all of which is known to the program: it refers to nothing by itself.
    pub(crate) fn is_own_object(&self, object: Option<ObjectType>) -> bool {
        match object {
            Some(ObjectType::Class {
                name,
                levels: 0,
                is_reference: false,
            }) => self.is_own(name.as_str()),
            _ => false,
        }
    }

    /// Whether a name is that of a class of the program, and of nothing else.
    pub(crate) fn is_certain_class(&self, name: &str) -> bool {
        self.all.get(name).is_some_and(|class| class.ancestors.is_some())
    }

    /// Whether a class, and all from which it derives, are of the program.
    fn is_own(&self, class: &str) -> bool {
        let ancestors = self.all.get(class).and_then(|class| class.ancestors.as_ref());
        ancestors.is_some_and(|ancestors| {
            let mut ancestors = ancestors.iter().map(|&name| self.all.get(name));
            ancestors.all(|class| class.is_some_and(|class| !class.has_library_base))
        })
    }

    /// What an expression is, as far as declarations tell.
    fn object(
        &self,
        program: &Program<'u>,
        cxx: &Cxx,
        id: FunctionIndex,
        expr: ExprId,
    ) -> Option<Object<'u>> {
        let info = &program.functions[id];
        let function = info.function;
        match &function.exprs[expr].kind {
            ExprKind::Var(VarRef::Local(local)) if this_of(function) == Some(*local) => {
                let inner = [id];
                let mut around = cxx.around(id).iter().chain(&inner);
                let method = around
                    .rfind(|&&around| program.functions[around].function.kind != FunctionKind::Lambda)?;
                let method = program.functions[*method].function;
                // In a lambda, it leads to what leads to the object.
                let levels = if cxx.around(id).is_empty() { 1 } else { 2 };
                let class = qualifier(method.linkage_name.as_deref(), &method.name)?;
                Some(Object::Of(class, levels))
            }
            ExprKind::Var(VarRef::Local(local)) => self.local(program, id, *local),
            ExprKind::Var(VarRef::Global(name)) => {
                // Members that belong to classes are no members of objects.
                let object = (*self.globals.get(name.as_str())?)?;
                let is_member = program.members(name).next().is_some();
                self.declared(info.unit, object).filter(|_| !is_member)
            }
            ExprKind::Deref(inner) => {
                if let ExprKind::Var(VarRef::Local(local)) = function.exprs[*inner].kind
                    && let Some(
                        ObjectType::Class {
                            is_reference: true, ..
                        }
                        | ObjectType::Library {
                            is_reference: true, ..
                        },
                    ) = function.locals[local].object
                {
                    return self.local(program, id, local);
                }
                self.one_less(self.object(program, cxx, id, *inner)?)
            }
            ExprKind::Index { base, .. } => self.one_less(self.object(program, cxx, id, *base)?),
            ExprKind::AddressOf(inner) => match self.object(program, cxx, id, *inner)? {
                Object::Of(class, levels) => Some(Object::Of(class, levels.checked_add(1)?)),
                Object::Library(held, levels) => Some(Object::Library(held, levels.checked_add(1)?)),
                Object::Lambda(_) => None,
            },
            ExprKind::Comma(_, last) => self.object(program, cxx, id, *last),
            ExprKind::Field { base, name, .. } => match self.object(program, cxx, id, *base)? {
                Object::Of(class, levels) if self.is_certain(class, levels) => {
                    self.member(program, info.unit, class, name)
                }
                _ => None,
            },
            _ => None,
        }
    }

    fn one_less(&self, object: Object<'u>) -> Option<Object<'u>> {
        match object {
            Object::Of(class, levels) => Some(Object::Of(class, levels.checked_sub(1)?)),
            Object::Library(held, levels) => Some(Object::Library(held, levels.checked_sub(1)?)),
            Object::Lambda(_) => None,
        }
    }

    fn local(&self, program: &Program<'u>, id: FunctionIndex, local: LocalId) -> Option<Object<'u>> {
        let info = &program.functions[id];
        self.declared(info.unit, info.function.locals[local].object?)
    }

    fn declared(&self, unit: usize, object: ObjectType) -> Option<Object<'u>> {
        match object {
            ObjectType::Class { name, levels, .. } => {
                let (&name, _) = self.all.get_key_value(name.as_str())?;
                Some(Object::Of(name, levels))
            }
            ObjectType::Library { holds, levels, .. } => Some(Object::Library(holds, levels)),
            ObjectType::Number { .. } => None,
            ObjectType::Lambda { line, column } => {
                let lambda = self.lambdas.get(&(unit, line, column))?;
                Some(Object::Lambda(*lambda))
            }
        }
    }

    /// What a member of a class is.
    fn member(&self, program: &Program<'u>, unit: usize, class: &str, name: &str) -> Option<Object<'u>> {
        let of = |class: &str| {
            let members = program.members(name);
            let own = members.filter(|member| member.class.as_ref().is_some_and(|of| of.name == class));
            Vec::from_iter(own.map(|member| member.object))
        };
        let mut found = of(class);
        if found.is_empty() {
            let ancestors = self.all.get(class)?.ancestors.as_ref()?;
            found = ancestors.iter().flat_map(|ancestor| of(ancestor)).collect();
        }
        let first = (*found.first()?)?;
        if matches!(first, ObjectType::Lambda { .. }) || found.iter().any(|other| *other != Some(first)) {
            return None;
        }
        self.declared(unit, first)
    }
}

impl<'u> Class<'u> {
    fn add(&mut self, head: &'u ClassHead) {
        self.has_arrow |= head.has_arrow;
        self.has_library_base |= head.has_library_base;
        self.is_local |= head.is_local;
        self.in_part |= head.bases.is_none();
        self.bases.extend(head.bases.iter().flatten().map(String::as_str));
    }
}

/// A class, and all classes from which it derives; none if some of them is not known for certain.
fn ancestors<'u>(
    all: &HashMap<&'u str, Class<'u>>,
    aliases: &HashSet<&'u str>,
    name: &'u str,
) -> Option<HashSet<&'u str>> {
    let mut found = HashSet::new();
    let mut work = vec![name];
    while let Some(name) = work.pop() {
        let class = all.get(name)?;
        let is_certain = !name.is_empty() && !aliases.contains(name) && !class.in_part;
        if !is_certain || found.len() > DEPTH_LIMIT {
            return None;
        }
        if found.insert(name) {
            work.extend(&class.bases);
        }
    }
    Some(found)
}

/// The scope right around a function: the class of a member function, or a namespace.
fn qualifier<'u>(linkage: Option<&'u str>, name: &str) -> Option<&'u str> {
    let scopes = linkage?.strip_suffix(name)?.strip_suffix("::")?;
    Some(scopes.rsplit_once("::").map_or(scopes, |(_, last)| last))
}
