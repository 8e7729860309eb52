//! The frame around the sections: magic, version, length, checksums.
//!
//! A record knows its own length, and that is a multiple of eight. So a linker that concatenates the maps of its
//! objects in one ELF section makes a sequence of records, which [`records`] takes apart again.

use crate::error::{ByteOffset, ReadError, Section, Tag};

/// The format version that this crate writes, and the highest that it reads.
pub const VERSION: u32 = 3;

/// What a map begins with: first byte not ASCII, then a name, then the line ends that a text-mode copy would change.
pub const MAGIC: [u8; 8] = *b"\x89HMAP\r\n\x1a";

const HEADER: usize = 32;
const ENTRY: usize = 24;
/// Records end at a multiple of this, so that a linker puts no gap between two of them.
const ALIGN: usize = 8;

/// Bit 0 of a section's flags: a reader that does not know the section must refuse the map.
const REQUIRED: u32 = 1;

/// A section as it stands in a record.
#[derive(Clone, Copy)]
pub(crate) struct Stored<'a> {
    pub(crate) section: Section,
    /// Whether a reader that does not know it must refuse the map.
    pub(crate) required: bool,
    pub(crate) bytes: &'a [u8],
}

/// The record that holds `sections`.
pub(crate) fn write(sections: &[(Tag, Vec<u8>)]) -> Vec<u8> {
    let table = HEADER + sections.len() * ENTRY;
    let content = table + sections.iter().map(|(_, bytes)| bytes.len()).sum::<usize>();
    let length = content.next_multiple_of(ALIGN);
    let mut record = Vec::with_capacity(length);
    record.extend_from_slice(&MAGIC);
    record.extend_from_slice(&VERSION.to_le_bytes());
    record.extend_from_slice(&(sections.len() as u32).to_le_bytes());
    record.extend_from_slice(&(length as u64).to_le_bytes());
    record.extend_from_slice(&[0; 8]);
    for (tag, bytes) in sections {
        let flags = if super::OPTIONAL.contains(tag) {
            0
        } else {
            REQUIRED
        };
        record.extend_from_slice(&tag.0);
        record.extend_from_slice(&flags.to_le_bytes());
        record.extend_from_slice(&(bytes.len() as u64).to_le_bytes());
        record.extend_from_slice(&crc32fast::hash(bytes).to_le_bytes());
        record.extend_from_slice(&[0; 4]);
    }
    let checksum = header_checksum(&record);
    record[28..32].copy_from_slice(&checksum.to_le_bytes());
    for (_, bytes) in sections {
        record.extend_from_slice(bytes);
    }
    record.resize(length, 0);
    record
}

/// The sections of the one record that `bytes` holds, checksums verified.
pub(crate) fn parse(bytes: &[u8]) -> Result<Vec<Stored<'_>>, ReadError> {
    let length = record_length(bytes)?;
    if length < bytes.len() {
        return Err(ReadError::Trailing {
            offset: length as u64,
        });
    }
    let table = HEADER + read_u32(bytes, 12) as usize * ENTRY;
    let mut sections = Vec::with_capacity((table - HEADER) / ENTRY);
    let mut at = table;
    for (ordinal, entry) in (0..).zip(bytes[HEADER..table].chunks_exact(ENTRY)) {
        let tag = Tag([entry[0], entry[1], entry[2], entry[3]]);
        let section = Section { tag, ordinal };
        let stored = usize::try_from(read_u64(entry, 8))
            .ok()
            .and_then(|length| bytes[at..].get(..length))
            .ok_or(ReadError::Malformed {
                place: ByteOffset::Header {
                    offset: (HEADER + ordinal as usize * ENTRY + 8) as u64,
                },
                what: "a section is longer than the record",
            })?;
        if crc32fast::hash(stored) != read_u32(entry, 16) {
            return Err(ReadError::Checksum { part: Some(section) });
        }
        sections.push(Stored {
            section,
            required: read_u32(entry, 4) & REQUIRED != 0,
            bytes: stored,
        });
        at += stored.len();
    }
    // Nothing may hide between the last section and the end, or equal maps would not have equal bytes.
    if bytes.len() - at >= ALIGN || bytes[at..].iter().any(|&byte| byte != 0) {
        return Err(ReadError::Malformed {
            place: ByteOffset::Header { offset: 16 },
            what: "the record is longer than its sections",
        });
    }
    Ok(sections)
}

