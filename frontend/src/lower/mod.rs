//! Syntax trees to ir.
//!
//! Lowering walks the tree of the prepared text once, resolves every name by C's scoping rules, and maps every
//! position back to the raw file. It never guesses structure: a node that it does not know becomes `Unknown`, and
//! the function `Partial`.

mod call;
mod declare;
mod expression;
mod file;
mod function;
mod literal;
mod statement;

pub use call::COMPUTED_GOTO;
pub use expression::LABEL_ADDRESS;
pub use file::File;

use tree_sitter::Node;

/// The named children of `node`, collected with a cursor: asking for the i-th child takes time linear in i.
fn children(node: Node<'_>) -> Vec<Node<'_>> {
    let mut cursor = node.walk();
    node.named_children(&mut cursor).filter(|child| !child.is_extra() || child.is_error()).collect()
}
