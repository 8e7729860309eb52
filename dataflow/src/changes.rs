//! What a function, with everything that it calls, may change outside its own variables.
//!
//! Globals and members count by name. Names are numbered as they are met, so that what a function changes is a row of bits.
//! The functions of an SCC of the graph of calls change the same, so they share one row: the union of what they change themselves and of the rows of
//! their callees, which are made first. If that equals the row of a callee, both share it.

use crate::bits::Bits;
use crate::calls::{CallGraph, Calls, NodeId};
use crate::program::FunctionIndex;
use base::{Id, IdVec};
use hashbrown::HashMap;
use progress_map::Outsider;
use std::collections::BTreeSet;
use std::sync::OnceLock;

/// What one function may change.
#[derive(Clone, Debug, Default)]
struct Changes {
    globals: Bits,
    members: Bits,
    /// Whole structures, all of their members at once.
    whole: bool,
    /// It calls through a pointer, and so may change what any function whose address is taken changes.
    behind_pointer: bool,
}

impl Changes {
    fn join(&mut self, other: &Changes) {
        self.globals.join(&other.globals);
        self.members.join(&other.members);
        self.whole |= other.whole;
        self.behind_pointer |= other.behind_pointer;
    }

    fn holds(&self, other: &Changes) -> bool {
        self.globals.holds(&other.globals)
            && self.members.holds(&other.members)
            && (self.whole || !other.whole)
            && (self.behind_pointer || !other.behind_pointer)
    }

    fn count(&self) -> usize {
        self.globals.count() + self.members.count()
    }
}

/// What some functions may change.
#[derive(Debug, Default)]
pub(crate) struct Together<'u> {
    changes: Changes,
    /// The functions outside the map and the library's tables that one of them may call, directly or through others.
    pub(crate) unknown: BTreeSet<Outsider<&'u str>>,
}

impl Together<'_> {
    /// Whether one of them may change the global of this number.
    pub(crate) fn global(&self, number: usize) -> bool {
        self.changes.globals.contains(number)
    }

    /// Whether one of them may change a member of this number, if some function changes one of its name.
    pub(crate) fn member(&self, number: Option<usize>) -> bool {
        self.changes.whole || number.is_some_and(|number| self.changes.members.contains(number))
    }
}

/// What each function of a program may change.
#[derive(Debug, Default)]
pub(crate) struct AllChanges<'u> {
    /// What functions change themselves, until [`close`](Self::close).
    own: IdVec<FunctionIndex, Changes>,
    /// What is changed, by row.
    rows: Vec<Changes>,
    /// The row of each node of the graph of calls.
    row_of: IdVec<NodeId, u32>,
    /// A function that each function leads to and that is neither in the map nor in the table of library functions.
    unknown: IdVec<FunctionIndex, Option<Outsider<&'u str>>>,
    globals: HashMap<&'u str, usize>,
    members: HashMap<&'u str, usize>,
    /// The functions that change each global, by its number, when asked for.
    changers: Vec<OnceLock<Vec<FunctionIndex>>>,
    /// What the functions whose address is taken may change.
    by_pointer: Together<'u>,
}

impl<'u> AllChanges<'u> {
    /// None of `count` functions changes anything yet.
    pub(crate) fn new(count: usize) -> Self {
        AllChanges {
            own: (0..count).map(|_| Changes::default()).collect(),
            unknown: (0..count).map(|_| None).collect(),
            ..AllChanges::default()
        }
    }

    /// The function changes this global itself.
    pub(crate) fn add_global(&mut self, id: FunctionIndex, name: &'u str) {
        let number = number(&mut self.globals, name);
        self.own[id].globals.insert(number);
    }

    /// The function changes a member of this name itself.
    pub(crate) fn add_member(&mut self, id: FunctionIndex, name: &'u str) {
        let number = number(&mut self.members, name);
        self.own[id].members.insert(number);
    }

    /// The function changes whole structures itself.
    pub(crate) fn add_whole(&mut self, id: FunctionIndex) {
        self.own[id].whole = true;
    }

    /// The function itself calls through a pointer.
    pub(crate) fn add_behind_pointer(&mut self, id: FunctionIndex) {
        self.own[id].behind_pointer = true;
    }

    /// The function itself calls this, of which nothing is known; the first one is remembered.
    pub(crate) fn add_unknown(&mut self, id: FunctionIndex, outsider: Outsider<&'u str>) {
        self.unknown[id].get_or_insert(outsider);
    }

