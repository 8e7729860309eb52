//! What the program form does not say of C++, worked out before values are: which object a member function is called for,
//! what a lambda captures, what a loop over a range goes through, and which functions are called implicitly.
//!
//! The program form names the object of a call where it is a variable or a member; where it is computed, it stands before the
//! call, as the left side of a comma. A captured variable is a pointer in the lambda's object, which the source does not show: here it
//! is the variable itself, whether it was captured by value or by reference. A value that the source does not show (what was
//! thrown, an element of a range) is what a constant points to.

use crate::build::hosts::hosts;
use crate::build::memory::Home;
use base::{Id as _, Span};
use dataflow::{Action, FunctionIndex, FunctionInfo, Program, operands, parameter_pack};
use ir::{
    CallOperator, Callable, Callee, ExprId, ExprKind, Function, FunctionKind, LocalId, LoopKind, Receiver,
    StmtId, StmtKind, Type, VarRef,
};
use library::standard::{self, Fact};
use progress_map::PointId;
use std::collections::{BTreeMap, BTreeSet};

/// Facts about the C++ of a program; nothing for one of C.
#[derive(Debug, Default)]
pub(crate) struct Cxx {
    functions: Vec<Facts>,
    /// Functions that may be called implicitly, sorted.
    pub(crate) implicit: Vec<FunctionIndex>,
    /// Functions that objects are called as: those of lambdas, and of classes.
    pub(crate) callable: Vec<FunctionIndex>,
    /// Of these: what declarations in their class say of their arguments, one or several overloads. Of others nobody has seen one.
    declared: BTreeMap<FunctionIndex, Vec<CallOperator>>,
    /// Files with a function of C++.
    units: BTreeSet<usize>,
    /// Some function catches what is thrown.
    pub(crate) catches: bool,
}

/// What is known of one function.
#[derive(Debug, Default)]
struct Facts {
    is_cxx: bool,
    /// The objects of its calls, sorted by call.
    receivers: Vec<(ExprId, ExprId)>,
    /// Elements of ranges, and the range, sorted.
    elements: Vec<(ExprId, ExprId)>,
    /// The functions that a lambda stands in, innermost last.
    around: Vec<FunctionIndex>,
    /// The functions whose variables it may name besides its own, innermost last.
    outer: Vec<FunctionIndex>,
}

/// How many arguments what is called as an object takes, as its declarations say.
#[derive(Default)]
struct CallOperators<'u> {
    /// Of classes, by the name of their `operator()` and the number of its parameters: overloads of one name may have as many.
    of_classes: BTreeMap<(&'u str, usize), Vec<&'u CallOperator>>,
    /// Of lambdas, by file, line and column.
    of_lambdas: BTreeMap<(usize, u32, u32), &'u CallOperator>,
}

impl<'u> CallOperators<'u> {
    fn of(program: &Program<'u>) -> Self {
        let mut found = Self::default();
        for (number, unit) in program.units.iter().enumerate() {
            for operator in &unit.call_operators {
                match &operator.of {
                    Callable::Class(name) => {
                        let key = (name.as_str(), operator.parameters);
                        found.of_classes.entry(key).or_default().push(operator);
                    }
                    Callable::Lambda(line, column) => {
                        found.of_lambdas.insert((number, *line, *column), operator);
                    }
                }
            }
        }
        found
    }

    /// What is said of a function; nothing where the class is not among the sources.
    fn of_function(&self, function: &Function, unit: usize) -> Option<Vec<CallOperator>> {
        let found = match function.kind {
            FunctionKind::Lambda => {
                let place = (unit, function.span.line, function.span.column);
                std::slice::from_ref(self.of_lambdas.get(&place)?)
            }
            _ => {
                let name = function.linkage_name.as_deref().unwrap_or_default();
                self.of_classes.get(&(name, function.params))?
            }
        };
        Some(found.iter().copied().cloned().collect())
    }
}

