//! Is a value the same on every task?
//!
//! SC'09 Def. 4.1 (3) asks for single-valued variables in the sense of Kreaseck's and of Aiken and Gay's barrier
//! analyses. A value is as good as the worst thing that it is computed from, so one search backwards over
//! everything that may flow into it finds the answer: constants are proven, arguments of `main` and results of collectives are
//! assumed to be the same, ranks, received data, clocks, addresses and memory are not.
//!
//! "The same" is meant at corresponding moments: same stack of calls, same iteration of every loop around. So a
//! branch matters only where it chooses between several definitions, and the branch that ends a loop matters only
//! for what is used after the loop: inside it, all tasks at one iteration have passed it alike.

use crate::effects::children;
use crate::external::{call_value, communicator, writes_through};
use crate::flow::Action;
use crate::packs::{arguments_for, parameter_pack};
use crate::program::{FunctionIndex, Program};
use crate::summary::{Effect, is_stood_in_for};
use ir::{Callee, ExprId, ExprKind, LocalId, Name, VarRef};
use library::Value;
use progress_map::{Assumption, LoopId, PointId, Provenance, ProvenanceKind as Kind};
use std::cell::Cell;
use std::collections::BTreeSet;

/// What a value's sameness on every task rests on, with the reason for the weakest part.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Sameness {
    /// The weakest thing that it rests on.
    pub assumption: Assumption,
    /// What that thing is; `None` when everything is constant.
    pub provenance: Option<Provenance>,
}

impl Sameness {
    /// That of a constant.
    pub fn proven() -> Self {
        Sameness {
            assumption: Assumption::Proven,
            provenance: None,
        }
    }
}

/// Something that flows into the value asked for.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Source {
    /// An expression evaluated at a point.
    Value(FunctionIndex, ExprId, PointId),
    /// A local variable just before a point.
    Local(FunctionIndex, LocalId, PointId),
    /// A parameter on entry.
    Parameter(FunctionIndex, usize),
    /// What a function returns.
    Returned(FunctionIndex),
    /// A variable at file scope.
    Global(Name),
    /// Whether a function is called at all.
    Context(FunctionIndex),
}

impl Program<'_> {
    /// Whether `expr`, evaluated at `point`, is the same on every task.
    pub fn single_valued(
        &self,
        effort: &Effort,
        id: FunctionIndex,
        expr: ExprId,
        point: PointId,
    ) -> Sameness {
        Search::run(self, effort, vec![Source::Value(id, expr, point)])
    }

    /// Whether the value that `local` has when control enters `in_loop` is the same on every task.
    pub fn single_valued_on_entry(
        &self,
        effort: &Effort,
        id: FunctionIndex,
        local: LocalId,
        in_loop: LoopId,
    ) -> Sameness {
        let info = &self.functions[id];
        let node = &info.loops.loops[in_loop];
        let mut search = Search {
            program: self,
            seen: BTreeSet::new(),
            work: Vec::new(),
            worst: Sameness::proven(),
            effort,
        };
        // The definitions that reach each edge into the loop from outside.
        let mut reaching = crate::Reaching::default();
        for &pred in &info.flow.preds[node.header] {
            if info.loops.contains(in_loop, pred) || !info.flow.reachable[pred] {
                continue;
            }
            if info.definitions.of(local).contains(&pred) {
                reaching.points.push(pred);
                continue;
            }
            let part = info.definitions.reaching(&info.flow, local, pred, None);
            reaching.points.extend(part.points);
            reaching.entry |= part.entry || pred == info.flow.entry();
        }
        reaching.points.sort_unstable();
        reaching.points.dedup();
        search.definitions(id, local, node.header, &reaching);
        search.finish()
    }

    /// Whether steps of a variable are the same on every task: their `amounts`, each evaluated at its point, and for the points
    /// `guarded` the ways at the branches that decide if they execute, as far as they lie inside `in_loop`; the branches that
    /// end `in_loop` itself do not count.
    pub fn single_valued_steps(
        &self,
        effort: &Effort,
        id: FunctionIndex,
        in_loop: LoopId,
        amounts: impl Iterator<Item = (ExprId, PointId)>,
        guarded: impl Iterator<Item = PointId>,
    ) -> Sameness {
        let info = &self.functions[id];
        let mut sources: BTreeSet<Source> = amounts
            .map(|(amount, point)| Source::Value(id, amount, point))
            .collect();
        for branch in guarded.flat_map(|point| info.control.deciders(point)) {
            if info.loops.contains(in_loop, branch)
                && !info.loops.ends(branch, in_loop)
                && let Action::Branch(Some(condition)) = info.flow.points[branch].action
            {
                sources.insert(Source::Value(id, condition, branch));
            }
        }
        Search::run(self, effort, sources.into_iter().collect())
    }
}

