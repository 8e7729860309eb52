//! What was read of single files, for the next run.
//!
//! A file's unit is a function of its path, its bytes, this very program, and what the other files say of the names that
//! it asks about (`frontend::parse_asking`). The first three are the name under which it is kept; the last stands with it and
//! is compared before it is used. So after a change of one file only that file is read again, and those that asked about
//! something which it says differently now.

use crate::{Fingerprint, SourceFile, sealed, unsealed};
use frontend::{Asked, Macros, SaidByAll, Source};
use ir::Unit;

/// A place to keep bytes by name. It may forget any of them at any time, and give back others: what it gives is checked.
pub trait Shelf: Sync {
    /// What was put under this name.
    fn take(&self, name: &str) -> Option<Vec<u8>>;
    /// Keeps bytes under a name, instead of what is there.
    fn put(&self, name: &str, bytes: &[u8]);
}

/// Results of single files, kept on a shelf by one program.
#[derive(Clone, Copy)]
pub struct Reuse<'a> {
    /// Where.
    pub shelf: &'a dyn Shelf,
    /// A hash of the program: another one may read the same file differently.
    pub program: [u8; 32],
}

/// The same, for one set of files.
pub(crate) struct Units<'a> {
    reuse: Reuse<'a>,
    macros: &'a Macros,
    state: SaidByAll,
}

impl<'a> Units<'a> {
    pub(crate) fn new(reuse: Reuse<'a>, macros: &'a Macros) -> Self {
        Units {
            reuse,
            macros,
            state: macros.state(),
        }
    }

    /// The unit of a file: the one that is kept, if it still stands, or a new one.
    pub(crate) fn read(&self, file: &SourceFile) -> Unit {
        let hash = crate::content_hash(&file.bytes);
        let mut name = Fingerprint::new("unit");
        name.add(&self.reuse.program);
        name.add(file.path.as_bytes());
        name.add(&hash);
        let name = name.text();
        let kept = self.reuse.shelf.take(&name);
        if let Some(unit) = kept.and_then(|bytes| self.fitting(&file.path, &bytes))
            && (&unit.path, unit.content_hash) == (&file.path, hash)
        {
            return unit;
        }
        let source = Source {
            path: &file.path,
            text: &file.bytes,
        };
        let (unit, asked) = frontend::parse_asking(&source, self.macros);
        if let Some(standing) = self.macros.standing(&file.path, &self.state, &asked) {
            self.reuse.shelf.put(&name, &packed(&asked, &standing, &unit));
        }
        unit
    }

    /// The unit in `bytes`, if they are whole and what it rests on is the same.
    fn fitting(&self, path: &str, bytes: &[u8]) -> Option<Unit> {
        let (standing, rest) = unsealed(bytes)?.split_first_chunk::<32>()?;
        let (length, rest) = rest.split_first_chunk::<4>()?;
        let (asked, unit) = rest.split_at_checked(u32::from_le_bytes(*length) as usize)?;
        let now = self
            .macros
            .standing(path, &self.state, &Asked::from_bytes(asked)?)?;
        (now == *standing).then(|| ir::packed::unpack(unit).ok())?
    }
}