impl Cxx {
    pub(crate) fn new(program: &Program<'_>) -> Cxx {
        let is_cxx = |function: &Function| function.language.is_cxx();
        let captures = |function: &Function| captured_names(function).next().is_some();
        let concerns = |function: &Function| is_cxx(function) || captures(function);
        if !program.functions.iter().any(|info| concerns(info.function)) {
            return Cxx::default();
        }
        let mut cxx = Cxx::default();
        let declared = CallOperators::of(program);
        let mut of_unit: BTreeMap<usize, Vec<FunctionIndex>> = BTreeMap::new();
        for (id, info) in program.functions.iter_enumerated() {
            of_unit.entry(info.unit).or_default().push(id);
        }
        for (id, info) in program.functions.iter_enumerated() {
            let function = info.function;
            if !is_cxx(function) {
                let hosts = || hosts(program, &of_unit[&info.unit], function);
                cxx.functions.push(Facts {
                    outer: if captures(function) { hosts() } else { Vec::new() },
                    ..Facts::default()
                });
                continue;
            }
            let is_lambda = function.kind == FunctionKind::Lambda;
            let here = |other: &&FunctionIndex| {
                let other = program.functions[**other].function;
                (other.span.line, other.span.column) < (function.span.line, function.span.column)
                    && (function.span.end_line, function.span.end_column)
                        <= (other.span.end_line, other.span.end_column)
            };
            let outer: Vec<FunctionIndex> = if is_lambda || captures(function) {
                of_unit[&info.unit].iter().filter(here).copied().collect()
            } else {
                Vec::new()
            };
            let around = if is_lambda { outer.clone() } else { Vec::new() };
            if is_implicit(function) && !is_lambda {
                cxx.implicit.push(id);
            }
            cxx.units.insert(info.unit);
            if function.name == ir::CALL {
                cxx.callable.push(id);
                let operators = declared.of_function(function, info.unit);
                cxx.declared.extend(operators.map(|operators| (id, operators)));
            }
            let mut statements = function.stmts.iter();
            cxx.catches |= statements.any(|stmt| matches!(stmt.kind, StmtKind::Try { .. }));
            cxx.functions.push(Facts {
                is_cxx: true,
                receivers: receivers(function),
                elements: elements(function),
                around,
                outer,
            });
        }
        cxx
    }

    /// Whether a call of an object with so many arguments may be one of this `operator()`.
    pub(crate) fn takes(&self, function: &Function, id: FunctionIndex, arguments: usize) -> bool {
        let takes = |operators: &Vec<CallOperator>| operators.iter().any(|each| each.takes(arguments));
        // Where the class is not seen, any of the parameters may have default arguments.
        let may_take = || function.params >= arguments;
        parameter_pack(function).is_some() || self.declared.get(&id).map_or_else(may_take, takes)
    }

    /// Whether a function is one of C++.
    pub(crate) fn is_cxx(&self, id: FunctionIndex) -> bool {
        self.functions.get(id.index()).is_some_and(|facts| facts.is_cxx)
    }

    /// Whether any function is one of C++.
    pub(crate) fn is_anywhere(&self) -> bool {
        !self.units.is_empty()
    }

    /// Whether a file holds C++.
    pub(crate) fn is_unit(&self, unit: usize) -> bool {
        self.units.contains(&unit)
    }

    /// The object, or its address, that a call is made for.
    pub(crate) fn receiver(&self, id: FunctionIndex, call: ExprId) -> Option<ExprId> {
        find(&self.functions.get(id.index())?.receivers, call)
    }

    /// The range that this is an element of.
    pub(crate) fn range(&self, id: FunctionIndex, element: ExprId) -> Option<ExprId> {
        find(&self.functions.get(id.index())?.elements, element)
    }

    /// The functions that a lambda stands in, outermost first; none of what is no lambda.
    pub(crate) fn around(&self, id: FunctionIndex) -> &[FunctionIndex] {
        self.functions.get(id.index()).map_or(&[], |facts| &facts.around)
    }