/// How much the questions about one function may look at, all together: sources, definitions, and branches that decide about them.
/// Of the functions of a dozen large trees none needs a third of it. Loops by the hundred that all change one variable
/// need powers of their number.
const LIMIT: usize = 4_000_000;

/// What the questions about one function have looked at so far. Beyond a limit their answer is that tasks may differ, so
/// that no text, however it was made, takes for ever.
#[derive(Debug, Default)]
pub struct Effort(Cell<usize>);

impl Effort {
    /// One of which nothing is left.
    #[cfg(test)]
    pub(crate) fn spent() -> Self {
        Self(Cell::new(LIMIT))
    }

    /// Counts what is looked at; false beyond the limit.
    fn spend(&self, count: usize) -> bool {
        self.0.set(self.0.get().saturating_add(count));
        self.0.get() <= LIMIT
    }
}

struct Search<'p, 'u> {
    program: &'p Program<'u>,
    seen: BTreeSet<Source>,
    work: Vec<Source>,
    worst: Sameness,
    effort: &'p Effort,
}

impl<'p, 'u> Search<'p, 'u> {
    fn run(program: &'p Program<'u>, effort: &'p Effort, work: Vec<Source>) -> Sameness {
        Search {
            program,
            seen: work.iter().cloned().collect(),
            work,
            worst: Sameness::proven(),
            effort,
        }
        .finish()
    }

    fn finish(mut self) -> Sameness {
        while let Some(source) = self.work.pop() {
            self.looks_at(1);
            match source {
                Source::Value(id, expr, point) => self.value(id, expr, point),
                Source::Local(id, local, point) => self.local(id, local, point),
                Source::Parameter(id, index) => self.parameter(id, index),
                Source::Returned(id) => self.returned(id),
                Source::Global(name) => self.global(&name),
                Source::Context(id) => self.context(id),
            }
            if self.worst.assumption == Assumption::RankDependent {
                break;
            }
        }
        self.worst
    }

    fn push(&mut self, source: Source) {
        if self.seen.insert(source.clone()) {
            self.work.push(source);
        }
    }

    fn rests_on(&mut self, assumption: Assumption, reason: impl FnOnce() -> Provenance) {
        if assumption > self.worst.assumption {
            self.worst = Sameness {
                assumption,
                provenance: Some(reason()),
            };
        }
    }

    /// Counts what is looked at. Whatever is beyond the limit could tell tasks from one another.
    fn looks_at(&mut self, count: usize) {
        if !self.effort.spend(count) {
            self.differs(|| Provenance::of(Kind::TooMuch));
        }
    }

    fn differs(&mut self, reason: impl FnOnce() -> Provenance) {
        self.rests_on(Assumption::RankDependent, reason);
    }

