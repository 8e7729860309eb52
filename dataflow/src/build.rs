//! From structured statements to a flow graph.
//!
//! The builder walks a function in evaluation order and keeps a *frontier*: the points from which control goes on to
//! whatever comes next. Where C sequences operands (`&&`, `||`, `?:`, `,`, arguments before their call) the graph
//! does too; where it does not (`f(x) + g(y)`) the points are put in source order and marked as unsequenced.

mod expressions;

use crate::effects::{self, Target};
use crate::flow::{Action, Flow, FlowKind, FlowPoint, Neighbours};
use base::mutant::{Mutant, on};
use base::{Cause, Doubt, Id, IdVec, Span};
use ir::{ExprId, ExprKind, Function, LocalId, LoopKind, Name, StmtId, StmtKind, VarRef};
use progress_map::{PointId, Scope, ScopeId, ScopeKind, Unsequenced};
use std::collections::{BTreeMap, BTreeSet};
use thin_vec::ThinVec;

/// The points from which control goes on.
type Frontier = Vec<PointId>;

impl Flow {
    /// The flow graph of `function`.
    pub fn new(function: &Function) -> Flow {
        let mut builder = Builder::new(function);
        let span = function.span;
        builder.scope = builder.open(ScopeKind::Function, span.line, span.end_line);
        builder.frontier = vec![];
        builder.emit(FlowKind::Entry, span, Action::None);
        builder.statement(function.body);
        builder.finish(span)
    }
}

struct Builder<'f> {
    function: &'f Function,
    effects: IdVec<ExprId, bool>,
    points: IdVec<PointId, FlowPoint>,
    edges: Vec<(PointId, PointId)>,
    scopes: IdVec<ScopeId, Scope>,
    loop_statements: Vec<(ScopeId, LoopKind, PointId)>,
    divided: Vec<PointId>,
    scope: Option<ScopeId>,
    frontier: Frontier,
    /// Where `break` and `continue` collect, innermost last.
    breaks: Vec<Frontier>,
    continues: Vec<Frontier>,
    /// The innermost switches: the deciding point, whether `default` was seen, the scope of the whole and the number
    /// of arms so far.
    switches: Vec<Switch>,
    /// The `try` statements around, innermost last: where control may go on to their handlers, and the value that
    /// stands for whether it does.
    tries: Vec<(ExprId, Frontier)>,
    labels: BTreeMap<Name, PointId>,
    gotos: Vec<(PointId, Name)>,
    returns: Frontier,
    unsequenced: Vec<Unsequenced>,
    groups: u32,
    choices: Vec<Vec<PointId>>,
    handlers: Vec<PointId>,
    distrust: Option<Doubt>,
}

struct Switch {
    decider: PointId,
    has_default: bool,
    scope: Option<ScopeId>,
    arms: u32,
}

impl<'f> Builder<'f> {
    fn new(function: &'f Function) -> Self {
        Builder {
            function,
            effects: effects::effects(function),
            points: IdVec::new(),
            edges: Vec::new(),
            scopes: IdVec::new(),
            loop_statements: Vec::new(),
            divided: Vec::new(),
            scope: None,
            frontier: Vec::new(),
            breaks: Vec::new(),
            continues: Vec::new(),
            switches: Vec::new(),
            tries: Vec::new(),
            labels: BTreeMap::new(),
            gotos: Vec::new(),
            returns: Vec::new(),
            unsequenced: Vec::new(),
            groups: 0,
            choices: Vec::new(),
            handlers: Vec::new(),
            distrust: None,
        }
    }

    fn finish(mut self, span: Span) -> Flow {
        self.scope = self.scopes.ids().next();
        self.frontier.append(&mut self.returns);
        let exit = self.emit(FlowKind::Exit, span, Action::None);
        for (from, name) in std::mem::take(&mut self.gotos) {
            match self.labels.get(&name) {
                Some(&to) if on(Mutant::GotoBackIgnored) && to < from => {}
                Some(&to) => self.edges.push((from, to)),
                None => {
                    self.edges.push((from, exit));
                    self.distrust
                        .get_or_insert(Doubt::about(Cause::NoLabel, &*name, 0));
                }
            }
        }
        self.edges.sort_unstable();
        self.edges.dedup();
        let succs = Neighbours::new(self.points.len(), &self.edges);
        let mut back: Vec<(PointId, PointId)> = self.edges.iter().map(|&(from, to)| (to, from)).collect();
        back.sort_unstable();
        let preds = Neighbours::new(self.points.len(), &back);
        let mut reachable: IdVec<PointId, bool> = self.points.iter().map(|_| false).collect();
        let mut work = vec![PointId::from_index(0)];
        while let Some(point) = work.pop() {
            if !std::mem::replace(&mut reachable[point], true) {
                work.extend(succs[point].iter().copied());
            }
        }
        self.points.shrink_to_fit();
        self.scopes.shrink_to_fit();
        self.choices.sort_unstable();
        Flow {
            points: self.points,
            succs,
            preds,
            reachable,
            scopes: self.scopes,
            loop_statements: self.loop_statements,
            divided: self.divided,
            choices: self.choices,
            handlers: self.handlers,
            distrust: self.distrust,
        }
    }

