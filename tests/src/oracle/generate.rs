//! Random programs, of two profiles.
//!
//! [`Profile::Hard`]: every program is a call graph without cycles, but for one function that calls itself a bounded number of times.
//! The shapes are those in which orders go wrong in practice; [`loops`] has the loops. [`Profile::Plain`]: see [`plain`].
//! Programs need not end: runs have a budget.

use super::ast::{
    Case, Expr, Global, Lvalue, Op, Program, Stmt, TwoEntries, Ty, bin, call, int, stmt, update, var,
};
use super::rng::Rng;

mod functions;
mod hidden;
mod loops;
mod plain;

/// What kind of programs.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub enum Profile {
    /// Textbook programs, to measure how much of ordinary code is decided.
    Plain,
    /// Programs full of what orders go wrong at, to find errors.
    #[default]
    Hard,
}

/// What the statements being generated may use.
#[derive(Clone, Debug, Default)]
struct Around {
    /// How many loops and branches are around, in this function.
    depth: usize,
    /// Whether a `break` or `continue` would meet a loop of ours.
    in_loop: bool,
    /// Whether a `continue` keeps the loop's variable strict.
    may_continue: bool,
    /// `goto` targets at the start of something around.
    again: Vec<String>,
    /// `goto` targets at the end of something around.
    end: Vec<String>,
    /// Readable `int` variables.
    ints: Vec<String>,
    /// Variables of the loops around: a new variable may shadow one of them.
    loop_variables: Vec<String>,
    /// The function-wide scratch variable is free.
    scratch: bool,
}

struct Generator {
    rng: Rng,
    /// Functions that may be called: name, and how their arguments are made.
    callees: Vec<(String, Signature)>,
    names: usize,
    /// The function being generated returns a value.
    returns: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Signature {
    /// `(int d, int a)`
    Work,
    /// `(int d, int a)`, calls itself while `d` is positive.
    Recursive,
}

/// The program that belongs to `seed`.
#[must_use]
pub fn program(profile: Profile, seed: u64) -> Program {
    match profile {
        Profile::Plain => plain::program(seed),
        Profile::Hard => hard(seed),
    }
}

fn hard(seed: u64) -> Program {
    let mut g = Generator {
        rng: Rng::new(seed),
        callees: Vec::new(),
        names: 0,
        returns: true,
    };
    let is_static = g.rng.chance(60);
    let int_global = |name: &str, init| Global {
        name: name.to_owned(),
        ty: Ty::Int,
        init,
        is_static,
    };
    let globals = vec![
        int_global("rank", 0),
        int_global("extent", 1),
        int_global("ticks", 0),
        int_global("level", 0),
        Global {
            name: "whole".to_owned(),
            ty: Ty::Struct,
            init: 0,
            is_static,
        },
    ];
    let mut functions = functions::helpers();
    let works = 1 + g.rng.below(3);
    for index in 0..works {
        let function = g.work(&format!("f{index}"), Signature::Work);
        functions.push(function);
        g.callees.push((format!("f{index}"), Signature::Work));
        if index == 0 && g.rng.chance(60) {
            let function = g.work("again", Signature::Recursive);
            functions.push(function);
            g.callees.push(("again".to_owned(), Signature::Recursive));
        }
    }
    functions.push(g.main());
    Program { globals, functions }
}

impl Generator {
    fn fresh(&mut self, stem: &str) -> String {
        self.names += 1;
        format!("{stem}{}", self.names)
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
        let count = 1 + self.rng.below(2);
        self.stmts(around, count)
    }

