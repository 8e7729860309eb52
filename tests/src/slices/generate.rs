//! Random programs that are full of data: where values come from is hard to tell.
//!
//! The generator of the order's oracle makes control flow; this one makes values travel, through locals, globals,
//! members, pointers to any of them that are moved about, arrays walked by pointers, parameters that point, results,
//! recursion, and branches and jumps that choose between all this. Every variable has a value before it is read, every
//! sum is cut down before it could overflow, and loops end.

use crate::oracle::ast::{
    Case, Expr, Function, Global, Lvalue, Op, Program, Stmt, Ty, assign, bin, call, increment, int, stmt, var,
};
use crate::oracle::rng::Rng;

/// What statements may use.
#[derive(Clone, Debug, Default)]
struct Around {
    depth: usize,
    in_loop: bool,
    may_continue: bool,
    /// Labels at the end of blocks around.
    ends: Vec<String>,
    /// Variables with an `int`.
    ints: Vec<String>,
    /// Those of them that live as long as the function and may be pointed to.
    homes: Vec<String>,
    /// Pointers to `int`.
    pointers: Vec<String>,
    /// Pointers to the structure.
    records: Vec<String>,
    /// Variables with a structure.
    structs: Vec<String>,
}

struct Generator {
    rng: Rng,
    names: usize,
    /// Functions `int f(int a, int *p, struct state *s)` that may be called.
    callees: Vec<String>,
}

/// The program that belongs to `seed`.
#[must_use]
pub fn program(seed: u64) -> Program {
    let mut g = Generator {
        rng: Rng::new(seed ^ 0xda7a),
        names: 0,
        callees: Vec::new(),
    };
    let is_static = g.rng.chance(50);
    let global = |name: &str, ty, init| Global {
        name: name.to_owned(),
        ty,
        init,
        is_static,
    };
    let globals = vec![
        global("rank", Ty::Int, 0),
        global("g0", Ty::Int, 3),
        global("g1", Ty::Int, 5),
        global("gp", Ty::IntPtr, 0),
        global("whole", Ty::Struct, 0),
    ];
    let mut functions = helpers();
    for index in 0..2 + g.rng.below(2) {
        let name = format!("f{index}");
        functions.push(g.function(&name));
        g.callees.push(name);
    }
    functions.push(g.main());
    Program { globals, functions }
}

fn deref(name: &str) -> Lvalue {
    Lvalue::Deref(name.to_owned())
}

fn address(name: &str) -> Expr {
    Expr::Addr(Lvalue::Var(name.to_owned()))
}

fn set(place: Lvalue, value: Expr) -> Stmt {
    stmt(Expr::Set(place, None, Box::new(value)))
}

fn pointer(name: &str, to: Expr) -> Stmt {
    Stmt::Decl(Ty::IntPtr, name.to_owned(), Some(to), false)
}

/// Small functions that work through pointers.
fn helpers() -> Vec<Function> {
    let p = || ("p".to_owned(), Ty::IntPtr);
    let function = |name: &str, params, returns, body| Function {
        name: name.to_owned(),
        params,
        returns,
        body,
    };
    let read = |name: &str| Expr::Get(deref(name));
    vec![
        function(
            "put",
            vec![p(), ("v".to_owned(), Ty::Int)],
            false,
            vec![set(deref("p"), var("v"))],
        ),
        function(
            "take",
            vec![p(), ("unused".to_owned(), Ty::Int)],
            true,
            vec![
                stmt(assign("unused", Expr::Int(0))),
                Stmt::Return(Some(read("p"))),
            ],
        ),
        function(
            "swap",
            vec![p(), ("q".to_owned(), Ty::IntPtr)],
            false,
            vec![
                int("t", read("p")),
                set(deref("p"), read("q")),
                set(deref("q"), var("t")),
            ],
        ),
        function(
            "note",
            vec![("s".to_owned(), Ty::StructPtr), ("v".to_owned(), Ty::Int)],
            false,
            vec![
                set(Lvalue::Arrow("s".to_owned(), "step"), var("v")),
                Stmt::If(
                    bin(Op::Gt, var("v"), Expr::Int(4)),
                    vec![Stmt::Return(None)],
                    None,
                ),
                set(Lvalue::Arrow("s".to_owned(), "count"), var("v")),
            ],
        ),
        function(
            "down",
            vec![("d".to_owned(), Ty::Int), p()],
            true,
            vec![
                Stmt::If(
                    bin(Op::Le, var("d"), Expr::Int(0)),
                    vec![Stmt::Return(Some(read("p")))],
                    None,
                ),
                set(
                    deref("p"),
                    bin(Op::Rem, bin(Op::Add, read("p"), var("d")), Expr::Int(31)),
                ),
                Stmt::Return(Some(call(
                    "down",
                    vec![bin(Op::Sub, var("d"), Expr::Int(1)), var("p")],
                ))),
            ],
        ),
    ]
}