    /// Opens a scope inside the current one.
    fn open(&mut self, kind: ScopeKind, line: u32, end_line: u32) -> Option<ScopeId> {
        Some(self.scopes.push(Scope {
            parent: self.scope,
            kind,
            line,
            end_line,
        }))
    }

    /// Adds a point after the frontier and makes it the frontier.
    fn emit(&mut self, kind: FlowKind, span: Span, action: Action) -> PointId {
        let scope = self.scope.unwrap_or(ScopeId::from_index(0));
        let mut unsequenced = ThinVec::from(self.unsequenced.as_slice());
        unsequenced.sort_unstable();
        let id = self.points.push(FlowPoint {
            kind,
            span,
            scope,
            unsequenced,
            action,
        });
        for from in std::mem::take(&mut self.frontier) {
            self.edges.push((from, id));
        }
        self.frontier = vec![id];
        id
    }

    /// A join that no code stands for, at the start of `span`.
    fn join(&mut self, span: Span) -> PointId {
        let at = Span {
            end_line: span.line,
            end_column: span.column,
            ..span
        };
        self.emit(FlowKind::Eval, at, Action::None)
    }

    /// Inside `try`: something may be thrown here, or not. No code stands for it.
    fn may_throw(&mut self, span: Span) {
        let Some(&(thrown, _)) = self.tries.last() else {
            return;
        };
        if self.frontier.is_empty() {
            return;
        }
        let at = Span {
            end_line: span.line,
            end_column: span.column,
            ..span
        };
        let fork = self.emit(FlowKind::Branch, at, Action::Branch(Some(thrown)));
        if let Some((_, sources)) = self.tries.last_mut() {
            sources.push(fork);
        }
    }

    fn try_statement(&mut self, body: StmtId, handlers: &[StmtId], thrown: ExprId, span: Span) {
        let outer = self.scope;
        self.scope = self.open(ScopeKind::Branch, span.line, span.end_line);
        self.tries.push((thrown, Vec::new()));
        self.may_throw(span);
        self.arm(0, span.line, body);
        self.may_throw(span);
        self.closing_brace(body, handlers.first().copied());
        let (_, sources) = self.tries.pop().unwrap_or((thrown, Vec::new()));
        let mut after = std::mem::take(&mut self.frontier);
        for (number, &handler) in handlers.iter().enumerate() {
            let begin = self.function.stmts[handler].span;
            self.frontier = sources.clone();
            let head = self.join(begin);
            self.handlers.push(head);
            self.arm(number as u32 + 1, begin.line, handler);
            self.closing_brace(handler, handlers.get(number + 1).copied());
            after.append(&mut self.frontier);
        }
        // What no handler here catches, one further out may.
        if let Some((_, outer)) = self.tries.last_mut() {
            outer.extend(sources);
        }
        self.frontier = after;
        self.scope = outer;
    }

