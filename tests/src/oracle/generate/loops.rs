//! Loops of every kind, by how their variable moves.

use super::{Around, Generator};
use crate::oracle::ast::{
    Expr, For, ForInit, Lvalue, Op, Stmt, Ty, assign, bin, call, increment, int, stmt, update, var,
};

mod rare;

fn place(name: &str) -> Lvalue {
    Lvalue::Var(name.to_owned())
}

fn below(name: &str, bound: Expr) -> Expr {
    bin(Op::Lt, var(name), bound)
}

fn decrement(name: &str) -> Expr {
    Expr::Step {
        place: place(name),
        up: false,
        prefix: false,
    }
}

fn more() -> Expr {
    call("more", vec![Expr::Int(0)])
}

fn and(a: Expr, b: Expr) -> Expr {
    Expr::Logic(true, Box::new(a), Box::new(b))
}

fn for_stmt(init: Option<ForInit>, cond: Expr, step: Option<Expr>, body: Vec<Stmt>, spread: bool) -> Stmt {
    Stmt::For(Box::new(For {
        init,
        cond: Some(cond),
        step,
        body,
        spread,
        init_site: 0,
        step_site: 0,
    }))
}

impl Generator {
    /// A loop with the declarations that it needs.
    pub(super) fn any_loop(&mut self, around: &Around) -> Vec<Stmt> {
        type Shape = fn(&mut Generator, &Around) -> Vec<Stmt>;
        let kinds: [(u32, Shape); 21] = [
            (14, Self::while_loop),
            (14, Self::for_loop),
            (6, Self::do_loop),
            (5, Self::skipped),
            (4, Self::both_branches),
            (4, Self::elsewhere),
            (4, Self::members),
            (5, Self::no_variable),
            (6, Self::by_rank),
            (5, Self::floating),
            (5, Self::countdown),
            (4, Self::geometric),
            (4, Self::endless),
            (3, Self::calling_header),
            (3, Self::net_step),
            (3, Self::shared),
            (2, Self::walk),
            (4, Self::impostor),
            (4, Self::hidden),
            (3, Self::odd_update),
            (2, Self::scratch),
        ];
        let weights = kinds.map(|(weight, _)| weight);
        let (_, kind) = kinds[self.rng.weighted(&weights)];
        kind(self, around)
    }

    fn bound(&mut self) -> Expr {
        match self.rng.below(8) {
            0 => var("extent"),
            1 => bin(Op::Add, var("rank"), Expr::Int(2)),
            _ => Expr::Int(self.rng.range(2, 3)),
        }
    }

    /// What the body of a loop over `name` may use.
    fn inside(&mut self, around: &Around, name: &str, may_continue: bool) -> Around {
        let mut inner = self.inside_unnamed(around, may_continue);
        inner.ints.push(name.to_owned());
        inner.loop_variables.push(name.to_owned());
        inner
    }

    /// What the body of a loop may use whose variable is no plain `int`.
    fn inside_unnamed(&mut self, around: &Around, may_continue: bool) -> Around {
        let mut inner = self.deeper(around);
        inner.in_loop = true;
        inner.may_continue = may_continue;
        inner
    }

    /// A body in which `update` stands at the start, in the middle or at the end.
    fn around_update(&mut self, inner: &Around, update: Vec<Stmt>) -> Vec<Stmt> {
        match self.rng.below(4) {
            0 => [update, self.body(inner)].concat(),
            1 => [self.body(inner), update, self.body(inner)].concat(),
            2 if self.rng.chance(30) => {
                // Two on one line, one of them the update.
                let leaf = self.leaf(inner);
                let line = Stmt::OneLine([vec![leaf], update].concat());
                [vec![line], self.body(inner)].concat()
            }
            _ => [self.body(inner), update].concat(),
        }
    }

    fn one_step(&mut self, name: &str) -> Stmt {
        match self.rng.below(6) {
            0 => stmt(update(place(name), Op::Add, Expr::Int(2))),
            1 => stmt(assign(name, bin(Op::Add, var(name), Expr::Int(1)))),
            2 => stmt(update(place(name), Op::Sub, Expr::Int(-1))),
            3 => stmt(Expr::Step {
                place: place(name),
                up: true,
                prefix: true,
            }),
            _ => stmt(increment(name)),
        }
    }

