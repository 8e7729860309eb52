//! Which memory a pointer may point to.
//!
//! An analysis of all functions together that ignores the order of statements, with one level of flow: the values of
//! variables flow from one to the other in the direction of the assignments, while what stands *in* memory is one class for
//! all pointers that may meet there. That is nearly as cheap as unification (Steensgaard, POPL 1996) and nearly as sharp as
//! inclusion (Andersen) where programs hand pointers down to functions; the combination is Das's (PLDI 2000).
//!
//! - An [`Object`](ObjectId) is a variable in memory, a place where memory is allocated, a function, or what lies outside.
//! - A *place* stands for a value: the objects that it may point to. Objects flow from place to place along edges.
//! - What an object contains is told apart by the *last* member name that leads to it, [`Key`]: `a.in.x` and `a.x` are one,
//!   and what is accessed without a member is the whole object. So a pointer to the first member that is used as one to
//!   the structure around it, or the other way, needs no care. Members of unions are the whole object.
//! - The address of a member, `&s->n`, is a place with an edge from that of `s` that carries the member's name.
//!
//! Not seen: two structures that are laid over each other by a cast and whose members have different names. The
//! language allows that for characters and for the first members only.

use crate::components::strongly_connected;
use base::{Id as _, IdVec, define_id};
use rayon::prelude::*;
use std::collections::BTreeMap;

define_id!(
    /// The objects that a value may point to.
    PlaceId, "p"
);
define_id!(
    /// A piece of memory that the program text tells apart from others, or a function.
    ObjectId, "o"
);
define_id!(
    /// What the objects of a place contain.
    ContentId, "c"
);
define_id!(
    /// What their members contain.
    FieldsId, "m"
);
define_id!(
    /// A member's name.
    NameId, "n"
);

/// A part of an object: the member of this name, or all of it.
pub type Key = Option<NameId>;

/// All places and how objects get from one to the other.
#[derive(Debug, Default)]
pub struct Places {
    places: IdVec<PlaceId, PlaceNode>,
    /// A union-find: the parent of each place; a root is its own parent. Like the next two it is asked for far more often than the rest.
    parents: IdVec<PlaceId, PlaceId>,
    /// By place: it may point to anything; right after [`Places::spread`].
    points: IdVec<PlaceId, bool>,
    /// By place: something depends on what its values, or the values that they flow into, point to; right after [`Places::spread`].
    followed: IdVec<PlaceId, bool>,
    contents: IdVec<ContentId, Content>,
    fields: IdVec<FieldsId, Fields>,
    work: Vec<Join>,
    /// Places whose edges have changed since they were last put in order; those of all others are sorted, without
    /// duplicates, and lead to places that stand for themselves.
    touched: Vec<PlaceId>,
}

#[derive(Debug)]
struct PlaceNode {
    /// Edges and joined places: the heavier of two stays when they are joined, which keeps the way to it short.
    weight: u32,
    content: ContentId,
    /// It is in the list of touched places.
    touched: bool,
    /// Objects that the value points to by itself.
    objects: Vec<ObjectId>,
    from: Vec<PlaceId>,
    to: Vec<PlaceId>,
    /// The place is the address of these members of what these places point to.
    member_of: Vec<(NameId, PlaceId)>,
    members: Vec<(NameId, PlaceId)>,
}

#[derive(Debug)]
struct Content {
    parent: ContentId,
    weight: u32,
    whole: Option<PlaceId>,
    fields: Option<FieldsId>,
}

#[derive(Debug)]
struct Fields {
    parent: FieldsId,
    weight: u32,
    values: BTreeMap<NameId, PlaceId>,
    /// What was written to a whole that has these members: to each of them.
    any: Option<PlaceId>,
}

#[derive(Debug)]
enum Join {
    Places(PlaceId, PlaceId),
    Contents(ContentId, ContentId),
    Fields(FieldsId, FieldsId),
}

/// So many places are put in order by one processor at a time.
const PART: usize = 1 << 12;

