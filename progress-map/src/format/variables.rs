//! Section `BVAR`: where the listed variables live.

use super::bytes::number;
use super::columns::Column;
use super::strings::{Sink, Source};
use crate::error::ReadError;
use crate::{Binding, BoundVariable, Encoding, FunctionInstance, LocationRange, PathStep};

const INSTANCE_KIND: Column = Column(0);
const INSTANCE: Column = Column(1);
const NAME: Column = Column(2);
const SCOPES: Column = Column(3);
const SCOPE_START: Column = Column(4);
const SCOPE_LENGTH: Column = Column(5);
const LOCATIONS: Column = Column(6);
const LOCATION_START: Column = Column(7);
const LOCATION_LENGTH: Column = Column(8);
const EXPRESSION: Column = Column(9);
const STEPS: Column = Column(10);
const STEP_KIND: Column = Column(11);
const STEP_OFFSET: Column = Column(12);
const ENCODING: Column = Column(13);

/// 0 locations are 0; one that always holds is this; n that have ranges are n + 1.
const ALWAYS: usize = 1;

const STEP_DEREF: u8 = 0;
const STEP_ADD: u8 = 1;

pub(crate) fn write_variables<'a>(sink: &mut Sink<'a, '_>, binding: &'a Binding) {
    // The last index of each kind of instance: variables are listed instance by instance.
    let mut last = [0; 3];
    for variable in &binding.variables {
        let (kind, index) = match variable.instance {
            FunctionInstance::Anywhere(function) => (0, number(function)),
            FunctionInstance::Concrete(index) => (1, index),
            FunctionInstance::Inlined(index) => (2, index),
        };
        let out = &mut sink.columns;
        out.at(INSTANCE_KIND).byte(kind);
        out.at(INSTANCE).near32(last[usize::from(kind)], index);
        last[usize::from(kind)] = index;
        sink.text(NAME, &variable.name);
        let base = start_of(binding, variable.instance);
        let out = &mut sink.columns;
        out.at(SCOPES).size(variable.scope.len());
        let mut near = base;
        for (start, end) in &variable.scope {
            out.at(SCOPE_START).near64(near, *start);
            out.at(SCOPE_LENGTH).after64(*start, *end);
            near = *end;
        }
        write_locations(sink, base, &variable.locations);
        let out = &mut sink.columns;
        out.at(STEPS).size(variable.path.len());
        for step in &variable.path {
            match step {
                PathStep::Deref => out.at(STEP_KIND).byte(STEP_DEREF),
                PathStep::Offset(bytes) => {
                    out.at(STEP_KIND).byte(STEP_ADD);
                    out.at(STEP_OFFSET).unsigned(*bytes);
                }
            }
        }
        out.at(ENCODING).bytes(&match variable.encoding {
            Encoding::Signed(size) => [0, size],
            Encoding::Unsigned(size) => [1, size],
            Encoding::Float(size) => [2, size],
            Encoding::Address => [3, 0],
        });
    }
}

fn write_locations<'a>(sink: &mut Sink<'a, '_>, base: u64, locations: &'a [LocationRange]) {
    if let [location] = locations
        && (location.start, location.end) == (0, u64::MAX)
    {
        sink.columns.at(LOCATIONS).size(ALWAYS);
        sink.blob(EXPRESSION, &location.expression);
        return;
    }
    let count = locations.len();
    sink.columns
        .at(LOCATIONS)
        .size(if count == 0 { 0 } else { count + ALWAYS });
    let mut near = base;
    for location in locations {
        sink.columns.at(LOCATION_START).near64(near, location.start);
        sink.columns
            .at(LOCATION_LENGTH)
            .after64(location.start, location.end);
        sink.blob(EXPRESSION, &location.expression);
        near = location.end;
    }
}

/// `binding` has its functions and inlined calls already; variables are written next to them.
pub(crate) fn read_variables(
    mut source: Source<'_, '_>,
    binding: &Binding,
) -> Result<Vec<BoundVariable>, ReadError> {
    let mut last = [0; 3];
    let count = source.columns.left(INSTANCE_KIND);
    let mut variables = Vec::with_capacity(count);
    for _ in 0..count {
        let kind = source.columns.at(INSTANCE_KIND).byte()?;
        let Some(last) = last.get_mut(usize::from(kind)) else {
            let cursor = source.columns.at(INSTANCE_KIND);
            return Err(cursor.malformed("no such kind of instance"));
        };
        let cursor = source.columns.at(INSTANCE);
        *last = cursor.near32(*last)?;
        let instance = match kind {
            0 => FunctionInstance::Anywhere(cursor.id(*last)?),
            1 => FunctionInstance::Concrete(*last),
            _ => FunctionInstance::Inlined(*last),
        };
        let name = source.text(NAME)?;
        let base = start_of(binding, instance);
        let columns = &mut source.columns;
        let scopes = columns.count(SCOPES, SCOPE_LENGTH)?;
        let mut scope = Vec::with_capacity(scopes);
        let mut near = base;
        for _ in 0..scopes {
            let start = columns.at(SCOPE_START).near64(near)?;
            near = columns.at(SCOPE_LENGTH).after64(start)?;
            scope.push((start, near));
        }
        let locations = read_locations(&mut source, base)?;
        let steps = source.columns.count(STEPS, STEP_KIND)?;
        let mut path = Vec::with_capacity(steps);
        for _ in 0..steps {
            path.push(match source.columns.at(STEP_KIND).byte()? {
                STEP_DEREF => PathStep::Deref,
                STEP_ADD => PathStep::Offset(source.columns.at(STEP_OFFSET).unsigned()?),
                _ => return Err(source.columns.at(STEP_KIND).malformed("no such step to a value")),
            });
        }
        let cursor = source.columns.at(ENCODING);
        let encoding = match (cursor.byte()?, cursor.byte()?) {
            (0, size) => Encoding::Signed(size),
            (1, size) => Encoding::Unsigned(size),
            (2, size) => Encoding::Float(size),
            (3, 0) => Encoding::Address,
            _ => return Err(cursor.malformed("no such encoding")),
        };
        variables.push(BoundVariable {
            instance,
            name,
            scope,
            locations,
            path,
            encoding,
        });
    }
    source.columns.finish()?;
    Ok(variables)
}

fn read_locations(source: &mut Source<'_, '_>, base: u64) -> Result<Vec<LocationRange>, ReadError> {
    let most = source.columns.left(EXPRESSION) + ALWAYS;
    let code = source.columns.at(LOCATIONS).count(most)?;
    if code == ALWAYS {
        return Ok(vec![LocationRange {
            start: 0,
            end: u64::MAX,
            expression: source.blob(EXPRESSION)?,
        }]);
    }
    let count = code.saturating_sub(ALWAYS);
    let mut locations = Vec::with_capacity(count);
    let mut near = base;
    for _ in 0..count {
        let start = source.columns.at(LOCATION_START).near64(near)?;
        near = source.columns.at(LOCATION_LENGTH).after64(start)?;
        locations.push(LocationRange {
            start,
            end: near,
            expression: source.blob(EXPRESSION)?,
        });
    }
    Ok(locations)
}

/// Where the instance's code starts; 0 when it has none or its index is wrong.
fn start_of(binding: &Binding, instance: FunctionInstance) -> u64 {
    match instance {
        FunctionInstance::Anywhere(_) => None,
        FunctionInstance::Concrete(index) => binding.functions.get(index as usize).map(|f| f.start),
        FunctionInstance::Inlined(index) => binding.inlines.get(index as usize).map(|i| i.start),
    }
    .unwrap_or(0)
}