    /// One construct.
    fn some(&mut self, around: &Around) -> Vec<Stmt> {
        let deep = around.depth >= 3;
        let nest = |weight| if deep { 0 } else { weight };
        let weights = [
            30,                                            // 0: a leaf
            6,                                             // 1: two leaves on a line
            if self.callees.is_empty() { 0 } else { 14 },  // 2: a function of ours
            nest(14),                                      // 3: if
            nest(if around.depth >= 2 { 14 } else { 34 }), // 4: a loop
            nest(5),                                       // 5: switch
            6,                                             // 6: an expression with several calls
            4,                                             // 7: a macro
            if around.in_loop { 4 } else { 0 },            // 8: break
            if around.may_continue { 5 } else { 0 },       // 9: continue
            2,                                             // 10: early return
            if around.again.is_empty() && around.end.is_empty() {
                0
            } else {
                8
            }, // 11: goto
            nest(3),                                       // 12: a block with a goto to its end
            nest(1),                                       // 13: a loop with two entries
            nest(2),                                       // 14: a block with a shadowing variable
            if self.callees.len() > 1 { 3 } else { 0 },    // 15: a call through a pointer
            if self.callees.is_empty() { 0 } else { 3 },   // 16: two functions of ours on a line
            4,                                             // 17: plain arithmetic
        ];
        match self.rng.weighted(&weights) {
            0 => vec![self.leaf(around)],
            1 => vec![Stmt::OneLine(vec![self.leaf(around), self.leaf(around)])],
            2 => vec![stmt(self.ours(around))],
            3 => self.branch(around),
            4 => self.any_loop(around),
            5 => vec![self.switch(around)],
            6 => vec![self.several(around)],
            7 => vec![self.macros(around)],
            8 => vec![self.guarded(around, Stmt::Break)],
            9 => vec![self.guarded(around, Stmt::Continue)],
            10 => {
                let value = self.int_value(around);
                vec![self.guarded(around, Stmt::Return(Some(value)))]
            }
            11 => {
                let back = !around.again.is_empty() && (around.end.is_empty() || self.rng.chance(50));
                let jump = if back {
                    Stmt::GotoAgain(self.rng.pick(&around.again).clone())
                } else {
                    Stmt::GotoEnd(self.rng.pick(&around.end).clone())
                };
                vec![self.guarded(around, jump)]
            }
            12 => {
                let label = self.fresh("done");
                let mut inner = self.deeper(around);
                inner.end.push(label.clone());
                vec![Stmt::Until(label, self.stmts(&inner, 2))]
            }
            // Rare in real code, and nothing inside can be decided.
            13 if self.rng.chance(60) => vec![self.leaf(around)],
            13 => {
                let name = self.fresh("e");
                let mut inner = self.deeper(around);
                // A jump out of here would be fine, but one to a loop around would not be.
                inner.in_loop = false;
                inner.may_continue = false;
                let first = self.body(&inner);
                let second = self.body(&inner);
                vec![Stmt::TwoEntries(Box::new(TwoEntries {
                    name,
                    enter: call("coin", vec![Expr::Int(0)]),
                    first,
                    second,
                    again: call("more", vec![Expr::Int(1)]),
                }))]
            }
            14 => vec![self.shadow(around)],
            15 => self.through_pointer(around),
            16 => vec![Stmt::OneLine(vec![
                stmt(self.ours(around)),
                stmt(self.ours(around)),
            ])],
            _ => {
                let name = self.fresh("x");
                let first = self.int_value(around);
                vec![
                    int(&name, first),
                    stmt(update(Lvalue::Var(name), Op::Add, Expr::Int(2))),
                ]
            }
        }
    }

    fn deeper(&self, around: &Around) -> Around {
        let mut inner = around.clone();
        inner.depth += 1;
        inner
    }

    fn int_value(&mut self, around: &Around) -> Expr {
        if around.ints.is_empty() || self.rng.chance(40) {
            Expr::Int(self.rng.range(0, 3))
        } else {
            var(self.rng.pick::<String>(&around.ints))
        }
    }

    /// A call of an external function.
    fn leaf_call(&mut self, around: &Around) -> Expr {
        let name = *self.rng.pick(&["w1", "w2", "w3", "w4", "w5"]);
        let argument = self.int_value(around);
        call(name, vec![argument])
    }

    fn leaf(&mut self, around: &Around) -> Stmt {
        stmt(self.leaf_call(around))
    }

    /// A call of a function of the program, or a leaf when there is none.
    fn ours(&mut self, around: &Around) -> Expr {
        if self.callees.is_empty() {
            return self.leaf_call(around);
        }
        let (name, signature) = self.rng.pick(&self.callees).clone();
        let depth = match signature {
            Signature::Work => var("d"),
            Signature::Recursive => Expr::Int(self.rng.range(1, 2)),
        };
        let argument = match self.rng.below(6) {
            0 => var("rank"),
            1 => var("extent"),
            _ => self.int_value(around),
        };
        call(&name, vec![depth, argument])
    }

    /// `int (*go)(int, int) = c ? f : g; go(d, a);`
    fn through_pointer(&mut self, around: &Around) -> Vec<Stmt> {
        let name = self.fresh("go");
        let mut target = || {
            let (name, _) = self.rng.pick(&self.callees);
            let known = ["f0", "f1", "f2", "again"]
                .into_iter()
                .find(|known| known == name);
            Expr::Word(known.unwrap_or("f0"))
        };
        let (a, b) = (Box::new(target()), Box::new(target()));
        let target = Expr::Choose(Box::new(self.condition(around)), a, b);
        let argument = self.int_value(around);
        let call = stmt(call(&name, vec![Expr::Int(1), argument]));
        vec![Stmt::Decl(Ty::Function, name, Some(target), false), call]
    }

    fn any_call(&mut self, around: &Around) -> Expr {
        if self.rng.chance(15) {
            self.ours(around)
        } else {
            self.leaf_call(around)
        }
    }

