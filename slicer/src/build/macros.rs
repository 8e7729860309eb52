//! Macros that stay unexpanded, whose definitions are functions here ([`ir::FunctionKind::Macro`]).
//!
//! Such a function is called like any other, with three differences. A parameter that it assigns, or takes the address of, is the
//! variable that the caller wrote in its place. A name without a declaration may be a variable of the caller. And a `return` among
//! its statements leaves the caller.

use crate::build::callees::Callees;
use crate::build::locations::plain_variable;
use crate::build::memory::Home;
use base::{Confidence, Id as _};
use dataflow::{FunctionIndex, Program, operands};
use ir::{Callee, ExprId, ExprKind, Function, FunctionKind, LocalId, MacroBody, StmtKind, VarRef};
use std::collections::{BTreeMap, BTreeSet};

/// What is known of the macros of a program.
#[derive(Debug, Default)]
pub(crate) struct MacroFacts<'u> {
    /// Their definitions, by name.
    definitions: BTreeMap<&'u str, Vec<FunctionIndex>>,
    /// Parameters that are variables of the caller, by definition.
    borrowed: BTreeMap<FunctionIndex, BTreeSet<usize>>,
    /// Macros that may leave the function around them.
    leaving: BTreeSet<&'u str>,
    /// By macro: names in it that have no declaration.
    free: BTreeMap<&'u str, BTreeSet<&'u str>>,
    /// Variables of functions that such a name may mean.
    captured: BTreeSet<&'u str>,
}

impl<'u> MacroFacts<'u> {
    pub(crate) fn new(program: &Program<'u>, callees: &Callees<'_, 'u>) -> MacroFacts<'u> {
        let mut macros = MacroFacts::default();
        for (id, info) in program.functions.iter_enumerated() {
            if info.function.kind.is_macro() {
                macros
                    .definitions
                    .entry(&info.function.name)
                    .or_default()
                    .push(id);
            }
        }
        if macros.definitions.is_empty() {
            return macros;
        }
        macros.find_borrowed(program);
        macros.find_leaving(program);
        macros.find_free(program, callees);
        for info in program
            .functions
            .iter()
            .filter(|info| !info.function.kind.is_macro())
        {
            let mut free: BTreeSet<&str> = BTreeSet::new();
            for (name, _) in calls(info.function) {
                free.extend(macros.free.get(name).into_iter().flatten());
            }
            let locals = info.function.locals.iter();
            let meant = locals.filter_map(|local| free.get(local.name.as_str()));
            macros.captured.extend(meant);
        }
        macros
    }

    /// The definitions that a macro may have.
    pub(crate) fn of(&self, name: &str) -> &[FunctionIndex] {
        self.definitions.get(name).map_or(&[], Vec::as_slice)
    }

    /// Whether more may happen in a call with so many arguments than the definitions say.
    pub(crate) fn is_opaque(&self, program: &Program<'_>, name: &str, arguments: usize) -> bool {
        let of = self.of(name);
        of.is_empty()
            || of.iter().any(|&id| {
                let function = program.functions[id].function;
                function.confidence == Confidence::Partial || function.params < arguments
            })
    }

    /// Whether a macro may leave the function around it.
    pub(crate) fn leaves(&self, name: &str) -> bool {
        self.leaving.contains(name)
    }

    /// The names in a macro that may mean variables of its caller.
    pub(crate) fn free(&self, name: &str) -> impl Iterator<Item = &'u str> {
        self.free.get(name).into_iter().flatten().copied()
    }

    /// Whether such a name means a variable of some caller.
    pub(crate) fn is_captured(&self, name: &str) -> bool {
        self.captured.contains(name)
    }

    /// Whether the parameter of a definition is the caller's variable.
    pub(crate) fn is_borrowed(&self, id: FunctionIndex, param: usize) -> bool {
        self.borrowed
            .get(&id)
            .is_some_and(|params| params.contains(&param))
    }

    /// Puts variables into memory that macros may write or name.
    pub(crate) fn settle(&self, program: &Program<'u>, homes: &mut [Vec<Home>]) {
        for (id, info) in program.functions.iter_enumerated() {
            let (function, homes) = (info.function, &mut homes[id.index()]);
            for &param in self.borrowed.get(&id).into_iter().flatten() {
                if homes[param] != Home::Aggregate {
                    homes[param] = Home::Borrowed;
                }
            }
            let mut into_memory = |local: LocalId| {
                if homes[local.index()] == Home::Value {
                    homes[local.index()] = Home::Memory;
                }
            };
            let mut free: BTreeSet<&str> = BTreeSet::new();
            for (name, args) in calls(function) {
                let written = self.written(program, function, name, args).into_iter();
                written.for_each(&mut into_memory);
                free.extend(self.free(name));
            }
            if !free.is_empty() {
                let locals = function.locals.iter_enumerated();
                let named = locals.filter(|(_, local)| free.contains(local.name.as_str()));
                named.for_each(|(local, _)| into_memory(local));
            }
        }
    }

