//! Loops over ranges: where the iterator is that nothing in the source can name, and how many elements lie before it.
//!
//! `for (auto x : range)` makes three variables (C++ [stmt.ranged]): a reference to the range, an iterator and the end. gcc calls
//! them `__for_range`, `__for_begin` and `__for_end`, and puts them into the block of `x`; clang calls them `__range1`, `__begin1` and
//! `__end1`, by depth, and puts them into the block around that of `x`. Which belong to which `x` is told by what all instances of
//! the function share: an instance may lack some of them.
//!
//! The iterator is an address if it is a pointer, or the standard library's for a row of elements. Then the elements before it can be
//! counted, where the first one can be found: an array and a `std::array` lie where the reference leads; a
//! `std::vector` says where its elements are. The body may have replaced the vector, or ended its life, if it leaves the loop
//! then: so what the vector says must fit what the loop has kept, or there is no index. All three variables are set before the
//! first iteration, and only the iterator changes then. So the index is made of what is believed of the iterator, last of
//! all, and needs no rules of its own.

use crate::body::{Body, Candidate};
use crate::debug::{Debug, Die};
use crate::types::{Selector, TypeRefusal, access};
use base::put_number;
use gimli::{Operation, Reader as _};
use progress_map::{Binding, BoundVariable, Encoding, FunctionInstance, LocationRange, PathStep};

/// The variables of a loop over a range in one instance of a function.
pub(crate) struct Hidden<'b> {
    /// The reference to the range.
    pub(crate) range: Option<&'b Candidate>,
    /// The iterator.
    pub(crate) iterator: Vec<&'b Candidate>,
    /// The iterator behind the last element.
    pub(crate) end: Option<&'b Candidate>,
}

/// What a variable that a loop over a range hides is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum RangeVariable {
    Range,
    Iterator,
    End,
}

/// The role of a variable that the compiler has called so, and whether it is clang's.
fn role(name: &str) -> Option<(RangeVariable, bool)> {
    let role = match name.trim_end_matches(|c: char| c.is_ascii_digit()) {
        "__for_range" => (RangeVariable::Range, false),
        "__for_begin" => (RangeVariable::Iterator, false),
        "__for_end" => (RangeVariable::End, false),
        "__range" => (RangeVariable::Range, true),
        "__begin" => (RangeVariable::Iterator, true),
        "__end" => (RangeVariable::End, true),
        _ => return None,
    };
    Some(role)
}

/// Whether a compiler calls a variable of a loop over a range so.
pub(crate) fn is_hidden(name: &str) -> bool {
    role(name).is_some()
}

/// The variables of the loop whose own is `variable`, one of `shared`, as `own` describes them.
pub(crate) fn hidden<'b>(own: &'b Body, shared: &Body, variable: &Candidate) -> Option<Hidden<'b>> {
    let declared = shared
        .candidates
        .iter()
        .find(|each| each.origin == variable.origin)?;
    let (_, around) = declared.blocks.split_last()?;
    let of = |wanted: RangeVariable| {
        let mut found = shared.candidates.iter().filter(|each| {
            let (blocks, kind) = match role(&each.name) {
                Some((role, true)) => (around, role),
                Some((role, false)) => (&declared.blocks[..], role),
                None => return false,
            };
            kind == wanted && each.is_artificial && each.blocks == blocks
        });
        found.next().filter(|_| found.next().is_none())
    };
    let iterator = of(RangeVariable::Iterator)?;
    let here = |shared: &Candidate| {
        let origin = shared.origin;
        own.candidates.iter().filter(move |each| each.origin == origin)
    };
    let only = |shared: Option<&Candidate>| {
        let mut found = here(shared?);
        found.next().filter(|_| found.next().is_none())
    };
    Some(Hidden {
        range: only(of(RangeVariable::Range)),
        iterator: here(iterator).collect(),
        end: only(of(RangeVariable::End)),
    })
}

