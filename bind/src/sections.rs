//! The bytes of the debug sections, of all the files that they may be spread over.
//!
//! The program itself or a separate debug file has the main part. With `-gsplit-dwarf` most entries are in `.dwo` files,
//! one for each source, or in a package of them; `dwz` moves what several programs share into a supplementary file.
//! Sections may be compressed (zlib or zstd), each by itself.

use crate::BindError;
use crate::elf::Image;
use crate::error::hex;
use gimli::{EndianSlice, LittleEndian};
use object::read::elf::{ElfFile64, ElfSection64};
use object::{Object as _, ObjectSection as _};
use std::borrow::Cow;
use std::collections::BTreeMap;

type Slice<'a> = EndianSlice<'a, LittleEndian>;
type Loaded<'a> = gimli::DwarfSections<Cow<'a, [u8]>>;

/// An executable, and its debug info as far as that lies elsewhere. [`needs`](crate::needs) tells what to look for.
#[derive(Clone, Copy, Debug, Default)]
pub struct Program<'a> {
    /// The executable.
    pub executable: &'a [u8],
    /// The separate debug file.
    pub debug: Option<&'a [u8]>,
    /// The file that `dwz` moved shared parts to.
    pub supplementary: Option<&'a [u8]>,
    /// The package of split debug info (`.dwp`).
    pub package: Option<&'a [u8]>,
    /// Files of split debug info (`.dwo`), under the paths that [`Needs::split`] has, sorted by them.
    pub split: &'a [(String, Vec<u8>)],
}

/// What the debug info of an executable refers to.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Needs {
    /// The supplementary file: its path, which may be relative to the file that names it.
    pub supplementary: Option<String>,
    /// The paths of split debug info, sorted; absolute unless the build hid its directories.
    pub split: Vec<String>,
}

/// Debug sections, decompressed where they were compressed.
pub(crate) struct Sections<'a> {
    /// Those of the program or of its debug file.
    pub(crate) own: Loaded<'a>,
    pub(crate) supplementary: Option<Loaded<'a>>,
    pub(crate) package: Option<gimli::DwarfPackageSections<Cow<'a, [u8]>>>,
    /// By path; those that are damaged have nothing.
    pub(crate) split: BTreeMap<String, Result<Loaded<'a>, ()>>,
    /// The name of a supplementary file that is needed and not there.
    pub(crate) without: Option<String>,
}

impl<'a> Sections<'a> {
    /// The sections of the image that has debug info, which is the program itself or its debug file.
    pub(crate) fn load(image: &Image<'a>, program: &Program<'a>) -> Result<Self, BindError> {
        let own = gimli::DwarfSections::load(|id| section(&image.file, id.name()))?;
        let link = image.file.gnu_debugaltlink().ok().flatten();
        let mut supplementary = None;
        let mut without = None;
        if let Some((name, build_id)) = link {
            match program.supplementary {
                None => without = Some(String::from_utf8_lossy(name).into_owned()),
                Some(bytes) => supplementary = Some(of_supplementary(bytes, build_id)?),
            }
        }
        let package = match program.package {
            None => None,
            Some(bytes) => {
                let file = file(bytes)?;
                let sections =
                    gimli::DwarfPackageSections::load(|id| section(&file, id.dwo_name().unwrap_or("?")))?;
                Some(sections)
            }
        };
        let split = program.split.iter().map(|(path, bytes)| {
            let loaded = file(bytes).and_then(|file| {
                gimli::DwarfSections::load(|id| section(&file, id.dwo_name().unwrap_or("?")))
            });
            (path.clone(), loaded.map_err(|_| ()))
        });
        Ok(Self {
            own,
            supplementary,
            package,
            split: split.collect(),
            without,
        })
    }
}

/// The sections as the reader of DWARF wants them.
pub(crate) fn borrow<'a>(sections: &'a Loaded<'_>) -> gimli::Dwarf<Slice<'a>> {
    sections.borrow(|bytes| Slice::new(bytes, LittleEndian))
}

fn of_supplementary<'a>(bytes: &'a [u8], build_id: &[u8]) -> Result<Loaded<'a>, BindError> {
    let file = file(bytes)?;
    let found = file.build_id().ok().flatten().unwrap_or_default();
    if found != build_id {
        return Err(BindError::WrongSupplementary {
            needed: hex(build_id),
            found: hex(found),
        });
    }
    gimli::DwarfSections::load(|id| section(&file, id.name()))
}

fn file(bytes: &[u8]) -> Result<ElfFile64<'_, object::LittleEndian>, BindError> {
    ElfFile64::parse(bytes).map_err(|error| BindError::Damaged(format!("ELF headers: {error}")))
}

