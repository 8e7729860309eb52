//! Section `BODY`: why a variable orders its loop, and as what.

use super::columns::Column;
use super::refusals::{NAME, Reasons};
use super::strings::{Sink, Source};
use crate::error::ReadError;
use crate::{Grounds, Moves, Provenance, ProvenanceKind};

const MOVES: Column = Column(62);
const PROVENANCE: Column = Column(63);
const UNSEEN: Column = Column(56);

const NO_PROVENANCE: u8 = 0;
const KEPT: u8 = 1;
/// The first of [`ProvenanceKind::ALL`].
const FIRST_KIND: u8 = 2;

pub(super) fn write_grounds<'a>(sink: &mut Sink<'a, '_>, reasons: &mut Reasons, grounds: &'a Grounds) {
    sink.columns.at(MOVES).one_of(Moves::ALL, grounds.moves);
    let code = match &grounds.provenance {
        None => NO_PROVENANCE,
        Some(Provenance::Kept(how)) => {
            reasons.write_interference(sink, how);
            KEPT
        }
        Some(Provenance::From {
            kind,
            variable,
            function,
            line,
        }) => {
            let about = kind.is_about();
            if about.variable {
                sink.text(NAME, variable);
            }
            if about.function {
                sink.text(NAME, function);
            }
            if about.line {
                reasons.write_line(sink, *line);
            }
            FIRST_KIND + super::bytes::place(ProvenanceKind::ALL, *kind)
        }
    };
    sink.columns.at(PROVENANCE).byte(code);
    sink.columns.at(UNSEEN).byte(u8::from(grounds.unseen.is_some()));
    if let Some(how) = &grounds.unseen {
        reasons.write_interference(sink, how);
    }
}

pub(super) fn read_grounds(source: &mut Source<'_, '_>, reasons: &mut Reasons) -> Result<Grounds, ReadError> {
    let moves = source
        .columns
        .at(MOVES)
        .one_of(Moves::ALL, "no such way to move")?;
    let provenance = match source.columns.at(PROVENANCE).byte()? {
        NO_PROVENANCE => None,
        KEPT => Some(Provenance::Kept(reasons.read_interference(source)?)),
        code => {
            let Some(&kind) = ProvenanceKind::ALL.get(usize::from(code - FIRST_KIND)) else {
                return Err(source.columns.at(PROVENANCE).malformed("no such provenance"));
            };
            let about = kind.is_about();
            let mut name = |is_there: bool| {
                if is_there {
                    source.text(NAME)
                } else {
                    Ok(String::new())
                }
            };
            Some(Provenance::From {
                kind,
                variable: name(about.variable)?,
                function: name(about.function)?,
                line: if about.line { reasons.read_line(source)? } else { 0 },
            })
        }
    };
    let unseen = match source.columns.at(UNSEEN).byte()? {
        0 => None,
        1 => Some(reasons.read_interference(source)?),
        _ => return Err(source.columns.at(UNSEEN).malformed("neither 0 nor 1")),
    };
    Ok(Grounds {
        moves,
        provenance,
        unseen,
    })
}
