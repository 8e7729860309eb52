//! Short names for common trees.

use super::{Expr, Lvalue, Op, Stmt, Ty};

/// The value of a variable.
#[must_use]
pub fn var(name: &str) -> Expr {
    Expr::Get(Lvalue::Var(name.to_owned()))
}

/// `name(args)`
#[must_use]
pub fn call(name: &str, args: Vec<Expr>) -> Expr {
    Expr::Call {
        name: name.to_owned(),
        args,
        site: 0,
        spread: false,
    }
}

/// `left op right`
#[must_use]
pub fn bin(op: Op, left: Expr, right: Expr) -> Expr {
    Expr::Bin(op, Box::new(left), Box::new(right))
}

/// `place op= value`
#[must_use]
pub fn update(place: Lvalue, op: Op, value: Expr) -> Expr {
    Expr::Set(place, Some(op), Box::new(value))
}

/// `name = value`
#[must_use]
pub fn assign(name: &str, value: Expr) -> Expr {
    Expr::Set(Lvalue::Var(name.to_owned()), None, Box::new(value))
}

/// `name++`
#[must_use]
pub fn increment(name: &str) -> Expr {
    Expr::Step {
        place: Lvalue::Var(name.to_owned()),
        up: true,
        prefix: false,
    }
}

/// `e;`
#[must_use]
pub fn stmt(expr: Expr) -> Stmt {
    Stmt::Expr(expr, 0)
}

/// `int name = e;`
#[must_use]
pub fn int(name: &str, value: Expr) -> Stmt {
    Stmt::Decl(Ty::Int, name.to_owned(), Some(value), false)
}
