//! What a map depends on, as one number: whoever keeps maps keeps them under it.

use crate::SourceFile;
use rayon::prelude::*;

/// The hash of bytes that come in pieces.
#[derive(Default)]
pub struct ContentHasher(blake3::Hasher);

impl ContentHasher {
    /// Adds the next piece.
    pub fn add(&mut self, piece: &[u8]) {
        self.0.update(piece);
    }

    /// The hash of all pieces.
    pub fn finish(self) -> [u8; 32] {
        *self.0.finalize().as_bytes()
    }
}

/// The parts one after the other, behind a hash of them all: for what is kept where it may be damaged.
pub fn sealed(parts: &[&[u8]]) -> Vec<u8> {
    let mut hasher = ContentHasher::default();
    parts.iter().for_each(|part| hasher.add(part));
    [&SEAL[..], &hasher.finish(), &parts.concat()].concat()
}

/// What [`sealed`] begins with: by it, files are known as hindmost's whatever their names are.
const SEAL: [u8; 8] = *b"\x89HKEPT\r\n";

/// Whether a file that begins with `head`, eight bytes or all of its own, is one that hindmost keeps: a map, or what is [`sealed`].
pub fn is_kept_file(head: &[u8]) -> bool {
    head.starts_with(&SEAL) || head.starts_with(&progress_map::MAGIC)
}

/// What was [`sealed`]; nothing when a byte is another.
pub fn unsealed(bytes: &[u8]) -> Option<&[u8]> {
    let (hash, rest) = bytes.strip_prefix(&SEAL)?.split_first_chunk::<32>()?;
    (crate::content_hash(rest) == *hash).then_some(rest)
}

/// Collects what a result was made from. Two different collections never have the same text, as far as the hash is good.
pub struct Fingerprint(blake3::Hasher);

impl Fingerprint {
    /// An empty collection for one purpose.
    pub fn new(purpose: &str) -> Self {
        let mut fingerprint = Fingerprint(blake3::Hasher::new());
        fingerprint.add(purpose.as_bytes());
        fingerprint
    }

    /// Adds something; where it ends is part of it.
    pub fn add(&mut self, bytes: &[u8]) {
        self.0.update(&(bytes.len() as u64).to_le_bytes());
        self.0.update(bytes);
    }

    /// Adds all of `files` that [`map_sources`](crate::map_sources) looks at. Their order does not matter to it, except
    /// among files of one path.
    pub fn add_sources(&mut self, files: &[SourceFile]) {
        let mut parts: Vec<(&str, [u8; 32])> = files
            .par_iter()
            .map(|file| {
                // Whoever adds a field has to decide here whether the map depends on it.
                let SourceFile { path, bytes } = file;
                (path.as_str(), *blake3::hash(bytes).as_bytes())
            })
            .collect();
        parts.sort_by_key(|(path, _)| *path);
        parts.dedup_by_key(|(path, _)| *path);
        self.add(&(parts.len() as u64).to_le_bytes());
        for (path, hash) in parts {
            self.add(path.as_bytes());
            self.add(&hash);
        }
    }

    /// The fingerprint in hexadecimal.
    pub fn text(&self) -> String {
        self.0.finalize().to_hex().to_string()
    }
}

#[cfg(test)]
mod tests {
    use super::Fingerprint;
    use crate::SourceFile;

    fn of(files: &[(&str, &str)]) -> String {
        let files = files.iter().map(|(path, text)| SourceFile {
            path: (*path).to_owned(),
            bytes: text.as_bytes().to_vec(),
        });
        let mut fingerprint = Fingerprint::new("test");
        fingerprint.add_sources(&Vec::from_iter(files));
        fingerprint.text()
    }

    #[test]
    fn it_tells_what_the_map_depends_on_and_no_more() {
        let one = of(&[("a.c", "x"), ("b.c", "y")]);
        assert_eq!(one, of(&[("b.c", "y"), ("a.c", "x")]), "the order of files");
        assert_eq!(
            one,
            of(&[("a.c", "x"), ("b.c", "y"), ("a.c", "z")]),
            "a path's first file counts"
        );
        for other in [
            of(&[("a.c", "y"), ("b.c", "x")]),
            of(&[("a.c", "x"), ("c.c", "y")]),
            of(&[("a.c", "x")]),
            of(&[("a.c", "x"), ("b.c", "y"), ("c.c", "")]),
            of(&[("a.cb", "x"), (".c", "y")]),
        ] {
            assert_ne!(one, other);
        }
    }
}
