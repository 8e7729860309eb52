//! Calls of objects: which functions `x(1)` may lead to where `x` may be an object, and whom a function without source may call
//! of what it is given.
//!
//! No class of a variable is known here, so a call of an object may lead to the `operator()` of any class that takes so many
//! arguments. A big program has hundreds of them, and tens of thousands of calls: what they hand over meets in
//! places that they share, and nothing is lost by that, since each such function gets what all calls hand over.

use crate::build::cxx::may_be_object;
use crate::build::indirect::Table;
use crate::build::values::Values;
use crate::places::PlaceId;
use dataflow::FunctionIndex;
use ir::{ExprId, ExprKind, VarRef};

/// Calls of objects with one number of arguments, and where they meet the functions that objects are called as: linking each with each
/// would cost their product.
#[derive(Debug)]
pub(crate) struct ObjectCalls {
    calls: Vec<(FunctionIndex, ExprId)>,
    callees: Vec<FunctionIndex>,
    arguments: Vec<PlaceId>,
    object: PlaceId,
    result: PlaceId,
}

impl Values<'_, '_> {
    /// A call of what may be an object, with these arguments: it leads to every function that objects are called as and that takes
    /// so many.
    pub(crate) fn call_object(
        &mut self,
        (id, call): (FunctionIndex, ExprId),
        object: Option<PlaceId>,
        given: &[Option<PlaceId>],
        result: PlaceId,
    ) {
        let count = given.len();
        if !self.object_calls.contains_key(&count) {
            let calls = self.calls_of_objects(count);
            self.object_calls.insert(count, calls);
        }
        let Some(known) = self
            .object_calls
            .get_mut(&count)
            .filter(|known| !known.callees.is_empty())
        else {
            return;
        };
        known.calls.push((id, call));
        for (&argument, &into) in given.iter().zip(&known.arguments) {
            if let Some(argument) = argument {
                self.places.flow(argument, into);
            }
        }
        if let Some(object) = object {
            self.places.flow(object, known.object);
        }
        self.places.flow(known.result, result);
    }

    /// A call of an object of which it is known whom it leads to.
    pub(crate) fn call_known_object(
        &mut self,
        at: (FunctionIndex, ExprId),
        callees: &[FunctionIndex],
        object: Option<PlaceId>,
        given: &[Option<PlaceId>],
        result: PlaceId,
    ) {
        for &callee in callees {
            self.link(callee, given, given);
            let this = self.this(callee);
            if let Some(object) = object {
                self.places.flow(object, this);
            }
            let inside = self.result(callee);
            self.places.flow(inside, result);
            self.called_objects.entry(at).or_default().insert(callee);
        }
    }

    /// Where calls with so many arguments, and the functions that objects are called as, meet.
    fn calls_of_objects(&mut self, count: usize) -> ObjectCalls {
        let program = self.program;
        let callable = self.cxx.callable.iter().copied();
        let takes_them = |id: &FunctionIndex| {
            let function = program.functions[*id].function;
            self.cxx.takes(function, *id, count) && !self.closed.contains_key(id)
        };
        let calls = ObjectCalls {
            calls: Vec::new(),
            callees: callable.filter(takes_them).collect(),
            arguments: (0..count).map(|_| self.places.fresh()).collect(),
            object: self.places.fresh(),
            result: self.places.fresh(),
        };
        let arguments = Vec::from_iter(calls.arguments.iter().map(|&place| Some(place)));
        for &callee in &calls.callees {
            self.link(callee, &arguments, &arguments);
            let this = self.this(callee);
            self.places.flow(calls.object, this);
            let inside = self.result(callee);
            self.places.flow(inside, calls.result);
        }
        calls
    }

    /// A function without source is given these values. It may call those lambdas of the same file, and objects of all classes: as
    /// these functions may be called implicitly, the graph has no call of theirs for each of such calls.
    pub(crate) fn give_objects(
        &mut self,
        (id, call): (FunctionIndex, ExprId),
        given: &[PlaceId],
        result: PlaceId,
    ) {
        let Some((any, returned)) = self.given_objects else {
            return;
        };
        let unit = self.program.functions[id].unit;
        for &value in given {
            let inside = self.places.content(value, None);
            self.places.flow(value, any);
            self.places.flow(inside, any);
        }
        self.places.flow(returned, result);
        let lambdas = self.cxx.callable.iter().copied();
        let lambdas = lambdas.filter(|&callee| {
            let is_given = |calls: &Vec<_>| calls.contains(&(id, call));
            !self.cxx.around(callee).is_empty()
                && self.program.functions[callee].unit == unit
                && self.closed.get(&callee).is_none_or(is_given)
        });
        for callee in Vec::from_iter(lambdas) {
            let params = self.program.functions[callee].function.params;
            let this = self.this(callee);
            for &value in given {
                let inside = self.places.content(value, None);
                let all = self.merge(value, inside);
                self.link(callee, &vec![Some(all); params], &vec![Some(all); params]);
                self.places.flow(value, this);
            }
            let inside = self.result(callee);
            self.places.flow(inside, result);
            self.called_objects.entry((id, call)).or_default().insert(callee);
        }
    }

    /// Sets up what functions without source hand to the objects of all classes, and get back.
    pub(super) fn set_up_given(&mut self) {
        let (any, returned) = (self.places.fresh(), self.places.fresh());
        self.given_objects = Some((any, returned));
        let cxx = self.cxx;
        for &callee in cxx
            .callable
            .iter()
            .filter(|&&callee| cxx.around(callee).is_empty())
        {
            let params = self.program.functions[callee].function.params;
            self.link(callee, &vec![Some(any); params], &vec![Some(any); params]);
            let this = self.this(callee);
            self.places.flow(any, this);
            let inside = self.result(callee);
            self.places.flow(inside, returned);
        }
    }

    /// The calls of objects, once all are known: where these lead to as many functions as `table` they are a [`Table`].
    pub(crate) fn settle_object_calls(&mut self, table: usize) -> Vec<Table> {
        let mut tables = Vec::new();
        for mut known in std::mem::take(&mut self.object_calls).into_values() {
            known.calls.sort_unstable();
            known.calls.dedup();
            if known.calls.is_empty() {
                continue;
            }
            if known.callees.len() >= table {
                tables.push(Table {
                    calls: known.calls,
                    callees: known.callees,
                });
                continue;
            }
            for call in known.calls {
                self.called_objects
                    .entry(call)
                    .or_default()
                    .extend(&known.callees);
            }
        }
        tables
    }

    /// Whether what is called may be an object: a pointer to a function, and what `delete` is given, is none.
    pub(crate) fn may_call_object(&self, id: FunctionIndex, called: ExprId) -> bool {
        let info = &self.program.functions[id];
        match &info.function.exprs[called].kind {
            ExprKind::Var(VarRef::Local(local)) => may_be_object(info.function.locals[*local].ty),
            ExprKind::Var(VarRef::Global(name)) => may_be_object(self.type_of_global(info.unit, name)),
            ExprKind::Field { name, .. } => {
                let mut members = self.program.members(name).peekable();
                members.peek().is_none() || members.any(|member| may_be_object(member.ty))
            }
            _ => true,
        }
    }
}
