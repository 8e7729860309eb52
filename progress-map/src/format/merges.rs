//! Section `BMRG`: calls that may stand for others, where the compiler kept one copy of what two arms of a branch share.

use super::bytes::number;
use super::columns::{Column, Columns, ColumnsOut};
use crate::error::ReadError;
use crate::{BoundMerge, FunctionId, PointId};
use std::num::NonZeroU64;

const FUNCTION: Column = Column(0);
const SHOWN: Column = Column(1);
const OTHER: Column = Column(2);
const RETURN: Column = Column(3);

pub(crate) fn write_merges(columns: &mut ColumnsOut, merges: &[BoundMerge]) {
    let (mut function, mut shown, mut address) = (0, 0, 0);
    let has_addresses = merges.iter().any(|merge| merge.return_address.is_some());
    for merge in merges {
        columns.at(FUNCTION).near32(function, number(merge.function));
        function = number(merge.function);
        columns.at(SHOWN).near32(shown, number(merge.shown));
        shown = number(merge.shown);
        columns.at(OTHER).near32(shown, number(merge.other));
        if has_addresses {
            let own = merge.return_address.map_or(0, NonZeroU64::get);
            columns.at(RETURN).near64(address, own);
            address = own;
        }
    }
}

pub(crate) fn read_merges(mut columns: Columns<'_>) -> Result<Vec<BoundMerge>, ReadError> {
    let mut merges = Vec::with_capacity(columns.left(FUNCTION));
    let (mut function, mut shown, mut address) = (0, 0, 0);
    let has_addresses = columns.left(RETURN) > 0;
    while columns.left(FUNCTION) > 0 {
        let cursor = columns.at(FUNCTION);
        function = cursor.near32(function)?;
        let of: FunctionId = cursor.id(function)?;
        let cursor = columns.at(SHOWN);
        shown = cursor.near32(shown)?;
        let point: PointId = cursor.id(shown)?;
        let cursor = columns.at(OTHER);
        let other = cursor.near32(shown)?;
        let other: PointId = cursor.id(other)?;
        if has_addresses {
            address = columns.at(RETURN).near64(address)?;
        }
        merges.push(BoundMerge {
            function: of,
            shown: point,
            other,
            return_address: NonZeroU64::new(address),
        });
    }
    columns.finish()?;
    Ok(merges)
}
