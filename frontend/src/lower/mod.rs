//! Syntax trees of C and C++ to ir.
//!
//! Lowering walks the tree of the prepared text once, resolves every name by C's scoping rules, and maps every
//! position back to the raw file. It never guesses structure: a node that it does not know becomes `Unknown`, and
//! the function `Partial`.

mod accessor;
mod address;
mod ambiguous;
mod call;
mod class;
mod cxx;
mod declare;
mod defaults;
mod expression;
mod file;
mod function;
mod hidden;
mod inserted;
mod iterator;
mod jump;
mod lambda;
pub(crate) mod literal;
mod local;
mod made_of;
mod member;
mod object;
mod overloaded;
mod pointed;
mod postfix;
mod reference;
mod statement;
mod try_catch;
mod vexing;

pub use call::{COMPUTED_GOTO, THROWN};
pub use cxx::OPERATOR;
pub use declare::is_library_type;
pub use expression::LABEL_ADDRESS;
pub use file::File;

use std::sync::OnceLock;
use tree_sitter::{Language, Node};

/// The named children of `node`, collected with a cursor: asking for the i-th child takes time linear in i.
fn children(node: Node<'_>) -> Vec<Node<'_>> {
    let mut cursor = node.walk();
    node.named_children(&mut cursor)
        .filter(|child| !child.is_extra() || child.is_error())
        .collect()
}

/// The fields of a grammar by their names, in a table by length and first byte: this is asked for every node, several times.
struct Fields {
    slots: Vec<Vec<(String, u16)>>,
    count: usize,
}

impl Fields {
    const SLOTS: usize = 256;

    fn new(grammar: impl Into<Language>) -> Self {
        let language = grammar.into();
        let count = language.field_count();
        let mut slots = vec![Vec::new(); Self::SLOTS];
        for id in 1..=u16::try_from(count).unwrap_or(u16::MAX) {
            if let Some(name) = language.field_name_for_id(id) {
                slots[Self::slot(name)].push((name.to_owned(), id));
            }
        }
        Self { slots, count }
    }

    fn slot(name: &str) -> usize {
        let first = name.as_bytes().first().copied().unwrap_or(0);
        (name.len() * 29 + usize::from(first)) % Self::SLOTS
    }

    fn id(&self, name: &str) -> Option<u16> {
        let mut slot = self.slots[Self::slot(name)].iter();
        slot.find(|(known, _)| known == name).map(|(_, id)| *id)
    }
}

/// The child of `node` in the field `name`. The library's own look-up by name compares it with every field of the
/// grammar, which took a third of all time.
fn field<'t>(node: Node<'t>, name: &str) -> Option<Node<'t>> {
    static C: OnceLock<Fields> = OnceLock::new();
    static CXX: OnceLock<Fields> = OnceLock::new();
    let c = C.get_or_init(|| Fields::new(tree_sitter_c::LANGUAGE));
    // The two grammars number their fields differently, and have different numbers of them.
    let fields = if node.language().field_count() == c.count {
        c
    } else {
        CXX.get_or_init(|| Fields::new(tree_sitter_cpp::LANGUAGE))
    };
    node.child_by_field_id(fields.id(name)?)
}
