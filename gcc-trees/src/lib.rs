//! The trees of gcc's front ends for C, C++ and Fortran to [`ir`]: the exact reading of a file, by the compiler that compiles it.
//!
//! The plugin for gcc looks at each function when the front end is done with it and nothing is lowered yet. Loops and conditions are still those of
//! the source, names have their declarations, nodes their places. gcc's flow graph, which is made a moment later, would tell less of what [`ir`] has
//! to know: by then operands stand in temporaries that no debug info names, an order of evaluation is chosen that the source leaves open, and all loops
//! are jumps.
//!
//! What the front end has folded already is taken back where that is certain: `p + i` is no multiplication, `x += f()` is one assignment. Of what
//! has no meaning here the function is read in part, or its value is unknown.
//!
//! **Contract.** Any [`Rows`] give functions; the crate does no I/O, and what of the text has to be known comes from who calls.

mod code;
mod cxx;
mod declare;
mod exceptions;
mod expression;
mod fold;
mod fortran;
mod function;
mod instances;
mod parallel;
mod range;
mod rows;
mod scopes;
mod statement;
mod text;
mod types;

pub use code::Code;
pub use rows::{Malformed, Place, Position, Row, RowId, Rows, Traits, TypeId, TypeRow};

use ir::{Attribute, CallOperator, Class, ClassHead, Global, Language, Member, Unit};
use std::collections::{BTreeMap, BTreeSet};
use text::Text;

/// A function whose body the front end has read.
#[derive(Clone, Debug)]
pub struct FunctionTree {
    /// Its declaration.
    pub declaration: RowId,
    /// Its body, if there is something in it.
    pub body: Option<RowId>,
    /// The type of its value.
    pub returns: Option<TypeId>,
    /// The declarations of its parameters, in order.
    pub parameters: Vec<RowId>,
    /// Its closing brace.
    pub end: Position,
}

/// What is read of one compilation, file by file.
pub struct Compilation {
    /// The text of the file at a path.
    text: fn(&str) -> Option<Vec<u8>>,
    language: Language,
    files: BTreeMap<String, File>,
}

/// A file of a compilation.
#[derive(Debug, Default)]
pub(crate) struct File {
    pub(crate) text: Text,
    unit: Unit,
    members: BTreeSet<Member>,
    /// Functions whose address is taken.
    pub(crate) addresses: BTreeSet<String>,
    pub(crate) language: Language,
    classes: BTreeSet<ClassHead>,
    pub(crate) call_operators: BTreeSet<CallOperator>,
}

impl Compilation {
    /// Of which nothing is read yet. `text` is asked once for each file of which something is read, by its absolute path.
    pub fn new(text: fn(&str) -> Option<Vec<u8>>, language: Language) -> Self {
        Self {
            text,
            language,
            files: BTreeMap::new(),
        }
    }

    /// The file with this path. None if its text is not to be had: without it nothing would tell whether the map fits the source.
    fn file(&mut self, path: &str) -> Option<&mut File> {
        if !self.files.contains_key(path) {
            let bytes = (self.text)(path)?;
            let unit = Unit {
                path: path.to_owned(),
                content_hash: *blake3::hash(&bytes).as_bytes(),
                ..Unit::default()
            };
            let text = match self.language {
                // Its trees stand at single points, and say all that is to be said.
                Language::Fortran => Text::unread(),
                Language::C | Language::Cxx => Text::new(bytes),
            };
            let file = File {
                text,
                unit,
                language: self.language,
                ..File::default()
            };
            self.files.insert(path.to_owned(), file);
        }
        self.files.get_mut(path)
    }

    /// Reads a file of which nothing may be told: that it holds nothing is known, too.
    pub fn source(&mut self, path: &str) {
        self.file(path);
    }

    /// Reads a function. One whose file cannot be read is left out.
    pub fn function(&mut self, rows: &Rows<'_>, tree: &FunctionTree) {
        let declaration = rows.row(tree.declaration);
        let Some(place) = declaration.place else { return };
        let Some(file) = self.file(rows.file(place.file)) else {
            return;
        };
        let function = function::lower(rows, tree, place, file);
        file.note_attributes(rows, tree.declaration, place.start.0);
        file.unit.functions.push(function);
    }

