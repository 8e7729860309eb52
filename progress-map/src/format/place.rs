//! Rows that begin with a point of a function: the function near that of the row before, and the number of the point.

use super::bytes::number;
use super::columns::{Column, Columns, ColumnsOut};
use crate::error::ReadError;
use crate::{FunctionId, PointId};

/// Where such a point stands.
#[derive(Clone, Copy)]
pub(crate) struct PlaceColumns {
    pub(crate) function: Column,
    pub(crate) point: Column,
}

impl PlaceColumns {
    /// `before` is the function of the row before.
    pub(crate) fn write(
        self,
        columns: &mut ColumnsOut,
        before: &mut u32,
        (function, point): (FunctionId, PointId),
    ) {
        columns.at(self.function).near32(*before, number(function));
        *before = number(function);
        columns.at(self.point).unsigned(u64::from(number(point)));
    }

    pub(crate) fn read(
        self,
        columns: &mut Columns<'_>,
        before: &mut u32,
    ) -> Result<(FunctionId, PointId), ReadError> {
        let cursor = columns.at(self.function);
        *before = cursor.near32(*before)?;
        let function = cursor.id(*before)?;
        let cursor = columns.at(self.point);
        let point = cursor.u32()?;
        Ok((function, cursor.id(point)?))
    }
}
