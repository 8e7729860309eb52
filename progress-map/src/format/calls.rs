//! Section `BCAL`: what calls passed, where a variable may have to be recovered from it.

use super::columns::Column;
use super::strings::{Sink, Source};
use crate::error::ReadError;
use crate::{BoundCall, Passed};

const RETURN: Column = Column(0);
const CALLEES: Column = Column(1);
const CALLEE: Column = Column(2);
const VALUES: Column = Column(3);
const REGISTER: Column = Column(4);
const EXPRESSION: Column = Column(5);

pub(crate) fn write_calls<'a>(sink: &mut Sink<'a, '_>, calls: &'a [BoundCall]) {
    let (mut address, mut callee) = (0, 0);
    for call in calls {
        sink.columns.at(RETURN).after64(address, call.return_address);
        sink.columns.at(CALLEES).size(call.callees.len());
        for &function in &call.callees {
            sink.columns.at(CALLEE).near32(callee, function);
            callee = function;
        }
        sink.columns.at(VALUES).size(call.passed.len());
        for passed in &call.passed {
            sink.columns.at(REGISTER).byte(passed.register);
            sink.blob(EXPRESSION, &passed.expression);
        }
        address = call.return_address;
    }
}

pub(crate) fn read_calls(mut source: Source<'_, '_>) -> Result<Vec<BoundCall>, ReadError> {
    let mut calls = Vec::with_capacity(source.columns.left(RETURN));
    let (mut address, mut callee) = (0, 0);
    while source.columns.left(RETURN) > 0 {
        address = source.columns.at(RETURN).after64(address)?;
        let count = source.columns.count(CALLEES, CALLEE)?;
        let mut callees = Vec::with_capacity(count);
        for _ in 0..count {
            callee = source.columns.at(CALLEE).near32(callee)?;
            callees.push(callee);
        }
        let count = source.columns.count(VALUES, REGISTER)?;
        let mut passed = Vec::with_capacity(count);
        for _ in 0..count {
            passed.push(Passed {
                register: source.columns.at(REGISTER).byte()?,
                expression: source.blob(EXPRESSION)?,
            });
        }
        calls.push(BoundCall {
            return_address: address,
            callees,
            passed,
        });
    }
    source.columns.finish()?;
    Ok(calls)
}
