//! The debug info of one executable: units parsed once, references followed anywhere.
//!
//! A reference leads from one entry to another: within a unit, into another unit (`DW_FORM_ref_addr`, all over LTO
//! builds), to a type unit by signature, or into the file where `dwz` put what several programs share. [`Debug`] hides
//! the difference; a [`Die`] names an entry of any unit.
//!
//! A unit may be in two halves (`-gsplit-dwarf`): a skeleton in the program, which has the line table and the addresses, and the
//! entries in a `.dwo` file or in a package of such files. Both are units here, and know each other.

use crate::declared::{self, Definitions};
use crate::elf::Image;
use crate::paths::{join, normalise};
use crate::sections::{Sections, borrow};
use base::{IdVec, define_id};
use gimli::{AttributeValue, DebugInfoOffset, DwAt, EndianSlice, LittleEndian, UnitOffset, UnitType};
use std::collections::BTreeMap;
use std::ops::Range;
use std::sync::OnceLock;

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

#[cfg(test)]
impl Die {
    /// The entry at an offset of the first unit.
    pub(crate) fn at(offset: usize) -> Self {
        Self {
            unit: base::Id::from_index(0),
            offset: UnitOffset(offset),
        }
    }
}

/// How far a chain of references (origin of an origin, a typedef of a typedef) is followed: no compiler comes near,
/// and a damaged file may have a cycle.
const CHAIN_LIMIT: usize = 64;

/// Parsed units and the ways between them.
pub(crate) struct Debug<'a> {
    /// The files: the first is the program's own, the others hold split units and what `dwz` took out.
    files: Vec<DebugFile<'a>>,
    /// In the order of the files.
    pub(crate) units: IdVec<UnitId, Unit<'a>>,
    /// Which of the files a unit is in.
    home: IdVec<UnitId, usize>,
    /// The other half of a unit whose entries are in a file of their own, both ways.
    halves: BTreeMap<UnitId, UnitId>,
    /// Type units by signature.
    types: BTreeMap<u64, Die>,
    /// What the declared classes are; looked for when the first one is met.
    definitions: OnceLock<Definitions>,
    /// Which of the files is the supplementary one.
    supplementary: Option<usize>,
    /// Skeletons without their other half: where that should be, and why it is not there.
    pub(crate) missing: Vec<(String, Missing)>,
    /// Units that could not be parsed, with the reason.
    pub(crate) bad_units: Vec<String>,
    /// The supplementary file that holds a part of the entries and was not to be had.
    pub(crate) without: Option<String>,
}

/// One file with debug info.
struct DebugFile<'a> {
    dwarf: gimli::Dwarf<Slice<'a>>,
    /// Units of `.debug_info` by their offset there, sorted.
    starts: Vec<(usize, UnitId)>,
}

/// Why a unit's other half is missing.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Missing {
    /// No such file was given.
    File,
    /// The file is of another compilation.
    OtherBuild,
    /// The file cannot be read.
    Damaged,
}

impl<'a> Debug<'a> {
    /// Parses all unit headers, abbreviations and root entries.
    pub(crate) fn parse(sections: &'a Sections<'_>) -> Self {
        let mut debug = Debug {
            files: Vec::new(),
            units: IdVec::new(),
            home: IdVec::new(),
            halves: BTreeMap::new(),
            types: BTreeMap::new(),
            definitions: OnceLock::new(),
            supplementary: None,
            missing: Vec::new(),
            bad_units: Vec::new(),
            without: sections.without.clone(),
        };
        let mut dwarf = borrow(&sections.own);
        if let Some(sections) = &sections.supplementary {
            dwarf.set_sup(borrow(sections));
        }
        debug.add_file(dwarf);
        debug.add_split(sections);
        if let Some(sections) = &sections.supplementary {
            debug.supplementary = Some(debug.files.len());
            debug.add_file(borrow(sections));
        }
        debug
    }

    /// Adds all units of a file; returns those with entries about code.
    fn add_file(&mut self, mut dwarf: gimli::Dwarf<Slice<'a>>) -> Vec<UnitId> {
        dwarf.populate_abbreviations_cache(gimli::AbbreviationsCacheStrategy::Duplicates);
        let file = self.files.len();
        let (mut headers, mut type_headers) = (dwarf.units(), dwarf.type_units());
        let starts = Vec::new();
        self.files.push(DebugFile { dwarf, starts });
        let mut added = Vec::new();
        loop {
            match headers.next() {
                Ok(Some(header)) => added.extend(self.add_unit(file, header)),
                Ok(None) => break,
                Err(error) => {
                    self.bad_units.push(error.to_string());
                    break;
                }
            }
        }
        while let Ok(Some(header)) = type_headers.next() {
            self.add_unit(file, header);
        }
        added
    }

