//! Objects of C++: what `this` points to, what lambdas reach, and what functions do that are called implicitly.
//!
//! Of a member function, `this` is whatever it is called for. A function that may be called implicitly
//! (constructors, destructors, operators) may be called for any object: these are all one class of contents, in which only the names of
//! members tell one thing from another.

use crate::build::cxx::{is_standard, may_be_object, this_of, thrown};
use crate::build::values::Values;
use crate::places::PlaceId;
use base::Id as _;
use dataflow::FunctionIndex;
use ir::{Callee, ExprId, ExprKind, Held, LocalId, Receiver, VarRef};
use library::HiddenState;

impl<'u> Values<'_, 'u> {
    /// Makes the place of all objects, and gives it to the functions that may be called for any of them.
    pub(crate) fn set_up_objects(&mut self) {
        if !self.cxx.is_anywhere() {
            return;
        }
        let any = self.places.fresh();
        self.any = Some(any);
        self.pointed_objects = Some(self.places.fresh());
        self.set_up_given();
        let cxx = self.cxx;
        for &id in &cxx.implicit {
            let this = self.this(id);
            self.places.flow(any, this);
            self.give_any(id, any);
        }
        for &id in &cxx.callable {
            for &around in cxx.around(id) {
                let (inner, outer) = (self.this(id), self.this(around));
                let object = self.fresh_object();
                self.places.flow(object, inner);
                // The object's address is a member of the lambda's own object.
                let member = self.places.content(inner, None);
                self.places.flow(outer, member);
                // And a lambda in a lambda reaches what the outer one does.
                let further = self.places.content(outer, None);
                self.places.flow(further, member);
            }
        }
    }

    /// The parameters of a function may be anything.
    fn give_any(&mut self, id: FunctionIndex, any: PlaceId) {
        let function = self.program.functions[id].function;
        for index in 0..function.params {
            let local = LocalId::from_index(index);
            if !matches!(
                function.locals[local].ty,
                ir::Type::Int { .. } | ir::Type::Float { .. }
            ) {
                let place = self.local(id, local);
                self.places.flow(any, place);
            }
        }
    }

    /// What `this` is in a function.
    pub(crate) fn this(&mut self, id: FunctionIndex) -> PlaceId {
        if let Some(local) = this_of(self.program.functions[id].function) {
            return self.local(id, local);
        }
        if let Some(&place) = self.thises.get(&id) {
            return place;
        }
        let place = self.places.fresh();
        self.thises.insert(id, place);
        place
    }

    /// An object of C++ is one of those that functions may be called for implicitly.
    pub(crate) fn note_object(&mut self, place: PlaceId) {
        if let Some(any) = self.any {
            self.places.unite_contents(any, place);
        }
    }

    /// The object that a call is made for.
    pub(crate) fn receiver(&mut self, id: FunctionIndex, call: ExprId) -> Option<PlaceId> {
        let object = self.cxx.receiver(id, call)?;
        self.value(object).or(self.any)
    }

    /// As [`Classes::is_for_container`](crate::build::classes::Classes::is_for_container).
    pub(crate) fn is_for_container(&self, id: FunctionIndex, call: ExprId) -> bool {
        self.classes.is_for_container(self.program, self.cxx, id, call)
    }

    /// What the object of the standard library holds that a call is made for: none where it may be another.
    pub(crate) fn library_object(&self, id: FunctionIndex, object: ExprId) -> Option<Held> {
        self.classes.library_object(self.program, self.cxx, id, object)
    }

    /// The object that a function without source may be called for by its name alone: in a member function, a name that classes of the
    /// standard library have may be one of a class from which that of the function derives.
    pub(crate) fn own_receiver(&mut self, id: FunctionIndex, call: ExprId, name: &str) -> Option<PlaceId> {
        let unit = self.program.functions[id].unit;
        let may_be = self.may_be_inherited(id, call, name)
            || self.is_name_alone(id, call) && is_standard(name) && !self.callees.any(unit, name);
        may_be.then(|| self.own_object(id))
    }

    /// Whether a call by its name alone may mean a function that the class of the object at hand has from the standard library, even if the program has
    /// functions of that name.
    pub(crate) fn may_be_inherited(&self, id: FunctionIndex, call: ExprId, name: &str) -> bool {
        self.is_name_alone(id, call)
            && is_standard(name)
            && self
                .classes
                .may_inherit_from_library(self.program.functions[id].function)
    }

    /// Whether a member function calls something by its name alone.
    fn is_name_alone(&self, id: FunctionIndex, call: ExprId) -> bool {
        self.program.functions[id].function.receivers.get(&call) == Some(&Receiver::This)
    }

    /// The object that a member function is called for, or that a lambda in one has captured.
    fn own_object(&mut self, id: FunctionIndex) -> PlaceId {
        let own = self.this(id);
        if self.cxx.around(id).is_empty() {
            return own;
        }
        let outer = self.places.content(own, None);
        self.merge(own, outer)
    }

    /// Tells a function for which object it is called. `new` is the object that a constructor makes.
    pub(crate) fn link_this(
        &mut self,
        (id, call): (FunctionIndex, ExprId),
        callee: FunctionIndex,
        new: Option<PlaceId>,
    ) {
        if !self.cxx.is_cxx(callee) {
            return;
        }
        let this = self.this(callee);
        if let Some(new) = new {
            self.places.flow(new, this);
        }
        if let Some(object) = self.receiver(id, call) {
            self.places.flow(object, this);
        } else if self.cxx.is_cxx(id) {
            let own = self.own_object(id);
            self.places.flow(own, this);
        }
    }

    /// An operator may be a member: then its first operand is the object.
    pub(crate) fn link_operator(
        &mut self,
        callee: FunctionIndex,
        values: &[Option<PlaceId>],
        structures: &[Option<PlaceId>],
    ) {
        if values.is_empty() {
            return;
        }
        let this = self.this(callee);
        for object in [values[0], structures[0]].into_iter().flatten() {
            self.places.flow(object, this);
        }
        self.link(callee, &values[1..], &structures[1..]);
    }

    /// Whether a function is a constructor, so that its call makes an object.
    pub(crate) fn makes_object(&self, callee: FunctionIndex) -> bool {
        self.cxx.is_cxx(callee) && self.program.functions[callee].function.is_constructor()
    }

    /// An object of C++ that a call makes.
    pub(crate) fn new_object(&mut self) -> PlaceId {
        let new = self.allocate(None);
        self.note_object(new);
        new
    }

    /// Whether a call without a function of the program makes an object of a class of the program, and nothing else: its class has no
    /// constructor of its own, and those of its members are called implicitly.
    pub(crate) fn is_default_constructor(&self, name: &str, args: &[ExprId]) -> bool {
        args.is_empty() && self.classes.is_certain_class(name)
    }

    /// Whether the value of an expression is an object of a class of the program, and not what leads to one: whoever gets it has what is in
    /// it, and not its address.
    pub(crate) fn is_whole_object(&self, id: FunctionIndex, expr: ExprId) -> bool {
        let function = self.program.functions[id].function;
        match &function.exprs[expr].kind {
            ExprKind::Var(VarRef::Local(local)) => self.classes.is_own_object(function.locals[*local].object),
            ExprKind::Call {
                callee: Callee::Named(name),
                args,
            } => {
                let callees = self.callees_of((id, expr), name);
                let mut callees = callees.iter().peekable();
                match callees.peek() {
                    None => self.is_default_constructor(name, args),
                    Some(_) => {
                        self.classes.is_certain_class(name)
                            && callees.all(|&callee| self.makes_object(callee))
                    }
                }
            }
            _ => false,
        }
    }

    /// What a member of a lambda's object points to: the variable that it stands for, or, of a reference, what that points to.
    pub(crate) fn captured(&mut self, id: FunctionIndex, name: &str) -> Option<PlaceId> {
        let variables = self.cxx.named(self.program, id, name);
        let mut places = Vec::new();
        for (around, local) in variables {
            let place = self.local(around, local);
            places.push(place);
            if self.cxx.is_cxx(id) {
                places.push(self.places.content(place, None));
            }
        }
        places.into_iter().reduce(|a, b| self.merge(a, b)).or(self.any)
    }

    /// Where a value is that the source does not show: in the range, or where what was thrown is.
    pub(crate) fn unseen(&mut self, id: FunctionIndex, expr: ExprId) -> Option<PlaceId> {
        match self.cxx.range(id, expr) {
            Some(range) => self.value(range),
            None => Some(self.state(Unnamed::Thrown)),
        }
    }

    /// Notes what a function throws.
    pub(crate) fn thrown(&mut self, id: FunctionIndex) {
        if !self.cxx.is_cxx(id) {
            return;
        }
        for (value, _) in thrown(self.program.functions[id].function) {
            if let Some(value) = value.and_then(|value| self.value(value)) {
                let state = self.state(Unnamed::Thrown);
                let into = self.places.content(state, None);
                self.places.flow(value, into);
            }
        }
    }

    /// Whether an argument may be an object that can be called.
    pub(crate) fn may_be_callable(&self, id: FunctionIndex, arg: ExprId) -> bool {
        let function = self.program.functions[id].function;
        match &function.exprs[arg].kind {
            ExprKind::Var(VarRef::Local(local)) => may_be_object(function.locals[*local].ty),
            ExprKind::AddressOf(inner) | ExprKind::Cast(_, inner) => self.may_be_callable(id, *inner),
            ExprKind::List(_) | ExprKind::Call { .. } | ExprKind::Field { .. } | ExprKind::Var(_) => true,
            _ => false,
        }
    }
}

/// Memory that functions share and the source has no name for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) enum Unnamed {
    /// What functions of a library keep between calls.
    Kept(HiddenState),
    /// Where what is thrown stands.
    Thrown,
}
