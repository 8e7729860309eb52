//! Section `BODY`: the scopes of a function, next to the lines of their parents.

use super::bytes::number;
use super::columns::Column;
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
    for (id, scope) in function.scopes.iter_enumerated() {
        let out = &mut sink.columns;
        out.at(KIND).byte(match scope.kind {
            ScopeKind::Function => KIND_FUNCTION,
            ScopeKind::Block => KIND_BLOCK,
            ScopeKind::Loop(Some(_)) => KIND_LOOP,
            ScopeKind::Loop(None) => KIND_NO_LOOP,
            ScopeKind::Branch => KIND_BRANCH,
            ScopeKind::Arm(_) => KIND_ARM,
        });
        match scope.kind {
            ScopeKind::Loop(Some(id)) => out.at(DETAIL).size(id.index()),
            ScopeKind::Arm(arm) => out.at(DETAIL).unsigned(u64::from(arm)),
            _ => {}
        }
        out.at(PARENT).parent(number(id), scope.parent.map(number));
        let earlier = &function.scopes.as_slice()[..id.index()];
        let line = line_of_parent(earlier, scope.parent, function.span);
        out.at(LINE).near32(line, scope.line);
        out.at(END).after32(scope.line, scope.end_line);
    }
}

pub(crate) fn read_scopes(
    source: &mut Source<'_, '_>,
    function: Span,
    count: usize,
) -> Result<IdVec<ScopeId, Scope>, ReadError> {
    let columns = &mut source.columns;
    let mut scopes = Vec::with_capacity(count);
    for id in 0..count as u32 {
        let kind = match columns.at(KIND).byte()? {
            KIND_FUNCTION => ScopeKind::Function,
            KIND_BLOCK => ScopeKind::Block,
            KIND_LOOP => {
                let cursor = columns.at(DETAIL);
                let id = cursor.u32()?;
                ScopeKind::Loop(Some(cursor.id(id)?))
            }
            KIND_NO_LOOP => ScopeKind::Loop(None),
            KIND_BRANCH => ScopeKind::Branch,
            KIND_ARM => ScopeKind::Arm(columns.at(DETAIL).u32()?),
            _ => return Err(columns.at(KIND).malformed("no such kind of scope")),
        };
        let cursor = columns.at(PARENT);
        let parent = match cursor.parent(id)? {
            None => None,
            Some(parent) => Some(cursor.id(parent)?),
        };
        let line = line_of_parent(&scopes, parent, function);
        let line = columns.at(LINE).near32(line)?;
        let end_line = columns.at(END).after32(line)?;
        scopes.push(Scope {
            parent,
            kind,
            line,
            end_line,
        });
    }
    Ok(scopes.into())
}

/// The line next to which a scope's own is written. A parent that is not before the child counts as none, on both
/// sides: the map is invalid then, but its bytes must still say so.
fn line_of_parent(scopes: &[Scope], parent: Option<ScopeId>, function: Span) -> u32 {
    parent
        .and_then(|parent| scopes.get(parent.index()))
        .map_or(function.line, |scope| scope.line)
}
