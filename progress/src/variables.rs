//! Which values of a frame can matter to the order: whoever keeps stacks short may forget all others.

use crate::{LocatedFrame, Order};
use progress_map::{Across, Term};
use std::collections::BTreeSet;

impl<'m> Order<'m> {
    /// The variables that a comparison with another task may read in a frame: those that order the loops around its
    /// places, and what their starts and steps are computed from. Sorted.
    pub fn variables(&self, frame: &LocatedFrame) -> BTreeSet<&'m str> {
        let mut names = BTreeSet::new();
        let Some(id) = frame.function else {
            return names;
        };
        let function = &self.map().functions[id];
        for place in &frame.places {
            let mut at = function.points[place.point].innermost_loop;
            while let Some(current) = at {
                let lovs = function.loops[current].lovs.iter();
                for lov in lovs.filter(|lov| lov.across != Across::Nothing) {
                    names.insert(lov.name.as_str());
                    let terms = [&lov.start, &lov.step].into_iter().flatten();
                    names.extend(terms.flat_map(Term::variables).map(|(name, _)| name));
                }
                at = function.loops[current].parent;
            }
        }
        names
    }
}
