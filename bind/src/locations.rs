//! Where one variable lives: location attributes as sorted ranges of self-contained expressions.

use crate::debug::{Debug, Entry, Slice, UnitId};
use crate::elf::Image;
use crate::expression::{Inexpressible, LocationKind, facts, literal, rewrite};
use crate::pieces::{Part, holding};
use crate::stack::ExpressionFrame;
use gimli::{AttributeValue, RawLocListEntry};
use progress_map::{Binding, Encoding, LocationRange, PathStep};

/// The address range of a location that holds wherever the variable is in scope.
pub(crate) const ALWAYS: (u64, u64) = (0, u64::MAX);

/// The registers that a value is in or made of. What an address is made of is another matter: memory does not move with a register that leads to it.
pub(crate) fn registers(location: &LocationRange) -> Vec<u16> {
    match facts(&location.expression) {
        Some(facts) if facts.in_register || facts.computed && !facts.reads_memory => facts.registers,
        _ => Vec::new(),
    }
}

/// Gives variables, by their numbers, the locations that are left of theirs; how many variables these are.
pub(crate) fn replace(binding: &mut Binding, left: Vec<(usize, Vec<LocationRange>)>) -> usize {
    let count = left.len();
    for (index, locations) in left {
        binding.variables[index].locations = locations;
    }
    count
}

/// What a location attribute says.
#[derive(Clone, Debug, Default)]
pub(crate) struct Places {
    /// Sorted, disjoint.
    pub(crate) ranges: Vec<LocationRange>,
    /// Ranges of no length, sorted: what holds for a moment between two instructions, at the address of the second, before what `ranges` say there.
    pub(crate) momentary: Vec<LocationRange>,
    /// Why ranges were left out, once per range.
    pub(crate) refused: Vec<Inexpressible>,
    /// The place is the same in every frame: a fixed address or a constant.
    pub(crate) fixed: bool,
}

/// An entry of a location list: its range, and its expression unless it cannot be used.
type Listed = ((u64, u64), Option<Vec<u8>>);

/// Where expressions stand.
#[derive(Clone, Copy)]
pub(crate) struct At<'c, 'a, 'i> {
    pub(crate) image: &'c Image<'i>,
    pub(crate) debug: &'c Debug<'a>,
    pub(crate) unit: UnitId,
    /// The frame of the function, for a variable of one.
    pub(crate) frame: Option<ExpressionFrame<'c, 'a, 'i>>,
}

/// The places that the attributes of `entry` give; `None` when they give none.
pub(crate) fn places<'a>(
    at: At<'_, 'a, '_>,
    entry: &Entry<'a>,
    path: &[PathStep],
    encoding: Encoding,
) -> Option<Places> {
    let part = Part::of(path, encoding);
    let is_number = !path.contains(&PathStep::Deref) && encoding != Encoding::Address;
    let mut places = Places::default();
    match entry.attr_value(gimli::DW_AT_location) {
        None => {
            let constant = entry.attr(gimli::DW_AT_const_value)?.raw_value();
            // Behind a path the constant is a pointer.
            let encoding = if path.is_empty() {
                encoding
            } else {
                Encoding::Address
            };
            match constant_expression(constant, encoding).filter(|_| part.offset == 0) {
                Some(expression) => places.push(ALWAYS, expression),
                None => places.refused.push(Inexpressible::Other),
            }
            places.fixed = true;
        }
        Some(AttributeValue::Exprloc(expression)) => match checked(at, expression, part, is_number) {
            Ok(Some((bytes, place))) => {
                places.push(ALWAYS, bytes);
                places.fixed = matches!(place, LocationKind::Static(_));
            }
            Ok(None) => {}
            Err(refusal) => places.refused.push(refusal),
        },
        Some(value) => places.list(at, value, part, is_number),
    }
    Some(places)
}

impl Places {
    fn push(&mut self, (start, end): (u64, u64), expression: Vec<u8>) {
        self.ranges.push(LocationRange {
            start,
            end,
            expression,
        });
    }

