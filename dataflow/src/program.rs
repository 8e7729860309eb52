//! All functions together, and who calls whom.

use crate::addresses::Addresses;
use crate::calls::{CallGraph, Calls, Site};
use crate::control::Control;
use crate::definitions::{Definitions, address_of, changed_by_calls};
use crate::flow::Flow;
use crate::loops::Loops;
use crate::summary::Summaries;
use crate::whole::WholeObjects;
use crate::writes::Writes;
use base::{Id as _, IdVec, define_id};
use ir::{Callee, ExprId, ExprKind, Function, Member, Type, Unit};
use progress_map::PointId;
use rayon::prelude::*;
use std::collections::{BTreeMap, BTreeSet};

define_id!(
    /// A function of the program.
    FunctionIndex, "f"
);

/// Parsed files as one program.
pub struct Program<'u> {
    /// The files.
    pub units: &'u [Unit],
    /// Their functions, by file and then in source order.
    pub functions: IdVec<FunctionIndex, FunctionInfo<'u>>,
    /// Who may call whom.
    pub(crate) calls: Calls<'u>,
    /// The same as a graph.
    pub(crate) call_graph: CallGraph,
    /// Whose address is taken.
    pub(crate) addresses: Addresses<'u>,
    /// The members of all structures, by name.
    members: BTreeMap<&'u str, BTreeSet<&'u Member>>,
    /// What the assignment of an object of C++ sets.
    pub(crate) whole_objects: WholeObjects<'u>,
    /// What functions write.
    pub(crate) writes: Writes<'u>,
    /// Some function catches exceptions: any call may end the function that makes it.
    handlers: bool,
}

/// One function with its flow analyses.
pub struct FunctionInfo<'u> {
    /// The index of its file.
    pub unit: usize,
    /// The function.
    pub function: &'u Function,
    /// Its flow graph.
    pub flow: Flow,
    /// Its loops.
    pub loops: Loops,
    /// Its control dependences.
    pub control: Control,
    /// Its definitions.
    pub definitions: Definitions,
}

impl FunctionInfo<'_> {
    /// Whether the function catches what its callees throw.
    pub(crate) fn has_handlers(&self) -> bool {
        let mut statements = self.function.stmts.iter();
        statements.any(|stmt| matches!(stmt.kind, ir::StmtKind::Try { .. }))
    }
}

impl<'u> FunctionInfo<'u> {
    /// Analyses one function.
    pub fn new(unit: usize, function: &'u Function) -> Self {
        let flow = Flow::new(function);
        let loops = Loops::new(&flow);
        let control = Control::new(&flow, &loops);
        let definitions = Definitions::new(function, &flow);
        FunctionInfo {
            unit,
            function,
            flow,
            loops,
            control,
            definitions,
        }
    }
}

impl<'u> Program<'u> {
    /// Analyses the functions of parsed files, side by side, and puts them together. The program does not depend on the
    /// number of threads.
    pub fn of_units(units: &'u [Unit]) -> Self {
        let functions: Vec<(usize, &Function)> = units
            .iter()
            .enumerate()
            .flat_map(|(unit, each)| each.functions.iter().map(move |function| (unit, function)))
            .collect();
        let infos: Vec<FunctionInfo<'_>> = functions
            .into_par_iter()
            .map(|(unit, function)| FunctionInfo::new(unit, function))
            .collect();
        Program::new(units, infos.into())
    }

    /// Puts functions together into a program. `functions` are those of `units`, by unit and in source order.
    pub fn new(units: &'u [Unit], functions: IdVec<FunctionIndex, FunctionInfo<'u>>) -> Self {
        let calls = Calls::new(&functions);
        let mut members: BTreeMap<&str, BTreeSet<&Member>> = BTreeMap::new();
        for member in units.iter().flat_map(|unit| &unit.members) {
            members.entry(&member.name).or_default().insert(member);
        }
        let mut program = Program {
            units,
            addresses: Addresses::taken(units, &functions, &calls),
            members,
            whole_objects: WholeObjects::new(units, &functions),
            writes: Writes::default(),
            handlers: functions.iter().any(FunctionInfo::has_handlers),
            call_graph: calls.graph(),
            calls,
            functions,
        };
        // What is written can be told once it is known who is called, and what callees do with an address once it is known what
        // is written.
        program.writes = program.all_writes();
        program.follow_addresses();
        program
    }