impl Generator {
    fn fresh(&mut self, stem: &str) -> String {
        self.names += 1;
        format!("{stem}{}", self.names)
    }

    fn choose(&mut self, names: &[String]) -> String {
        self.rng.pick(names).clone()
    }

    /// The declarations at the start of a function, and what they make usable.
    fn opening(&mut self, around: &mut Around) -> Vec<Stmt> {
        let mut body = Vec::new();
        for name in ["x", "y", "z"] {
            let value = self.atom(around);
            body.push(int(name, value));
            around.ints.push(name.to_owned());
            around.homes.push(name.to_owned());
        }
        around.ints.extend(["g0".to_owned(), "g1".to_owned()]);
        around.homes.extend(["g0".to_owned(), "g1".to_owned()]);
        let home = self.choose(&around.homes.clone());
        body.push(pointer("q", address(&home)));
        around.pointers.push("q".to_owned());
        if self.rng.chance(60) {
            body.push(Stmt::Decl(Ty::Struct, "own".to_owned(), None, false));
            for member in ["step", "count"] {
                let value = self.atom(around);
                body.push(set(Lvalue::Dot("own".to_owned(), member), value));
            }
            around.structs.push("own".to_owned());
        }
        around.structs.push("whole".to_owned());
        let record = self.choose(&around.structs.clone());
        body.push(Stmt::Decl(
            Ty::StructPtr,
            "r".to_owned(),
            Some(address(&record)),
            false,
        ));
        around.records.push("r".to_owned());
        if self.rng.chance(60) {
            body.push(Stmt::Decl(Ty::Array(3), "cells".to_owned(), None, false));
            body.push(pointer("c", var("cells")));
            for at in 0..3 {
                let value = self.atom(around);
                body.push(set(deref("c"), value));
                if at < 2 {
                    body.push(stmt(increment("c")));
                }
            }
            body.push(stmt(assign("c", bin(Op::Add, var("cells"), Expr::Int(1)))));
            around.pointers.push("c".to_owned());
        }
        body
    }

    fn function(&mut self, name: &str) -> Function {
        let mut around = Around {
            ints: vec!["a".to_owned()],
            homes: vec!["a".to_owned()],
            pointers: vec!["p".to_owned()],
            records: vec!["s".to_owned()],
            ..Around::default()
        };
        let mut body = self.opening(&mut around);
        let count = 4 + self.rng.below(4);
        body.extend(self.stmts(&around, count));
        let result = self.value(&around);
        body.push(Stmt::Return(Some(result)));
        Function {
            name: name.to_owned(),
            params: vec![
                ("a".to_owned(), Ty::Int),
                ("p".to_owned(), Ty::IntPtr),
                ("s".to_owned(), Ty::StructPtr),
            ],
            returns: true,
            body,
        }
    }

    fn main(&mut self) -> Function {
        let mut body = vec![
            stmt(call("MPI_Init", vec![address("argc"), Expr::Word("&argv")])),
            stmt(call(
                "MPI_Comm_rank",
                vec![Expr::Word("MPI_COMM_WORLD"), address("rank")],
            )),
            stmt(assign("gp", address("g0"))),
        ];
        let mut around = Around {
            ints: vec!["rank".to_owned()],
            ..Around::default()
        };
        body.extend(self.opening(&mut around));
        around.pointers.push("gp".to_owned());
        let count = 8 + self.rng.below(4);
        body.extend(self.stmts(&around, count));
        for name in ["x", "y", "g1"] {
            body.push(stmt(call("w5", vec![var(name)])));
        }
        body.push(Stmt::Return(Some(Expr::Int(0))));
        Function {
            name: "main".to_owned(),
            params: Vec::new(),
            returns: true,
            body,
        }
    }