    fn list<'a>(
        &mut self,
        at: At<'_, 'a, '_>,
        value: AttributeValue<Slice<'a>>,
        part: Part,
        is_number: bool,
    ) {
        let At { debug, unit, .. } = at;
        let Ok(Some(mut list)) = debug.dwarf(unit).attr_locations(&debug.units[unit], value) else {
            self.refused.push(Inexpressible::Damaged);
            return;
        };
        let mut listed: Vec<Listed> = Vec::new();
        let mut default = None;
        loop {
            let mut is_momentary = false;
            let item = list.next_raw().and_then(|raw| {
                raw.map(|mut raw| {
                    is_momentary = lengthen_momentary(&mut raw);
                    list.convert_raw(raw)
                })
                .transpose()
            });
            let item = match item {
                Ok(Some(Some(item))) => item,
                // Code that the linker has dropped.
                Ok(Some(None)) => continue,
                Ok(None) => break,
                Err(_) => {
                    self.refused.push(Inexpressible::Damaged);
                    break;
                }
            };
            let range = (item.range.begin, item.range.end);
            if is_momentary {
                if let Ok(Some((expression, _))) = checked(at, item.data, part, is_number) {
                    self.momentary.push(LocationRange {
                        start: range.0,
                        end: range.0,
                        expression,
                    });
                }
                continue;
            }
            let bytes = match checked(at, item.data, part, is_number) {
                Ok(place) => place.map(|(bytes, _)| bytes),
                Err(refusal) => {
                    self.refused.push(refusal);
                    None
                }
            };
            if range == ALWAYS {
                // DW_LLE_default_location: wherever no other entry says anything.
                default = bytes;
            } else {
                // An entry without a usable expression still keeps the default away from its range.
                listed.push((range, bytes));
            }
        }
        self.momentary.sort_by_key(|moment| moment.start);
        self.lay(listed, default);
    }

    /// Puts usable entries one after the other, and the default where no entry says anything.
    ///
    /// Where entries overlap, each of them is right: the first usable one is taken.
    fn lay(&mut self, mut listed: Vec<Listed>, default: Option<Vec<u8>>) {
        listed.sort_by_key(|&(range, _)| range);
        if let Some(default) = default {
            let mut end = 0;
            for &((start, stop), _) in &listed {
                if end < start {
                    self.push((end, start), default.clone());
                }
                end = end.max(stop);
            }
            self.push((end, u64::MAX), default);
        }
        let mut end = 0;
        for ((start, stop), bytes) in listed {
            let Some(bytes) = bytes else { continue };
            let start = start.max(end);
            if start >= stop {
                continue;
            }
            end = stop;
            match self.ranges.last_mut() {
                Some(last) if last.end == start && last.expression == bytes => last.end = stop,
                _ => self.push((start, stop), bytes),
            }
        }
        self.ranges.sort_by_key(|range| range.start);
    }
}

/// Makes an entry of a location list that is of no length one byte long, as gimli leaves such entries out; returns whether it was one.
fn lengthen_momentary<R: gimli::Reader<Offset = usize>>(raw: &mut RawLocListEntry<R>) -> bool {
    match raw {
        RawLocListEntry::AddressOrOffsetPair { begin, end, .. }
        | RawLocListEntry::OffsetPair { begin, end, .. }
        | RawLocListEntry::StartEnd { begin, end, .. }
            if begin == end =>
        {
            *end = end.saturating_add(1);
            true
        }
        RawLocListEntry::StartLength { length, .. } | RawLocListEntry::StartxLength { length, .. }
            if *length == 0 =>
        {
            *length = 1;
            true
        }
        _ => false,
    }
}

/// The place of `part` as the probe reads it; `None` where the location says that it is optimised out. `is_number` when no pointer is read.
fn checked<'a>(
    at: At<'_, 'a, '_>,
    expression: gimli::Expression<Slice<'a>>,
    part: Part,
    is_number: bool,
) -> Result<Option<(Vec<u8>, LocationKind)>, Inexpressible> {
    let At { debug, unit, .. } = at;
    let held = holding(expression, part, debug.units[unit].encoding())?;
    if held.place.0.is_empty() {
        return Ok(None);
    }
    let (bytes, place) = rewrite(debug, unit, held.place, at.frame)?;
    let start = held.holds.map_or(0, |(start, _)| start);
    if is_number && facts(&bytes).is_some_and(|facts| facts.is_stack_address()) {
        return Err(Inexpressible::StackAddress);
    }
    match place {
        LocationKind::Static(address) if !at.image.is_loaded(address) => Err(Inexpressible::Dropped),
        LocationKind::Value(length) if part.end() - start > length => Err(Inexpressible::Pieces),
        _ => Ok(Some((held.at_its_place(bytes), place))),
    }
}

