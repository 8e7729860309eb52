//! The line of every part of a program.
//!
//! Parts of a tree have no numbers of their own: they are known by where they are in memory. So the lines belong to the
//! very tree that was laid out, as long as it is not changed; a clone of it has none.

use crate::oracle::ast::{Expr, Global, Stmt};
use std::collections::BTreeMap;

/// The lines on which statements, expressions and globals begin.
#[derive(Clone, Debug, Default)]
pub struct Lines {
    stmts: BTreeMap<usize, u32>,
    exprs: BTreeMap<usize, u32>,
    globals: BTreeMap<usize, u32>,
}

fn identity<T>(part: &T) -> usize {
    std::ptr::from_ref(part).addr()
}

impl Lines {
    pub(super) fn stmt(&mut self, stmt: &Stmt, line: u32) {
        self.stmts.insert(identity(stmt), line);
    }

    pub(super) fn expr(&mut self, e: &Expr, line: u32) {
        self.exprs.insert(identity(e), line);
    }

    pub(super) fn global(&mut self, global: &Global, line: u32) {
        self.globals.insert(identity(global), line);
    }

    /// The line of a statement.
    #[must_use]
    pub fn of_stmt(&self, stmt: &Stmt) -> Option<u32> {
        self.stmts.get(&identity(stmt)).copied()
    }

    /// The line of an expression.
    #[must_use]
    pub fn of_expr(&self, e: &Expr) -> Option<u32> {
        self.exprs.get(&identity(e)).copied()
    }

    /// The line of a global.
    #[must_use]
    pub fn of_global(&self, global: &Global) -> Option<u32> {
        self.globals.get(&identity(global)).copied()
    }
}