    fn value(&mut self, id: FunctionIndex, expr: ExprId, point: PointId) {
        let info = &self.program.functions[id];
        let node = &info.function.exprs[expr];
        match &node.kind {
            ExprKind::Int(_) | ExprKind::Float(_) | ExprKind::Constant => {}
            // It has no value.
            ExprKind::Throw(_) => {}
            ExprKind::Var(VarRef::Local(local)) => self.push(Source::Local(id, *local, point)),
            ExprKind::Var(VarRef::Global(name)) => self.push(Source::Global(*name)),
            // Functions of one name in two files may have been built differently.
            ExprKind::BuildChoice => self.differs(|| Provenance::at(Kind::BuildChoice, node.span.line)),
            ExprKind::Call { callee, args } => self.call(id, callee, args, point),
            ExprKind::Comma(_, last) => self.push(Source::Value(id, *last, point)),
            ExprKind::Assign { op: None, value, .. } => self.push(Source::Value(id, *value, point)),
            ExprKind::Field { .. }
            | ExprKind::Captured { .. }
            | ExprKind::Index { .. }
            | ExprKind::Deref(_)
            | ExprKind::Unseen => {
                self.differs(|| Provenance::at(Kind::Memory, node.span.line));
            }
            ExprKind::Str | ExprKind::AddressOf(_) | ExprKind::List(_) => {
                self.differs(|| Provenance::at(Kind::Address, node.span.line));
            }
            ExprKind::Unknown(_) => {
                self.differs(|| Provenance::at(Kind::NotUnderstood, node.span.line));
            }
            ExprKind::Unary(..)
            | ExprKind::Binary(..)
            | ExprKind::And(..)
            | ExprKind::Or(..)
            | ExprKind::Conditional(..)
            | ExprKind::Cast(..)
            | ExprKind::Step { .. }
            | ExprKind::Assign { op: Some(_), .. } => {
                for child in children(node) {
                    self.push(Source::Value(id, child, point));
                }
            }
        }
    }

    fn call(&mut self, id: FunctionIndex, callee: &Callee, args: &[ExprId], point: PointId) {
        let Callee::Named(name) = callee else {
            return self.differs(|| Provenance::of(Kind::UnknownCall));
        };
        let unit = self.program.functions[id].unit;
        if self.program.is_known(unit, name) {
            for callee in self.program.callees(unit, name) {
                self.push(Source::Returned(callee));
            }
            if !is_stood_in_for(name) {
                return;
            }
        }
        match call_value(name) {
            Some(Value::OfArguments) => {
                for &arg in args {
                    self.push(Source::Value(id, arg, point));
                }
                self.rests_on(Assumption::Assumed, || {
                    Provenance::about(Kind::Computed, "", name)
                });
            }
            Some(Value::Same) => self.rests_on(Assumption::Assumed, || {
                Provenance::about(Kind::Returned, "", name)
            }),
            Some(Value::Differs) => self.differs(|| Provenance::about(Kind::Returned, "", name)),
            None => self.differs(|| Provenance::about(Kind::ReturnedUnmapped, "", name)),
        }
    }

    fn local(&mut self, id: FunctionIndex, local: LocalId, point: PointId) {
        let info = &self.program.functions[id];
        let variable = &info.function.locals[local];
        if info.definitions.escaped(local) && !self.promised(id, local) || variable.is_static {
            return self.differs(|| Provenance::about(Kind::ThroughPointer, &variable.name, ""));
        }
        // What reaches a point is looked for in all of the function.
        self.looks_at(info.flow.points.len() / 32);
        let reaching = info.definitions.reaching(&info.flow, local, point, None);
        self.definitions(id, local, point, &reaching);
    }

    /// Whether all who may change a variable unseen have promised not to; then the answer rests on that.
    fn promised(&mut self, id: FunctionIndex, local: LocalId) -> bool {
        let info = &self.program.functions[id];
        let promised = info.definitions.promised(local).is_some();
        if promised {
            let name = &info.function.locals[local].name;
            self.rests_on(Assumption::Assumed, || {
                Provenance::about(Kind::Promised, name, "")
            });
        }
        promised
    }