    fn statement(&mut self, id: StmtId) {
        let stmt = &self.function.stmts[id];
        let span = stmt.span;
        self.may_throw(span);
        match &stmt.kind {
            StmtKind::Expr(expr) => self.full_expression(*expr, span),
            StmtKind::Decl { local, init } => self.declaration(*local, *init, span),
            StmtKind::Block(items) => self.block(items, span),
            StmtKind::Group(items) => self.statements(items),
            StmtKind::If {
                cond,
                then,
                other,
                else_line,
            } => self.branch(*cond, *then, *other, *else_line, span),
            StmtKind::Loop {
                kind,
                init,
                cond,
                step,
                body,
                divided,
            } => {
                if let Some(init) = *init {
                    self.statement(init);
                }
                let before = self.loop_statements.len();
                self.repeat(*kind, *cond, *step, *body, span);
                // The loop itself is entered before those inside it, or not at all when it never repeats.
                if *divided && let Some(&(.., header)) = self.loop_statements.get(before) {
                    self.divided.push(header);
                }
            }
            StmtKind::Switch { value, body } => self.switch(*value, *body, span),
            StmtKind::Case(_) => self.case(span),
            StmtKind::Default => {
                if let Some(switch) = self.switches.last_mut() {
                    switch.has_default = true;
                }
                self.case(span);
            }
            StmtKind::Label(_)
            | StmtKind::Goto(_)
            | StmtKind::ComputedGoto(_)
            | StmtKind::Break
            | StmtKind::Continue => self.jump_or_label(&stmt.kind, span),
            StmtKind::Return(value) => self.return_statement(*value, span),
            StmtKind::Try {
                body,
                handlers,
                thrown,
            } => self.try_statement(*body, handlers, *thrown, span),
            StmtKind::Throw(value) => self.throw(*value, span),
            StmtKind::Alternatives(arms) => self.alternatives(arms, span),
            StmtKind::Empty => {}
            StmtKind::Unknown(parts) => {
                for &part in parts {
                    self.expression(part);
                }
                self.emit(FlowKind::Eval, span, Action::None);
                self.distrust
                    .get_or_insert(Doubt::at(Cause::UnknownStatement, span.line));
            }
        }
    }

    fn block(&mut self, items: &[StmtId], span: Span) {
        let outer = self.scope;
        self.scope = self.open(ScopeKind::Block, span.line, span.end_line);
        self.statements(items);
        self.scope = outer;
    }

    /// A statement that leads elsewhere than to the next one, or to which others lead.
    fn jump_or_label(&mut self, kind: &StmtKind, span: Span) {
        match kind {
            StmtKind::Label(name) => {
                let at = self.join(span);
                self.labels.insert(*name, at);
            }
            StmtKind::Goto(name) => {
                let jump = self.emit(FlowKind::Eval, span, Action::None);
                self.gotos.push((jump, *name));
                self.frontier.clear();
            }
            StmtKind::ComputedGoto(expr) => {
                self.full_expression(*expr, span);
                self.distrust
                    .get_or_insert(Doubt::at(Cause::ComputedGoto, span.line));
            }
            StmtKind::Break => {
                let leaving = self.jump(span);
                match self.breaks.last_mut() {
                    Some(breaks) => breaks.extend(leaving),
                    None => self.distrust = Some(Doubt::at(Cause::LostBreak, span.line)),
                }
            }
            StmtKind::Continue => {
                let leaving = self.jump(span);
                match self.continues.last_mut() {
                    Some(continues) => continues.extend(leaving),
                    None => self.distrust = Some(Doubt::at(Cause::LostContinue, span.line)),
                }
            }
            _ => {}
        }
    }

    /// An exception may be caught by the `try` around, or leave the function.
    fn throw(&mut self, value: Option<ExprId>, span: Span) {
        if let Some(value) = value {
            self.expression(value);
        }
        let leaving = self.jump(span);
        if let Some((_, sources)) = self.tries.last_mut() {
            sources.extend(leaving.iter().copied());
        }
        self.returns.extend(leaving);
    }

    fn declaration(&mut self, local: LocalId, init: Option<ExprId>, span: Span) {
        let Some(init) = init else { return };
        if self.function.locals[local].is_static {
            self.static_declaration(local, init, span);
            return;
        }
        self.expression(init);
        let action = Action::Assign {
            target: Target::Local(local),
            by: init,
            initial: true,
        };
        self.emit(FlowKind::Eval, span, action);
    }

    /// A static variable is initialised before the program starts, or, in C++, by whoever comes here first, if that takes more than a constant.
    fn static_declaration(&mut self, local: LocalId, init: ExprId, span: Span) {
        if !self.effects[init] {
            return;
        }
        // Who comes here first differs by task as much as what a call gives: the initialiser stands for that, too.
        let is_first = self.emit(FlowKind::Branch, span, Action::Branch(Some(init)));
        self.expression(init);
        let action = Action::Assign {
            target: Target::Local(local),
            by: init,
            initial: false,
        };
        self.emit(FlowKind::Eval, span, action);
        self.frontier.push(is_first);
    }

