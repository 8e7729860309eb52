//! What a macro does behind its name when it is left unexpanded: which variables it may write, where it may jump to, and
//! whether it is whole at all. Macros within macros are looked into, whatever the build makes of them.
//!
//! A call of an unknown function and a macro that is left as it is differ in one thing: the macro sees the variables of the
//! function around it. So the question is which names of the function at hand its replacement list can write. Names that it
//! declares for itself are its own; what it reaches through a pointer or as a member is memory, which any call may change
//! (`Callee::Macro` counts as one that does); its arguments are seen at the call; all other names are listed.

mod own;
mod reader;
#[cfg(test)]
mod tests;
mod writes;

use crate::directive::Definition;
use reader::Reader;
use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;

/// Macros nested deeper than this are not looked into.
const DEPTH_LIMIT: usize = 24;
/// Tokens of replacement lists that are looked at for one name.
const STEP_LIMIT: usize = 60_000;

/// What one definition, or all that a name may have, hides.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Hidden {
    /// Something that no list of names describes: a jump, a half of a statement, a write to what has no name.
    pub obstacle: Option<Obstacle>,
    /// There is a call, a statement or a write in it.
    pub acts: bool,
    /// Variables that are neither its own nor its arguments and may be written.
    pub written: BTreeSet<Box<[u8]>>,
    /// Parameters that may be written, by their place.
    params: BTreeSet<usize>,
    /// It depends on definitions of the file itself, which have an order.
    local: bool,
}

/// Why nothing can be said about a function with the macro in it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Obstacle {
    /// A jump to a place outside the macro other than the caller.
    Jump,
    /// An assignment to something that cannot be told.
    Write,
    /// Brackets or statements that only the code around completes.
    Part,
}

/// The definitions that a name may have, and whether the file itself has some.
pub trait Definitions<'m> {
    /// All definitions of `name` at the place in question.
    fn of(&self, name: &[u8]) -> Vec<&'m Definition>;
    /// Whether the file itself defines `name`.
    fn is_own(&self, name: &[u8]) -> bool;
    /// Whether a call may take its arguments by reference, and so change them, as in C++.
    fn has_references(&self) -> bool;
}

/// What definitions hide, remembered where it is the same in the whole file.
#[derive(Debug, Default)]
pub struct Memory {
    known: BTreeMap<usize, Rc<Hidden>>,
    steps: usize,
}

impl Memory {
    /// What `name` hides, called or not, whichever of its definitions is in force.
    pub fn hidden<'m>(&mut self, name: &[u8], called: bool, source: &dyn Definitions<'m>) -> Hidden {
        self.steps = 0;
        self.of_name(name, called, source, &mut Vec::new())
            .unwrap_or(Hidden {
                obstacle: Some(Obstacle::Write),
                ..Hidden::default()
            })
    }

    /// `None` when there are too many macros within macros.
    fn of_name<'m>(
        &mut self,
        name: &[u8],
        called: bool,
        source: &dyn Definitions<'m>,
        within: &mut Vec<usize>,
    ) -> Option<Hidden> {
        let mut all = Hidden {
            local: source.is_own(name),
            ..Hidden::default()
        };
        for definition in source.of(name) {
            // Without arguments the name of a function-like macro is no macro.
            if definition.params.is_some() && !called {
                continue;
            }
            let key = std::ptr::from_ref(definition) as usize;
            // A macro's name within its own expansion is a function's.
            if within.contains(&key) {
                all.acts |= called;
                continue;
            }
            let one = match self.known.get(&key) {
                Some(known) => Rc::clone(known),
                None => {
                    if within.len() >= DEPTH_LIMIT {
                        return None;
                    }
                    within.push(key);
                    let found = Reader::new(definition, source.has_references()).read(self, source, within);
                    within.pop();
                    let found = Rc::new(found?);
                    if !found.local && within.is_empty() {
                        self.known.insert(key, Rc::clone(&found));
                    }
                    found
                }
            };
            all.obstacle = all.obstacle.max(one.obstacle);
            all.acts |= one.acts;
            all.local |= one.local;
            all.written.extend(one.written.iter().cloned());
            all.params.extend(&one.params);
        }
        Some(all)
    }
}