    /// What the definitions that reach `point` put into `local`, and what chooses among them.
    fn definitions(&mut self, id: FunctionIndex, local: LocalId, point: PointId, reaching: &crate::Reaching) {
        let info = &self.program.functions[id];
        let variable = &info.function.locals[local];
        if info.definitions.escaped(local) && !self.promised(id, local) {
            return self.differs(|| Provenance::about(Kind::ThroughPointer, &variable.name, ""));
        }
        if reaching.entry && base::Id::index(local) < info.function.params {
            self.push(Source::Parameter(id, base::Id::index(local)));
        }
        let several = reaching.points.len() + usize::from(reaching.entry) > 1;
        for &at in &reaching.points {
            let mut constant = false;
            match &info.flow.points[at].action {
                Action::Assign {
                    by, initial: true, ..
                } => {
                    constant = matches!(info.function.exprs[*by].kind, ExprKind::Int(_));
                    self.push(Source::Value(id, *by, at));
                }
                Action::Assign { by, .. } => match info.function.exprs[*by].kind {
                    ExprKind::Assign { op: None, value, .. } => {
                        constant = matches!(info.function.exprs[value].kind, ExprKind::Int(_));
                        self.push(Source::Value(id, value, at));
                    }
                    ExprKind::Assign { value, .. } => {
                        self.push(Source::Value(id, value, at));
                        self.push(Source::Local(id, local, at));
                    }
                    _ => self.push(Source::Local(id, local, at)),
                },
                Action::Call(call) => self.written_by_call(id, *call, local, at),
                _ => {}
            }
            if !constant && names_a_rank(&variable.name) {
                self.differs(|| Provenance::about(Kind::NamedAsRank, &variable.name, ""));
            }
            let (common, ended): (Vec<LoopId>, Vec<LoopId>) = info
                .loops
                .around(at)
                .partition(|&each| info.loops.contains(each, point));
            if several || !constant {
                for each in ended {
                    let ends = &info.loops.loops[each].ends;
                    self.looks_at(ends.len());
                    for &branch in ends {
                        self.decided_by(id, branch);
                    }
                }
            }
            if several {
                let ends_of = |&each: &LoopId| info.loops.loops[each].ends.iter().copied();
                let ends: BTreeSet<PointId> = common.iter().flat_map(ends_of).collect();
                let deciders = info.control.deciders(at);
                self.looks_at(ends.len() + deciders.len());
                for branch in deciders {
                    if !ends.contains(&branch) {
                        self.decided_by(id, branch);
                    }
                }
            }
            if self.worst.assumption == Assumption::RankDependent {
                return;
            }
        }
    }

    fn written_by_call(&mut self, id: FunctionIndex, call: ExprId, local: LocalId, at: PointId) {
        let info = &self.program.functions[id];
        let ExprKind::Call {
            callee: Callee::Named(name),
            args,
        } = &info.function.exprs[call].kind
        else {
            return;
        };
        for each in info.definitions.by_call(call).filter(|each| each.local == local) {
            if matches!(each.effect, Effect::Adds(_)) {
                self.push(Source::Local(id, local, at));
                continue;
            }
            if is_stood_in_for(name) || !self.program.is_known(info.unit, name) {
                self.written_by_library(id, name, args, each.index, at);
            } else {
                self.differs(|| Provenance::about(Kind::WrittenByCall, "", name));
            }
        }
    }

    /// What a library function puts where its argument `index` points to.
    fn written_by_library(
        &mut self,
        id: FunctionIndex,
        name: &str,
        args: &[ExprId],
        index: usize,
        at: PointId,
    ) {
        if writes_through(name, index) != Some(Value::Same) {
            return self.differs(|| Provenance::about(Kind::WrittenByCall, "", name));
        }
        self.rests_on(Assumption::Assumed, || {
            Provenance::about(Kind::WrittenByCall, "", name)
        });
        // The same on every task of the communicator: that must be one and the same for all of them.
        let communicator = communicator(name).and_then(|index| args.get(index));
        if let Some(&communicator) = communicator {
            self.push(Source::Value(id, communicator, at));
        }
    }

    fn decided_by(&mut self, id: FunctionIndex, branch: PointId) {
        if let Action::Branch(Some(condition)) = self.program.functions[id].flow.points[branch].action {
            self.push(Source::Value(id, condition, branch));
        }
    }

    fn parameter(&mut self, id: FunctionIndex, index: usize) {
        let info = &self.program.functions[id];
        let variable = &info.function.locals.as_slice()[index].name;
        let name = &info.function.name;
        if name == "main" {
            return self.rests_on(Assumption::Assumed, || Provenance::of(Kind::CommandLine));
        }
        if names_a_rank(variable) {
            return self.differs(|| Provenance::about(Kind::NamedAsRank, variable, ""));
        }
        let mut callers = self.program.callers(id).peekable();
        if callers.peek().is_none() || self.program.is_called_through_pointer(id) {
            return self.differs(|| Provenance::about(Kind::Argument, variable, name));
        }
        for (caller, point, call) in callers {
            let args = match &self.program.functions[caller].function.exprs[call].kind {
                ExprKind::Call { args, .. } => args.as_slice(),
                _ => &[],
            };
            let function = self.program.functions[caller].function;
            let given = arguments_for(function, args, parameter_pack(info.function), index);
            if given.is_empty() {
                self.differs(|| Provenance::about(Kind::Omitted, variable, name));
            }
            for &arg in given {
                self.push(Source::Value(caller, arg, point));
            }
        }
    }