    fn add_unit(&mut self, file: usize, header: gimli::UnitHeader<Slice<'a>>) -> Option<UnitId> {
        let start = header.debug_info_offset();
        let signature = match header.type_() {
            UnitType::Type {
                type_signature,
                type_offset,
            }
            | UnitType::SplitType {
                type_signature,
                type_offset,
            } => Some((type_signature.0, type_offset)),
            _ => None,
        };
        if header.address_size() != 8 {
            self.bad_units
                .push(format!("addresses of {} bytes", header.address_size()));
            return None;
        }
        let unit = match self.files[file].dwarf.unit(header) {
            Ok(unit) => unit,
            Err(error) => {
                self.bad_units.push(error.to_string());
                return None;
            }
        };
        let id = self.units.push(unit);
        self.home.push(file);
        if let Some(start) = start {
            self.files[file].starts.push((start.0, id));
        }
        match signature {
            Some((signature, offset)) => {
                self.types.entry(signature).or_insert(Die { unit: id, offset });
                None
            }
            None => Some(id),
        }
    }

    /// Finds the other halves of the program's skeleton units.
    fn add_split(&mut self, sections: &'a Sections<'_>) {
        let package = sections.package.as_ref().map(|package| {
            let empty = Slice::new(&[], LittleEndian);
            package.borrow(|bytes| Slice::new(bytes, LittleEndian), empty)
        });
        let package = package.and_then(Result::ok);
        let mut in_package = false;
        for skeleton in Vec::from_iter(self.units.ids()) {
            let Some(name) = self.split_name(skeleton) else {
                continue;
            };
            let parent = &self.files[0].dwarf;
            let packed = package
                .as_ref()
                .zip(self.units[skeleton].dwo_id)
                .and_then(|(package, id)| package.find_cu(id, parent).ok().flatten());
            in_package |= packed.is_some();
            let dwarf = match (packed, sections.split.get(&name)) {
                (Some(dwarf), _) => dwarf,
                (None, Some(Ok(sections))) => {
                    let mut dwarf = borrow(sections);
                    dwarf.make_dwo(parent);
                    dwarf
                }
                (None, Some(Err(()))) => {
                    self.missing.push((name, Missing::Damaged));
                    continue;
                }
                (None, None) => {
                    self.missing.push((name, Missing::File));
                    continue;
                }
            };
            // What is of another compilation must not be seen at all: its addresses would lead into this one's table.
            let id = self.units[skeleton].dwo_id;
            if id.is_none() || !has_unit(&dwarf, id) {
                self.missing.push((name, Missing::OtherBuild));
                continue;
            }
            let added = self.add_file(dwarf);
            let half = added.iter().copied().find(|&unit| self.units[unit].dwo_id == id);
            let Some(half) = half else {
                self.missing.push((name, Missing::Damaged));
                continue;
            };
            let bases = &self.units[skeleton];
            let (low_pc, addr_base) = (bases.low_pc, bases.addr_base);
            let (rnglists_base, comp_dir) = (bases.rnglists_base, bases.comp_dir);
            let whole = &mut self.units[half];
            whole.low_pc = low_pc;
            whole.addr_base = addr_base;
            if whole.header.version() < 5 {
                whole.rnglists_base = rnglists_base;
            }
            whole.comp_dir = whole.comp_dir.or(comp_dir);
            self.halves.insert(skeleton, half);
            self.halves.insert(half, skeleton);
        }
        if let Some(package) = package.filter(|_| in_package) {
            for unit in 1..=package.tu_index.unit_count() {
                if let Ok(dwarf) = package.tu_sections(unit, &self.files[0].dwarf) {
                    self.add_file(dwarf);
                }
            }
        }
    }

    /// Where the entries of a skeleton unit are: the path as the compiler wrote it, below the compilation's directory.
    pub(crate) fn split_name(&self, unit: UnitId) -> Option<String> {
        let parsed = &self.units[unit];
        if self.home[unit] != 0 {
            return None;
        }
        let name = parsed.dwo_name().ok().flatten();
        if name.is_none() && !matches!(parsed.header.type_(), UnitType::Skeleton(_)) {
            return None;
        }
        let name = name.and_then(|name| self.string(unit, name)).map(text);
        let directory = parsed.comp_dir.map(text).unwrap_or_default();
        Some(normalise(&join(
            &directory,
            &name.unwrap_or_else(|| "?".to_owned()),
        )))
    }

    /// Whether a unit is in the program or its debug file.
    pub(crate) fn is_own(&self, unit: UnitId) -> bool {
        self.home[unit] == 0
    }

    /// The half of a unit that has the entries.
    pub(crate) fn whole(&self, unit: UnitId) -> UnitId {
        match self.halves.get(&unit) {
            Some(&half) if self.home[unit] == 0 => half,
            _ => unit,
        }
    }

    /// The half of a unit that has the line table.
    pub(crate) fn with_lines(&self, unit: UnitId) -> UnitId {
        match self.halves.get(&unit) {
            Some(&skeleton) if self.home[unit] != 0 => skeleton,
            _ => unit,
        }
    }

