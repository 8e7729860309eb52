//! Makes a failing program smaller while it keeps failing.
//!
//! Statements are deleted, or replaced by what is in them, one at a time and biggest first, until no single step keeps
//! the failure. A step that makes the program invalid does not keep it.

use super::ast::{Case, Expr, Program, Stmt};

/// The smallest program that was found for which `fails` still holds; at most `attempts` are tried.
pub fn shrink(program: &Program, attempts: usize, mut fails: impl FnMut(&Program) -> bool) -> Program {
    let mut best = program.clone();
    let mut left = attempts;
    loop {
        let mut progress = false;
        for function in (0..best.functions.len().saturating_sub(1)).rev() {
            let mut smaller = best.clone();
            smaller.functions.remove(function);
            if left > 0 && fails(&smaller) {
                best = smaller;
                progress = true;
            }
            left = left.saturating_sub(1);
        }
        let mut edit = 0;
        while left > 0 {
            let mut smaller = best.clone();
            let mut counter = edit;
            let applied = smaller
                .functions
                .iter_mut()
                .rev()
                .any(|f| apply(&mut f.body, &mut counter));
            if !applied {
                break;
            }
            left -= 1;
            if fails(&smaller) {
                best = smaller;
                progress = true;
            } else {
                edit += 1;
            }
        }
        if !progress || left == 0 {
            return best;
        }
    }
}

/// Applies edit number `counter` below `stmts`; counts down past those that come before it.
fn apply(stmts: &mut Vec<Stmt>, counter: &mut usize) -> bool {
    for index in 0..stmts.len() {
        if hit(counter) {
            stmts.remove(index);
            return true;
        }
        let contents = contents(&stmts[index]);
        for inner in contents {
            if hit(counter) {
                stmts.splice(index..=index, inner);
                return true;
            }
        }
        if within(&mut stmts[index], counter) {
            return true;
        }
    }
    false
}

fn hit(counter: &mut usize) -> bool {
    if *counter == 0 {
        return true;
    }
    *counter -= 1;
    false
}

/// What a statement can be replaced by.
fn contents(stmt: &Stmt) -> Vec<Vec<Stmt>> {
    match stmt {
        Stmt::If(cond, yes, no) => {
            let only_cond = vec![Stmt::Expr(cond.clone(), 0)];
            [Some(yes.clone()), no.clone(), Some(only_cond)]
                .into_iter()
                .flatten()
                .collect()
        }
        Stmt::While(_, body)
        | Stmt::Do(body, _)
        | Stmt::ForMacro(_, _, body)
        | Stmt::Again(_, body, _)
        | Stmt::Until(_, body)
        | Stmt::Block(body)
        | Stmt::OneLine(body)
        | Stmt::Macro(_, body) => vec![body.clone()],
        Stmt::For(parts) => vec![parts.body.clone()],
        Stmt::Switch(_, cases) => cases.iter().map(|case| case.body.clone()).collect(),
        Stmt::TwoEntries(parts) => vec![parts.first.clone(), parts.second.clone()],
        Stmt::Expr(e, _) => parts_of(e).into_iter().map(|e| vec![Stmt::Expr(e, 0)]).collect(),
        _ => Vec::new(),
    }
}

/// The calls in an expression, which may be all that matters of it.
fn parts_of(e: &Expr) -> Vec<Expr> {
    match e {
        Expr::Bin(_, a, b) | Expr::Logic(_, a, b) | Expr::Comma(a, b) => vec![(**a).clone(), (**b).clone()],
        Expr::Choose(_, a, b) => vec![(**a).clone(), (**b).clone()],
        Expr::Call { args, .. } => args.iter().filter(|arg| arg.has_call()).cloned().collect(),
        _ => Vec::new(),
    }
}

fn within(stmt: &mut Stmt, counter: &mut usize) -> bool {
    match stmt {
        Stmt::If(_, yes, no) => {
            if no.is_some() && hit(counter) {
                *no = None;
                return true;
            }
            apply(yes, counter) || no.as_mut().is_some_and(|no| apply(no, counter))
        }
        Stmt::While(_, body)
        | Stmt::Do(body, _)
        | Stmt::ForMacro(_, _, body)
        | Stmt::Again(_, body, _)
        | Stmt::Until(_, body)
        | Stmt::Block(body)
        | Stmt::OneLine(body)
        | Stmt::Macro(_, body) => apply(body, counter),
        Stmt::For(parts) => apply(&mut parts.body, counter),
        Stmt::Switch(_, cases) => cases.iter_mut().any(|Case { body, .. }| apply(body, counter)),
        Stmt::TwoEntries(parts) => apply(&mut parts.first, counter) || apply(&mut parts.second, counter),
        _ => false,
    }
}
