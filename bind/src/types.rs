//! Types: where a member lies, what a pointer points to, how a value is read.

use crate::debug::{Debug, Die, Entry, text};
use gimli::AttributeValue;
use progress_map::{Encoding, PathStep};
use std::collections::BTreeSet;
use std::fmt;

/// Why no value can be read through a type.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum TypeRefusal {
    /// The type is missing, `void`, or in a file that was not given.
    Unknown,
    /// `->` or `*` on something that is no pointer.
    NotPointer,
    /// The structure has no such member, or is only declared.
    NoMember(String),
    /// The member is a bit-field.
    BitField(String),
    /// The iterator of a range, of that type, does not go along a row of elements.
    NoRow(String),
    /// Not an integer, pointer or floating-point number of a machine size; says what it is.
    NotScalar(String),
}

impl fmt::Display for TypeRefusal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Unknown => f.write_str("its type is not in the debug info"),
            Self::NotPointer => f.write_str("it is reached through something that is no pointer"),
            Self::NoMember(name) => write!(f, "its structure has no member '{name}' in the debug info"),
            Self::BitField(name) => write!(f, "'{name}' is a bit-field, which is not read yet"),
            Self::NoRow(name) => write!(
                f,
                "its iterator, of type '{name}', is not known to go along a row of elements"
            ),
            Self::NotScalar(what) => write!(f, "it is {what}, not a number or pointer of up to 8 bytes"),
        }
    }
}

/// One step of an access path: to a member, or through a pointer.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Selector<'m> {
    Member { name: &'m str, arrow: bool },
    Pointee,
}

/// Follows an access path from a variable of type `start`: the steps for the probe and how the value is read.
pub(crate) fn access(
    debug: &Debug<'_>,
    start: Option<Die>,
    accesses: &[Selector<'_>],
) -> Result<(Vec<PathStep>, Encoding), TypeRefusal> {
    let (path, current) = way(debug, start, accesses)?;
    let encoding = encoding(debug, current)?;
    Ok((path, encoding))
}

/// As [`access`], to whatever lies there, with its type.
pub(crate) fn way(
    debug: &Debug<'_>,
    start: Option<Die>,
    accesses: &[Selector<'_>],
) -> Result<(Vec<PathStep>, Die), TypeRefusal> {
    let mut path = Vec::new();
    let mut current = referred(debug, start, &mut path)?;
    for access in accesses {
        match *access {
            Selector::Pointee => current = pointee(debug, current, &mut path)?,
            Selector::Member { name, arrow } => {
                if arrow {
                    current = pointee(debug, current, &mut path)?;
                }
                let found = member(debug, current, name, &mut BTreeSet::new())?;
                let (offset, member) = found.ok_or_else(|| TypeRefusal::NoMember(name.to_owned()))?;
                match path.last_mut() {
                    Some(PathStep::Offset(before)) => *before = before.wrapping_add(offset),
                    _ if offset == 0 => {}
                    _ => path.push(PathStep::Offset(offset)),
                }
                current = referred(debug, member, &mut path)?;
            }
        }
    }
    Ok((path, current))
}

/// The structure that a pointer or a reference leads to, as another unit may describe it: two that lead to the same one, and have the same
/// value, lead to the same object, while the base class of an object may begin elsewhere than the object.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Structure {
    /// By its name and size.
    Named(String, u64),
    /// By its only description.
    Unnamed(Die),
}

/// The way to a member of the object that a variable of type `start` leads to, by pointer or by reference, whichever it is.
pub(crate) fn into_object<'m>(
    debug: &Debug<'_>,
    start: Option<Die>,
    accesses: &[Selector<'m>],
) -> Option<(Vec<Selector<'m>>, Structure)> {
    let (bare, entry) = debug.bare_type(start?)?;
    let arrow = match entry.tag() {
        gimli::DW_TAG_pointer_type => true,
        gimli::DW_TAG_reference_type | gimli::DW_TAG_rvalue_reference_type => false,
        _ => return None,
    };
    let (structure, object) = debug.bare_type(debug.type_of(bare.unit, &entry)?)?;
    let is_structure = matches!(
        object.tag(),
        gimli::DW_TAG_structure_type | gimli::DW_TAG_class_type | gimli::DW_TAG_union_type
    );
    let name = debug.string_attr(structure.unit, &object, gimli::DW_AT_name);
    let size = object.attr_value(gimli::DW_AT_byte_size);
    let size = size
        .and_then(|size| size.udata_value())
        .filter(|_| is_structure)?;
    let structure = match name {
        Some(name) => Structure::Named(text(name), size),
        None => Structure::Unnamed(structure),
    };
    let (Selector::Member { name: member, .. }, rest) = accesses.split_first()? else {
        return None;
    };
    let first = Selector::Member { name: member, arrow };
    let accesses = std::iter::once(first).chain(rest.iter().copied());
    Some((accesses.collect(), structure))
}

/// How a variable that is reached by an access path is qualified.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Qualifiers {
    /// The value, or something that it is a part of.
    pub(crate) volatile: bool,
    /// The pointer that the path starts from.
    pub(crate) restrict: bool,
}

