//! What each place may point to in the end, and who writes it.
//!
//! Objects flow along the edges, which form no cycle any more; a place that collects more than [`FEW`] of them, or none (its
//! values come from outside the program), stands for whole classes instead. So the tables grow with the program and not with
//! its square, and what is lost is precision only.

use crate::build::values::Values;
use crate::components::strongly_connected;
use crate::graph::{ClassId, Labels, Lists, Memory, MemoryAccess, NodeId};
use crate::places::{Key, NameId, ObjectId, PlaceId, Places};
use base::{Id as _, IdVec};
use hashbrown::DefaultHashBuilder;
use hashbrown::hash_table::{Entry, HashTable};
use petgraph::unionfind::UnionFind;
use std::collections::{BTreeMap, BTreeSet};
use std::hash::{BuildHasher as _, Hash};

/// How many objects a place may point to before they are taken together.
const FEW: usize = 48;

/// How many classes it may point to before members are told apart no more.
const FEW_CLASSES: usize = 24;

/// How many classes it may point to before all of them are one.
const MOST_CLASSES: usize = 128;

/// The tables of memory. `writes` are places, parts, and who writes them.
pub(crate) fn memory(
    values: &Values<'_, '_>,
    reads: &[(u32, MemoryAccess)],
    writes: &[(PlaceId, Key, NodeId)],
    names: usize,
) -> Memory {
    let places = &values.places;
    let structured = structured(places, reads, writes);
    let mut class_of: IdVec<ObjectId, ClassId> =
        values.objects.iter().map(|_| ClassId::from_index(0)).collect();
    for place in places.ids() {
        for &object in places.objects(place) {
            class_of[object] = class(places, place);
        }
    }
    let (labels, pool) = labels(places, &class_of);
    let few = Lists::new(pool.few.ends.len(), pool.few.pairs());
    // Classes may have become one since.
    let many = pool.many.pairs().into_iter();
    let many = many.map(|(row, (class, member))| (row, (pool.class(class), member)));
    let many = Lists::new(pool.many.ends.len(), many.collect());
    for object in class_of.iter_mut() {
        *object = pool.class(*object);
    }
    drop(pool);
    let mut memory = Memory {
        labels,
        structured,
        few,
        many,
        writers_of_object: Lists::new(0, Vec::new()),
        writers_of_many: Lists::new(0, Vec::new()),
        writers_of_class: Lists::new(0, Vec::new()),
        class_of,
        origins: values.origins.clone(),
        related: related(names, &values.nested),
    };
    let writers = Writers::new(places, &memory, writes);
    memory.writers_of_object = Lists::new(values.objects.len(), writers.of_object);
    memory.writers_of_many = Lists::new(places.len(), writers.of_many);
    memory.writers_of_class = Lists::new(places.len(), writers.of_class);
    memory
}

/// What each place may point to, by the rows of a pool.
fn labels(places: &Places, class_of: &IdVec<ObjectId, ClassId>) -> (Vec<Labels>, Pool) {
    let mut pool = Pool::new(places.len());
    let mut labels = vec![Labels::Few(0); places.len()];
    in_order(places, |component| match component {
        &[place] => labels[place.index()] = collect(places, class_of, place, &labels, &mut pool),
        // A cycle over members has an address of itself inside itself.
        _ => {
            let classes = component.iter().map(|&place| (class(places, place), None));
            let mut classes: Vec<(ClassId, Key)> = classes.collect();
            pool.whole(&mut classes);
            let shared = Labels::Many(pool.many.number(classes));
            component.iter().for_each(|place| labels[place.index()] = shared);
        }
    });
    for id in 0..places.len() {
        let place = PlaceId::from_index(id);
        labels[id] = labels[places.find(place).index()];
    }
    (labels, pool)
}

/// Who writes what, by the number of the object or class.
#[derive(Default)]
struct Writers {
    of_object: Vec<(u32, (Key, NodeId))>,
    of_many: Vec<(u32, (Key, NodeId))>,
    of_class: Vec<(u32, (Key, NodeId))>,
}

impl Writers {
    fn new(places: &Places, memory: &Memory, writes: &[(PlaceId, Key, NodeId)]) -> Self {
        let mut writers = Self::default();
        for &(place, key, node) in writes {
            let place = places.find(place).index();
            let parts = |member: Key| {
                let parts = Memory::parts(memory.structured[place], member, key);
                parts.into_iter().flatten()
            };
            match memory.labels[place] {
                Labels::Few(row) => {
                    for &(object, member) in memory.few.of(row as usize) {
                        let class = memory.class_of[object].index() as u32;
                        for part in parts(member) {
                            writers.of_object.push((object.index() as u32, (part, node)));
                            writers.of_class.push((class, (part, node)));
                        }
                    }
                }
                Labels::Many(row) => {
                    for &(class, member) in memory.many.of(row as usize) {
                        for part in parts(member) {
                            writers.of_many.push((class.index() as u32, (part, node)));
                            writers.of_class.push((class.index() as u32, (part, node)));
                        }
                    }
                }
            }
        }
        writers
    }
}

