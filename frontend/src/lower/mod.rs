//! Syntax trees of C and C++ to ir.
//!
//! Lowering walks the tree of the prepared text once, resolves every name by C's scoping rules, and maps every
//! position back to the raw file. It never guesses structure: a node that it does not know becomes `Unknown`, and
//! the function `Partial`.

mod address;
mod ambiguous;
mod call;
mod cxx;
mod declare;
mod expression;
mod file;
mod function;
mod hidden;
mod lambda;
mod literal;
mod local;
mod member;
mod object;
mod postfix;
mod reference;
mod statement;
mod try_catch;
mod vexing;

pub use call::COMPUTED_GOTO;
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

/// The child of `node` in the field `name`. The library's own look-up by name compares it with every field of the
/// grammar, which took a third of all time.
fn field<'t>(node: Node<'t>, name: &str) -> Option<Node<'t>> {
    static C: OnceLock<Vec<(String, u16)>> = OnceLock::new();
    static CXX: OnceLock<Vec<(String, u16)>> = OnceLock::new();
    static C_FIELDS: OnceLock<usize> = OnceLock::new();
    // The two grammars number their fields differently, and have different numbers of them.
    let c_fields = C_FIELDS.get_or_init(|| Language::from(tree_sitter_c::LANGUAGE).field_count());
    let is_c = node.language().field_count() == *c_fields;
    let (fields, grammar) = match is_c {
        true => (&C, tree_sitter_c::LANGUAGE),
        false => (&CXX, tree_sitter_cpp::LANGUAGE),
    };
    let fields = fields.get_or_init(|| {
        let language = Language::from(grammar);
        let ids = 1..=u16::try_from(language.field_count()).unwrap_or(u16::MAX);
        let names = ids.filter_map(|id| Some((language.field_name_for_id(id)?.to_owned(), id)));
        let mut fields: Vec<_> = names.collect();
        fields.sort();
        fields
    });
    let at = fields
        .binary_search_by(|(known, _)| known.as_str().cmp(name))
        .ok()?;
    node.child_by_field_id(fields[at].1)
}