/// What the types along an access path promise.
pub(crate) fn qualifiers(debug: &Debug<'_>, start: Option<Die>, accesses: &[Selector<'_>]) -> Qualifiers {
    let mut found = Qualifiers::default();
    let mut is_volatile = has_qualifier(debug, start, gimli::DW_TAG_volatile_type);
    found.restrict = has_qualifier(debug, start, gimli::DW_TAG_restrict_type);
    let mut path = Vec::new();
    let mut step_in = |ty: Option<Die>, is_volatile: &mut bool| {
        let before = path.len();
        let inner = referred(debug, ty, &mut path).ok();
        if path.len() > before {
            *is_volatile = has_qualifier(debug, inner, gimli::DW_TAG_volatile_type);
        }
        inner
    };
    let mut current = step_in(start, &mut is_volatile);
    for access in accesses {
        let is_through = matches!(access, Selector::Pointee | Selector::Member { arrow: true, .. });
        if is_through {
            current = current.and_then(|ty| pointee(debug, ty, &mut Vec::new()).ok());
            is_volatile = has_qualifier(debug, current, gimli::DW_TAG_volatile_type);
        }
        if let Selector::Member { name, .. } = access {
            let ty = current.and_then(|ty| member_type(debug, ty, name));
            is_volatile |= has_qualifier(debug, ty, gimli::DW_TAG_volatile_type);
            current = step_in(ty, &mut is_volatile);
        }
    }
    found.volatile = is_volatile;
    found
}

/// Whether a type has a qualifier, by whatever name.
fn has_qualifier(debug: &Debug<'_>, ty: Option<Die>, qualifier: gimli::DwTag) -> bool {
    let mut next = ty;
    // No compiler comes near to that many names for one type.
    for _ in 0..64 {
        let Some((die, entry)) = next.and_then(|die| Some((die, debug.entry(die)?))) else {
            return false;
        };
        match entry.tag() {
            tag if tag == qualifier => return true,
            gimli::DW_TAG_typedef
            | gimli::DW_TAG_const_type
            | gimli::DW_TAG_volatile_type
            | gimli::DW_TAG_restrict_type
            | gimli::DW_TAG_atomic_type => next = debug.type_of(die.unit, &entry),
            _ => return false,
        }
    }
    false
}

/// The type itself, or what it refers to: the source reads through a C++ reference as if it were the object.
fn referred(debug: &Debug<'_>, die: Option<Die>, path: &mut Vec<PathStep>) -> Result<Die, TypeRefusal> {
    let die = die.ok_or(TypeRefusal::Unknown)?;
    let (bare, entry) = debug.bare_type(die).ok_or(TypeRefusal::Unknown)?;
    match entry.tag() {
        gimli::DW_TAG_reference_type | gimli::DW_TAG_rvalue_reference_type => {
            path.push(PathStep::Deref);
            debug.type_of(bare.unit, &entry).ok_or(TypeRefusal::Unknown)
        }
        _ => Ok(die),
    }
}