    /// A jump has a point of its own: compilers give it its line, and tasks may be seen there. Returns what leads away from it.
    fn jump(&mut self, span: Span) -> Vec<PointId> {
        self.emit(FlowKind::Eval, span, Action::None);
        std::mem::take(&mut self.frontier)
    }

    fn return_statement(&mut self, value: Option<ExprId>, span: Span) {
        if let Some(value) = value {
            self.expression(value);
        }
        let kind = match value {
            Some(value) if !self.may_be_of_a_call(value) => FlowKind::Return,
            _ => FlowKind::Eval,
        };
        self.emit(kind, span, Action::Return(value));
        let leaving = std::mem::take(&mut self.frontier);
        self.returns.extend(leaving);
    }

    fn statements(&mut self, items: &[StmtId]) {
        for &item in items {
            self.statement(item);
        }
    }

    /// Whether a returned value may be one that a call before the `return` has left behind: then nothing need be done between
    /// the two. What is constant or loaded from a global is put in its place after all calls.
    fn may_be_of_a_call(&self, value: ExprId) -> bool {
        let expr = &self.function.exprs[value];
        match &expr.kind {
            ExprKind::Var(VarRef::Local(_)) | ExprKind::Call { .. } | ExprKind::Unknown(_) => true,
            _ => effects::children(expr)
                .into_iter()
                .any(|part| self.may_be_of_a_call(part)),
        }
    }

    /// An arm of a branch: its braces are not a level of their own (SC'09 Figure 3, nodes 11 and 12).
    fn arm(&mut self, number: u32, line: u32, id: StmtId) {
        let outer = self.scope;
        let stmt = &self.function.stmts[id];
        self.scope = self.open(ScopeKind::Arm(number), line, stmt.span.end_line);
        match &stmt.kind {
            StmtKind::Block(items) => self.statements(items),
            _ => self.statement(id),
        }
        self.scope = outer;
    }

    /// The last brace of an arm, where the next arm has something on the same line (`} else if (c) {`): clang gives the jump out of the arm the position of the
    /// brace, and it is no part of what else is on that line.
    fn closing_brace(&mut self, arm: StmtId, next: Option<StmtId>) {
        let stmts = &self.function.stmts;
        let (StmtKind::Block(_), Some(next)) = (&stmts[arm].kind, next) else {
            return;
        };
        let first = match &stmts[next].kind {
            StmtKind::Block(items) => items.first().copied().unwrap_or(next),
            _ => next,
        };
        let end = stmts[arm].span;
        if !self.frontier.is_empty() && stmts[first].span.line == end.end_line {
            let brace = Span {
                line: end.end_line,
                column: end.end_column.saturating_sub(1),
                ..end
            };
            self.emit(FlowKind::Eval, brace, Action::None);
        }
    }

    fn branch(&mut self, cond: ExprId, then: StmtId, other: Option<StmtId>, else_line: u32, span: Span) {
        let outer = self.scope;
        self.scope = self.open(ScopeKind::Branch, span.line, span.end_line);
        let (when_true, when_false) = self.condition(cond);
        self.frontier = when_true;
        self.arm(0, span.line, then);
        self.closing_brace(then, other);
        let after_then = std::mem::replace(&mut self.frontier, when_false);
        if let Some(other) = other {
            let line = if else_line == 0 {
                self.function.stmts[other].span.line
            } else {
                else_line
            };
            self.arm(1, line, other);
        }
        self.frontier.extend(after_then);
        self.scope = outer;
    }

    fn alternatives(&mut self, arms: &[StmtId], span: Span) {
        let outer = self.scope;
        self.scope = self.open(ScopeKind::Branch, span.line, span.end_line);
        let start = Span {
            end_line: span.line,
            end_column: span.column,
            ..span
        };
        let fork = self.emit(FlowKind::Branch, start, Action::Branch(None));
        let mut after = Vec::new();
        let mut bounds = vec![self.points.next_id()];
        for (number, &arm) in arms.iter().enumerate() {
            self.frontier = vec![fork];
            let line = self.function.stmts[arm].span.line;
            self.arm(number as u32, line, arm);
            after.append(&mut self.frontier);
            bounds.push(self.points.next_id());
        }
        self.frontier = after;
        self.scope = outer;
        self.note_choice(bounds);
    }