/// A kept file, sealed: the hash of what the unit rests on, the length of `asked`, `asked`, the packed unit.
fn packed(asked: &Asked, standing: &[u8; 32], unit: &Unit) -> Vec<u8> {
    let (asked, unit) = (asked.to_bytes(), ir::packed::pack(unit));
    let length = (asked.len() as u32).to_le_bytes();
    sealed(&[standing, &length, &asked, &unit])
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeMap;
    use std::sync::Mutex;

    #[derive(Default)]
    struct Memory {
        kept: Mutex<BTreeMap<String, Vec<u8>>>,
        /// Names that were put since the last look.
        put: Mutex<usize>,
    }

    impl Shelf for Memory {
        fn take(&self, name: &str) -> Option<Vec<u8>> {
            self.kept.lock().unwrap().get(name).cloned()
        }
        fn put(&self, name: &str, bytes: &[u8]) {
            *self.put.lock().unwrap() += 1;
            self.kept.lock().unwrap().insert(name.to_owned(), bytes.to_vec());
        }
    }

    impl Memory {
        /// How many files were read anew for the map of `files`, which must be that of a fresh run.
        fn read_anew(&self, files: &[(&str, &str)]) -> usize {
            let files = files.iter().map(|(path, text)| SourceFile {
                path: (*path).to_owned(),
                bytes: text.as_bytes().to_vec(),
            });
            let files = Vec::from_iter(files);
            let reuse = Reuse {
                shelf: self,
                program: [1; 32],
            };
            *self.put.lock().unwrap() = 0;
            let map = |reuse| {
                let parser = crate::Parser::Tolerant;
                crate::map_preprocessed(
                    files.clone(),
                    crate::CompiledUnits::default(),
                    &|_| Vec::new(),
                    parser,
                    reuse,
                    &|_| {},
                )
                .to_bytes()
            };
            assert!(map(Some(reuse)) == map(None), "the map is another");
            *self.put.lock().unwrap()
        }
    }

    const HEADER: (&str, &str) = ("n.h", "#define N 3\n#define M 4\n");
    const USER: (&str, &str) = (
        "a.c",
        "#include \"n.h\"\nint f(void) { int i; for (i = 0; i < N; i++) g(i); return 0; }\n",
    );
    const OTHER: (&str, &str) = ("b.c", "int h(void) { return k(); }\n");

    #[test]
    fn only_what_a_change_reaches_is_read_again() {
        let memory = Memory::default();
        assert_eq!(memory.read_anew(&[HEADER, USER, OTHER]), 3, "the first time");
        assert_eq!(memory.read_anew(&[HEADER, USER, OTHER]), 0, "nothing changed");
        let body = ("b.c", "int h(void) { return k() + 1; }\n");
        assert_eq!(memory.read_anew(&[HEADER, USER, body]), 1, "a body");
        let unused = ("n.h", "#define N 3\n#define M 5\n");
        assert_eq!(
            memory.read_anew(&[unused, USER, body]),
            1,
            "a macro that nobody uses"
        );
        let used = ("n.h", "#define N 30\n#define M 5\n");
        assert_eq!(memory.read_anew(&[used, USER, body]), 2, "a macro in use");
        let elsewhere = (
            "b.c",
            "int h(void) { return k() + 1; }\nint g(int n) { return n; }\n",
        );
        assert_eq!(
            memory.read_anew(&[used, USER, elsewhere]),
            2,
            "a function that a.c calls"
        );
        assert_eq!(memory.read_anew(&[used, USER]), 1, "a file less");
        let shadow = ("x/n.h", "#define N 31\n");
        assert_eq!(
            memory.read_anew(&[used, USER, shadow]),
            1,
            "a header that is not seen"
        );
        let renamed = ("c.c", USER.1);
        assert_eq!(memory.read_anew(&[used, renamed, shadow]), 1, "another name");
    }

    #[test]
    fn what_is_on_the_shelf_is_not_trusted() {
        let memory = Memory::default();
        memory.read_anew(&[HEADER, USER, OTHER]);
        let whole = memory.kept.lock().unwrap().clone();
        let mut state = 0x9e37_79b9_7f4a_7c15u64;
        let mut below = |limit: usize| {
            state ^= state << 13;
            state ^= state >> 7;
            state ^= state << 17;
            (state % limit as u64) as usize
        };
        for round in 0..60 {
            let names = Vec::from_iter(whole.keys().cloned());
            let mut kept = whole.clone();
            let name = &names[below(names.len())];
            let bytes = kept.get_mut(name).unwrap();
            match round % 4 {
                0 => bytes.truncate(below(bytes.len())),
                1 => {
                    let at = below(bytes.len());
                    bytes[at] ^= 1 << below(8);
                }
                2 => *bytes = whole[&names[(names.iter().position(|n| n == name).unwrap() + 1) % 3]].clone(),
                _ => bytes.push(0),
            }
            *memory.kept.lock().unwrap() = kept;
            assert_eq!(memory.read_anew(&[HEADER, USER, OTHER]), 1, "round {round}");
        }
    }
}