    fn while_loop(&mut self, around: &Around) -> Vec<Stmt> {
        let name = self.fresh("i");
        let careless = self.rng.chance(10);
        let inner = self.inside(around, &name, careless);
        let mut step = vec![self.one_step(&name)];
        if self.rng.chance(15) {
            step.push(self.leaf(&inner));
            step.push(self.one_step(&name));
        }
        let mut body = self.around_update(&inner, step);
        if self.rng.chance(25) {
            // A way out that is some way long: who is on it is still in its iteration.
            let leave = vec![self.leaf(&inner), self.leaf(&inner), Stmt::Break];
            let cond = call("coin", vec![Expr::Int(9)]);
            let at = self.rng.below(body.len() + 1);
            body.insert(at, Stmt::If(cond, leave, None));
        }
        let bound = self.bound();
        let mut cond = below(&name, bound);
        if self.rng.chance(25) {
            let other = call("cond", vec![var(&name)]);
            cond = if self.rng.chance(50) {
                and(cond, other)
            } else {
                and(other, cond)
            };
        }
        vec![int(&name, Expr::Int(0)), Stmt::While(cond, body)]
    }

    fn for_loop(&mut self, around: &Around) -> Vec<Stmt> {
        let shadowed = if self.rng.chance(8) {
            around.loop_variables.last().cloned()
        } else {
            None
        };
        let name = shadowed.unwrap_or_else(|| self.fresh("j"));
        let inner = self.inside(around, &name, true);
        let bound = self.bound();
        let body = self.body(&inner);
        if self.rng.chance(10) {
            return vec![Stmt::ForMacro(name, bound, body)];
        }
        let (start, cond, step) = if self.rng.chance(20) {
            (bound, bin(Op::Gt, var(&name), Expr::Int(0)), decrement(&name))
        } else {
            (
                Expr::Int(self.rng.range(0, 1)),
                below(&name, bound),
                increment(&name),
            )
        };
        let init = ForInit::Decl(Ty::Int, name, start);
        let spread = self.rng.chance(15);
        let result = for_stmt(Some(init), cond, Some(step), body, spread);
        vec![if self.rng.chance(8) {
            Stmt::OneLine(vec![result])
        } else {
            result
        }]
    }

    fn do_loop(&mut self, around: &Around) -> Vec<Stmt> {
        let name = self.fresh("i");
        let inner = self.inside(around, &name, false);
        let step = self.one_step(&name);
        let body = self.around_update(&inner, vec![step]);
        let bound = self.bound();
        let mut cond = below(&name, bound);
        if self.rng.chance(50) {
            cond = and(call("cond", vec![var(&name)]), cond);
        }
        vec![int(&name, Expr::Int(0)), Stmt::Do(body, cond)]
    }

    fn skipped(&mut self, around: &Around) -> Vec<Stmt> {
        let name = self.fresh("i");
        let inner = self.inside(around, &name, true);
        let step = self.one_step(&name);
        let (first, last) = (self.body(&inner), self.body(&inner));
        let middle = if self.rng.chance(50) {
            vec![self.guarded(&inner, Stmt::Continue), step]
        } else {
            vec![Stmt::If(self.condition(&inner), vec![step], None)]
        };
        let cond = and(below(&name, Expr::Int(3)), more());
        vec![
            int(&name, Expr::Int(0)),
            Stmt::While(cond, [first, middle, last].concat()),
        ]
    }

    fn both_branches(&mut self, around: &Around) -> Vec<Stmt> {
        let name = self.fresh("i");
        let inner = self.inside(around, &name, false);
        let other = if self.rng.chance(50) { 1 } else { 2 };
        let arm = |g: &mut Self, by: i64| {
            let mut arm = vec![stmt(update(place(&name), Op::Add, Expr::Int(by)))];
            let at = g.rng.below(2);
            arm.insert(at, g.leaf(&inner));
            arm
        };
        let (yes, no) = (arm(self, 1), arm(self, other));
        let cond = self.condition(&inner);
        let body = [
            self.body(&inner),
            vec![Stmt::If(cond, yes, Some(no))],
            self.body(&inner),
        ]
        .concat();
        vec![
            int(&name, Expr::Int(0)),
            Stmt::While(below(&name, Expr::Int(4)), body),
        ]
    }

    /// The update is not where the variable is.
    fn elsewhere(&mut self, around: &Around) -> Vec<Stmt> {
        let name = self.fresh("i");
        let inner = self.inside(around, &name, false);
        let mut result = vec![int(&name, Expr::Int(0))];
        let step = match self.rng.below(4) {
            0 => {
                let pointer = self.fresh("p");
                let address = Expr::Addr(place(&name));
                result.push(Stmt::Decl(Ty::IntPtr, pointer.clone(), Some(address), false));
                stmt(update(Lvalue::Deref(pointer), Op::Add, Expr::Int(1)))
            }
            1 => stmt(call("bump", vec![Expr::Addr(place(&name))])),
            2 => stmt(assign(&name, call("next_of", vec![var(&name)]))),
            _ => {
                result.push(stmt(assign("ticks", Expr::Int(0))));
                let body = self.around_update(&inner, vec![stmt(call("tick", Vec::new()))]);
                result.push(Stmt::While(and(below("ticks", Expr::Int(3)), more()), body));
                return result;
            }
        };
        let body = self.around_update(&inner, vec![step]);
        result.push(Stmt::While(below(&name, Expr::Int(3)), body));
        result
    }

