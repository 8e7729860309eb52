//! What a compilation has read of one source file, as a string of a section that linkers merge.
//!
//! ```text
//! magic, version     which layout the payload has: both as text
//! payload            deflated, then encoded so that no byte is zero
//! 0
//! ```
//!
//! So fragments can be taken apart wherever a linker has put them, and a damaged one costs itself alone.

use std::fmt;

/// What each fragment begins with.
const MAGIC: &[u8] = b"hindmost-unit ";
/// No more than this becomes of a payload when it is inflated: what was read of the largest source file that we know of has a tenth.
const MOST: usize = 1 << 30;

/// A fragment that cannot be used.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FragmentError {
    /// Its payload is laid out in another way than this program knows.
    OtherVersion {
        /// The version that it has.
        found: u32,
    },
    /// It is none, or it is damaged.
    Damaged,
}

impl fmt::Display for FragmentError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            FragmentError::OtherVersion { found } => {
                write!(f, "written by another version of hindmost (layout {found})")
            }
            FragmentError::Damaged => f.write_str("damaged"),
        }
    }
}

impl std::error::Error for FragmentError {}

/// The fragment of a payload whose layout has this version.
#[must_use]
pub fn write(version: u32, payload: &[u8]) -> Vec<u8> {
    let mut fragment = MAGIC.to_vec();
    fragment.extend_from_slice(format!("{version} ").as_bytes());
    let deflated = miniz_oxide::deflate::compress_to_vec(payload, 6);
    fragment.extend_from_slice(&cobs::encode_vec(&deflated));
    fragment.push(0);
    fragment
}

/// The payloads of all fragments in a section, for a reader of the layout `version`, in the order in which they stand there.
pub fn read(section: &[u8], version: u32) -> impl Iterator<Item = Result<Vec<u8>, FragmentError>> {
    // Linkers may leave zeros between two objects' parts.
    let fragments = section
        .split(|&byte| byte == 0)
        .filter(|fragment| !fragment.is_empty());
    fragments.map(move |fragment| payload(fragment, version))
}

/// The fragments of a section, each as it was written.
pub fn pieces(section: &[u8]) -> impl Iterator<Item = Vec<u8>> {
    let pieces = section.split(|&byte| byte == 0).filter(|piece| !piece.is_empty());
    pieces.map(|piece| [piece, &[0]].concat())
}

fn payload(fragment: &[u8], version: u32) -> Result<Vec<u8>, FragmentError> {
    let rest = fragment.strip_prefix(MAGIC).ok_or(FragmentError::Damaged)?;
    let space = rest
        .iter()
        .position(|&byte| byte == b' ')
        .ok_or(FragmentError::Damaged)?;
    let found = std::str::from_utf8(&rest[..space])
        .ok()
        .and_then(|text| text.parse().ok());
    match found {
        Some(found) if found == version => {}
        Some(found) => return Err(FragmentError::OtherVersion { found }),
        None => return Err(FragmentError::Damaged),
    }
    let deflated = cobs::decode_vec(&rest[space + 1..]).map_err(|_| FragmentError::Damaged)?;
    miniz_oxide::inflate::decompress_to_vec_with_limit(&deflated, MOST).map_err(|_| FragmentError::Damaged)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_written_is_read_wherever_a_linker_puts_it() {
        let payloads: Vec<Vec<u8>> = vec![vec![], vec![0; 1000], (0..=255).cycle().take(70_000).collect()];
        let mut section = vec![0];
        for payload in &payloads {
            let fragment = write(7, payload);
            assert_eq!(
                fragment.iter().filter(|&&byte| byte == 0).count(),
                1,
                "it is one string"
            );
            section.extend_from_slice(&fragment);
            section.extend_from_slice(&[0, 0]);
        }
        let read = Vec::from_iter(read(&section, 7));
        assert_eq!(read, Vec::from_iter(payloads.into_iter().map(Ok)));
    }

    #[test]
    fn another_version_and_damage_are_told() {
        let other = write(8, b"payload");
        assert_eq!(
            Vec::from_iter(read(&other, 7)),
            [Err(FragmentError::OtherVersion { found: 8 })]
        );
        let whole = write(7, b"payload");
        for cut in 1..whole.len() - 1 {
            assert_eq!(Vec::from_iter(read(&whole[..cut], 7)).len(), 1);
            assert!(read(&whole[..cut], 7).all(|each| each.is_err()), "cut at {cut}");
        }
        let both = [&whole[..20], &[0], &whole[..]].concat();
        assert_eq!(
            Vec::from_iter(read(&both, 7)),
            [Err(FragmentError::Damaged), Ok(b"payload".to_vec())],
            "the next one is whole"
        );
    }
}
