//! What each node of a function reads and writes.

use crate::build::memory::Home;
use crate::build::objects::Unnamed;
use crate::build::values::Values;
use crate::graph::{EdgeKind, MemoryAccess, Purpose};
use crate::places::{NameId, PlaceId};
use base::Id as _;
use dataflow::{Action, FunctionIndex, operands};
use ir::{Callee, ExprId, ExprKind, Function, Held, LocalId, Type, VarRef};
use library::standard::{self, Fact};
use progress_map::PointId;

/// What one node reads.
#[derive(Debug, Default)]
pub(crate) struct Reads {
    /// Plain local variables, each as an [`EdgeKind::Local`] or an [`EdgeKind::Choice`].
    pub(crate) locals: Vec<(LocalId, EdgeKind)>,
    /// Other points of the function that compute a part of it.
    pub(crate) parts: Vec<PointId>,
    pub(crate) memory: Vec<MemoryAccess>,
}

/// What one point does, with its arguments if it is a call.
#[derive(Debug, Default)]
pub(crate) struct PointUses {
    pub(crate) reads: Reads,
    pub(crate) writes: Vec<MemoryAccess>,
    pub(crate) arguments: Vec<Reads>,
    /// Objects that its arguments write, by their numbers.
    pub(crate) stand_ins: Vec<(usize, PlaceId)>,
}

/// Collects what nodes of one function do; [`Values::function`] has just been called for it.
pub(crate) struct Collector<'v, 'p, 'u> {
    pub(crate) values: &'v mut Values<'p, 'u>,
    pub(crate) id: FunctionIndex,
    /// The point that evaluates an assignment or call.
    points: Vec<Option<PointId>>,
    /// What is read chooses which memory is meant: it makes no value.
    chooses: bool,
}

impl<'v, 'p, 'u> Collector<'v, 'p, 'u> {
    pub(crate) fn new(values: &'v mut Values<'p, 'u>, id: FunctionIndex) -> Self {
        let info = &values.program.functions[id];
        let mut points = vec![None; info.function.exprs.len()];
        for (point, each) in info.flow.points.iter_enumerated() {
            match each.action {
                Action::Assign {
                    by, initial: false, ..
                } => points[by.index()] = Some(point),
                Action::Call(call) => points[call.index()] = Some(point),
                _ => {}
            }
        }
        Collector {
            values,
            id,
            points,
            chooses: false,
        }
    }

