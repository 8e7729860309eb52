//! Strongly connected components, by Tarjan's algorithm without recursion.

/// The components of the graph in which node `n` leads to `targets[n]`; each node is in one.
pub(crate) fn components(targets: &[Vec<usize>]) -> Vec<Vec<usize>> {
    const UNSEEN: usize = usize::MAX;
    let mut number = vec![UNSEEN; targets.len()];
    let mut low = vec![0; targets.len()];
    let mut on_stack = vec![false; targets.len()];
    let mut stack = Vec::new();
    let mut found = Vec::new();
    let mut next = 0;
    for start in 0..targets.len() {
        if number[start] != UNSEEN {
            continue;
        }
        // A node, and how many of its targets have been looked at.
        let mut work = vec![(start, 0)];
        while let Some((node, at)) = work.pop() {
            if at == 0 {
                number[node] = next;
                low[node] = next;
                next += 1;
                stack.push(node);
                on_stack[node] = true;
            }
            if let Some(&target) = targets[node].get(at) {
                work.push((node, at + 1));
                if number[target] == UNSEEN {
                    work.push((target, 0));
                } else if on_stack[target] {
                    low[node] = low[node].min(number[target]);
                }
                continue;
            }
            if let Some(&(parent, _)) = work.last() {
                low[parent] = low[parent].min(low[node]);
            }
            if low[node] == number[node] {
                let at = stack.iter().rposition(|&member| member == node).unwrap_or(0);
                let component = stack.split_off(at);
                component.iter().for_each(|&member| on_stack[member] = false);
                found.push(component);
            }
        }
    }
    found
}
