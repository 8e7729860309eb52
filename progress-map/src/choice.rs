//! Code of which every build holds one part and not the others.

use crate::{FunctionId, Map, PointId};

/// Arms of `#if` inside a function, or the definitions that a macro has in different builds: a build holds exactly one, on all tasks
/// the same. Listed where two arms make the same call at the same position: what such a position stands for is then one
/// point in each build, although it is several in the map.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Choice {
    /// The function.
    pub function: FunctionId,
    /// Where each arm begins, and the point behind the last: arm *k* has the points `bounds[k]..bounds[k + 1]`. At least three,
    /// in order.
    pub bounds: Vec<PointId>,
}

impl Choice {
    /// The arm that a point is in.
    fn arm(&self, point: PointId) -> Option<usize> {
        let after = self.bounds.partition_point(|&bound| bound <= point);
        (after < self.bounds.len()).then(|| after.checked_sub(1))?
    }
}

impl Map {
    /// Whether no build has both of two points of a function: they are in different arms of a choice.
    pub fn never_together(&self, function: FunctionId, a: PointId, b: PointId) -> bool {
        let first = self.choices.partition_point(|choice| choice.function < function);
        let own = self.choices[first..].iter();
        own.take_while(|choice| choice.function == function)
            .any(|choice| matches!((choice.arm(a), choice.arm(b)), (Some(x), Some(y)) if x != y))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use base::Id as _;

    #[test]
    fn points_of_two_arms_are_never_together() {
        let point = PointId::from_index;
        let function = FunctionId::from_index(1);
        let map = Map {
            choices: vec![Choice {
                function,
                bounds: vec![point(3), point(5), point(5), point(8)],
            }],
            ..Map::default()
        };
        let apart = |a, b| map.never_together(function, point(a), point(b));
        assert!(apart(3, 5) && apart(7, 4));
        assert!(!apart(3, 4) && !apart(5, 7), "in one arm");
        assert!(!apart(2, 3) && !apart(4, 8), "one is outside");
        assert!(!map.never_together(FunctionId::from_index(0), point(3), point(5)));
        assert!(!map.never_together(FunctionId::from_index(2), point(3), point(5)));
    }
}