    fn condition(&mut self, around: &Around) -> Expr {
        let coin = |g: &mut Self| call("coin", vec![Expr::Int(g.rng.range(0, 3))]);
        match self.rng.below(9) {
            0 => bin(
                Op::Eq,
                bin(Op::Rem, var("rank"), Expr::Int(2)),
                Expr::Int(self.rng.range(0, 1)),
            ),
            1 => {
                let value = self.int_value(around);
                bin(Op::Lt, value, Expr::Int(2))
            }
            2 => bin(Op::Gt, self.any_call(around), Expr::Int(1)),
            3 => Expr::Logic(
                self.rng.chance(50),
                Box::new(coin(self)),
                Box::new(self.any_call(around)),
            ),
            4 => Expr::Not(Box::new(coin(self))),
            5 => bin(Op::Gt, var("extent"), Expr::Int(1)),
            _ => coin(self),
        }
    }

    /// `if (…) { a leaf; jump }`
    fn guarded(&mut self, around: &Around, jump: Stmt) -> Stmt {
        let mut body = Vec::new();
        if self.rng.chance(50) {
            body.push(self.leaf(around));
        }
        body.push(jump);
        let cond = bin(Op::Eq, call("w5", vec![Expr::Int(7)]), Expr::Int(0));
        Stmt::If(cond, body, None)
    }

    fn branch(&mut self, around: &Around) -> Vec<Stmt> {
        let inner = self.deeper(around);
        let cond = self.condition(around);
        let yes = self.body(&inner);
        let no = self.rng.chance(50).then(|| self.body(&inner));
        let flat = self.rng.chance(10);
        let branch = Stmt::If(cond, yes, no);
        vec![if flat { Stmt::OneLine(vec![branch]) } else { branch }]
    }

    fn switch(&mut self, around: &Around) -> Stmt {
        let mut inner = self.deeper(around);
        // `break` would leave the switch: the tree keeps its own at the end of each case.
        inner.in_loop = false;
        let value = match self.rng.below(3) {
            0 => call("w2", vec![Expr::Int(1)]),
            1 => bin(Op::Rem, var("rank"), Expr::Int(3)),
            _ => self.int_value(around),
        };
        let count = 2 + self.rng.below(3);
        let mut cases = Vec::new();
        for index in 0..count {
            let body = self.body(&inner);
            let falls = index + 1 < count && self.rng.chance(40);
            cases.push(Case { body, falls });
        }
        Stmt::Switch(value, cases)
    }

    fn several(&mut self, around: &Around) -> Stmt {
        let a = self.any_call(around);
        let b = self.any_call(around);
        let spread = self.rng.chance(30);
        let pair = |a: Expr, b: Expr| Expr::Call {
            name: "pair".to_owned(),
            args: vec![a, b],
            site: 0,
            spread,
        };
        let value = match self.rng.below(9) {
            // In its own argument: gcc gives both the same line and column.
            7 => call("w1", vec![call("w1", vec![a])]),
            8 if !self.callees.is_empty() => {
                let (name, _) = self.rng.pick(&self.callees).clone();
                let inner = call(&name, vec![Expr::Int(0), a]);
                call(&name, vec![Expr::Int(1), inner])
            }
            0 => bin(Op::Add, a, b),
            1 => pair(a, b),
            2 => call("w1", vec![a]),
            3 => bin(Op::Sub, pair(a, Expr::Int(1)), b),
            4 => Expr::Choose(Box::new(self.condition(around)), Box::new(a), Box::new(b)),
            5 => call("w2", vec![pair(a, b)]),
            _ => {
                // For effect only, as in `ready() && go();`
                return stmt(Expr::Logic(self.rng.chance(50), Box::new(a), Box::new(b)));
            }
        };
        if self.rng.chance(50) {
            return stmt(value);
        }
        let name = self.fresh("x");
        int(&name, value)
    }

    fn macros(&mut self, around: &Around) -> Stmt {
        let mut body = vec![self.leaf(around)];
        if self.rng.chance(50) {
            body.push(stmt(self.any_call(around)));
        }
        Stmt::Macro(self.rng.chance(40), body)
    }

    fn shadow(&mut self, around: &Around) -> Stmt {
        let Some(name) = around.loop_variables.last().cloned() else {
            let inner = self.deeper(around);
            return Stmt::Block(self.stmts(&inner, 1));
        };
        let mut inner = self.deeper(around);
        inner.ints.retain(|known| *known != name);
        let before = self.leaf(&inner);
        let declaration = int(&name, Expr::Int(self.rng.range(0, 5)));
        let after = self.stmts(&inner, 1);
        Stmt::Block([vec![before, declaration], after].concat())
    }
}