/// The records of a concatenation, for example of an ELF section that a linker has joined; zero bytes between them
/// are skipped. After the first error there is nothing more, since the next record cannot be found.
pub fn records(bytes: &[u8]) -> impl Iterator<Item = Result<&[u8], ReadError>> {
    let mut rest = bytes;
    std::iter::from_fn(move || {
        let gap = rest.iter().take_while(|&&byte| byte == 0).count();
        rest = &rest[gap..];
        if rest.is_empty() {
            return None;
        }
        match record_length(rest) {
            Ok(length) => {
                let (record, after) = rest.split_at(length);
                rest = after;
                Some(Ok(record))
            }
            Err(error) => {
                rest = &[];
                Some(Err(error))
            }
        }
    })
}

/// The length of the record at the start of `bytes`, which is that long; its header is verified.
fn record_length(bytes: &[u8]) -> Result<usize, ReadError> {
    let have = bytes.len();
    if !bytes.starts_with(&MAGIC[..have.min(MAGIC.len())]) || have == 0 {
        return Err(ReadError::NotAMap);
    }
    let truncated = |need: u64| ReadError::Truncated {
        have: have as u64,
        need,
    };
    if have < HEADER {
        return Err(truncated(HEADER as u64));
    }
    // The version comes before the checksum: a newer header may be checked in another way.
    let version = read_u32(bytes, 8);
    if version > VERSION {
        return Err(ReadError::NewerVersion { found: version });
    }
    if version < VERSION {
        return Err(ReadError::OlderVersion { found: version });
    }
    let length = read_u64(bytes, 16);
    let table = HEADER as u64 + u64::from(read_u32(bytes, 12)) * ENTRY as u64;
    if table > have as u64 {
        return Err(truncated(length.max(table)));
    }
    if header_checksum(&bytes[..table as usize]) != read_u32(bytes, 28) {
        return Err(ReadError::Checksum { part: None });
    }
    let malformed = |offset, what| ReadError::Malformed {
        place: ByteOffset::Header { offset },
        what,
    };
    if length < table || !length.is_multiple_of(ALIGN as u64) {
        return Err(malformed(16, "the record's length cannot be right"));
    }
    if length > have as u64 {
        return Err(truncated(length));
    }
    Ok(length as usize)
}

/// CRC-32 of the header but for its last field, and of the section table.
fn header_checksum(header_and_table: &[u8]) -> u32 {
    let mut hasher = crc32fast::Hasher::new();
    hasher.update(&header_and_table[..28]);
    hasher.update(&header_and_table[HEADER..]);
    hasher.finalize()
}

fn read_u32(bytes: &[u8], at: usize) -> u32 {
    let mut value = [0; 4];
    value.copy_from_slice(&bytes[at..at + 4]);
    u32::from_le_bytes(value)
}

fn read_u64(bytes: &[u8], at: usize) -> u64 {
    let mut value = [0; 8];
    value.copy_from_slice(&bytes[at..at + 8]);
    u64::from_le_bytes(value)
}

/// Computes all checksums of a record anew, so that a test can change bytes and still reach the decoders.
#[cfg(any(test, feature = "generate"))]
pub(crate) fn reseal(record: &mut [u8]) {
    if record.len() < HEADER {
        return;
    }
    let table = HEADER.saturating_add((read_u32(record, 12) as usize).saturating_mul(ENTRY));
    if table > record.len() {
        return;
    }
    let mut at = table;
    for entry in (HEADER..table).step_by(ENTRY) {
        let length = read_u64(record, entry + 8) as usize;
        let Some(bytes) = record.get(at..).and_then(|rest| rest.get(..length)) else {
            break;
        };
        let checksum = crc32fast::hash(bytes);
        record[entry + 16..entry + 20].copy_from_slice(&checksum.to_le_bytes());
        at += length;
    }
    let checksum = header_checksum(&record[..table]);
    record[28..32].copy_from_slice(&checksum.to_le_bytes());
}
