//! Whole functions: helpers through which loops change their variables, work functions, `main`.

use super::{Around, Generator, Signature};
use crate::oracle::ast::{
    Expr, Function, Lvalue, Op, Stmt, Ty, assign, bin, call, increment, int, stmt, var,
};

/// Functions through which loops change their variables.
pub(super) fn helpers() -> Vec<Function> {
    let function = |name: &str, params: Vec<(String, Ty)>, returns, body| Function {
        name: name.to_owned(),
        params,
        returns,
        body,
    };
    let p = Lvalue::Deref("p".to_owned());
    vec![
        function(
            "bump",
            vec![("p".to_owned(), Ty::IntPtr)],
            false,
            vec![
                stmt(call("w1", vec![Expr::Get(p.clone())])),
                stmt(Expr::Set(
                    p.clone(),
                    None,
                    Box::new(bin(Op::Add, Expr::Get(p.clone()), Expr::Int(1))),
                )),
                stmt(call("w2", vec![Expr::Get(p)])),
            ],
        ),
        function(
            "tick",
            Vec::new(),
            false,
            vec![
                stmt(call("w3", vec![var("ticks")])),
                stmt(increment("ticks")),
                stmt(call("w4", vec![var("ticks")])),
            ],
        ),
        function(
            "next_of",
            vec![("i".to_owned(), Ty::Int)],
            true,
            vec![
                stmt(call("w5", vec![var("i")])),
                Stmt::Return(Some(bin(Op::Add, var("i"), Expr::Int(1)))),
            ],
        ),
        function(
            "advance",
            vec![("s".to_owned(), Ty::StructPtr)],
            false,
            vec![
                stmt(call("w1", vec![Expr::Int(0)])),
                stmt(Expr::Step {
                    place: Lvalue::Arrow("s".to_owned(), "step"),
                    up: true,
                    prefix: false,
                }),
            ],
        ),
        function(
            "rewind_level",
            Vec::new(),
            false,
            vec![
                stmt(call("w3", vec![var("level")])),
                Stmt::If(
                    call("coin", vec![Expr::Int(6)]),
                    vec![stmt(assign("level", Expr::Int(0)))],
                    None,
                ),
            ],
        ),
        function("nest", vec![("d".to_owned(), Ty::Int)], true, nest()),
    ]
}

/// A loop over a static variable that the same loop of an inner call starts over.
fn nest() -> Vec<Stmt> {
    let leaf = |name: &str| stmt(call(name, vec![var("i")]));
    let inner = Stmt::If(
        Expr::Logic(
            true,
            Box::new(bin(Op::Gt, var("d"), Expr::Int(0))),
            Box::new(bin(Op::Eq, var("i"), Expr::Int(1))),
        ),
        vec![stmt(call("nest", vec![bin(Op::Sub, var("d"), Expr::Int(1))]))],
        None,
    );
    let body = vec![leaf("w1"), inner, leaf("w2"), stmt(increment("i"))];
    vec![
        Stmt::Decl(Ty::Int, "i".to_owned(), Some(Expr::Int(0)), true),
        stmt(assign("i", Expr::Int(0))),
        Stmt::While(bin(Op::Lt, var("i"), Expr::Int(3)), body),
        Stmt::Return(Some(Expr::Int(0))),
    ]
}

impl Generator {
    pub(super) fn main(&mut self) -> Function {
        let word = Expr::Word;
        let address = |name: &str| Expr::Addr(Lvalue::Var(name.to_owned()));
        let mut body = vec![
            stmt(call("MPI_Init", vec![address("argc"), word("&argv")])),
            stmt(call(
                "MPI_Comm_rank",
                vec![word("MPI_COMM_WORLD"), address("rank")],
            )),
            int("d", Expr::Int(1)),
            int(
                "n",
                if self.rng.chance(50) {
                    bin(Op::Add, var("argc"), Expr::Int(1))
                } else {
                    Expr::Int(2)
                },
            ),
            stmt(assign("extent", call("val", vec![Expr::Int(0)]))),
        ];
        if self.rng.chance(70) {
            body.push(stmt(call(
                "MPI_Bcast",
                ["extent", "1", "MPI_INT", "0", "MPI_COMM_WORLD"]
                    .into_iter()
                    .enumerate()
                    .map(|(i, name)| if i == 0 { address(name) } else { word(name) })
                    .collect(),
            )));
        }
        self.returns = true;
        let around = Around {
            ints: vec!["n".to_owned(), "rank".to_owned(), "d".to_owned()],
            ..Around::default()
        };
        body.extend(self.directed(&around));
        let count = 4 + self.rng.below(3);
        body.extend(self.stmts(&around, count));
        body.push(stmt(call("MPI_Barrier", vec![word("MPI_COMM_WORLD")])));
        body.push(Stmt::Return(Some(Expr::Int(0))));
        Function {
            name: "main".to_owned(),
            params: Vec::new(),
            returns: true,
            body,
        }
    }

    /// What few programs would have by chance: a small loop of a rare kind, where every run comes by.
    fn directed(&mut self, around: &Around) -> Vec<Stmt> {
        let small = Around {
            depth: 3,
            ..around.clone()
        };
        let callees = std::mem::take(&mut self.callees);
        let result = match self.rng.below(8) {
            0..=4 => self.hidden(&small),
            5 => self.impostor(&small),
            6 => self.floating(&small),
            _ => self.geometric(&small),
        };
        self.callees = callees;
        result
    }

    pub(super) fn work(&mut self, name: &str, signature: Signature) -> Function {
        self.returns = true;
        let mut body = Vec::new();
        let mut around = Around {
            ints: vec!["a".to_owned(), "d".to_owned()],
            ..Around::default()
        };
        if self.rng.chance(40) {
            body.push(int("k", Expr::Int(0)));
            around.scratch = true;
        }
        let count = 3 + self.rng.below(3);
        let mut stmts = self.stmts(&around, count);
        if signature == Signature::Recursive {
            let inner = || call(name, vec![bin(Op::Sub, var("d"), Expr::Int(1)), var("a")]);
            let down = match self.rng.below(4) {
                0 => vec![stmt(inner())],
                1 => vec![stmt(inner()), self.leaf(&around), stmt(inner())],
                2 => vec![Stmt::Return(Some(bin(Op::Add, inner(), inner())))],
                _ => vec![Stmt::OneLine(vec![stmt(inner()), stmt(inner())])],
            };
            let at = self.rng.below(stmts.len() + 1);
            stmts.insert(at, Stmt::If(bin(Op::Gt, var("d"), Expr::Int(0)), down, None));
        }
        body.extend(stmts);
        body.push(Stmt::Return(Some(var("a"))));
        Function {
            name: name.to_owned(),
            params: vec![("d".to_owned(), Ty::Int), ("a".to_owned(), Ty::Int)],
            returns: true,
            body,
        }
    }
}
