//! What all files say, as hashes: whether a result that was made from some of it still stands.

use super::Macros;
use crate::asked::{Asked, SaidByAll, bucket};
use crate::directive::BodyToken;
use crate::enumerators::{Enumerator, Written};
use crate::facts::{Contents, FileFacts, MacroState};
use crate::token::TokenKind;

/// What is said of a name; part of every hash.
#[derive(Clone, Copy)]
enum Said {
    Macro,
    /// Some header defines it as a macro with parameters.
    Elsewhere,
    Function,
    Typedef,
    /// Some file has a typedef of it.
    SomeTypedef,
    Cxx,
    Enumerator,
    /// A file of this name has nothing but pragmas.
    Pragmas,
}

impl Macros {
    /// What the files say of every name.
    #[must_use]
    pub fn state(&self) -> SaidByAll {
        let mut said: Vec<(u32, Option<u32>, [u8; 32])> = Vec::new();
        let mut say = |name: &[u8], file: Option<u32>, hash: Hash| {
            said.push((bucket(name), file, hash.finish()));
        };
        for (name, states) in &self.states {
            for (id, state) in states {
                let (path, facts) = &self.files[*id as usize];
                let mut hash = Hash::new(Said::Macro, name);
                hash.bytes(path.as_bytes());
                hash.state(facts, state);
                say(name, Some(*id), hash);
            }
            if self.is_macro_of_a_header(name) {
                say(name, None, Hash::new(Said::Elsewhere, name));
            }
        }
        for name in &self.functions {
            say(name, None, Hash::new(Said::Function, name));
        }
        for (name, ids) in &self.typedefs {
            say(name, None, Hash::new(Said::SomeTypedef, name));
            for id in ids {
                let (path, facts) = &self.files[*id as usize];
                let mut hash = Hash::new(Said::Typedef, name);
                hash.bytes(path.as_bytes());
                for words in facts.typedefs.get(name).into_iter().flatten() {
                    hash.bytes(words);
                }
                say(name, Some(*id), hash);
            }
        }
        for (name, ids) in &self.enumerators {
            for id in ids {
                let (path, facts) = &self.files[*id as usize];
                let mut hash = Hash::new(Said::Enumerator, name);
                hash.bytes(path.as_bytes());
                for one in facts.enumerators.get(name).into_iter().flatten() {
                    hash.enumerator(one);
                }
                say(name, Some(*id), hash);
            }
        }
        for (id, (path, facts)) in (0_u32..).zip(&self.files) {
            if let Contents::Pragmas(pragmas) = &facts.contents {
                let name = base::last_component(path).as_bytes();
                let mut hash = Hash::new(Said::Pragmas, name);
                hash.bytes(path.as_bytes());
                pragmas.iter().for_each(|words| hash.bytes(words));
                say(name, Some(id), hash);
            }
        }
        self.cxx.each(&mut |name, what, mask| {
            let mut hash = Hash::new(Said::Cxx, name);
            hash.0.update(&[what]);
            hash.0.update(&mask.to_le_bytes());
            say(name, None, hash);
        });
        SaidByAll::new(said)
    }

    /// What the reading of the file at `path` rests on besides its own bytes, when it asks about the names `asked`: the files
    /// that it includes, and what `state`, that of these macros, holds of the names. `None` if there is no such file.
    #[must_use]
    pub fn standing(&self, path: &str, state: &SaidByAll, asked: &Asked) -> Option<[u8; 32]> {
        let own = self.files.binary_search_by(|f| f.0.as_str().cmp(path)).ok()?;
        let included = self.included(path, &self.files[own].1).all;
        let mut hasher = blake3::Hasher::new();
        for id in &included {
            let path = self.files[*id as usize].0.as_bytes();
            hasher.update(&(path.len() as u64).to_le_bytes());
            hasher.update(path);
        }
        hasher.update(&u64::MAX.to_le_bytes());
        state.add_to(&mut hasher, asked, &included);
        Some(*hasher.finalize().as_bytes())
    }
}

/// A hash of things of which each says where it ends.
struct Hash(blake3::Hasher);

impl Hash {
    fn new(said: Said, name: &[u8]) -> Self {
        let mut hash = Hash(blake3::Hasher::new());
        hash.0.update(&[said as u8]);
        hash.bytes(name);
        hash
    }

    fn bytes(&mut self, bytes: &[u8]) {
        self.0.update(&(bytes.len() as u64).to_le_bytes());
        self.0.update(bytes);
    }

    fn state(&mut self, facts: &FileFacts, state: &MacroState) {
        // Whoever adds a field has to decide here whether other files see it.
        let MacroState {
            definitions,
            perhaps_undefined,
            certain,
            overridable,
            settled,
        } = state;
        self.0
            .update(&[*perhaps_undefined, *certain, *overridable, *settled].map(u8::from));
        for index in definitions {
            let event = &facts.events[*index as usize];
            let Some(definition) = &event.definition else {
                continue;
            };
            self.0.update(&(event.arms.len() as u64).to_le_bytes());
            for arm in event.arms.iter() {
                self.0.update(&arm.group.to_le_bytes());
                self.0.update(&arm.arm.to_le_bytes());
            }
            match &definition.params {
                None => self.bytes(b"object"),
                Some(params) => {
                    self.bytes(if params.variadic { b"variadic" } else { b"function" });
                    self.0.update(&(params.names.len() as u64).to_le_bytes());
                    params.names.iter().for_each(|name| self.bytes(name));
                }
            }
            self.tokens(&definition.body);
        }
    }

    fn enumerator(&mut self, one: &Enumerator) {
        let Enumerator {
            qualifiers,
            is_plain,
            value,
        } = one;
        self.0.update(&(qualifiers.len() as u64).to_le_bytes());
        qualifiers.iter().for_each(|name| self.bytes(name));
        self.0.update(&[*is_plain, value.is_some()].map(u8::from));
        if let Some(Written { from, plus }) = value {
            self.tokens(from);
            self.0.update(&plus.to_le_bytes());
        }
    }

    fn tokens(&mut self, tokens: &[BodyToken]) {
        self.0.update(&(tokens.len() as u64).to_le_bytes());
        for token in tokens {
            let kind = match token.kind {
                TokenKind::Ident => 0,
                TokenKind::Number => 1,
                TokenKind::Str => 2,
                TokenKind::Char => 3,
                TokenKind::Punct => 4,
                TokenKind::Directive => 5,
            };
            self.0.update(&[kind]);
            self.bytes(&token.text);
        }
    }

    fn finish(self) -> [u8; 32] {
        *self.0.finalize().as_bytes()
    }
}