    /// Something with an `int` in it.
    fn atom(&mut self, around: &Around) -> Expr {
        let some = |names: &Vec<String>, weight| if names.is_empty() { 0 } else { weight };
        let weights = [
            15,
            some(&around.ints, 40),
            some(&around.pointers, 15),
            some(&around.records, 8),
            some(&around.structs, 8),
            6,
        ];
        let member = *self.rng.pick(&["step", "count"]);
        match self.rng.weighted(&weights) {
            0 => Expr::Int(self.rng.range(0, 9)),
            1 => var(&self.choose(&around.ints)),
            2 => Expr::Get(deref(&self.choose(&around.pointers))),
            3 => Expr::Get(Lvalue::Arrow(self.choose(&around.records), member)),
            4 => Expr::Get(Lvalue::Dot(self.choose(&around.structs), member)),
            _ => {
                let name = *self.rng.pick(&["val", "coin"]);
                call(name, vec![Expr::Int(1)])
            }
        }
    }

    /// A value that stays small.
    fn value(&mut self, around: &Around) -> Expr {
        let a = self.atom(around);
        match self.rng.below(6) {
            0 | 1 => a,
            2 => Expr::Choose(
                Box::new(self.condition(around)),
                Box::new(a),
                Box::new(self.atom(around)),
            ),
            _ => {
                let op = *self.rng.pick(&[Op::Add, Op::Sub, Op::Mul]);
                let b = self.atom(around);
                bin(Op::Rem, bin(op, a, b), Expr::Int(31))
            }
        }
    }

    fn condition(&mut self, around: &Around) -> Expr {
        let op = *self.rng.pick(&[Op::Lt, Op::Gt, Op::Ne, Op::Eq]);
        let plain = bin(op, self.atom(around), Expr::Int(self.rng.range(0, 6)));
        match self.rng.below(5) {
            0 => {
                let other = bin(Op::Gt, self.atom(around), Expr::Int(2));
                Expr::Logic(self.rng.chance(50), Box::new(plain), Box::new(other))
            }
            1 => call("coin", vec![Expr::Int(2)]),
            _ => plain,
        }
    }

    /// A variable's address.
    fn target(&mut self, around: &Around) -> Expr {
        match self.rng.below(4) {
            0 => var(&self.choose(&around.pointers)),
            1 => {
                let one = address(&self.choose(&around.homes));
                let other = address(&self.choose(&around.homes));
                Expr::Choose(Box::new(self.condition(around)), Box::new(one), Box::new(other))
            }
            _ => address(&self.choose(&around.homes)),
        }
    }

    fn record(&mut self, around: &Around) -> Expr {
        if self.rng.chance(50) {
            var(&self.choose(&around.records))
        } else {
            address(&self.choose(&around.structs))
        }
    }

    fn stmts(&mut self, around: &Around, count: usize) -> Vec<Stmt> {
        (0..count).flat_map(|_| self.some(around)).collect()
    }

    fn body(&mut self, around: &Around) -> Vec<Stmt> {
        let mut inner = around.clone();
        inner.depth += 1;
        let count = 1 + self.rng.below(3);
        self.stmts(&inner, count)
    }