/// The section of a name. A `.dwo` file may have several of `.debug_info.dwo`, one for each type unit and one for the rest: they
/// come one after the other.
fn section<'a>(file: &ElfFile64<'a, object::LittleEndian>, name: &str) -> Result<Cow<'a, [u8]>, BindError> {
    // This knows the old names of compressed sections as well.
    let Some(first) = file.section_by_name(name) else {
        return Ok(Cow::Borrowed(&[]));
    };
    let damaged = |why: String| BindError::Damaged(format!("section {name}: {why}"));
    let mut whole = decompressed(&first).map_err(damaged)?;
    // A hundred thousand headers may all name the same bytes.
    let mut left = file.data().len() as u64;
    let others = file.sections().filter(|other| other.index() != first.index());
    for other in others.filter(|other| other.name() == Ok(name)) {
        let stored = other.file_range().map_or(0, |(_, size)| size);
        left = left
            .checked_sub(stored)
            .ok_or_else(|| damaged("there is more of it than the file has".to_owned()))?;
        let more = decompressed(&other).map_err(damaged)?;
        let most = base::most_decompressed(file.data().len() as u64);
        if (whole.len() as u64).saturating_add(more.len() as u64) > most {
            return Err(damaged(format!("all of that name have more than {most} bytes")));
        }
        whole.to_mut().extend_from_slice(&more);
    }
    Ok(whole)
}

/// The bytes of a section, decompressed if they are compressed.
///
/// # Errors
/// In words: it is damaged, or so few bytes claim to be so many that memory should not be spent on it.
pub(crate) fn decompressed<'a>(
    section: &ElfSection64<'a, '_, object::LittleEndian>,
) -> Result<Cow<'a, [u8]>, String> {
    let damaged = |error: object::Error| error.to_string();
    let compressed = section.compressed_data().map_err(damaged)?;
    let stored = compressed.data.len() as u64;
    if compressed.uncompressed_size > base::most_decompressed(stored) {
        return Err(format!(
            "{stored} bytes claim to be {}",
            compressed.uncompressed_size
        ));
    }
    compressed.decompress().map_err(damaged)
}

#[cfg(test)]
mod tests {
    use super::*;
    use object::elf;

    /// A file with sections of one name, all of which are the same bytes, which claim to be so many.
    fn file_of(name: &str, sections: usize, bytes: &[u8], claim: u64) -> Vec<u8> {
        const HEADER: usize = 64;
        let mut names = vec![0];
        names.extend(name.bytes().chain([0]));
        let data = HEADER + names.len();
        let headers = data + 24 + bytes.len();
        let mut file = vec![0; HEADER];
        file[..7].copy_from_slice(b"\x7fELF\x02\x01\x01");
        file[16..24].copy_from_slice(&[1, 0, 62, 0, 1, 0, 0, 0]);
        file[40..48].copy_from_slice(&(headers as u64).to_le_bytes());
        file[52..54].copy_from_slice(&64_u16.to_le_bytes());
        file[58..60].copy_from_slice(&64_u16.to_le_bytes());
        file[60..62].copy_from_slice(&u16::try_from(sections + 2).unwrap().to_le_bytes());
        file[62..64].copy_from_slice(&1_u16.to_le_bytes());
        file.extend_from_slice(&names);
        // ch_type (zlib), ch_size, ch_addralign.
        for word in [1, claim, 1] {
            file.extend_from_slice(&word.to_le_bytes());
        }
        file.extend_from_slice(bytes);
        let mut header = |name: u32, kind: u32, flags: u64, offset: usize, size: usize| {
            file.extend([name.to_le_bytes(), kind.to_le_bytes()].concat());
            let words = [flags, 0, offset as u64, size as u64, 0, 1, 0];
            file.extend(words.iter().flat_map(|word| word.to_le_bytes()));
        };
        header(0, 0, 0, 0, 0);
        header(0, elf::SHT_STRTAB.0, 0, HEADER, names.len());
        for _ in 0..sections {
            header(
                1,
                elf::SHT_PROGBITS.0,
                elf::SHF_COMPRESSED.0,
                data,
                24 + bytes.len(),
            );
        }
        file
    }

    /// A million zeros, by zlib.
    fn zeros() -> Vec<u8> {
        miniz_oxide::deflate::compress_to_vec_zlib(&vec![0; 1_000_000], 9)
    }

    fn loaded(bytes: &[u8]) -> Result<usize, String> {
        let file = file(bytes).map_err(|error| error.to_string())?;
        section(&file, ".debug_info.dwo").map_or_else(|error| Err(error.to_string()), |bytes| Ok(bytes.len()))
    }

    #[test]
    fn a_section_takes_no_more_memory_than_its_file_justifies() {
        let zeros = zeros();
        let of = |sections, claim| loaded(&file_of(".debug_info.dwo", sections, &zeros, claim));
        assert_eq!(of(1, 1_000_000), Ok(1_000_000));
        assert_eq!(of(2, 1_000_000), Ok(2_000_000));
        assert!(of(1, 1_000_001).unwrap_err().contains("section .debug_info.dwo"));
        assert!(of(1, 1 << 40).unwrap_err().contains("claim to be"));
        // Sixty thousand times the same bytes would be sixty gigabytes; so few fit into memory if this goes wrong.
        assert!(of(2_000, 1_000_000).is_err());
    }
}
