//! The debug info of one executable: sections decompressed once, units parsed once, references followed anywhere.
//!
//! A reference leads from one entry to another: within a unit, into another unit (`DW_FORM_ref_addr`, all over LTO
//! builds) or to a type unit by signature. [`Debug`] hides the difference; a [`Die`] names an entry of any unit.

use crate::BindError;
use crate::elf::Image;
use base::{IdVec, define_id};
use gimli::{AttributeValue, DebugInfoOffset, DwAt, EndianSlice, LittleEndian, UnitOffset, UnitType};
use object::{Object as _, ObjectSection as _};
use std::borrow::Cow;
use std::collections::BTreeMap;
use std::ops::Range;

pub(crate) type Slice<'a> = EndianSlice<'a, LittleEndian>;
pub(crate) type Entry<'a> = gimli::DebuggingInformationEntry<Slice<'a>>;
pub(crate) type Unit<'a> = gimli::Unit<Slice<'a>>;
pub(crate) type Value<'a> = AttributeValue<Slice<'a>>;

define_id!(
    /// A unit of the debug info.
    UnitId, "unit"
);

/// An entry of the debug info, whichever unit it is in.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Die {
    pub(crate) unit: UnitId,
    pub(crate) offset: UnitOffset,
}

/// How far a chain of references (origin of an origin, a typedef of a typedef) is followed: no compiler comes near,
/// and a damaged file may have a cycle.
const CHAIN_LIMIT: usize = 64;

/// The bytes of the debug sections, decompressed where they were compressed.
pub(crate) struct Sections<'a> {
    sections: gimli::DwarfSections<Cow<'a, [u8]>>,
    /// The supplementary file that `dwz` moved common parts to.
    supplementary: Option<String>,
}

impl<'a> Sections<'a> {
    /// Decompresses the debug sections of `image`.
    pub(crate) fn load(image: &Image<'a>) -> Result<Self, BindError> {
        let load = |id: gimli::SectionId| match image.file.section_by_name(id.name()) {
            None => Ok(Cow::Borrowed(&[][..])),
            Some(section) => section
                .uncompressed_data()
                .map_err(|error| BindError::Damaged(format!("section {}: {error}", id.name()))),
        };
        let supplementary = image.file.gnu_debugaltlink().ok().flatten();
        Ok(Self {
            sections: gimli::DwarfSections::load(load)?,
            supplementary: supplementary.map(|(name, _)| String::from_utf8_lossy(name).into_owned()),
        })
    }
}

/// Parsed units and the ways between them.
pub(crate) struct Debug<'a> {
    pub(crate) dwarf: gimli::Dwarf<Slice<'a>>,
    /// In the order of the file.
    pub(crate) units: IdVec<UnitId, Unit<'a>>,
    /// Units of `.debug_info` by their offset there, sorted.
    starts: Vec<(usize, UnitId)>,
    /// Type units by signature.
    types: BTreeMap<u64, Die>,
    /// `.dwo` names of units that are skeletons.
    pub(crate) split: Vec<String>,
    /// Units that could not be parsed, with the reason.
    pub(crate) bad_units: Vec<String>,
    /// The supplementary file that holds a part of the entries.
    pub(crate) supplementary: Option<String>,
}

impl<'a> Debug<'a> {
    /// Parses all unit headers, abbreviations and root entries.
    pub(crate) fn parse(sections: &'a Sections<'_>) -> Self {
        let mut dwarf = sections
            .sections
            .borrow(|bytes| EndianSlice::new(bytes, LittleEndian));
        dwarf.populate_abbreviations_cache(gimli::AbbreviationsCacheStrategy::Duplicates);
        let mut debug = Debug {
            dwarf,
            units: IdVec::new(),
            starts: Vec::new(),
            types: BTreeMap::new(),
            split: Vec::new(),
            bad_units: Vec::new(),
            supplementary: sections.supplementary.clone(),
        };
        let mut headers = debug.dwarf.units();
        loop {
            match headers.next() {
                Ok(Some(header)) => debug.add_unit(header),
                Ok(None) => break,
                Err(error) => {
                    debug.bad_units.push(error.to_string());
                    break;
                }
            }
        }
        let mut headers = debug.dwarf.type_units();
        while let Ok(Some(header)) = headers.next() {
            debug.add_unit(header);
        }
        debug
    }

    fn add_unit(&mut self, header: gimli::UnitHeader<Slice<'a>>) {
        let start = header.debug_info_offset();
        let signature = match header.type_() {
            UnitType::Type {
                type_signature,
                type_offset,
            } => Some((type_signature.0, type_offset)),
            _ => None,
        };
        if header.address_size() != 8 {
            self.bad_units
                .push(format!("addresses of {} bytes", header.address_size()));
            return;
        }
        let unit = match self.dwarf.unit(header) {
            Ok(unit) => unit,
            Err(error) => {
                self.bad_units.push(error.to_string());
                return;
            }
        };
        let dwo = unit.dwo_name().ok().flatten();
        if dwo.is_some() || matches!(header.type_(), UnitType::Skeleton(_)) {
            let name = dwo.and_then(|value| self.dwarf.attr_string(&unit, value).ok());
            self.split.push(name.map_or_else(|| "?".to_owned(), text));
        }
        let id = self.units.push(unit);
        if let Some(start) = start {
            self.starts.push((start.0, id));
        }
        if let Some((signature, offset)) = signature {
            self.types.entry(signature).or_insert(Die { unit: id, offset });
        }
    }

