//! Which parts of a file tell what build it is and hold what is ours: all that a map inside a large program needs, without the rest of it.
//!
//! Where a part is, the part before tells. So a reader starts with zeros for the whole file and goes through [`STEPS`], each of which sees what was read
//! so far. Whatever reads a build's identity or our sections finds in the outline what it finds in the file.

use crate::section::{Header, LE, SectionHeader, Sections};
use object::elf;
use object::pod::from_bytes;
use object::read::elf::{FileHeader as _, ProgramHeader as _, SectionHeader as _};
use std::ops::Range;

/// The parts of a file that one step asks for, in bytes from its start, by what the steps before have read; they may go beyond its end.
pub type Step = fn(&[u8]) -> Vec<Range<usize>>;

/// What is to be read, one step after the other.
pub const STEPS: [Step; 5] = [header, tables, all_sections, names_and_notes, contents];

/// Ours, and those by which builds are told apart and debug info is found.
const WANTED: [&str; 4] = [crate::MAP, crate::UNITS, ".text", ".gnu_debuglink"];

fn header(_: &[u8]) -> Vec<Range<usize>> {
    std::iter::once(0..size_of::<Header>()).collect()
}

/// The program headers, and as much of the section table as the header says.
fn tables(file: &[u8]) -> Vec<Range<usize>> {
    let Ok((header, _)) = from_bytes::<Header>(file) else {
        return Vec::new();
    };
    let table = |start: u64, count: u16, size: u16| part(start, u64::from(count) * u64::from(size));
    // The first entry tells how many there are if the header cannot.
    let sections = header.e_shnum.get(LE).max(1);
    vec![
        table(
            header.e_phoff.get(LE),
            header.e_phnum.get(LE),
            header.e_phentsize.get(LE),
        ),
        table(header.e_shoff.get(LE), sections, header.e_shentsize.get(LE)),
    ]
}

/// The section table of a file that has too many sections for its header.
fn all_sections(file: &[u8]) -> Vec<Range<usize>> {
    let Ok((header, _)) = from_bytes::<Header>(file) else {
        return Vec::new();
    };
    let start = header.e_shoff.get(LE);
    let first = part(start, size_of::<SectionHeader>() as u64);
    let first = file
        .get(first)
        .and_then(|first| from_bytes::<SectionHeader>(first).ok());
    match first {
        Some((first, _)) if header.e_shnum.get(LE) == 0 && start != 0 => {
            let size = u64::from(header.e_shentsize.get(LE));
            vec![part(start, first.sh_size(LE).saturating_mul(size))]
        }
        _ => Vec::new(),
    }
}

fn names_and_notes(file: &[u8]) -> Vec<Range<usize>> {
    let mut parts = Vec::new();
    if let Ok((header, _)) = from_bytes::<Header>(file) {
        let segments = header.program_headers(LE, file).unwrap_or_default();
        let notes = segments.iter().filter(|each| each.p_type(LE) == elf::PT_NOTE);
        parts.extend(notes.map(|each| part(each.p_offset(LE), each.p_filesz(LE))));
    }
    if let Ok(sections) = Sections::of(file) {
        let wanted = sections.headers.iter().enumerate();
        let wanted =
            wanted.filter(|(index, each)| *index == sections.names || each.sh_type(LE) == elf::SHT_NOTE);
        parts.extend(wanted.map(|(_, each)| place(each)));
    }
    parts
}

fn contents(file: &[u8]) -> Vec<Range<usize>> {
    let Ok(sections) = Sections::of(file) else {
        return Vec::new();
    };
    let Ok(wanted) = sections.named(&WANTED) else {
        return Vec::new();
    };
    let wanted = wanted.map(|index| &sections.headers[index]);
    let with_bytes = wanted.filter(|each| each.sh_type(LE) != elf::SHT_NOBITS);
    with_bytes.map(place).collect()
}

fn place(section: &SectionHeader) -> Range<usize> {
    part(section.sh_offset(LE), section.sh_size(LE))
}

fn part(start: u64, size: u64) -> Range<usize> {
    let at = |offset: u64| usize::try_from(offset).unwrap_or(usize::MAX);
    at(start)..at(start.saturating_add(size))
}

#[cfg(test)]
#[allow(clippy::disallowed_methods, reason = "the test reads itself")]
mod tests {
    use super::*;
    use crate::{Kind, section, with_section};

    /// What the steps read of a file; everything else is zero.
    fn outline(file: &[u8]) -> (Vec<u8>, usize) {
        let mut found = vec![0; file.len()];
        let mut read = 0;
        for step in STEPS {
            for part in step(&found) {
                let part = part.start.min(file.len())..part.end.min(file.len());
                read += part.len();
                found[part.clone()].copy_from_slice(&file[part]);
            }
        }
        (found, read)
    }

    #[test]
    fn an_outline_has_what_is_ours_and_little_else() {
        let itself = std::fs::read(std::env::current_exe().unwrap()).unwrap();
        let map = vec![7; 10_000];
        let with_map = with_section(&itself, crate::MAP, &map, Kind::Joined).unwrap();
        let filler = vec![1; 64 << 20];
        let large = with_section(&with_map, ".filler", &filler, Kind::Joined).unwrap();
        let (outline, read) = outline(&large);
        assert_eq!(section(&outline, crate::MAP), Ok(Some(&map[..])));
        assert_eq!(section(&outline, ".text"), section(&large, ".text"));
        assert_eq!(section(&outline, crate::UNITS), Ok(None));
        assert!(read < itself.len(), "{read} of {} bytes", large.len());
    }

    #[test]
    fn damaged_tables_ask_for_what_is_there() {
        let mut file = std::fs::read(std::env::current_exe().unwrap()).unwrap();
        let table = match Sections::of(&file) {
            Ok(_) => from_bytes::<Header>(&file).unwrap().0.e_shoff.get(LE) as usize,
            Err(error) => panic!("{error}"),
        };
        // Both the file's own header and some of its sections'.
        for at in (16..64).chain((table..file.len().min(table + 4096)).step_by(37)) {
            file[at] ^= 0xff;
            let (outline, _) = outline(&file);
            assert_eq!(outline.len(), file.len());
            assert!(section(&outline, ".text") == section(&file, ".text"), "byte {at}");
            file[at] ^= 0xff;
        }
        for end in 0..100 {
            outline(&file[..end]);
        }
    }
}
