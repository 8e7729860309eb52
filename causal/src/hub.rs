//! One collective operation as one node of the graph: members' beginnings lead to it, and members' ends come from it, so that among p members there are 2p edges and
//! not p².

use crate::event::{Cause, Flow, Missing};
use crate::node::NodeId;
use std::collections::{BTreeMap, BTreeSet};

/// What is known of the beginnings that an end has to come after, once all of them are put out or given up.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Told {
    /// The latest of them.
    pub(crate) cause: Option<Cause>,
    /// Whether any was given up.
    pub(crate) missing: Missing,
}

impl Told {
    fn with(self, other: Told) -> Told {
        Told {
            cause: self.cause.max(other.cause),
            missing: match self.missing {
                Missing::Nothing => other.missing,
                known => known,
            },
        }
    }
}

/// The flow of an operation among so many members, with places in the group for its streams.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Shape {
    pub(crate) flow: PlacedFlow,
    pub(crate) size: u32,
}

/// A [`Flow`] whose root is a place.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum PlacedFlow {
    Everyone,
    FromRoot(u32),
    ToRoot(u32),
    Neighbours,
    Prefix,
}

impl PlacedFlow {
    /// The flow, if its root has a place.
    pub(crate) fn of<E>(
        flow: Flow,
        place: impl FnOnce(crate::StreamId) -> Result<u32, E>,
    ) -> Result<Self, E> {
        Ok(match flow {
            Flow::Everyone => Self::Everyone,
            Flow::FromRoot(root) => Self::FromRoot(place(root)?),
            Flow::ToRoot(root) => Self::ToRoot(place(root)?),
            Flow::Neighbours => Self::Neighbours,
            Flow::Prefix => Self::Prefix,
        })
    }
}

impl Shape {
    /// Whether somebody else's end comes after this member's beginning.
    pub(crate) fn gives(self, place: u32) -> bool {
        self.size > 1
            && match self.flow {
                PlacedFlow::Everyone => true,
                PlacedFlow::FromRoot(root) => place == root,
                PlacedFlow::ToRoot(root) => place != root,
                PlacedFlow::Neighbours | PlacedFlow::Prefix => place + 1 < self.size,
            }
    }

    /// Whether this member's end comes after somebody else's beginning.
    pub(crate) fn takes(self, place: u32) -> bool {
        self.size > 1
            && match self.flow {
                PlacedFlow::Everyone => true,
                PlacedFlow::FromRoot(root) => place != root,
                PlacedFlow::ToRoot(root) => place == root,
                PlacedFlow::Neighbours | PlacedFlow::Prefix => place > 0,
            }
    }

    /// Whether the end at `taker` comes after the beginning at `giver`.
    pub(crate) fn binds(self, giver: u32, taker: u32) -> bool {
        match self.flow {
            PlacedFlow::Everyone | PlacedFlow::FromRoot(_) | PlacedFlow::ToRoot(_) => true,
            PlacedFlow::Neighbours => giver + 1 == taker,
            PlacedFlow::Prefix => giver < taker,
        }
    }

    /// How many members' beginnings count, and how many ends.
    fn counts(self) -> (u32, u32) {
        let others = self.size - 1;
        match self.flow {
            _ if self.size == 1 => (0, 0),
            PlacedFlow::Everyone => (self.size, self.size),
            PlacedFlow::FromRoot(_) => (1, others),
            PlacedFlow::ToRoot(_) => (others, 1),
            PlacedFlow::Neighbours | PlacedFlow::Prefix => (others, others),
        }
    }

    /// Whether an end depends on a part of the beginnings alone, so that these have to be told apart.
    pub(crate) fn is_by_place(self) -> bool {
        matches!(self.flow, PlacedFlow::Neighbours | PlacedFlow::Prefix)
    }
}

/// A set of places.
#[derive(Debug, Default)]
struct Places(Vec<u64>);

impl Places {
    fn new(size: u32) -> Self {
        Self(vec![0; size.div_ceil(64) as usize])
    }

    /// Adds a place; whether it is new.
    fn insert(&mut self, place: u32) -> bool {
        let Some(word) = self.0.get_mut(place as usize / 64) else {
            return false;
        };
        let bit = 1 << (place % 64);
        let is_new = *word & bit == 0;
        *word |= bit;
        is_new
    }

    fn contains(&self, place: u32) -> bool {
        let word = self.0.get(place as usize / 64).copied().unwrap_or(0);
        word >> (place % 64) & 1 == 1
    }
}