    /// Adds what callees change to what their callers change; a call through a pointer may be one of any of `through_pointer`.
    pub(crate) fn close(
        &mut self,
        calls: &Calls<'u>,
        graph: &CallGraph,
        through_pointer: &BTreeSet<FunctionIndex>,
    ) {
        let own = std::mem::take(&mut self.own);
        let mut rows: Vec<Changes> = Vec::new();
        // By part: whom a part calls comes before it.
        let mut row_of_part: Vec<u32> = Vec::new();
        let mut row_of: Vec<u32> = vec![0; calls.node_count()];
        for part in graph.parts() {
            let this = row_of_part.len();
            let targets = part.iter().flat_map(|&node| graph.targets(node));
            let called = targets
                .map(|&node| graph.part(node))
                .filter(|&called| called != this);
            let called: BTreeSet<u32> = called.map(|called| row_of_part[called]).collect();
            let largest = called
                .iter()
                .copied()
                .max_by_key(|&row| rows[row as usize].count());
            let functions = part
                .iter()
                .filter_map(|&node| own.get(FunctionIndex::from_index(node.index())));
            let adds_nothing = |row: &u32| {
                let row = &rows[*row as usize];
                functions.clone().all(|changes| row.holds(changes))
                    && called.iter().all(|&other| row.holds(&rows[other as usize]))
            };
            let row = largest.filter(adds_nothing).unwrap_or_else(|| {
                let mut all = Changes::default();
                functions.clone().for_each(|changes| all.join(changes));
                called.iter().for_each(|&row| all.join(&rows[row as usize]));
                rows.push(all);
                rows.len() as u32 - 1
            });
            row_of_part.push(row);
            for node in part {
                row_of[node.index()] = row;
            }
        }
        self.rows = rows;
        self.row_of = row_of.into();
        self.changers = (0..self.globals.len()).map(|_| OnceLock::new()).collect();
        self.close_unknown(calls);
        self.by_pointer = self.together(through_pointer.iter().copied());
    }

    /// What the functions change that a pointer may lead to.
    pub(crate) fn by_pointer(&self) -> &Together<'u> {
        &self.by_pointer
    }

    /// Who calls somebody that leads to an unknown function does so too. Which of several it is does not matter to the
    /// analysis, but is told: the one of the first function in the list of those that are still to be passed on.
    fn close_unknown(&mut self, calls: &Calls<'u>) {
        let ids = self.unknown.ids();
        let mut work: BTreeSet<FunctionIndex> = ids.filter(|&id| self.unknown[id].is_some()).collect();
        let mut passed_on: BTreeSet<NodeId> = BTreeSet::new();
        while let Some(callee) = work.pop_first() {
            // Where all calls by a name may mean all of its functions, the first that leads somewhere is enough.
            if calls
                .node_of_shared_name(callee)
                .is_some_and(|name| !passed_on.insert(name))
            {
                continue;
            }
            let unknown = self.unknown[callee];
            for (caller, ..) in calls.callers(callee) {
                if self.unknown[caller].is_none() {
                    self.unknown[caller] = unknown;
                    work.insert(caller);
                }
            }
        }
    }

    /// Whether any function changes a global of this name.
    pub(crate) fn is_changed(&self, name: &str) -> bool {
        self.globals.contains_key(name)
    }

    /// The number of a global that some function changes.
    pub(crate) fn number_of_global(&self, name: &str) -> Option<usize> {
        self.globals.get(name).copied()
    }

    /// The number of a member that some function changes.
    pub(crate) fn number_of_member(&self, name: &str) -> Option<usize> {
        self.members.get(name).copied()
    }

    /// How many globals are changed.
    pub(crate) fn global_count(&self) -> usize {
        self.globals.len()
    }

    /// Whether functions may change a global of this number.
    pub(crate) fn global(&self, node: NodeId, number: usize) -> bool {
        self.changes_global(self.row(node), number)
    }

    fn changes_global(&self, row: &Changes, number: usize) -> bool {
        row.globals.contains(number) || row.behind_pointer && self.by_pointer.global(number)
    }

    /// Whether functions may change a member of this number, if some function changes one of its name.
    pub(crate) fn member(&self, node: NodeId, number: Option<usize>) -> bool {
        let row = self.row(node);
        row.whole
            || number.is_some_and(|number| row.members.contains(number))
            || row.behind_pointer && self.by_pointer.member(number)
    }

    fn row(&self, node: NodeId) -> &Changes {
        &self.rows[self.row_of[node] as usize]
    }

    /// The union of what these functions may change, and the functions of which nothing is known that they may reach.
    pub(crate) fn together(&self, functions: impl Iterator<Item = FunctionIndex>) -> Together<'u> {
        let mut changes = Changes::default();
        let mut unknown = BTreeSet::new();
        let mut rows: BTreeSet<u32> = BTreeSet::new();
        for id in functions {
            let row = self.row_of[NodeId::from_index(id.index())];
            if rows.insert(row) {
                changes.join(&self.rows[row as usize]);
            }
            unknown.extend(self.unknown[id]);
        }
        Together { changes, unknown }
    }

    /// A function of which nothing is known that this one leads to, if any.
    pub(crate) fn unknown(&self, id: FunctionIndex) -> Option<Outsider<&'u str>> {
        self.unknown[id]
    }

    /// The functions that may change a global of this name, in order.
    pub(crate) fn changers(&self, name: &str) -> &[FunctionIndex] {
        let Some(&number) = self.globals.get(name) else {
            return &[];
        };
        self.changers[number].get_or_init(|| {
            let changed = self.rows.iter().map(|row| self.changes_global(row, number));
            let changed: Vec<bool> = changed.collect();
            let ids = self.unknown.ids();
            let node = |id: FunctionIndex| NodeId::from_index(id.index());
            ids.filter(|&id| changed[self.row_of[node(id)] as usize])
                .collect()
        })
    }
}

fn number<'u>(numbers: &mut HashMap<&'u str, usize>, name: &'u str) -> usize {
    let next = numbers.len();
    *numbers.entry(name).or_insert(next)
}
