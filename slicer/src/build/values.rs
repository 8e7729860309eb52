//! What the values of a program may point to: constraints from expressions, function by function.
//!
//! Each expression gets the place of its value, if it may be a pointer. An lvalue also has a *location*: a place and the part
//! of what it points to ([`Values::location`]).

use crate::build::callees::Callees;
use crate::build::memory::Home;
use crate::library::{Effect, effect};
use crate::places::{Key, NameId, ObjectId, PlaceId, Places};
use base::{Id as _, IdVec};
use dataflow::{FunctionIndex, FunctionInfo, Program};
use ir::{BinaryOp, Callee, ExprId, ExprKind, Function, LocalId, StmtKind, Type, UnaryOp, VarRef};
use std::collections::{BTreeMap, BTreeSet};

/// Names with numbers.
#[derive(Debug, Default)]
pub(crate) struct Names {
    numbers: BTreeMap<String, NameId>,
    pub(crate) texts: Vec<String>,
}

impl Names {
    /// The number of a name that has one.
    pub(crate) fn get(&self, text: &str) -> Option<NameId> {
        self.numbers.get(text).copied()
    }

    pub(crate) fn id(&mut self, text: &str) -> NameId {
        if let Some(&id) = self.numbers.get(text) {
            return id;
        }
        let id = NameId::from_index(self.texts.len());
        self.texts.push(text.to_owned());
        self.numbers.insert(text.to_owned(), id);
        id
    }
}

/// A call whose callee a pointer tells.
#[derive(Clone, Debug)]
pub(crate) struct Indirect {
    pub(crate) caller: FunctionIndex,
    pub(crate) call: ExprId,
    /// What is called points here.
    pub(crate) callee: PlaceId,
    /// The values of the arguments.
    pub(crate) arguments: Vec<Option<PlaceId>>,
    /// A function without source is given the callee, and calls it with whatever else it is given.
    pub(crate) is_callback: bool,
    pub(crate) result: PlaceId,
}

/// What is known of a member name, whatever structures have it.
#[derive(Clone, Copy, Debug)]
struct MemberNature {
    in_union: bool,
    all_arrays: bool,
    some_array: bool,
    all_scalars: bool,
    aggregate: bool,
}