    /// The entry itself; `None` when the reference leads nowhere.
    pub(crate) fn entry(&self, die: Die) -> Option<Entry<'a>> {
        self.units[die.unit].entry(die.offset).ok()
    }

    /// The root entry of a unit.
    pub(crate) fn root(&self, unit: UnitId) -> Option<Entry<'a>> {
        let offset = self.units[unit].header.root_offset();
        self.entry(Die { unit, offset })
    }

    /// The entry that an attribute of `unit` refers to.
    pub(crate) fn follow(&self, unit: UnitId, value: Value<'a>) -> Option<Die> {
        match value {
            AttributeValue::UnitRef(offset) => Some(Die { unit, offset }),
            AttributeValue::DebugInfoRef(offset) => self.at(offset),
            AttributeValue::DebugTypesRef(signature) => self.types.get(&signature.0).copied(),
            _ => None,
        }
    }

    fn at(&self, offset: DebugInfoOffset) -> Option<Die> {
        let after = self.starts.partition_point(|&(start, _)| start <= offset.0);
        let unit = self.starts.get(after.checked_sub(1)?)?.1;
        let offset = offset.to_unit_offset(&self.units[unit].header)?;
        Some(Die { unit, offset })
    }

    /// The chain from `die` through abstract origins and specifications, `die` first.
    pub(crate) fn origins(&self, die: Die) -> Vec<(Die, Entry<'a>)> {
        let mut chain = Vec::new();
        let mut next = Some(die);
        while let Some(die) = next.filter(|_| chain.len() < CHAIN_LIMIT) {
            let Some(entry) = self.entry(die) else { break };
            next = entry
                .attr_value(gimli::DW_AT_abstract_origin)
                .or_else(|| entry.attr_value(gimli::DW_AT_specification))
                .and_then(|value| self.follow(die.unit, value));
            chain.push((die, entry));
        }
        chain
    }

    /// A string attribute.
    pub(crate) fn string(&self, unit: UnitId, value: Value<'a>) -> Option<Slice<'a>> {
        self.dwarf.attr_string(&self.units[unit], value).ok()
    }

    /// A string attribute of `entry`.
    pub(crate) fn string_attr(&self, unit: UnitId, entry: &Entry<'a>, name: DwAt) -> Option<Slice<'a>> {
        self.string(unit, entry.attr_value(name)?)
    }

    /// The type of `entry`.
    pub(crate) fn type_of(&self, unit: UnitId, entry: &Entry<'a>) -> Option<Die> {
        self.follow(unit, entry.attr_value(gimli::DW_AT_type)?)
    }

    /// The type without its names and qualifiers; `None` for `void` and for a chain that does not end.
    pub(crate) fn bare_type(&self, die: Die) -> Option<(Die, Entry<'a>)> {
        let mut die = die;
        for _ in 0..CHAIN_LIMIT {
            let entry = self.entry(die)?;
            match entry.tag() {
                gimli::DW_TAG_typedef
                | gimli::DW_TAG_const_type
                | gimli::DW_TAG_volatile_type
                | gimli::DW_TAG_restrict_type
                | gimli::DW_TAG_atomic_type
                | gimli::DW_TAG_immutable_type => die = self.type_of(die.unit, &entry)?,
                _ => return Some((die, entry)),
            }
        }
        None
    }

    /// The addresses of `entry`, sorted, disjoint, as far as they are code of `image`.
    pub(crate) fn ranges(&self, image: &Image<'_>, unit: UnitId, entry: &Entry<'a>) -> Vec<Range<u64>> {
        let mut ranges = Vec::new();
        let mut add = |start: u64, end: u64| {
            if start < end && image.is_code(start) {
                ranges.push(start..end);
            }
        };
        let unit = &self.units[unit];
        if let Some(value) = entry.attr_value(gimli::DW_AT_ranges) {
            if let Ok(Some(mut list)) = self.dwarf.attr_ranges(unit, value) {
                while let Ok(Some(range)) = list.next() {
                    add(range.begin, range.end);
                }
            }
        } else if let (Some(low), Some(high)) = (
            entry.attr_value(gimli::DW_AT_low_pc),
            entry.attr_value(gimli::DW_AT_high_pc),
        ) && let Ok(Some(low)) = self.dwarf.attr_address(unit, low)
        {
            let high = match high.udata_value() {
                Some(size) => Some(low.saturating_add(size)),
                None => self.dwarf.attr_address(unit, high).ok().flatten(),
            };
            add(low, high.unwrap_or(low));
        }
        union(ranges)
    }
}

/// Sorted and joined ranges.
fn union(mut ranges: Vec<Range<u64>>) -> Vec<Range<u64>> {
    ranges.sort_unstable_by_key(|range| (range.start, range.end));
    let mut joined: Vec<Range<u64>> = Vec::with_capacity(ranges.len());
    for range in ranges {
        match joined.last_mut() {
            Some(last) if range.start <= last.end => last.end = last.end.max(range.end),
            _ => joined.push(range),
        }
    }
    joined
}

/// The parts of `ranges` (sorted, disjoint) that lie in `within`.
pub(crate) fn clip(ranges: &[Range<u64>], within: &Range<u64>) -> impl Iterator<Item = Range<u64>> {
    let first = ranges.partition_point(|range| range.end <= within.start);
    ranges[first..]
        .iter()
        .take_while(|range| range.start < within.end)
        .map(|range| range.start.max(within.start)..range.end.min(within.end))
}

/// Text of the debug info; bytes that are not UTF-8 are replaced.
pub(crate) fn text(bytes: Slice<'_>) -> String {
    bytes.to_string_lossy().into_owned()
}