    fn members(&mut self, around: &Around) -> Vec<Stmt> {
        let name = self.fresh("s");
        let inner = self.inside_unnamed(around, false);
        let (mut result, at) = match self.rng.below(4) {
            0 => {
                let declaration = Stmt::Decl(Ty::Struct, name.clone(), None, false);
                (vec![declaration], Lvalue::Dot(name.clone(), "step"))
            }
            1 => {
                let address = Expr::Addr(place("whole"));
                let pointer = Stmt::Decl(Ty::StructPtr, name.clone(), Some(address), false);
                (vec![pointer], Lvalue::Arrow(name.clone(), "count"))
            }
            2 => (Vec::new(), Lvalue::Dot("whole".to_owned(), "step")),
            _ => (Vec::new(), place("level")),
        };
        result.push(stmt(Expr::Set(at.clone(), None, Box::new(Expr::Int(0)))));
        let step = match &at {
            Lvalue::Dot(base, _) if *base == name && self.rng.chance(30) => {
                stmt(call("advance", vec![Expr::Addr(place(&name))]))
            }
            _ if self.rng.chance(50) => stmt(update(at.clone(), Op::Add, Expr::Int(1))),
            _ => stmt(Expr::Step {
                place: at.clone(),
                up: true,
                prefix: false,
            }),
        };
        let body = self.around_update(&inner, vec![step]);
        // A callee may start the same global over: `more` ends what that makes endless.
        let cond = and(bin(Op::Lt, Expr::Get(at), Expr::Int(3)), more());
        result.push(Stmt::While(cond, body));
        result
    }

    fn no_variable(&mut self, around: &Around) -> Vec<Stmt> {
        let inner = self.inside_unnamed(around, true);
        // A loop that can be decided inside one that cannot: the inner one must not be believed.
        let body = if around.depth < 2 && self.rng.chance(60) {
            [self.for_loop(&inner), self.body(&inner)].concat()
        } else {
            self.body(&inner)
        };
        vec![match self.rng.below(4) {
            0 => Stmt::Do(body, more()),
            1 => for_stmt(None, more(), None, body, false),
            _ => Stmt::While(more(), body),
        }]
    }

    fn by_rank(&mut self, around: &Around) -> Vec<Stmt> {
        let name = self.fresh("i");
        let inner = self.inside(around, &name, false);
        let start = int(&name, Expr::Int(0));
        let upto = |width: i64| below(&name, bin(Op::Add, var("rank"), Expr::Int(width)));
        let up = stmt(increment(&name));
        match self.rng.below(6) {
            0 => {
                let init = ForInit::Decl(Ty::Int, name.clone(), var("rank"));
                let body = self.body(&inner);
                vec![for_stmt(Some(init), upto(3), Some(increment(&name)), body, false)]
            }
            1 => {
                let first = self.fresh("first");
                let before = int(&first, bin(Op::Mul, var("rank"), Expr::Int(2)));
                let body = self.around_update(&inner, vec![up]);
                vec![before, int(&name, var(&first)), Stmt::While(upto(4), body)]
            }
            2 => {
                let by = self.fresh("by");
                let step = stmt(update(place(&name), Op::Add, var(&by)));
                let body = self.around_update(&inner, vec![step]);
                let stride = int(&by, bin(Op::Add, var("rank"), Expr::Int(1)));
                vec![stride, start, Stmt::While(below(&name, Expr::Int(5)), body)]
            }
            3 => {
                let body = self.around_update(&inner, vec![up]);
                let first = call("val", vec![Expr::Int(1)]);
                vec![int(&name, first), Stmt::While(below(&name, Expr::Int(4)), body)]
            }
            4 => {
                // In a work function the parameter, which call sites may disagree on.
                let first = around.ints.first().map_or(var("extent"), |first| var(first));
                let body = self.around_update(&inner, vec![up]);
                vec![int(&name, first), Stmt::While(below(&name, Expr::Int(4)), body)]
            }
            _ => {
                let choice = Stmt::If(
                    bin(Op::Eq, var("rank"), Expr::Int(0)),
                    vec![stmt(assign(&name, Expr::Int(0)))],
                    Some(vec![stmt(assign(&name, Expr::Int(1)))]),
                );
                let body = self.body(&inner);
                let cond = below(&name, Expr::Int(3));
                vec![
                    start,
                    choice,
                    for_stmt(None, cond, Some(increment(&name)), body, false),
                ]
            }
        }
    }

