//! The plain profile: textbook programs, such as somebody else's generator would write.
//!
//! Four functions that call each other without cycles, but for recursion with a depth parameter; the usual statements;
//! every loop counts with a local `int`, or has nothing to count with. What a reader of the analysis would find
//! exotic stays in the hard profile: this one measures how much of ordinary code is decided, not how much is survived.

use super::super::ast::{
    Case, Expr, Function, Global, Lvalue, Op, Program, Stmt, Ty, assign, bin, call, increment, int, stmt, var,
};
use super::super::externals::COMMUNICATING;
use super::super::rng::Rng;

mod loops;

/// How many functions `main` calls, directly or not.
const FUNCTIONS: usize = 4;

/// What is around a statement.
#[derive(Clone, Debug, Default)]
struct Around {
    /// Loops and branches around, in this function.
    depth: usize,
    /// A `break` leaves a loop of ours.
    in_loop: bool,
    /// A `continue` goes on with a loop of ours and does not skip an update.
    may_continue: bool,
    /// Variables of the loops around.
    counters: Vec<String>,
}

struct Plain {
    rng: Rng,
    /// Functions that may be called.
    callees: Vec<String>,
    names: usize,
    /// Most of what it calls has the name of a function of MPI, another one each time.
    communicates: bool,
    /// How many of these calls there are.
    sent: usize,
}

/// The program that belongs to `seed`.
pub(super) fn program(seed: u64) -> Program {
    let mut plain = Plain {
        rng: Rng::new(seed ^ 0x91a1),
        callees: Vec::new(),
        names: 0,
        communicates: seed % 6 == 5,
        sent: 0,
    };
    let mut functions = Vec::new();
    for index in 0..FUNCTIONS {
        let name = format!("f{index}");
        functions.push(plain.function(&name, index == 1 || index == 3));
        plain.callees.push(name);
    }
    functions.push(plain.main());
    let rank = Global {
        name: "rank".to_owned(),
        ty: Ty::Int,
        init: 0,
        is_static: plain.rng.chance(50),
    };
    Program {
        globals: vec![rank],
        functions,
    }
}

impl Plain {
    fn fresh(&mut self, stem: &str) -> String {
        self.names += 1;
        format!("{stem}{}", self.names)
    }

    fn function(&mut self, name: &str, recursive: bool) -> Function {
        let count = 3 + self.rng.below(3);
        let mut body = self.stmts(&Around::default(), count);
        if recursive {
            let again = || call(name, vec![bin(Op::Sub, var("d"), Expr::Int(1))]);
            let mut down = vec![stmt(again())];
            if self.rng.chance(30) {
                down.push(self.event());
                down.push(stmt(again()));
            }
            let at = self.rng.below(body.len() + 1);
            body.insert(at, Stmt::If(bin(Op::Gt, var("d"), Expr::Int(0)), down, None));
        }
        body.push(Stmt::Return(Some(Expr::Int(0))));
        Function {
            name: name.to_owned(),
            params: vec![("d".to_owned(), Ty::Int)],
            returns: true,
            body,
        }
    }

    fn main(&mut self) -> Function {
        let word = Expr::Word;
        let address = |name: &str| Expr::Addr(Lvalue::Var(name.to_owned()));
        let mut body = vec![
            stmt(call("MPI_Init", vec![address("argc"), word("&argv")])),
            stmt(call(
                "MPI_Comm_rank",
                vec![word("MPI_COMM_WORLD"), address("rank")],
            )),
        ];
        body.extend(self.stmts(&Around::default(), 3));
        // Whatever the dice say, every function runs.
        let all = self.callees.clone();
        body.extend(all.iter().map(|name| stmt(call(name, vec![Expr::Int(1)]))));
        body.extend(self.stmts(&Around::default(), 2));
        body.push(Stmt::Return(Some(Expr::Int(0))));
        Function {
            name: "main".to_owned(),
            params: Vec::new(),
            returns: true,
            body,
        }
    }

    fn stmts(&mut self, around: &Around, count: usize) -> Vec<Stmt> {
        let mut stmts = Vec::new();
        for _ in 0..count {
            stmts.extend(self.some(around));
        }
        stmts
    }

    /// The statements of a nested body.
    fn body(&mut self, around: &Around) -> Vec<Stmt> {
        let count = 1 + self.rng.below(3);
        self.stmts(around, count)
    }

    fn deeper(&self, around: &Around) -> Around {
        let mut inner = around.clone();
        inner.depth += 1;
        inner
    }