    /// The file that a unit is in.
    pub(crate) fn dwarf(&self, unit: UnitId) -> &gimli::Dwarf<Slice<'a>> {
        &self.files[self.home[unit]].dwarf
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
            AttributeValue::DebugInfoRef(offset) => self.at(self.home[unit], offset),
            AttributeValue::DebugInfoRefSup(offset) => self.at(self.supplementary?, offset),
            AttributeValue::DebugTypesRef(signature) => self.types.get(&signature.0).copied(),
            _ => None,
        }
    }

    fn at(&self, file: usize, offset: DebugInfoOffset) -> Option<Die> {
        let starts = &self.files[file].starts;
        let after = starts.partition_point(|&(start, _)| start <= offset.0);
        let unit = starts.get(after.checked_sub(1)?)?.1;
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

    /// The first string attribute of that name along a chain of origins.
    pub(crate) fn string_along(&self, chain: &[(Die, Entry<'a>)], name: DwAt) -> Option<String> {
        let strings = chain.iter();
        let mut strings = strings.filter_map(|(die, entry)| self.string_attr(die.unit, entry, name));
        strings.next().map(text)
    }

    /// A string attribute. One that is longer than any real name is none: thousands of functions may share a name of a megabyte that is in the file once, and
    /// each of them keeps its own.
    pub(crate) fn string(&self, unit: UnitId, value: Value<'a>) -> Option<Slice<'a>> {
        let string = self.dwarf(unit).attr_string(&self.units[unit], value).ok()?;
        (string.len() <= LONGEST_NAME).then_some(string)
    }

    /// A string attribute of `entry`.
    pub(crate) fn string_attr(&self, unit: UnitId, entry: &Entry<'a>, name: DwAt) -> Option<Slice<'a>> {
        self.string(unit, entry.attr_value(name)?)
    }

    /// The type of `entry`.
    pub(crate) fn type_of(&self, unit: UnitId, entry: &Entry<'a>) -> Option<Die> {
        self.follow(unit, entry.attr_value(gimli::DW_AT_type)?)
    }

    /// The type without its names and qualifiers; `None` for `void` and for a chain that does not end. A class that is only declared
    /// here is the one of that name, if there is one.
    pub(crate) fn bare_type(&self, die: Die) -> Option<(Die, Entry<'a>)> {
        let (die, entry) = self.bare_entry(die)?;
        if !declared::is_declaration(&entry) {
            return Some((die, entry));
        }
        let definitions = self.definitions.get_or_init(|| declared::definitions(self));
        match definitions.get(&die) {
            Some(&definition) => Some((definition, self.entry(definition)?)),
            None => Some((die, entry)),
        }
    }

    /// The type without its names and qualifiers, as this unit has it.
    pub(crate) fn bare_entry(&self, die: Die) -> Option<(Die, Entry<'a>)> {
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
        union(self.listed_ranges(image, unit, entry))
    }

    /// Where the code of a function begins to be executed: compilers list that part first, wherever it lies.
    pub(crate) fn first_address(&self, image: &Image<'_>, unit: UnitId, entry: &Entry<'a>) -> Option<u64> {
        let first = self.listed_ranges(image, unit, entry).into_iter().next();
        first.map(|range| range.start)
    }

    /// The addresses of `entry` as they are listed.
    fn listed_ranges(&self, image: &Image<'_>, unit: UnitId, entry: &Entry<'a>) -> Vec<Range<u64>> {
        let mut ranges = Vec::new();
        let mut add = |start: u64, end: u64| {
            if start < end && image.is_code(start) {
                ranges.push(start..end);
            }
        };
        let dwarf = self.dwarf(unit);
        let unit = &self.units[unit];
        if let Some(value) = entry.attr_value(gimli::DW_AT_ranges) {
            if let Ok(Some(mut list)) = dwarf.attr_ranges(unit, value) {
                while let Ok(Some(range)) = list.next() {
                    add(range.begin, range.end);
                }
            }
        } else if let (Some(low), Some(high)) = (
            entry.attr_value(gimli::DW_AT_low_pc),
            entry.attr_value(gimli::DW_AT_high_pc),
        ) && let Ok(Some(low)) = dwarf.attr_address(unit, low)
        {
            let high = match high.udata_value() {
                Some(size) => Some(low.saturating_add(size)),
                None => dwarf.attr_address(unit, high).ok().flatten(),
            };
            add(low, high.unwrap_or(low));
        }
        ranges
    }
}

/// Whether a file has the unit with this id.
fn has_unit(dwarf: &gimli::Dwarf<Slice<'_>>, id: Option<gimli::DwoId>) -> bool {
    let mut headers = dwarf.units();
    while let Ok(Some(header)) = headers.next() {
        if dwarf.unit(header).is_ok_and(|unit| unit.dwo_id == id) {
            return true;
        }
    }
    false
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

/// Templates of C++ come to some thousand bytes.
pub(crate) const LONGEST_NAME: usize = 16 << 10;

/// Text of the debug info; bytes that are not UTF-8 are replaced.
pub(crate) fn text(bytes: Slice<'_>) -> String {
    bytes.to_string_lossy().into_owned()
}
