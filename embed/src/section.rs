//! One section of an ELF file: reading it, and adding or replacing it without touching the rest.

use object::LittleEndian;
use object::elf;
use object::pod::{bytes_of, from_bytes, slice_from_all_bytes};
use object::read::elf::{FileHeader as _, ProgramHeader as _, SectionHeader as _};
use std::fmt;

pub(crate) type Header = elf::FileHeader64<LittleEndian>;
pub(crate) type SectionHeader = elf::SectionHeader64<LittleEndian>;
pub(crate) const LE: LittleEndian = LittleEndian;

/// Where contents and tables begin: at a multiple of this.
const ALIGN: usize = 8;

/// Why a file cannot carry a section, or why its sections cannot be read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ElfError {
    /// It is no ELF file.
    NotElf,
    /// It is not one of 64 bits with the lowest byte first.
    OtherFormat,
    /// It has no section table: a tool has cut it off.
    NoSections,
    /// What stands at this offset cannot be right.
    Damaged {
        /// From the start of the file, in bytes.
        offset: u64,
        /// What it is.
        what: &'static str,
    },
}

impl fmt::Display for ElfError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            ElfError::NotElf => f.write_str("not an ELF file"),
            ElfError::OtherFormat => f.write_str("not an ELF file of 64 bits, lowest byte first"),
            ElfError::NoSections => f.write_str("an ELF file without a section table"),
            ElfError::Damaged { offset, what } => write!(f, "damaged at offset {offset}: {what}"),
        }
    }
}

impl std::error::Error for ElfError {}

/// What a linker does with a section that several of its inputs have.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// One behind the other.
    Joined,
    /// The content is strings, each with a zero behind it; of equal ones it may keep one.
    MergedStrings,
}

/// The content of the section `name`, of the first one if there are several; `None` if there is none.
///
/// # Errors
/// When the file's sections cannot be read.
pub fn section<'a>(file: &'a [u8], name: &str) -> Result<Option<&'a [u8]>, ElfError> {
    let sections = Sections::of(file)?;
    sections
        .index_of(name)?
        .map(|index| sections.content(index))
        .transpose()
}

/// The file with a section `name` that holds `content`; one of that name which is there already is replaced.
///
/// # Errors
/// When the file cannot carry one.
pub fn with_section(file: &[u8], name: &str, content: &[u8], kind: Kind) -> Result<Vec<u8>, ElfError> {
    let sections = Sections::of(file)?;
    let mut headers = sections.headers.to_vec();
    let mut names = sections.content(sections.names)?.to_vec();
    let index = match sections.index_of(name)? {
        Some(index) => index,
        None => {
            let mut new = empty_header();
            new.sh_name.set(LE, names.len() as u32);
            names.extend_from_slice(name.as_bytes());
            names.push(0);
            headers.push(new);
            headers.len() - 1
        }
    };

    let mut out = file[..sections.end_without(index)].to_vec();
    let place = |out: &mut Vec<u8>, header: &mut SectionHeader, bytes: &[u8]| {
        out.resize(out.len().next_multiple_of(ALIGN), 0);
        header.sh_offset.set(LE, out.len() as u64);
        header.sh_size.set(LE, bytes.len() as u64);
        out.extend_from_slice(bytes);
    };
    let ours = &mut headers[index];
    place(&mut out, ours, content);
    ours.sh_type.set(LE, elf::SHT_PROGBITS);
    let (flags, entry) = match kind {
        Kind::Joined => (elf::SectionFlags(0), 0),
        Kind::MergedStrings => (elf::SHF_MERGE | elf::SHF_STRINGS, 1),
    };
    ours.sh_flags.set(LE, flags);
    ours.sh_entsize.set(LE, entry);
    // Strings stand at any byte; what is joined is a multiple of this long and stays so.
    ours.sh_addralign
        .set(LE, if entry == 1 { 1 } else { ALIGN as u64 });
    place(&mut out, &mut headers[sections.names], &names);
    out.resize(out.len().next_multiple_of(ALIGN), 0);

    let mut header = *sections.header;
    header.e_shoff.set(LE, out.len() as u64);
    let count = headers.len();
    if count < usize::from(elf::SHN_LORESERVE) {
        header.e_shnum.set(LE, count as u16);
    } else {
        // So many are counted in the first entry, which is that of no section.
        header.e_shnum.set(LE, 0);
        headers[0].sh_size.set(LE, count as u64);
    }
    for each in &headers {
        out.extend_from_slice(bytes_of(each));
    }
    out[..size_of::<Header>()].copy_from_slice(bytes_of(&header));
    Ok(out)
}

