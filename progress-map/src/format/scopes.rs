//! Section `BODY`: the scopes of a function, next to the lines of their parents.

use super::bytes::number;
use super::columns::Column;
use super::habits::MAX_LEVELS;
use super::strings::{Sink, Source};
use crate::error::ReadError;
use crate::{Function, Scope, ScopeId, ScopeKind};
use base::{Id, IdVec, Span};

pub(super) const KIND: Column = Column(14);
const PARENT: Column = Column(15);
const LINE: Column = Column(16);
const END: Column = Column(17);
const DETAIL: Column = Column(18);

const KIND_FUNCTION: u8 = 0;
const KIND_BLOCK: u8 = 1;
const KIND_LOOP: u8 = 2;
const KIND_BRANCH: u8 = 3;
const KIND_ARM: u8 = 4;
/// A loop statement that never repeats.
const KIND_NO_LOOP: u8 = 5;

pub(crate) fn write_scopes(sink: &mut Sink<'_, '_>, function: &Function) {
    let mut habits = Habits::new(function.span, function.scopes.len());
    for (id, scope) in function.scopes.iter_enumerated() {
        let out = &mut sink.columns;
        let earlier = &function.scopes.as_slice()[..id.index()];
        let parent = scope.parent.map(number);
        out.at(KIND).byte(match scope.kind {
            ScopeKind::Function => KIND_FUNCTION,
            ScopeKind::Block => KIND_BLOCK,
            ScopeKind::Loop(Some(_)) => KIND_LOOP,
            ScopeKind::Loop(None) => KIND_NO_LOOP,
            ScopeKind::Branch => KIND_BRANCH,
            ScopeKind::Arm(_) => KIND_ARM,
        });
        out.at(PARENT).unsigned(parent_code(earlier, parent));
        let expected = habits.expect(earlier, parent);
        match scope.kind {
            ScopeKind::Loop(Some(id)) => out.at(DETAIL).near32(expected.next_loop, number(id)),
            ScopeKind::Arm(arm) => out.at(DETAIL).near32(expected.next_arm, arm),
            _ => {}
        }
        out.at(LINE).near32(expected.line, scope.line);
        out.at(END).unsigned(if scope.end_line == expected.end_line {
            0
        } else {
            u64::from(scope.end_line.wrapping_sub(scope.line)) + 1
        });
        habits.enter(parent, scope);
    }
}

pub(crate) fn read_scopes(
    source: &mut Source<'_, '_>,
    function: Span,
    count: usize,
) -> Result<IdVec<ScopeId, Scope>, ReadError> {
    let columns = &mut source.columns;
    let mut habits = Habits::new(function, count);
    let mut scopes = Vec::with_capacity(count);
    for _ in 0..count {
        let kind = columns.at(KIND).byte()?;
        let cursor = columns.at(PARENT);
        let code = cursor.unsigned()?;
        let parent = parent_of_code(&scopes, code).ok_or_else(|| cursor.malformed("no such scope"))?;
        let expected = habits.expect(&scopes, parent);
        let cursor = columns.at(DETAIL);
        let kind = match kind {
            KIND_FUNCTION => ScopeKind::Function,
            KIND_BLOCK => ScopeKind::Block,
            KIND_LOOP => {
                let id = cursor.near32(expected.next_loop)?;
                ScopeKind::Loop(Some(cursor.id(id)?))
            }
            KIND_NO_LOOP => ScopeKind::Loop(None),
            KIND_BRANCH => ScopeKind::Branch,
            KIND_ARM => ScopeKind::Arm(cursor.near32(expected.next_arm)?),
            _ => return Err(columns.at(KIND).malformed("no such kind of scope")),
        };
        let line = columns.at(LINE).near32(expected.line)?;
        let end_line = match columns.at(END).option()? {
            None => expected.end_line,
            Some(lines) => line.wrapping_add(lines),
        };
        let scope = Scope {
            parent: match parent {
                None => None,
                Some(parent) => Some(columns.at(PARENT).id(parent)?),
            },
            kind,
            line,
            end_line,
        };
        habits.enter(parent, &scope);
        scopes.push(scope);
    }
    Ok(scopes.into())
}

/// 0: none; 2k + 1: the scope k levels out from the one before; 2k: the scope k before this one, modulo 2^32, which
/// is every scope.
fn parent_code(earlier: &[Scope], parent: Option<u32>) -> u64 {
    let Some(parent) = parent else { return 0 };
    let index = earlier.len() as u32;
    let mut outer = index.checked_sub(1);
    for level in 0..=MAX_LEVELS {
        match outer {
            Some(scope) if scope == parent => return 2 * level + 1,
            Some(scope) => outer = parent_of(earlier, scope),
            None => break,
        }
    }
    2 * (u64::from(index.wrapping_sub(parent).wrapping_sub(1)) + 1)
}

fn parent_of_code(earlier: &[Scope], code: u64) -> Option<Option<u32>> {
    let index = earlier.len() as u32;
    if code == 0 {
        return Some(None);
    }
    if code & 1 == 0 {
        let distance = u32::try_from((code >> 1) - 1).ok()?;
        return Some(Some(index.wrapping_sub(distance).wrapping_sub(1)));
    }
    if code >> 1 > MAX_LEVELS {
        return None;
    }
    let before = index.checked_sub(1)?;
    let outer = (0..code >> 1).try_fold(before, |scope, _| parent_of(earlier, scope))?;
    Some(Some(outer))
}

fn parent_of(scopes: &[Scope], scope: u32) -> Option<u32> {
    scopes.get(scope as usize)?.parent.map(number)
}

/// What the scopes of a function so far let expect of the next one: it begins where its sibling ended, or with its
/// parent, and often ends with its parent; arms and loops are numbered in order.
struct Habits {
    function: Span,
    next_loop: u32,
    /// By parent: where its last child ended, if it has one, and the number of its next arm.
    children: Vec<(Option<u32>, u32)>,
}

struct Expected {
    line: u32,
    end_line: u32,
    next_loop: u32,
    next_arm: u32,
}

impl Habits {
    fn new(function: Span, scopes: usize) -> Self {
        Self {
            function,
            next_loop: 0,
            children: vec![(None, 0); scopes],
        }
    }

    /// A parent that is not among the earlier scopes counts as none, on both sides: the map is invalid then, but its
    /// bytes must still say so.
    fn expect(&self, earlier: &[Scope], parent: Option<u32>) -> Expected {
        let next_loop = self.next_loop;
        let Some((index, scope)) = parent.and_then(|p| Some((p as usize, earlier.get(p as usize)?))) else {
            return Expected {
                line: self.function.line,
                end_line: self.function.end_line,
                next_loop,
                next_arm: 0,
            };
        };
        let (sibling_end, next_arm) = self.children[index];
        Expected {
            line: sibling_end.unwrap_or(scope.line),
            end_line: scope.end_line,
            next_loop,
            next_arm,
        }
    }

    fn enter(&mut self, parent: Option<u32>, scope: &Scope) {
        let siblings = parent.and_then(|parent| self.children.get_mut(parent as usize));
        let mut none = (None, 0);
        let (sibling_end, next_arm) = siblings.unwrap_or(&mut none);
        *sibling_end = Some(scope.end_line);
        match scope.kind {
            ScopeKind::Loop(Some(id)) => self.next_loop = number(id) + 1,
            ScopeKind::Arm(arm) => *next_arm = arm.wrapping_add(1),
            _ => {}
        }
    }
}