/// The way from an iterator to the address of its element.
///
/// # Errors
/// When it is not an iterator over consecutive elements, or when debug info does not tell.
pub(crate) fn address(debug: &Debug<'_>, iterator: Die) -> Result<(Vec<PathStep>, Encoding), TypeRefusal> {
    let ty = type_of(debug, iterator).ok_or(TypeRefusal::Unknown)?;
    let (bare, entry) = debug.bare_type(ty).ok_or(TypeRefusal::Unknown)?;
    if entry.tag() == gimli::DW_TAG_pointer_type {
        return access(debug, Some(bare), &[]);
    }
    let name = name_of(debug, bare);
    if name.starts_with("__normal_iterator<") {
        access(debug, Some(bare), &[member("_M_current")])
    } else {
        Err(TypeRefusal::NoRow(name))
    }
}

fn member(name: &str) -> Selector<'_> {
    Selector::Member { name, arrow: false }
}

fn type_of(debug: &Debug<'_>, variable: Die) -> Option<Die> {
    let chain = debug.origins(variable);
    chain
        .iter()
        .find_map(|(die, entry)| debug.type_of(die.unit, entry))
}

fn name_of(debug: &Debug<'_>, ty: Die) -> String {
    let entry = debug.entry(ty);
    let name = entry.and_then(|entry| debug.string_attr(ty.unit, &entry, gimli::DW_AT_name));
    name.map_or_else(|| "without a name".to_owned(), crate::debug::text)
}

/// Where the first element of a range is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum First {
    /// Where the range is itself, from so many bytes on.
    Here(u64),
    /// The range has its address, and that behind the last one, so many bytes from where it begins.
    Kept { first: u64, last: u64 },
    /// The range has its address and the number of elements.
    Counted { first: u64, count: u64 },
}

/// How elements are counted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Row {
    first: First,
    /// From one element to the next, in bytes.
    stride: u64,
}

/// How the elements of the range that `range` refers to are counted with `iterator`; `None` if that is not known.
pub(crate) fn row(debug: &Debug<'_>, range: Die, iterator: Die) -> Option<Row> {
    let (reference, entry) = debug.bare_type(type_of(debug, range)?)?;
    if !matches!(
        entry.tag(),
        gimli::DW_TAG_reference_type | gimli::DW_TAG_rvalue_reference_type
    ) {
        return None;
    }
    row_of(debug, debug.type_of(reference.unit, &entry)?, iterator)
}

/// The same of an object of the type `ty`.
pub(crate) fn row_of(debug: &Debug<'_>, ty: Die, iterator: Die) -> Option<Row> {
    let (ty, entry) = debug.bare_type(ty)?;
    let name = name_of(debug, ty);
    let pointer = |members: &[Selector<'_>]| match access(debug, Some(ty), members).ok()? {
        (path, Encoding::Address | Encoding::Unsigned(8)) => match path[..] {
            [] => Some(0),
            [PathStep::Offset(bytes)] => Some(bytes),
            _ => None,
        },
        _ => None,
    };
    let first = if entry.tag() == gimli::DW_TAG_array_type {
        First::Here(0)
    } else if name.starts_with("array<") {
        First::Here(crate::types::offset(debug, ty, "_M_elems")?)
    } else if name.starts_with("vector<") {
        First::Kept {
            first: pointer(&[member("_M_impl"), member("_M_start")])?,
            last: pointer(&[member("_M_impl"), member("_M_finish")])?,
        }
    } else if name.starts_with("basic_string<") {
        First::Counted {
            first: pointer(&[member("_M_dataplus"), member("_M_p")])?,
            count: pointer(&[member("_M_string_length")])?,
        }
    } else if name.starts_with("initializer_list<") {
        First::Counted {
            first: pointer(&[member("_M_array")])?,
            count: pointer(&[member("_M_len")])?,
        }
    } else {
        return None;
    };
    let stride = stride(debug, iterator).filter(|&stride| stride > 0)?;
    Some(Row { first, stride })
}

/// The length of what an iterator points to.
fn stride(debug: &Debug<'_>, iterator: Die) -> Option<u64> {
    let (bare, mut entry) = debug.bare_type(type_of(debug, iterator)?)?;
    let mut unit = bare.unit;
    if entry.tag() != gimli::DW_TAG_pointer_type {
        let current = crate::types::member_type(debug, bare, "_M_current")?;
        let (pointer, its) = debug.bare_type(current)?;
        (unit, entry) = (pointer.unit, its);
    }
    let (_, element) = debug.bare_type(debug.type_of(unit, &entry)?)?;
    element.attr_value(gimli::DW_AT_byte_size)?.udata_value()
}

