//! One ELF file as the unwinder sees it: segments, unwind tables, build-id. Debug information is not touched.

use crate::contents::Contents;
use crate::memory::PAGE;
use crate::names::{self, Tables};
use crate::procfs::path_as_mapped;
use crate::symbols::Symbols;
use gimli::{BaseAddresses, DebugFrame, EhFrame, EhFrameHdr, EndianSlice, LittleEndian, UnwindSection};
use object::elf;
use object::read::elf::{ElfFile64, ProgramHeader};
use object::{Object, ObjectSection};
use std::cell::OnceCell;
use std::ops::Range;

pub(crate) type Slice<'a> = EndianSlice<'a, LittleEndian>;
pub(crate) type Fde<'a> = gimli::FrameDescriptionEntry<Slice<'a>>;

/// A module file: an executable, a shared object, or the vDSO's image.
pub(crate) struct Module {
    /// Path or name as the memory map gives it.
    pub(crate) path: String,
    /// Its symbols, read when a frame first asks for them.
    pub(crate) symbols: OnceCell<Symbols>,
    /// Where it defines Open MPI's `MPI_COMM_WORLD`, as linked; looked up once.
    world: OnceCell<Option<u64>>,
    /// Whether hindmost has preloaded it; looked up once.
    preload: OnceCell<bool>,
    bytes: Contents,
    segments: Vec<Segment>,
    eh_frame: Option<Section>,
    eh_frame_hdr: Option<Section>,
    bases: BaseAddresses,
    text: Option<Range<usize>>,
    text_hash: OnceCell<Option<[u8; 32]>>,
    build_id: Vec<u8>,
    /// The file itself carries debug info.
    pub(crate) has_debug_info: bool,
    /// Made when a lookup first needs it: most modules have a search table.
    scanned: OnceCell<Scanned>,
}

/// A loaded part of the file.
struct Segment {
    file: Range<u64>,
    address: u64,
    executable: bool,
}

impl Segment {
    /// Whether a mapping from `offset` of the file on may be one of this segment.
    fn is_mapped_from(&self, offset: u64) -> bool {
        // The first page of a segment's mapping may begin before the segment itself: lld lets two segments share a page of
        // the file, and it is mapped for each of them.
        (self.file.start & !(PAGE - 1)..self.file.end).contains(&offset)
    }
}

#[derive(Clone)]
struct Section {
    file: Range<usize>,
    address: u64,
}

/// Unwind entries of the tables that have no search table of their own: start, end, offset, sorted.
#[derive(Default)]
struct Scanned {
    eh_frame: Vec<(u64, u64, usize)>,
    debug_frame: Vec<(u64, u64, usize)>,
    /// `.debug_frame`, which may be compressed in the file.
    debug_frame_bytes: Vec<u8>,
}

/// The unwind entry for an address, with the section that its expressions refer to.
pub(crate) enum Unwind<'a> {
    /// From `.eh_frame`.
    Eh(EhFrame<Slice<'a>>, Fde<'a>),
    /// From `.debug_frame`.
    Debug(DebugFrame<Slice<'a>>, Fde<'a>),
}

impl<'a> Unwind<'a> {
    /// The entry itself.
    pub(crate) fn entry(&self) -> &Fde<'a> {
        match self {
            Unwind::Eh(_, entry) | Unwind::Debug(_, entry) => entry,
        }
    }
}

fn unreadable(path: &str, error: object::Error) -> String {
    format!("{path} is not a readable ELF file: {error}")
}

fn of_this_machine<'b>(path: &str, data: &'b [u8]) -> Result<ElfFile64<'b, object::LittleEndian>, String> {
    match data.get(..5) {
        Some(start) if start[..4] == elf::ELFMAG => {
            if start[4] != elf::ELFCLASS64.0 {
                return Err(format!("{path} is a 32-bit program: only x86-64 is supported"));
            }
        }
        _ => return Err(format!("{path} is not an ELF file")),
    }
    let file: ElfFile64<'_, object::LittleEndian> =
        ElfFile64::parse(data).map_err(|error| unreadable(path, error))?;
    if file.architecture() != object::Architecture::X86_64 {
        return Err(format!("{path} is not an x86-64 program"));
    }
    Ok(file)
}