    /// The functions whose variables a function may name besides its own, outermost first: those around a lambda, a class in a function,
    /// or the default arguments of either; the host of a procedure of Fortran.
    pub(crate) fn outer(&self, id: FunctionIndex) -> &[FunctionIndex] {
        self.functions.get(id.index()).map_or(&[], |facts| &facts.outer)
    }

    /// Makes the homes of variables what C++ asks for: an object whose class is not known is an object; what a lambda captures is
    /// in memory.
    pub(crate) fn settle(&self, program: &Program<'_>, homes: &mut [Vec<Home>]) {
        for (id, info) in program.functions.iter_enumerated() {
            let locals = info.function.locals.iter().zip(&mut homes[id.index()]);
            for (local, home) in locals.filter(|_| self.is_cxx(id)) {
                if local.ty == Type::Unknown && local.name != ir::THIS {
                    *home = Home::Aggregate;
                }
            }
            for (around, local) in self.captures(program, id) {
                let home = &mut homes[around.index()][local.index()];
                if *home == Home::Value {
                    *home = Home::Memory;
                }
            }
        }
    }

    /// The variables of functions around it that a function names.
    fn captures(&self, program: &Program<'_>, id: FunctionIndex) -> Vec<(FunctionIndex, LocalId)> {
        let names = captured_names(program.functions[id].function);
        let mut found = Vec::from_iter(names.flat_map(|name| self.named(program, id, name)));
        found.sort_unstable();
        found.dedup();
        found
    }

    /// The variables of this name in the functions around one.
    pub(crate) fn named(
        &self,
        program: &Program<'_>,
        id: FunctionIndex,
        name: &str,
    ) -> Vec<(FunctionIndex, LocalId)> {
        let around = self.outer(id).iter().flat_map(|&around| {
            let locals = program.functions[around].function.locals.iter_enumerated();
            locals
                .filter(|(_, local)| local.name == name)
                .map(move |(local, _)| (around, local))
        });
        around.collect()
    }
}

fn find(pairs: &[(ExprId, ExprId)], key: ExprId) -> Option<ExprId> {
    let found = pairs.binary_search_by_key(&key, |(key, _)| *key);
    found.ok().map(|at| pairs[at].1)
}

/// The names of variables of functions around it that a function uses.
pub(crate) fn captured_names(function: &Function) -> impl Iterator<Item = &str> {
    function.exprs.iter().filter_map(|expr| match &expr.kind {
        ExprKind::Captured { name, .. } => Some(name.as_str()),
        _ => None,
    })
}

/// Whether a function may be called without a call of its name; virtual ones have their name in the call.
fn is_implicit(function: &Function) -> bool {
    let name = function.name.as_str();
    let has_such_a_name = base::is_operator(name)
        || name.starts_with('~')
        || function.is_constructor()
        || standard::holds(name, Fact::InRangeLoops)
        || standard::holds(name, Fact::Unnamed)
        || standard::holds(name, Fact::OfAllocators) && function.params > 0;
    has_such_a_name && !function.kind.is_macro()
}

/// The variable `this`, of a function that names it.
pub(crate) fn this_of(function: &Function) -> Option<LocalId> {
    let mut locals = function.locals.iter_enumerated().skip(function.params);
    locals.find(|(_, local)| local.name == ir::THIS).map(|(id, _)| id)
}

/// Whether some class of the standard library may have a function of this name, whatever classes of the program have one: such a call
/// means either.
pub(crate) fn is_standard(name: &str) -> bool {
    base::is_operator(name) || standard::holds(name, Fact::Member)
}

/// The objects of calls by name, sorted by call: the program form names them, or has the object before the call.
fn receivers(function: &Function) -> Vec<(ExprId, ExprId)> {
    let mut found = BTreeMap::new();
    for expr in &function.exprs {
        if let ExprKind::Comma(object, call) = expr.kind
            && function.named_call(call).is_some()
        {
            found.insert(call, object);
        }
    }
    for (&call, receiver) in &function.receivers {
        if let Receiver::At(object) = *receiver {
            found.insert(call, object);
        }
    }
    Vec::from_iter(found)
}