/// The header of a section of which nothing is said yet.
fn empty_header() -> SectionHeader {
    use object::U32;
    use object::U64;
    SectionHeader {
        sh_name: U32::new(LE, 0),
        sh_type: U32::new(LE, elf::SHT_NULL),
        sh_flags: U64::new(LE, elf::SectionFlags(0)),
        sh_addr: U64::new(LE, 0),
        sh_offset: U64::new(LE, 0),
        sh_size: U64::new(LE, 0),
        sh_link: U32::new(LE, 0),
        sh_info: U32::new(LE, 0),
        sh_addralign: U64::new(LE, 0),
        sh_entsize: U64::new(LE, 0),
    }
}

/// The section table of a file.
pub(crate) struct Sections<'a> {
    file: &'a [u8],
    header: &'a Header,
    pub(crate) headers: &'a [SectionHeader],
    /// The section with the sections' names.
    pub(crate) names: usize,
}

impl<'a> Sections<'a> {
    pub(crate) fn of(file: &'a [u8]) -> Result<Self, ElfError> {
        if !file.starts_with(&elf::ELFMAG) {
            return Err(ElfError::NotElf);
        }
        if file.get(4..6) != Some(&[elf::ELFCLASS64.0, elf::ELFDATA2LSB.0]) {
            return Err(ElfError::OtherFormat);
        }
        let damaged = |offset, what| ElfError::Damaged { offset, what };
        let (header, _) = from_bytes::<Header>(file).map_err(|()| damaged(0, "the header is cut off"))?;
        let start = header.e_shoff.get(LE);
        if start == 0 {
            return Err(ElfError::NoSections);
        }
        let size = u64::from(header.e_shentsize.get(LE));
        if size != size_of::<SectionHeader>() as u64 {
            return Err(damaged(58, "entries of the section table have another size"));
        }
        let cut_off = damaged(40, "the section table is cut off");
        let first = slice(file, start, size).ok_or(cut_off)?;
        let (first, _) = from_bytes::<SectionHeader>(first).map_err(|()| cut_off)?;
        let count = match header.e_shnum.get(LE) {
            0 => first.sh_size(LE),
            count => u64::from(count),
        };
        let table = count
            .checked_mul(size)
            .and_then(|length| slice(file, start, length))
            .ok_or(cut_off)?;
        let headers: &[SectionHeader] = slice_from_all_bytes(table).map_err(|()| cut_off)?;
        let names = match header.e_shstrndx.get(LE) {
            elf::SHN_XINDEX => first.sh_link(LE) as usize,
            plain => usize::from(plain.0),
        };
        if headers
            .get(names)
            .is_none_or(|names| names.sh_type(LE) != elf::SHT_STRTAB)
        {
            return Err(damaged(62, "no section has the sections' names"));
        }
        Ok(Self {
            file,
            header,
            headers,
            names,
        })
    }