    fn function(&self) -> &'u Function {
        self.values.program.functions[self.id].function
    }

    /// What a point reads and writes.
    pub(crate) fn point(&mut self, action: &Action) -> PointUses {
        let mut uses = PointUses::default();
        match action {
            Action::None => {}
            Action::Branch(value) | Action::Return(value) => {
                if let Some(value) = *value {
                    self.reads(value, &mut uses.reads);
                }
            }
            Action::Assign {
                by,
                initial: true,
                target,
            } => {
                self.reads(*by, &mut uses.reads);
                if let dataflow::Target::Local(local) = *target
                    && self.values.homes[self.id.index()][local.index()] != Home::Value
                {
                    let place = self.values.local(self.id, local);
                    let name = self.values.names.id(&self.function().locals[local].name);
                    uses.writes.push(MemoryAccess::new(place, None, Some(name)));
                }
            }
            Action::Assign { by, .. } => match self.function().exprs[*by].kind {
                ExprKind::Assign { op, target, value } => {
                    self.reads(value, &mut uses.reads);
                    match op {
                        Some(_) => self.reads(target, &mut uses.reads),
                        None => self.choosing_reads(target, &mut uses.reads),
                    }
                    self.written(target, &mut uses);
                }
                ExprKind::Step { target, .. } => {
                    self.reads(target, &mut uses.reads);
                    self.written(target, &mut uses);
                }
                _ => {}
            },
            Action::Call(call) => self.call(*call, &mut uses),
        }
        uses
    }

    fn written(&mut self, target: ExprId, uses: &mut PointUses) {
        if let Some((place, key)) = self.values.location(self.id, target) {
            let name = self.describe(target);
            uses.writes.push(MemoryAccess::new(place, key, name));
        }
    }

    fn call(&mut self, call: ExprId, uses: &mut PointUses) {
        let ExprKind::Call { callee, args } = &self.function().exprs[call].kind else {
            return;
        };
        for &arg in args {
            let mut reads = Reads::default();
            self.reads(arg, &mut reads);
            uses.arguments.push(reads);
        }
        let name = match callee {
            Callee::Indirect(pointer) => {
                self.reads(*pointer, &mut uses.reads);
                self.called_object(*pointer, &mut uses.reads);
                if let Some(object) = self.values.cxx.receiver(self.id, call) {
                    self.reads(object, &mut uses.reads);
                }
                return;
            }
            Callee::Named(name) => {
                let unit = self.values.program.functions[self.id].unit;
                self.receiver(call, name, uses);
                if self.values.callees.any(unit, name) {
                    if self.values.means_library(self.id, call, name) {
                        self.library(call, name, args, uses);
                    }
                    self.made_object(call, name, uses);
                    // A structure that is handed over is read whole; so is the memory of nothing else.
                    for (&arg, reads) in args.iter().zip(&mut uses.arguments) {
                        self.whole(arg, reads);
                    }
                    return;
                }
                name
            }
            Callee::Macro(called) => {
                let name = &called.name;
                for &write in &called.writes {
                    self.reads(write, &mut uses.reads);
                }
                self.stand_ins(call, args.len(), uses);
                if !self
                    .values
                    .macros
                    .is_opaque(self.values.program, name, args.len())
                {
                    for (&arg, reads) in args.iter().zip(&mut uses.arguments) {
                        self.whole(arg, reads);
                    }
                    return;
                }
                // It may write whatever variable it names.
                for &arg in args {
                    if let Some((place, key)) = self.values.location(self.id, arg) {
                        let name = self.describe(arg);
                        uses.writes.push(MemoryAccess::new(place, key, name));
                    }
                }
                name
            }
        };
        self.library(call, name, args, uses);
    }

    /// Values that stand for variables are written by the call that hands them over.
    fn stand_ins(&mut self, call: ExprId, count: usize, uses: &mut PointUses) {
        for index in 0..count {
            if let Some(&place) = self.values.stand_ins.get(&(call, index)) {
                uses.stand_ins.push((index, place));
            }
        }
    }

    /// The object that a call is made for: a function without source reads and writes it, and what it points to.
    fn receiver(&mut self, call: ExprId, name: &str, uses: &mut PointUses) {
        let Some(object) = self.values.cxx.receiver(self.id, call) else {
            if let Some(place) = self.values.own_receiver(self.id, call, name) {
                self.changed_object(place, None, uses);
            }
            return;
        };
        self.reads(object, &mut uses.reads);
        let unit = self.values.program.functions[self.id].unit;
        if self.values.callees.any(unit, name) && !self.values.means_library(self.id, call, name) {
            return;
        }
        if let Some(place) = self.values.receiver(self.id, call) {
            let name = self.describe_pointee(object);
            match self.values.library_object(self.id, object) {
                Some(held) => self.changed_library_object(place, held, name, uses),
                None => self.changed_object(place, name, uses),
            }
        }
    }

    /// A function of the standard library reads and writes an object of it. The program has no name for a part of that, so where it is a
    /// member nothing that stands beside it is meant; and what holds values has all that is in it to itself.
    fn changed_library_object(
        &mut self,
        place: PlaceId,
        held: Held,
        name: Option<NameId>,
        uses: &mut PointUses,
    ) {
        // Nobody goes on from this place to members.
        let alone = self.values.places.fresh();
        self.values.places.flow(place, alone);
        let inside = self.values.places.content(place, None);
        let changed = match held {
            Held::Anything => vec![alone, inside],
            Held::Values => {
                // Who comes to an element by other ways than the object finds the object there.
                self.values.places.flow(place, inside);
                vec![alone]
            }
        };
        for place in changed {
            let access = MemoryAccess::new(place, None, name);
            uses.reads.memory.push(access);
            uses.writes.push(access);
        }
    }

    /// A function without source reads and writes an object, and what it points to.
    fn changed_object(&mut self, place: PlaceId, name: Option<NameId>, uses: &mut PointUses) {
        let inside = self.values.places.content(place, None);
        for place in [place, inside] {
            let access = MemoryAccess::new(place, None, name);
            uses.reads.memory.push(access);
            uses.writes.push(access);
        }
    }

    /// The value of a constructor's call is the object that it makes.
    fn made_object(&mut self, call: ExprId, name: &str, uses: &mut PointUses) {
        let unit = self.values.program.functions[self.id].unit;
        let callees = self.values.callees.of(unit, name);
        if callees.iter().any(|&callee| self.values.makes_object(callee))
            && let Some(place) = self.values.value(call)
        {
            uses.reads.memory.push(MemoryAccess::new(place, None, None));
        }
    }

    fn library(&mut self, call: ExprId, name: &str, args: &[ExprId], uses: &mut PointUses) {
        if name.starts_with("va_") || name.starts_with("__builtin_va_") {
            return self.variable_arguments(name, args, uses);
        }
        let effect = self.values.effect_of(self.id, call, name, args.len());
        if self.values.cxx.catches && standard::holds(name, Fact::Throws) && self.values.cxx.is_cxx(self.id) {
            uses.writes.push(self.thrown());
        }
        // Who puts numbers into a container, wide as they may be, writes nothing to where they would lead.
        let only_reads = standard::holds(name, Fact::ByValue) && self.values.is_for_container(self.id, call);
        // To some implementations of MPI a handle is a narrow number.
        let is_mpi = base::is_mpi(name);
        for (index, &arg) in args.iter().enumerate() {
            let is_followed =
                effect.follows(index) && (is_mpi || self.values.may_be_address(self.function(), arg));
            let Some(place) = self.values.value(arg).filter(|_| is_followed) else {
                continue;
            };
            let name = self.describe_pointee(arg);
            let mut accesses = vec![MemoryAccess::new(place, None, name)];
            if effect.goes_inside(index) {
                let inside = self.values.places.content(place, None);
                accesses.push(MemoryAccess {
                    purpose: effect.purpose_inside(index),
                    ..MemoryAccess::new(inside, None, name)
                });
            }
            if effect.reads(index) {
                uses.arguments[index].memory.extend(accesses.iter().copied());
            }
            if effect.writes(index) && !only_reads {
                uses.writes.extend(accesses);
            }
        }
        if let Some(group) = effect.state {
            let place = self.values.state(Unnamed::Kept(group));
            let access = MemoryAccess::new(place, None, Some(self.values.names.id(group.name())));
            uses.reads.memory.push(access);
            uses.writes.push(access);
        }
    }

    fn thrown(&mut self) -> MemoryAccess {
        MemoryAccess::new(self.values.state(Unnamed::Thrown), None, None)
    }

    /// What a `throw` reads and writes.
    pub(crate) fn throw(&mut self, value: Option<ExprId>) -> PointUses {
        let mut uses = PointUses::default();
        if let Some(value) = value {
            self.reads(value, &mut uses.reads);
            self.whole(value, &mut uses.reads);
        }
        uses.writes.push(self.thrown());
        uses
    }

    fn variable_arguments(&mut self, name: &str, args: &[ExprId], uses: &mut PointUses) {
        let list = if name.ends_with("va_start") {
            Some(self.values.rest(self.id))
        } else {
            args.first().and_then(|&list| self.values.list(self.id, list))
        };
        let Some(place) = list else { return };
        let access = MemoryAccess::new(place, None, None);
        if !name.ends_with("va_end") {
            uses.reads.memory.push(access);
            uses.writes.push(access);
        }
    }

    /// An object that is called is read whole.
    fn called_object(&mut self, object: ExprId, reads: &mut Reads) {
        if let Some(place) = self
            .values
            .value(object)
            .filter(|_| self.values.cxx.is_cxx(self.id))
        {
            let name = self.describe(object);
            let inside = self.values.places.content(place, None);
            for place in [place, inside] {
                reads.memory.push(MemoryAccess::new(place, None, name));
            }
        }
    }

    /// The value of an argument that is a structure is all of it.
    fn whole(&mut self, arg: ExprId, reads: &mut Reads) {
        let function = self.function();
        let is_aggregate = match &function.exprs[arg].kind {
            ExprKind::Var(VarRef::Local(local)) => {
                function.locals[*local].ty != Type::Array
                    && self.values.homes[self.id.index()][local.index()] == Home::Aggregate
            }
            ExprKind::Deref(_) | ExprKind::Unseen | ExprKind::Index { .. } | ExprKind::Field { .. } => true,
            ExprKind::Var(VarRef::Global(_)) => true,
            _ => false,
        };
        if is_aggregate && let Some((place, key)) = self.values.location(self.id, arg) {
            let name = self.describe(arg);
            reads.memory.push(MemoryAccess::new(place, key, name));
        }
    }

    /// What computing an expression's value reads.
    pub(crate) fn reads(&mut self, expr: ExprId, reads: &mut Reads) {
        if let Some(point) = self.points[expr.index()] {
            reads.parts.push(point);
            return;
        }
        let function = self.function();
        match &function.exprs[expr].kind {
            ExprKind::Var(VarRef::Local(local)) => match self.values.homes[self.id.index()][local.index()] {
                Home::Value => reads.locals.push((*local, self.kind_of_read())),
                // The name of an array is its address, which is read from nowhere.
                Home::Aggregate
                    if function.locals[*local].ty == Type::Array && local.index() >= function.params => {}
                Home::Memory | Home::Aggregate | Home::Borrowed => self.read_memory(expr, reads),
            },
            ExprKind::Var(VarRef::Global(name)) => {
                let unit = self.values.program.functions[self.id].unit;
                match self.values.global(unit, name) {
                    Some(place) if place != self.values.outside => self.read_memory(expr, reads),
                    _ => {}
                }
            }
            ExprKind::Captured { .. } => {}
            ExprKind::Field { .. } | ExprKind::Index { .. } | ExprKind::Deref(_) => {
                self.choosing_reads(expr, reads);
                self.read_memory(expr, reads);
            }
            ExprKind::Unseen => self.read_memory(expr, reads),
            ExprKind::AddressOf(inner) => self.address_reads(*inner, reads),
            // What a parameter pack expands to is given by its address where a reference may take it; a value may take it as well.
            ExprKind::Cast(Type::Unknown, inner) => {
                self.reads(*inner, reads);
                if let ExprKind::AddressOf(given) = function.exprs[*inner].kind {
                    self.reads(given, reads);
                }
            }
            _ => {
                for part in operands(&function.exprs[expr]) {
                    self.reads(part, reads);
                }
            }
        }
    }

    fn read_memory(&mut self, expr: ExprId, reads: &mut Reads) {
        if let Some((place, key)) = self.values.location(self.id, expr) {
            let name = self.describe(expr);
            reads.memory.push(MemoryAccess {
                purpose: if self.chooses {
                    Purpose::Choice
                } else {
                    Purpose::Value
                },
                ..MemoryAccess::new(place, key, name)
            });
        }
    }

    fn kind_of_read(&self) -> EdgeKind {
        if self.chooses {
            EdgeKind::Choice
        } else {
            EdgeKind::Local
        }
    }

    /// What computing the address of an lvalue that is accessed reads: it chooses which memory that is.
    fn choosing_reads(&mut self, expr: ExprId, reads: &mut Reads) {
        let around = std::mem::replace(&mut self.chooses, true);
        self.address_reads(expr, reads);
        self.chooses = around;
    }

    /// What computing an lvalue's address reads.
    fn address_reads(&mut self, expr: ExprId, reads: &mut Reads) {
        if let Some(point) = self.points[expr.index()] {
            reads.parts.push(point);
            return;
        }
        let function = self.function();
        match &function.exprs[expr].kind {
            ExprKind::Var(_) | ExprKind::Unseen => {}
            ExprKind::Field { base, arrow, .. } => {
                if *arrow {
                    self.reads(*base, reads)
                } else {
                    self.address_reads(*base, reads)
                }
            }
            ExprKind::Index { base, index } => {
                self.reads(*index, reads);
                if self.is_array(*base) {
                    self.address_reads(*base, reads)
                } else {
                    self.reads(*base, reads)
                }
            }
            ExprKind::Deref(inner) => self.reads(*inner, reads),
            ExprKind::Cast(_, inner) => self.address_reads(*inner, reads),
            ExprKind::Comma(before, inner) => {
                self.reads(*before, reads);
                self.address_reads(*inner, reads);
            }
            _ => self.reads(expr, reads),
        }
    }

    /// Whether an expression is an array, so that a subscript reads no pointer.
    fn is_array(&self, expr: ExprId) -> bool {
        let function = self.function();
        match &function.exprs[expr].kind {
            ExprKind::Var(VarRef::Local(local)) => {
                self.values.homes[self.id.index()][local.index()] == Home::Aggregate
                    && local.index() >= function.params
            }
            ExprKind::Index { base, .. } => self.is_array(*base),
            _ => false,
        }
    }

    /// How the source names an lvalue, in short.
    fn describe(&mut self, expr: ExprId) -> Option<NameId> {
        let mut text = String::new();
        let whole = describe(self.function(), expr, &mut text);
        whole.then(|| self.values.names.id(&text))
    }

    /// The same for what a pointer points to.
    fn describe_pointee(&mut self, pointer: ExprId) -> Option<NameId> {
        let function = self.function();
        let mut expr = pointer;
        while let ExprKind::Cast(_, inner) = function.exprs[expr].kind {
            expr = inner;
        }
        let mut text = String::new();
        let whole = match &function.exprs[expr].kind {
            ExprKind::AddressOf(inner) => describe(function, *inner, &mut text),
            _ => {
                text.push('*');
                describe(function, expr, &mut text)
            }
        };
        whole.then(|| self.values.names.id(&text))
    }
}

/// Longer names than this say less than the line itself.
const LONGEST_NAME: usize = 40;

fn describe(function: &Function, expr: ExprId, text: &mut String) -> bool {
    let known = match &function.exprs[expr].kind {
        ExprKind::Var(VarRef::Local(local)) => {
            let name = &function.locals[*local].name;
            text.push_str(name);
            // What a compiler keeps for itself has none.
            !name.is_empty()
        }
        ExprKind::Var(VarRef::Global(name)) => {
            text.push_str(name);
            true
        }
        ExprKind::Field { base, name, arrow } => {
            let known = describe(function, function.object(*base), text);
            text.push_str(if *arrow { "->" } else { "." });
            text.push_str(name);
            known
        }
        ExprKind::Index { base, .. } => {
            let known = describe(function, *base, text);
            text.push_str("[]");
            known
        }
        ExprKind::Deref(inner) => {
            text.push('*');
            describe(function, *inner, text)
        }
        ExprKind::Cast(_, inner) => describe(function, *inner, text),
        _ => false,
    };
    known && text.len() <= LONGEST_NAME
}
