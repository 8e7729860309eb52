//! The C subset in which the oracle writes, runs and shrinks programs.
//!
//! The tree is the only thing that the oracle knows of a program: the text for the analysis, the events and the truth
//! are three readings of it that share no code. It is no subset of `ir` on purpose: an error in how the analysis reads C
//! must not hide behind the same error here.

use std::collections::BTreeSet;
use std::fmt;

mod make;
mod visit;

pub use make::{assign, bin, call, increment, int, stmt, update, var};
pub use visit::{Part, visit_stmts};

/// A translation unit: macros and declarations are implied, `main` is the last function.
#[derive(Clone, Debug)]
pub struct Program {
    /// File-scope variables, with their initial values.
    pub globals: Vec<Global>,
    /// Functions, callees before callers.
    pub functions: Vec<Function>,
}

/// A file-scope variable.
#[derive(Clone, Debug)]
pub struct Global {
    /// Its name.
    pub name: String,
    /// Its type.
    pub ty: Ty,
    /// Its initial value; members of a structure start as zero.
    pub init: i64,
    /// `static`: external functions cannot change it.
    pub is_static: bool,
}

/// A function with a body.
#[derive(Clone, Debug)]
pub struct Function {
    /// Its name.
    pub name: String,
    /// Its parameters.
    pub params: Vec<(String, Ty)>,
    /// Whether it returns an `int`; otherwise nothing.
    pub returns: bool,
    /// Its statements.
    pub body: Vec<Stmt>,
}

/// A type.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Ty {
    /// `int`
    Int,
    /// `long`
    Long,
    /// `unsigned`
    Unsigned,
    /// `size_t`
    Size,
    /// `unsigned char`
    Byte,
    /// `float`
    Float,
    /// `double`
    Double,
    /// `int *`
    IntPtr,
    /// `struct state`, whose members are [`MEMBERS`].
    Struct,
    /// `struct state *`
    StructPtr,
    /// `int [n]`
    Array(u8),
    /// `int (*)(int, int)`
    Function,
}

/// The members of `struct state`.
pub const MEMBERS: [(&str, Ty); 3] = [("step", Ty::Int), ("count", Ty::Int), ("time", Ty::Double)];

