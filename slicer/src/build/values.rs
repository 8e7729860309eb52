//! What the values of a program may point to: constraints from expressions, function by function.
//!
//! Each expression gets the place of its value, if it may be a pointer. An lvalue also has a *location*: a place and the part
//! of what it points to ([`Values::location`]).

use crate::build::called::ObjectCalls;
use crate::build::callees::Callees;
use crate::build::classes::Classes;
use crate::build::closed::closed_lambdas;
use crate::build::cxx::Cxx;
use crate::build::locations::MemberNature;
use crate::build::macros::MacroFacts;
use crate::build::memory::Home;
use crate::build::moved::Moves;
use crate::build::names::Names;
use crate::build::objects::Unnamed;
use crate::places::{NameId, ObjectId, PlaceId, Places};
use base::{Id as _, IdVec};
use dataflow::{FunctionIndex, Program};
use hashbrown::HashMap;
use ir::{BinaryOp, ExprId, ExprKind, LocalId, StmtKind, Type, UnaryOp, VarRef};
use std::collections::{BTreeMap, BTreeSet};

/// A call whose callee a pointer tells.
#[derive(Clone, Debug)]
pub(crate) struct Indirect {
    pub(crate) caller: FunctionIndex,
    pub(crate) call: ExprId,
    /// What is called points here.
    pub(crate) callee: PlaceId,
    /// The values of the arguments.
    pub(crate) arguments: Vec<Option<PlaceId>>,
    /// A function without source is given the callee, and may call it with anything else that it is given.
    pub(crate) is_callback: bool,
    pub(crate) result: PlaceId,
}