impl Module {
    /// Reads the headers of a module file.
    ///
    /// # Errors
    /// Why the file is no module of an x86-64 process, in words.
    pub(crate) fn parse(path: &str, bytes: Contents) -> Result<Module, String> {
        let data: &[u8] = &bytes;
        let file = of_this_machine(path, data)?;
        let endian = object::LittleEndian;
        let segments = file
            .elf_program_headers()
            .iter()
            .filter(|header| header.p_type(endian) == elf::PT_LOAD)
            .map(|header| {
                let offset = header.p_offset(endian);
                Segment {
                    file: offset..offset.saturating_add(header.p_filesz(endian)),
                    address: header.p_vaddr(endian),
                    executable: header.p_flags(endian).contains(elf::PF_X),
                }
            })
            .collect();
        let section = |name: &str| {
            let section = file.section_by_name(name)?;
            let (offset, size) = section.file_range()?;
            let start = usize::try_from(offset).ok()?;
            let end = start.checked_add(usize::try_from(size).ok()?)?;
            data.get(start..end)?;
            Some(Section {
                file: start..end,
                address: section.address(),
            })
        };
        let eh_frame = section(".eh_frame");
        let eh_frame_hdr = section(".eh_frame_hdr");
        let text = section(".text");
        let mut bases = BaseAddresses::default();
        if let Some(section) = &eh_frame {
            bases = bases.set_eh_frame(section.address);
        }
        if let Some(section) = &eh_frame_hdr {
            bases = bases.set_eh_frame_hdr(section.address);
        }
        if let Some(section) = &text {
            bases = bases.set_text(section.address);
        }
        if let Some(got) = file.section_by_name(".got") {
            bases = bases.set_got(got.address());
        }
        let build_id = file
            .build_id()
            .map_err(|error| unreadable(path, error))?
            .unwrap_or_default()
            .to_vec();
        Ok(Module {
            path: path.to_owned(),
            symbols: OnceCell::new(),
            world: OnceCell::new(),
            preload: OnceCell::new(),
            segments,
            eh_frame,
            eh_frame_hdr,
            bases,
            text: text.map(|section| section.file),
            text_hash: OnceCell::new(),
            build_id,
            has_debug_info: [".debug_info", ".zdebug_info", ".gnu_debugaltlink"]
                .iter()
                .any(|name| file.section_by_name(name).is_some()),
            scanned: OnceCell::new(),
            bytes,
        })
    }

    /// The file's bytes.
    pub(crate) fn bytes(&self) -> &[u8] {
        &self.bytes
    }

    /// Whether the file was cut off while it was read: what came of it may be wrong.
    pub(crate) fn is_torn(&self) -> bool {
        self.bytes.is_torn()
    }

    /// The file name without its directories.
    pub(crate) fn name(&self) -> &str {
        base::last_component(path_as_mapped(&self.path))
    }

    /// Where the file defines the object whose address is Open MPI's `MPI_COMM_WORLD`, as linked.
    pub(crate) fn world(&self) -> Option<u64> {
        *self.world.get_or_init(|| {
            let mut found = None;
            names::for_each(&self.bytes, Tables::Dynamic, |symbol| {
                if symbol.name == "ompi_mpi_comm_world" {
                    found = Some(symbol.address);
                }
                found.is_none()
            });
            found
        })
    }

    /// Whether the file is a preload of hindmost itself: a recorder of MPI's calls, or a tracer.
    pub(crate) fn is_preload(&self) -> bool {
        *self.preload.get_or_init(|| {
            let mut found = false;
            names::for_each(&self.bytes, Tables::Dynamic, |symbol| {
                found = matches!(symbol.name, "hindmost_behind" | "hindmost_trace_enters");
                !found
            });
            found
        })
    }

    /// The build-id note's content; empty without one.
    pub(crate) fn build_id(&self) -> &[u8] {
        &self.build_id
    }

    /// blake3 of the `.text` section.
    pub(crate) fn text_hash(&self) -> Option<[u8; 32]> {
        *self.text_hash.get_or_init(|| {
            let text = self.bytes().get(self.text.clone()?)?;
            Some(*blake3::hash(text).as_bytes())
        })
    }

    /// What has been added to the linked addresses, given that code of the file from `offset` on is mapped at `start`.
    pub(crate) fn bias(&self, start: u64, offset: u64) -> Option<u64> {
        let fits = |segment: &&Segment| segment.is_mapped_from(offset);
        let code = self
            .segments
            .iter()
            .filter(|segment| segment.executable)
            .find(fits);
        let segment = code.or_else(|| self.segments.iter().find(fits))?;
        Some(
            start
                .wrapping_add(segment.file.start.wrapping_sub(offset))
                .wrapping_sub(segment.address),
        )
    }

