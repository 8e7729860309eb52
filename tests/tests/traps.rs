//! The traps: small programs in which an order by line number, or the rules of SC'09 as printed, go wrong.
//!
//! Each names pairs of moments with the truth that was measured by running the program, and what a verdict may be. All other
//! pairs of moments of the program are judged as well. `T01`…`T21` are the numbers of the collection they come from.

use tests::oracle::ast::{
    Expr, For, ForInit, Function, Global, Lvalue, Op, Program, Stmt, Ty, assign, bin, call, increment, int,
    stmt, update, var,
};
use tests::oracle::case::{Case, FileName, Moment, View};
use tests::oracle::check::judge_case;
use tests::oracle::generate::Profile;
use tests::oracle::judge::{Command, Judge, MissingVariable, Paper, Question, Verdict};
use tests::oracle::layout::Compiler;
use tests::oracle::pairs::{Draw, Pair, Sample};
use tests::oracle::truth::Truth;

/// What a verdict about a pair may be. Unknown is always allowed where it is not said otherwise.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Allowed {
    /// The first is first, and this must be found by line alone.
    Must,
    /// The first is first, and this must be found when columns are given.
    MustByColumn,
    /// The first is first, and this must be found when the frames of the functions without source are given: without one, the position of a
    /// decision may be that of the jump behind one of its arms.
    MustByLeaf,
    /// The first is first, if anything is said.
    May,
    /// C does not say which is first: nothing may be said.
    Open,
}

