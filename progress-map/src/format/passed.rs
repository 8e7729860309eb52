//! Section `BMPI`: what calls of MPI functions passed.

use super::columns::Column;
use super::strings::{Sink, Source};
use crate::error::ReadError;
use crate::{BoundMpiCall, PassedArgument};

const RETURN: Column = Column(0);
const COUNT: Column = Column(1);
const INDEX: Column = Column(2);
const EXPRESSION: Column = Column(3);

pub(crate) fn write_passed<'a>(sink: &mut Sink<'a, '_>, calls: &'a [BoundMpiCall]) {
    let mut address = 0;
    for call in calls {
        sink.columns.at(RETURN).after64(address, call.return_address);
        sink.columns.at(COUNT).size(call.arguments.len());
        for argument in &call.arguments {
            sink.columns.at(INDEX).byte(argument.index);
            sink.blob(EXPRESSION, &argument.expression);
        }
        address = call.return_address;
    }
}

pub(crate) fn read_passed(mut source: Source<'_, '_>) -> Result<Vec<BoundMpiCall>, ReadError> {
    let mut calls = Vec::with_capacity(source.columns.left(RETURN));
    let mut address = 0;
    while source.columns.left(RETURN) > 0 {
        address = source.columns.at(RETURN).after64(address)?;
        let count = source.columns.count(COUNT, INDEX)?;
        let mut arguments = Vec::with_capacity(count);
        for _ in 0..count {
            arguments.push(PassedArgument {
                index: source.columns.at(INDEX).byte()?,
                expression: source.blob(EXPRESSION)?,
            });
        }
        calls.push(BoundMpiCall {
            return_address: address,
            arguments,
        });
    }
    source.columns.finish()?;
    Ok(calls)
}