    /// Reads the declaration of a variable at file scope, with what it begins with.
    pub fn variable(&mut self, rows: &Rows<'_>, declaration: RowId, initial: Option<RowId>) {
        let Some(place) = rows.row(declaration).place else {
            return;
        };
        let language = self.language;
        let Some(file) = self.file(rows.file(place.file)) else {
            return;
        };
        let named = declare::names(rows, initial);
        for name in named.iter().filter(|name| name.is_function) {
            file.addresses.insert(name.name.to_owned());
        }
        for name in named.iter().filter(|name| !name.is_function) {
            let known = file.unit.globals.iter_mut().find(|each| each.name == name.name);
            known.into_iter().for_each(|known| known.address_taken = true);
        }
        let global = declare::global(rows, declaration, place, initial, &named, language);
        file.global(global);
    }

    /// Reads the declaration of a function that may have attributes.
    pub fn declared(&mut self, rows: &Rows<'_>, declaration: RowId) {
        let Some(place) = rows.row(declaration).place else {
            return;
        };
        let traits = rows.row(declaration).traits;
        if (traits.is_alias || traits.is_constructor)
            && let Some(file) = self.file(rows.file(place.file))
        {
            file.note_attributes(rows, declaration, place.start.0);
        }
    }

    /// Reads the head of a class of C++.
    pub fn class(&mut self, rows: &Rows<'_>, declaration: RowId, class: ClassHead) {
        if let Some(place) = rows.row(declaration).place
            && let Some(file) = self.file(rows.file(place.file))
        {
            file.classes.insert(class);
        }
    }

    /// Reads members of a structure or union; `of` is the class, in C++.
    pub fn members(&mut self, rows: &Rows<'_>, members: &[RowId], in_union: bool, of: Option<&ClassHead>) {
        let language = self.language;
        let class = of.filter(|_| !in_union).map(|of| Class {
            name: of.name.clone(),
            has_bases: of.has_library_base || of.bases.as_ref().is_none_or(|bases| !bases.is_empty()),
        });
        for &member in members {
            let Some(place) = rows.row(member).place else {
                continue;
            };
            if let Some(file) = self.file(rows.file(place.file)) {
                file.members
                    .insert(declare::member(rows, member, in_union, class.clone(), language));
            }
        }
    }

    /// What has been read, one unit a file.
    pub fn finish(self) -> Vec<Unit> {
        let finished = self.files.into_values().map(|file| {
            let mut unit = file.unit;
            instances::join(&mut unit.functions);
            unit.names.classes = file.classes.into_iter().collect();
            unit.call_operators = file.call_operators.into_iter().collect();
            unit.members = file.members.into_iter().collect();
            unit.address_taken_functions = file.addresses.into_iter().collect();
            unit.attributes.sort_unstable();
            unit.attributes.dedup();
            unit
        });
        finished.collect()
    }
}

impl File {
    /// Adds a declaration of a variable to those that are known of it.
    fn global(&mut self, global: Global) {
        let known = self
            .unit
            .globals
            .iter_mut()
            .find(|known| known.name == global.name);
        let Some(known) = known else {
            self.unit.globals.push(global);
            return;
        };
        let address_taken = known.address_taken || global.address_taken;
        // A declaration without value adds nothing to a definition (C11 6.9.2).
        let tentative = global.initial == Some(0) && !known.is_extern;
        if !global.is_extern && !tentative {
            *known = global;
        }
        known.address_taken = address_taken;
    }

    pub(crate) fn note_attribute(&mut self, line: u32, attribute: Attribute) {
        self.unit.attributes.push((line, attribute));
    }

    fn note_attributes(&mut self, rows: &Rows<'_>, declaration: RowId, line: u32) {
        let traits = rows.row(declaration).traits;
        if traits.is_constructor {
            self.note_attribute(line, Attribute::Constructor);
        }
        if traits.is_alias {
            self.note_attribute(line, Attribute::Alias);
        }
    }

    /// The variable of this name at file scope, if this file declares it.
    pub(crate) fn global_mut(&mut self, name: &str) -> Option<&mut Global> {
        self.unit.globals.iter_mut().find(|known| known.name == name)
    }
}
