//! Sections `MACR` and `MAYC`: what macros call. Not required: a reader without them orders less, and nothing wrongly.

use super::bytes::number;
use super::columns::Column;
use super::strings::{Sink, Source};
use crate::error::ReadError;
use crate::{FileId, MacroCalls};

const FILE: Column = Column(0);
const NAME: Column = Column(1);
const COUNT: Column = Column(2);
const CALLEE: Column = Column(3);

pub(crate) fn write_macros<'a>(sink: &mut Sink<'a, '_>, macros: &'a [MacroCalls]) {
    let mut before = 0;
    for each in macros {
        sink.columns.at(FILE).near32(before, number(each.file));
        before = number(each.file);
        sink.text(NAME, &each.name);
        sink.columns.at(COUNT).size(each.callees.len());
        for callee in &each.callees {
            sink.text(CALLEE, callee);
        }
    }
}

pub(crate) fn read_macros(mut source: Source<'_, '_>) -> Result<Vec<MacroCalls>, ReadError> {
    let mut macros = Vec::with_capacity(source.columns.left(FILE));
    let mut before = 0;
    while source.columns.left(FILE) > 0 {
        let cursor = source.columns.at(FILE);
        before = cursor.near32(before)?;
        let file: FileId = cursor.id(before)?;
        let name = source.text(NAME)?;
        let count = source.columns.count(COUNT, CALLEE)?;
        let mut callees = Vec::with_capacity(count);
        for _ in 0..count {
            callees.push(source.text(CALLEE)?);
        }
        macros.push(MacroCalls { file, name, callees });
    }
    source.columns.finish()?;
    Ok(macros)
}
