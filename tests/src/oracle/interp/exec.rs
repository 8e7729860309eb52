//! Statements.

use super::{Expr, Flow, Machine, Run, Slot, Stmt, Ty, Value, invalid};
use crate::oracle::ast::{Case, For, ForInit, Lvalue, Op, TwoEntries, update};
use crate::oracle::truth::IndexStep;

/// What a `for` statement begins with.
struct Header<'a> {
    init: Option<&'a ForInit>,
    init_site: usize,
    cond: Option<&'a Expr>,
}

impl Machine<'_> {
    /// Statements in a scope of their own.
    pub(super) fn block(&mut self, stmts: &[Stmt]) -> Run<Flow> {
        self.open_scope(stmts);
        let flow = self.sequence(stmts)?;
        self.close_scope();
        Ok(flow)
    }

    fn sequence(&mut self, stmts: &[Stmt]) -> Run<Flow> {
        let depth = self.trace_depth();
        for (index, stmt) in stmts.iter().enumerate() {
            let around = self.trace_statement(stmt);
            let straight = self.trace_inside(stmt);
            let flow = self.deeper(IndexStep::child(index, stmt), |m| m.exec(stmt))?;
            self.trace_behind(straight);
            self.trace_line(around);
            if flow != Flow::Next {
                self.trace_back_to(depth);
                return Ok(flow);
            }
            self.trace_passed(std::slice::from_ref(stmt), false);
        }
        self.trace_back_to(depth);
        Ok(Flow::Next)
    }

    fn deeper(&mut self, step: IndexStep, act: impl FnOnce(&mut Self) -> Run<Flow>) -> Run<Flow> {
        self.path.push(step);
        let flow = act(self)?;
        self.path.pop();
        Ok(flow)
    }

    fn exec(&mut self, stmt: &Stmt) -> Run<Flow> {
        self.burn()?;
        match stmt {
            Stmt::Expr(e, site) => self.stop_and_do(e, *site),
            Stmt::Decl(ty, name, init, is_static) => self.declare(*ty, name, init.as_ref(), *is_static),
            Stmt::If(cond, yes, no) => {
                let taken = self.truth_of(IndexStep::Phase(0), cond)?;
                let depth = self.trace_depth();
                self.trace_decide(cond);
                self.trace_guard(&[yes, no.as_deref().unwrap_or_default()]);
                let (arm, body) = match no {
                    _ if taken => (0, yes),
                    Some(no) => (1, no),
                    None => {
                        self.trace_back_to(depth);
                        return Ok(Flow::Next);
                    }
                };
                let flow = self.deeper(IndexStep::Phase(1), |m| {
                    m.deeper(IndexStep::Arm(arm), |m| m.block(body))
                })?;
                self.trace_back_to(depth);
                Ok(flow)
            }
            Stmt::While(cond, body) => self.in_loop(|m| m.while_loop(cond, body)),
            Stmt::Do(body, cond) => self.in_loop(|m| m.do_loop(body, cond)),
            Stmt::For(parts) => self.in_loop(|m| m.for_loop(parts)),
            Stmt::ForMacro(name, bound, body) => {
                let init = ForInit::Decl(Ty::Int, name.clone(), Expr::Int(0));
                let counter = Expr::Get(Lvalue::Var(name.clone()));
                let cond = Expr::Bin(Op::Lt, Box::new(counter), Box::new(bound.clone()));
                let header = Header {
                    init: Some(&init),
                    init_site: 0,
                    cond: Some(&cond),
                };
                self.in_loop(|m| {
                    m.for_loop_with(header, body, |m| {
                        m.eval(&Expr::Step {
                            place: Lvalue::Var(name.clone()),
                            up: true,
                            prefix: false,
                        })?;
                        Ok(Flow::Next)
                    })
                })
            }
            Stmt::Switch(value, cases) => self.switch(value, cases),
            Stmt::Break | Stmt::Continue | Stmt::GotoAgain(_) | Stmt::GotoEnd(_) => {
                self.trace_constant();
                self.trace_jump();
                Ok(match stmt {
                    Stmt::Break => Flow::Break,
                    Stmt::GotoAgain(label) => Flow::Again(label.clone()),
                    Stmt::GotoEnd(label) => Flow::End(label.clone()),
                    _ => Flow::Continue,
                })
            }
            Stmt::Return(value) => {
                self.trace_constant();
                let value = match value {
                    Some(e) => Some(self.eval(e)?),
                    None => None,
                };
                self.trace_jump();
                if let Some(frame) = self.frames.last_mut() {
                    frame.result = value;
                }
                Ok(Flow::Return)
            }
            Stmt::Again(label, body, cond) => {
                let depth = self.trace_depth();
                // Up to the last time that the condition led back; what the body's own jumps decide ends with the body.
                let mut decided = depth;
                self.trace_led(label);
                for round in 0.. {
                    self.path.push(IndexStep::Jump(round));
                    let flow = self.deeper(IndexStep::Phase(0), |m| m.block(body))?;
                    let on = match flow {
                        Flow::Next => {
                            self.trace_back_to(decided);
                            self.trace_passed(body, false);
                            let on = self.truth_of(IndexStep::Phase(1), cond)?;
                            self.trace_decide(cond);
                            decided = self.trace_depth();
                            self.trace_led(label);
                            on
                        }
                        Flow::Again(to) if to == *label => {
                            self.trace_landed(label);
                            true
                        }
                        other => {
                            self.trace_back_to(depth);
                            self.path.pop();
                            return Ok(other);
                        }
                    };
                    self.path.pop();
                    if !on {
                        break;
                    }
                }
                self.trace_back_to(depth);
                Ok(Flow::Next)
            }
            Stmt::Until(label, body) => match self.block(body)? {
                Flow::End(to) if to == *label => Ok(Flow::Next),
                other => Ok(other),
            },
            Stmt::TwoEntries(parts) => self.two_entries(parts),
            Stmt::Block(body) => self.block(body),
            Stmt::OneLine(body) => self.sequence(body),
            Stmt::Macro(twice, body) => {
                for round in 0..if *twice { 2 } else { 1 } {
                    let flow = self.deeper(
                        IndexStep::Child {
                            index: round,
                            jumps: body.iter().any(Stmt::jumps),
                        },
                        |m| m.sequence(body),
                    )?;
                    if flow != Flow::Next {
                        return Ok(flow);
                    }
                }
                Ok(Flow::Next)
            }
            Stmt::AddMacro(name, by, site) => {
                let e = update(Lvalue::Var(name.clone()), Op::Add, Expr::Int(*by));
                self.stop_and_do(&e, *site)
            }
        }
    }

    fn declare(&mut self, ty: Ty, name: &str, init: Option<&Expr>, is_static: bool) -> Run<Flow> {
        self.trace_constant();
        let value = match init {
            Some(e) => Some(self.eval(e)?),
            None => None,
        };
        let slot = self
            .frames
            .last_mut()
            .and_then(|frame| frame.scopes.last_mut())
            .and_then(|scope| {
                let slot = scope.iter_mut().find(|slot| slot.name == name && slot.ty == ty)?;
                slot.declared = true;
                Some(slot.cell)
            });
        let Some(cell) = slot else {
            return invalid(format!("'{name}' has no storage"));
        };
        if matches!(ty, Ty::Array(_)) {
            // Only its address is used.
            return Ok(Flow::Next);
        }
        if ty == Ty::Struct {
            // `struct state s;` is followed by assignments to the members that are used.
            return Ok(Flow::Next);
        }
        match value {
            Some(_) if is_static && self.cells[cell].known => {}
            Some(value) => {
                self.trace_declare(cell);
                self.write(ty, cell, value)?;
            }
            None => self.cells[cell].known = false,
        }
        Ok(Flow::Next)
    }

    /// A loop, whose jumps end at it.
    fn in_loop(&mut self, run: impl FnOnce(&mut Self) -> Run<Flow>) -> Run<Flow> {
        let depth = self.trace_depth();
        let before = self.trace_into(true);
        let flow = run(self)?;
        self.trace_leave(before);
        self.trace_back_to(depth);
        Ok(flow)
    }

    fn while_loop(&mut self, cond: &Expr, body: &[Stmt]) -> Run<Flow> {
        for round in 0.. {
            self.path.push(IndexStep::Round(round));
            let on = self.truth_of(IndexStep::Phase(0), cond)?;
            self.trace_decide(cond);
            self.trace_guard(&[body]);
            if !on {
                self.path.pop();
                break;
            }
            let flow = self.deeper(IndexStep::Phase(1), |m| m.block(body))?;
            self.path.pop();
            match flow {
                Flow::Next | Flow::Continue => self.trace_passed(body, true),
                Flow::Break => break,
                other => return Ok(other),
            }
        }
        Ok(Flow::Next)
    }

    fn do_loop(&mut self, body: &[Stmt], cond: &Expr) -> Run<Flow> {
        for round in 0.. {
            self.path.push(IndexStep::Round(round));
            let flow = self.deeper(IndexStep::Phase(0), |m| m.block(body))?;
            match flow {
                Flow::Next | Flow::Continue => self.trace_passed(body, true),
                Flow::Break => {
                    self.path.pop();
                    break;
                }
                other => {
                    self.path.pop();
                    return Ok(other);
                }
            }
            let on = self.truth_of(IndexStep::Phase(1), cond)?;
            self.trace_decide(cond);
            self.trace_guard(&[body]);
            self.path.pop();
            if !on {
                break;
            }
        }
        Ok(Flow::Next)
    }

    fn for_loop(&mut self, parts: &For) -> Run<Flow> {
        let header = Header {
            init: parts.init.as_ref(),
            init_site: parts.init_site,
            cond: parts.cond.as_ref(),
        };
        self.for_loop_with(header, &parts.body, |m| match &parts.step {
            Some(step) => m.stop_and_do(step, parts.step_site),
            None => Ok(Flow::Next),
        })
    }

    fn for_loop_with(
        &mut self,
        parts: Header<'_>,
        body: &[Stmt],
        mut step: impl FnMut(&mut Self) -> Run<Flow>,
    ) -> Run<Flow> {
        let mut scope = Vec::new();
        if let Some(ForInit::Decl(ty, name, _)) = parts.init {
            let cell = self.storage(*ty, name, false);
            scope.push(Slot {
                name: name.clone(),
                ty: *ty,
                cell,
                declared: false,
            });
        }
        if let Some(frame) = self.frames.last_mut() {
            frame.scopes.push(scope);
        }
        match parts.init {
            Some(ForInit::Decl(ty, name, e)) => {
                self.deeper(IndexStep::Phase(0), |m| {
                    // A loop that a macro makes has its variable on the line of the macro, and no stop of its own.
                    if parts.init_site > 0 && !e.has_call() {
                        m.path.push(IndexStep::Micro(0));
                        m.stop(parts.init_site, None)?;
                        m.trace_constant();
                        m.trace_stop(Some(e));
                        m.path.pop();
                        return m.deeper(IndexStep::Micro(1), |m| m.declare(*ty, name, Some(e), false));
                    }
                    m.declare(*ty, name, Some(e), false)
                })?;
            }
            Some(ForInit::Expr(e)) => {
                self.deeper(IndexStep::Phase(0), |m| m.stop_and_do(e, parts.init_site))?;
            }
            None => {}
        }
        self.path.push(IndexStep::Phase(1));
        let mut result = Flow::Next;
        for round in 0.. {
            self.burn()?;
            self.path.push(IndexStep::Round(round));
            if let Some(cond) = parts.cond {
                let on = self.truth_of(IndexStep::Phase(0), cond)?;
                self.trace_decide(cond);
                self.trace_guard(&[body]);
                if !on {
                    self.path.pop();
                    break;
                }
            }
            let flow = self.deeper(IndexStep::Phase(1), |m| m.block(body))?;
            match flow {
                Flow::Next | Flow::Continue => self.trace_passed(body, true),
                other => {
                    self.path.pop();
                    if other != Flow::Break {
                        result = other;
                    }
                    break;
                }
            }
            self.deeper(IndexStep::Phase(2), &mut step)?;
            self.path.pop();
        }
        self.path.pop();
        self.close_scope();
        Ok(result)
    }

    fn switch(&mut self, selector: &Expr, cases: &[Case]) -> Run<Flow> {
        let Value::Int(value) = self.under(IndexStep::Phase(0), selector)? else {
            return invalid("switch on what is no integer");
        };
        let Some(last) = cases.len().checked_sub(1) else {
            return Ok(Flow::Next);
        };
        let entry = usize::try_from(value).unwrap_or(last).min(last);
        let mut falls = 0;
        for (index, case) in cases.iter().enumerate() {
            falls |= u32::from(case.falls) << index;
        }
        let depth = self.trace_depth();
        let before = self.trace_into(false);
        self.trace_decide(selector);
        self.trace_guard(&Vec::from_iter(cases.iter().map(|case| &case.body[..])));
        self.path.push(IndexStep::Phase(1));
        self.path.push(IndexStep::Entry { at: entry, falls });
        let mut result = Flow::Next;
        for (index, case) in cases.iter().enumerate().skip(entry) {
            if index == last && cases[..last].iter().all(|case| case.falls) {
                // Every way leads here.
                self.trace_back_to(depth);
            }
            let flow = self.deeper(
                IndexStep::Child {
                    index,
                    jumps: case.body.iter().any(Stmt::jumps),
                },
                |m| m.block(&case.body),
            )?;
            match flow {
                Flow::Next if case.falls => {}
                Flow::Next | Flow::Break => break,
                other => {
                    result = other;
                    break;
                }
            }
        }
        self.path.pop();
        self.path.pop();
        self.trace_leave(before);
        self.trace_back_to(depth);
        Ok(result)
    }

    fn two_entries(&mut self, parts: &TwoEntries) -> Run<Flow> {
        let mut moment = 0;
        let mut next = || {
            moment += 1;
            IndexStep::Moment(moment)
        };
        let mut first = !self.truth_of(next(), &parts.enter)?;
        let depth = self.trace_depth();
        self.trace_decide(&parts.enter);
        loop {
            self.burn()?;
            if first {
                let flow = self.deeper(next(), |m| m.block(&parts.first))?;
                if flow != Flow::Next {
                    self.trace_back_to(depth);
                    return Ok(flow);
                }
            }
            // Both ways in lead to the second part.
            self.trace_back_to(depth);
            let flow = self.deeper(next(), |m| m.block(&parts.second))?;
            if flow != Flow::Next {
                self.trace_back_to(depth);
                return Ok(flow);
            }
            if !self.truth_of(next(), &parts.again)? {
                return Ok(Flow::Next);
            }
            self.trace_decide(&parts.again);
            first = true;
        }
    }
}
