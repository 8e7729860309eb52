//! Tasks in one operation of a library, of which the map holds nothing.
//!
//! Two tasks have called one operation from the same point of the program. A task that stands at the first instruction of the operation has not
//! begun it, and is behind one that has executed some of it. This takes only one thing for granted of the library: it never jumps back to
//! an entry point. If both tasks have begun, the map cannot tell how far each is, and they count as equal.

use crate::{Located, Relation};

/// How two tasks stand to each other that one execution of one call has led out of the map, each by the frame of that place; with the
/// operation, which is empty where both are in none. `None`: they are in different ones, or it cannot be told.
pub(crate) fn relation<'l>(
    (a, entry_a): (&'l Located, Option<usize>),
    (b, entry_b): (&'l Located, Option<usize>),
) -> Option<(Relation, &'l str)> {
    let (one, other) = match (&a.beneath, &b.beneath) {
        (None, None) => return Some((Relation::Equal, "")),
        (Some(one), Some(other)) if one.operation == other.operation => (one, other),
        _ => return None,
    };
    // A tool may stand between the call and the operation, and make it twice.
    let is_straight =
        entry_a.is_some() && entry_b.is_some() && (one.entry, other.entry) == (entry_a, entry_b);
    let relation = match (one.begun, other.begun) {
        (false, true) => is_straight.then_some(Relation::Before)?,
        (true, false) => is_straight.then_some(Relation::After)?,
        (true, true) | (false, false) => Relation::Equal,
    };
    Some((relation, &one.operation))
}

#[cfg(test)]
mod tests {
    use super::relation;
    use crate::{Beneath, CodeStack, Located, Relation};

    fn task(operation: &str, entry: usize, begun: bool) -> Located {
        Located {
            task: String::new(),
            rank: None,
            pid: None,
            frames: Vec::new(),
            origin: Vec::new(),
            beneath: (!operation.is_empty()).then(|| Beneath {
                operation: operation.to_owned(),
                entry: Some(entry),
                begun,
            }),
            next_instruction: None,
            code: CodeStack::default(),
            stage: None,
            obstacle: None,
        }
    }

    #[test]
    fn who_has_executed_nothing_of_an_operation_is_behind_those_in_it() {
        let (inside, at_start) = (task("MPI_Send", 2, true), task("MPI_Send", 2, false));
        let of = |a: &Located, b: &Located, entry: usize| {
            relation((a, Some(entry)), (b, Some(entry))).map(|(relation, _)| relation)
        };
        assert_eq!(of(&at_start, &inside, 2), Some(Relation::Before));
        assert_eq!(of(&inside, &at_start, 2), Some(Relation::After));
        assert_eq!(of(&at_start, &at_start, 2), Some(Relation::Equal));
        assert_eq!(of(&inside, &inside, 2), Some(Relation::Equal));
        // By another operation, or with frames of a tool in between, which may call it more than once.
        assert_eq!(of(&at_start, &task("MPI_Recv", 2, true), 2), None);
        assert_eq!(of(&at_start, &inside, 1), None);
        assert_eq!(of(&at_start, &task("MPI_Send", 3, true), 2), None);
        assert_eq!(of(&at_start, &task("", 2, true), 2), None);
        assert_eq!(
            of(&task("", 2, true), &task("", 2, true), 2),
            Some(Relation::Equal)
        );
    }
}