fn class(places: &Places, place: PlaceId) -> ClassId {
    ClassId::from_index(places.class(place))
}

/// What a place points to, when that is known of all places that its values come from.
fn collect(
    places: &Places,
    class_of: &IdVec<ObjectId, ClassId>,
    place: PlaceId,
    labels: &[Labels],
    pool: &mut Pool,
) -> Labels {
    let own = places.objects(place);
    let edges = places.from(place).iter().map(|&from| (None, from));
    let around = places.member_of(place).iter();
    let around = around.map(|&(name, around)| (Some(name), around));
    // Most that flow into a place of many are labelled alike.
    let mut sources = std::mem::take(&mut pool.sources);
    sources.clear();
    sources.extend(
        edges
            .chain(around)
            .map(|(member, from)| (member, labels[places.find(from).index()])),
    );
    sources.sort_unstable();
    sources.dedup();
    let label = match (&sources[..], own) {
        (&[(None, only)], []) => only,
        _ => united(class_of, class(places, place), own, &sources, pool),
    };
    pool.sources = sources;
    label
}

/// What a place of this class points to: objects of its own, and what is in the labels of its sources, or members of that.
fn united(
    class_of: &IdVec<ObjectId, ClassId>,
    class: ClassId,
    own: &[ObjectId],
    sources: &[(Key, Labels)],
    pool: &mut Pool,
) -> Labels {
    /// So many are sorted, and each kept once, before more are added.
    const PART: usize = 1 << 12;
    let mut few: Vec<(ObjectId, Key)> = own.iter().map(|&object| (object, None)).collect();
    let mut many: Vec<(ClassId, Key)> = Vec::new();
    for &(member, source) in sources {
        match source {
            Labels::Few(row) => {
                let objects = pool.few.row(row).iter();
                few.extend(
                    objects
                        .flat_map(|&(object, around)| parts(around, member).map(move |part| (object, part))),
                );
            }
            Labels::Many(row) => {
                let classes = pool.many.row(row).iter();
                let pool = &*pool;
                many.extend(classes.flat_map(|&(class, around)| {
                    parts(around, member).map(move |part| (pool.class(class), part))
                }));
            }
        }
        if few.len() > FEW {
            each_once(&mut few);
        }
        if few.len() > FEW {
            let classes = few.iter().map(|&(object, member)| (class_of[object], member));
            many.extend(classes);
            few.clear();
        }
        if many.len() > PART {
            each_once(&mut many);
        }
    }
    if many.is_empty() && !few.is_empty() {
        each_once(&mut few);
        return Labels::Few(pool.few.number(few));
    }
    let classes = few.iter().map(|&(object, member)| (class_of[object], member));
    many.extend(classes);
    if many.is_empty() {
        // Its values come from outside the program.
        many.push((class, None));
    }
    each_once(&mut many);
    if many.len() > FEW_CLASSES {
        pool.whole(&mut many);
    }
    if many.len() > MOST_CLASSES {
        pool.join(&mut many);
    }
    Labels::Many(pool.many.number(many))
}

/// The parts of an object that the address of `member` stands for, where the address of the structure stands for the part `around`: who reads
/// that part whole reads the member, too.
fn parts(around: Key, member: Key) -> impl Iterator<Item = Key> {
    let outer = around.filter(|_| member.is_some() && member != around);
    [member.or(around)].into_iter().chain(outer.map(Some))
}

fn each_once<T: Ord>(row: &mut Vec<T>) {
    row.sort_unstable();
    row.dedup();
}

/// Labels, each row of them once.
struct Pool {
    few: Rows<(ObjectId, Key)>,
    many: Rows<(ClassId, Key)>,
    /// Classes that are one.
    one: UnionFind<u32>,
    /// Where the labels of one place after the other are gathered.
    sources: Vec<(Key, Labels)>,
}

impl Pool {
    fn new(classes: usize) -> Pool {
        Pool {
            few: Rows::default(),
            many: Rows::default(),
            one: UnionFind::new(classes),
            sources: Vec::new(),
        }
    }

    /// The class that a class has become part of.
    fn class(&self, class: ClassId) -> ClassId {
        ClassId::from_index(self.one.find(class.index() as u32) as usize)
    }