/// The index of a loop over a range in one instance of its function, to be made of the place of its iterator.
#[derive(Clone, Debug)]
pub(crate) struct Index {
    /// The name under which it is listed.
    pub(crate) name: String,
    /// That of its iterator's address.
    pub(crate) position: String,
    pub(crate) instance: FunctionInstance,
    pub(crate) scope: Vec<(u64, u64)>,
    pub(crate) row: Row,
    pub(crate) range: Vec<LocationRange>,
    /// The end that the loop keeps; `None` if it keeps none.
    pub(crate) end: Option<Vec<LocationRange>>,
}

/// Adds the indices to the variables of a binding, whose locations are those that are believed. Keeps the order.
pub(crate) fn add(binding: &mut Binding, indices: Vec<Index>) {
    let mut made = Vec::new();
    for index in indices {
        let mut positions = binding.variables.iter().filter(|variable| {
            (variable.instance, &variable.name) == (index.instance, &index.position)
                && variable.scope == index.scope
        });
        // Two in one scope could not be told apart.
        let (Some(position), None) = (positions.next(), positions.next()) else {
            continue;
        };
        if !matches!(position.path[..], [] | [PathStep::Offset(0)]) {
            continue;
        }
        let locations = locations(&index, &position.locations);
        if !locations.is_empty() {
            made.push(BoundVariable {
                instance: index.instance,
                name: index.name,
                scope: index.scope,
                locations,
                path: Vec::new(),
                encoding: Encoding::Signed(8),
            });
        }
    }
    if !made.is_empty() {
        binding.variables.extend(made);
        let key = |a: &BoundVariable, b: &BoundVariable| {
            (a.instance, &a.name, &a.scope).cmp(&(b.instance, &b.name, &b.scope))
        };
        binding.variables.sort_by(key);
    }
}

/// Wherever all that the index is made of has a place.
fn locations(index: &Index, positions: &[LocationRange]) -> Vec<LocationRange> {
    let whole = [LocationRange {
        start: 0,
        end: u64::MAX,
        expression: Vec::new(),
    }];
    let ends = match (index.row.first, &index.end) {
        (First::Here(_), _) | (_, None) => &whole[..],
        (_, Some(end)) => end,
    };
    let mut found = Vec::new();
    for position in positions {
        for range in &index.range {
            for end in ends {
                let from = position.start.max(range.start).max(end.start);
                let to = position.end.min(range.end).min(end.end);
                if from < to
                    && let Some(expression) = expression(index.row, position, range, end)
                {
                    found.push(LocationRange {
                        start: from,
                        end: to,
                        expression,
                    });
                }
            }
        }
    }
    found.sort_by_key(|location| location.start);
    found
}

/// `(position - first) / stride`, divided by whether that can be: what is divided by zero has no value.
///
/// A range that has the address of its first element may have been replaced since the loop began, or be gone. So the end that the loop keeps
/// must be that of the range, the element must not lie in front of the first one, and there must be whole elements in between.
fn expression(
    row: Row,
    position: &LocationRange,
    range: &LocationRange,
    end: &LocationRange,
) -> Option<Vec<u8>> {
    let (range, position) = (value(&range.expression)?, value(&position.expression)?);
    let field = |offset: u64| {
        let mut bytes = range.clone();
        plus(&mut bytes, offset);
        bytes.push(gimli::DW_OP_deref.0);
        bytes
    };
    let stride = {
        let mut bytes = Vec::new();
        constant(&mut bytes, row.stride);
        bytes
    };
    let of = |a: &[u8], b: &[u8], operator: gimli::DwOp| [a, b, &[operator.0]].concat();
    let (first, last) = match row.first {
        First::Here(offset) => {
            let mut first = range.clone();
            plus(&mut first, offset);
            (first, None)
        }
        First::Kept { first, last } => (field(first), Some(field(last))),
        First::Counted { first, count } => {
            let length = of(&field(count), &stride, gimli::DW_OP_mul);
            let last = of(&field(first), &length, gimli::DW_OP_plus);
            (field(first), Some(last))
        }
    };
    let distance = of(&position, &first, gimli::DW_OP_minus);
    let mut bytes = of(&distance, &stride, gimli::DW_OP_div);
    if let Some(last) = last {
        let zero = [gimli::DW_OP_lit0.0];
        let is_in_time = match &end.expression[..] {
            // The loop has kept no end, but asks the object for it again and again.
            [] => of(&position, &last, gimli::DW_OP_le),
            kept => of(&last, &value(kept)?, gimli::DW_OP_eq),
        };
        let checks = [
            is_in_time,
            of(&zero, &first, gimli::DW_OP_lt),
            of(&first, &position, gimli::DW_OP_le),
            of(&of(&distance, &stride, gimli::DW_OP_mod), &zero, gimli::DW_OP_eq),
        ];
        for check in checks {
            bytes = of(&bytes, &check, gimli::DW_OP_div);
        }
    }
    bytes.push(gimli::DW_OP_stack_value.0);
    Some(bytes)
}