/// Values, as they are found. What is hashed is only ever asked for one by one.
pub(crate) struct Values<'p, 'u> {
    pub(crate) program: &'p Program<'u>,
    pub(crate) callees: &'p Callees<'p, 'u>,
    pub(crate) homes: &'p [Vec<Home>],
    pub(crate) cxx: &'p Cxx,
    pub(crate) classes: &'p Classes<'u>,
    pub(crate) macros: &'p MacroFacts<'u>,
    pub(crate) names: Names,
    pub(crate) places: Places,
    /// Of each object that is a function: which function.
    pub(crate) objects: IdVec<ObjectId, Option<FunctionIndex>>,
    /// Of an object that an allocating function made: the object of the allocation inside.
    pub(crate) origins: BTreeMap<ObjectId, ObjectId>,
    locals: Vec<Vec<Option<PlaceId>>>,
    pub(super) results: Vec<PlaceId>,
    /// The object of the arguments beyond the parameters.
    rests: Vec<Option<PlaceId>>,
    function_objects: BTreeMap<FunctionIndex, PlaceId>,
    /// Functions without source whose addresses are taken, as far as names tell: the object of each, and its place.
    pub(crate) foreign: BTreeMap<ObjectId, &'u str>,
    foreign_places: HashMap<&'u str, PlaceId>,
    globals: HashMap<(Option<usize>, &'u str), PlaceId>,
    /// The types of variables at file scope, with the file when it is `static`.
    global_types: HashMap<(Option<usize>, &'u str), Type>,
    states: BTreeMap<Unnamed, PlaceId>,
    pub(super) members: HashMap<&'u str, MemberNature>,
    /// Elements of arrays, and what pointers point to: the address and the value. If nothing was ever stored there that
    /// points anywhere, and yet it is followed, the element is an array itself.
    pub(crate) elements: Vec<(PlaceId, PlaceId)>,
    /// Values that are followed.
    pub(crate) followed: Vec<PlaceId>,
    pub(super) moves: Moves,
    /// Members that stand inside another, by name.
    pub(crate) nested: BTreeSet<(NameId, NameId)>,
    /// What lies outside: memory that no source shows.
    pub(crate) outside: PlaceId,
    pub(crate) indirect: Vec<Indirect>,
    /// Of functions that return memory which they allocate: the object inside.
    pub(crate) allocators: BTreeMap<FunctionIndex, Option<PlaceId>>,
    /// Variables at file scope that files of C++ declare.
    object_globals: BTreeSet<(Option<usize>, &'u str)>,
    /// What any object of C++ may be; none in a program of C.
    pub(crate) any: Option<PlaceId>,
    /// The objects that member functions are called for through pointers to them; none in a program of C.
    pub(super) pointed_objects: Option<PlaceId>,
    /// What `this` is in functions that do not name it.
    pub(super) thises: BTreeMap<FunctionIndex, PlaceId>,
    /// Lambdas that calls of unknown objects cannot lead to, and the calls that are given them.
    pub(super) closed: HashMap<FunctionIndex, Vec<(FunctionIndex, ExprId)>>,
    /// The calls of objects, by their number of arguments.
    pub(super) object_calls: BTreeMap<usize, ObjectCalls>,
    /// What functions without source hand to the objects that they are given, and what they get back; none in a program of C.
    pub(super) given_objects: Option<(PlaceId, PlaceId)>,
    /// The functions that objects are called as, by call.
    pub(crate) called_objects: BTreeMap<(FunctionIndex, ExprId), BTreeSet<FunctionIndex>>,
    /// The addresses of what undeclared names in macros stand for: variables of their callers.
    captured_names: HashMap<&'u str, PlaceId>,
    /// Objects that stand for values which are handed to macros as if they were variables: the call, and which argument it is, of the
    /// function at hand.
    pub(crate) stand_ins: BTreeMap<(ExprId, usize), PlaceId>,
    /// The function at hand is a macro.
    is_macro: bool,
    /// The values of the expressions of the function at hand.
    values: Vec<Option<PlaceId>>,
}

/// A variable at file scope: its file, if it is `static`, and its name.
type GlobalName<'u> = (Option<usize>, &'u str);

/// The types of variables at file scope, and those variables that may be objects of C++.
fn globals<'u>(
    program: &Program<'u>,
    callees: &Callees<'_, 'u>,
    cxx: &Cxx,
) -> (HashMap<GlobalName<'u>, Type>, BTreeSet<GlobalName<'u>>) {
    let mut types = HashMap::new();
    let mut objects = BTreeSet::new();
    for (unit, each) in program.units.iter().enumerate() {
        for global in &each.globals {
            // A type of functions may be behind the name of its type.
            if global.ty == Type::Unknown && callees.any(unit, &global.name) {
                continue;
            }
            let name = (global.is_static.then_some(unit), global.name.as_str());
            if cxx.is_unit(unit) && matches!(global.ty, Type::Aggregate | Type::Unknown) {
                objects.insert(name);
            }
            let known = types.entry(name).or_insert(global.ty);
            if *known != global.ty {
                *known = Type::Unknown;
            }
        }
    }
    (types, objects)
}

impl<'p, 'u> Values<'p, 'u> {
    pub(crate) fn new(
        program: &'p Program<'u>,
        callees: &'p Callees<'p, 'u>,
        homes: &'p [Vec<Home>],
        cxx: &'p Cxx,
        classes: &'p Classes<'u>,
        macros: &'p MacroFacts<'u>,
    ) -> Self {
        let exprs: usize = program
            .functions
            .iter()
            .map(|info| info.function.exprs.len())
            .sum();
        // About as many as there turn out to be: growing would copy hundreds of megabytes.
        let mut places = Places::with_capacity(exprs / 2);
        let mut objects = IdVec::new();
        let outside = places.address(objects.push(None));
        let results = program.functions.ids().map(|_| places.fresh()).collect();
        let (global_types, object_globals) = globals(program, callees, cxx);
        let mut values = Values {
            program,
            callees,
            homes,
            cxx,
            classes,
            macros,
            names: Names::default(),
            places,
            objects,
            origins: BTreeMap::new(),
            locals: homes.iter().map(|homes| vec![None; homes.len()]).collect(),
            results,
            rests: vec![None; homes.len()],
            function_objects: BTreeMap::new(),
            foreign: BTreeMap::new(),
            foreign_places: HashMap::new(),
            globals: HashMap::new(),
            global_types,
            states: BTreeMap::new(),
            members: HashMap::new(),
            elements: Vec::new(),
            followed: Vec::new(),
            moves: Moves::default(),
            nested: BTreeSet::new(),
            outside,
            indirect: Vec::new(),
            allocators: BTreeMap::new(),
            object_globals,
            any: None,
            pointed_objects: None,
            thises: BTreeMap::new(),
            object_calls: BTreeMap::new(),
            closed: HashMap::new(),
            given_objects: None,
            called_objects: BTreeMap::new(),
            captured_names: HashMap::new(),
            stand_ins: BTreeMap::new(),
            is_macro: false,
            values: Vec::new(),
        };
        values.closed = closed_lambdas(program, callees, cxx);
        values.set_up_objects();
        values
    }

    /// Takes in all that a function does with pointers. Until the next call, [`value`](Self::value) and
    /// [`location`](Self::location) answer for its expressions.
    pub(crate) fn function(&mut self, id: FunctionIndex) {
        let info = &self.program.functions[id];
        let function = info.function;
        self.values.clear();
        self.stand_ins.clear();
        self.is_macro = function.kind.is_macro();
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
        self.thrown(id);
    }

    /// The place of an expression's value, if it may point somewhere.
    pub(crate) fn value(&self, id: ExprId) -> Option<PlaceId> {
        self.values.get(id.index()).copied().flatten()
    }

