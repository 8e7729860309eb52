//! Where things are, as SARIF says it: files by an index and below a base, columns in units of UTF-16.

use super::log::{Artifact, ArtifactLocation, Base, Message, PhysicalLocation, Region, Snippet};
use crate::uri::encoded;
use sha2::{Digest as _, Sha256};
use std::collections::BTreeMap;

/// The base of what stands below one directory: viewers know the name.
const ROOT: &str = "SRCROOT";
/// The base of absolute paths, where relative ones are there as well.
const ABSOLUTE: &str = "ABSOLUTE";

/// How much of a region's text is repeated in the file.
const SNIPPET: usize = 1000;

/// The files of a run.
pub(super) struct Places<'a> {
    read: &'a dyn Fn(&str) -> Option<Vec<u8>>,
    files: BTreeMap<String, usize>,
    artifacts: Vec<Artifact>,
    /// The text of each artifact, as far as it could be read.
    texts: Vec<Option<Text>>,
    /// The directory, with its slash, that all absolute paths share.
    common: Option<String>,
    relative: bool,
}

struct Text {
    bytes: Vec<u8>,
    /// Where each line begins.
    starts: Vec<usize>,
}

impl Text {
    fn new(bytes: Vec<u8>) -> Self {
        let ends = bytes.iter().enumerate().filter(|&(_, &byte)| byte == b'\n');
        let starts = std::iter::once(0).chain(ends.map(|(at, _)| at + 1)).collect();
        Self { bytes, starts }
    }

    /// A line, from 1, without its end.
    fn line(&self, line: u32) -> Option<&[u8]> {
        let at = line.checked_sub(1)? as usize;
        let start = *self.starts.get(at)?;
        let end = self.starts.get(at + 1).map_or(self.bytes.len(), |next| next - 1);
        let line = self.bytes.get(start..end)?;
        Some(line.strip_suffix(b"\r").unwrap_or(line))
    }
}

impl<'a> Places<'a> {
    /// `paths` are all that will be asked for; `read` gives a file's bytes.
    pub(super) fn new<'p>(
        paths: impl Iterator<Item = &'p str> + Clone,
        read: &'a dyn Fn(&str) -> Option<Vec<u8>>,
    ) -> Self {
        let absolute = paths.clone().filter(|path| path.starts_with('/'));
        let common = absolute
            .map(|path| path.rsplit_once('/').map_or("", |(directory, _)| directory))
            .map(|directory| format!("{directory}/"))
            .reduce(|one, other| shared_directory(&one, &other).to_owned());
        Self {
            read,
            files: BTreeMap::new(),
            artifacts: Vec::new(),
            texts: Vec::new(),
            common,
            relative: paths.clone().any(|path| !path.starts_with('/')),
        }
    }

    /// A place in a file. `column` counts bytes from 1; it is left out where the file's text is not at hand, because nobody
    /// could tell what it is in other units.
    pub(super) fn place(&mut self, path: &str, line: u32, column: Option<u32>, end: u32) -> PhysicalLocation {
        let index = self.file(path);
        let text = self.texts[index].as_ref();
        let first = text.and_then(|text| text.line(line));
        let column = column.and_then(|column| {
            let at = column.checked_sub(1)? as usize;
            // A column behind the line's end is of another text.
            let before = first?.get(..at).filter(|_| Some(at) < first.map(<[u8]>::len))?;
            Some((
                before.len(),
                String::from_utf8_lossy(before).encode_utf16().count() + 1,
            ))
        });
        let end = end.max(line);
        let snippet = text.and_then(|text| {
            let mut shown = first?.get(column.map_or(0, |(bytes, _)| bytes)..)?.to_vec();
            for line in line + 1..=end {
                shown.push(b'\n');
                shown.extend_from_slice(text.line(line)?);
                if shown.len() > SNIPPET {
                    return None;
                }
            }
            // Text in another encoding would be another text.
            String::from_utf8(shown).ok().map(|text| Snippet { text })
        });
        let mut location = self.artifacts[index].location.clone();
        location.index = Some(index);
        PhysicalLocation {
            artifact_location: location,
            region: Region {
                start_line: line.max(1),
                start_column: column.map(|(_, units)| units),
                end_line: (end > line).then_some(end),
                snippet,
            },
        }
    }

    /// The text of a line, without what indents it.
    pub(super) fn line(&mut self, path: &str, line: u32) -> Option<String> {
        let index = self.file(path);
        let line = self.texts[index].as_ref()?.line(line)?;
        Some(String::from_utf8_lossy(line).trim().to_owned())
    }

    fn file(&mut self, path: &str) -> usize {
        if let Some(&known) = self.files.get(path) {
            return known;
        }
        let index = self.artifacts.len();
        let below = self
            .common
            .as_deref()
            .and_then(|common| path.strip_prefix(common));
        let (uri, base) = match below {
            Some(below) if self.relative => (encoded(below), ABSOLUTE),
            Some(below) => (encoded(below), ROOT),
            None => (encoded(path), ROOT),
        };
        let text = (self.read)(path).map(Text::new);
        let hash = text.as_ref().map(|text| {
            let digest = Sha256::digest(&text.bytes);
            let hex = digest.iter().map(|byte| format!("{byte:02x}")).collect();
            ("sha-256", hex)
        });
        self.artifacts.push(Artifact {
            location: ArtifactLocation {
                uri,
                uri_base_id: base,
                index: None,
            },
            length: text.as_ref().map(|text| text.bytes.len()),
            source_language: language(path),
            hashes: hash.into_iter().collect(),
        });
        self.texts.push(text);
        self.files.insert(path.to_owned(), index);
        index
    }

    /// What the run says of the files that were asked for.
    pub(super) fn finish(self) -> (BTreeMap<&'static str, Base>, Vec<Artifact>) {
        let mut bases = BTreeMap::new();
        let absolute = self.common.map(|common| format!("file://{}", encoded(&common)));
        let base = |uri, text: &str| Base {
            uri,
            description: Message {
                text: text.to_owned(),
            },
        };
        if self.relative {
            let text = "The directory that the map's relative paths start from.";
            bases.insert(ROOT, base(None, text));
        }
        if absolute.is_some() {
            let name = if self.relative { ABSOLUTE } else { ROOT };
            bases.insert(name, base(absolute, "The directory that all sources are in."));
        }
        (bases, self.artifacts)
    }
}

