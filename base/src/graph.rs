//! The search that every question of "does one lead to the other" is.

/// Whether a way of at least one step leads from `from` to `to`. `is_new` notes a node and says whether it is met for the first
/// time; `successors` adds the nodes that come next.
pub fn reaches<N: Copy + PartialEq>(
    from: N,
    to: N,
    mut is_new: impl FnMut(N) -> bool,
    mut successors: impl FnMut(N, &mut Vec<N>),
) -> bool {
    let mut work = vec![from];
    let mut next = Vec::new();
    while let Some(node) = work.pop() {
        successors(node, &mut next);
        for node in next.drain(..) {
            if node == to {
                return true;
            }
            if is_new(node) {
                work.push(node);
            }
        }
    }
    false
}