    /// One construct.
    fn some(&mut self, around: &Around) -> Vec<Stmt> {
        let nest = |weight| if around.depth >= 3 { 0 } else { weight };
        let weights = [
            30,                                           // 0: an event
            18,                                           // 1: two calls on one line
            if self.callees.is_empty() { 0 } else { 10 }, // 2: a function of ours
            nest(14),                                     // 3: if
            nest(26),                                     // 4: a loop
            nest(6),                                      // 5: switch
            if around.in_loop { 3 } else { 0 },           // 6: break
            if around.may_continue { 4 } else { 0 },      // 7: continue
            1,                                            // 8: early return
        ];
        match self.rng.weighted(&weights) {
            0 => vec![self.event()],
            1 => vec![self.two_calls()],
            2 => vec![stmt(self.ours())],
            3 => vec![self.branch(around)],
            4 => self.any_loop(around),
            5 => vec![self.switch(around)],
            6 => vec![self.guarded(around, Stmt::Break)],
            7 => vec![self.guarded(around, Stmt::Continue)],
            _ => vec![self.guarded(around, Stmt::Return(Some(Expr::Int(1))))],
        }
    }

    fn event_call(&mut self) -> Expr {
        let name = match *self.rng.pick(&["w1", "w1", "w2"]) {
            "w1" if self.communicates => {
                self.sent += 1;
                COMMUNICATING[self.sent % COMMUNICATING.len()]
            }
            name => name,
        };
        call(name, vec![Expr::Int(self.rng.range(0, 99))])
    }

    /// A place where a task can be stopped.
    fn event(&mut self) -> Stmt {
        stmt(self.event_call())
    }

    fn ours(&mut self) -> Expr {
        if self.callees.is_empty() {
            return self.event_call();
        }
        let name = self.rng.pick(&self.callees).clone();
        call(&name, vec![Expr::Int(self.rng.range(0, 1))])
    }

    fn two_calls(&mut self) -> Stmt {
        let first = self.event();
        let second = if self.rng.chance(25) {
            stmt(self.ours())
        } else {
            self.event()
        };
        Stmt::OneLine(vec![first, second])
    }

    /// A condition that calls, or one that computes.
    fn condition(&mut self, around: &Around) -> Expr {
        match self.rng.below(4) {
            0 | 1 => call("coin", vec![Expr::Int(self.rng.range(0, 99))]),
            2 if !around.counters.is_empty() => {
                let counter = var(self.rng.pick::<String>(&around.counters));
                bin(Op::Eq, bin(Op::Rem, counter, Expr::Int(2)), Expr::Int(0))
            }
            2 => bin(Op::Eq, bin(Op::Rem, var("rank"), Expr::Int(2)), Expr::Int(0)),
            _ => bin(Op::Gt, call("val", vec![Expr::Int(0)]), Expr::Int(1)),
        }
    }

    fn branch(&mut self, around: &Around) -> Stmt {
        let inner = self.deeper(around);
        let cond = self.condition(around);
        let yes = self.body(&inner);
        let no = self.rng.chance(50).then(|| self.body(&inner));
        Stmt::If(cond, yes, no)
    }

    /// `if (…) { an event; jump }`
    fn guarded(&mut self, around: &Around, jump: Stmt) -> Stmt {
        let cond = bin(Op::Eq, call("val", vec![Expr::Int(1)]), Expr::Int(0));
        let cond = if self.rng.chance(70) {
            cond
        } else {
            self.condition(around)
        };
        let mut body = Vec::new();
        if self.rng.chance(60) {
            body.push(self.event());
        }
        body.push(jump);
        Stmt::If(cond, body, None)
    }

    fn switch(&mut self, around: &Around) -> Stmt {
        let mut inner = self.deeper(around);
        inner.in_loop = false;
        let value = match around.counters.last() {
            Some(counter) if self.rng.chance(50) => bin(Op::Rem, var(counter), Expr::Int(3)),
            _ => call("val", vec![Expr::Int(2)]),
        };
        let count = 3 + self.rng.below(2);
        let mut cases = Vec::new();
        for index in 0..count {
            let body = self.body(&inner);
            let falls = index + 1 < count && self.rng.chance(40);
            cases.push(Case { body, falls });
        }
        Stmt::Switch(value, cases)
    }

    /// `name += by`, in one of its spellings.
    fn step(&mut self, name: &str, by: i64) -> Stmt {
        let place = Lvalue::Var(name.to_owned());
        stmt(match self.rng.below(3) {
            0 if by == 1 => increment(name),
            1 => assign(name, bin(Op::Add, var(name), Expr::Int(by))),
            _ if by < 0 => Expr::Set(place, Some(Op::Sub), Box::new(Expr::Int(-by))),
            _ => Expr::Set(place, Some(Op::Add), Box::new(Expr::Int(by))),
        })
    }

    fn start(name: &str) -> Stmt {
        int(name, Expr::Int(0))
    }
}