/// The directory that two directories are in; each ends with a slash.
fn shared_directory<'a>(one: &'a str, other: &str) -> &'a str {
    let same = one.bytes().zip(other.bytes()).take_while(|(a, b)| a == b).count();
    let end = one.as_bytes()[..same].iter().rposition(|&byte| byte == b'/');
    &one[..end.map_or(0, |at| at + 1)]
}

fn language(path: &str) -> Option<&'static str> {
    match base::FileKind::of(path)? {
        base::FileKind::C => Some("c"),
        base::FileKind::Cxx | base::FileKind::CxxHeader => Some("cplusplus"),
        // A header may be of either.
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn places<'a>(paths: &[&str], read: &'a dyn Fn(&str) -> Option<Vec<u8>>) -> Places<'a> {
        let mut places = Places::new(paths.iter().copied(), read);
        for path in paths {
            places.file(path);
        }
        places
    }

    fn uris(paths: &[&str]) -> Vec<String> {
        let (bases, artifacts) = places(paths, &|_| None).finish();
        let uri = |artifact: &Artifact| {
            let base = bases[artifact.location.uri_base_id].uri.as_deref().unwrap_or("?");
            format!("{base} {}", artifact.location.uri)
        };
        artifacts.iter().map(uri).collect()
    }

    #[test]
    fn absolute_paths_are_below_what_they_share() {
        assert_eq!(
            uris(&["/a/src/x y.c", "/a/srb/z.c"]),
            ["file:///a/ src/x%20y.c", "file:///a/ srb/z.c"]
        );
        assert_eq!(uris(&["/x.c", "/a/z.c"]), ["file:/// x.c", "file:/// a/z.c"]);
        assert_eq!(uris(&["a:b.c", "../z.c"]), ["? a%3Ab.c", "? ../z.c"]);
        assert_eq!(uris(&["s/a.c", "/usr/b.h"]), ["? s/a.c", "file:///usr/ b.h"]);
    }

    #[test]
    fn columns_count_units_of_utf_16() {
        // Two bytes and one unit; four bytes and two units.
        let text = "\tä = '𝄞' + f(1,\r\n\t2);\n".as_bytes();
        let read = |_: &str| Some(text.to_vec());
        let mut places = places(&["a.c"], &read);
        let mut column = |bytes| places.place("a.c", 1, Some(bytes), 1).region.start_column;
        assert_eq!(column(1), Some(1));
        assert_eq!(column(2), Some(2));
        assert_eq!(column(5), Some(4));
        assert_eq!(column(13), Some(10));
        // The line has 19 bytes.
        assert_eq!([column(0), column(20), column(21)], [None, None, None]);
        let region = places.place("a.c", 1, Some(16), 2).region;
        assert_eq!(
            region.snippet.map(|snippet| snippet.text).as_deref(),
            Some("f(1,\n\t2);")
        );
        assert_eq!(region.end_line, Some(2));
        assert_eq!(places.place("a.c", 9, Some(1), 9).region.start_column, None);
    }
}