    fn some(&mut self, around: &Around) -> Vec<Stmt> {
        let nest = |weight| if around.depth >= 3 { 0 } else { weight };
        let weights = [
            24,                                           // 0: a number to a variable
            16,                                           // 1: somewhere to look at
            12,                                           // 2: through a pointer
            8,                                            // 3: move a pointer
            8,                                            // 4: to a member
            14,                                           // 5: a helper
            if self.callees.is_empty() { 0 } else { 10 }, // 6: a function
            nest(14),                                     // 7: if
            nest(12),                                     // 8: a loop
            nest(4),                                      // 9: switch
            if around.in_loop { 6 } else { 0 },           // 10: break
            if around.may_continue { 6 } else { 0 },      // 11: continue
            if around.ends.is_empty() { 0 } else { 8 },   // 12: goto
            nest(4),                                      // 13: a block with a label at its end
            2,                                            // 14: early return
        ];
        match self.rng.weighted(&weights) {
            0 => {
                let value = self.value(around);
                vec![stmt(assign(&self.choose(&around.homes), value))]
            }
            1 => {
                let value = self.atom(around);
                let name = *self.rng.pick(&["w1", "w2", "w3", "w4"]);
                vec![stmt(call(name, vec![value]))]
            }
            2 => {
                let value = self.value(around);
                vec![set(deref(&self.choose(&around.pointers)), value)]
            }
            3 if self.rng.chance(30) => {
                let record = address(&self.choose(&around.structs));
                vec![stmt(assign("r", record))]
            }
            3 => {
                let target = self.target(around);
                vec![stmt(assign("q", target))]
            }
            4 => {
                let member = *self.rng.pick(&["step", "count"]);
                let place = if self.rng.chance(50) {
                    Lvalue::Dot(self.choose(&around.structs), member)
                } else {
                    Lvalue::Arrow(self.choose(&around.records), member)
                };
                let value = self.value(around);
                vec![set(place, value)]
            }
            5 => self.helper(around),
            6 => {
                let name = self.choose(&self.callees.clone());
                let args = vec![self.value(around), self.target(around), self.record(around)];
                let result = self.choose(&around.homes);
                vec![stmt(if self.rng.chance(70) {
                    assign(&result, call(&name, args))
                } else {
                    call(&name, args)
                })]
            }
            7 => {
                let cond = self.condition(around);
                let yes = self.body(around);
                let no = self.rng.chance(50).then(|| self.body(around));
                vec![Stmt::If(cond, yes, no)]
            }
            8 => self.a_loop(around),
            9 => {
                let mut inner = around.clone();
                inner.in_loop = false;
                let value = self.atom(around);
                let count = 2 + self.rng.below(2);
                let cases = (0..count).map(|index| Case {
                    body: self.body(&inner),
                    falls: index + 1 < count && self.rng.chance(40),
                });
                let cases = cases.collect();
                vec![Stmt::Switch(bin(Op::Rem, value, Expr::Int(3)), cases)]
            }
            10 => vec![self.guarded(around, Stmt::Break)],
            11 => vec![self.guarded(around, Stmt::Continue)],
            12 => {
                let label = self.choose(&around.ends);
                vec![self.guarded(around, Stmt::GotoEnd(label))]
            }
            13 => {
                let label = self.fresh("done");
                let mut inner = around.clone();
                inner.depth += 1;
                inner.ends.push(label.clone());
                vec![Stmt::Until(label, self.stmts(&inner, 3))]
            }
            _ => {
                let value = self.atom(around);
                vec![self.guarded(around, Stmt::Return(Some(value)))]
            }
        }
    }

    fn helper(&mut self, around: &Around) -> Vec<Stmt> {
        let target = self.target(around);
        let result = self.choose(&around.homes);
        vec![stmt(match self.rng.below(5) {
            0 => call("put", vec![target, self.value(around)]),
            1 => assign(&result, call("take", vec![target, self.atom(around)])),
            2 => {
                let other = self.target(around);
                call("swap", vec![target, other])
            }
            3 => call("note", vec![self.record(around), self.value(around)]),
            _ => {
                let depth = Expr::Int(self.rng.range(0, 3));
                assign(&result, call("down", vec![depth, target]))
            }
        })]
    }

    fn guarded(&mut self, around: &Around, jump: Stmt) -> Stmt {
        let mut body = Vec::new();
        if self.rng.chance(40) {
            let value = self.value(around);
            body.push(stmt(assign(&self.choose(&around.homes), value)));
        }
        body.push(jump);
        Stmt::If(self.condition(around), body, None)
    }

    /// A loop that counts in a variable of its own, so that it ends.
    fn a_loop(&mut self, around: &Around) -> Vec<Stmt> {
        let name = self.fresh("i");
        let mut inner = around.clone();
        inner.in_loop = true;
        inner.ints.push(name.clone());
        let below = bin(Op::Lt, var(&name), Expr::Int(self.rng.range(1, 4)));
        let cond = if self.rng.chance(50) {
            Expr::Logic(true, Box::new(below), Box::new(self.condition(&inner)))
        } else {
            below
        };
        match self.rng.below(3) {
            0 => {
                inner.may_continue = true;
                let body = self.body(&inner);
                vec![Stmt::For(Box::new(crate::oracle::ast::For {
                    init: Some(crate::oracle::ast::ForInit::Decl(
                        Ty::Int,
                        name.clone(),
                        Expr::Int(0),
                    )),
                    cond: Some(cond),
                    step: Some(increment(&name)),
                    body,
                    spread: self.rng.chance(30),
                    init_site: 0,
                    step_site: 0,
                }))]
            }
            kind => {
                // A `continue` must not pass the step.
                inner.may_continue = false;
                let mut body = vec![stmt(increment(&name))];
                body.extend(self.body(&inner));
                let start = int(&name, Expr::Int(0));
                if kind == 1 {
                    vec![start, Stmt::While(cond, body)]
                } else {
                    vec![start, Stmt::Do(body, cond)]
                }
            }
        }
    }
}