    fn content(&self, index: usize) -> Result<&'a [u8], ElfError> {
        let header = &self.headers[index];
        slice(self.file, header.sh_offset(LE), header.sh_size(LE)).ok_or(ElfError::Damaged {
            offset: header.sh_offset(LE),
            what: "a section is longer than the file",
        })
    }

    /// The first section of this name.
    fn index_of(&self, name: &str) -> Result<Option<usize>, ElfError> {
        Ok(self.named(&[name])?.next())
    }

    /// The sections of these names. The first entry, which is that of no section, and the one with the names are never meant, whatever
    /// a hostile file calls them: both are needed for what they are.
    pub(crate) fn named(&self, wanted: &[&str]) -> Result<impl Iterator<Item = usize>, ElfError> {
        let names = self.content(self.names)?;
        let is_named = move |&index: &usize| {
            let start = self.headers[index].sh_name(LE) as usize;
            let rest = names.get(start..).unwrap_or_default();
            wanted.iter().any(|name| {
                rest.strip_prefix(name.as_bytes())
                    .is_some_and(|rest| rest.first() == Some(&0))
            })
        };
        let own = (1..self.headers.len()).filter(|&index| index != self.names);
        Ok(own.filter(is_named))
    }

    /// How much of the file stays when the section `own`, the names and the table are written anew: all before them if nothing
    /// else stands there, else the whole file.
    fn end_without(&self, own: usize) -> usize {
        let is_rewritten = |index: usize| index == own || index == self.names;
        let of_sections = self.headers.iter().enumerate().filter(|(index, header)| {
            !is_rewritten(*index) && !matches!(header.sh_type(LE), elf::SHT_NOBITS | elf::SHT_NULL)
        });
        let of_sections =
            of_sections.map(|(_, header)| header.sh_offset(LE).saturating_add(header.sh_size(LE)));
        let segments = self.header.program_headers(LE, self.file).unwrap_or_default();
        let of_segments = segments
            .iter()
            .map(|each| each.p_offset(LE).saturating_add(each.p_filesz(LE)));
        let count = u64::from(self.header.e_phnum(LE));
        let program_headers = self
            .header
            .e_phoff(LE)
            .saturating_add(count * u64::from(self.header.e_phentsize(LE)));
        let fixed = [size_of::<Header>() as u64, program_headers];
        let kept = of_sections
            .chain(of_segments)
            .chain(fixed)
            .max()
            .unwrap_or_default();
        // Whether whatever stands behind is what is written anew, or the gaps between: others may have appended something, too.
        let table = (self.header.e_shoff(LE), (size_of_val(self.headers)) as u64);
        let mut rewritten = Vec::from_iter((0..self.headers.len()).filter(|&index| is_rewritten(index)).map(
            |index| {
                let header = &self.headers[index];
                (header.sh_offset(LE), header.sh_size(LE))
            },
        ));
        rewritten.push(table);
        rewritten.sort_unstable();
        let mut at = kept;
        for (start, size) in rewritten {
            if start > at && !is_gap(self.file, at, start) {
                return self.file.len();
            }
            at = at.max(start.saturating_add(size));
        }
        let is_last = at == self.file.len() as u64;
        usize::try_from(kept)
            .ok()
            .filter(|_| is_last && kept <= at)
            .unwrap_or(self.file.len())
    }
}

/// Whether nothing but the zeros before an aligned place stands there.
fn is_gap(file: &[u8], from: u64, to: u64) -> bool {
    to - from < ALIGN as u64
        && slice(file, from, to - from).is_some_and(|gap| gap.iter().all(|&byte| byte == 0))
}

fn slice(file: &[u8], start: u64, size: u64) -> Option<&[u8]> {
    let start = usize::try_from(start).ok()?;
    file.get(start..start.checked_add(usize::try_from(size).ok()?)?)
}

#[cfg(test)]
#[allow(clippy::disallowed_methods, reason = "the test reads itself")]
mod tests {
    use super::*;
    use object::{Object as _, ObjectSection as _};
    use std::collections::BTreeMap;

    fn itself() -> Vec<u8> {
        std::fs::read(std::env::current_exe().unwrap()).unwrap()
    }

