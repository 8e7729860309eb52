//! What runs: a program with its shared objects.

use crate::executable::Executable;
use crate::failure::Failure;
use engine::ProgramUnits;
use regular_files::Reader;
use std::cell::OnceCell;
use std::collections::BTreeSet;
use std::path::Path;

/// A program and the shared objects that it runs with, as far as they have debug info.
pub struct Build<'a> {
    /// The program.
    pub executable: Executable,
    find: Box<dyn Fn() -> Libraries + 'a>,
    /// To know them, all modules of a task are looked through: only a map that is made or kept asks for them.
    libraries: OnceCell<Libraries>,
    /// With whose rights files are read that it names.
    pub(crate) reader: Reader,
}

/// The shared objects of a program.
#[derive(Default)]
pub(crate) struct Libraries {
    read: Vec<Executable>,
    /// Why some of them cannot be read.
    unread: Vec<Failure>,
}

/// So many libraries stay open until they are read whole, if they ever are; of the others a process has hardly more than files that it may open.
const MOST_OPEN: usize = 200;

impl FromIterator<Result<Executable, Failure>> for Libraries {
    fn from_iter<T: IntoIterator<Item = Result<Executable, Failure>>>(all: T) -> Self {
        let mut libraries = Libraries::default();
        for each in all {
            let each = if libraries.read.len() < MOST_OPEN {
                each
            } else {
                each.and_then(Executable::at_once)
            };
            match each {
                Ok(library) => libraries.read.push(library),
                Err(failure) => libraries.unread.push(failure),
            }
        }
        libraries
    }
}

impl<'a> Build<'a> {
    /// A program, and how its shared objects are found if they are asked for.
    pub(crate) fn new(executable: Executable, find: impl Fn() -> Libraries + 'a, reader: &Reader) -> Self {
        Build {
            executable,
            find: Box::new(find),
            libraries: OnceCell::new(),
            reader: reader.clone(),
        }
    }

    /// A program whose shared objects are not asked for.
    pub fn alone(executable: Executable, reader: &Reader) -> Self {
        Build::new(executable, Libraries::default, reader)
    }

    pub(crate) fn libraries(&self) -> &[Executable] {
        &self.libraries.get_or_init(|| (self.find)()).read
    }

    /// That some of the shared objects that were asked for cannot be read.
    pub(crate) fn warnings(&self) -> impl Iterator<Item = String> + '_ {
        let unread = self
            .libraries
            .get()
            .map_or_else(Default::default, |all| &all.unread[..]);
        unread.iter().map(|why| {
            let advice = why
                .advice()
                .map_or_else(String::new, |advice| format!("; {advice}"));
            format!("{why}: who is behind inside it is not known{advice}")
        })
    }

    /// How many of its sources fragments do not have: of programs and libraries with fragments all, of others those that can be read here.
    pub(crate) fn missing_in(&self, fragments: &ProgramUnits) -> usize {
        let known: BTreeSet<&str> = fragments.paths().collect();
        let mut missing = BTreeSet::new();
        for each in std::iter::once(&self.executable).chain(self.libraries()) {
            let units = each
                .program_sources()
                .map_or_else(|_| Default::default(), |sources| &sources.units[..]);
            let own = units
                .iter()
                .filter(|unit| !unit.is_header && !known.contains(unit.path.as_str()));
            let is_missed = |path: &&str| each.has_fragments() || self.reader.is_file(Path::new(path));
            missing.extend(own.map(|unit| unit.path.as_str()).filter(is_missed));
        }
        missing.len()
    }

    /// What tells it from every other build.
    pub(crate) fn identities(&self) -> Vec<&engine::Identity> {
        let all = std::iter::once(&self.executable).chain(self.libraries());
        all.map(|each| &each.identity).collect()
    }
}
