//! The files that code is in, as recordings tell them.

use crate::tables::{as_key, mix};
use runtime_loader::with_file_of;

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

/// The file whose code an address is in.
#[must_use]
pub fn module_of(address: u64) -> Option<Module> {
    with_file_of(address as usize, |loaded| {
        let name = loaded.name.rsplit(|byte| *byte == b'/').next();
        let name = name.unwrap_or_default();
        Module {
            base: loaded.base as u64,
            identity: hash(loaded.build_id().unwrap_or(name)),
            name: name.to_vec(),
        }
    })
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
    use super::{hash, module_of};

    #[test]
    fn each_file_is_told_from_others() {
        let code = module_of(hash as *const () as u64).expect("the test's own code");
        assert_eq!(Some(&code), module_of(module_of as *const () as u64).as_ref());
        let library = module_of(libc::getpid as *const () as u64).expect("the C library");
        assert_ne!(code.identity, library.identity);
        assert!(library.name.starts_with(b"libc"), "{library:?}");
    }
}
