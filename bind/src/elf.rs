//! The ELF container: what kind of file it is, which build it comes from, where its code lies.
//!
//! Everything here is about bytes that may be truncated or hostile, so every question has an error or `None` as an
//! answer. A file that is not a linked x86-64 program is refused by name before anything else is read.

use crate::BindError;
use object::elf::{
    DF_1_PIE, DT_FLAGS_1, ELF_NOTE_GNU, EM_X86_64, ET_CORE, ET_DYN, ET_EXEC, ET_REL, NT_GNU_BUILD_ID, PF_X,
    PT_LOAD, SHF_ALLOC, SHF_EXECINSTR, SHT_NOBITS,
};
use object::read::elf::{ElfFile64, FileHeader as _, ProgramHeader as _, SectionHeader as _};
use object::{LittleEndian, Object as _, ObjectSection as _, ObjectSymbol as _};
use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;

/// A linked x86-64 ELF file.
pub(crate) struct Image<'a> {
    pub(crate) file: ElfFile64<'a, LittleEndian>,
    /// Addresses of sections that hold instructions, sorted.
    code: Vec<Range<u64>>,
    /// Addresses that exist at run time, sorted.
    loaded: Vec<Range<u64>>,
}

/// Where a separate debug file may be found, as the executable says.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct DebugHints {
    /// The file name in `.gnu_debuglink`: beside the executable, in `.debug/` beside it, or under `/usr/lib/debug`.
    pub debuglink: Option<String>,
    /// The path below a debug directory that the build-id stands for: `.build-id/ab/cdef….debug`.
    pub build_id_path: Option<String>,
}

/// What tells one build of an executable from another.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Identity {
    /// The build-id note; empty when the build has none.
    pub build_id: Vec<u8>,
    /// blake3 of `.text`; that of no bytes when there is no such section.
    pub text_hash: [u8; 32],
    /// Whether the file itself carries DWARF.
    pub has_debug_info: bool,
    /// Where DWARF may be found otherwise.
    pub hints: DebugHints,
}

impl<'a> Image<'a> {
    /// The linkage names of functions of C++ that begin at the addresses `wanted`; of several at one address the first.
    pub(crate) fn cxx_symbols(&self, wanted: &BTreeSet<u64>) -> BTreeMap<u64, &'a str> {
        let mut found = BTreeMap::new();
        if wanted.is_empty() {
            return found;
        }
        for symbol in self
            .file
            .symbols()
            .filter(|symbol| wanted.contains(&symbol.address()))
        {
            if let Some(name) = symbol.name().ok().filter(|name| name.starts_with("_Z")) {
                found.entry(symbol.address()).or_insert(name);
            }
        }
        found
    }

    /// Reads the headers of a linked x86-64 ELF file.
    pub(crate) fn parse(bytes: &'a [u8]) -> Result<Self, BindError> {
        refuse_other_files(bytes)?;
        let damaged = |error: object::Error| BindError::Damaged(format!("ELF headers: {error}"));
        let file = ElfFile64::<LittleEndian>::parse(bytes).map_err(damaged)?;
        let mut code = Vec::new();
        for section in file.elf_section_table().iter() {
            let flags = section.sh_flags.get(LittleEndian);
            let wanted = SHF_ALLOC | SHF_EXECINSTR;
            if flags & wanted == wanted {
                let start = section.sh_addr.get(LittleEndian);
                code.push(start..start.saturating_add(section.sh_size.get(LittleEndian)));
            }
        }
        // The header table of sections may have been stripped; segments are coarser but do as well.
        let no_sections = code.is_empty();
        let mut loaded = Vec::new();
        for segment in file.elf_program_headers() {
            if segment.p_type(LittleEndian) == PT_LOAD {
                let start = segment.p_vaddr(LittleEndian);
                let range = start..start.saturating_add(segment.p_memsz(LittleEndian));
                if no_sections && segment.p_flags(LittleEndian) & PF_X == PF_X {
                    // Address 0 holds the ELF header and stands for code that the linker dropped.
                    code.push(range.start.max(1)..range.end);
                }
                loaded.push(range);
            }
        }
        code.sort_unstable_by_key(|range| (range.start, range.end));
        loaded.sort_unstable_by_key(|range| (range.start, range.end));
        Ok(Self { file, code, loaded })
    }

    /// Whether `address` lies in a section of instructions. Debug info of code that the linker dropped says 0 or -1.
    pub(crate) fn is_code(&self, address: u64) -> bool {
        contains(&self.code, address)
    }

    /// Whether `address` exists at run time.
    pub(crate) fn is_loaded(&self, address: u64) -> bool {
        contains(&self.loaded, address)
    }

    /// So many bytes of the program at an address, unless it has none there.
    pub(crate) fn code_at(&self, address: u64, length: usize) -> Option<&'a [u8]> {
        let mut sections = self.file.sections();
        let section = sections.find(|section| {
            (section.address()..section.address().saturating_add(section.size())).contains(&address)
        })?;
        section.data_range(address, length as u64).ok().flatten()
    }

    /// The bytes of the section that an address is in, from there on.
    pub(crate) fn bytes_from(&self, address: u64) -> Option<&'a [u8]> {
        let mut sections = self.file.sections();
        let end = |section: &object::read::elf::ElfSection64<'a, '_, LittleEndian>| {
            section.address().saturating_add(section.size())
        };
        let section = sections.find(|section| (section.address()..end(section)).contains(&address))?;
        section
            .data_range(address, end(&section) - address)
            .ok()
            .flatten()
    }

    /// Whether it is a shared object that is no program. Its exported variables may live elsewhere: the dynamic linker lets
    /// the program's own copy of one stand for it, or another library's.
    pub(crate) fn is_library(&self) -> bool {
        if self.file.elf_header().e_type(LittleEndian) != ET_DYN {
            return false;
        }
        let headers = self.file.elf_program_headers().iter();
        let tables =
            headers.filter_map(|header| header.dynamic(LittleEndian, self.file.data()).ok().flatten());
        let is_program = tables.flatten().any(|entry| {
            let is_flags = entry.d_tag.get(LittleEndian) == DT_FLAGS_1;
            is_flags && entry.d_val.get(LittleEndian) & DF_1_PIE.0 != 0
        });
        !is_program
    }

    /// The build-id note, or nothing.
    pub(crate) fn build_id(&self) -> &'a [u8] {
        // A damaged note is no build-id: the hash of `.text` still tells builds apart.
        self.file.build_id().ok().flatten().unwrap_or_default()
    }

    /// The bytes of `.text`; `None` when they are not in this file.
    pub(crate) fn text(&self) -> Option<&'a [u8]> {
        let section = self.file.section_by_name(".text")?;
        if section.elf_section_header().sh_type(LittleEndian) == SHT_NOBITS {
            return None;
        }
        section.data().ok()
    }

    /// Whether the code has been taken out, as in a file that `objcopy --only-keep-debug` wrote.
    pub(crate) fn is_debug_file(&self) -> bool {
        self.file
            .section_by_name(".text")
            .is_some_and(|section| section.elf_section_header().sh_type(LittleEndian) == SHT_NOBITS)
    }

    /// Whether `other` was split off the same build.
    pub(crate) fn same_build(&self, other: &Image<'_>) -> bool {
        let text = |image: &Image<'_>| {
            let section = image.file.section_by_name(".text");
            section.map(|section| (section.address(), section.size()))
        };
        match (self.build_id(), other.build_id()) {
            // Without a build-id, the place of the code has to do: it differs after nearly every change.
            ([], []) => text(self) == text(other),
            (ours, theirs) => ours == theirs,
        }
    }

    /// Whether the file itself carries DWARF.
    pub(crate) fn has_debug_info(&self) -> bool {
        self.file
            .section_by_name(".debug_info")
            .is_some_and(|section| section.size() > 0)
    }

    /// What tells this build from another.
    pub(crate) fn identity(&self) -> Identity {
        let build_id = self.build_id();
        Identity {
            build_id: build_id.to_vec(),
            text_hash: *blake3::hash(self.text().unwrap_or_default()).as_bytes(),
            has_debug_info: self.has_debug_info(),
            hints: self.hints(),
        }
    }

    /// Where a separate debug file may be found.
    pub(crate) fn hints(&self) -> DebugHints {
        let link = self.file.gnu_debuglink().ok().flatten();
        let build_id_path = self.build_id().split_first().map(|(first, rest)| {
            let rest = String::from_iter(rest.iter().map(|byte| format!("{byte:02x}")));
            format!(".build-id/{first:02x}/{rest}.debug")
        });
        DebugHints {
            debuglink: link.map(|(name, _)| String::from_utf8_lossy(name).into_owned()),
            build_id_path,
        }
    }
}