/// Values, as they are found.
pub(crate) struct Values<'p, 'u> {
    pub(crate) program: &'p Program<'u>,
    pub(crate) callees: &'p Callees<'p, 'u>,
    pub(crate) homes: &'p [Vec<Home>],
    pub(crate) names: Names,
    pub(crate) places: Places,
    /// Of each object: the function that it is, if it is one.
    pub(crate) objects: IdVec<ObjectId, Option<FunctionIndex>>,
    /// Of an object that an allocating function made: the object of the allocation inside.
    pub(crate) origins: BTreeMap<ObjectId, ObjectId>,
    locals: Vec<Vec<Option<PlaceId>>>,
    results: Vec<PlaceId>,
    /// The object of the arguments beyond the parameters.
    rests: Vec<Option<PlaceId>>,
    function_objects: BTreeMap<FunctionIndex, PlaceId>,
    globals: BTreeMap<(Option<usize>, &'u str), PlaceId>,
    /// The types of variables at file scope, with the file when it is `static`.
    global_types: BTreeMap<(Option<usize>, &'u str), Type>,
    states: BTreeMap<&'static str, PlaceId>,
    members: BTreeMap<&'u str, MemberNature>,
    /// Elements of arrays, and what pointers point to: the address and the value. If nothing was ever stored there that
    /// points anywhere, and yet it is followed, the element is an array itself.
    pub(crate) elements: Vec<(PlaceId, PlaceId)>,
    /// Values that are followed.
    pub(crate) followed: Vec<PlaceId>,
    /// Members that stand inside another, by name.
    pub(crate) nested: BTreeSet<(NameId, NameId)>,
    /// What lies outside: memory that no source shows.
    pub(crate) outside: PlaceId,
    pub(crate) indirect: Vec<Indirect>,
    /// Of functions that return memory which they allocate: the object inside.
    pub(crate) allocators: BTreeMap<FunctionIndex, Option<PlaceId>>,
    /// The values of the expressions of the function at hand.
    values: Vec<Option<PlaceId>>,
}

impl<'p, 'u> Values<'p, 'u> {
    pub(crate) fn new(
        program: &'p Program<'u>,
        callees: &'p Callees<'p, 'u>,
        homes: &'p [Vec<Home>],
    ) -> Self {
        let mut places = Places::default();
        let mut objects = IdVec::new();
        let outside = places.address(objects.push(None));
        let results = program.functions.ids().map(|_| places.fresh()).collect();
        let mut global_types = BTreeMap::new();
        for (unit, each) in program.units.iter().enumerate() {
            for global in &each.globals {
                let home = global.is_static.then_some(unit);
                let known = global_types
                    .entry((home, global.name.as_str()))
                    .or_insert(global.ty);
                if *known != global.ty {
                    *known = Type::Unknown;
                }
            }
        }
        Values {
            program,
            callees,
            homes,
            names: Names::default(),
            places,
            objects,
            origins: BTreeMap::new(),
            locals: homes.iter().map(|homes| vec![None; homes.len()]).collect(),
            results,
            rests: vec![None; homes.len()],
            function_objects: BTreeMap::new(),
            globals: BTreeMap::new(),
            global_types,
            states: BTreeMap::new(),
            members: BTreeMap::new(),
            elements: Vec::new(),
            followed: Vec::new(),
            nested: BTreeSet::new(),
            outside,
            indirect: Vec::new(),
            allocators: BTreeMap::new(),
            values: Vec::new(),
        }
    }

    /// Takes in all that a function does with pointers. Until the next call, [`value`](Self::value) and
    /// [`location`](Self::location) answer for its expressions.
    pub(crate) fn function(&mut self, id: FunctionIndex) {
        let info = &self.program.functions[id];
        let function = info.function;
        self.values.clear();
        for expr in function.exprs.ids() {
            let value = self.evaluate(id, expr);
            self.values.push(value);
        }
        for stmt in &function.stmts {
            match stmt.kind {
                StmtKind::Decl {
                    local,
                    init: Some(init),
                } => self.initialise(id, local, init),
                StmtKind::Return(Some(value)) => {
                    if let Some(place) = self.value(value) {
                        self.places.flow(place, self.results[id.index()]);
                    }
                }
                _ => {}
            }
        }
    }

    /// The place of an expression's value, if it may point somewhere.
    pub(crate) fn value(&self, id: ExprId) -> Option<PlaceId> {
        self.values.get(id.index()).copied().flatten()
    }

    /// Notes the object that a function allocates, when its values have just been worked out.
    pub(crate) fn settle_allocator(&mut self, id: FunctionIndex) {
        if !self.allocators.contains_key(&id) {
            return;
        }
        let function = self.program.functions[id].function;
        let mut inner = None;
        for (expr, each) in function.exprs.iter_enumerated() {
            if let ExprKind::Call {
                callee: Callee::Named(name),
                ..
            } = &each.kind
            {
                let unit = self.program.functions[id].unit;
                let mut callees = self.callees.of(unit, name).into_iter().peekable();
                let is_new = match callees.peek() {
                    None => effect(name).allocates,
                    Some(_) => callees.all(|callee| self.allocators.contains_key(&callee)),
                };
                if is_new {
                    inner = self.value(expr).or(inner);
                }
            }
        }
        self.allocators.insert(id, inner);
    }

    /// An initial value of the variable at `place` names a function or a variable.
    pub(crate) fn initial_name(&mut self, unit: usize, place: PlaceId, name: &'u str) {
        let into = self.places.content(place, None);
        let value = match self.global(unit, name) {
            Some(value) => Some(value).filter(|&value| value != self.outside),
            None => {
                let callees = self.callees.of(unit, name);
                let places: Vec<PlaceId> = callees
                    .into_iter()
                    .map(|callee| self.function_address(callee))
                    .collect();
                places.into_iter().reduce(|a, b| self.merge(a, b))
            }
        };
        if let Some(value) = value {
            self.places.flow(value, into);
        }
    }

    fn fresh_object(&mut self) -> PlaceId {
        let object = self.objects.push(None);
        self.places.address(object)
    }

    /// The place of a local variable: the address of one in memory, the value of another.
    pub(crate) fn local(&mut self, id: FunctionIndex, local: LocalId) -> PlaceId {
        if let Some(place) = self.locals[id.index()][local.index()] {
            return place;
        }
        let place = match self.homes[id.index()][local.index()] {
            Home::Value => self.places.fresh(),
            Home::Memory | Home::Aggregate => self.fresh_object(),
        };
        self.locals[id.index()][local.index()] = Some(place);
        place
    }

    /// The arguments of a function beyond its parameters.
    pub(crate) fn rest(&mut self, id: FunctionIndex) -> PlaceId {
        if let Some(place) = self.rests[id.index()] {
            return place;
        }
        let place = self.fresh_object();
        self.rests[id.index()] = Some(place);
        place
    }

    /// The state that a group of library functions keeps.
    pub(crate) fn state(&mut self, group: &'static str) -> PlaceId {
        if let Some(&place) = self.states.get(group) {
            return place;
        }
        let place = self.fresh_object();
        self.states.insert(group, place);
        place
    }

    /// What a function returns.
    pub(crate) fn result(&self, id: FunctionIndex) -> PlaceId {
        self.results[id.index()]
    }

    /// The address of a variable that is no local one; none for functions.
    pub(crate) fn global(&mut self, unit: usize, name: &'u str) -> Option<PlaceId> {
        let key = self.global_key(unit, name);
        match key {
            Some(key) => Some(self.global_at(key)),
            None if self.callees.any(unit, name) => None,
            // A variable of some header, or a constant that was not resolved.
            None => Some(self.outside),
        }
    }

    fn global_key(&self, unit: usize, name: &'u str) -> Option<(Option<usize>, &'u str)> {
        let mut keys = [(Some(unit), name), (None, name)].into_iter();
        keys.find(|key| self.global_types.contains_key(key))
    }

    /// The address of a variable at file scope, by its file if `static` and its name.
    pub(crate) fn global_at(&mut self, key: (Option<usize>, &'u str)) -> PlaceId {
        if let Some(&place) = self.globals.get(&key) {
            return place;
        }
        let place = self.fresh_object();
        self.globals.insert(key, place);
        place
    }

    fn global_type(&self, unit: usize, name: &'u str) -> Type {
        let key = self.global_key(unit, name);
        key.and_then(|key| self.global_types.get(&key).copied())
            .unwrap_or(Type::Unknown)
    }

    /// A pointer to a function.
    pub(crate) fn function_address(&mut self, id: FunctionIndex) -> PlaceId {
        if let Some(&place) = self.function_objects.get(&id) {
            return place;
        }
        let object = self.objects.push(Some(id));
        let place = self.places.address(object);
        self.function_objects.insert(id, place);
        place
    }

    fn member(&mut self, name: &str) -> MemberNature {
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
                Home::Memory | Home::Aggregate => Some((self.local(id, *local), None)),
            },
            ExprKind::Var(VarRef::Global(name)) => {
                let unit = self.program.functions[id].unit;
                self.global(unit, name).map(|place| (place, None))
            }
            ExprKind::Field { base, name, arrow } => {
                let place = match arrow {
                    true => self.value(*base),
                    false => match self.location(id, *base) {
                        // A member of a member is one of the whole object, told by its own name.
                        Some((place, _)) => Some(place),
                        None => self.value(*base),
                    },
                };
                let place = place.unwrap_or(self.outside);
                self.followed.push(place);
                if !arrow {
                    self.note_nesting(function, *base, name);
                }
                let key = match self.is_under_union(function, expr) {
                    true => None,
                    false => Some(self.names.id(name)),
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
    fn note_nesting(&mut self, function: &Function, mut base: ExprId, inner: &str) {
        while let ExprKind::Index { base: array, .. } = function.exprs[base].kind {
            base = array;
        }
        if let ExprKind::Field { name, .. } = &function.exprs[base].kind {
            let pair = (self.names.id(name), self.names.id(inner));
            self.nested.insert(pair);
        }
    }

    /// What a subscript or `*` is applied to.
    fn elements_of(&mut self, id: FunctionIndex, base: ExprId) -> Option<PlaceId> {
        let function = self.program.functions[id].function;
        // A variable of a type that the source does not show and that nobody assigns is an array.
        if let ExprKind::Var(VarRef::Global(name)) = &function.exprs[base].kind {
            let unit = self.program.functions[id].unit;
            if self.global_type(unit, name) == Type::Unknown && self.program.assignments(name).is_empty() {
                return self.global(unit, name);
            }
        }
        self.value(base)
    }

    /// Whether a member stands in a union, or in a structure in one.
    fn is_under_union(&mut self, function: &Function, mut expr: ExprId) -> bool {
        loop {
            match &function.exprs[expr].kind {
                ExprKind::Field { base, name, arrow } => {
                    if self.member(name).in_union {
                        return true;
                    }
                    if *arrow {
                        return false;
                    }
                    expr = *base;
                }
                ExprKind::Index { base, .. } => expr = *base,
                _ => return false,
            }
        }
    }

    /// The address of an lvalue, or the value of what is none.
    pub(crate) fn address(&mut self, id: FunctionIndex, expr: ExprId) -> Option<PlaceId> {
        match self.location(id, expr) {
            Some((place, None)) => Some(place),
            Some((place, Some(name))) => Some(self.places.member_address(place, name)),
            None => self.value(expr),
        }
    }

    fn merge(&mut self, a: PlaceId, b: PlaceId) -> PlaceId {
        if self.places.find(a) == self.places.find(b) {
            return a;
        }
        let both = self.places.fresh();
        self.places.flow(a, both);
        self.places.flow(b, both);
        both
    }

    fn merge_values(&mut self, a: ExprId, b: ExprId) -> Option<PlaceId> {
        match (self.value(a), self.value(b)) {
            (Some(a), Some(b)) => Some(self.merge(a, b)),
            (one, other) => one.or(other),
        }
    }

    fn evaluate(&mut self, id: FunctionIndex, expr: ExprId) -> Option<PlaceId> {
        let function = self.program.functions[id].function;
        match &function.exprs[expr].kind {
            ExprKind::Int(_) | ExprKind::Float(_) | ExprKind::Str | ExprKind::Constant => None,
            ExprKind::Var(VarRef::Local(local)) => {
                if matches!(function.locals[*local].ty, Type::Float { .. }) {
                    return None;
                }
                let place = self.local(id, *local);
                match self.homes[id.index()][local.index()] {
                    Home::Value | Home::Aggregate => Some(place),
                    Home::Memory => Some(self.places.content(place, None)),
                }
            }
            ExprKind::Var(VarRef::Global(name)) => {
                let unit = self.program.functions[id].unit;
                match self.global(unit, name) {
                    // What the program does not declare points to nothing of the program's.
                    Some(place) if place == self.outside => None,
                    Some(place) => match self.global_type(unit, name) {
                        Type::Array | Type::Aggregate => Some(place),
                        Type::Float { .. } => None,
                        _ => Some(self.places.content(place, None)),
                    },
                    None => {
                        let callees = self.callees.of(unit, name);
                        let mut places = callees.into_iter().map(|callee| self.function_address(callee));
                        let places: Vec<PlaceId> = places.by_ref().collect();
                        places.into_iter().reduce(|a, b| self.merge(a, b))
                    }
                }
            }
            ExprKind::Unary(UnaryOp::Not, _) | ExprKind::And(..) | ExprKind::Or(..) => None,
            ExprKind::Unary(_, a) => self.value(*a),
            ExprKind::Binary(op, a, b) => match op {
                BinaryOp::Add | BinaryOp::Sub | BinaryOp::BitAnd | BinaryOp::BitOr | BinaryOp::BitXor => {
                    self.merge_values(*a, *b)
                }
                _ => None,
            },
            ExprKind::Conditional(_, a, b) => self.merge_values(*a, *b),
            ExprKind::Comma(_, b) => self.value(*b),
            ExprKind::Assign { op, target, value } => {
                if op.is_none() {
                    self.assign(id, *target, *value);
                }
                self.value(*target)
            }
            ExprKind::Step { target, .. } => self.value(*target),
            ExprKind::Call { callee, args } => self.call(id, expr, callee, args),
            ExprKind::Field { name, .. } => {
                let nature = self.member(name);
                let (place, key) = self.location(id, expr)?;
                if nature.all_arrays || nature.aggregate {
                    return self.address(id, expr);
                }
                let value = self.places.content(place, key);
                match nature.some_array {
                    true => {
                        let address = self.address(id, expr)?;
                        Some(self.merge(value, address))
                    }
                    false => Some(value),
                }
            }
            ExprKind::Index { .. } | ExprKind::Deref(_) => {
                let (place, key) = self.location(id, expr)?;
                let value = self.places.content(place, key);
                self.elements.push((place, value));
                Some(value)
            }
            ExprKind::AddressOf(inner) => match &function.exprs[*inner].kind {
                ExprKind::Var(VarRef::Global(name)) => {
                    let unit = self.program.functions[id].unit;
                    self.global(unit, name).or_else(|| self.value(*inner))
                }
                _ => self.address(id, *inner),
            },
            ExprKind::Cast(ty, inner) => match ty {
                Type::Float { .. } => None,
                _ => self.value(*inner),
            },
            ExprKind::List(items) | ExprKind::Unknown(items) => {
                let values: Vec<PlaceId> = items.iter().filter_map(|&item| self.value(item)).collect();
                values.into_iter().reduce(|a, b| self.merge(a, b))
            }
        }
    }

    fn assign(&mut self, id: FunctionIndex, target: ExprId, value: ExprId) {
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
        self.store(location, value);
        if self.may_be_structure(id, target) {
            self.copy_structure(id, location, value);
        }
    }

    fn initialise(&mut self, id: FunctionIndex, local: LocalId, init: ExprId) {
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
            Home::Memory => self.store((place, None), init),
            Home::Aggregate => {
                self.store((place, None), init);
                self.copy_structure(id, (place, None), init);
            }
        }
    }

    fn store(&mut self, (place, key): (PlaceId, Key), value: ExprId) {
        if let Some(value) = self.value(value) {
            let into = self.places.content(place, key);
            self.places.flow(value, into);
        }
    }

    fn may_be_structure(&mut self, id: FunctionIndex, target: ExprId) -> bool {
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
    fn copy_structure(&mut self, id: FunctionIndex, (place, key): (PlaceId, Key), value: ExprId) {
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

    fn call(&mut self, id: FunctionIndex, call: ExprId, callee: &Callee, args: &[ExprId]) -> Option<PlaceId> {
        match callee {
            Callee::Named(name) => {
                let unit = self.program.functions[id].unit;
                let callees = self.callees.of(unit, name);
                if callees.is_empty() {
                    return self.call_library(id, call, name, args);
                }
                let result = self.places.fresh();
                for callee in callees {
                    let structures: Vec<Option<PlaceId>> =
                        args.iter().map(|&arg| self.address(id, arg)).collect();
                    let values: Vec<Option<PlaceId>> = args.iter().map(|&arg| self.value(arg)).collect();
                    self.link(callee, &values, &structures);
                    let inside = self.results[callee.index()];
                    match self.allocators.get(&callee).copied() {
                        Some(inner) => {
                            let new = self.allocate(inner);
                            self.places.flow(new, result);
                        }
                        None => self.places.flow(inside, result),
                    }
                }
                Some(result)
            }
            Callee::Macro(name) => self.call_library(id, call, name, args),
            Callee::Indirect(pointer) => {
                let function = self.program.functions[id].function;
                let mut place = self.value(*pointer);
                // `(*f)(x)` and `f(x)` are one.
                if let ExprKind::Deref(inner) = function.exprs[*pointer].kind {
                    place = match (place, self.value(inner)) {
                        (Some(a), Some(b)) => Some(self.merge(a, b)),
                        (one, other) => one.or(other),
                    };
                }
                let result = self.places.fresh();
                let arguments = args.iter().map(|&arg| self.value(arg)).collect();
                self.indirect.push(Indirect {
                    caller: id,
                    call,
                    callee: place.unwrap_or(self.outside),
                    arguments,
                    is_callback: false,
                    result,
                });
                Some(result)
            }
        }
    }

    /// New memory. `inner` is the allocation in the function that was called, if it is one with source: what is written there
    /// is written here.
    fn allocate(&mut self, inner: Option<PlaceId>) -> PlaceId {
        let object = self.objects.push(None);
        let place = self.places.address(object);
        if let Some(inner) = inner
            && let Some(&origin) = self.places.objects(self.places.find(inner)).first()
        {
            self.origins.insert(object, origin);
        }
        place
    }

    /// Hands arguments to a function's parameters. `structures` are the addresses of arguments that may be whole
    /// structures.
    pub(crate) fn link(
        &mut self,
        callee: FunctionIndex,
        values: &[Option<PlaceId>],
        structures: &[Option<PlaceId>],
    ) {
        let params = self.program.functions[callee].function.params;
        for (index, value) in values.iter().enumerate() {
            if index >= params {
                if let Some(value) = *value {
                    let rest = self.rest(callee);
                    let into = self.places.content(rest, None);
                    self.places.flow(value, into);
                }
                continue;
            }
            let local = LocalId::from_index(index);
            let place = self.local(callee, local);
            match self.homes[callee.index()][index] {
                Home::Value => {
                    if let Some(value) = *value {
                        self.places.flow(value, place);
                    }
                }
                Home::Memory => {
                    if let Some(value) = *value {
                        let into = self.places.content(place, None);
                        self.places.flow(value, into);
                    }
                }
                // An array that is a parameter is a pointer; a structure is copied.
                Home::Aggregate => {
                    if let Some(value) = *value {
                        self.places.flow(value, place);
                    }
                    if let Some(structure) = structures.get(index).copied().flatten() {
                        self.places.flow(structure, place);
                    }
                }
            }
        }
    }

    fn call_library(
        &mut self,
        id: FunctionIndex,
        call: ExprId,
        name: &str,
        args: &[ExprId],
    ) -> Option<PlaceId> {
        let value = |values: &Self, index: usize| args.get(index).and_then(|&arg| values.value(arg));
        match name {
            "va_start" | "__builtin_va_start" => {
                let rest = self.rest(id);
                if let Some(&list) = args.first() {
                    self.give(id, list, rest);
                }
                return None;
            }
            "va_copy" | "__builtin_va_copy" => {
                if let (Some(&into), Some(from)) = (args.first(), value(self, 1)) {
                    self.give(id, into, from);
                }
                return None;
            }
            "va_arg" | "__builtin_va_arg" => {
                let list = self.list(id, *args.first()?)?;
                return Some(self.places.content(list, None));
            }
            "va_end" | "__builtin_va_end" => return None,
            _ => {}
        }
        let Effect {
            allocates,
            returns,
            copies,
            unknown,
            ..
        } = effect(name);
        if let Some((into, from)) = copies
            && let (Some(into), Some(from)) = (value(self, into.into()), value(self, from.into()))
        {
            self.places.unite_contents(into, from);
        }
        let mut results: Vec<PlaceId> = Vec::new();
        if allocates {
            results.push(self.allocate(None));
        }
        results.extend(returns.and_then(|index| value(self, index.into())));
        if unknown {
            let given: Vec<PlaceId> = args.iter().filter_map(|&arg| self.value(arg)).collect();
            // It may keep each argument in what another points to, and hand out any of them.
            for &one in &given {
                let inside = self.places.content(one, None);
                for &other in &given {
                    if one != other {
                        self.places.flow(other, inside);
                    }
                }
                results.push(inside);
            }
            results.extend(given.iter().copied());
            let result = self.places.fresh();
            let arguments: Vec<Option<PlaceId>> = given.iter().map(|&place| Some(place)).collect();
            for &arg in args {
                let Some(callee) = self.callback(id, arg) else {
                    continue;
                };
                self.indirect.push(Indirect {
                    caller: id,
                    call,
                    callee,
                    arguments: arguments.clone(),
                    is_callback: true,
                    result,
                });
            }
        }
        results.into_iter().reduce(|a, b| self.merge(a, b))
    }

    /// The value of an argument that may be a function: one that is named, or a variable. Functions in tables that are
    /// handed over are not followed.
    fn callback(&self, id: FunctionIndex, arg: ExprId) -> Option<PlaceId> {
        let function = self.program.functions[id].function;
        match &function.exprs[arg].kind {
            ExprKind::Cast(_, inner) | ExprKind::AddressOf(inner) => self.callback(id, *inner),
            ExprKind::Var(VarRef::Local(local)) => match function.locals[*local].ty {
                Type::Int { .. } | Type::Float { .. } | Type::Array | Type::Aggregate => None,
                _ => self.value(arg),
            },
            ExprKind::Var(VarRef::Global(_)) => self.value(arg),
            _ => None,
        }
    }

    /// The list of arguments that a `va_list` stands for.
    pub(crate) fn list(&mut self, id: FunctionIndex, list: ExprId) -> Option<PlaceId> {
        match self.location(id, list) {
            Some((place, key)) => {
                let inside = self.places.content(place, key);
                Some(self.merge(inside, place))
            }
            None => self.value(list),
        }
    }

    /// Gives a variable a value, whatever kind of variable it is.
    fn give(&mut self, id: FunctionIndex, target: ExprId, value: PlaceId) {
        let function = self.program.functions[id].function;
        match self.location(id, target) {
            Some((place, key)) => {
                let into = self.places.content(place, key);
                self.places.flow(value, into);
            }
            None => {
                if let Some(local) = plain_variable(function, target) {
                    let into = self.local(id, local);
                    self.places.flow(value, into);
                }
            }
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

/// The functions of a program that return memory which they allocate and do nothing else with: each of their calls makes
/// memory of its own.
pub(crate) fn allocators(program: &Program<'_>, callees: &Callees<'_, '_>) -> Vec<FunctionIndex> {
    let mut known: BTreeSet<FunctionIndex> = BTreeSet::new();
    // Functions that wrap others are found in the next round.
    for _ in 0..4 {
        let before = known.len();
        for (id, info) in program.functions.iter_enumerated() {
            if !known.contains(&id) && only_allocates(callees, info, &known) {
                known.insert(id);
            }
        }
        if known.len() == before {
            break;
        }
    }
    known.into_iter().collect()
}

fn only_allocates(
    callees: &Callees<'_, '_>,
    info: &FunctionInfo<'_>,
    known: &BTreeSet<FunctionIndex>,
) -> bool {
    let function = info.function;
    let allocates = |mut expr: ExprId| {
        loop {
            match &function.exprs[expr].kind {
                ExprKind::Cast(_, inner) => expr = *inner,
                ExprKind::Int(0) => return Some(false),
                ExprKind::Call {
                    callee: Callee::Named(name),
                    ..
                } => {
                    let mut callees = callees.of(info.unit, name).into_iter().peekable();
                    let is_new = match callees.peek() {
                        None => {
                            let effect = effect(name);
                            effect.allocates && effect.returns.is_none()
                        }
                        Some(_) => callees.all(|callee| known.contains(&callee)),
                    };
                    return is_new.then_some(true);
                }
                _ => return None,
            }
        }
    };
    let mut variable = None;
    let mut makes = false;
    for stmt in &function.stmts {
        let StmtKind::Return(Some(value)) = stmt.kind else {
            continue;
        };
        match plain_variable(function, value) {
            Some(local) if variable.is_none_or(|known| known == local) => variable = Some(local),
            Some(_) => return false,
            None => match allocates(value) {
                Some(new) => makes |= new,
                None => return false,
            },
        }
    }
    let Some(local) = variable else {
        return makes;
    };
    if local.index() < function.params
        || function.locals[local].is_static
        || function.locals[local].address_taken
    {
        return false;
    }
    // The variable is set from allocations, compared, returned, and given to library functions; no more.
    let mut harmless: BTreeSet<ExprId> = BTreeSet::new();
    let mut strip = |mut expr: ExprId| {
        while let ExprKind::Cast(_, inner) = function.exprs[expr].kind {
            expr = inner;
        }
        harmless.insert(expr);
    };
    for expr in &function.exprs {
        match &expr.kind {
            ExprKind::Assign {
                op: None,
                target,
                value,
            } if plain_variable(function, *target) == Some(local) => match allocates(*value) {
                Some(new) => {
                    makes |= new;
                    strip(*target);
                }
                None => return false,
            },
            ExprKind::Call {
                callee: Callee::Named(name),
                args,
            } if !callees.any(info.unit, name) && !effect(name).unknown && effect(name).copies.is_none() => {
                args.iter().for_each(|&arg| strip(arg));
            }
            ExprKind::Unary(UnaryOp::Not, a) => strip(*a),
            ExprKind::Binary(BinaryOp::Eq | BinaryOp::Ne, a, b) => {
                strip(*a);
                strip(*b);
            }
            ExprKind::And(a, b) | ExprKind::Or(a, b) => {
                strip(*a);
                strip(*b);
            }
            _ => {}
        }
    }
    for stmt in &function.stmts {
        match stmt.kind {
            StmtKind::Decl {
                local: declared,
                init: Some(init),
            } if declared == local => match allocates(init) {
                Some(new) => makes |= new,
                None => return false,
            },
            StmtKind::Return(Some(value)) => strip(value),
            StmtKind::If { cond, .. } => strip(cond),
            _ => {}
        }
    }
    let uses = function.exprs.iter_enumerated();
    makes
        && uses
            .filter(|(_, expr)| expr.kind == ExprKind::Var(VarRef::Local(local)))
            .all(|(id, _)| harmless.contains(&id))
}