    /// Looks into the functions of the program that are given addresses of variables: what only reads or steps a variable
    /// does not hide its changes.
    fn follow_addresses(&mut self) {
        let gives_addresses = |info: &FunctionInfo<'_>| {
            info.function.exprs.iter().any(|expr| match &expr.kind {
                ExprKind::Call {
                    callee: Callee::Named(name),
                    args,
                } => {
                    args.iter().any(|&arg| address_of(info.function, arg).is_some())
                        && self.is_known(info.unit, name)
                }
                _ => false,
            })
        };
        let all = self.functions.as_slice().par_iter().enumerate();
        let givers = all.filter(|(_, info)| gives_addresses(info));
        let givers: Vec<(usize, &FunctionInfo<'_>)> = givers.collect();
        // One after the other: what is known of functions that pass an address on to each other depends on who asked first.
        let mut summaries = Summaries::default();
        let changed = givers.into_iter().map(|(index, info)| {
            let mut effect =
                |name: &str, index: usize| summaries.through_argument(self, info.unit, name, index);
            (index, info, changed_by_calls(info.function, &mut effect))
        });
        let changed: Vec<_> = changed
            .filter(|(_, info, by_calls)| !info.definitions.is_with(by_calls))
            .collect();
        let refined = changed.into_par_iter().map(|(index, info, by_calls)| {
            let definitions = Definitions::with(info.function, &info.flow, by_calls);
            (FunctionIndex::from_index(index), definitions)
        });
        let refined: Vec<(FunctionIndex, Definitions)> = refined.collect();
        for (id, definitions) in refined {
            self.functions[id].definitions = definitions;
        }
    }

    /// The functions that a call by name from `unit` may mean: one of the same file first, else any of other files
    /// that is not `static`.
    pub fn callees(&self, unit: usize, name: &str) -> impl Iterator<Item = FunctionIndex> + use<'_, 'u> {
        self.calls.callees(unit, name)
    }

    /// Whether some function of the program may be meant by a name in `unit`.
    pub(crate) fn is_known(&self, unit: usize, name: &str) -> bool {
        self.callees(unit, name).next().is_some()
    }

    /// The one place from which a function is called; `None` if there are others, or nobody knows.
    pub fn only_call(&self, id: FunctionIndex) -> Option<(FunctionIndex, PointId)> {
        let mut callers = self.callers(id);
        let (caller, point, _) = callers.next()?;
        (callers.next().is_none() && !self.is_called_through_pointer(id)).then_some((caller, point))
    }

    /// The calls that may mean a function, by name.
    pub(crate) fn callers(&self, id: FunctionIndex) -> impl Iterator<Item = Site> + use<'_, 'u> {
        self.calls.callers(id)
    }

    /// Whether a pointer may lead to the function.
    pub(crate) fn is_called_through_pointer(&self, id: FunctionIndex) -> bool {
        self.addresses.functions.contains(&id)
    }

    /// The functions whose address the program takes, so that a pointer may lead to them.
    pub fn address_taken(&self) -> &BTreeSet<FunctionIndex> {
        &self.addresses.functions
    }

    /// The functions that a pointer may lead to. Constructors are not among them: C++ has no pointers to constructors.
    pub(crate) fn behind_pointers(&self) -> impl Iterator<Item = FunctionIndex> + use<'_, 'u> {
        let constructs = |id: &FunctionIndex| {
            let function = self.functions[*id].function;
            // What a namespace of its own name holds may be any function, but such a one has a type.
            function.returns == Type::Unknown && function.is_constructor()
        };
        self.addresses
            .functions
            .iter()
            .copied()
            .filter(move |id| !constructs(id))
    }

    /// Whether something that is thrown may be caught, so that tasks go on which have left out a part of the program.
    pub(crate) fn catches(&self) -> bool {
        self.handlers
    }

    /// Where a global of this name is assigned.
    pub fn assignments(&self, global: &str) -> &[(FunctionIndex, PointId)] {
        self.writes.assignments.get(global).map_or(&[], Vec::as_slice)
    }

    /// The globals whose address the call is given, when it is a library function's that sets them and forgets the
    /// address, with the number of the argument.
    pub(crate) fn given_globals(&self, id: FunctionIndex, call: ExprId) -> &[(&'u str, usize)] {
        self.addresses.given.get(&(id, call)).map_or(&[], Vec::as_slice)
    }

    /// Whether somebody may keep the address of a global.
    pub fn is_exposed_global(&self, name: &str) -> bool {
        self.addresses.globals.contains(name)
    }

    /// Whether the address of a member of this name is taken anywhere.
    pub fn is_exposed_member(&self, name: &str) -> bool {
        self.addresses.members.contains(name)
    }

    /// The members of this name in all structures that the program shows.
    pub fn members(&self, name: &str) -> impl Iterator<Item = &'u Member> + use<'_, 'u> {
        self.members.get(name).into_iter().flatten().copied()
    }

    /// Whether some function of the program changes a global of this name where that shows.
    pub fn is_changed_global(&self, name: &str) -> bool {
        self.writes.changes.is_changed(name)
    }

    /// The functions that may assign a global of this name, callees in the program included.
    pub(crate) fn changers(&self, name: &str) -> &[FunctionIndex] {
        self.writes.changes.changers(name)
    }
}
