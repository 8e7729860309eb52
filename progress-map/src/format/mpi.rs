//! Section `MPIC`: what the source gives to MPI calls. Not required: a reader without it loses nothing of the order.

use super::bytes::number;
use super::columns::Column;
use super::lovs::{read_term, write_term};
use super::strings::{Sink, Source};
use crate::error::ReadError;
use crate::{Function, FunctionId, MpiArgument, MpiCall};
use base::{IdVec, Span};

const FUNCTION: Column = Column(0);
const POINT: Column = Column(1);
const ARGUMENTS: Column = Column(2);
const INDEX: Column = Column(3);
const TEXT: Column = Column(4);
const SETTLED: Column = Column(5);

pub(crate) fn write_calls<'a>(
    sink: &mut Sink<'a, '_>,
    functions: &IdVec<FunctionId, Function>,
    calls: &'a [MpiCall],
) {
    let mut before = 0;
    for call in calls {
        // A call of a function that the map does not hold is for the reader to refuse.
        let span = functions
            .get(call.function)
            .map_or_else(Span::default, |f| f.span);
        sink.columns.at(FUNCTION).near32(before, number(call.function));
        before = number(call.function);
        sink.columns.at(POINT).unsigned(u64::from(number(call.point)));
        sink.columns.at(ARGUMENTS).size(call.arguments.len());
        for argument in &call.arguments {
            sink.columns.at(INDEX).byte(argument.index);
            sink.text(TEXT, &argument.text);
            write_term(sink, span, argument.term.as_ref());
            sink.columns.at(SETTLED).byte(u8::from(argument.settled));
        }
    }
}

/// `lines` gives where each function stands.
pub(crate) fn read_calls(
    mut source: Source<'_, '_>,
    span: &dyn Fn(FunctionId) -> Option<Span>,
) -> Result<Vec<MpiCall>, ReadError> {
    let mut calls = Vec::with_capacity(source.columns.left(FUNCTION));
    let mut before = 0;
    while source.columns.left(FUNCTION) > 0 {
        let cursor = source.columns.at(FUNCTION);
        before = cursor.near32(before)?;
        let function: FunctionId = cursor.id(before)?;
        let span = span(function).ok_or_else(|| cursor.malformed("there is no function of this number"))?;
        let cursor = source.columns.at(POINT);
        let point = cursor.u32()?;
        let point = cursor.id(point)?;
        let count = source.columns.count(ARGUMENTS, INDEX)?;
        let mut arguments = Vec::with_capacity(count);
        for _ in 0..count {
            arguments.push(MpiArgument {
                index: source.columns.at(INDEX).byte()?,
                text: source.text(TEXT)?,
                term: read_term(&mut source, span, 0)?,
                settled: match source.columns.at(SETTLED).byte()? {
                    0 => false,
                    1 => true,
                    _ => return Err(source.columns.at(SETTLED).malformed("neither 0 nor 1")),
                },
            });
        }
        calls.push(MpiCall {
            function,
            point,
            arguments,
        });
    }
    source.columns.finish()?;
    Ok(calls)
}