impl Places {
    /// Room for so many places.
    pub fn with_capacity(count: usize) -> Places {
        Places {
            places: Vec::with_capacity(count).into(),
            parents: Vec::with_capacity(count).into(),
            points: Vec::with_capacity(count).into(),
            followed: Vec::with_capacity(count).into(),
            contents: Vec::with_capacity(count).into(),
            ..Places::default()
        }
    }

    /// A place that points nowhere yet.
    pub fn fresh(&mut self) -> PlaceId {
        let content = self.contents.next_id();
        self.contents.push(Content {
            parent: content,
            weight: 1,
            whole: None,
            fields: None,
        });
        self.parents.push(self.places.next_id());
        self.points.push(false);
        self.followed.push(false);
        self.places.push(PlaceNode {
            weight: 1,
            content,
            touched: false,
            objects: Vec::new(),
            from: Vec::new(),
            to: Vec::new(),
            member_of: Vec::new(),
            members: Vec::new(),
        })
    }

    /// A place that points to this object.
    pub fn address(&mut self, object: ObjectId) -> PlaceId {
        let place = self.fresh();
        self.places[place].objects.push(object);
        self.points[place] = true;
        place
    }

    /// What stands for all places that were joined with this one.
    pub fn find(&self, place: PlaceId) -> PlaceId {
        root(&self.parents, place)
    }

    /// The objects that a place points to by itself; more come along the edges.
    pub fn objects(&self, place: PlaceId) -> &[ObjectId] {
        &self.places[place].objects
    }

    /// Where values of a place come from.
    pub fn from(&self, place: PlaceId) -> &[PlaceId] {
        &self.places[place].from
    }

    /// The place is the address of these members of what these places point to.
    pub fn member_of(&self, place: PlaceId) -> &[(NameId, PlaceId)] {
        &self.places[place].member_of
    }

    /// What the contents of a place are one with: places that may point to one object have the same number.
    pub fn class(&self, place: PlaceId) -> usize {
        self.find_content(self.places[self.find(place)].content).index()
    }

