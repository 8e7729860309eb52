//! Sources as one build has compiled them.
//!
//! A map of sources knows all arms of their conditional groups, and what one of them does to a variable it takes for possible. Where a build
//! is known, its debug info has lines of code in the arms that it compiled: the others are made blank, so that nothing moves.

use crate::{Map, SourceFile};
use base::{FileKind, Language};
use bind::CompiledFile;
use std::collections::BTreeMap;
use tokens::built::Compiled;

/// What a build tells of its files, by their paths.
pub type CompiledFiles = BTreeMap<String, CompiledFile>;

/// Files that were changed before they are mapped, and what was in them.
#[derive(Debug, Default)]
pub struct AsBuilt {
    /// Hashes of the bytes, by path.
    written: BTreeMap<String, [u8; 32]>,
}

/// A line that has code in a build, counted from 1, and none in this file: the build is of another text. Nothing where that cannot be told.
pub fn line_without_code(file: &SourceFile, built: &CompiledFile) -> Option<u32> {
    let language = language_of(&file.path)?;
    tokens::built::line_without_code(&file.path, &file.bytes, language, &built.lines)
}

/// Of which language the directives of a file are.
fn language_of(path: &str) -> Option<Language> {
    match FileKind::of(path)? {
        // A header of C++ may be called so, too; the directives of both are read alike.
        FileKind::C | FileKind::Header => Some(Language::C),
        FileKind::Cxx | FileKind::CxxHeader => Some(Language::Cxx),
        _ => None,
    }
}

impl AsBuilt {
    /// Blanks out of `files` what the build has not compiled.
    pub fn new(files: &mut [SourceFile], files_of_build: &CompiledFiles) -> Self {
        let mut written = BTreeMap::new();
        for file in files {
            let Some(language) = language_of(&file.path) else {
                continue;
            };
            let Some(built) = files_of_build.get(&file.path) else {
                continue;
            };
            let compiled = if built.is_included {
                Compiled::Included
            } else {
                Compiled::ByItself
            };
            let left_out = tokens::built::left_out(&file.path, &file.bytes, language, compiled, &built.lines);
            if left_out.is_empty() {
                continue;
            }
            written.insert(file.path.clone(), crate::content_hash(&file.bytes));
            for byte in left_out.into_iter().flat_map(|range| range.into_iter()) {
                if !matches!(file.bytes[byte], b'\n' | b'\r') {
                    file.bytes[byte] = b' ';
                }
            }
        }
        Self { written }
    }

    /// Lets the map that was made of the files name what is written in them.
    pub fn restore(&self, map: &mut Map) {
        for id in map.files.ids() {
            let file = &mut map.files[id];
            if let Some(hash) = self.written.get(&file.path) {
                file.hash = *hash;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{content_hash, map_sources};
    use std::collections::BTreeSet;

    #[test]
    fn an_arm_that_is_not_compiled_changes_nothing() {
        let text = "int x;
#ifdef SHOW
void show(void) { keep(&x); }
#else
void show(void) { none(); }
#endif
int main(void) {
    for (x = 0; x < 9; x++)
        show();
    return 0;
}
";
        let file = SourceFile {
            path: "a.c".to_owned(),
            bytes: text.as_bytes().to_vec(),
        };
        let lovs = |map: &Map| {
            let loops = map.functions.iter().flat_map(|function| function.loops.iter());
            loops.map(|in_loop| in_loop.lovs.len()).sum::<usize>()
        };
        assert_eq!(lovs(&map_sources(vec![file.clone()], &|_| {})), 0);
        for (line, expected) in [(5, 1), (3, 0)] {
            let lines = BTreeMap::from([(
                "a.c".to_owned(),
                CompiledFile {
                    lines: BTreeSet::from([line, 8]),
                    ..Default::default()
                },
            )]);
            let mut files = vec![file.clone()];
            let built = AsBuilt::new(&mut files, &lines);
            assert_eq!(files[0].bytes.len(), text.len());
            let mut map = map_sources(files, &|_| {});
            built.restore(&mut map);
            assert_eq!(lovs(&map), expected, "line {line}");
            let hashes = Vec::from_iter(map.files.iter().map(|file| file.hash));
            assert_eq!(hashes, [content_hash(text.as_bytes())]);
        }
    }
}
