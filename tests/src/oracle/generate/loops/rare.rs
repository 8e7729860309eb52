//! The rarer loops: by `goto`, by pointer, with calls in the header, and those that only look like counting.

use super::{and, below, for_stmt, more, place};
use crate::oracle::ast::{Expr, ForInit, Op, Stmt, Ty, assign, bin, call, increment, int, stmt, var};
use crate::oracle::generate::{Around, Generator};

impl Generator {
    pub(super) fn endless(&mut self, around: &Around) -> Vec<Stmt> {
        let name = self.fresh("i");
        let label = self.fresh("again");
        let bound = self.bound();
        let start = int(&name, Expr::Int(0));
        match self.rng.below(3) {
            0 => {
                let inner = self.inside(around, &name, false);
                let leave = Stmt::If(bin(Op::Ge, var(&name), bound), vec![Stmt::Break], None);
                let step = self.one_step(&name);
                let body = [self.body(&inner), vec![leave, step], self.body(&inner)].concat();
                vec![start, Stmt::While(Expr::Int(1), body)]
            }
            1 => {
                let mut inner = self.inside(around, &name, false);
                // A `break` would leave a loop further out.
                inner.in_loop = around.in_loop;
                let step = self.one_step(&name);
                let body = self.around_update(&inner, vec![step]);
                vec![start, Stmt::Again(label, body, below(&name, bound))]
            }
            _ => {
                let mut inner = self.deeper(around);
                inner.may_continue = false;
                inner.again.push(label.clone());
                let body = self.body(&inner);
                vec![Stmt::Again(label, body, more())]
            }
        }
    }

    pub(super) fn calling_header(&mut self, around: &Around) -> Vec<Stmt> {
        let name = self.fresh("i");
        let inner = self.inside(around, &name, true);
        let start = if self.rng.chance(60) {
            call("same", vec![Expr::Int(0)])
        } else {
            Expr::Int(0)
        };
        let bound = self.bound();
        let mut cond = below(&name, bound);
        if self.rng.chance(60) {
            cond = and(call("cond", vec![var(&name)]), cond);
        }
        let (up, leaf) = (Box::new(increment(&name)), Box::new(call("w4", vec![var(&name)])));
        let step = match self.rng.below(4) {
            0 => assign(&name, call("after", vec![var(&name)])),
            1 => assign(&name, call("next_of", vec![var(&name)])),
            2 => Expr::Comma(up, leaf),
            _ => Expr::Comma(leaf, up),
        };
        let body = self.body(&inner);
        let outside = self.rng.chance(40);
        let init = if outside {
            ForInit::Expr(assign(&name, start))
        } else {
            ForInit::Decl(Ty::Int, name.clone(), start)
        };
        let spread = self.rng.chance(40);
        let result = for_stmt(Some(init), cond, Some(step), body, spread);
        if !outside {
            return vec![result];
        }
        // Declared outside of a loop that runs it again: the second time its start sees the old value.
        let twice = self.inside_unnamed(around, true);
        let body = [vec![result], self.body(&twice)].concat();
        vec![int(&name, Expr::Int(0)), Stmt::While(more(), body)]
    }

    pub(super) fn shared(&mut self, around: &Around) -> Vec<Stmt> {
        let name = self.fresh("i");
        let inner = self.inside(around, &name, false);
        let innermost = self.inside(&inner, &name, false);
        let first = self.leaf(&inner);
        let step = self.around_update(&innermost, vec![stmt(increment(&name))]);
        let cond = and(below(&name, Expr::Int(5)), call("coin", vec![var(&name)]));
        let within = if self.rng.chance(50) {
            Stmt::Do(step, cond)
        } else {
            Stmt::While(cond, step)
        };
        let mut body = vec![first, within];
        body.extend(self.body(&inner));
        if self.rng.chance(60) {
            body.push(stmt(increment(&name)));
        }
        let cond = and(below(&name, Expr::Int(5)), more());
        vec![int(&name, Expr::Int(0)), Stmt::While(cond, body)]
    }

