//! Collective operations: which number each member's part has, and whether the operation ties its members, when all parts are there.

use super::super::build::Numbers;
use super::super::definitions::Among;
use super::super::{NameId, Part, Tie};
use super::Reader;
use std::collections::BTreeSet;

/// A rank's part of a collective operation.
pub(super) struct Taken {
    pub(super) rank: u32,
    pub(super) among: Among,
    pub(super) root: Option<u32>,
    /// `None` if the call around it is another: what waits for whom there is the library's business.
    pub(super) function: Option<NameId>,
    pub(super) ties: Ties,
    pub(super) begins: usize,
    pub(super) ends: Option<usize>,
}

/// What a member's part says of whether the operation ties its members.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Ties {
    /// It does, unless another one says that it does not.
    Unless,
    /// It does not.
    Never,
    /// It does, if another one says so.
    IfAnother,
    /// It does for sure.
    Always,
}

impl Reader {
    /// All parts are there: numbers each member's by their beginnings.
    pub(super) fn number_operations(&mut self) {
        self.parts
            .sort_by_key(|part| (part.among, part.rank, part.begins));
        let mut numbers = Numbers::default();
        let numbered = self.parts.iter().map(|part| {
            let number = numbers.next((part.among, part.rank)) + 1;
            (number, part)
        });
        let numbered = Vec::from_iter(numbered);
        let who_says = |ties: Ties| {
            let parts = numbered.iter().filter(move |(_, part)| part.ties == ties);
            BTreeSet::from_iter(parts.map(|(number, part)| (part.among, *number)))
        };
        let (empty, tied) = (who_says(Ties::Never), who_says(Ties::Always));
        for (number, part) in &numbered {
            let operation = (part.among, *number);
            let ties = match part.ties {
                Ties::Unless => !empty.contains(&operation),
                Ties::Never => false,
                Ties::IfAnother | Ties::Always => tied.contains(&operation),
            };
            let told = Part {
                number: *number,
                root: part.root,
                function: part.function.filter(|_| ties),
            };
            self.trace.events[part.begins].tie = Tie::Enters(told);
            if let Some(ends) = part.ends {
                self.trace.events[ends].tie = Tie::Leaves(told);
            }
        }
    }
}
