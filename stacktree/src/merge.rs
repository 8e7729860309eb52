//! Merging: the tree of all stacks, from the trees of parts of them.
//!
//! **Associative and commutative.** A tree's form is fixed by the stacks in it (sorted dictionary, siblings by label,
//! one form per set), and merging adds up stacks; so the result is the same value whatever is merged with what first.
//! That lets daemons, and the threads here, merge as they come.

use crate::label::Dictionary;
use crate::tree::Tree;
use crate::weave::{self, Source};
use rayon::prelude::*;
use std::borrow::Borrow;

/// So many trees are merged at once: few enough that all processors have work, enough that nodes are touched seldom.
const AT_ONCE: usize = 64;

/// The tree of the stacks of all trees.
pub fn merge<T: Borrow<Tree> + Sync>(trees: &[T]) -> Tree {
    if trees.len() <= AT_ONCE {
        return merge_few(trees);
    }
    let mut level: Vec<Tree> = trees.par_chunks(AT_ONCE).map(merge_few).collect();
    while level.len() > AT_ONCE {
        level = level.par_chunks(AT_ONCE).map(merge_few).collect();
    }
    merge_few(&level)
}

fn merge_few<T: Borrow<Tree>>(trees: &[T]) -> Tree {
    let dictionaries: Vec<&Dictionary> = trees.iter().map(|tree| &tree.borrow().dictionary).collect();
    let (dictionary, moved) = Dictionary::join(&dictionaries);
    let labels: Vec<_> = trees
        .iter()
        .zip(&moved)
        .map(|(tree, moved)| {
            let tree: &Tree = tree.borrow();
            // The root's label means nothing and may be of an empty dictionary.
            move |node: usize| moved[tree.labels[node].index()]
        })
        .collect();
    let sources: Vec<Source<'_>> = trees
        .iter()
        .zip(&labels)
        .map(|(tree, label)| Source {
            tree: tree.borrow(),
            label,
            keeps_siblings: true,
        })
        .collect();
    weave::weave(&sources, dictionary)
}