/// `DW_AT_const_value` as an expression that pushes it.
fn constant_expression(value: AttributeValue<Slice<'_>>, encoding: Encoding) -> Option<Vec<u8>> {
    let (size, signed) = match encoding {
        Encoding::Signed(size) => (size, true),
        Encoding::Unsigned(size) | Encoding::Float(size) => (size, false),
        Encoding::Address => (8, false),
    };
    let float = matches!(encoding, Encoding::Float(_));
    // Constants of fixed size are bits; how far they are extended depends on the type.
    let bits = |bits: u64, bytes: u8| {
        if float && bytes != size {
            return None;
        }
        let unused = 64 - 8 * u32::from(bytes);
        Some(if signed {
            (bits << unused).cast_signed() >> unused
        } else {
            bits.cast_signed()
        })
    };
    let number = match value {
        AttributeValue::Data1(value) => bits(u64::from(value), 1)?,
        AttributeValue::Data2(value) => bits(u64::from(value), 2)?,
        AttributeValue::Data4(value) => bits(u64::from(value), 4)?,
        AttributeValue::Data8(value) => bits(value, 8)?,
        AttributeValue::Sdata(value) if !float => value,
        AttributeValue::Udata(value) if !float => value.cast_signed(),
        AttributeValue::Addr(value) if !float => {
            // An address moves with the program, which only DW_OP_addr says.
            let mut bytes = Vec::new();
            literal(&mut bytes, gimli::DW_OP_addr, value);
            bytes.push(gimli::DW_OP_stack_value.0);
            return Some(bytes);
        }
        AttributeValue::Block(block) if block.len() == usize::from(size) => {
            let mut padded = [0; 8];
            padded[..block.len()].copy_from_slice(block.slice());
            bits(u64::from_le_bytes(padded), size)?
        }
        _ => return None,
    };
    let mut bytes = vec![gimli::DW_OP_consts.0];
    let mut rest = number;
    loop {
        let low = (rest & 0x7f) as u8;
        rest >>= 7;
        let done = (rest == 0 && low & 0x40 == 0) || (rest == -1 && low & 0x40 != 0);
        bytes.push(if done { low } else { low | 0x80 });
        if done {
            break;
        }
    }
    bytes.push(gimli::DW_OP_stack_value.0);
    Some(bytes)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn decoded(value: AttributeValue<Slice<'static>>, encoding: Encoding) -> Option<i64> {
        let bytes = constant_expression(value, encoding)?;
        let mut slice = Slice::new(&bytes, gimli::LittleEndian);
        let format = gimli::Encoding {
            address_size: 8,
            format: gimli::Format::Dwarf32,
            version: 5,
        };
        match gimli::Operation::parse(&mut slice, format) {
            Ok(gimli::Operation::SignedConstant { value }) => Some(value),
            _ => None,
        }
    }

    #[test]
    fn constants_are_extended_as_their_type_says() {
        use AttributeValue::{Block, Data1, Data4, Sdata, Udata};
        assert_eq!(decoded(Data1(0xff), Encoding::Signed(4)), Some(-1));
        assert_eq!(decoded(Data1(0xff), Encoding::Unsigned(4)), Some(255));
        assert_eq!(decoded(Sdata(-64), Encoding::Signed(4)), Some(-64));
        assert_eq!(decoded(Sdata(64), Encoding::Signed(4)), Some(64));
        assert_eq!(decoded(Udata(u64::MAX), Encoding::Unsigned(8)), Some(-1));
        assert_eq!(decoded(Data4(7), Encoding::Float(8)), None);
        let half = Slice::new(&[0, 0, 0, 0, 0, 0, 0xe0, 0x3f], gimli::LittleEndian);
        assert_eq!(
            decoded(Block(half), Encoding::Float(8)),
            Some(0.5f64.to_bits().cast_signed())
        );
        assert_eq!(decoded(Block(half), Encoding::Signed(4)), None);
    }

    #[test]
    fn a_default_fills_the_gaps() {
        let mut places = Places::default();
        let listed = vec![
            ((15, 30), None),
            ((10, 20), Some(vec![1])),
            ((25, 40), Some(vec![2])),
        ];
        places.lay(listed, Some(vec![9]));
        let ranges = Vec::from_iter(places.ranges.iter().map(|r| (r.start, r.end, r.expression[0])));
        assert_eq!(ranges, [(0, 10, 9), (10, 20, 1), (25, 40, 2), (40, u64::MAX, 9)]);
    }
}
