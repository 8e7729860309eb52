//! The symbols of an ELF file, with names that take no more memory and time than the file justifies.
//!
//! A name is where the symbol says that it begins, up to a zero byte. Names may overlap: in a file of two megabytes a hundred thousand symbols can each have a name
//! of a megabyte. So no name is longer than any real one, and of all names together no more bytes are looked at than some times what the file has.

use object::elf;
use object::read::elf::{ElfFile64, FileHeader, SectionHeader, Sym};
use std::ffi::CStr;
use std::ops::ControlFlow;

/// Templates of C++ come to some thousand bytes.
const LONGEST: usize = 16 << 10;

/// Names that are the ends of others are stored with them, and two tables may share their names.
const TIMES: usize = 4;

/// A symbol that the file defines.
pub(crate) struct Symbol<'f> {
    pub(crate) name: &'f str,
    pub(crate) address: u64,
    pub(crate) size: u64,
    /// A function, or a label of assembly code, which has no type.
    pub(crate) is_code: bool,
}

/// Which tables are read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Tables {
    /// What the dynamic linker uses.
    Dynamic,
    /// That, and behind it the one that `strip` removes.
    All,
}

/// Calls `each` with the symbols that `bytes` define, until it says that it has enough.
pub(crate) fn for_each<'f>(bytes: &'f [u8], tables: Tables, mut each: impl FnMut(Symbol<'f>) -> bool) {
    let Ok(file) = ElfFile64::<object::LittleEndian>::parse(bytes) else {
        return;
    };
    let mut left = bytes.len().saturating_mul(TIMES).saturating_add(LONGEST);
    let kinds = [elf::SHT_DYNSYM, elf::SHT_SYMTAB];
    let kinds = &kinds[..if tables == Tables::All { 2 } else { 1 }];
    for &kind in kinds {
        if of_table(&file, kind, &mut left, &mut each).is_break() {
            return;
        }
    }
}

/// Whether the program or shared object of these bytes has a function of this name in itself. One that was stripped tells only of what others may call.
#[must_use]
pub fn defines_function(bytes: &[u8], name: &str) -> bool {
    let mut is_there = false;
    for_each(bytes, Tables::All, |symbol| {
        is_there = symbol.is_code && symbol.name == name;
        !is_there
    });
    is_there
}

/// Breaks off when there is to be no more.
fn of_table<'f>(
    file: &ElfFile64<'f, object::LittleEndian>,
    kind: elf::SectionType,
    left: &mut usize,
    each: &mut impl FnMut(Symbol<'f>) -> bool,
) -> ControlFlow<()> {
    let (endian, data) = (file.endian(), file.data());
    let Ok(sections) = file.elf_header().sections(endian, data) else {
        return ControlFlow::Break(());
    };
    let Ok(table) = sections.symbols(endian, data, kind) else {
        return ControlFlow::Continue(());
    };
    let strings = sections.section(table.string_section());
    let strings = strings.ok().and_then(|section| section.data(endian, data).ok());
    let strings = strings.unwrap_or_default();
    for symbol in table.iter() {
        if symbol.is_undefined(endian) {
            continue;
        }
        let start = usize::try_from(symbol.st_name(endian)).unwrap_or(usize::MAX);
        let rest = strings.get(start..).unwrap_or_default();
        let longest = rest.len().min(LONGEST).min(*left);
        let name = CStr::from_bytes_until_nul(&rest[..longest]).ok();
        let length = name.map(CStr::count_bytes);
        *left -= length.unwrap_or(longest);
        let name = name.and_then(|name| name.to_str().ok());
        let Some(name) = name.filter(|name| !name.is_empty()) else {
            if *left == 0 {
                return ControlFlow::Break(());
            }
            continue;
        };
        let more = each(Symbol {
            name,
            address: symbol.st_value(endian),
            size: symbol.st_size(endian),
            is_code: matches!(
                symbol.st_type(),
                elf::STT_FUNC | elf::STT_GNU_IFUNC | elf::STT_NOTYPE
            ),
        });
        if !more {
            return ControlFlow::Break(());
        }
    }
    ControlFlow::Continue(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn all(bytes: &[u8]) -> (usize, usize) {
        let (mut count, mut length) = (0, 0);
        for_each(bytes, Tables::All, |symbol| {
            count += 1;
            length += symbol.name.len();
            true
        });
        (count, length)
    }

    #[test]
    fn a_function_is_a_programs_own_or_a_librarys() {
        let bytes = std::fs::read("/proc/self/exe").unwrap();
        assert!(defines_function(&bytes, "main"));
        assert!(!defines_function(&bytes, "realpath"), "the C library has it");
        assert!(!defines_function(b"\x7fELF, and nothing else", "main"));
    }

    /// This program's own table, but with names that all begin somewhere in one that is as long as the table of names.
    #[test]
    fn names_that_overlap_take_no_more_than_their_file_justifies() {
        let mut bytes = std::fs::read("/proc/self/exe").unwrap();
        let (count, _) = all(&bytes);
        assert!(count > 1000);
        let (table, strings) = {
            let file = ElfFile64::<object::LittleEndian>::parse(&*bytes).unwrap();
            let sections = file.elf_header().sections(file.endian(), &*bytes).unwrap();
            let table = sections.symbols(file.endian(), &*bytes, elf::SHT_SYMTAB).unwrap();
            let range = |section: object::SectionIndex| {
                let range = sections
                    .section(section)
                    .unwrap()
                    .file_range(file.endian())
                    .unwrap();
                range.0 as usize..(range.0 + range.1) as usize
            };
            (range(table.section()), range(table.string_section()))
        };
        bytes[strings].fill(b'a');
        let started = bytes[table.clone()].len() / 24;
        assert_eq!(
            all(&bytes).1 / LONGEST,
            0,
            "without an end there is no name but those of the dynamic table"
        );
        // Every name has an end, just within what is a name: all together would be far more than the file.
        for (at, byte) in bytes.iter_mut().enumerate() {
            if at % LONGEST == 0 && *byte == b'a' {
                *byte = 0;
            }
        }
        let (_, length) = all(&bytes);
        assert!(started * LONGEST / 2 > TIMES * bytes.len());
        assert!(
            (bytes.len() / 8..=TIMES * bytes.len() + LONGEST).contains(&length),
            "{length} of {}",
            bytes.len()
        );
    }
}
