//! Names with numbers: members, variables, and how the source calls what it reads and writes.

use crate::places::NameId;
use base::Id as _;
use hashbrown::HashMap;

/// Names with numbers.
#[derive(Debug, Default)]
pub(crate) struct Names {
    /// Only ever asked for one.
    numbers: HashMap<String, NameId>,
    pub(crate) texts: Vec<String>,
}

impl Names {
    /// The number of a name that has one.
    pub(crate) fn get(&self, text: &str) -> Option<NameId> {
        self.numbers.get(text).copied()
    }

    pub(crate) fn id(&mut self, text: &str) -> NameId {
        if let Some(&id) = self.numbers.get(text) {
            return id;
        }
        let id = NameId::from_index(self.texts.len());
        self.texts.push(text.to_owned());
        self.numbers.insert(text.to_owned(), id);
        id
    }
}