fn constant(bytes: &mut Vec<u8>, value: u64) {
    bytes.push(gimli::DW_OP_constu.0);
    put_number(bytes, value);
}

fn plus(bytes: &mut Vec<u8>, offset: u64) {
    if offset > 0 {
        bytes.push(gimli::DW_OP_plus_uconst.0);
        put_number(bytes, offset);
    }
}

/// A location that holds the address of what `path` leads to from what lies at `location`.
pub(crate) fn holding_address(location: &[u8], path: &[PathStep]) -> Option<Vec<u8>> {
    let (mut bytes, path) = match path {
        [PathStep::Deref, rest @ ..] => (value(location)?, rest),
        // What lies in a register has no address.
        _ => (place(location)?, path),
    };
    for step in path {
        match *step {
            PathStep::Offset(offset) => plus(&mut bytes, offset),
            PathStep::Deref => bytes.push(gimli::DW_OP_deref.0),
        }
    }
    bytes.push(gimli::DW_OP_stack_value.0);
    Some(bytes)
}

/// Pushes the eight bytes that a location holds. `None` where it has operators that do more than compute in addresses.
fn value(location: &[u8]) -> Option<Vec<u8>> {
    let (mut bytes, is_value) = computed(location)?;
    if !is_value {
        bytes.push(gimli::DW_OP_deref.0);
    }
    Some(bytes)
}

/// Pushes the address that a location is. `None` where it is none, as in [`value`], and where it is a value without one.
fn place(location: &[u8]) -> Option<Vec<u8>> {
    computed(location).and_then(|(bytes, is_value)| (!is_value).then_some(bytes))
}

/// What a location computes, and whether that is the value itself.
fn computed(location: &[u8]) -> Option<(Vec<u8>, bool)> {
    let encoding = gimli::Encoding {
        address_size: 8,
        format: gimli::Format::Dwarf32,
        version: 5,
    };
    let generic = gimli::UnitOffset(0);
    let mut rest = crate::debug::Slice::new(location, gimli::LittleEndian);
    let mut bytes = Vec::with_capacity(location.len() + 2);
    let mut is_value = false;
    while !rest.is_empty() {
        let before = rest;
        let operation = Operation::parse(&mut rest, encoding).ok()?;
        let raw = &before.slice()[..before.len() - rest.len()];
        match operation {
            // The only operator of a location in a register: it is read as that register plus nothing.
            Operation::Register { register } if bytes.is_empty() && rest.is_empty() => {
                bytes.push(gimli::DW_OP_bregx.0);
                put_number(&mut bytes, u64::from(register.0));
                bytes.push(0);
                is_value = true;
            }
            Operation::StackValue if rest.is_empty() => is_value = true,
            Operation::RegisterOffset { base_type, .. } if base_type == generic => bytes.extend(raw),
            Operation::Deref {
                base_type,
                size: 8,
                space: false,
            } if base_type == generic => bytes.extend(raw),
            Operation::FrameOffset { .. }
            | Operation::CallFrameCFA
            | Operation::Address { .. }
            | Operation::UnsignedConstant { .. }
            | Operation::SignedConstant { .. }
            | Operation::PlusConstant { .. }
            | Operation::Plus
            | Operation::Minus => bytes.extend(raw),
            _ => return None,
        }
    }
    (!bytes.is_empty()).then_some((bytes, is_value))
}
