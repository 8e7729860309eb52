//! The files that code is in: addresses relative to them are the same in all processes that run the same files.

#![expect(unsafe_code, reason = "the loader of C tells what it has loaded")]

use calltrace::task::module;
use std::ffi::CStr;

/// A file that is loaded.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Module {
    /// Where it is loaded: what its addresses are relative to.
    pub(crate) base: usize,
    id: [u8; module::ID_MOST],
    id_length: usize,
    path: [u8; module::PATH_MOST],
    path_length: usize,
}

impl Module {
    /// Its build-id; empty if it has none.
    pub(crate) fn id(&self) -> &[u8] {
        self.id.get(..self.id_length).unwrap_or_default()
    }

    /// Its path; of one that is too long, the end.
    pub(crate) fn path(&self) -> &[u8] {
        self.path.get(..self.path_length).unwrap_or_default()
    }

    fn set_path(&mut self, path: &[u8]) {
        let end = &path[path.len().saturating_sub(module::PATH_MOST)..];
        self.path.iter_mut().zip(end).for_each(|(to, from)| *to = *from);
        self.path_length = end.len();
    }
}

struct Search {
    address: usize,
    found: Option<Module>,
}

/// The file whose code an address is in. Nothing is allocated.
pub(crate) fn module_of(address: usize) -> Option<Module> {
    let mut search = Search { address, found: None };
    // SAFETY: `look` keeps to the callback's contract, and `search` outlives the call.
    unsafe {
        libc::dl_iterate_phdr(Some(look), std::ptr::from_mut(&mut search).cast());
    }
    search.found
}

unsafe extern "C" fn look(info: *mut libc::dl_phdr_info, _: usize, search: *mut libc::c_void) -> i32 {
    // SAFETY: the loader gives a valid description, with as many headers as it says, and the argument of `module_of`.
    let (info, search) = unsafe { (&*info, &mut *search.cast::<Search>()) };
    let headers = if info.dlpi_phdr.is_null() {
        &[][..]
    } else {
        // SAFETY: as above.
        unsafe { std::slice::from_raw_parts(info.dlpi_phdr, info.dlpi_phnum.into()) }
    };
    let loads = || headers.iter().filter(|header| header.p_type == libc::PT_LOAD);
    let offset = (search.address as u64).wrapping_sub(info.dlpi_addr);
    if !loads().any(|load| offset >= load.p_vaddr && offset - load.p_vaddr < load.p_memsz) {
        return 0;
    }
    let mut found = Module {
        base: info.dlpi_addr as usize,
        id: [0; module::ID_MOST],
        id_length: 0,
        path: [0; module::PATH_MOST],
        path_length: 0,
    };
    let is_loaded = |start: u64, size: u64| {
        loads().any(|load| start >= load.p_vaddr && start - load.p_vaddr + size <= load.p_filesz)
    };
    let notes = headers.iter().filter(|header| header.p_type == libc::PT_NOTE);
    let id = notes
        .filter(|note| note.p_filesz <= 1 << 16 && is_loaded(note.p_vaddr, note.p_filesz))
        .find_map(|note| {
            // SAFETY: the note lies within a part of the file that is loaded.
            let bytes = unsafe {
                let start = (info.dlpi_addr + note.p_vaddr) as *const u8;
                std::slice::from_raw_parts(start, note.p_filesz as usize)
            };
            build_id(bytes)
        });
    let id = id.unwrap_or_default();
    found.id.iter_mut().zip(id).for_each(|(to, from)| *to = *from);
    found.id_length = id.len().min(module::ID_MOST);
    let name = if info.dlpi_name.is_null() {
        &[][..]
    } else {
        // SAFETY: the name is a text that ends with a zero.
        unsafe { CStr::from_ptr(info.dlpi_name) }.to_bytes()
    };
    if name.is_empty() {
        let mut path = [0; 4096];
        // SAFETY: `path` is so long, and valid for writes for the length of the call.
        let length =
            unsafe { libc::readlink(c"/proc/self/exe".as_ptr(), path.as_mut_ptr().cast(), path.len()) };
        let length = usize::try_from(length).unwrap_or(0);
        found.set_path(path.get(..length).unwrap_or_default());
    } else {
        found.set_path(name);
    }
    search.found = Some(found);
    1
}

/// The build-id among the notes of a file.
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
    use super::{build_id, module_of};

    #[test]
    fn code_is_in_a_file_and_the_stack_in_none() {
        let code = module_of(build_id as *const () as usize).unwrap();
        let own = std::fs::read_link("/proc/self/exe").unwrap();
        assert!(own.as_os_str().as_encoded_bytes().ends_with(code.path()));
        let library = module_of(libc::getpid as *const () as usize).unwrap();
        assert_ne!(library.base, code.base);
        assert!(!library.id().is_empty());
        let place = 0_u8;
        assert_eq!(module_of(std::ptr::from_ref(&place) as usize), None);
    }
}
