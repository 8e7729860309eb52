//! Texts: what is open in the editor, what is on disk, and how either lies to what was mapped.

use crate::Host;
use crate::project::Project;
use crate::text::{Alignment, Encoding, counts_alike, lines};
use lsp_types::{Location, Range, Uri};
use progress_map::FileId;
use std::borrow::Cow;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::str::FromStr as _;

/// The open documents, by their URI.
#[derive(Default)]
pub(crate) struct Desk {
    documents: BTreeMap<String, Document>,
}

struct Document {
    uri: Uri,
    text: String,
    file: Option<FileId>,
    /// The mapped text, once this document had it.
    base: Option<Base>,
    alignment: Option<Alignment>,
}

struct Base {
    hash: [u8; 32],
    text: String,
}

/// A file as the editor has it, or would have it.
pub(crate) struct View<'a> {
    pub(crate) uri: Uri,
    text: Cow<'a, str>,
    pub(crate) alignment: Alignment,
}

impl View<'_> {
    pub(crate) fn lines(&self) -> Vec<&str> {
        lines(&self.text)
    }

    /// A place of the mapped text: from the column to the end of the line.
    pub(crate) fn range(&self, encoding: Encoding, line: u32, column: Option<u32>) -> Option<Range> {
        let now = self.alignment.now(line)?;
        let lines = self.lines();
        let text = lines.get(now.checked_sub(1)? as usize)?;
        Some(encoding.rest_of_line(text, now, column))
    }
}

impl Desk {
    /// A document was opened, or has another text now.
    pub(crate) fn put(&mut self, uri: &Uri, text: String, project: Option<&Project>, host: &dyn Host) {
        let before = self.documents.remove(uri.as_str());
        let mut document = Document {
            uri: uri.clone(),
            text,
            file: None,
            base: before.and_then(|before| before.base),
            alignment: None,
        };
        document.look_up(project, host);
        self.documents.insert(uri.as_str().to_owned(), document);
    }

    pub(crate) fn close(&mut self, uri: &Uri) {
        self.documents.remove(uri.as_str());
    }

    /// Another map is in force.
    pub(crate) fn look_up_all(&mut self, project: Option<&Project>, host: &dyn Host) {
        for document in self.documents.values_mut() {
            document.look_up(project, host);
        }
    }

    /// The open document of a URI: which file it is, and how it lies to it, if that is known.
    pub(crate) fn open(&self, uri: &Uri) -> Option<(FileId, Option<View<'_>>)> {
        let document = self.documents.get(uri.as_str())?;
        Some((document.file?, document.view()))
    }

    /// The open documents that are files of the map.
    pub(crate) fn files(&self) -> impl Iterator<Item = (&Uri, FileId)> {
        let documents = self.documents.values();
        documents.filter_map(|document| Some((&document.uri, document.file?)))
    }

    /// A file in the editor, or on disk if it is as it was mapped.
    pub(crate) fn view(&self, file: FileId, project: &Project, host: &dyn Host) -> Option<View<'_>> {
        match self
            .documents
            .values()
            .find(|document| document.file == Some(file))
        {
            Some(document) => document.view(),
            None => {
                let path = project.job.sources.get(file)?.as_deref()?;
                let text = mapped_text(project, file, host)?;
                let own = lines(&text);
                let alignment = Alignment::of(&own, &own);
                Some(View {
                    uri: uri_of(path)?,
                    text: Cow::Owned(text),
                    alignment,
                })
            }
        }
    }

    /// A place of the mapped text, wherever it is now.
    pub(crate) fn location(
        &self,
        (file, line, column): (FileId, u32, Option<u32>),
        project: &Project,
        host: &dyn Host,
        encoding: Encoding,
    ) -> Option<Location> {
        let view = self.view(file, project, host)?;
        let range = view.range(encoding, line, column)?;
        Some(Location { uri: view.uri, range })
    }

    /// The bytes that were mapped: from disk, or from before a document was edited and saved.
    pub(crate) fn mapped_bytes(&self, file: FileId, project: &Project, host: &dyn Host) -> Option<Vec<u8>> {
        let hash = project.job.map.files.get(file)?.hash;
        let from_disk = project.job.sources.get(file)?.as_deref();
        let from_disk = from_disk.and_then(|path| host.read(path));
        from_disk
            .filter(|bytes| engine::content_hash(bytes) == hash)
            .or_else(|| {
                let mut bases = self
                    .documents
                    .values()
                    .filter_map(|document| document.base.as_ref());
                let base = bases.find(|base| base.hash == hash);
                base.map(|base| base.text.clone().into_bytes())
            })
    }
}

