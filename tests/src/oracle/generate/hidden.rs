//! Loops over a variable that something else changes too, where the loop's own text does not show it.

use super::{Around, Generator};
use crate::oracle::ast::{Expr, Lvalue, Op, Stmt, Ty, assign, bin, call, increment, int, stmt, var};

impl Generator {
    /// A counter that goes up before everybody's eyes, and is set back behind their backs.
    pub(super) fn hidden(&mut self, around: &Around) -> Vec<Stmt> {
        let mut inner = self.deeper(around);
        inner.in_loop = true;
        let name = self.fresh("i");
        let more = || call("more", vec![Expr::Int(0)]);
        let below = |e: Expr| Expr::Logic(true, Box::new(bin(Op::Lt, e, Expr::Int(4))), Box::new(more()));
        let start = int(&name, Expr::Int(0));
        match self.rng.below(4) {
            0 => {
                // Through a pointer.
                let pointer = self.fresh("p");
                let address = Expr::Addr(Lvalue::Var(name.clone()));
                let back = Expr::Set(Lvalue::Deref(pointer.clone()), None, Box::new(Expr::Int(0)));
                let reset = Stmt::If(call("coin", vec![Expr::Int(6)]), vec![stmt(back)], None);
                let body = [
                    self.body(&inner),
                    vec![reset, stmt(increment(&name))],
                    self.body(&inner),
                ]
                .concat();
                vec![
                    start,
                    Stmt::Decl(Ty::IntPtr, pointer, Some(address), false),
                    Stmt::While(below(var(&name)), body),
                ]
            }
            1 => {
                // By a callee, at file scope.
                let reset = stmt(call("rewind_level", Vec::new()));
                let body = [
                    self.body(&inner),
                    vec![reset, stmt(increment("level"))],
                    self.body(&inner),
                ]
                .concat();
                vec![
                    stmt(assign("level", Expr::Int(0))),
                    Stmt::While(below(var("level")), body),
                ]
            }
            2 => vec![stmt(call("nest", vec![Expr::Int(1)]))],
            _ => {
                // By an operand that C may evaluate before or after the call beside it.
                let beside = self.leaf_call(&inner);
                let moved = stmt(call("pair", vec![beside, increment(&name)]));
                let body = [self.body(&inner), vec![moved], self.body(&inner)].concat();
                vec![start, Stmt::While(bin(Op::Lt, var(&name), Expr::Int(4)), body)]
            }
        }
    }
}
