//! What calls hand over, and what functions without source do with pointers.

use crate::build::cxx::is_standard;
use crate::build::indirect::ARGUMENTS;
use crate::build::locations::plain_variable;
use crate::build::memory::Home;
use crate::build::values::{Indirect, Values};
use crate::effect::{LibraryEffect, effect};
use crate::places::PlaceId;
use base::Id as _;
use dataflow::{FunctionIndex, pack_expansion, parameter_pack};
use ir::{Callee, ExprId, ExprKind, FunctionKind, Language, LocalId, Type, VarRef};

impl<'u> Values<'_, 'u> {
    /// Notes the object that a function allocates, when its values have just been worked out.
    pub(crate) fn settle_allocator(&mut self, id: FunctionIndex) {
        if !self.allocators.contains_key(&id) {
            return;
        }
        let function = self.program.functions[id].function;
        let mut inner = None;
        for (expr, each) in function.exprs.iter_enumerated() {
            if let ExprKind::Call {
                callee: callee @ (Callee::Named(_) | Callee::Macro(_)),
                ..
            } = &each.kind
                && let Some(name) = callee.name()
            {
                let unit = self.program.functions[id].unit;
                let callees = match callee {
                    Callee::Macro(_) => self.definitions(unit, &name),
                    _ => self.callees.of(unit, &name),
                };
                let mut callees = callees.into_iter().peekable();
                let is_new = match callees.peek() {
                    None => effect(&name).allocates,
                    Some(_) => callees.all(|callee| self.allocators.contains_key(&callee)),
                };
                if is_new {
                    inner = self.value(expr).or(inner);
                }
            }
        }
        self.allocators.insert(id, inner);
    }

    pub(super) fn call(
        &mut self,
        id: FunctionIndex,
        call: ExprId,
        callee: &'u Callee,
        args: &[ExprId],
    ) -> Option<PlaceId> {
        match callee {
            Callee::Named(name) => self.call_named(id, call, name, args),
            Callee::Macro(called) => self.call_macro(id, call, called.name.as_str(), args),
            Callee::Indirect(pointer) => self.call_through(id, call, *pointer, args),
        }
    }

    /// A call by name: of functions of the program, of the library's, or of either.
    fn call_named(
        &mut self,
        id: FunctionIndex,
        call: ExprId,
        name: &'u str,
        args: &[ExprId],
    ) -> Option<PlaceId> {
        let callees = self.callees_of((id, call), name);
        if callees.is_empty() {
            return if self.is_default_constructor(name, args) {
                Some(self.new_object())
            } else {
                self.call_library(id, call, name, args)
            };
        }
        let result = self.places.fresh();
        if self.means_library(id, call, name)
            && let Some(value) = self.call_library(id, call, name, args)
        {
            self.places.flow(value, result);
        }
        // A constructor makes an object.
        let makes = callees.iter().any(|&callee| self.makes_object(callee));
        let new = makes.then(|| self.new_object());
        if let Some(new) = new {
            self.places.flow(new, result);
        }
        let mut structures: Vec<Option<PlaceId>> = args.iter().map(|&arg| self.address(id, arg)).collect();
        let mut values: Vec<Option<PlaceId>> = args.iter().map(|&arg| self.given(id, arg)).collect();
        if let Some(expands) = pack_expansion(self.program.functions[id].function, args) {
            let most = callees
                .iter()
                .map(|&callee| self.program.functions[callee].function.params)
                .max();
            self.spread(&mut structures, expands, most.unwrap_or(0));
            self.spread(&mut values, expands, most.unwrap_or(0));
        }
        for callee in callees {
            self.link(callee, &values, &structures);
            self.link_this((id, call), callee, new);
            if base::is_operator(name) && self.cxx.is_cxx(callee) {
                self.link_operator(callee, &values, &structures);
            }
            self.take_result(callee, result);
        }
        Some(result)
    }

    /// From an argument on that stands for any number of them, each of `count` may be any. Which of them are references is not known:
    /// what is given may be what stands at an address.
    fn spread(&mut self, given: &mut Vec<Option<PlaceId>>, expands: usize, count: usize) {
        let open = given.drain(expands..).flatten();
        let all = Vec::from_iter(open).into_iter().reduce(|a, b| self.merge(a, b));
        let all = all.map(|all| self.either(all));
        given.resize(count.max(expands + 1), all);
    }

    /// A value, or what stands there if it is an address.
    fn either(&mut self, value: PlaceId) -> PlaceId {
        let inside = self.places.content(value, None);
        self.merge(value, inside)
    }

    /// What a call of something of a type that is not known hands over: the source does not say whether that takes an address that is
    /// given, or what stands there.
    fn handed(&mut self, id: FunctionIndex, arg: ExprId) -> Option<PlaceId> {
        let value = self.value(arg)?;
        let function = self.program.functions[id].function;
        let may_be_reference = match function.exprs[arg].kind {
            ExprKind::AddressOf(_) => true,
            ExprKind::Var(VarRef::Local(local)) => function.locals[local].ty == Type::Pointer,
            _ => false,
        };
        Some(if may_be_reference {
            self.either(value)
        } else {
            value
        })
    }

    /// The functions of the program that a call by `name` may mean.
    pub(crate) fn callees_of(&self, (id, call): (FunctionIndex, ExprId), name: &str) -> Vec<FunctionIndex> {
        let mut all = self.callees.of(self.program.functions[id].unit, name);
        let caller = self.program.functions[id].function;
        // What evaluates the default arguments of a lambda calls no object of a class.
        if caller.kind == FunctionKind::DefaultArguments
            && name == ir::CALL
            && caller.name != name
            && self.cxx.receiver(id, call).is_none()
        {
            all.retain(|&callee| self.program.functions[callee].function.kind == FunctionKind::Lambda);
        }
        self.classes.narrow(self.program, self.cxx, (id, call), all)
    }

    /// A call through a pointer or of an object. Whom it may mean is known when all places are.
    fn call_through(
        &mut self,
        id: FunctionIndex,
        call: ExprId,
        pointer: ExprId,
        args: &[ExprId],
    ) -> Option<PlaceId> {
        let function = self.program.functions[id].function;
        let mut place = self.value(pointer);
        // `(*f)(x)` and `f(x)` are one.
        if let ExprKind::Deref(inner) = function.exprs[pointer].kind {
            place = match (place, self.value(inner)) {
                (Some(a), Some(b)) => Some(self.merge(a, b)),
                (one, other) => one.or(other),
            };
        }
        let result = self.places.fresh();
        let is_generic = self.cxx.is_cxx(id)
            && matches!(function.exprs[pointer].kind, ExprKind::Var(VarRef::Local(local)) if function.locals[local].ty == Type::Unknown);
        let mut arguments = Vec::with_capacity(args.len());
        for &arg in args {
            arguments.push(if is_generic {
                self.handed(id, arg)
            } else {
                self.given(id, arg)
            });
        }
        if let (Some(objects), Some(object)) = (self.pointed_objects, self.receiver(id, call)) {
            self.places.flow(object, objects);
        }
        let is_member = self.cxx.receiver(id, call).is_some();
        if self.cxx.is_cxx(id) && !is_member {
            match self.classes.called_as(self.program, self.cxx, id, pointer) {
                Some(callees) => self.call_known_object((id, call), &callees, place, &arguments, result),
                None if self.may_call_object(id, pointer) => match pack_expansion(function, args) {
                    None => self.call_object((id, call), place, &arguments, result),
                    Some(expands) => {
                        // It may be a call with any number of arguments.
                        for count in expands..=ARGUMENTS {
                            let mut given = arguments.clone();
                            self.spread(&mut given, expands, count);
                            given.truncate(count);
                            self.call_object((id, call), place, &given, result);
                        }
                    }
                },
                None => {}
            }
        }
        if let Some(expands) = pack_expansion(function, args) {
            self.spread(&mut arguments, expands, ARGUMENTS);
        }
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

    /// The definitions of a macro that a call may mean, and the functions of its name.
    fn definitions(&self, unit: usize, name: &str) -> Vec<FunctionIndex> {
        let mut all = self.macros.of(name).to_vec();
        all.extend(self.callees.of(unit, name));
        all
    }

    fn take_result(&mut self, callee: FunctionIndex, result: PlaceId) {
        match self.allocators.get(&callee).copied() {
            Some(inner) => {
                let new = self.allocate(inner);
                self.places.flow(new, result);
            }
            None => self.places.flow(self.results[callee.index()], result),
        }
    }

    /// A call of a macro that is left as it is: of all its definitions.
    fn call_macro(
        &mut self,
        id: FunctionIndex,
        call: ExprId,
        name: &'u str,
        args: &[ExprId],
    ) -> Option<PlaceId> {
        let info = &self.program.functions[id];
        let opaque = self.macros.is_opaque(self.program, name, args.len());
        let unknown = if opaque {
            self.call_library(id, call, name, args)
        } else {
            None
        };
        let callees = self.definitions(info.unit, name);
        if callees.is_empty() {
            return unknown;
        }
        let result = self.places.fresh();
        if let Some(unknown) = unknown {
            self.places.flow(unknown, result);
        }
        for callee in callees {
            let values: Vec<Option<PlaceId>> = args.iter().map(|&arg| self.value(arg)).collect();
            let mut addresses = Vec::with_capacity(args.len());
            for (index, &arg) in args.iter().enumerate() {
                let borrowed = self.macros.is_borrowed(callee, index);
                addresses.push(if borrowed && self.location(id, arg).is_none() {
                    Some(self.stand_in(call, index, values[index]))
                } else {
                    self.address(id, arg)
                });
            }
            self.link(callee, &values, &addresses);
            self.take_result(callee, result);
            if self.macros.leaves(name) {
                self.places
                    .flow(self.results[callee.index()], self.results[id.index()]);
            }
        }
        for free in self.macros.free(name) {
            for (local, each) in info.function.locals.iter_enumerated() {
                if each.name == free {
                    let (variable, captured) = (self.local(id, local), self.captured_name(free));
                    self.places.flow(variable, captured);
                }
            }
        }
        Some(result)
    }

    /// An object that has the value of an argument which is no variable, for a macro that takes it for one.
    fn stand_in(&mut self, call: ExprId, index: usize, value: Option<PlaceId>) -> PlaceId {
        let place = match self.stand_ins.get(&(call, index)) {
            Some(&place) => place,
            None => self.fresh_object(),
        };
        self.stand_ins.insert((call, index), place);
        if let Some(value) = value {
            let inside = self.places.content(place, None);
            self.places.flow(value, inside);
        }
        place
    }

    /// New memory. `inner` is the allocation in the function that was called, if it is one with source: what is written there
    /// is written here.
    pub(super) fn allocate(&mut self, inner: Option<PlaceId>) -> PlaceId {
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
        let function = self.program.functions[callee].function;
        let params = function.params;
        let pack = parameter_pack(function).unwrap_or(params);
        for (given, value) in values.iter().enumerate() {
            // All that is given from there on is in the pack.
            let index = if pack < params { given.min(pack) } else { given };
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
                Home::Borrowed => {
                    if let Some(variable) = structures.get(given).copied().flatten() {
                        self.places.flow(variable, place);
                    }
                }
                // An array that is a parameter is a pointer; a structure is copied.
                Home::Aggregate => {
                    if let Some(value) = *value {
                        self.places.flow(value, place);
                    }
                    if let Some(structure) = structures.get(given).copied().flatten() {
                        self.places.flow(structure, place);
                    }
                }
            }
        }
    }

    pub(super) fn call_library(
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
        let effect = self.effect_of(id, call, name, args.len());
        if !effect.unknown {
            self.note_counted(id, name, args, &effect);
        }
        let LibraryEffect {
            allocates,
            returns,
            copies,
            gives,
            unknown,
            ..
        } = effect;
        if let Some((into, from)) = copies
            && let (Some(into), Some(from)) = (value(self, into.into()), value(self, from.into()))
        {
            self.places.unite_contents(into, from);
        }
        if let Some(given) = gives.and_then(|index| value(self, index.into())) {
            let new = self.allocate(None);
            let into = self.places.content(given, None);
            self.places.flow(new, into);
        }
        let mut results: Vec<PlaceId> = Vec::new();
        if allocates {
            results.push(self.allocate(None));
        }
        results.extend(returns.and_then(|index| value(self, index.into())));
        if unknown {
            results.extend(self.call_unknown(id, call, name, args));
        }
        results.into_iter().reduce(|a, b| self.merge(a, b))
    }

    /// A call of a function of which nothing is known; gives what it may return.
    fn call_unknown(&mut self, id: FunctionIndex, call: ExprId, name: &str, args: &[ExprId]) -> Vec<PlaceId> {
        let mut results = Vec::new();
        let mut given: Vec<PlaceId> = args.iter().filter_map(|&arg| self.value(arg)).collect();
        given.extend(self.receiver(id, call));
        given.extend(self.own_receiver(id, call, name));
        if self.cxx.is_cxx(id) {
            // The callee, of which nothing is known, may make an object and return it.
            results.push(self.new_object());
        }
        // What an object that holds values hands out stands in it.
        let container = self
            .receiver(id, call)
            .filter(|_| self.is_for_container(id, call));
        // It may keep each argument in what another points to, and hand out any of them.
        for &one in &given {
            let inside = self.places.content(one, None);
            for &other in &given {
                if one != other {
                    self.places.flow(other, inside);
                }
            }
            if Some(one) != container {
                results.push(inside);
            }
        }
        results.extend(given.iter().copied());
        let result = self.places.fresh();
        self.call_objects_given(id, call, args, &given, result);
        results.push(result);
        // It may call each of them, with any of them.
        let arguments = Vec::from_iter(given.iter().map(|&place| Some(place)));
        for &arg in args {
            let Some(callee) = self.callback(id, arg) else {
                continue;
            };
            // The function may be a member function, and the object one of the arguments.
            if let Some(objects) = self.pointed_objects {
                given.iter().for_each(|&place| self.places.flow(place, objects));
            }
            self.indirect.push(Indirect {
                caller: id,
                call,
                callee,
                arguments: arguments.clone(),
                is_callback: true,
                result,
            });
        }
        results
    }

    /// What a function without source does, as far as this call of it may mean one of that name: what is called for an object is
    /// none of C. In Fortran the last argument of MPI's functions is the error code.
    pub(crate) fn effect_of(
        &self,
        id: FunctionIndex,
        call: ExprId,
        name: &str,
        arguments: usize,
    ) -> LibraryEffect {
        let is_fortran = self.program.functions[id].function.language == Language::Fortran;
        match (self.cxx.receiver(id, call), arguments.checked_sub(1)) {
            (Some(_), _) => effect(""),
            (None, Some(last)) if is_fortran && base::is_mpi(name) => effect(name).setting(last),
            (None, _) => effect(name),
        }
    }

    /// Whether a call may mean a function of the standard library as well as those of the program that have its name.
    pub(crate) fn means_library(&self, id: FunctionIndex, call: ExprId, name: &str) -> bool {
        let is_object = self.cxx.receiver(id, call).is_some() || base::is_operator(name);
        self.cxx.is_cxx(id) && is_object && is_standard(name)
            || self.may_be_inherited(id, call, name)
            || self.is_for_container(id, call)
    }

    /// A function without source may call the objects that it is given, if an argument may be one.
    fn call_objects_given(
        &mut self,
        id: FunctionIndex,
        call: ExprId,
        args: &[ExprId],
        given: &[PlaceId],
        result: PlaceId,
    ) {
        if !self.cxx.is_cxx(id) || !args.iter().any(|&arg| self.may_be_callable(id, arg)) {
            return;
        }
        self.give_objects((id, call), given, result);
    }

    /// The value of an argument that may be a function: one that is named, or a variable. Functions in tables that are
    /// handed over are not followed.
    pub(super) fn callback(&self, id: FunctionIndex, arg: ExprId) -> Option<PlaceId> {
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
    pub(super) fn give(&mut self, id: FunctionIndex, target: ExprId, value: PlaceId) {
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