    fn returned(&mut self, id: FunctionIndex) {
        let info = &self.program.functions[id];
        let returns: Vec<(PointId, Option<ExprId>)> = info
            .flow
            .points
            .iter_enumerated()
            .filter_map(|(point, each)| match each.action {
                Action::Return(value) if info.flow.reachable[point] => Some((point, value)),
                _ => None,
            })
            .collect();
        for &(point, value) in &returns {
            if let Some(value) = value {
                self.push(Source::Value(id, value, point));
            }
            if returns.len() > 1 {
                for branch in info.control.deciders(point) {
                    self.decided_by(id, branch);
                }
            }
        }
    }

    fn global(&mut self, name: &str) {
        let program = self.program;
        let declared: Vec<&ir::Global> = program
            .units
            .iter()
            .flat_map(|unit| &unit.globals)
            .filter(|global| global.name == name)
            .collect();
        let assignments = program.assignments(name);
        if names_a_rank(name) {
            return self.differs(|| Provenance::about(Kind::NamedAsRank, name, ""));
        }
        if declared.iter().all(|global| global.is_extern) && assignments.is_empty() {
            // A name in capitals is a macro or enumerator of some header; anything else may hold anything.
            return if base::is_shouted(name.as_bytes()) {
                self.rests_on(Assumption::Assumed, || {
                    Provenance::about(Kind::TakenForConstant, name, "")
                })
            } else {
                self.differs(|| Provenance::about(Kind::DefinedElsewhere, name, ""))
            };
        }
        if program.is_exposed_global(name) {
            return self.differs(|| Provenance::about(Kind::ThroughPointer, name, ""));
        }
        if assignments.is_empty() {
            let constant = declared
                .iter()
                .all(|global| global.is_extern || global.initial.is_some());
            let sameness = if constant {
                Assumption::Proven
            } else {
                Assumption::Assumed
            };
            return self.rests_on(sameness, || Provenance::about(Kind::InitialValue, name, ""));
        }
        if program.catches() {
            return self.differs(|| Provenance::about(Kind::Exception, name, ""));
        }
        self.rests_on(Assumption::Assumed, || Provenance::about(Kind::Global, name, ""));
        for &(id, point) in assignments {
            let info = &program.functions[id];
            match info.flow.points[point].action {
                Action::Assign { by, .. } => {
                    for child in children(&info.function.exprs[by]) {
                        self.push(Source::Value(id, child, point));
                    }
                }
                Action::Call(call) => {
                    if let ExprKind::Call {
                        callee: Callee::Named(callee),
                        args,
                    } = &info.function.exprs[call].kind
                    {
                        let given = program.given_globals(id, call).iter();
                        for &(_, index) in given.filter(|&&(given, _)| given == name) {
                            self.written_by_library(id, callee, args, index, point);
                        }
                    }
                }
                _ => {}
            }
            for branch in info.control.deciders(point) {
                self.decided_by(id, branch);
            }
            self.push(Source::Context(id));
        }
    }

    fn context(&mut self, id: FunctionIndex) {
        let name = &self.program.functions[id].function.name;
        if name == "main" {
            return;
        }
        let mut callers = self.program.callers(id).peekable();
        if callers.peek().is_none() || self.program.is_called_through_pointer(id) {
            return self.differs(|| Provenance::about(Kind::UnknownCallers, "", name));
        }
        for (caller, point, _) in callers {
            for branch in self.program.functions[caller].control.deciders(point) {
                self.decided_by(caller, branch);
            }
            self.push(Source::Context(caller));
        }
    }
}

/// Whether programs use such a name for what tells a task from others. A guess that can only make us more careful.
fn names_a_rank(name: &str) -> bool {
    let name = name.to_ascii_lowercase();
    const WHOLE: &[&str] = &[
        "me", "myid", "my_id", "iam", "mype", "my_pe", "mynode", "myproc", "my_proc", "procid", "taskid",
        "task_id",
    ];
    name.contains("rank")
        || WHOLE.contains(&name.as_str())
        || name == "tid"
        || name == "pid"
        || name == "hostname"
}
