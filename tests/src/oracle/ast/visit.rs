//! One walk over a tree for everybody.

use super::{Expr, ForInit, Stmt};

/// What a visitor sees.
pub enum Part<'a> {
    /// A statement, before its parts.
    Stmt(&'a mut Stmt),
    /// An expression, before its parts.
    Expr(&'a mut Expr),
}

/// Calls `see` for every statement and expression below `stmts`, parents first.
pub fn visit_stmts(stmts: &mut [Stmt], see: &mut dyn FnMut(Part<'_>)) {
    for stmt in stmts {
        see(Part::Stmt(stmt));
        match stmt {
            Stmt::Expr(e, _) | Stmt::Decl(_, _, Some(e), _) | Stmt::Return(Some(e)) => visit_expr(e, see),
            Stmt::If(c, yes, no) => {
                visit_expr(c, see);
                visit_stmts(yes, see);
                visit_stmts(no.as_deref_mut().unwrap_or_default(), see);
            }
            Stmt::While(c, body) | Stmt::ForMacro(_, c, body) => {
                visit_expr(c, see);
                visit_stmts(body, see);
            }
            Stmt::Do(body, c) | Stmt::Again(_, body, c) => {
                visit_stmts(body, see);
                visit_expr(c, see);
            }
            Stmt::For(parts) => {
                match &mut parts.init {
                    Some(ForInit::Decl(_, _, e) | ForInit::Expr(e)) => visit_expr(e, see),
                    None => {}
                }
                for e in parts.cond.iter_mut().chain(&mut parts.step) {
                    visit_expr(e, see);
                }
                visit_stmts(&mut parts.body, see);
            }
            Stmt::Switch(value, cases) => {
                visit_expr(value, see);
                for case in cases {
                    visit_stmts(&mut case.body, see);
                }
            }
            Stmt::TwoEntries(parts) => {
                visit_expr(&mut parts.enter, see);
                visit_stmts(&mut parts.first, see);
                visit_stmts(&mut parts.second, see);
                visit_expr(&mut parts.again, see);
            }
            Stmt::Until(_, body) | Stmt::Block(body) | Stmt::OneLine(body) | Stmt::Macro(_, body) => {
                visit_stmts(body, see);
            }
            Stmt::Decl(..)
            | Stmt::Return(None)
            | Stmt::Break
            | Stmt::Continue
            | Stmt::GotoAgain(_)
            | Stmt::GotoEnd(_)
            | Stmt::AddMacro(..) => {}
        }
    }
}

fn visit_expr(expr: &mut Expr, see: &mut dyn FnMut(Part<'_>)) {
    see(Part::Expr(expr));
    match expr {
        Expr::Not(e) | Expr::Set(_, _, e) => visit_expr(e, see),
        Expr::Bin(_, a, b) | Expr::Logic(_, a, b) | Expr::Comma(a, b) => {
            visit_expr(a, see);
            visit_expr(b, see);
        }
        Expr::Choose(c, a, b) => {
            visit_expr(c, see);
            visit_expr(a, see);
            visit_expr(b, see);
        }
        Expr::Call { args, .. } => {
            for arg in args {
                visit_expr(arg, see);
            }
        }
        Expr::Int(_) | Expr::Real(..) | Expr::Get(_) | Expr::Addr(_) | Expr::Word(_) | Expr::Step { .. } => {}
    }
}
