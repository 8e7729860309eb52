//! A partial tree of unknown origin.

use engine::JobTree;

/// Any bytes are a tree that is merged with itself and written as it was, or an error.
pub(crate) fn tree(bytes: &[u8]) {
    let read = match JobTree::merged(&[bytes.to_vec()]) {
        Ok(read) => read,
        Err(error) => {
            assert!(!error.to_string().is_empty());
            return;
        }
    };
    let written = read.to_bytes();
    let again = JobTree::merged(std::slice::from_ref(&written)).map(|again| again.to_bytes());
    assert!(
        again.as_ref() == Ok(&written),
        "a tree that was read is not read again: {:?}",
        again.err()
    );
    let twice = JobTree::merged(&[written.clone(), written]).map(|twice| (twice.tree.len(), twice.qualified));
    assert_eq!(twice, Ok((read.tree.len(), read.qualified)));
}

/// The tree of no task; `corpus/tree` has others.
pub(crate) fn seeds() -> Vec<(String, Vec<u8>)> {
    let empty = JobTree::merged(&[]).map(|empty| empty.to_bytes());
    vec![("empty".to_owned(), empty.unwrap_or_default())]
}
