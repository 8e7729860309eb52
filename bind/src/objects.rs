//! What the variables of a function occupy of its frame, by debug info.
//!
//! Machine code that computes an address in the frame goes on from an object of the source, and C lets it come nowhere but into that object. A slot that belongs to no
//! variable in memory is one that the compiler keeps a register's content in, and no pointer leads there ([`flow::stack`](crate::flow::stack)).
//!
//! That is known only of what gcc has optimised: it describes a variable whose address is taken by one place for the whole function, and one that it keeps in
//! registers by a list of places, in which the slot may be named to which that register was saved. Objects that have no name, such as what a function returns in memory, are not
//! described at all: an address outside of all variables may be of one of those.

use crate::debug::{Debug, Die, Entry, Slice};
use crate::optimised::gcc;
use crate::walk::{Forest, Node};
use gimli::{AttributeValue, Operation};
use std::collections::BTreeMap;
use std::ops::Range;

/// What the variables of functions occupy of their frames.
#[derive(Default)]
pub(crate) struct FrameObjects {
    /// By the first address of each piece of a function's code: where that piece ends, and the function's place in `of`.
    pieces: BTreeMap<u64, (u64, usize)>,
    /// By function: its objects, in bytes from the CFA.
    of: Vec<Vec<Range<i64>>>,
}

impl FrameObjects {
    /// Looks through the variables of all functions of which debug info tells that.
    pub(crate) fn new(debug: &Debug<'_>, forest: &Forest) -> Self {
        let mut found = Self::default();
        for node in &forest.nodes {
            if node.parent.is_some() || !node.optimised || !gcc(debug, node.die.unit) || !has_cfa(debug, node)
            {
                continue;
            }
            let Some(objects) = objects_of(debug, node.die) else {
                continue;
            };
            for range in &node.ranges {
                found.pieces.insert(range.start, (range.end, found.of.len()));
            }
            found.of.push(objects);
        }
        found
    }

    /// The objects of the function whose code is at an address; `None` where nothing tells of them.
    pub(crate) fn at(&self, address: u64) -> Option<&[Range<i64>]> {
        let (_, &(end, function)) = self.pieces.range(..=address).next_back()?;
        (address < end).then(|| self.of[function].as_slice())
    }
}

/// Whether places of a function's variables are told by their distance from the CFA.
fn has_cfa(debug: &Debug<'_>, node: &Node) -> bool {
    let base = Slice::new(&node.frame_base, gimli::LittleEndian);
    let mut operations = gimli::Expression(base).operations(debug.units[node.die.unit].encoding());
    matches!(operations.next(), Ok(Some(Operation::CallFrameCFA))) && matches!(operations.next(), Ok(None))
}

/// The objects of a function and of all that is inlined into it; `None` if debug info is damaged there.
fn objects_of(debug: &Debug<'_>, function: Die) -> Option<Vec<Range<i64>>> {
    let mut found = Vec::new();
    let unit = function.unit;
    let mut cursor = debug.units[unit].entries_at_offset(function.offset).ok()?;
    if !cursor.next_dfs().ok()??.has_children() {
        return Some(found);
    }
    // The depth of a nested function, whose frame is another one.
    let mut foreign: Option<isize> = None;
    while let Some(entry) = cursor.next_dfs().ok()? {
        let depth = entry.depth();
        if depth <= 0 {
            break;
        }
        if foreign.is_some_and(|outer| depth > outer) {
            continue;
        }
        foreign = (entry.tag() == gimli::DW_TAG_subprogram).then_some(depth);
        if matches!(
            entry.tag(),
            gimli::DW_TAG_variable | gimli::DW_TAG_formal_parameter
        ) {
            let offset = entry.offset();
            found.extend(objects(debug, Die { unit, offset }, entry)?);
        }
    }
    Some(found)
}