/// An operation under way.
#[derive(Debug)]
pub(crate) struct Hub {
    pub(crate) shape: Shape,
    /// Those whose beginning is here, or never comes.
    entered: Places,
    /// Those whose end is here, or never comes.
    left: Places,
    /// Beginnings that are neither put out nor given up.
    awaited: u32,
    /// Ends that are neither here nor given up.
    to_come: u32,
    /// Ends that are here and wait, by place.
    waiting: BTreeMap<u32, NodeId>,
    /// What all beginnings so far come to, where they are not told apart.
    told: Told,
    /// Where they are: what is told of each; up to `front`, of each together with all before it if the flow is a prefix.
    told_by_place: Vec<Option<Told>>,
    /// The first place of which nothing is told.
    front: u32,
    /// Ends that were put out without waiting any longer.
    forced: BTreeSet<u32>,
}

impl Hub {
    pub(crate) fn new(shape: Shape) -> Self {
        let (awaited, to_come) = shape.counts();
        let by_place = if shape.is_by_place() { shape.size } else { 0 };
        Self {
            shape,
            entered: Places::new(shape.size),
            left: Places::new(shape.size),
            awaited,
            to_come,
            waiting: BTreeMap::new(),
            told: Told::default(),
            told_by_place: vec![None; by_place as usize],
            front: 0,
            forced: BTreeSet::new(),
        }
    }

    pub(crate) fn has_entered(&self, place: u32) -> bool {
        self.entered.contains(place)
    }

    pub(crate) fn has_left(&self, place: u32) -> bool {
        self.left.contains(place)
    }

    /// A beginning is here.
    pub(crate) fn enter(&mut self, place: u32) {
        self.entered.insert(place);
    }

    /// An end is here: what it comes after, if all of that is put out; else it waits.
    pub(crate) fn leave(&mut self, place: u32, node: NodeId) -> Option<Told> {
        if self.left.insert(place) {
            self.to_come -= 1;
        }
        let told = self.ready(place);
        if told.is_none() {
            self.waiting.insert(place, node);
        }
        told
    }

    fn ready(&self, place: u32) -> Option<Told> {
        match self.shape.flow {
            PlacedFlow::Prefix if self.front < place => None,
            PlacedFlow::Prefix | PlacedFlow::Neighbours => *self.told_by_place.get(place as usize - 1)?,
            _ => (self.awaited == 0).then_some(self.told),
        }
    }

    /// A beginning is put out, or given up. The ends that need not wait any longer are added to `released`.
    pub(crate) fn tell(&mut self, place: u32, told: Told, released: &mut Vec<(NodeId, Told)>) {
        self.awaited -= 1;
        if !self.shape.is_by_place() {
            self.told = self.told.with(told);
            if self.awaited == 0 {
                let told = self.told;
                released.extend(
                    std::mem::take(&mut self.waiting)
                        .into_values()
                        .map(|node| (node, told)),
                );
            }
            return;
        }
        let at = place as usize;
        self.told_by_place[at] = Some(told);
        if self.shape.flow == PlacedFlow::Neighbours {
            released.extend(self.waiting.remove(&(place + 1)).map(|node| (node, told)));
            return;
        }
        while let Some(Some(here)) = self.told_by_place.get(self.front as usize).copied() {
            let before = match self.front {
                0 => None,
                front => self.told_by_place[front as usize - 1],
            };
            let sum = here.with(before.unwrap_or_default());
            self.told_by_place[self.front as usize] = Some(sum);
            self.front += 1;
            released.extend(self.waiting.remove(&self.front).map(|node| (node, sum)));
        }
    }

    /// A member's beginning never comes, nor its end.
    pub(crate) fn give_up(&mut self, place: u32, released: &mut Vec<(NodeId, Told)>) {
        if self.shape.gives(place) && self.entered.insert(place) {
            let told = Told {
                cause: None,
                missing: Missing::Gone,
            };
            self.tell(place, told, released);
        }
        if self.shape.takes(place) && self.left.insert(place) {
            self.to_come -= 1;
        }
    }

    /// An end waits no longer.
    pub(crate) fn force(&mut self, place: u32) {
        self.waiting.remove(&place);
        self.forced.insert(place);
    }

    /// Whether an end that comes after this beginning was put out without it.
    pub(crate) fn is_overtaken(&self, giver: u32) -> bool {
        self.forced.iter().any(|&taker| self.shape.binds(giver, taker))
    }

    /// Whether nobody will ask any more: no end is to come, and none waits, since all beginnings are told.
    pub(crate) fn is_over(&self) -> bool {
        self.to_come == 0 && self.awaited == 0
    }

    /// Members whose beginning counts and is not here, in their order.
    pub(crate) fn absent(&self) -> impl Iterator<Item = u32> {
        (0..self.shape.size).filter(|&place| self.shape.gives(place) && !self.entered.contains(place))
    }
}