/// What a loop over a range reads: the value that tells whether there is more, and the elements, with the range.
fn elements(function: &Function) -> Vec<(ExprId, ExprId)> {
    let is_unseen = |expr: ExprId| function.exprs[expr].kind == ExprKind::Unseen;
    // What such a loop begins with: the count of elements that it has left behind.
    let counts_elements = |init: StmtId| match function.stmts[init].kind {
        StmtKind::Decl { local, .. } => function.locals[local].counts_for.is_some(),
        _ => false,
    };
    let mut found = Vec::new();
    for stmt in &function.stmts {
        let StmtKind::Group(parts) = &stmt.kind else {
            continue;
        };
        for pair in parts.windows(2) {
            let [before, looping] = [pair[0], pair[1]].map(|id| &function.stmts[id].kind);
            let (
                StmtKind::Expr(range),
                StmtKind::Loop {
                    kind: LoopKind::For,
                    init,
                    cond: Some(cond),
                    step,
                    body,
                    ..
                },
            ) = (before, looping)
            else {
                continue;
            };
            if !is_unseen(*cond) || init.is_some_and(|init| !counts_elements(init)) {
                continue;
            }
            found.push((*cond, *range));
            found.extend(step.filter(|&step| is_unseen(step)).map(|step| (step, *range)));
            let StmtKind::Block(body) = &function.stmts[*body].kind else {
                continue;
            };
            let declared = body.iter().map_while(|&id| match function.stmts[id].kind {
                StmtKind::Decl { init, .. } => Some(init),
                _ => None,
            });
            let unseen = declared.flatten().filter(|&init| is_unseen(init));
            found.extend(unseen.map(|init| (init, *range)));
        }
    }
    found.sort_unstable();
    found
}

/// What a function throws, each with the point where it happens.
pub(crate) fn throws(info: &FunctionInfo<'_>) -> Vec<(Option<ExprId>, PointId)> {
    let mut found = Vec::new();
    for (value, at) in thrown(info.function) {
        let here = info.flow.points.iter_enumerated().filter(|(_, each)| {
            let span = each.span;
            each.action == Action::None && (span.line, span.column) == (at.line, at.column)
        });
        found.extend(here.map(|(point, _)| (value, point)));
    }
    found
}

/// What the statements and expressions of a function throw, and where each stands.
pub(crate) fn thrown(function: &Function) -> impl Iterator<Item = (Option<ExprId>, Span)> {
    let statements = function.stmts.iter().filter_map(|stmt| match stmt.kind {
        StmtKind::Throw(value) => Some((value, stmt.span)),
        _ => None,
    });
    let expressions = function.exprs.iter().filter_map(|expr| match expr.kind {
        ExprKind::Throw(value) => Some((value, expr.span)),
        _ => None,
    });
    statements.chain(expressions)
}

/// Whether a variable may hold an object, as far as its type tells.
pub(crate) fn may_be_object(ty: Type) -> bool {
    matches!(ty, Type::Unknown | Type::Aggregate)
}

/// Whether evaluating an expression names an object as a whole, so that it may be copied or converted; what calls and
/// assignments in it do is theirs.
pub(crate) fn names_object(
    function: &Function,
    expr: ExprId,
    is_point: &dyn Fn(ExprId) -> bool,
    global: &dyn Fn(&str) -> Type,
) -> bool {
    match &function.exprs[expr].kind {
        _ if is_point(expr) => false,
        ExprKind::Var(VarRef::Local(local)) => may_be_object(function.locals[*local].ty),
        ExprKind::Var(VarRef::Global(name)) => may_be_object(global(name)),
        ExprKind::Field {
            base, arrow: false, ..
        } => match function.exprs[function.object(*base)].kind {
            ExprKind::Var(_) => false,
            _ => names_object(function, *base, is_point, global),
        },
        ExprKind::Call {
            callee: Callee::Macro(_),
            ..
        } => true,
        _ => operands(&function.exprs[expr])
            .into_iter()
            .any(|part| names_object(function, part, is_point, global)),
    }
}
