//! Who takes part in what: the members of each group, in their order.

use crate::error::Error;
use crate::event::{GroupId, StreamId};
use base::{Id, IdVec};

/// The members of a group.
#[derive(Debug)]
pub(crate) struct Group {
    members: Vec<StreamId>,
    /// The members by their number, with their place; empty where the members are one behind the other, as those of a world are.
    places: Vec<(StreamId, u32)>,
}

impl Group {
    fn new(members: &[StreamId]) -> Result<Self, Error> {
        let first = members.first().ok_or(Error::EmptyGroup)?.index();
        let is_run = (first..)
            .zip(members)
            .all(|(index, member)| index == member.index());
        let mut places = Vec::new();
        if !is_run {
            places.extend(members.iter().copied().zip(0..));
            places.sort_unstable();
            if let Some(pair) = places.windows(2).find(|pair| pair[0].0 == pair[1].0) {
                return Err(Error::TwiceInGroup(pair[0].0));
            }
        }
        Ok(Self {
            members: members.to_vec(),
            places,
        })
    }

    /// The place of a stream in the group, counted from 0.
    pub(crate) fn place_of(&self, stream: StreamId) -> Option<u32> {
        if self.places.is_empty() {
            let place = stream.index().checked_sub(self.members.first()?.index())?;
            return (place < self.members.len()).then_some(place as u32);
        }
        let found = self.places.binary_search_by_key(&stream, |place| place.0).ok()?;
        Some(self.places[found].1)
    }

    pub(crate) fn members(&self) -> &[StreamId] {
        &self.members
    }

    /// How many members.
    pub(crate) fn size(&self) -> u32 {
        self.members.len() as u32
    }
}

/// A group, and whether it is used.
#[derive(Debug)]
struct Used {
    group: Group,
    /// Operations under way.
    operations: u32,
    is_retired: bool,
}

/// All groups. One that is retired is kept while operations of it are under way, whose members may still be given up.
#[derive(Debug, Default)]
pub(crate) struct Groups(IdVec<GroupId, Option<Used>>);

impl Groups {
    /// A new group, whose members are streams that there are.
    pub(crate) fn define(&mut self, members: &[StreamId], streams: usize) -> Result<GroupId, Error> {
        if let Some(unknown) = members.iter().find(|member| member.index() >= streams) {
            return Err(Error::UnknownStream(*unknown));
        }
        Ok(self.0.push(Some(Used {
            group: Group::new(members)?,
            operations: 0,
            is_retired: false,
        })))
    }

    /// A group that events may name.
    pub(crate) fn get(&self, id: GroupId) -> Result<&Group, Error> {
        let used = self
            .0
            .get(id)
            .and_then(Option::as_ref)
            .filter(|used| !used.is_retired);
        used.map(|used| &used.group).ok_or(Error::UnknownGroup(id))
    }

    /// The place of a stream in a group that events may name, and the group's size.
    pub(crate) fn place(&self, id: GroupId, stream: StreamId) -> Result<(u32, u32), Error> {
        let group = self.get(id)?;
        let place = group.place_of(stream).ok_or(Error::NoMember(stream, id))?;
        Ok((place, group.size()))
    }

    /// A group with operations under way, retired or not.
    pub(crate) fn of_operation(&self, id: GroupId) -> Option<&Group> {
        self.0.get(id)?.as_ref().map(|used| &used.group)
    }

    /// An operation of the group is under way.
    pub(crate) fn begin(&mut self, id: GroupId) {
        self.change(id, |used| used.operations += 1);
    }

    /// An operation of the group is over.
    pub(crate) fn end(&mut self, id: GroupId) {
        self.change(id, |used| used.operations = used.operations.saturating_sub(1));
    }

    /// No event names the group any more.
    pub(crate) fn retire(&mut self, id: GroupId) {
        self.change(id, |used| used.is_retired = true);
    }

    fn change(&mut self, id: GroupId, change: impl FnOnce(&mut Used)) {
        if let Some(place) = self.0.as_mut_slice().get_mut(id.index()) {
            place.as_mut().map(change);
            if place
                .as_ref()
                .is_some_and(|used| used.is_retired && used.operations == 0)
            {
                *place = None;
            }
        }
    }
}
