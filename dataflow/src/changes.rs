//! What a function, with everything that it calls, may change outside its own variables.
//!
//! Globals and members count by name. Names are numbered as they are met, so that what a function changes is a row of bits:
//! the rows of callees are joined into those of their callers until nothing is added.

use crate::bits::Bits;
use crate::program::{FunctionIndex, FunctionInfo};
use base::IdVec;
use ir::ExprId;
use progress_map::PointId;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::OnceLock;

/// What one function may change.
#[derive(Clone, Debug, Default)]
struct Changes<'u> {
    globals: Bits,
    members: Bits,
    /// It calls something that is neither in the map nor in the table of library functions.
    unknown: Option<&'u str>,
}

/// What each function of a program may change.
#[derive(Debug, Default)]
pub(crate) struct AllChanges<'u> {
    of: IdVec<FunctionIndex, Changes<'u>>,
    globals: BTreeMap<&'u str, usize>,
    members: BTreeMap<&'u str, usize>,
    /// The functions that change each global, by its number, when asked for.
    changers: Vec<OnceLock<Vec<FunctionIndex>>>,
}

impl<'u> AllChanges<'u> {
    /// No function changes anything yet.
    pub(crate) fn new(functions: &IdVec<FunctionIndex, FunctionInfo<'u>>) -> Self {
        AllChanges {
            of: functions.iter().map(|_| Changes::default()).collect(),
            ..AllChanges::default()
        }
    }

    /// The function changes this global itself.
    pub(crate) fn add_global(&mut self, id: FunctionIndex, name: &'u str) {
        let number = number(&mut self.globals, name);
        self.of[id].globals.insert(number);
    }

    /// The function changes a member of this name itself.
    pub(crate) fn add_member(&mut self, id: FunctionIndex, name: &'u str) {
        let number = number(&mut self.members, name);
        self.of[id].members.insert(number);
    }

    /// The function itself calls this, of which nothing is known; the first one is remembered.
    pub(crate) fn add_unknown(&mut self, id: FunctionIndex, name: &'u str) {
        self.of[id].unknown.get_or_insert(name);
    }

    /// Adds what callees change to what their callers change, until nothing is added.
    pub(crate) fn close(&mut self, callers: &IdVec<FunctionIndex, Vec<(FunctionIndex, PointId, ExprId)>>) {
        let mut work: BTreeSet<FunctionIndex> = self.of.ids().collect();
        while let Some(callee) = work.pop_first() {
            // A function that calls itself adds nothing to itself.
            let changes = std::mem::take(&mut self.of[callee]);
            let mut last = None;
            for &(caller, ..) in &callers[callee] {
                // Calls stand by caller: of several in one function the first is enough.
                if caller == callee || last.replace(caller) == Some(caller) {
                    continue;
                }
                let into = &mut self.of[caller];
                let mut added = into.globals.join(&changes.globals);
                added |= into.members.join(&changes.members);
                if into.unknown.is_none() && changes.unknown.is_some() {
                    into.unknown = changes.unknown;
                    added = true;
                }
                if added {
                    work.insert(caller);
                }
            }
            self.of[callee] = changes;
        }
        self.changers = self.globals.iter().map(|_| OnceLock::new()).collect();
    }

    /// Whether any function changes a global of this name.
    pub(crate) fn is_changed(&self, name: &str) -> bool {
        self.globals.contains_key(name)
    }

    /// Whether a function may change a global of this name.
    pub(crate) fn global(&self, id: FunctionIndex, name: &str) -> bool {
        let number = self.globals.get(name);
        number.is_some_and(|&number| self.of[id].globals.contains(number))
    }

    /// Whether a function may change a member of this name.
    pub(crate) fn member(&self, id: FunctionIndex, name: &str) -> bool {
        let number = self.members.get(name);
        number.is_some_and(|&number| self.of[id].members.contains(number))
    }

    /// A function of which nothing is known that this one leads to, if any.
    pub(crate) fn unknown(&self, id: FunctionIndex) -> Option<&'u str> {
        self.of[id].unknown
    }

    /// The functions that may change a global of this name, in order.
    pub(crate) fn changers(&self, name: &str) -> &[FunctionIndex] {
        let Some(&number) = self.globals.get(name) else {
            return &[];
        };
        let changes = |id: &FunctionIndex| self.of[*id].globals.contains(number);
        self.changers[number].get_or_init(|| self.of.ids().filter(changes).collect())
    }
}

fn number<'u>(numbers: &mut BTreeMap<&'u str, usize>, name: &'u str) -> usize {
    let next = numbers.len();
    *numbers.entry(name).or_insert(next)
}
