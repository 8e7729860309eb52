//! Which values of a frame can matter to the order: whoever keeps stacks short may forget all others.

use crate::{LocatedFrame, Order};
use progress_map::{Across, Lov, Term};
use std::collections::BTreeSet;

impl<'m> Order<'m> {
    /// The variables that a comparison with another task may read in a frame: those that order the loops around its
    /// places, and what their starts and steps are computed from. Sorted.
    pub fn variables(&self, frame: &LocatedFrame) -> BTreeSet<&'m str> {
        let mut names = BTreeSet::new();
        for lov in self.comparable(frame) {
            names.insert(lov.name.as_str());
            let terms = [&lov.start, &lov.step].into_iter().flatten();
            names.extend(terms.flat_map(Term::variables).map(|(name, _)| name));
        }
        names
    }

    /// The variables of the loops around the places of a frame whose values can be compared with those of other tasks.
    pub(crate) fn comparable(&self, frame: &LocatedFrame) -> impl Iterator<Item = &'m Lov> {
        let function = frame.function.map(|id| &self.map().functions[id]);
        let places = frame.places.iter();
        let loops = places.flat_map(move |place| {
            let function = function.into_iter();
            function.flat_map(move |function| {
                function
                    .loops_around(place.point)
                    .map(move |id| &function.loops[id])
            })
        });
        loops
            .flat_map(|around| &around.lovs)
            .filter(|lov| lov.across != Across::Nothing)
    }
}