    /// An initial value of the variable at `place` names a function or a variable.
    pub(crate) fn initial_name(&mut self, unit: usize, place: PlaceId, name: &'u str) {
        let into = self.places.content(place, None);
        let value = match self.global(unit, name) {
            Some(value) if value == self.outside => self.foreign_address(name),
            Some(value) => Some(value),
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

    pub(super) fn fresh_object(&mut self) -> PlaceId {
        let object = self.objects.push(None);
        self.places.address(object)
    }

    /// The place of a local variable: the address of one in memory, the value of another.
    pub(crate) fn local(&mut self, id: FunctionIndex, local: LocalId) -> PlaceId {
        if let Some(place) = self.locals[id.index()][local.index()] {
            return place;
        }
        let place = match self.homes[id.index()][local.index()] {
            // Of one that is borrowed, the address comes from the caller.
            Home::Value | Home::Borrowed => self.places.fresh(),
            Home::Memory | Home::Aggregate => self.fresh_object(),
        };
        if self.homes[id.index()][local.index()] == Home::Aggregate && self.cxx.is_cxx(id) {
            self.note_object(place);
        }
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

    /// The same, if anybody reads or hands over any.
    pub(crate) fn known_rest(&self, id: FunctionIndex) -> Option<PlaceId> {
        self.rests[id.index()]
    }

    /// The state that a group of library functions keeps.
    pub(crate) fn state(&mut self, of: Unnamed) -> PlaceId {
        if let Some(&place) = self.states.get(&of) {
            return place;
        }
        let place = self.fresh_object();
        self.states.insert(of, place);
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
            None if self.is_macro && self.macros.is_captured(name) => Some(self.captured_name(name)),
            // A variable of some header, or a constant that was not resolved.
            None => Some(self.outside),
        }
    }

    /// The address of what an undeclared name in macros stands for.
    pub(super) fn captured_name(&mut self, name: &'u str) -> PlaceId {
        if let Some(&place) = self.captured_names.get(name) {
            return place;
        }
        let place = self.places.fresh();
        self.captured_names.insert(name, place);
        place
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
        if self.object_globals.contains(&key) {
            self.note_object(place);
        }
        self.globals.insert(key, place);
        place
    }

    /// The type of a variable at file scope. A name without a declaration is a constant, so its type is a number.
    pub(crate) fn type_of_global(&self, unit: usize, name: &str) -> Type {
        let mut keys = [(Some(unit), name), (None, name)].into_iter();
        keys.find_map(|key| self.global_types.get(&key).copied())
            .unwrap_or(Type::Pointer)
    }

    pub(super) fn global_type(&self, unit: usize, name: &'u str) -> Type {
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
        if let Some(objects) = self.pointed_objects.filter(|_| self.cxx.is_cxx(id)) {
            let this = self.this(id);
            self.places.flow(objects, this);
        }
        place
    }

    /// A pointer to a function without source, if a name that the program does not declare may be one: constants are
    /// written in capitals.
    fn foreign_address(&mut self, name: &'u str) -> Option<PlaceId> {
        if base::is_shouted(name.as_bytes()) {
            return None;
        }
        if let Some(&place) = self.foreign_places.get(name) {
            return Some(place);
        }
        let object = self.objects.push(None);
        let place = self.places.address(object);
        self.foreign.insert(object, name);
        self.names.id(name);
        self.foreign_places.insert(name, place);
        Some(place)
    }

    pub(super) fn merge(&mut self, a: PlaceId, b: PlaceId) -> PlaceId {
        if self.places.find(a) == self.places.find(b) {
            return a;
        }
        let both = self.places.fresh();
        self.places.flow(a, both);
        self.places.flow(b, both);
        both
    }

    pub(super) fn merge_values(&mut self, a: ExprId, b: ExprId) -> Option<PlaceId> {
        match (self.value(a), self.value(b)) {
            (Some(a), Some(b)) => Some(self.merge(a, b)),
            (one, other) => one.or(other),
        }
    }

    fn value_of_local(&mut self, id: FunctionIndex, local: LocalId) -> Option<PlaceId> {
        let ir::Local { ty, object, .. } = &self.program.functions[id].function.locals[local];
        if matches!(ty, Type::Float { .. }) {
            return None;
        }
        let place = self.local(id, local);
        match self.homes[id.index()][local.index()] {
            // Without its type it cannot be told whether it is an object or refers to one, as iterators do.
            Home::Aggregate
                if *ty == Type::Unknown && self.cxx.is_cxx(id) && !self.classes.is_own_object(*object) =>
            {
                let inside = self.places.content(place, None);
                Some(self.merge(place, inside))
            }
            Home::Value | Home::Aggregate => Some(place),
            Home::Memory | Home::Borrowed => Some(self.places.content(place, None)),
        }
    }

    fn value_of_global(&mut self, id: FunctionIndex, name: &'u str) -> Option<PlaceId> {
        let unit = self.program.functions[id].unit;
        match self.global(unit, name) {
            // What the program does not declare points to nothing of the program's, but may be a function.
            Some(place) if place == self.outside => self.foreign_address(name),
            Some(place) => match self.global_type(unit, name) {
                Type::Array | Type::Aggregate => Some(place),
                Type::Float { .. } => None,
                _ => Some(self.places.content(place, None)),
            },
            None => {
                let callees = self.callees.of(unit, name).into_iter();
                let places = Vec::from_iter(callees.map(|callee| self.function_address(callee)));
                places.into_iter().reduce(|a, b| self.merge(a, b))
            }
        }
    }

    /// The value of `a.name`: of an array, and of an object within the object, its address.
    fn value_of_member(&mut self, id: FunctionIndex, expr: ExprId, name: &str) -> Option<PlaceId> {
        let nature = self.member(name);
        let (place, key) = self.location(id, expr)?;
        if nature.all_arrays || nature.aggregate {
            let address = self.address(id, expr)?;
            if nature.all_arrays {
                self.note_array(address);
            }
            return Some(address);
        }
        let value = self.places.content(place, key);
        if nature.some_array {
            let address = self.address(id, expr)?;
            self.note_array(address);
            Some(self.merge(value, address))
        } else {
            Some(value)
        }
    }

    fn evaluate(&mut self, id: FunctionIndex, expr: ExprId) -> Option<PlaceId> {
        let function = self.program.functions[id].function;
        match &function.exprs[expr].kind {
            ExprKind::Int(_) | ExprKind::Float(_) | ExprKind::Str => None,
            ExprKind::Constant | ExprKind::BuildChoice | ExprKind::Throw(_) => None,
            ExprKind::Var(VarRef::Local(local)) => self.value_of_local(id, *local),
            ExprKind::Var(VarRef::Global(name)) => self.value_of_global(id, name),
            ExprKind::Unary(UnaryOp::Not, _) | ExprKind::And(..) | ExprKind::Or(..) => None,
            ExprKind::Unary(_, a) => self.value(*a),
            ExprKind::Binary(op, a, b) => match op {
                BinaryOp::Add | BinaryOp::Sub => {
                    for part in [*a, *b] {
                        self.note_move(id, part, self.value(part));
                    }
                    self.merge_values(*a, *b)
                }
                BinaryOp::BitAnd | BinaryOp::BitOr | BinaryOp::BitXor => self.merge_values(*a, *b),
                _ => None,
            },
            ExprKind::Conditional(_, a, b) => self.merge_values(*a, *b),
            ExprKind::Comma(_, b) => self.value(*b),
            ExprKind::Assign { op, target, value } => {
                if op.is_none() {
                    self.assign(id, *target, *value);
                } else {
                    self.note_move(id, *target, self.value(*target));
                }
                self.value(*target)
            }
            ExprKind::Step { target, .. } => {
                self.note_move(id, *target, self.value(*target));
                self.value(*target)
            }
            ExprKind::Call { callee, args } => self.call(id, expr, callee, args),
            ExprKind::Captured { name, .. } => self.captured(id, name),
            ExprKind::Field { name, .. } => self.value_of_member(id, expr, name),
            ExprKind::Index { .. } | ExprKind::Deref(_) | ExprKind::Unseen => {
                let (place, key) = self.location(id, expr)?;
                match function.exprs[expr].kind {
                    ExprKind::Index { index, .. } => self.note_subscript(id, index, place),
                    ExprKind::Deref(inner) => self.note_followed(id, inner, place),
                    _ => {}
                }
                let value = self.places.content(place, key);
                self.elements.push((place, value));
                Some(value)
            }
            ExprKind::AddressOf(inner) => self.address_taken(id, *inner),
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

    /// The place of `&inner`.
    fn address_taken(&mut self, id: FunctionIndex, inner: ExprId) -> Option<PlaceId> {
        match &self.program.functions[id].function.exprs[inner].kind {
            ExprKind::Var(VarRef::Global(name)) => {
                let unit = self.program.functions[id].unit;
                let declared = self.global(unit, name).filter(|&place| place != self.outside);
                let outside = self.outside;
                declared.or_else(|| self.value(inner)).or(Some(outside))
            }
            ExprKind::Field { name, .. } => {
                let address = self.address(id, inner)?;
                self.note_member_address(name, address);
                Some(address)
            }
            _ => self.address(id, inner),
        }
    }

    /// The place of what a call hands over for an argument.
    pub(super) fn given(&mut self, id: FunctionIndex, argument: ExprId) -> Option<PlaceId> {
        if self.program.functions[id].function.by_address.contains(&argument) {
            self.address_taken(id, argument)
        } else {
            self.value(argument)
        }
    }
}
