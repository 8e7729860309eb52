//! Unwind tables of the executable: how far the stack pointer, or the frame pointer, is from the canonical frame address (CFA).
//!
//! The probe unwinds with the same tables: `.eh_frame`, and `.debug_frame` where that has nothing.

use crate::elf::Image;
use crate::sections::decompressed;
use gimli::{
    BaseAddresses, CfaRule, CieOrFde, DebugFrame, EhFrame, EndianSlice, FrameDescriptionEntry, LittleEndian,
    RegisterRule, UnwindContext, UnwindOffset, UnwindSection,
};
use object::{Object as _, ObjectSection as _};
use std::collections::BTreeMap;
use std::ops::Range;

type Slice<'a> = EndianSlice<'a, LittleEndian>;

/// The registers that functions preserve, by their DWARF numbers: rbx, rbp, r12 to r15.
const PRESERVED: [u16; 6] = [3, 6, 12, 13, 14, 15];

/// What the tables say of a stretch of code.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Row {
    pub(crate) code: Range<u64>,
    pub(crate) cfa: Cfa,
    /// Some register that functions preserve has been saved by now.
    pub(crate) saves: bool,
}

/// Where the CFA is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Cfa {
    /// So many bytes above what a register holds, which is given by its DWARF number.
    Above(u16, i64),
    /// Computed in another way.
    Otherwise,
}

/// The unwind tables of a file are missing, damaged, or of a form that no compiler here writes.
#[derive(Debug)]
pub(crate) struct BadTables;

/// Where the table of an entry's landing pads is, if exceptions may enter its code in the middle.
///
/// # Errors
/// Its address is read from somewhere at run time: not by any compiler here.
pub(crate) fn exceptions_of(entry: &FrameDescriptionEntry<Slice<'_>>) -> Result<Option<u64>, BadTables> {
    match entry.lsda() {
        None => Ok(None),
        Some(gimli::Pointer::Direct(table)) => Ok(Some(table)),
        Some(gimli::Pointer::Indirect(_)) => Err(BadTables),
    }
}

/// Hands over each entry of the section `.eh_frame`.
///
/// # Errors
/// The table is damaged, or `each` gives up.
pub(crate) fn each_entry<'a>(
    image: &Image<'a>,
    mut each: impl FnMut(FrameDescriptionEntry<Slice<'a>>) -> Result<(), BadTables>,
) -> Result<(), BadTables> {
    let section = image.file.section_by_name(".eh_frame").ok_or(BadTables)?;
    let mut bases = BaseAddresses::default().set_eh_frame(section.address());
    for (name, set) in [
        (".text", BaseAddresses::set_text as fn(_, _) -> _),
        (".got", BaseAddresses::set_got),
    ] {
        if let Some(section) = image.file.section_by_name(name) {
            bases = set(bases, section.address());
        }
    }
    let table = EhFrame::new(section.data().map_err(|_| BadTables)?, LittleEndian);
    let mut entries = table.entries(&bases);
    while let Some(entry) = entries.next().map_err(|_| BadTables)? {
        if let CieOrFde::Fde(partial) = entry {
            each(partial.parse(EhFrame::cie_from_offset).map_err(|_| BadTables)?)?;
        }
    }
    Ok(())
}

/// The entries of functions, by the first address of each.
pub(crate) type Unwinding = BTreeMap<u64, Vec<Row>>;

/// Reads the entries of the functions that begin at the `wanted` addresses, which are sorted. What is damaged is left out.
pub(crate) fn unwinding(image: &Image<'_>, wanted: &[u64]) -> Unwinding {
    let section = |name: &str| {
        let section = image.file.section_by_name(name)?;
        let bytes = decompressed(&section).ok()?;
        Some((section.address(), bytes))
    };
    let mut bases = BaseAddresses::default();
    if let Some((text, _)) = section(".text") {
        bases = bases.set_text(text);
    }
    let mut found = Unwinding::new();
    if let Some((address, bytes)) = section(".eh_frame") {
        let bases = bases.clone().set_eh_frame(address);
        read(&EhFrame::new(&bytes, LittleEndian), &bases, wanted, &mut found);
    }
    if let Some((_, bytes)) = section(".debug_frame") {
        read(&DebugFrame::new(&bytes, LittleEndian), &bases, wanted, &mut found);
    }
    found
}

fn read<'a, S>(section: &S, bases: &BaseAddresses, wanted: &[u64], found: &mut Unwinding)
where
    S: UnwindSection<Slice<'a>>,
    S::Offset: UnwindOffset<usize>,
{
    let mut context = UnwindContext::new();
    let mut entries = section.entries(bases);
    while let Ok(Some(entry)) = entries.next() {
        let CieOrFde::Fde(partial) = entry else { continue };
        let Ok(entry) = partial.parse(S::cie_from_offset) else {
            continue;
        };
        let start = entry.initial_address();
        if found.contains_key(&start) || wanted.binary_search(&start).is_err() {
            continue;
        }
        let Ok(mut table) = entry.rows(section, bases, &mut context) else {
            continue;
        };
        let mut rows: Vec<Row> = Vec::new();
        let complete = loop {
            match table.next_row() {
                Ok(Some(row)) => {
                    let is_saved = |&register: &u16| {
                        let rule = row.register(gimli::Register(register));
                        matches!(rule, Some(RegisterRule::Offset(_)))
                    };
                    rows.push(Row {
                        code: row.start_address()..row.end_address(),
                        cfa: match row.cfa() {
                            CfaRule::RegisterAndOffset { register, offset } => {
                                Cfa::Above(register.0, *offset)
                            }
                            CfaRule::Expression(_) => Cfa::Otherwise,
                        },
                        saves: PRESERVED.iter().any(is_saved),
                    });
                }
                Ok(None) => break true,
                Err(_) => break false,
            }
        };
        if complete && !rows.is_empty() {
            found.insert(start, rows);
        }
    }
}