    pub(super) fn walk(&mut self, around: &Around) -> Vec<Stmt> {
        let (array, name) = (self.fresh("cells"), self.fresh("p"));
        let inner = self.inside_unnamed(around, true);
        let body = self.body(&inner);
        let init = ForInit::Decl(Ty::IntPtr, name.clone(), var(&array));
        let cond = below(&name, bin(Op::Add, var(&array), Expr::Int(3)));
        let walk = for_stmt(Some(init), cond, Some(increment(&name)), body, false);
        vec![Stmt::Decl(Ty::Array(4), array, None, false), walk]
    }

    /// What looks like a counter and is none.
    pub(in crate::oracle::generate) fn impostor(&mut self, around: &Around) -> Vec<Stmt> {
        let name = self.fresh("i");
        let inner = self.inside(around, &name, false);
        match self.rng.below(3) {
            0 => {
                // Started over now and then.
                let again = vec![stmt(assign(&name, Expr::Int(0)))];
                let reset = Stmt::If(call("coin", vec![Expr::Int(5)]), again, None);
                let body = [self.body(&inner), vec![reset, stmt(increment(&name))]].concat();
                let cond = and(below(&name, Expr::Int(4)), more());
                vec![int(&name, Expr::Int(0)), Stmt::While(cond, body)]
            }
            1 => {
                // Wraps around.
                let body = self.around_update(&inner, vec![stmt(increment(&name))]);
                let start = Stmt::Decl(Ty::Byte, name, Some(Expr::Int(254)), false);
                vec![start, Stmt::While(more(), body)]
            }
            _ => {
                // Counts over all calls of the function, not from the loop's start.
                let body = self.around_update(&inner, vec![stmt(increment(&name))]);
                let start = Stmt::Decl(Ty::Int, name, Some(Expr::Int(0)), true);
                vec![start, Stmt::While(more(), body)]
            }
        }
    }

    /// In the condition, through a temporary, by a macro, in an argument.
    pub(super) fn odd_update(&mut self, around: &Around) -> Vec<Stmt> {
        let name = self.fresh("i");
        let inner = self.inside(around, &name, false);
        let start = int(&name, Expr::Int(0));
        match self.rng.below(4) {
            0 => {
                let step = Expr::Step {
                    place: place(&name),
                    up: true,
                    prefix: self.rng.chance(50),
                };
                let mut cond = bin(Op::Lt, step, Expr::Int(3));
                if self.rng.chance(40) {
                    cond = and(cond, call("cond", vec![Expr::Int(2)]));
                }
                let body = self.body(&inner);
                vec![start, Stmt::While(cond, body)]
            }
            1 => {
                let copy = self.fresh("to");
                let first = int(&copy, bin(Op::Add, var(&name), Expr::Int(1)));
                let between = self.body(&inner);
                let last = vec![stmt(assign(&name, var(&copy)))];
                let body = [vec![first], between, last, self.body(&inner)].concat();
                vec![start, Stmt::While(below(&name, Expr::Int(3)), body)]
            }
            2 => {
                let by = Stmt::AddMacro(name.clone(), self.rng.range(1, 2), 0);
                let body = self.around_update(&inner, vec![by]);
                vec![start, Stmt::While(below(&name, Expr::Int(4)), body)]
            }
            _ => {
                let step = stmt(call("w3", vec![increment(&name)]));
                let body = self.around_update(&inner, vec![step]);
                vec![start, Stmt::While(below(&name, Expr::Int(3)), body)]
            }
        }
    }

    /// With a variable that earlier loops of the function have left somewhere.
    pub(super) fn scratch(&mut self, around: &Around) -> Vec<Stmt> {
        if !around.scratch {
            return self.for_loop(around);
        }
        let mut inner = self.inside(around, "k", true);
        inner.scratch = false;
        let bound = self.bound();
        let body = self.body(&inner);
        let init = ForInit::Expr(assign("k", Expr::Int(0)));
        vec![for_stmt(
            Some(init),
            below("k", bound),
            Some(increment("k")),
            body,
            false,
        )]
    }
}