/// Something with an address.
#[derive(Clone, Debug, PartialEq)]
pub enum Lvalue {
    /// `x`
    Var(String),
    /// `x.member`
    Dot(String, &'static str),
    /// `x->member`
    Arrow(String, &'static str),
    /// `*x`
    Deref(String),
}

/// An operator with two operands that are evaluated in an unspecified order.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[allow(missing_docs, reason = "the names are the operators")]
pub enum Op {
    Add,
    Sub,
    Mul,
    Div,
    Rem,
    Shl,
    And,
    Lt,
    Le,
    Gt,
    Ge,
    Eq,
    Ne,
}

/// An expression.
#[derive(Clone, Debug, PartialEq)]
pub enum Expr {
    /// An integer constant.
    Int(i64),
    /// A floating-point constant, of type `float` when the flag is set.
    Real(f64, bool),
    /// The value of a place; an array's is its address.
    Get(Lvalue),
    /// `&place`
    Addr(Lvalue),
    /// A name of `<mpi.h>` that is only passed on, or a function whose address is taken.
    Word(&'static str),
    /// `!e`
    Not(Box<Expr>),
    /// `a op b`
    Bin(Op, Box<Expr>, Box<Expr>),
    /// `a && b`, or `a || b` when the flag is not set. The layout may break the line before `b`.
    Logic(bool, Box<Expr>, Box<Expr>),
    /// `c ? a : b`
    Choose(Box<Expr>, Box<Expr>, Box<Expr>),
    /// `a, b`
    Comma(Box<Expr>, Box<Expr>),
    /// `place = e`, or `place op= e`
    Set(Lvalue, Option<Op>, Box<Expr>),
    /// `place++`, `++place`, `place--`, `--place`
    Step {
        /// What is changed.
        place: Lvalue,
        /// `++` rather than `--`.
        up: bool,
        /// The new value is the result.
        prefix: bool,
    },
    /// `f(args)`: a function of the program, what a pointer to one points to, or else an external function, which is
    /// where a task can be stopped.
    Call {
        /// The name.
        name: String,
        /// The arguments, evaluated in an unspecified order.
        args: Vec<Expr>,
        /// Numbered by [`Program::number`].
        site: usize,
        /// The layout puts every argument after the first on a line of its own.
        spread: bool,
    },
}

/// A statement.
#[derive(Clone, Debug, PartialEq)]
pub enum Stmt {
    /// `e;` with the number that [`Program::number`] gave it: without a call in it, a task can be stopped here.
    Expr(Expr, usize),
    /// `ty name = e;`, `static` when the flag is set; arrays have no initialiser.
    Decl(Ty, String, Option<Expr>, bool),
    /// `if (c) { … } else { … }`
    If(Expr, Vec<Stmt>, Option<Vec<Stmt>>),
    /// `while (c) { … }`
    While(Expr, Vec<Stmt>),
    /// `do { … } while (c);`
    Do(Vec<Stmt>, Expr),
    /// `for (…; …; …) { … }`
    For(Box<For>),
    /// `FOR_UP(i, n) { … }`, a macro for `for (int i = 0; i < (n); i++)`.
    ForMacro(String, Expr, Vec<Stmt>),
    /// `switch (v) { case 0: … }`; the last case is `default`.
    Switch(Expr, Vec<Case>),
    /// `break;`
    Break,
    /// `continue;`
    Continue,
    /// `return e;`
    Return(Option<Expr>),
    /// `name: { … } if (c) goto name;`
    Again(String, Vec<Stmt>, Expr),
    /// `goto name;` back to the start of the [`Stmt::Again`] of that name, from inside it.
    GotoAgain(String),
    /// `{ … } name: ;`
    Until(String, Vec<Stmt>),
    /// `goto name;` to the end of the [`Stmt::Until`] of that name, from inside it.
    GotoEnd(String),
    /// `if (c) goto mid; top: { a } mid: { b } if (d) goto top;`: a loop with two entries.
    TwoEntries(Box<TwoEntries>),
    /// `{ … }`
    Block(Vec<Stmt>),
    /// The statements on one line.
    OneLine(Vec<Stmt>),
    /// `DO(…);` or `TWICE(…);`, macros for `do { … } while (0)` and for the statements two times.
    Macro(bool, Vec<Stmt>),
    /// `ADD(x, k);`, a macro for `do { (x) += (k); } while (0)`
    AddMacro(String, i64, usize),
}

/// The parts of a `for` statement.
#[derive(Clone, Debug, PartialEq)]
pub struct For {
    /// `int i = e`, or an expression, or nothing.
    pub init: Option<ForInit>,
    /// The condition, or nothing.
    pub cond: Option<Expr>,
    /// The step, or nothing.
    pub step: Option<Expr>,
    /// The statements.
    pub body: Vec<Stmt>,
    /// The layout puts each part on a line of its own.
    pub spread: bool,
    /// Where a task can be stopped in the first part when that has no call: its variable still has its old value.
    pub init_site: usize,
    /// Where a task can be stopped in the step when that has no call.
    pub step_site: usize,
}

/// The first part of a `for` statement.
#[derive(Clone, Debug, PartialEq)]
pub enum ForInit {
    /// `ty name = e`
    Decl(Ty, String, Expr),
    /// An expression.
    Expr(Expr),
}

/// One label of a `switch` with the statements up to the next.
#[derive(Clone, Debug, PartialEq)]
pub struct Case {
    /// The statements, without the `break`.
    pub body: Vec<Stmt>,
    /// No `break` at the end.
    pub falls: bool,
}

/// A loop that is entered in two places.
#[derive(Clone, Debug, PartialEq)]
pub struct TwoEntries {
    /// Makes the two labels unique.
    pub name: String,
    /// Enter in the middle?
    pub enter: Expr,
    /// From the first label to the second.
    pub first: Vec<Stmt>,
    /// From the second label on.
    pub second: Vec<Stmt>,
    /// Once more?
    pub again: Expr,
}

impl Program {
    /// Numbers every call and every statement where a task can be stopped, in tree order, from 1; returns how many.
    pub fn number(&mut self) -> usize {
        let mut next = 1;
        for function in &mut self.functions {
            visit_stmts(&mut function.body, &mut |part| {
                let site = match part {
                    Part::Expr(Expr::Call { site, .. }) => site,
                    Part::Stmt(Stmt::Expr(_, site) | Stmt::AddMacro(_, _, site)) => site,
                    Part::Stmt(Stmt::For(parts)) => {
                        parts.init_site = next;
                        next += 1;
                        &mut parts.step_site
                    }
                    _ => return,
                };
                *site = next;
                next += 1;
            });
        }
        next
    }

    /// The names, as a debugger shows them, of what changes after its declaration: by an assignment, or through its
    /// address.
    #[must_use]
    pub fn counters(&self) -> BTreeSet<String> {
        let mut names = BTreeSet::new();
        let is_global = |place: &Lvalue| matches!(place, Lvalue::Var(name) if self.globals.iter().any(|g| g.name == *name));
        for function in &self.functions {
            // The walk is made for changing trees; this one is read only.
            visit_stmts(&mut function.body.clone(), &mut |part| match part {
                Part::Expr(Expr::Set(place, ..) | Expr::Step { place, .. }) => {
                    names.insert(place.to_string());
                }
                Part::Expr(Expr::Addr(place)) if !is_global(place) => {
                    names.insert(place.to_string());
                }
                Part::Stmt(Stmt::ForMacro(name, ..) | Stmt::AddMacro(name, ..)) => {
                    names.insert(name.clone());
                }
                _ => {}
            });
        }
        names
    }
}

impl fmt::Display for Lvalue {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Lvalue::Var(name) => f.write_str(name),
            Lvalue::Dot(name, member) => write!(f, "{name}.{member}"),
            Lvalue::Arrow(name, member) => write!(f, "{name}->{member}"),
            Lvalue::Deref(name) => write!(f, "*{name}"),
        }
    }
}

impl Expr {
    /// Whether a call occurs in the expression.
    #[must_use]
    pub fn has_call(&self) -> bool {
        match self {
            Expr::Call { .. } => true,
            Expr::Int(_)
            | Expr::Real(..)
            | Expr::Get(_)
            | Expr::Addr(_)
            | Expr::Word(_)
            | Expr::Step { .. } => false,
            Expr::Not(e) | Expr::Set(_, _, e) => e.has_call(),
            Expr::Bin(_, a, b) | Expr::Logic(_, a, b) | Expr::Comma(a, b) => a.has_call() || b.has_call(),
            Expr::Choose(c, a, b) => c.has_call() || a.has_call() || b.has_call(),
        }
    }
}