/// The build-id of a program of which `head` is the beginning; `None` if it stands further behind, or if there is none.
pub fn build_id_at_head(head: &[u8]) -> Option<&[u8]> {
    let header = object::elf::FileHeader64::<LittleEndian>::parse(head).ok()?;
    let segments = header.program_headers(LittleEndian, head).ok()?;
    let notes = segments
        .iter()
        .filter_map(|segment| segment.notes(LittleEndian, head).ok()?);
    notes.into_iter().find_map(|mut notes| {
        while let Ok(Some(note)) = notes.next() {
            if note.name() == ELF_NOTE_GNU && note.n_type(LittleEndian) == NT_GNU_BUILD_ID {
                return Some(note.desc());
            }
        }
        None
    })
}

/// Refuses what is not a linked little-endian x86-64 ELF64 file, by what it is.
fn refuse_other_files(bytes: &[u8]) -> Result<(), BindError> {
    if !bytes.starts_with(b"\x7fELF") {
        return Err(BindError::NotElf);
    }
    let (Some(&class), Some(&order)) = (bytes.get(4), bytes.get(5)) else {
        return Err(BindError::Damaged("it ends inside the ELF header".to_owned()));
    };
    if class != 2 || order != 1 {
        let bits = if class == 1 { "32-bit" } else { "64-bit" };
        let order = if order == 2 { "big-endian" } else { "little-endian" };
        return Err(BindError::OtherMachine(format!("{bits} {order} ELF")));
    }
    let header = object::elf::FileHeader64::<LittleEndian>::parse(bytes)
        .map_err(|_| BindError::Damaged("it ends inside the ELF header".to_owned()))?;
    let machine = header.e_machine.get(LittleEndian);
    if machine != EM_X86_64 {
        return Err(BindError::OtherMachine(format!(
            "ELF for machine number {machine}"
        )));
    }
    match header.e_type.get(LittleEndian) {
        ET_EXEC | ET_DYN => Ok(()),
        ET_REL => Err(BindError::NotLinked("an object file (.o)")),
        ET_CORE => Err(BindError::NotLinked("a core file")),
        _ => Err(BindError::NotLinked("an ELF file of an unknown type")),
    }
}

fn contains(ranges: &[Range<u64>], address: u64) -> bool {
    // Sections and segments do not overlap in a file that a linker wrote; in any other, an address near an overlap
    // may be missed, which loses a row and invents none.
    let after = ranges.partition_point(|range| range.start <= address);
    after > 0 && ranges[after - 1].contains(&address)
}
