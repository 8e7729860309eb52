//! The files of threads: what they have written, and what was packed of it.

use super::{PACKED, STAMPS, TRACE};
use crate::listener::Listener;
use calltrace::packed;
use engine::traces::{Packable, ThreadFiles};
use regular_files::{Limit, Reader};
use std::collections::{BTreeMap, BTreeSet};
use std::fs::File;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// The threads of each process, by the name of its file without what that ends in.
pub(super) type Threads = BTreeMap<String, BTreeSet<u32>>;

/// The threads that files of these names are of.
pub(super) fn threads<'p>(files: impl Iterator<Item = &'p Path>) -> Threads {
    let mut found = Threads::new();
    for file in files {
        let extension = file.extension().and_then(|extension| extension.to_str());
        let is_of_thread = extension.is_some_and(|extension| {
            let plain = extension.strip_suffix(PACKED).unwrap_or(extension);
            [TRACE, STAMPS].contains(&plain)
        });
        let stem = file.file_stem().and_then(|stem| stem.to_str());
        let named = stem
            .and_then(|stem| stem.rsplit_once('-'))
            .filter(|_| is_of_thread);
        if let Some((process, number)) = named
            && let Ok(number) = number.parse()
        {
            found.entry(process.to_owned()).or_default().insert(number);
        }
    }
    found
}

/// What a thread has written, of a process that began then.
pub(super) fn read(
    directory: &Path,
    process: &str,
    number: u32,
    started: u64,
    reader: &Reader,
    listener: &dyn Listener,
) -> ThreadFiles {
    let [trace, stamps] = [TRACE, STAMPS].map(|extension| {
        let plain = name(directory, process, number, extension);
        let packed = packed_name(&plain);
        // In this order: what is packed meanwhile is in both.
        let plain = read_one(&plain, reader, listener, |file| super::plain::thread(&file));
        let packed = read_one(&packed, reader, listener, |mut file| {
            regular_files::read_opened(&mut file, Limit::RECORD)
        });
        let is_its = packed::started(&packed) == Some(started);
        Packable {
            plain: Arc::new(plain),
            packed: Arc::new(if is_its { packed } else { Vec::new() }),
        }
    });
    ThreadFiles {
        number,
        trace,
        stamps,
    }
}

pub(super) fn name(directory: &Path, process: &str, number: u32, extension: &str) -> PathBuf {
    directory.join(format!("{process}-{number}.{extension}"))
}

pub(super) fn packed_name(plain: &Path) -> PathBuf {
    let mut name = plain.to_owned().into_os_string();
    name.push(PACKED);
    name.into()
}

/// A file; nothing where there is none.
fn read_one(
    path: &Path,
    reader: &Reader,
    listener: &dyn Listener,
    read: impl FnOnce(File) -> io::Result<Vec<u8>>,
) -> Vec<u8> {
    reader.open(path).and_then(read).unwrap_or_else(|error| {
        if error.kind() != io::ErrorKind::NotFound {
            listener.warn(&format!("left out: {}: {error}", path.display()));
        }
        Vec::new()
    })
}
