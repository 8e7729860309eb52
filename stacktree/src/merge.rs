//! Merging: the tree of all stacks, from the trees of parts of them.
//!
//! **Associative and commutative.** A tree's form is fixed by the stacks in it (sorted dictionary, siblings by label,
//! one form per set), and merging adds up stacks; so the result is the same value whatever is merged with what first.
//! That lets daemons merge as they come. Here all are merged at once: however many trees there are, each node is copied once.

use crate::dictionary::Dictionary;
use crate::tree::Tree;
use crate::weave::{self, Labels, Source};
use std::borrow::Borrow;

/// The tree of the stacks of all trees.
pub fn merge<T: Borrow<Tree> + Sync>(trees: &[T]) -> Tree {
    let dictionaries: Vec<&Dictionary> = trees.iter().map(|tree| &tree.borrow().dictionary).collect();
    let (dictionary, moved) = Dictionary::join(&dictionaries);
    let sources: Vec<Source<'_>> = trees
        .iter()
        .enumerate()
        .map(|(number, tree)| Source {
            tree: tree.borrow(),
            labels: Labels::Moved(moved.of(number)),
        })
        .collect();
    weave::weave(&sources, dictionary)
}
