//! The files that code is in: addresses relative to them are the same in all tasks that run the same files.

use crate::tables::{as_key, mix};
use std::ffi::CStr;

/// A file that is loaded.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Module {
    /// Where it is loaded: what its addresses are relative to.
    pub base: u64,
    /// A hash of its build-id, or, without one, of the last part of its name.
    pub identity: u64,
    /// The last part of its name; empty for the program.
    pub name: Vec<u8>,
}

struct Search {
    address: u64,
    found: Option<Module>,
}

/// The file whose code an address is in.
#[must_use]
pub fn module_of(address: u64) -> Option<Module> {
    let mut search = Search { address, found: None };
    #[expect(unsafe_code, reason = "the loader of C tells what it has loaded")]
    // SAFETY: `look` keeps to the callback's contract, and `search` outlives the call.
    unsafe {
        libc::dl_iterate_phdr(Some(look), std::ptr::from_mut(&mut search).cast());
    }
    search.found
}

#[expect(unsafe_code, reason = "the loader of C tells what it has loaded")]
unsafe extern "C" fn look(info: *mut libc::dl_phdr_info, _: usize, search: *mut libc::c_void) -> i32 {
    // SAFETY: the loader gives a valid description, with as many headers as it says, and the argument of `module_of`.
    let (info, search) = unsafe { (&*info, &mut *search.cast::<Search>()) };
    let headers = if info.dlpi_phdr.is_null() {
        &[][..]
    } else {
        // SAFETY: as above.
        unsafe { std::slice::from_raw_parts(info.dlpi_phdr, info.dlpi_phnum.into()) }
    };
    let base = info.dlpi_addr;
    let offset = search.address.wrapping_sub(base);
    let is_in = |header: &&libc::Elf64_Phdr| {
        header.p_type == libc::PT_LOAD && offset >= header.p_vaddr && offset - header.p_vaddr < header.p_memsz
    };
    if !headers.iter().any(|header| is_in(&header)) {
        return 0;
    }
    let name = if info.dlpi_name.is_null() {
        &[][..]
    } else {
        // SAFETY: the name is a text that ends with a zero.
        unsafe { CStr::from_ptr(info.dlpi_name) }.to_bytes()
    };
    let name = name.rsplit(|byte| *byte == b'/').next().unwrap_or_default();
    let is_loaded = |start: u64, size: u64| {
        let mut loads = headers.iter().filter(|header| header.p_type == libc::PT_LOAD);
        loads.any(|load| start >= load.p_vaddr && start - load.p_vaddr + size <= load.p_filesz)
    };
    let notes = headers.iter().filter(|header| header.p_type == libc::PT_NOTE);
    let build_id = notes
        .filter(|note| note.p_filesz <= 1 << 16 && is_loaded(note.p_vaddr, note.p_filesz))
        .find_map(|note| {
            // SAFETY: the note lies within a part of the file that is loaded.
            let bytes = unsafe {
                std::slice::from_raw_parts((base + note.p_vaddr) as *const u8, note.p_filesz as usize)
            };
            build_id(bytes)
        });
    search.found = Some(Module {
        base,
        identity: hash(build_id.unwrap_or(name)),
        name: name.to_vec(),
    });
    1
}

/// The build-id among the notes of a file. The crate `object`, which reads them elsewhere, would do it without allocating (its `NoteIterator` borrows), but it would be linked
/// into every program that is recorded, for these few lines: the recorder has no dependencies but the C library.
fn build_id(mut notes: &[u8]) -> Option<&[u8]> {
    loop {
        let number = |at: usize| Some(u32::from_le_bytes(notes.get(at..at + 4)?.try_into().ok()?) as usize);
        let (name, text, kind) = (number(0)?, number(4)?, number(8)?);
        let text_at = 12 + name.checked_next_multiple_of(4)?;
        let bytes = notes.get(text_at..text_at.checked_add(text)?)?;
        if kind == 3 && notes.get(12..16) == Some(b"GNU\0") {
            return Some(bytes);
        }
        notes = notes.get(text_at + text.checked_next_multiple_of(4)?..)?;
    }
}

/// A hash of bytes, as a key.
fn hash(bytes: &[u8]) -> u64 {
    let hash = bytes
        .iter()
        .fold(11_u64, |hash, byte| mix(hash.rotate_left(9) ^ u64::from(*byte)));
    as_key(hash)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn code_is_in_a_file_and_the_stack_in_none() {
        let code = module_of(hash as *const () as u64).expect("the test's own code");
        assert_eq!(Some(&code), module_of(build_id as *const () as u64).as_ref());
        let place = 0_u8;
        assert_eq!(module_of(std::ptr::from_ref(&place) as u64), None);
        let library = module_of(libc::getpid as *const () as u64).expect("the C library");
        assert_ne!(code.identity, library.identity);
        assert!(library.name.starts_with(b"libc"), "{library:?}");
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