fn pointee(debug: &Debug<'_>, die: Die, path: &mut Vec<PathStep>) -> Result<Die, TypeRefusal> {
    let (bare, entry) = debug.bare_type(die).ok_or(TypeRefusal::Unknown)?;
    let target = debug.type_of(bare.unit, &entry);
    match entry.tag() {
        gimli::DW_TAG_pointer_type => path.push(PathStep::Deref),
        // An array used as a pointer points to its own first element.
        gimli::DW_TAG_array_type => {}
        _ => return Err(TypeRefusal::NotPointer),
    }
    target.ok_or(TypeRefusal::Unknown)
}

/// Where member `name` of a structure begins, whatever it is.
pub(crate) fn offset(debug: &Debug<'_>, structure: Die, name: &str) -> Option<u64> {
    let found = member(debug, structure, name, &mut BTreeSet::new());
    found.ok()?.map(|(offset, _)| offset)
}

/// The type of member `name` of a structure.
pub(crate) fn member_type(debug: &Debug<'_>, structure: Die, name: &str) -> Option<Die> {
    let found = member(debug, structure, name, &mut BTreeSet::new());
    found.ok()??.1
}

/// Offset and type of member `name`, found also inside anonymous members and base classes.
fn member(
    debug: &Debug<'_>,
    structure: Die,
    name: &str,
    searched: &mut BTreeSet<Die>,
) -> Result<Option<(u64, Option<Die>)>, TypeRefusal> {
    let Some((structure, _)) = debug.bare_type(structure) else {
        return Ok(None);
    };
    // A damaged file may have structures that contain each other.
    if !searched.insert(structure) {
        return Ok(None);
    }
    let unit = structure.unit;
    let Ok(mut cursor) = debug.units[unit].entries_at_offset(structure.offset) else {
        return Ok(None);
    };
    // The structure itself is at depth 0, its members at depth 1.
    if !matches!(cursor.next_dfs(), Ok(Some(entry)) if entry.has_children()) {
        return Ok(None);
    }
    let mut inner = Vec::new();
    while let Ok(Some(entry)) = cursor.next_dfs() {
        if entry.depth() <= 0 {
            break;
        }
        let is_base = entry.tag() == gimli::DW_TAG_inheritance;
        if entry.depth() > 1 || !(is_base || entry.tag() == gimli::DW_TAG_member) {
            continue;
        }
        let found = debug.string_attr(unit, entry, gimli::DW_AT_name);
        if !is_base && found.is_some_and(|found| found.slice() == name.as_bytes()) {
            // A static member of C++ is described here without a place: it has none in the object.
            if entry.has_attr(gimli::DW_AT_external) || entry.has_attr(gimli::DW_AT_declaration) {
                return Err(TypeRefusal::NoMember(name.to_owned()));
            }
            if entry.has_attr(gimli::DW_AT_bit_size) {
                return Err(TypeRefusal::BitField(name.to_owned()));
            }
            let offset = member_offset(entry).ok_or_else(|| TypeRefusal::NoMember(name.to_owned()))?;
            return Ok(Some((offset, debug.type_of(unit, entry))));
        }
        if (is_base || found.is_none())
            && let (Some(offset), Some(part)) = (member_offset(entry), debug.type_of(unit, entry))
        {
            inner.push((offset, part));
        }
    }
    for (offset, part) in inner {
        if let Some((further, found)) = member(debug, part, name, searched)? {
            return Ok(Some((offset.wrapping_add(further), found)));
        }
    }
    Ok(None)
}