/// What a variable occupies; `None` if its description is damaged.
fn objects(debug: &Debug<'_>, variable: Die, entry: &Entry<'_>) -> Option<Vec<Range<i64>>> {
    let Some(location) = entry.attr_value(gimli::DW_AT_location) else {
        return Some(Vec::new());
    };
    let unit = variable.unit;
    let chain = debug.origins(variable);
    let of_type = chain
        .iter()
        .find_map(|(die, entry)| debug.type_of(die.unit, entry));
    let size = of_type.map_or(Size::Unknown, |of_type| size(debug, of_type, MOST_NESTED));
    let mut starts = Vec::new();
    match location {
        AttributeValue::Exprloc(expression) => starts.extend(offsets(debug, variable, expression)?),
        list => {
            let mut list = debug
                .dwarf(unit)
                .attr_locations(&debug.units[unit], list)
                .ok()??;
            while let Some(item) = list.next().ok()? {
                // A register's content is kept there for a while.
                if !matches!(size, Size::Scalar(_)) {
                    starts.extend(offsets(debug, variable, item.data)?);
                }
            }
        }
    }
    Some(starts.into_iter().map(|start| start..size.end(start)).collect())
}

/// The distances from the CFA that an expression names; `None` if it is damaged.
fn offsets(debug: &Debug<'_>, variable: Die, expression: gimli::Expression<Slice<'_>>) -> Option<Vec<i64>> {
    let mut operations = expression.operations(debug.units[variable.unit].encoding());
    let mut found = Vec::new();
    while let Some(operation) = operations.next().ok()? {
        if let Operation::FrameOffset { offset } = operation {
            found.push(offset);
        }
    }
    Some(found)
}

/// How many types are looked through for the size of one, at most.
const MOST_NESTED: usize = 32;

/// How large an object of a type is, in bytes.
#[derive(Clone, Copy)]
enum Size {
    /// It fits into a register.
    Scalar(i64),
    Aggregate(i64),
    Unknown,
}

impl Size {
    /// Where an object ends that begins here.
    fn end(self, start: i64) -> i64 {
        match self {
            Size::Scalar(bytes) | Size::Aggregate(bytes) => start.saturating_add(bytes),
            Size::Unknown => i64::MAX,
        }
    }
}

fn size(debug: &Debug<'_>, of_type: Die, most_nested: usize) -> Size {
    let Some((bare, entry)) = debug.bare_type(of_type) else {
        return Size::Unknown;
    };
    let bytes = || {
        let bytes = entry.attr_value(gimli::DW_AT_byte_size)?.udata_value()?;
        i64::try_from(bytes).ok()
    };
    match entry.tag() {
        gimli::DW_TAG_base_type | gimli::DW_TAG_enumeration_type => {
            bytes().map_or(Size::Unknown, Size::Scalar)
        }
        gimli::DW_TAG_pointer_type | gimli::DW_TAG_reference_type | gimli::DW_TAG_rvalue_reference_type => {
            Size::Scalar(bytes().unwrap_or(8))
        }
        gimli::DW_TAG_array_type => {
            let elements = || {
                let of_type = debug.type_of(bare.unit, &entry)?;
                let of_one = match size(debug, of_type, most_nested.checked_sub(1)?) {
                    Size::Scalar(bytes) | Size::Aggregate(bytes) => bytes,
                    Size::Unknown => return None,
                };
                of_one.checked_mul(count(debug, bare)?)
            };
            bytes().or_else(elements).map_or(Size::Unknown, Size::Aggregate)
        }
        _ => bytes().map_or(Size::Unknown, Size::Aggregate),
    }
}

/// How many elements an array has at most; `None` if that is not one number.
fn count(debug: &Debug<'_>, array: Die) -> Option<i64> {
    let mut cursor = debug.units[array.unit].entries_at_offset(array.offset).ok()?;
    cursor.next_dfs().ok()??;
    let mut count: i64 = 1;
    while let Some(entry) = cursor.next_dfs().ok()? {
        if entry.depth() <= 0 {
            break;
        }
        if entry.tag() != gimli::DW_TAG_subrange_type {
            continue;
        }
        let number = |name| entry.attr_value(name).and_then(|value| value.sdata_value());
        let of_dimension = match number(gimli::DW_AT_count) {
            Some(count) => count,
            // The lower bound of C, where none is given; Fortran has one element less.
            None => {
                let lower = number(gimli::DW_AT_lower_bound).unwrap_or(0);
                number(gimli::DW_AT_upper_bound)?
                    .checked_sub(lower)?
                    .checked_add(1)?
            }
        };
        count = count.checked_mul(of_dimension.max(0))?;
    }
    Some(count)
}
