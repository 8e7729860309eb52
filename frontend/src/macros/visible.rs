//! The macros that a place in a file can see.

use super::{Included, Macros, histories};
use crate::asked::{Asked, Recorder};
use crate::cxx::Declared;
use crate::directive::Definition;
use crate::enumerators::Enumerator;
use crate::facts::{Contents, FileFacts, MacroState};
use crate::shape::is_control;
use crate::token::TokenKind;
use base::Language;
use std::cell::{Cell, RefCell};
use std::collections::{BTreeMap, BTreeSet};

/// What a name means as a macro at one place.
#[derive(Clone, Debug)]
pub enum Meaning<'m> {
    /// No visible macro has this name.
    None,
    /// It certainly has this definition, if it is a macro at all, which the code around takes for granted.
    One(&'m Definition),
    /// It is a macro, but which of these definitions holds depends on the build.
    Several(Vec<&'m Definition>),
    /// A file that this one does not seem to include defines a function-like macro of this name.
    Elsewhere,
}

/// How many macros within macros are looked into to find out what a name may mean.
pub(super) const NESTED_LIMIT: usize = 4;

/// Whether `definition` is `namespace` or `inline namespace`.
fn is_namespace(definition: &Definition) -> bool {
    definition.params.is_none()
        && matches!(definition.words()[..], [b"namespace"] | [b"inline", b"namespace"])
}

/// A set of names.
pub type Names = BTreeSet<Box<[u8]>>;

/// The macros that one file can see.
#[derive(Debug)]
pub struct Visible<'m> {
    pub(super) macros: &'m Macros,
    pub(super) included: Included,
    pub(super) own: BTreeMap<&'m [u8], Vec<(u32, MacroState)>>,
    pub(super) own_facts: &'m FileFacts,
    /// The file.
    path: Box<str>,
    /// How many loops the pragmas before a raw offset divide: all loops of one expansion ask for the same.
    pub divided: RefCell<BTreeMap<u32, usize>>,
    /// What names mean that mean the same everywhere in the file.
    known: RefCell<BTreeMap<Box<[u8]>, Meaning<'m>>>,
    /// The meaning that is being worked out rests on definitions in the file itself, which have an order.
    place_matters: Cell<bool>,
    /// How many meanings were worked out that rest on the place.
    placed: Cell<usize>,
    /// What macros are known to call after their arguments ([`sequence`](crate::sequence)), where the place does not matter.
    pub called: RefCell<BTreeMap<Box<[u8]>, Option<Names>>>,
    /// The names that were asked about.
    asked: Recorder,
    /// What is read has been preprocessed.
    expanded: bool,
}

impl<'m> Visible<'m> {
    /// What the file at `path`, whose facts are `own_facts`, can see of `macros`.
    pub fn new(path: &str, own_facts: &'m FileFacts, macros: &'m Macros) -> Self {
        let mut included = macros.included(path, own_facts);
        if let Ok(own) = macros.files.binary_search_by(|f| f.0.as_str().cmp(path)) {
            included.all.remove(&(own as u32));
        }
        Self::of(path, included, own_facts, macros)
    }

    /// What text that whoever includes the file at `path` may have, and whose facts are `own_facts`, can see: all that is `shared`
    /// ([`Macros::shared`]), and that file.
    pub fn anywhere(
        path: &str,
        shared: &BTreeSet<u32>,
        own_facts: &'m FileFacts,
        macros: &'m Macros,
    ) -> Self {
        let mut all = shared.clone();
        if let Ok(own) = macros.files.binary_search_by(|f| f.0.as_str().cmp(path)) {
            all.insert(own as u32);
        }
        let sure = BTreeSet::new();
        Self::of(path, Included { all, sure }, own_facts, macros)
    }

    fn of(path: &str, included: Included, own_facts: &'m FileFacts, macros: &'m Macros) -> Self {
        Self {
            macros,
            included,
            own: histories(own_facts),
            own_facts,
            path: path.into(),
            divided: RefCell::default(),
            known: RefCell::default(),
            place_matters: Cell::new(false),
            placed: Cell::new(0),
            called: RefCell::default(),
            asked: Recorder::default(),
            expanded: false,
        }
    }