    /// All places that stand for themselves.
    pub fn ids(&self) -> impl Iterator<Item = PlaceId> + '_ {
        self.places.ids().filter(|&place| self.parents[place] == place)
    }

    /// How many places were made, those that were joined with others included.
    pub fn len(&self) -> usize {
        self.places.len()
    }

    /// Unifies the contents of two places, of which one is copied to the other or may be the same object.
    pub fn unite_contents(&mut self, a: PlaceId, b: PlaceId) {
        let (a, b) = (self.find(a), self.find(b));
        self.join(Join::Contents(self.places[a].content, self.places[b].content));
    }

    /// What is written both as a whole and by members: values of wholes that may point to something become values of every member.
    /// One place for each set of members stands between them, where there would be an edge for every pair.
    pub fn wholes_with_members(&mut self) -> Vec<(PlaceId, PlaceId)> {
        let mut pairs = Vec::new();
        for id in self.contents.ids() {
            let content = &self.contents[id];
            let (Some(whole), Some(fields)) = (content.whole, content.fields) else {
                continue;
            };
            let whole = self.find(whole);
            if content.parent == id && self.points[whole] {
                let fields = self.find_fields(fields);
                let any = match self.fields[fields].any {
                    Some(any) => self.find(any),
                    None => self.fresh(),
                };
                self.fields[fields].any = Some(any);
                pairs.push((whole, any));
            }
        }
        for (id, fields) in self.fields.iter_enumerated() {
            if let Some(any) = fields.any.filter(|_| fields.parent == id) {
                let any = self.find(any);
                pairs.extend(fields.values.values().map(|&member| (any, self.find(member))));
            }
        }
        pairs.retain(|(from, to)| from != to);
        pairs
    }

    /// Something depends on what the values of this place point to.
    pub fn follow(&mut self, place: PlaceId) {
        let place = self.find(place);
        self.followed[place] = true;
        self.touch(place);
    }

    /// Works out which places [may point](Self::points) to anything, and which are [followed](Self::is_followed).
    pub fn spread(&mut self) {
        // Neither property is ever lost, so only what is reached over new edges has to be looked at again.
        let mut pointing: Vec<PlaceId> = self.touched.iter().map(|&place| self.find(place)).collect();
        // Many that were joined are one place by now, perhaps with many edges.
        pointing.sort_unstable();
        pointing.dedup();
        let mut followed = pointing.clone();
        pointing.retain(|&place| self.points[place]);
        followed.retain(|&place| self.followed[place]);
        let (places, parents) = (&self.places, &self.parents);
        rayon::join(
            || reach(&mut self.points, pointing, parents, |place| &places[place].to),
            || reach(&mut self.followed, followed, parents, |place| &places[place].from),
        );
    }

    /// The places whose values may become values of these.
    pub fn leading_to(&self, places: &[PlaceId]) -> IdVec<PlaceId, bool> {
        let mut marked: IdVec<PlaceId, bool> = vec![false; self.places.len()].into();
        let mut work: Vec<PlaceId> = places.iter().map(|&place| self.find(place)).collect();
        work.iter().for_each(|&place| marked[place] = true);
        work.sort_unstable();
        work.dedup();
        reach(&mut marked, work, &self.parents, |place| &self.places[place].from);
        marked
    }

    /// Whether a place that stands for itself may point to anything, as far as [`spread`](Self::spread) has found.
    pub fn points(&self, place: PlaceId) -> bool {
        self.points[place]
    }

    /// Whether anything depends on what a place that stands for itself may point to, as far as [`spread`](Self::spread) has found.
    pub fn is_followed(&self, place: PlaceId) -> bool {
        self.followed[place]
    }

    /// Whether values of `from` become values of `to` by an edge that is in order; both stand for themselves.
    pub fn has_edge(&self, from: PlaceId, to: PlaceId) -> bool {
        let (to_list, from_list) = (&self.places[from].to, &self.places[to].from);
        if to_list.len() < from_list.len() {
            to_list.binary_search(&to).is_ok()
        } else {
            from_list.binary_search(&from).is_ok()
        }
    }

    /// Joins places of one component, which all hold the same, and drops edges that are there twice. Nothing
    /// that is asked changes by it.
    pub fn tidy(&mut self) {
        loop {
            self.shorten_ways();
            self.spread();
            // Outside of what was touched there is no cycle: a new one goes through a place that was.
            let mut touched = std::mem::take(&mut self.touched);
            for &place in &touched {
                self.places[place].touched = false;
            }
            touched.retain(|&place| self.parents[place] == place);
            touched.sort_unstable();
            self.put_in_order(&touched);
            let mut joins: Vec<(PlaceId, PlaceId)> = Vec::new();
            let next = |place: PlaceId, at: usize| self.places[place].to.get(at).copied();
            strongly_connected(self.places.len(), touched, next, |component| {
                joins.extend(component.windows(2).map(|pair| (pair[0], pair[1])));
            });
            if joins.is_empty() {
                return;
            }
            for (a, b) in joins {
                self.join(Join::Places(a, b));
            }
        }
    }

    /// Lets every place name what stands for it at once.
    fn shorten_ways(&mut self) {
        for place in self.places.ids() {
            let root = self.find(place);
            self.parents[place] = root;
        }
    }

    /// Sorts the edges of these places, which are sorted, and lets them lead to what stands for where they led.
    fn put_in_order(&mut self, touched: &[PlaceId]) {
        let parents = &self.parents;
        let in_order = |id: PlaceId, place: &mut PlaceNode| {
            for list in [&mut place.from, &mut place.to] {
                list.iter_mut().for_each(|other| *other = root(parents, *other));
                list.sort_unstable();
                list.dedup();
                list.retain(|&other| other != id);
            }
            place.objects.sort_unstable();
            place.objects.dedup();
        };
        // Each processor has a part of the places to itself.
        let mut rest: &mut [PlaceNode] = self.places.as_mut_slice();
        let mut done = 0;
        let mut parts: Vec<(usize, &mut [PlaceNode], &[PlaceId])> = Vec::new();
        for part in touched.chunks(PART) {
            let end = part[part.len() - 1].index() + 1;
            let (own, others) = rest.split_at_mut(end - done);
            parts.push((done, own, part));
            (rest, done) = (others, end);
        }
        parts.into_par_iter().for_each(|(start, places, part)| {
            for &id in part {
                in_order(id, &mut places[id.index() - start]);
            }
        });
    }

    fn touch(&mut self, place: PlaceId) {
        if !std::mem::replace(&mut self.places[place].touched, true) {
            self.touched.push(place);
        }
    }

    /// Values of `from` may become values of `to`.
    pub fn flow(&mut self, from: PlaceId, to: PlaceId) {
        let (from, to) = (self.find(from), self.find(to));
        // A thousand calls of one function would add the same edge a thousand times, one after the other.
        if from == to || self.places[from].to.last() == Some(&to) {
            return;
        }
        self.places[from].to.push(to);
        self.places[to].from.push(from);
        self.places[from].weight += 1;
        self.places[to].weight += 1;
        self.touch(from);
        self.touch(to);
        self.join(Join::Contents(self.places[from].content, self.places[to].content));
    }

    /// What is read from, or written to, this part of what `place` points to.
    pub fn content(&mut self, place: PlaceId, key: Key) -> PlaceId {
        let content = self.find_content(self.places[self.find(place)].content);
        match key {
            None => match self.contents[content].whole {
                Some(whole) => self.find(whole),
                None => {
                    let whole = self.fresh();
                    self.contents[content].whole = Some(whole);
                    whole
                }
            },
            Some(name) => {
                let fields = self.fields_of(content);
                match self.fields[fields].values.get(&name) {
                    Some(&value) => self.find(value),
                    None => {
                        let value = self.fresh();
                        self.fields[fields].values.insert(name, value);
                        value
                    }
                }
            }
        }
    }

    /// The address of a member of what `place` points to.
    pub fn member_address(&mut self, place: PlaceId, name: NameId) -> PlaceId {
        let place = self.find(place);
        let known = self.places[place]
            .members
            .iter()
            .find(|(other, _)| *other == name);
        if let Some(&(_, address)) = known {
            return self.find(address);
        }
        let value = self.content(place, Some(name));
        let fields = self.fields_of(self.find_content(self.places[place].content));
        let address = self.fresh();
        let content = self.places[address].content;
        self.contents[content].whole = Some(value);
        self.contents[content].fields = Some(fields);
        self.places[place].members.push((name, address));
        self.places[address].member_of.push((name, place));
        self.points[address] = true;
        address
    }

    fn fields_of(&mut self, content: ContentId) -> FieldsId {
        match self.contents[content].fields {
            Some(fields) => self.find_fields(fields),
            None => {
                let fields = self.fields.next_id();
                self.fields.push(Fields {
                    parent: fields,
                    weight: 1,
                    values: BTreeMap::new(),
                    any: None,
                });
                self.contents[content].fields = Some(fields);
                fields
            }
        }
    }

    fn find_content(&self, mut content: ContentId) -> ContentId {
        while self.contents[content].parent != content {
            content = self.contents[content].parent;
        }
        content
    }

    fn find_fields(&self, mut fields: FieldsId) -> FieldsId {
        while self.fields[fields].parent != fields {
            fields = self.fields[fields].parent;
        }
        fields
    }

    fn join(&mut self, join: Join) {
        self.work.push(join);
        while let Some(join) = self.work.pop() {
            match join {
                Join::Places(a, b) => self.join_places(a, b),
                Join::Contents(a, b) => self.join_contents(a, b),
                Join::Fields(a, b) => self.join_fields(a, b),
            }
        }
    }

    fn join_places(&mut self, a: PlaceId, b: PlaceId) {
        let (a, b) = (self.find(a), self.find(b));
        if a == b {
            return;
        }
        let (kept, gone) = if self.places[a].weight >= self.places[b].weight {
            (a, b)
        } else {
            (b, a)
        };
        self.places[kept].weight += self.places[gone].weight;
        let moved = &mut self.places[gone];
        self.parents[gone] = kept;
        let content = moved.content;
        let objects = std::mem::take(&mut moved.objects);
        let from = std::mem::take(&mut moved.from);
        let to = std::mem::take(&mut moved.to);
        let member_of = std::mem::take(&mut moved.member_of);
        let members = std::mem::take(&mut moved.members);
        for &other in from.iter().chain(&to) {
            let other = self.find(other);
            self.touch(other);
        }
        self.touch(kept);
        self.points[kept] |= self.points[gone];
        self.followed[kept] |= self.followed[gone];
        let into = &mut self.places[kept];
        into.objects.extend(objects);
        into.from.extend(from);
        into.to.extend(to);
        into.member_of.extend(member_of);
        let own = into.content;
        for (name, address) in members {
            match self.places[kept].members.iter().find(|(other, _)| *other == name) {
                Some(&(_, known)) => self.work.push(Join::Places(known, address)),
                None => self.places[kept].members.push((name, address)),
            }
        }
        self.work.push(Join::Contents(own, content));
    }

    fn join_contents(&mut self, a: ContentId, b: ContentId) {
        let (a, b) = (self.find_content(a), self.find_content(b));
        if a == b {
            return;
        }
        let (a, b) = if self.contents[a].weight >= self.contents[b].weight {
            (a, b)
        } else {
            (b, a)
        };
        self.contents[a].weight += self.contents[b].weight;
        self.contents[b].parent = a;
        match (self.contents[a].whole, self.contents[b].whole) {
            (Some(one), Some(other)) => self.work.push(Join::Places(one, other)),
            (None, other) => self.contents[a].whole = other,
            (Some(_), None) => {}
        }
        match (self.contents[a].fields, self.contents[b].fields) {
            (Some(one), Some(other)) => self.work.push(Join::Fields(one, other)),
            (None, other) => self.contents[a].fields = other,
            (Some(_), None) => {}
        }
    }

    fn join_fields(&mut self, a: FieldsId, b: FieldsId) {
        let (a, b) = (self.find_fields(a), self.find_fields(b));
        if a == b {
            return;
        }
        let (kept, gone) = if self.fields[a].weight >= self.fields[b].weight {
            (a, b)
        } else {
            (b, a)
        };
        self.fields[kept].weight += self.fields[gone].weight;
        self.fields[gone].parent = kept;
        match (self.fields[kept].any, self.fields[gone].any) {
            (Some(one), Some(other)) => self.work.push(Join::Places(one, other)),
            (one, other) => self.fields[kept].any = one.or(other),
        }
        for (name, value) in std::mem::take(&mut self.fields[gone].values) {
            match self.fields[kept].values.get(&name) {
                Some(&known) => self.work.push(Join::Places(known, value)),
                None => {
                    self.fields[kept].values.insert(name, value);
                }
            }
        }
    }
}

/// What stands for all places that were joined with this one.
fn root(parents: &IdVec<PlaceId, PlaceId>, mut place: PlaceId) -> PlaceId {
    while parents[place] != place {
        place = parents[place];
    }
    place
}

/// Marks what can be reached from places that are marked.
fn reach<'p>(
    marked: &mut IdVec<PlaceId, bool>,
    mut work: Vec<PlaceId>,
    parents: &IdVec<PlaceId, PlaceId>,
    next: impl Fn(PlaceId) -> &'p Vec<PlaceId>,
) {
    while let Some(place) = work.pop() {
        for &to in next(place) {
            let to = root(parents, to);
            if !std::mem::replace(&mut marked[to], true) {
                work.push(to);
            }
        }
    }
}
