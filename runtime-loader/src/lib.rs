//! What the loader of C has loaded into this process. Addresses relative to a file are the same in all processes that run the same files.
//!
//! Recorder and tracer ask it within the functions of a program, so nothing is allocated, and what is found is handed to a function as long as the loader keeps it there.

#![expect(unsafe_code, reason = "the loader of C tells what it has loaded")]

use std::ffi::CStr;

/// Tags of what the loader is told by a file (gABI, "Dynamic Section").
const DT_NULL: u64 = 0;
const DT_RPATH: u64 = 15;
const DT_RUNPATH: u64 = 29;

/// A file that is loaded.
#[derive(Clone, Copy)]
pub struct Loaded<'a> {
    /// Where it is loaded: what its addresses are relative to.
    pub base: usize,
    /// The name that it was loaded by; empty for the program itself.
    pub name: &'a [u8],
    headers: &'a [libc::Elf64_Phdr],
}

/// A part of a file that is loaded.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Part {
    /// Where it begins in memory.
    pub start: usize,
    /// How long it is in the file: what follows in memory was zero at first.
    pub bytes: usize,
    /// Whether it can be executed.
    pub is_code: bool,
}

impl<'a> Loaded<'a> {
    /// Its parts that are in memory.
    fn loads(&self) -> impl Iterator<Item = &'a libc::Elf64_Phdr> + use<'a> {
        self.headers
            .iter()
            .filter(|header| header.p_type == libc::PT_LOAD)
    }

    /// Its parts that can be read, as they stand in the file: where each is in memory, how long, and whether it is code.
    pub fn parts(&self) -> impl Iterator<Item = Part> + use<'a> {
        let base = self.base;
        let readable = self.loads().filter(|load| load.p_flags & libc::PF_R != 0);
        readable.map(move |load| Part {
            start: base.wrapping_add(load.p_vaddr as usize),
            bytes: load.p_filesz as usize,
            is_code: load.p_flags & libc::PF_X != 0,
        })
    }

    /// Whether this address is in it.
    #[must_use]
    pub fn contains(&self, address: usize) -> bool {
        let offset = address.wrapping_sub(self.base) as u64;
        self.loads()
            .any(|load| offset >= load.p_vaddr && offset - load.p_vaddr < load.p_memsz)
    }

    /// Whether all of these bytes are code of it, in one part.
    #[must_use]
    pub fn is_code(&self, first: usize, last: usize) -> bool {
        let [first, last] = [first, last].map(|address| address.wrapping_sub(self.base) as u64);
        self.loads()
            .filter(|load| load.p_flags & libc::PF_X != 0)
            .any(|load| first <= last && first >= load.p_vaddr && last - load.p_vaddr < load.p_filesz)
    }

    /// Whether it says itself where other files are looked for that it loads (`DT_RPATH`, `DT_RUNPATH`).
    #[must_use]
    pub fn has_search_path(&self) -> bool {
        let dynamic = self
            .headers
            .iter()
            .find(|header| header.p_type == libc::PT_DYNAMIC);
        let Some(dynamic) = dynamic else {
            return false;
        };
        let start = self.base.wrapping_add(dynamic.p_vaddr as usize);
        let count = dynamic.p_memsz as usize / size_of::<[u64; 2]>();
        // SAFETY: the loader has mapped it, reads it itself, and keeps it as long as this value lives.
        let entries = unsafe { std::slice::from_raw_parts(start as *const [u64; 2], count) };
        let used = entries
            .iter()
            .map(|[tag, _]| *tag)
            .take_while(|&tag| tag != DT_NULL);
        used.into_iter().any(|tag| [DT_RPATH, DT_RUNPATH].contains(&tag))
    }

    /// Its build-id, if it has one.
    #[must_use]
    pub fn build_id(&self) -> Option<&'a [u8]> {
        let is_loaded = |start: u64, size: u64| {
            let mut loads = self.loads();
            loads.any(|load| start >= load.p_vaddr && start - load.p_vaddr + size <= load.p_filesz)
        };
        let notes = self
            .headers
            .iter()
            .filter(|header| header.p_type == libc::PT_NOTE);
        notes
            .filter(|note| note.p_filesz <= 1 << 16 && is_loaded(note.p_vaddr, note.p_filesz))
            .find_map(|note| {
                // SAFETY: the note lies within a part of the file that is loaded, and the loader keeps that as long as this value lives.
                let bytes = unsafe {
                    let start = (self.base as u64 + note.p_vaddr) as *const u8;
                    std::slice::from_raw_parts(start, note.p_filesz as usize)
                };
                build_id(bytes)
            })
    }
}