    /// The variables among the arguments of a call that the macro may write.
    fn written(
        &self,
        program: &Program<'_>,
        function: &Function,
        name: &str,
        args: &[ExprId],
    ) -> Vec<LocalId> {
        let opaque = self.is_opaque(program, name, args.len());
        let is_written = |index: usize| opaque || self.of(name).iter().any(|&id| self.is_borrowed(id, index));
        let written = args.iter().enumerate().filter(|(index, _)| is_written(*index));
        written
            .filter_map(|(_, &arg)| plain_variable(function, arg))
            .collect()
    }

    fn find_borrowed(&mut self, program: &Program<'u>) {
        let all: Vec<FunctionIndex> = self.definitions.values().flatten().copied().collect();
        loop {
            let mut found_new = false;
            for &id in &all {
                let function = program.functions[id].function;
                let mut borrowed: Vec<LocalId> = Vec::new();
                for expr in &function.exprs {
                    match expr.kind {
                        ExprKind::Assign { target, .. } | ExprKind::Step { target, .. } => {
                            borrowed.extend(plain_variable(function, target));
                        }
                        ExprKind::AddressOf(inner) => borrowed.extend(plain_variable(function, inner)),
                        ExprKind::Unknown(_) => {
                            let parts = operands(expr).into_iter();
                            borrowed.extend(parts.filter_map(|part| plain_variable(function, part)));
                        }
                        _ => {}
                    }
                }
                for (name, args) in calls(function) {
                    borrowed.extend(self.written(program, function, name, args));
                }
                let params = borrowed.into_iter().map(base::Id::index);
                let known = self.borrowed.entry(id).or_default();
                for param in params.filter(|&param| param < function.params) {
                    found_new |= known.insert(param);
                }
            }
            if !found_new {
                return;
            }
        }
    }

    fn find_leaving(&mut self, program: &Program<'u>) {
        loop {
            let before = self.leaving.len();
            for (&name, definitions) in &self.definitions {
                let leaves = definitions.iter().any(|&id| {
                    let function = program.functions[id].function;
                    let mut statements = function.stmts.iter();
                    function.kind == FunctionKind::Macro(MacroBody::Statements)
                        && statements.any(|stmt| matches!(stmt.kind, StmtKind::Return(_)))
                        || calls(function).any(|(name, _)| self.leaving.contains(name))
                });
                if leaves {
                    self.leaving.insert(name);
                }
            }
            if self.leaving.len() == before {
                return;
            }
        }
    }

    fn find_free(&mut self, program: &Program<'u>, callees: &Callees<'_, 'u>) {
        let globals = program.units.iter().flat_map(|unit| &unit.globals);
        let globals: BTreeSet<&str> = globals.map(|global| global.name.as_str()).collect();
        for (&name, definitions) in &self.definitions {
            let free = self.free.entry(name).or_default();
            for &id in definitions {
                let info = &program.functions[id];
                for expr in &info.function.exprs {
                    if let ExprKind::Var(VarRef::Global(name)) = &expr.kind
                        && !globals.contains(name.as_str())
                        && !callees.any(info.unit, name)
                    {
                        free.insert(name);
                    }
                }
            }
        }
        loop {
            let mut found_new = false;
            for (&name, definitions) in &self.definitions {
                let mut inner: BTreeSet<&str> = BTreeSet::new();
                for &id in definitions {
                    for (called, _) in calls(program.functions[id].function) {
                        inner.extend(self.free.get(called).into_iter().flatten());
                    }
                }
                let free = self.free.entry(name).or_default();
                for each in inner {
                    found_new |= free.insert(each);
                }
            }
            if !found_new {
                return;
            }
        }
    }
}

/// The macros that a function calls, with their arguments.
fn calls(function: &Function) -> impl Iterator<Item = (&'static str, &[ExprId])> {
    function.exprs.iter().filter_map(|expr| match &expr.kind {
        ExprKind::Call {
            callee: Callee::Macro(called),
            args,
        } => Some((called.name.as_str(), &args[..])),
        _ => None,
    })
}
