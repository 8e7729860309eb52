//! The loops of the plain profile, by where and how their variable moves.

use super::{Around, Plain};
use crate::oracle::ast::{Expr, For, ForInit, Op, Stmt, Ty, assign, bin, call, increment, int, var};

/// Where the variable of a `while` or `do` loop moves.
#[derive(Clone, Copy, Debug)]
enum Update {
    End,
    Mid,
    Start,
    /// Two of them, with statements between.
    Two,
    /// Three forth and one back.
    ForthAndBack,
}

impl Plain {
    pub(super) fn any_loop(&mut self, around: &Around) -> Vec<Stmt> {
        type Shape = fn(&mut Plain, &Around) -> Vec<Stmt>;
        let kinds: [(u32, Shape); 8] = [
            (30, Self::while_loop),
            (28, Self::for_loop),
            (14, Self::do_loop),
            (5, Self::skipping),
            (4, Self::conditional),
            (3, Self::no_variable),
            (6, Self::while_from_rank),
            (6, Self::for_from_rank),
        ];
        let weights = kinds.map(|(weight, _)| weight);
        let (_, kind) = kinds[self.rng.weighted(&weights)];
        kind(self, around)
    }

    fn inside(&self, around: &Around, name: Option<&str>, may_continue: bool) -> Around {
        let mut inner = self.deeper(around);
        inner.in_loop = true;
        inner.may_continue = may_continue;
        inner.counters.extend(name.map(str::to_owned));
        inner
    }

    fn below(&mut self, name: &str) -> Expr {
        bin(Op::Lt, var(name), Expr::Int(self.rng.range(2, 4)))
    }

    fn updated(&mut self, inner: &Around, name: &str, kinds: &[Update]) -> Vec<Stmt> {
        let (first, last) = (self.body(inner), self.body(inner));
        match *self.rng.pick(kinds) {
            Update::End => [first, vec![self.moved(name, 1)]].concat(),
            Update::Mid => [first, vec![self.moved(name, 1)], last].concat(),
            Update::Start => [vec![self.moved(name, 1)], first].concat(),
            Update::Two => [first, vec![self.moved(name, 1)], last, vec![self.moved(name, 1)]].concat(),
            Update::ForthAndBack => {
                [vec![self.moved(name, 3)], first, vec![self.moved(name, -1)], last].concat()
            }
        }
    }

    /// The update, now and then with an event before or after it on its line.
    fn moved(&mut self, name: &str, by: i64) -> Stmt {
        let step = self.step(name, by);
        match self.rng.below(12) {
            0 => Stmt::OneLine(vec![self.event(), step]),
            1 => Stmt::OneLine(vec![step, self.event()]),
            _ => step,
        }
    }

    fn while_loop(&mut self, around: &Around) -> Vec<Stmt> {
        let name = self.fresh("i");
        let inner = self.inside(around, Some(&name), false);
        let kinds = [
            Update::End,
            Update::Mid,
            Update::Start,
            Update::Two,
            Update::ForthAndBack,
        ];
        let body = self.updated(&inner, &name, &kinds);
        let cond = match self.rng.below(3) {
            0 => Expr::Logic(
                true,
                Box::new(self.below(&name)),
                Box::new(call("cond", vec![var(&name)])),
            ),
            _ => self.below(&name),
        };
        vec![Self::start(&name), Stmt::While(cond, body)]
    }

    fn do_loop(&mut self, around: &Around) -> Vec<Stmt> {
        let name = self.fresh("i");
        let inner = self.inside(around, Some(&name), false);
        let body = self.updated(&inner, &name, &[Update::End, Update::Mid]);
        let mut cond = self.below(&name);
        if self.rng.chance(40) {
            let asked = call("cond", vec![var(&name)]);
            cond = Expr::Logic(true, Box::new(asked), Box::new(cond));
        }
        vec![Self::start(&name), Stmt::Do(body, cond)]
    }

    /// `continue` before the update.
    fn skipping(&mut self, around: &Around) -> Vec<Stmt> {
        let name = self.fresh("i");
        let inner = self.inside(around, Some(&name), false);
        let skip = self.guarded(&inner, Stmt::Continue);
        let body = [
            self.body(&inner),
            vec![skip],
            self.body(&inner),
            vec![self.step(&name, 1)],
        ]
        .concat();
        vec![Self::start(&name), Stmt::While(self.below(&name), body)]
    }

    /// An update that is not made in every iteration.
    fn conditional(&mut self, around: &Around) -> Vec<Stmt> {
        let name = self.fresh("i");
        let inner = self.inside(around, Some(&name), false);
        let cond = call("coin", vec![Expr::Int(self.rng.range(0, 99))]);
        let step = Stmt::If(cond, vec![self.step(&name, 1)], None);
        let body = [self.body(&inner), vec![step], self.body(&inner)].concat();
        vec![Self::start(&name), Stmt::While(self.below(&name), body)]
    }

    fn no_variable(&mut self, around: &Around) -> Vec<Stmt> {
        let inner = self.inside(around, None, true);
        let body = self.body(&inner);
        vec![Stmt::While(call("more", vec![Expr::Int(0)]), body)]
    }

    fn while_from_rank(&mut self, around: &Around) -> Vec<Stmt> {
        let name = self.fresh("i");
        let inner = self.inside(around, Some(&name), false);
        let body = self.updated(&inner, &name, &[Update::End, Update::Mid, Update::Start]);
        let last = bin(Op::Add, var("rank"), Expr::Int(self.rng.range(2, 3)));
        let cond = bin(Op::Lt, var(&name), last);
        vec![int(&name, var("rank")), Stmt::While(cond, body)]
    }

    fn for_loop(&mut self, around: &Around) -> Vec<Stmt> {
        let name = self.fresh("j");
        let cond = self.below(&name);
        self.counting(around, name, Expr::Int(0), cond)
    }

    fn for_from_rank(&mut self, around: &Around) -> Vec<Stmt> {
        let name = self.fresh("j");
        let last = bin(Op::Add, var("rank"), Expr::Int(self.rng.range(2, 3)));
        let cond = bin(Op::Lt, var(&name), last);
        self.counting(around, name, var("rank"), cond)
    }

    /// `for (int name = start; cond; name++) { … }`, now and then with events in the header.
    fn counting(&mut self, around: &Around, name: String, start: Expr, cond: Expr) -> Vec<Stmt> {
        let inner = self.inside(around, Some(&name), true);
        let body = self.body(&inner);
        let after = |event: Expr, e: Expr| Expr::Comma(Box::new(event), Box::new(e));
        let cond = if self.rng.chance(20) {
            let asked = call("cond", vec![var(&name)]);
            Expr::Logic(true, Box::new(cond), Box::new(asked))
        } else {
            cond
        };
        let step = if self.rng.chance(15) {
            after(self.event_call(), increment(&name))
        } else {
            increment(&name)
        };
        let header = |init, cond, step, body| {
            Stmt::For(Box::new(For {
                init: Some(init),
                cond: Some(cond),
                step: Some(step),
                body,
                spread: false,
                init_site: 0,
                step_site: 0,
            }))
        };
        if self.rng.chance(15) {
            let init = ForInit::Expr(after(self.event_call(), assign(&name, start)));
            return vec![Self::start(&name), header(init, cond, step, body)];
        }
        vec![header(ForInit::Decl(Ty::Int, name, start), cond, step, body)]
    }
}