    pub(super) fn floating(&mut self, around: &Around) -> Vec<Stmt> {
        let name = self.fresh("t");
        let inner = self.inside_unnamed(around, false);
        let single = self.rng.chance(40);
        let ty = if single { Ty::Float } else { Ty::Double };
        if self.rng.chance(30) {
            // Steps that vanish: above 2^24 a float does not count by ones, nor a double by halves below 2^53.
            let (start, by) = if single {
                (16_777_214.0, 1.0)
            } else {
                (9_007_199_254_740_990.0, 0.5)
            };
            let step = stmt(update(place(&name), Op::Add, Expr::Real(by, single)));
            let body = self.around_update(&inner, vec![step]);
            let start = Stmt::Decl(ty, name, Some(Expr::Real(start, single)), false);
            return vec![start, Stmt::While(more(), body)];
        }
        let mut result = vec![Stmt::Decl(ty, name.clone(), Some(Expr::Real(0.0, single)), false)];
        let by = if self.rng.chance(50) {
            let dt = self.fresh("dt");
            result.push(Stmt::Decl(ty, dt.clone(), Some(Expr::Real(0.5, single)), false));
            var(&dt)
        } else {
            Expr::Real(0.5, single)
        };
        let body = self.around_update(&inner, vec![stmt(update(place(&name), Op::Add, by))]);
        result.push(Stmt::While(
            bin(Op::Lt, var(&name), Expr::Real(1.5, single)),
            body,
        ));
        result
    }

    fn countdown(&mut self, around: &Around) -> Vec<Stmt> {
        let name = self.fresh("c");
        let ty = *self.rng.pick(&[Ty::Size, Ty::Unsigned, Ty::Long, Ty::Int]);
        let start = Stmt::Decl(ty, name.clone(), Some(Expr::Int(3)), false);
        let positive = |e: Expr| bin(Op::Gt, e, Expr::Int(0));
        let kind = self.rng.below(3);
        // The variable is no argument for others: after the last step it may be above the range of `int`.
        let inner = self.inside_unnamed(around, kind == 1);
        match kind {
            0 => {
                let body = self.body(&inner);
                vec![start, Stmt::While(positive(decrement(&name)), body)]
            }
            1 => {
                let body = self.body(&inner);
                let init = ForInit::Decl(ty, name.clone(), Expr::Int(3));
                vec![for_stmt(
                    Some(init),
                    positive(var(&name)),
                    Some(decrement(&name)),
                    body,
                    false,
                )]
            }
            _ => {
                let body = self.around_update(&inner, vec![stmt(decrement(&name))]);
                vec![start, Stmt::While(positive(var(&name)), body)]
            }
        }
    }

    pub(super) fn geometric(&mut self, around: &Around) -> Vec<Stmt> {
        let name = self.fresh("i");
        let inner = self.inside(around, &name, false);
        let (start, cond, step) = match self.rng.below(6) {
            0 => (
                1,
                below(&name, Expr::Int(8)),
                update(place(&name), Op::Mul, Expr::Int(2)),
            ),
            1 => (
                1,
                below(&name, Expr::Int(8)),
                update(place(&name), Op::Shl, Expr::Int(1)),
            ),
            2 => {
                let twice = bin(Op::Mul, var(&name), Expr::Int(2));
                (
                    1,
                    below(&name, Expr::Int(12)),
                    assign(&name, bin(Op::Add, twice, Expr::Int(1))),
                )
            }
            3 => {
                let cond = bin(Op::Gt, var(&name), Expr::Int(0));
                (6, cond, update(place(&name), Op::Div, Expr::Int(2)))
            }
            // Never moves, though a bound would keep it in its type if it did.
            _ => (
                0,
                below(&name, Expr::Int(8)),
                update(place(&name), Op::Mul, Expr::Int(2)),
            ),
        };
        let mut body = self.around_update(&inner, vec![stmt(step)]);
        if start == 0 {
            let over = bin(Op::Eq, more(), Expr::Int(0));
            body.push(Stmt::If(over, vec![Stmt::Break], None));
        }
        vec![int(&name, Expr::Int(start)), Stmt::While(cond, body)]
    }

    fn net_step(&mut self, around: &Around) -> Vec<Stmt> {
        let name = self.fresh("i");
        let inner = self.inside(around, &name, false);
        let there = stmt(update(place(&name), Op::Add, Expr::Int(3)));
        let back = stmt(update(place(&name), Op::Sub, Expr::Int(1)));
        let body = [vec![there], self.body(&inner), vec![back], self.body(&inner)].concat();
        vec![
            int(&name, Expr::Int(0)),
            Stmt::While(below(&name, Expr::Int(5)), body),
        ]
    }
}