/// Calls `look` with the file that an address is in, and returns what it returns; `None` if the address is in no file.
pub fn with_file_of<R>(address: usize, look: impl FnOnce(Loaded<'_>) -> R) -> Option<R> {
    let mut look = Some(look);
    find_map(|loaded| {
        loaded
            .contains(address)
            .then(|| look.take().map(|look| look(loaded)))?
    })
}

/// Calls `look` with each file, the program first, until it returns something.
pub fn find_map<R>(mut look: impl FnMut(Loaded<'_>) -> Option<R>) -> Option<R> {
    let mut search = Search {
        look: &mut look,
        found: None,
    };
    // SAFETY: `next` keeps to the callback's contract, and `search` outlives the call.
    unsafe {
        libc::dl_iterate_phdr(Some(next::<R>), std::ptr::from_mut(&mut search).cast());
    }
    search.found
}

struct Search<'s, R> {
    look: &'s mut dyn FnMut(Loaded<'_>) -> Option<R>,
    found: Option<R>,
}

unsafe extern "C" fn next<R>(info: *mut libc::dl_phdr_info, _: usize, search: *mut libc::c_void) -> i32 {
    // SAFETY: the loader gives a valid description, with as many headers as it says, and the argument of `find_map`.
    let (info, search) = unsafe { (&*info, &mut *search.cast::<Search<'_, R>>()) };
    let headers = if info.dlpi_phdr.is_null() {
        &[][..]
    } else {
        // SAFETY: as above.
        unsafe { std::slice::from_raw_parts(info.dlpi_phdr, info.dlpi_phnum.into()) }
    };
    let name = if info.dlpi_name.is_null() {
        &[][..]
    } else {
        // SAFETY: the name is a text that ends with a zero.
        unsafe { CStr::from_ptr(info.dlpi_name) }.to_bytes()
    };
    search.found = (search.look)(Loaded {
        base: info.dlpi_addr as usize,
        name,
        headers,
    });
    search.found.is_some().into()
}

/// The build-id among the notes of a file. The crate `object`, which reads them elsewhere, would do it without allocating (its `NoteIterator` borrows), but it would be linked
/// into every program that is recorded, for these few lines.
fn build_id(mut notes: &[u8]) -> Option<&[u8]> {
    const OF_GNU: u32 = 3;
    loop {
        let number = |at: usize| Some(u32::from_le_bytes(notes.get(at..)?.first_chunk().copied()?));
        let (name, text, kind) = (number(0)? as usize, number(4)? as usize, number(8)?);
        let text_at = 12 + name.checked_next_multiple_of(4)?;
        let bytes = notes.get(text_at..text_at.checked_add(text)?)?;
        if kind == OF_GNU && notes.get(12..16) == Some(b"GNU\0") {
            return Some(bytes);
        }
        notes = notes.get(text_at + text.checked_next_multiple_of(4)?..)?;
    }
}

#[cfg(test)]
mod tests {
    use super::{build_id, with_file_of};

    #[test]
    fn code_is_in_a_file_and_the_stack_in_none() {
        let of = |address: usize| {
            with_file_of(address, |loaded| {
                let id = loaded.build_id().map(<[u8]>::to_vec);
                (loaded.base, id, loaded.name.to_vec())
            })
        };
        let (base, _, name) = of(build_id as *const () as usize).expect("the test's own code");
        assert!(name.is_empty());
        let (library, id, name) = of(libc::getpid as *const () as usize).expect("the C library");
        assert_ne!(library, base);
        assert!(id.is_some_and(|id| !id.is_empty()));
        assert!(name.windows(4).any(|part| part == b"libc"), "{name:?}");
        let place = 0_u8;
        assert_eq!(of(std::ptr::from_ref(&place) as usize), None);
    }

    #[test]
    fn a_build_id_is_found_among_other_notes() {
        let note = |kind: u32, text: &[u8]| {
            let mut note = [
                4_u32.to_le_bytes(),
                (text.len() as u32).to_le_bytes(),
                kind.to_le_bytes(),
            ]
            .concat();
            note.extend(b"GNU\0");
            note.extend(text);
            note.resize(note.len().next_multiple_of(4), 0);
            note
        };
        let notes = [note(1, b"abcde"), note(3, b"identity")].concat();
        assert_eq!(build_id(&notes), Some(&b"identity"[..]));
        for cut in 0..notes.len() - 8 {
            assert_eq!(build_id(&notes[..cut]), None);
        }
    }
}
