//! Statements.

use super::{Expr, Flow, Machine, Run, Slot, Stmt, Ty, Value, invalid};
use crate::oracle::ast::{Case, For, ForInit, Op, Place, TwoEntries, update};
use crate::oracle::truth::Step;

impl Machine<'_> {
    /// Statements in a scope of their own.
    pub(super) fn block(&mut self, stmts: &[Stmt]) -> Run<Flow> {
        self.open_scope(stmts);
        let flow = self.sequence(stmts)?;
        self.close_scope();
        Ok(flow)
    }

    fn sequence(&mut self, stmts: &[Stmt]) -> Run<Flow> {
        for (index, stmt) in stmts.iter().enumerate() {
            let flow = self.deeper(Step::child(index, stmt), |m| m.exec(stmt))?;
            if flow != Flow::Next {
                return Ok(flow);
            }
        }
        Ok(Flow::Next)
    }

    fn deeper(&mut self, step: Step, act: impl FnOnce(&mut Self) -> Run<Flow>) -> Run<Flow> {
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
                let taken = self.truth_of(Step::Phase(0), cond)?;
                let (arm, body) = match no {
                    _ if taken => (0, yes),
                    Some(no) => (1, no),
                    None => return Ok(Flow::Next),
                };
                self.deeper(Step::Phase(1), |m| m.deeper(Step::Arm(arm), |m| m.block(body)))
            }
            Stmt::While(cond, body) => {
                for round in 0.. {
                    self.path.push(Step::Round(round));
                    if !self.truth_of(Step::Phase(0), cond)? {
                        self.path.pop();
                        break;
                    }
                    let flow = self.deeper(Step::Phase(1), |m| m.block(body))?;
                    self.path.pop();
                    match flow {
                        Flow::Next | Flow::Continue => {}
                        Flow::Break => break,
                        other => return Ok(other),
                    }
                }
                Ok(Flow::Next)
            }
            Stmt::Do(body, cond) => {
                for round in 0.. {
                    self.path.push(Step::Round(round));
                    let flow = self.deeper(Step::Phase(0), |m| m.block(body))?;
                    match flow {
                        Flow::Next | Flow::Continue => {}
                        Flow::Break => {
                            self.path.pop();
                            break;
                        }
                        other => {
                            self.path.pop();
                            return Ok(other);
                        }
                    }
                    let on = self.truth_of(Step::Phase(1), cond)?;
                    self.path.pop();
                    if !on {
                        break;
                    }
                }
                Ok(Flow::Next)
            }
            Stmt::For(parts) => self.for_loop(parts),
            Stmt::ForMacro(name, bound, body) => {
                let parts = For {
                    init: Some(ForInit::Decl(Ty::Int, name.clone(), Expr::Int(0))),
                    cond: Some(Expr::Bin(
                        Op::Lt,
                        Box::new(Expr::Get(Place::Var(name.clone()))),
                        Box::new(bound.clone()),
                    )),
                    step: None,
                    body: body.clone(),
                    spread: false,
                    init_site: 0,
                    step_site: 0,
                };
                self.for_loop_with(&parts, |m| {
                    m.eval(&Expr::Step {
                        place: Place::Var(name.clone()),
                        up: true,
                        prefix: false,
                    })?;
                    Ok(Flow::Next)
                })
            }
            Stmt::Switch(value, cases) => self.switch(value, cases),
            Stmt::Break => Ok(Flow::Break),
            Stmt::Continue => Ok(Flow::Continue),
            Stmt::Return(value) => {
                let value = match value {
                    Some(e) => Some(self.eval(e)?),
                    None => None,
                };
                if let Some(frame) = self.frames.last_mut() {
                    frame.result = value;
                }
                Ok(Flow::Return)
            }
            Stmt::Again(label, body, cond) => {
                for round in 0.. {
                    self.path.push(Step::Jump(round));
                    let flow = self.deeper(Step::Phase(0), |m| m.block(body))?;
                    let on = match flow {
                        Flow::Next => self.truth_of(Step::Phase(1), cond)?,
                        Flow::Again(to) if to == *label => true,
                        other => {
                            self.path.pop();
                            return Ok(other);
                        }
                    };
                    self.path.pop();
                    if !on {
                        break;
                    }
                }
                Ok(Flow::Next)
            }
            Stmt::GotoAgain(label) => Ok(Flow::Again(label.clone())),
            Stmt::GotoEnd(label) => Ok(Flow::End(label.clone())),
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
                        Step::Child {
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
                let e = update(Place::Var(name.clone()), Op::Add, Expr::Int(*by));
                self.stop_and_do(&e, *site)
            }
        }
    }

    fn declare(&mut self, ty: Ty, name: &str, init: Option<&Expr>, is_static: bool) -> Run<Flow> {
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
                self.write(ty, cell, value)?;
            }
            None => self.cells[cell].known = false,
        }
        Ok(Flow::Next)
    }

    fn for_loop(&mut self, parts: &For) -> Run<Flow> {
        self.for_loop_with(parts, |m| match &parts.step {
            Some(step) => m.stop_and_do(step, parts.step_site),
            None => Ok(Flow::Next),
        })
    }

    fn for_loop_with(&mut self, parts: &For, mut step: impl FnMut(&mut Self) -> Run<Flow>) -> Run<Flow> {
        let mut scope = Vec::new();
        if let Some(ForInit::Decl(ty, name, _)) = &parts.init {
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
        match &parts.init {
            Some(ForInit::Decl(ty, name, e)) => {
                self.deeper(Step::Phase(0), |m| {
                    // A loop that a macro makes has its variable on the line of the macro, and no stop of its own.
                    if parts.init_site > 0 && !e.has_call() {
                        m.path.push(Step::Micro(0));
                        m.stop(parts.init_site, None)?;
                        m.path.pop();
                        return m.deeper(Step::Micro(1), |m| m.declare(*ty, name, Some(e), false));
                    }
                    m.declare(*ty, name, Some(e), false)
                })?;
            }
            Some(ForInit::Expr(e)) => {
                self.deeper(Step::Phase(0), |m| m.stop_and_do(e, parts.init_site))?;
            }
            None => {}
        }
        self.path.push(Step::Phase(1));
        let mut result = Flow::Next;
        for round in 0.. {
            self.burn()?;
            self.path.push(Step::Round(round));
            if let Some(cond) = &parts.cond
                && !self.truth_of(Step::Phase(0), cond)?
            {
                self.path.pop();
                break;
            }
            let flow = self.deeper(Step::Phase(1), |m| m.block(&parts.body))?;
            match flow {
                Flow::Next | Flow::Continue => {}
                other => {
                    self.path.pop();
                    if other != Flow::Break {
                        result = other;
                    }
                    break;
                }
            }
            self.deeper(Step::Phase(2), &mut step)?;
            self.path.pop();
        }
        self.path.pop();
        self.close_scope();
        Ok(result)
    }

    fn switch(&mut self, value: &Expr, cases: &[Case]) -> Run<Flow> {
        let Value::Int(value) = self.under(Step::Phase(0), value)? else {
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
        self.path.push(Step::Phase(1));
        self.path.push(Step::Entry { at: entry, falls });
        let mut result = Flow::Next;
        for (index, case) in cases.iter().enumerate().skip(entry) {
            let flow = self.deeper(
                Step::Child {
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
        Ok(result)
    }

    fn two_entries(&mut self, parts: &TwoEntries) -> Run<Flow> {
        let mut moment = 0;
        let mut next = || {
            moment += 1;
            Step::Moment(moment)
        };
        let mut first = !self.truth_of(next(), &parts.enter)?;
        loop {
            self.burn()?;
            if first {
                let flow = self.deeper(next(), |m| m.block(&parts.first))?;
                if flow != Flow::Next {
                    return Ok(flow);
                }
            }
            let flow = self.deeper(next(), |m| m.block(&parts.second))?;
            if flow != Flow::Next {
                return Ok(flow);
            }
            if !self.truth_of(next(), &parts.again)? {
                return Ok(Flow::Next);
            }
            first = true;
        }
    }
}