/// The offset of a member; `None` when it has to be computed at run time (virtual bases).
fn member_offset(entry: &Entry<'_>) -> Option<u64> {
    match entry.attr_value(gimli::DW_AT_data_member_location) {
        // A member of a union.
        None => Some(0),
        Some(AttributeValue::Exprloc(expression)) => {
            let mut bytes = expression.0;
            let encoding = gimli::Encoding {
                address_size: 8,
                format: gimli::Format::Dwarf32,
                version: 4,
            };
            match gimli::Operation::parse(&mut bytes, encoding) {
                Ok(gimli::Operation::PlusConstant { value }) if bytes.is_empty() => Some(value),
                _ => None,
            }
        }
        Some(value) => value.udata_value(),
    }
}

/// How a value of the type is read.
fn encoding(debug: &Debug<'_>, die: Die) -> Result<Encoding, TypeRefusal> {
    let (bare, entry) = debug.bare_type(die).ok_or(TypeRefusal::Unknown)?;
    let size = entry
        .attr_value(gimli::DW_AT_byte_size)
        .and_then(|value| value.udata_value());
    let name = || {
        let kind = match entry.tag() {
            gimli::DW_TAG_array_type => "an array",
            gimli::DW_TAG_structure_type | gimli::DW_TAG_class_type => "a structure",
            gimli::DW_TAG_union_type => "a union",
            _ => "",
        };
        match debug.string_attr(bare.unit, &entry, gimli::DW_AT_name) {
            _ if !kind.is_empty() => kind.to_owned(),
            Some(name) => format!("of type '{}'", text(name)),
            None => "of an unnamed type".to_owned(),
        }
    };
    let integer = |signed: bool| match (size, signed) {
        (Some(size @ (1 | 2 | 4 | 8)), true) => Ok(Encoding::Signed(size as u8)),
        (Some(size @ (1 | 2 | 4 | 8)), false) => Ok(Encoding::Unsigned(size as u8)),
        _ => Err(TypeRefusal::NotScalar(name())),
    };
    match entry.tag() {
        gimli::DW_TAG_pointer_type if matches!(size, None | Some(8)) => Ok(Encoding::Address),
        gimli::DW_TAG_enumeration_type => match debug.type_of(bare.unit, &entry) {
            Some(underlying) if underlying != bare => match debug.bare_type(underlying) {
                Some((_, inner)) if inner.tag() == gimli::DW_TAG_base_type => encoding(debug, underlying),
                _ => Err(TypeRefusal::NotScalar(name())),
            },
            _ if entry.has_attr(gimli::DW_AT_encoding) => integer(is_signed(&entry)),
            // Whether there are negative enumerators cannot be told from the size alone.
            _ => Err(TypeRefusal::NotScalar(
                "an enumeration without an underlying type".to_owned(),
            )),
        },
        gimli::DW_TAG_base_type => {
            // A base type narrower than its storage, as in `_BitInt(17)`.
            if entry.has_attr(gimli::DW_AT_bit_size) {
                return Err(TypeRefusal::NotScalar(name()));
            }
            match entry.attr_value(gimli::DW_AT_encoding) {
                Some(AttributeValue::Encoding(gimli::DW_ATE_float)) => match size {
                    Some(size @ (4 | 8)) => Ok(Encoding::Float(size as u8)),
                    _ => Err(TypeRefusal::NotScalar(name())),
                },
                Some(AttributeValue::Encoding(
                    gimli::DW_ATE_signed
                    | gimli::DW_ATE_signed_char
                    | gimli::DW_ATE_unsigned
                    | gimli::DW_ATE_unsigned_char
                    | gimli::DW_ATE_boolean
                    | gimli::DW_ATE_UTF,
                )) => integer(is_signed(&entry)),
                Some(AttributeValue::Encoding(gimli::DW_ATE_address)) if size == Some(8) => {
                    Ok(Encoding::Address)
                }
                _ => Err(TypeRefusal::NotScalar(name())),
            }
        }
        _ => Err(TypeRefusal::NotScalar(name())),
    }
}

fn is_signed(entry: &Entry<'_>) -> bool {
    matches!(
        entry.attr_value(gimli::DW_AT_encoding),
        Some(AttributeValue::Encoding(
            gimli::DW_ATE_signed | gimli::DW_ATE_signed_char
        ))
    )
}
