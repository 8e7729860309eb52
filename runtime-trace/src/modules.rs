//! The files that code is in: addresses relative to them are the same in all processes that run the same files.

use crate::system;
use calltrace::task::module;
use runtime_loader::with_file_of;

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

/// The file whose code an address is in. Nothing is allocated.
pub(crate) fn module_of(address: usize) -> Option<Module> {
    with_file_of(address, |loaded| {
        let mut found = Module {
            base: loaded.base,
            id: [0; module::ID_MOST],
            id_length: 0,
            path: [0; module::PATH_MOST],
            path_length: 0,
        };
        let id = loaded.build_id().unwrap_or_default();
        found.id.iter_mut().zip(id).for_each(|(to, from)| *to = *from);
        found.id_length = id.len().min(module::ID_MOST);
        if loaded.name.is_empty() {
            let mut path = [0; 4096];
            found.set_path(system::path_of_program(&mut path));
        } else {
            found.set_path(loaded.name);
        }
        found
    })
}

#[cfg(test)]
mod tests {
    use super::module_of;

    #[test]
    fn the_program_is_told_by_its_path() {
        let code = module_of(module_of as *const () as usize).unwrap();
        let own = std::fs::read_link("/proc/self/exe").unwrap();
        assert!(own.as_os_str().as_encoded_bytes().ends_with(code.path()));
        let library = module_of(libc::getpid as *const () as usize).unwrap();
        assert_ne!(library.base, code.base);
        assert!(!library.id().is_empty());
    }
}
