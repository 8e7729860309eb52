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

/// A few bytes must not ask for all memory. Nothing is compressed better than this by zlib; zstd does it only with long runs of
/// one byte.
const RATIO: u64 = 1100;

/// The section of a name. A `.dwo` file may have several of `.debug_info.dwo`, one for each type unit and one for the rest: they
/// come one after the other.
fn section<'a>(file: &ElfFile64<'a, object::LittleEndian>, name: &str) -> Result<Cow<'a, [u8]>, BindError> {
    // This knows the old names of compressed sections as well.
    let Some(first) = file.section_by_name(name) else {
        return Ok(Cow::Borrowed(&[]));
    };
    let mut whole = decompressed(name, &first)?;
    let others = { file.sections() }.filter(|other| other.index() != first.index());
    for other in others.filter(|other| other.name() == Ok(name)) {
        whole.to_mut().extend_from_slice(&decompressed(name, &other)?);
    }
    Ok(whole)
}

/// The bytes of a section.
///
/// # Errors
/// When they are damaged, or claim to be more than their size justifies.
pub(crate) fn decompressed<'a>(
    name: &str,
    section: &ElfSection64<'a, '_, object::LittleEndian>,
) -> Result<Cow<'a, [u8]>, BindError> {
    let damaged = |error: object::Error| BindError::Damaged(format!("section {name}: {error}"));
    let compressed = section.compressed_data().map_err(damaged)?;
    let stored = compressed.data.len() as u64;
    if compressed.uncompressed_size > stored.saturating_mul(RATIO).saturating_add(1 << 20) {
        return Err(BindError::Damaged(format!(
            "section {name}: {stored} bytes claim to be {}",
            compressed.uncompressed_size
        )));
    }
    compressed.decompress().map_err(damaged)
}