    /// What `name` means as a macro at `offset`.
    pub fn meaning(&self, name: &[u8], offset: u32) -> Meaning<'m> {
        if self.expanded {
            return Meaning::None;
        }
        self.meaning_in_source(name, offset)
    }

    /// The definitions that `name` may have at `offset` of the raw text.
    pub fn definitions(&self, name: &[u8], offset: u32) -> Vec<&'m Definition> {
        match self.meaning_in_source(name, offset) {
            Meaning::One(definition) => vec![definition],
            Meaning::Several(definitions) => definitions,
            Meaning::None | Meaning::Elsewhere => Vec::new(),
        }
    }

    /// For text in which all macros have been expanded: from now on [`meaning`](Self::meaning) finds none.
    pub fn already_expanded(self) -> Self {
        Self {
            expanded: true,
            ..self
        }
    }

    /// What `name` means as a macro at `offset` of the raw text.
    pub fn meaning_in_source(&self, name: &[u8], offset: u32) -> Meaning<'m> {
        let bucket = self.asked.note(name);
        if !self.macros.names.may_contain(bucket) && !self.own.contains_key(name) {
            return Meaning::None;
        }
        if let Some(known) = self.known.borrow().get(name) {
            return known.clone();
        }
        self.place_matters.set(false);
        let meaning = self.meaning_within(name, offset, 0);
        if self.place_matters.get() {
            self.placed.set(self.placed.get() + 1)
        } else {
            self.known.borrow_mut().insert(name.into(), meaning.clone());
        }
        meaning
    }

    /// Grows whenever a meaning is asked for that rests on the place of the question: what was found out while it stayed the same holds
    /// everywhere in the file.
    pub fn placed(&self) -> usize {
        self.placed.get()
    }

    /// The same inside the replacement list of another macro, `depth` levels down.
    pub(super) fn meaning_within(&self, name: &[u8], offset: u32, depth: usize) -> Meaning<'m> {
        let bucket = self.asked.note(name);
        if !self.macros.names.may_contain(bucket) && !self.own.contains_key(name) {
            return Meaning::None;
        }
        if self.own.contains_key(name) {
            self.place_matters.set(true);
        }
        let mut found: Vec<&'m Definition> = Vec::new();
        let mut doubtful = false;
        let mut known = false;
        let mut certain = false;
        let mut add = |facts: &'m FileFacts, state: &MacroState| {
            known = true;
            certain |= state.certain;
            doubtful |= state.perhaps_undefined || state.overridable;
            for index in &state.definitions {
                let definition = facts.events[*index as usize].definition.as_ref();
                found.extend(definition.filter(|d| !found.contains(d)));
            }
        };
        let own = self.own.get(name).and_then(|history| {
            let after = history.partition_point(|(at, _)| *at < offset);
            after.checked_sub(1).map(|last| &history[last].1)
        });
        if let Some(state) = own {
            add(self.own_facts, state);
        }
        if !own.is_some_and(|state| state.settled) {
            for (id, state) in self.macros.states.get(name).into_iter().flatten() {
                if self.included.all.contains(id) {
                    add(&self.macros.files[*id as usize].1, state);
                }
            }
        }
        match found.as_slice() {
            [] if known => Meaning::None,
            [] => self.elsewhere(name),
            // Where a condition leaves the macro undefined, something else may stand behind its name: a function of
            // this project or of some library. Names in capitals are macros or nothing.
            // Nor is there a function in another build behind a name that stands for a member of its argument, unless
            // one is declared.
            [only]
                if !doubtful
                    && (certain
                        || (base::looks_like_macro(name) && !self.is_function(name))
                        || (!self.is_function(name) && self.is_accessor(only, offset, depth))) =>
            {
                Meaning::One(only)
            }
            // A name is found in either kind of namespace.
            [first, ..] if found.iter().all(|one| is_namespace(one)) => Meaning::One(first),
            // A function that one build has and another leaves out is there in the first.
            _ if self.is_function(name) => Meaning::Several(found),
            _ => match self.attributes_alone(&found, offset, depth) {
                Some(one) => Meaning::One(one),
                None => Meaning::Several(found),
            },
        }
    }

    /// Whether `definition` names a member of its argument: `#define Rows(m) ((m)->rows)`, by other such macros too.
    fn is_accessor(&self, definition: &Definition, offset: u32, depth: usize) -> bool {
        let body = &definition.body;
        if definition.params.is_none() || body.len() > 40 || depth > NESTED_LIMIT {
            return false;
        }
        let mut member = false;
        for (at, token) in body.iter().enumerate() {
            let called = body.get(at + 1).is_some_and(|next| *next.text == *b"(");
            match (token.kind, &*token.text) {
                (TokenKind::Ident, word) if called => {
                    let Meaning::One(inner) = self.meaning_within(word, offset, depth + 1) else {
                        return false;
                    };
                    if !self.is_accessor(inner, offset, depth + 1) {
                        return false;
                    }
                    member = true;
                }
                (TokenKind::Ident, word) => {
                    if is_control(word) {
                        return false;
                    }
                }
                (TokenKind::Punct, b"->" | b"." | b"[") => member = true,
                (TokenKind::Punct, b"(" | b")" | b"]" | b"," | b"*" | b"&") | (TokenKind::Number, _) => {}
                _ => return false,
            }
        }
        member
    }

    /// A header that we fail to connect to this file (a generated or renamed include, `-include`) may be in force all
    /// the same; another source file's private macro is not.
    fn elsewhere(&self, name: &[u8]) -> Meaning<'m> {
        let found = self.macros.is_macro_of_a_header(name);
        if found && !self.is_function(name) {
            Meaning::Elsewhere
        } else {
            Meaning::None
        }
    }

    /// The language that this file is read as.
    pub fn language(&self) -> Language {
        self.own_facts.language
    }

    /// What the C++ files of the program, and this one, declare.
    pub fn cxx(&self) -> [Declared<'_>; 2] {
        [&self.macros.cxx, &self.own_facts.cxx].map(|facts| Declared {
            facts,
            asked: &self.asked,
        })
    }

    /// The pragmas that are read where this file has `#include` of `written`, without their `#pragma`; `None` if that line may bring
    /// anything else, or names no gathered file.
    pub fn pragmas_alone(&self, written: &str) -> Option<Vec<&'m [u8]>> {
        self.asked.note(base::last_component(written).as_bytes());
        let files = self.macros.resolve_include(&self.path, written);
        let mut found = (!files.is_empty()).then(Vec::new)?;
        for file in files {
            match &self.macros.files[file as usize].1.contents {
                Contents::Code => return None,
                Contents::Pragmas(pragmas) => found.extend(pragmas.iter().map(|words| &**words)),
            }
        }
        Some(found)
    }

    /// Whether both see the same headers.
    pub fn sees_the_same(&self, other: &Visible<'_>) -> bool {
        self.included.all == other.included.all
    }

    /// Notes that the names matter too that `other`, a second reading of the same file, was asked about.
    pub fn note_asked(&self, other: &Visible<'_>) {
        self.asked.join(&other.asked);
    }

    /// The names that were asked about, all of them.
    pub fn asked(&self) -> Asked {
        self.asked.asked()
    }

    /// Whether the file itself defines a macro of this name.
    pub fn is_own(&self, name: &[u8]) -> bool {
        self.own.contains_key(name)
    }

    /// Whether some gathered file declares or defines a function of this name.
    pub fn is_function(&self, name: &[u8]) -> bool {
        let bucket = self.asked.note(name);
        // Nearly every identifier is asked about, and few are functions.
        self.macros.function_names.may_contain(bucket) && self.macros.functions.contains(name)
            || self.own_facts.functions.contains(name)
    }

    /// The types, as words, that a typedef name from an included file may stand for; empty when it is none.
    pub fn typedef_words(&self, name: &[u8]) -> Vec<&[u8]> {
        let bucket = self.asked.note(name);
        if !self.macros.typedef_names.may_contain(bucket) {
            return Vec::new();
        }
        let ids = self.macros.typedefs.get(name).map_or(&[][..], Vec::as_slice);
        let visible = ids.iter().filter(|id| self.included.all.contains(id));
        let words = visible.filter_map(|id| self.macros.files[*id as usize].1.typedefs.get(name));
        words.flatten().map(|w| &**w).collect()
    }

    /// The enumerators of this name of the files that this one includes for certain: where an include line may name one of several files,
    /// the name may be a variable.
    pub(crate) fn enumerators_of_headers(&self, name: &[u8]) -> impl Iterator<Item = &'m Enumerator> {
        let bucket = self.asked.note(name);
        let macros = self.macros;
        let may_be = macros.enumerator_names.may_contain(bucket);
        let ids = may_be.then(|| macros.enumerators.get(name)).flatten();
        let ids = ids.into_iter().flatten();
        let ids = ids.filter(|id| self.included.sure.contains(id));
        let facts = ids.map(|id| &macros.files[*id as usize].1);
        facts.flat_map(|facts| facts.enumerators.get(name).into_iter().flatten())
    }

    /// Whether this file, or one that it includes, has a typedef of this name.
    pub fn is_visible_typedef(&self, name: &[u8]) -> bool {
        self.own_facts.typedefs.contains_key(name) || !self.typedef_words(name).is_empty()
    }

    /// Whether any gathered file has a typedef of this name.
    pub fn is_typedef(&self, name: &[u8]) -> bool {
        let bucket = self.asked.note(name);
        self.macros.typedef_names.may_contain(bucket) && self.macros.typedefs.contains_key(name)
            || self.own_facts.typedefs.contains_key(name)
    }
}