    /// All sections but the one with the names of sections, which grows, with flags, addresses and contents.
    fn others(file: &[u8]) -> BTreeMap<String, (u64, Vec<u8>)> {
        let file = object::File::parse(file).unwrap();
        let named = file
            .sections()
            .map(|each| (each.name().unwrap().to_owned(), each));
        let others = named.filter(|(name, _)| name != ".shstrtab" && name != ".test");
        let content = |each: &object::Section<'_, '_>| (each.address(), each.data().unwrap().to_vec());
        others.map(|(name, each)| (name, content(&each))).collect()
    }

    #[test]
    fn one_more_section_and_nothing_else() {
        let before = itself();
        let content: Vec<u8> = (0..=255).cycle().take(5000).collect();
        let after = with_section(&before, ".test", &content, Kind::Joined).unwrap();
        assert_eq!(section(&after, ".test"), Ok(Some(&content[..])));
        assert_eq!(section(&before, ".test"), Ok(None));
        assert_eq!(others(&after), others(&before));
        let table = size_of_val(Sections::of(&before).unwrap().headers);
        assert!(
            after.len() < before.len() + content.len() + table,
            "the old table is not left behind"
        );
    }

    #[test]
    fn what_is_replaced_again_and_again_does_not_grow() {
        let once = with_section(&itself(), ".test", &[1; 1000], Kind::Joined).unwrap();
        let mut file = once.clone();
        for size in [10, 100_000, 0, 1000] {
            file = with_section(&file, ".test", &vec![1; size], Kind::Joined).unwrap();
            assert_eq!(section(&file, ".test").unwrap().unwrap().len(), size);
        }
        assert!(file == once);
    }

    #[test]
    fn what_others_have_appended_stays() {
        let mut file = itself();
        file.extend_from_slice(b"payload of a self-extracting archive");
        let length = file.len();
        let after = with_section(&file, ".test", b"x", Kind::MergedStrings).unwrap();
        let table = size_of::<Header>();
        assert!(after[table..length] == file[table..], "all of it is where it was");
        assert_eq!(section(&after, ".test"), Ok(Some(&b"x"[..])));
    }

    #[test]
    fn the_section_of_names_is_never_taken_for_another() {
        let mut file = itself();
        let sections = Sections::of(&file).unwrap();
        let name = sections.headers[sections.names].sh_name(LE) as usize;
        let at = sections.headers[sections.names].sh_offset(LE) as usize + name;
        assert_eq!(&file[at..at + 9], b".shstrtab");
        let before = others(&file);
        file[at..at + 6].copy_from_slice(b".test\0");
        assert_eq!(section(&file, ".test"), Ok(None));
        let after = with_section(&file, ".test", b"x", Kind::Joined).unwrap();
        assert_eq!(section(&after, ".test"), Ok(Some(&b"x"[..])));
        assert_eq!(others(&after), before);
    }

    #[test]
    fn any_bytes_give_a_file_or_an_error() {
        // A small file, so that the changes hit its tables.
        let whole = itself();
        let sections = Sections::of(&whole).unwrap();
        let tables = sections.header.e_shoff(LE) as usize..whole.len();
        let seed = 0x9e37_79b9_7f4a_7c15u64;
        let mut state = seed;
        let mut below = |limit: usize| {
            state ^= state << 13;
            state ^= state >> 7;
            state ^= state << 17;
            (state % limit as u64) as usize
        };
        for _ in 0..400 {
            let mut file = whole.clone();
            for _ in 0..=below(3) {
                let at = match below(2) {
                    0 => below(size_of::<Header>()),
                    _ => tables.start + below(tables.len()),
                };
                file[at] = below(256) as u8;
            }
            if below(4) == 0 {
                file.truncate(below(whole.len()));
            }
            if let Ok(after) = with_section(&file, ".test", b"content", Kind::Joined) {
                assert_eq!(
                    section(&after, ".test"),
                    Ok(Some(&b"content"[..])),
                    "seed {seed:#x}"
                );
            }
        }
        for end in 0..100 {
            assert!(with_section(&whole[..end], ".test", b"", Kind::Joined).is_err());
        }
    }
}