    /// Makes these the same classes, by members no more.
    fn whole(&self, many: &mut Vec<(ClassId, Key)>) {
        for (class, member) in many.iter_mut() {
            (*class, *member) = (self.class(*class), None);
        }
        each_once(many);
    }

    /// Makes all classes one.
    fn join(&mut self, many: &mut Vec<(ClassId, Key)>) {
        let mut classes = many.iter().map(|&(class, _)| class.index() as u32);
        if let Some(first) = classes.next() {
            for class in classes {
                self.one.union(first, class);
            }
        }
        self.whole(many);
    }
}

/// Sorted rows with numbers, one after the other.
struct Rows<T> {
    labels: Vec<T>,
    /// Where each row ends.
    ends: Vec<usize>,
    /// The numbers, found by their rows; only ever asked for one.
    numbers: HashTable<u32>,
    hasher: DefaultHashBuilder,
}

impl<T> Default for Rows<T> {
    fn default() -> Self {
        Rows {
            labels: Vec::new(),
            ends: Vec::new(),
            numbers: HashTable::new(),
            hasher: DefaultHashBuilder::default(),
        }
    }
}

/// The row of this number.
fn row_of<'r, T>(labels: &'r [T], ends: &[usize], number: u32) -> &'r [T] {
    let number = number as usize;
    let start = number.checked_sub(1).map_or(0, |before| ends[before]);
    &labels[start..ends[number]]
}

impl<T: Copy + Eq + Hash> Rows<T> {
    fn row(&self, number: u32) -> &[T] {
        row_of(&self.labels, &self.ends, number)
    }

    fn number(&mut self, row: Vec<T>) -> u32 {
        let (labels, ends, hasher) = (&self.labels, &self.ends, &self.hasher);
        let same = |&known: &u32| row_of(labels, ends, known) == row;
        let hash = |&known: &u32| hasher.hash_one(row_of(labels, ends, known));
        match self.numbers.entry(hasher.hash_one(&row[..]), same, hash) {
            Entry::Occupied(known) => *known.get(),
            Entry::Vacant(new) => {
                let number = ends.len() as u32;
                new.insert(number);
                self.labels.extend_from_slice(&row);
                self.ends.push(self.labels.len());
                number
            }
        }
    }

    fn pairs(&self) -> Vec<(u32, T)> {
        let rows = 0..self.ends.len() as u32;
        rows.flat_map(|row| self.row(row).iter().map(move |&label| (row, label)))
            .collect()
    }
}

/// Hands over the components of edges and members, those first that values come from.
fn in_order(places: &Places, found: impl FnMut(&[PlaceId])) {
    // Against the flow: what a component depends on comes before it.
    let next = |place: PlaceId, at: usize| {
        let from = places.from(place);
        let around = || Some(places.member_of(place).get(at - from.len())?.1);
        Some(places.find(from.get(at).copied().or_else(around)?))
    };
    strongly_connected(places.len(), places.ids(), next, found);
}

/// For every place, whether what it points to is accessed by members, from there or from where its values go.
fn structured(
    places: &Places,
    reads: &[(u32, MemoryAccess)],
    writes: &[(PlaceId, Key, NodeId)],
) -> Vec<bool> {
    let mut structured = vec![false; places.len()];
    let by_member = reads.iter().filter(|(_, access)| access.key.is_some());
    let mut work: Vec<PlaceId> = by_member.map(|(_, access)| places.find(access.place)).collect();
    let written = writes.iter().filter(|(_, key, _)| key.is_some());
    work.extend(written.map(|&(place, ..)| places.find(place)));
    while let Some(place) = work.pop() {
        if !std::mem::replace(&mut structured[place.index()], true) {
            work.extend(places.from(place).iter().map(|&from| places.find(from)));
        }
    }
    structured
}

/// For every name of `count`, the members that it stands in and those that stand in it, over any number of levels.
fn related(count: usize, nested: &BTreeSet<(NameId, NameId)>) -> Lists<NameId> {
    let mut inner: BTreeMap<NameId, BTreeSet<NameId>> = BTreeMap::new();
    for &(outer, inside) in nested {
        inner.entry(outer).or_default().insert(inside);
    }
    let mut pairs = Vec::new();
    for &outer in inner.keys() {
        let mut seen = BTreeSet::new();
        let mut work = vec![outer];
        while let Some(name) = work.pop() {
            for &inside in inner.get(&name).into_iter().flatten() {
                if seen.insert(inside) {
                    work.push(inside);
                }
            }
        }
        for &inside in seen.iter().filter(|&&inside| inside != outer) {
            pairs.push((outer.index() as u32, inside));
            pairs.push((inside.index() as u32, outer));
        }
    }
    Lists::new(count, pairs)
}