/// The `n`-th time (from 0) that rank `run` is in external function `leaf`.
type At = (usize, &'static str, usize);

struct Trap {
    name: &'static str,
    program: Program,
    pairs: Vec<(At, At, Allowed)>,
}

fn w(leaf: &str, argument: &str) -> Stmt {
    stmt(call(leaf, vec![var(argument)]))
}

fn more() -> Expr {
    call("more", vec![Expr::Int(0)])
}

fn below(name: &str, bound: i64) -> Expr {
    bin(Op::Lt, var(name), Expr::Int(bound))
}

fn and(a: Expr, b: Expr) -> Expr {
    Expr::Logic(true, Box::new(a), Box::new(b))
}

fn up(name: &str, by: i64) -> Stmt {
    stmt(update(Lvalue::Var(name.to_owned()), Op::Add, Expr::Int(by)))
}

fn if_then(cond: Expr, yes: Vec<Stmt>) -> Stmt {
    Stmt::If(cond, yes, None)
}

fn counted(init: ForInit, cond: Expr, step: Expr, body: Vec<Stmt>) -> Stmt {
    Stmt::For(Box::new(For {
        init: Some(init),
        cond: Some(cond),
        step: Some(step),
        body,
        spread: false,
        init_site: 0,
        step_site: 0,
    }))
}

fn from_zero(name: &str) -> ForInit {
    ForInit::Decl(Ty::Int, name.to_owned(), Expr::Int(0))
}

fn function(name: &str, params: &[(&str, Ty)], returns: bool, body: Vec<Stmt>) -> Function {
    Function {
        name: name.to_owned(),
        params: params
            .iter()
            .map(|(name, ty)| ((*name).to_owned(), *ty))
            .collect(),
        returns,
        body,
    }
}

/// A program of `functions` and a `main` that learns its rank and runs `body`.
fn program(functions: Vec<Function>, body: Vec<Stmt>) -> Program {
    let rank = Expr::Addr(Lvalue::Var("rank".to_owned()));
    let learn = stmt(call("MPI_Comm_rank", vec![Expr::Word("MPI_COMM_WORLD"), rank]));
    let body = [vec![learn], body, vec![Stmt::Return(Some(Expr::Int(0)))]].concat();
    let global = |name: &str| Global {
        name: name.to_owned(),
        ty: Ty::Int,
        init: 0,
        is_static: true,
    };
    Program {
        globals: vec![global("rank"), global("ticks")],
        functions: [functions, vec![function("main", &[], true, body)]].concat(),
    }
}

fn trap(name: &'static str, body: Vec<Stmt>, pairs: Vec<(At, At, Allowed)>) -> Trap {
    trap_with(name, Vec::new(), body, pairs)
}

fn trap_with(
    name: &'static str,
    functions: Vec<Function>,
    body: Vec<Stmt>,
    pairs: Vec<(At, At, Allowed)>,
) -> Trap {
    Trap {
        name,
        program: program(functions, body),
        pairs,
    }
}

fn flow_traps() -> Vec<Trap> {
    use Allowed::{May, Must, MustByColumn, MustByLeaf, Open};
    let zero = |name: &str| int(name, Expr::Int(0));
    vec![
        trap(
            "T01 the variable moves in the middle of the body",
            vec![
                zero("it"),
                Stmt::While(below("it", 2), vec![w("w1", "it"), up("it", 1), w("w2", "it")]),
            ],
            vec![
                ((0, "w2", 0), (0, "w1", 1), Must),
                ((0, "w1", 0), (0, "w2", 0), Must),
                ((0, "w2", 0), (1, "w1", 1), Must),
                ((0, "w1", 0), (1, "w2", 1), Must),
            ],
        ),
        trap(
            "T02 a call in the step of a for",
            vec![counted(
                from_zero("i"),
                below("i", 2),
                Expr::Comma(Box::new(call("w4", vec![var("i")])), Box::new(increment("i"))),
                vec![w("w1", "i")],
            )],
            vec![
                ((0, "w1", 0), (0, "w4", 0), MustByColumn),
                ((0, "w4", 0), (0, "w1", 1), MustByColumn),
            ],
        ),
        trap(
            "T03 the start of a for sees what the last round left",
            vec![
                zero("i"),
                Stmt::While(
                    more(),
                    vec![counted(
                        ForInit::Expr(assign("i", call("same", vec![Expr::Int(0)]))),
                        below("i", 2),
                        increment("i"),
                        vec![w("w1", "i")],
                    )],
                ),
            ],
            vec![
                ((0, "same", 1), (0, "w1", 2), May),
                ((0, "w1", 1), (0, "same", 1), May),
            ],
        ),
        trap(
            "T04 a call in the condition of do-while",
            vec![
                zero("i"),
                Stmt::Do(
                    vec![w("w1", "i"), up("i", 1)],
                    Expr::Logic(
                        false,
                        Box::new(bin(Op::Gt, call("w5", vec![var("i")]), Expr::Int(9))),
                        Box::new(below("i", 3)),
                    ),
                ),
            ],
            vec![
                ((0, "w5", 0), (0, "w1", 1), Must),
                ((0, "w1", 0), (0, "w5", 0), Must),
            ],
        ),
        trap(
            "T05 a call in the condition of while (no trap)",
            vec![
                zero("i"),
                Stmt::While(
                    and(
                        bin(Op::Lt, call("w5", vec![var("i")]), Expr::Int(9)),
                        below("i", 2),
                    ),
                    vec![w("w1", "i"), up("i", 1)],
                ),
            ],
            vec![
                ((0, "w5", 1), (0, "w1", 1), Must),
                ((0, "w1", 0), (0, "w5", 1), Must),
            ],
        ),
        trap(
            "T06 goto back",
            vec![
                zero("r"),
                Stmt::Again(
                    "again".to_owned(),
                    vec![w("w1", "r"), w("w2", "r")],
                    bin(Op::Lt, increment("r"), Expr::Int(1)),
                ),
            ],
            vec![
                ((0, "w2", 0), (0, "w1", 1), Must),
                ((0, "w1", 0), (0, "w2", 0), Must),
            ],
        ),
        trap(
            "T07 a case that falls into the next",
            vec![Stmt::Switch(
                var("rank"),
                [("w1", true), ("w2", true), ("w3", false)]
                    .map(|(leaf, falls)| tests::oracle::ast::Case {
                        body: vec![w(leaf, "rank")],
                        falls,
                    })
                    .to_vec(),
            )],
            vec![
                ((0, "w1", 0), (0, "w2", 0), Must),
                ((0, "w2", 0), (1, "w3", 0), Must),
            ],
        ),
        trap(
            "T08 a counted loop in one that nothing counts",
            vec![Stmt::While(
                more(),
                vec![counted(
                    from_zero("i"),
                    below("i", 2),
                    increment("i"),
                    vec![w("w1", "i")],
                )],
            )],
            vec![
                ((0, "w1", 1), (0, "w1", 2), May),
                ((0, "w1", 1), (1, "w1", 2), May),
            ],
        ),
        trap_with(
            "T09 the variable moves in a callee",
            vec![function(
                "advance",
                &[],
                false,
                vec![w("w1", "ticks"), stmt(increment("ticks")), w("w2", "ticks")],
            )],
            vec![Stmt::While(
                below("ticks", 2),
                vec![stmt(call("advance", Vec::new()))],
            )],
            vec![
                ((0, "w2", 0), (0, "w1", 1), May),
                ((0, "w1", 0), (0, "w2", 0), May),
            ],
        ),
        trap_with(
            "T10 two calls on one line",
            vec![function(
                "f",
                &[("k", Ty::Int)],
                false,
                vec![w("w1", "k"), w("w2", "k")],
            )],
            vec![Stmt::OneLine(
                (0..2).map(|k| stmt(call("f", vec![Expr::Int(k)]))).collect(),
            )],
            vec![
                ((0, "w2", 0), (0, "w1", 1), MustByColumn),
                ((0, "w1", 0), (1, "w1", 1), MustByColumn),
            ],
        ),
        trap_with(
            "T11 operands of a sum",
            vec![function(
                "fib",
                &[("n", Ty::Int)],
                true,
                vec![
                    w("w1", "n"),
                    if_then(below("n", 2), vec![Stmt::Return(Some(var("n")))]),
                    Stmt::Return(Some(bin(
                        Op::Add,
                        call("fib", vec![bin(Op::Sub, var("n"), Expr::Int(1))]),
                        call("fib", vec![bin(Op::Sub, var("n"), Expr::Int(2))]),
                    ))),
                ],
            )],
            vec![stmt(call("fib", vec![Expr::Int(2)]))],
            vec![
                ((0, "w1", 1), (0, "w1", 2), Open),
                ((0, "w1", 0), (0, "w1", 1), May),
            ],
        ),
        trap(
            "T15 arguments on lines of their own",
            vec![stmt(Expr::Call {
                name: "pair".to_owned(),
                args: ["w1", "w2"].map(|leaf| call(leaf, vec![var("rank")])).to_vec(),
                site: 0,
                spread: true,
            })],
            vec![
                ((0, "w1", 0), (0, "w2", 0), Open),
                ((0, "w1", 0), (0, "pair", 0), May),
            ],
        ),
        trap(
            "T16 the condition of an if against its else",
            vec![Stmt::If(
                bin(Op::Gt, call("w5", vec![Expr::Int(0)]), Expr::Int(9)),
                vec![w("w1", "rank")],
                Some(vec![w("w2", "rank")]),
            )],
            vec![
                ((0, "w5", 0), (0, "w2", 0), MustByLeaf),
                ((1, "w5", 0), (0, "w2", 0), MustByLeaf),
            ],
        ),
    ]
}

fn variable_traps() -> Vec<Trap> {
    use Allowed::{May, Must};
    let zero = |name: &str| int(name, Expr::Int(0));
    vec![
        trap(
            "T12 a variable that moves now and then",
            vec![
                zero("i"),
                Stmt::While(
                    more(),
                    vec![
                        w("w1", "i"),
                        if_then(call("coin", vec![Expr::Int(0)]), vec![up("i", 1)]),
                        w("w2", "i"),
                    ],
                ),
            ],
            vec![((0, "w2", 0), (0, "w1", 1), May)],
        ),
        trap(
            "T13 an update that continue skips",
            vec![
                zero("i"),
                zero("k"),
                Stmt::While(
                    below("i", 2),
                    vec![
                        w("w1", "i"),
                        if_then(
                            bin(Op::Eq, var("k"), Expr::Int(0)),
                            vec![stmt(assign("k", Expr::Int(1))), w("w2", "i"), Stmt::Continue],
                        ),
                        w("w3", "i"),
                        up("i", 1),
                    ],
                ),
            ],
            vec![
                ((0, "w2", 0), (0, "w1", 1), May),
                ((0, "w1", 0), (0, "w1", 2), May),
            ],
        ),
        trap(
            "T17 zero times two",
            vec![
                zero("x"),
                Stmt::While(
                    more(),
                    vec![
                        w("w1", "x"),
                        w("w2", "x"),
                        stmt(update(Lvalue::Var("x".to_owned()), Op::Mul, Expr::Int(2))),
                    ],
                ),
            ],
            vec![((0, "w2", 0), (0, "w1", 1), May)],
        ),
        trap(
            "T18 one divided by two",
            vec![
                int("x", Expr::Int(1)),
                Stmt::Do(
                    vec![
                        w("w1", "x"),
                        stmt(update(Lvalue::Var("x".to_owned()), Op::Div, Expr::Int(2))),
                    ],
                    more(),
                ),
            ],
            vec![
                ((0, "w1", 1), (0, "w1", 2), May),
                ((0, "w1", 0), (0, "w1", 1), May),
            ],
        ),
        trap(
            "T19 three forward and one back",
            vec![
                zero("i"),
                Stmt::While(
                    below("i", 4),
                    vec![up("i", 3), w("w1", "i"), up("i", -1), w("w2", "i")],
                ),
            ],
            vec![
                ((0, "w1", 0), (0, "w2", 0), Must),
                ((0, "w2", 0), (0, "w1", 1), Must),
            ],
        ),
        trap(
            "T20 the loop inside moves the variable too",
            vec![
                zero("i"),
                Stmt::While(
                    below("i", 4),
                    vec![
                        w("w1", "i"),
                        Stmt::While(
                            bin(Op::Eq, bin(Op::Rem, var("i"), Expr::Int(2)), Expr::Int(0)),
                            vec![up("i", 1), w("w2", "i")],
                        ),
                        w("w3", "i"),
                        up("i", 1),
                    ],
                ),
            ],
            vec![
                ((0, "w2", 0), (0, "w3", 0), May),
                ((0, "w3", 0), (0, "w1", 1), May),
            ],
        ),
        trap(
            "T21 leave in the middle",
            vec![
                zero("it"),
                Stmt::While(
                    Expr::Int(1),
                    vec![
                        w("w1", "it"),
                        if_then(bin(Op::Ge, var("it"), Expr::Int(2)), vec![Stmt::Break]),
                        up("it", 1),
                        w("w2", "it"),
                    ],
                ),
            ],
            vec![
                ((0, "w2", 0), (0, "w1", 1), Must),
                ((0, "w2", 0), (1, "w1", 1), Must),
            ],
        ),
        trap(
            "T22 the start differs by rank",
            vec![counted(
                ForInit::Decl(Ty::Int, "i".to_owned(), var("rank")),
                bin(Op::Lt, var("i"), bin(Op::Add, var("rank"), Expr::Int(3))),
                increment("i"),
                vec![w("w1", "i")],
            )],
            // Rank 1 begins where rank 0 is in its second round.
            vec![
                ((1, "w1", 0), (0, "w1", 1), May),
                ((0, "w1", 0), (0, "w1", 1), Must),
            ],
        ),
        trap(
            "T23 an inner variable of the same name",
            vec![counted(
                from_zero("i"),
                below("i", 3),
                increment("i"),
                vec![
                    w("w1", "i"),
                    Stmt::Block(vec![w("w2", "rank"), int("i", Expr::Int(7)), w("w3", "i")]),
                ],
            )],
            vec![
                ((0, "w3", 0), (0, "w1", 1), May),
                ((0, "w2", 0), (0, "w1", 1), May),
            ],
        ),
        trap(
            "T24 a macro that says it twice",
            vec![Stmt::Macro(true, vec![w("w1", "rank")])],
            vec![((0, "w1", 0), (0, "w1", 1), May)],
        ),
    ]
}

/// A case of the trap in which all named moments exist, and the moments.
fn prepare(trap: &Trap) -> (Case, Vec<(Moment, Moment, Allowed)>) {
    for seed in 0..500 {
        let case = Case::new(Profile::Hard, seed, trap.program.clone())
            .unwrap_or_else(|e| panic!("{}: {}", trap.name, e.reason));
        let find = |(run, leaf, n): At| {
            let mut hits = case.runs[run]
                .iter()
                .filter(|event| event.leaf.as_deref() == Some(leaf));
            hits.nth(n).map(|event| Moment {
                run,
                event: event.time,
            })
        };
        let pairs = trap
            .pairs
            .iter()
            .map(|&(a, b, allowed)| Some((find(a)?, find(b)?, allowed)));
        if let Some(pairs) = pairs.collect::<Option<Vec<_>>>() {
            return (case, pairs);
        }
    }
    panic!("{}: no seed reaches all of its moments", trap.name);
}

fn views() -> Vec<View> {
    let mut views = Vec::new();
    for columns in [false, true] {
        for leaf in [true, false] {
            for compiler in [Compiler::Gcc, Compiler::Clang] {
                views.push(View {
                    columns,
                    leaf,
                    compiler,
                    unreadable: 0,
                    file: FileName::Given,
                    only_counters: false,
                });
            }
        }
    }
    views
}

/// Every pair of the first moments of both runs.
fn all_pairs(case: &Case) -> Sample {
    let moments: Vec<Moment> = (0..case.runs.len())
        .flat_map(|run| (0..case.runs[run].len().min(24)).map(move |event| Moment { run, event }))
        .collect();
    let mut sample = Sample::default();
    for (i, &a) in moments.iter().enumerate() {
        for &b in &moments[i + 1..] {
            sample.pairs.push(Pair {
                a,
                b,
                draw: Draw::Uniform,
            });
        }
    }
    sample
}

fn traps() -> Vec<Trap> {
    flow_traps().into_iter().chain(variable_traps()).collect()
}

#[test]
fn the_truth_is_as_measured() {
    for trap in traps() {
        let (case, pairs) = prepare(&trap);
        case.self_check(2_000)
            .unwrap_or_else(|e| panic!("{}: {e}", trap.name));
        for (a, b, allowed) in pairs {
            let truth = case.truth(a, b);
            let expected = match allowed {
                Allowed::Open => truth == Truth::Unsequenced,
                _ => matches!(truth, Truth::Before { .. } | Truth::FallsInto { first: true }),
            };
            assert!(
                expected,
                "{}: {a:?} {b:?} is {truth:?}\n{}",
                trap.name, case.layout.clean
            );
        }
    }
}

#[test]
fn no_trap_catches_hindmost() {
    let command = Command::find().unwrap_or_else(|e| panic!("{e}"));
    let mut missed = Vec::new();
    for trap in traps() {
        let (case, pairs) = prepare(&trap);
        let outcome = judge_case(&case, &command, &all_pairs(&case), &views())
            .unwrap_or_else(|e| panic!("{}: {e}", trap.name));
        if let Some(finding) = outcome.findings.first() {
            panic!(
                "{}: {}\n{}",
                trap.name,
                finding.describe(&case),
                case.layout.clean
            );
        }
        let questions: Vec<Question> = views()
            .into_iter()
            .map(|view| Question {
                view,
                moments: pairs.iter().flat_map(|&(a, b, _)| [a, b]).collect(),
                pairs: (0..pairs.len()).map(|i| (2 * i, 2 * i + 1)).collect(),
            })
            .collect();
        let answers = command
            .judge(&case, &questions)
            .unwrap_or_else(|e| panic!("{}: {e}", trap.name));
        for (question, verdicts) in questions.iter().zip(&answers) {
            for ((a, b, allowed), verdict) in pairs.iter().zip(verdicts) {
                let view = question.view;
                let must = match allowed {
                    Allowed::Must => view.leaf || view.columns,
                    Allowed::MustByColumn => view.columns,
                    Allowed::MustByLeaf => view.leaf,
                    Allowed::May | Allowed::Open => false,
                };
                if must && *verdict != Verdict::Before {
                    let (a, b) = (case.event(*a), case.event(*b));
                    missed.push(format!(
                        "{}: {view:?} {:?} {:?}: {verdict}",
                        trap.name, a.leaf, b.leaf
                    ));
                }
            }
        }
    }
    assert!(
        missed.is_empty(),
        "what must be told was not:\n{}",
        missed.join("\n")
    );
}

/// The rules of the paper walk into most of the traps: else these would be no tests.
#[test]
fn the_rules_of_the_paper_walk_into_the_traps() {
    let mut caught = Vec::new();
    for trap in traps() {
        let (case, _) = prepare(&trap);
        let paper = Paper(MissingVariable::Skip);
        let outcome = judge_case(&case, &paper, &all_pairs(&case), &views()).unwrap();
        if !outcome.findings.is_empty() {
            caught.push(trap.name);
        }
    }
    assert!(
        caught.len() >= 17,
        "only {} traps catch them: {caught:#?}",
        caught.len()
    );
}
