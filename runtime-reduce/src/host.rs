//! The tasks of the host that a process runs on.

use crate::process::Source;
use base::RankSet;
use nodes::{Found, Look, MapPlace, Merge, NodeId, Plan, PlannedNode};
use runtime_probe::{Served, same_host};
use std::collections::BTreeMap;

/// A host, and the probe on it.
pub(crate) struct Host {
    /// How it calls itself.
    name: String,
    served: Served,
    /// Its place in the plan, as long as it can answer.
    place: Option<Place>,
}

struct Place {
    node: NodeId,
    ranks: Option<RankSet>,
}

impl Host {
    pub(crate) fn new(name: String) -> Self {
        Host {
            name,
            served: Served::default(),
            place: None,
        }
    }

    /// Its place in a plan: of its very name, or else of one that may be the same.
    fn place_in<'p>(&self, plan: &'p Plan) -> Option<(NodeId, &'p PlannedNode)> {
        let by = |is_it: &dyn Fn(&str) -> bool| plan.nodes.iter().find(|(_, place)| is_it(&place.host));
        let same = || by(&|host| same_host(host, &self.name));
        let found = by(&|host| host == self.name).or_else(same);
        found.map(|(&node, place)| (node, place))
    }
}

impl Source for Host {
    fn find(&mut self, plan: &Plan) -> BTreeMap<NodeId, Result<Found, String>> {
        self.place = None;
        let Some((node, planned)) = self.place_in(plan) else {
            return BTreeMap::new();
        };
        let found = self.served.select(&planned.select);
        self.place = found.is_ok().then(|| Place {
            node,
            ranks: planned.ranks(),
        });
        BTreeMap::from([(node, found)])
    }

    fn take_map(&mut self, place: MapPlace, bytes: &[u8]) {
        // Who cannot read the map has no answer here. It is asked without MPI then, and says why.
        if self.served.take_map(place, bytes).is_err() {
            self.place = None;
        }
    }

    fn look(&mut self, look: Look, merge: &mut Merge) {
        if let Some(Place { node, ranks }) = &self.place {
            merge.add(*node, ranks.as_ref(), self.served.look(look));
        }
    }

    fn recordings(&mut self) -> BTreeMap<NodeId, Vec<u8>> {
        let place = self.place.as_ref();
        let recorded = place.map(|place| (place.node, self.served.recordings()));
        recorded.into_iter().collect()
    }
}