    /// Notes arms of which every build has one, if two of them make the same call at the same position.
    fn note_choice(&mut self, bounds: Vec<PointId>) {
        let call = |point: &FlowPoint| {
            let name = point.callee(self.function)?.name();
            let name = name.map_or("", ir::Name::as_str);
            Some((point.span.line, point.span.column, name))
        };
        let arm = |range: &[PointId]| {
            let points = self.points.as_slice()[range[0].index()..range[1].index()].iter();
            BTreeSet::from_iter(points.filter_map(call))
        };
        let mut known = BTreeSet::new();
        let shared = bounds.windows(2).map(arm).any(|mut calls| {
            let shared = calls.iter().any(|call| known.contains(call));
            known.append(&mut calls);
            shared
        });
        if shared {
            self.choices.push(bounds);
        }
    }

    /// Whether a condition stands for what the build has chosen.
    fn is_choice(&self, cond: ExprId) -> bool {
        self.function.exprs[cond].kind == ExprKind::BuildChoice
    }

    fn repeat(
        &mut self,
        kind: LoopKind,
        cond: Option<ExprId>,
        step: Option<ExprId>,
        body: StmtId,
        span: Span,
    ) {
        let outer = self.scope;
        self.scope = self.open(ScopeKind::Loop(None), span.line, span.end_line);
        let scope = self.scope;
        self.breaks.push(Vec::new());
        self.continues.push(Vec::new());
        let header = self.join(span);
        if let Some(scope) = scope {
            self.loop_statements.push((scope, kind, header));
        }
        let leave = if kind == LoopKind::DoWhile && !on(Mutant::DoConditionFirst) {
            self.statement(body);
            self.frontier.extend(self.continues.pop().unwrap_or_default());
            let (again, leave) = cond.map_or_else(Default::default, |cond| self.condition(cond));
            self.back_to(header, again);
            leave
        } else {
            let (enter, leave) = match cond {
                Some(cond) => self.condition(cond),
                None => (std::mem::take(&mut self.frontier), Vec::new()),
            };
            self.frontier = enter;
            self.statement(body);
            self.frontier.extend(self.continues.pop().unwrap_or_default());
            if let Some(step) = step {
                let step_span = self.function.exprs[step].span;
                self.full_expression(step, step_span);
            }
            let again = std::mem::take(&mut self.frontier);
            self.back_to(header, again);
            leave
        };
        self.frontier = leave;
        self.frontier.extend(self.breaks.pop().unwrap_or_default());
        self.scope = outer;
    }

    fn back_to(&mut self, header: PointId, from: Frontier) {
        self.edges.extend(from.into_iter().map(|point| (point, header)));
    }

    fn switch(&mut self, value: ExprId, body: StmtId, span: Span) {
        let outer = self.scope;
        self.scope = self.open(ScopeKind::Branch, span.line, span.end_line);
        self.expression(value);
        let value_span = self.function.exprs[value].span;
        let decider = self.emit(FlowKind::Branch, value_span, Action::Branch(Some(value)));
        self.frontier.clear();
        self.breaks.push(Vec::new());
        self.switches.push(Switch {
            decider,
            has_default: false,
            scope: self.scope,
            arms: 0,
        });
        match &self.function.stmts[body].kind {
            StmtKind::Block(items) => self.statements(items),
            _ => self.statement(body),
        }
        if let Some(switch) = self.switches.pop()
            && !switch.has_default
        {
            self.frontier.push(decider);
        }
        self.frontier.extend(self.breaks.pop().unwrap_or_default());
        self.scope = outer;
    }

    fn case(&mut self, span: Span) {
        let Some(switch) = self.switches.last_mut() else {
            self.distrust.get_or_insert(Doubt::at(Cause::LostCase, span.line));
            return;
        };
        let number = switch.arms;
        switch.arms += 1;
        let (decider, scope) = (switch.decider, switch.scope);
        // A label inside a nested block or loop (Duff's device) stays in that scope.
        let directly = self.scope.is_some_and(|at| {
            Some(at) == scope
                || (matches!(self.scopes[at].kind, ScopeKind::Arm(_)) && self.scopes[at].parent == scope)
        });
        if directly {
            self.scope = scope;
            let end = scope.map_or(span.end_line, |scope| self.scopes[scope].end_line);
            self.scope = self.open(ScopeKind::Arm(number), span.line, end);
        }
        if on(Mutant::FallthroughCut) {
            self.frontier.clear();
        }
        if !self.frontier.contains(&decider) {
            self.frontier.push(decider);
        }
        // A join keeps the decider's edge apart from fallthrough into a loop's header.
        self.join(span);
    }
}