impl Document {
    fn view(&self) -> Option<View<'_>> {
        Some(View {
            uri: self.uri.clone(),
            text: Cow::Borrowed(&self.text),
            alignment: self.alignment?,
        })
    }

    fn look_up(&mut self, project: Option<&Project>, host: &dyn Host) {
        self.alignment = None;
        let path = path_of(&self.uri).map(|path| host.real_path(&path).unwrap_or(path));
        self.file = path
            .zip(project)
            .and_then(|(path, project)| project.file(&path, self.text.as_bytes()));
        let (Some(file), Some(project)) = (self.file, project) else {
            return;
        };
        let Some(hash) = project.job.map.files.get(file).map(|file| file.hash) else {
            return;
        };
        if engine::content_hash(self.text.as_bytes()) == hash {
            self.base = Some(Base {
                hash,
                text: self.text.clone(),
            });
        } else if self.base.as_ref().is_none_or(|base| base.hash != hash) {
            // Editors take off marks of byte order and may write line ends of their own; what is shown is the same. A text
            // that differs otherwise never was the mapped one, as far as anybody saw: then nothing is known of its lines.
            self.base = mapped_text(project, file, host)
                .filter(|mapped| lines(mapped) == lines(&self.text))
                .map(|text| Base { hash, text });
        }
        self.alignment = self
            .base
            .as_ref()
            .filter(|base| counts_alike(&self.text) && counts_alike(&base.text))
            .map(|base| Alignment::of(&lines(&base.text), &lines(&self.text)));
    }
}

/// The text of a file on disk, if it is the one that was mapped and can be told in characters.
fn mapped_text(project: &Project, file: FileId, host: &dyn Host) -> Option<String> {
    let path = project.job.sources.get(file)?.as_deref()?;
    let bytes = host.read(path)?;
    let hash = project.job.map.files.get(file)?.hash;
    (engine::content_hash(&bytes) == hash)
        .then(|| String::from_utf8(bytes).ok())?
        .filter(|text| counts_alike(text))
}

/// The path that a `file` URI names.
pub(crate) fn path_of(uri: &Uri) -> Option<PathBuf> {
    let rest = uri.as_str().strip_prefix("file://")?;
    // A host may stand there; only this one has files for us.
    let path = rest.strip_prefix("localhost").unwrap_or(rest);
    if !path.starts_with('/') {
        return None;
    }
    let path = path.split(['?', '#']).next()?;
    let mut bytes = Vec::with_capacity(path.len());
    let mut rest = path.bytes();
    while let Some(byte) = rest.next() {
        bytes.push(match byte {
            b'%' => {
                let digits = [rest.next()?, rest.next()?];
                u8::from_str_radix(std::str::from_utf8(&digits).ok()?, 16).ok()?
            }
            other => other,
        });
    }
    String::from_utf8(bytes).ok().map(PathBuf::from)
}

pub(crate) fn uri_of(path: &Path) -> Option<Uri> {
    let path = path.to_str().filter(|path| path.starts_with('/'))?;
    Uri::from_str(&format!("file://{}", report::encoded(path))).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_and_uris() {
        for path in ["/a/b.c", "/a b/ü%#?.c", "/"] {
            let uri = uri_of(Path::new(path)).unwrap();
            assert_eq!(path_of(&uri).as_deref(), Some(Path::new(path)));
        }
        let of = |text: &str| Uri::from_str(text).ok().and_then(|uri| path_of(&uri));
        assert_eq!(of("file://localhost/a.c"), Some("/a.c".into()));
        for other in ["untitled:a.c", "http://x/a.c", "file://host/a.c", "file:///%ff.c"] {
            assert_eq!(of(other), None, "{other}");
        }
    }
}
