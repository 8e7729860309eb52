//! What the points of a function so far let expect of the next one: its scope and its loop.

use super::bytes::number;
use crate::{Scope, ScopeKind};

/// Where the points so far stood.
///
/// Points come in the order of the text. So a scope is left for one around it or entered for the first time, and the
/// statements of one scope stand in one loop. (They stand in one column as well, but on real code nothing is gained
/// from that over the column of the point before.)
pub(super) struct Habits<'a> {
    scopes: &'a [Scope],
    /// The scope of the point before, and one more than the highest so far.
    scope: u32,
    unseen: u32,
    /// By scope: the loop of the last point there, if there was one. Here and below 0 stands for no loop.
    in_scope: Vec<Option<u32>>,
    innermost_loop: u32,
}

/// How far up the scope tree a code may lead: a bound for the time that a reader takes.
pub(super) const MAX_LEVELS: u64 = 64;

impl<'a> Habits<'a> {
    pub(super) fn new(scopes: &'a [Scope]) -> Self {
        Self {
            scopes,
            scope: 0,
            unseen: 1,
            in_scope: vec![None; scopes.len()],
            innermost_loop: 0,
        }
    }

    /// 0: the scope before; 2k: k levels further out; 2k + 1: the scope k after the first that was not seen yet,
    /// modulo 2^32, which is every other one.
    pub(super) fn scope_code(&self, scope: u32) -> u64 {
        let mut outer = self.scope;
        for level in 0..=MAX_LEVELS {
            if outer == scope {
                return 2 * level;
            }
            match self.parent(outer) {
                Some(parent) => outer = parent,
                None => break,
            }
        }
        2 * u64::from(scope.wrapping_sub(self.unseen)) + 1
    }

    pub(super) fn scope_of_code(&self, code: u64) -> Option<u32> {
        if code & 1 == 1 {
            return Some(self.unseen.wrapping_add(u32::try_from(code >> 1).ok()?));
        }
        if code >> 1 > MAX_LEVELS {
            return None;
        }
        (0..code >> 1).try_fold(self.scope, |scope, _| self.parent(scope))
    }

    fn parent(&self, scope: u32) -> Option<u32> {
        self.scopes.get(scope as usize)?.parent.map(number)
    }

    pub(super) fn enter_scope(&mut self, scope: u32) {
        self.scope = scope;
        self.unseen = self.unseen.max(scope.saturating_add(1));
    }

    pub(super) fn expected_loop(&self) -> u32 {
        let seen = |scope: u32| *self.in_scope.get(scope as usize)?;
        let of_statement = || match self.scopes.get(self.scope as usize)?.kind {
            ScopeKind::Loop(Some(id)) => Some(number(id) + 1),
            _ => None,
        };
        seen(self.scope)
            .or_else(of_statement)
            .or_else(|| seen(self.parent(self.scope)?))
            .unwrap_or(self.innermost_loop)
    }

    pub(super) fn enter_loop(&mut self, innermost_loop: u32) {
        self.innermost_loop = innermost_loop;
        if let Some(habit) = self.in_scope.get_mut(self.scope as usize) {
            *habit = Some(innermost_loop);
        }
    }
}