    /// Whether a mapping of the file from `offset` on is one of code. A mapping may be a part of a segment only: libraries
    /// that put their own functions in place of libc's change the protection of single pages. One of another segment
    /// may begin in the page in which the code ends; no program counter is there.
    pub(crate) fn is_code(&self, offset: u64) -> bool {
        let code = |segment: &Segment| segment.executable && segment.is_mapped_from(offset);
        self.segments.iter().any(code)
    }

    /// The addresses (as linked) that the file gives to its code.
    pub(crate) fn code_ranges(&self) -> Vec<(u64, u64)> {
        let code = self.segments.iter().filter(|segment| segment.executable);
        let range = |segment: &Segment| {
            let size = segment.file.end.saturating_sub(segment.file.start);
            (segment.address, segment.address.saturating_add(size))
        };
        code.map(range).collect()
    }

    /// The bytes of code in front of an address (as linked), if the file has so many there.
    pub(crate) fn code_before(&self, address: u64, length: usize) -> Option<&[u8]> {
        let start = address.checked_sub(length as u64)?;
        self.segments
            .iter()
            .filter(|segment| segment.executable)
            .find_map(|segment| {
                let offset = segment
                    .file
                    .start
                    .checked_add(start.checked_sub(segment.address)?)?;
                let end = offset
                    .checked_add(length as u64)
                    .filter(|&end| end <= segment.file.end)?;
                self.bytes
                    .get(usize::try_from(offset).ok()?..usize::try_from(end).ok()?)
            })
    }

    /// The bases of pointers in the unwind tables.
    pub(crate) fn bases(&self) -> &BaseAddresses {
        &self.bases
    }

    /// The unwind entry that covers an address (as linked).
    pub(crate) fn unwind(&self, address: u64) -> Option<Unwind<'_>> {
        if let Some((section, entry)) = self.eh_frame_entry(address) {
            return Some(Unwind::Eh(section, entry));
        }
        let scanned = self.scanned();
        let offset = covering(&scanned.debug_frame, address)?;
        let section = DebugFrame::new(&scanned.debug_frame_bytes, LittleEndian);
        let entry = section
            .fde_from_offset(&self.bases, offset.into(), DebugFrame::cie_from_offset)
            .ok()?;
        Some(Unwind::Debug(section, entry))
    }

    fn eh_frame_entry(&self, address: u64) -> Option<(EhFrame<Slice<'_>>, Fde<'_>)> {
        let section = EhFrame::new(
            self.bytes.get(self.eh_frame.as_ref()?.file.clone())?,
            LittleEndian,
        );
        let header = self
            .eh_frame_hdr
            .as_ref()
            .and_then(|header| self.bytes.get(header.file.clone()))
            .and_then(|bytes| EhFrameHdr::new(bytes, LittleEndian).parse(&self.bases, 8).ok());
        let table = header.as_ref().and_then(|header| header.table());
        let entry = match table {
            Some(table) => {
                // The difference of the two is taken here: in a damaged table the entry may stand before its section, which
                // gimli does not expect.
                let entry = table.lookup(address, &self.bases).ok()?.direct().ok()?;
                let start = header.as_ref()?.eh_frame_ptr().direct().ok()?;
                let offset = usize::try_from(entry.checked_sub(start)?).ok()?;
                let entry = section
                    .fde_from_offset(&self.bases, offset.into(), EhFrame::cie_from_offset)
                    .ok()?;
                Some(entry).filter(|entry| entry.contains(address))?
            }
            None => {
                let offset = covering(&self.scanned().eh_frame, address)?;
                section
                    .fde_from_offset(&self.bases, offset.into(), EhFrame::cie_from_offset)
                    .ok()?
            }
        };
        Some((section, entry))
    }

    fn scanned(&self) -> &Scanned {
        self.scanned.get_or_init(|| {
            let mut scanned = Scanned::default();
            if let (None, Some(section)) = (&self.eh_frame_hdr, &self.eh_frame)
                && let Some(bytes) = self.bytes.get(section.file.clone())
            {
                scanned.eh_frame = scan(EhFrame::new(bytes, LittleEndian), &self.bases);
            }
            let file: Result<ElfFile64<'_, object::LittleEndian>, _> = ElfFile64::parse(self.bytes());
            if let Ok(file) = file
                && let Some(section) = file.section_by_name(".debug_frame")
                && let Ok(compressed) = section.compressed_data()
                && compressed.uncompressed_size <= base::most_decompressed(compressed.data.len() as u64)
                && let Ok(bytes) = compressed.decompress()
            {
                scanned.debug_frame = scan(DebugFrame::new(&bytes, LittleEndian), &self.bases);
                scanned.debug_frame_bytes = bytes.into_owned();
            }
            scanned
        })
    }
}

/// The offset of the entry whose range holds `address`.
fn covering(entries: &[(u64, u64, usize)], address: u64) -> Option<usize> {
    let after = entries.partition_point(|&(start, _, _)| start <= address);
    let &(_, end, offset) = entries.get(after.checked_sub(1)?)?;
    (address < end).then_some(offset)
}

/// All entries of a table, as far as it can be read.
fn scan<'a, S>(section: S, bases: &BaseAddresses) -> Vec<(u64, u64, usize)>
where
    S: UnwindSection<Slice<'a>>,
    S::Offset: gimli::UnwindOffset<usize>,
{
    let mut entries = Vec::new();
    let mut all = section.entries(bases);
    while let Ok(Some(entry)) = all.next() {
        let gimli::CieOrFde::Fde(partial) = entry else {
            continue;
        };
        if let Ok(entry) = partial.parse(S::cie_from_offset) {
            entries.push((entry.initial_address(), entry.end_address(), entry.offset()));
        }
    }
    entries.sort_unstable();
    entries
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parse(bytes: &[u8]) -> Result<Module, String> {
        Module::parse("/x", Contents::Copied(bytes.to_vec()))
    }

    #[test]
    fn what_is_no_module_is_refused() {
        assert!(parse(b"").err().unwrap().contains("not an ELF file"));
        assert!(parse(b"\x7fELF\x01rest").err().unwrap().contains("32-bit"));
        let own = std::fs::read("/proc/self/exe").unwrap();
        // Cut off anywhere, it is refused or has nothing to offer, but never a reason to panic.
        for length in [4, 5, 40, 64, 100, 1000, own.len() / 2] {
            if let Ok(module) = parse(&own[..length]) {
                assert!(module.unwind(0x1000).is_none());
            }
        }
    }

    /// A hundred million zeros that take a hundred thousand bytes.
    #[test]
    fn a_table_takes_no_more_memory_than_its_file_justifies() {
        let directory = std::env::temp_dir().join(format!("hindmost-bomb-{}", std::process::id()));
        std::fs::create_dir_all(&directory).unwrap();
        let read_with = |zeros: u64| {
            let table = std::fs::File::create(directory.join("zeros")).unwrap();
            table.set_len(zeros).unwrap();
            // What is added is compressed only by the next run.
            for arguments in [
                &["--add-section", ".debug_frame=zeros", "/bin/true", "bomb"][..],
                &["--compress-debug-sections=zlib", "bomb"],
            ] {
                let mut command = std::process::Command::new("objcopy");
                let made = command.args(arguments).current_dir(&directory).status();
                assert!(made.unwrap().success());
            }
            let bytes = std::fs::read(directory.join("bomb")).unwrap();
            assert!(bytes.len() < 1_000_000, "it was compressed");
            parse(&bytes).unwrap().scanned().debug_frame_bytes.len() as u64
        };
        assert_eq!(read_with(1 << 20), 1 << 20);
        assert_eq!(read_with(100 << 20), 0);
        std::fs::remove_dir_all(directory).unwrap();
    }

    #[test]
    fn search_table_and_scan_find_the_same_entries() {
        let own = std::fs::read("/proc/self/exe").unwrap();
        let with = parse(&own).unwrap();
        let mut without = parse(&own).unwrap();
        without.eh_frame_hdr = None;
        let entries = &without.scanned().eh_frame;
        assert!(entries.len() > 100);
        for &(start, end, _) in entries.iter().step_by(17) {
            for address in [start, (start + end) / 2, end - 1] {
                let a = with.unwind(address).unwrap();
                let b = without.unwind(address).unwrap();
                assert_eq!(a.entry().initial_address(), b.entry().initial_address());
            }
        }
    }
}
