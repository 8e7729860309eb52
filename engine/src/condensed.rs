//! The wait graph with few nodes, so that a person can look at it: tasks that wait for the same kind of thing are one node.
//!
//! Two tasks are in one node if they do the same (the same operation, or nothing), wait alike (the same collective operation, or messages over the same
//! communicator under the same tag), and are alike in what follows: stuck, in the same cycle, waited for by all. Whom exactly each waits for is told by the full
//! graph. A cycle of few tasks is the answer itself, so its members are not put together. Nodes have a distance from those that hold the others: a drawing
//! stands in rows of equal distance.
//!
//! Nobody reads a picture of a thousand boxes. Where tasks wait in many ways, under a tag of their own each, say, less is told apart ([`Detail`]) until it is a picture that a
//! person can read, and each node and link says of how many kinds it is.

use crate::recorded::{Doing, Edge, How, Identity, Lock, Rank, Signal, Waiting, Why};
use base::RankSet;
use std::collections::{BTreeMap, BTreeSet, VecDeque};
use waitgraph::{Certainty, Union};

/// The members of a cycle with more tasks are put together like others.
const RING: usize = 12;

/// So many nodes are a picture that a person can read.
const READABLE_NODES: usize = 40;

/// So many links are.
const READABLE_LINKS: usize = 120;

/// Whom the links name, all together: of jobs in which every task waits in a way of its own for many others nobody reads more, and there may be as many as the square of the tasks.
const MOST_NAMED: usize = 1 << 19;

/// The wait graph with few nodes.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Condensed {
    /// Those that hold the others first, then by distance from them; of equal distance the lowest rank first.
    pub nodes: Vec<Node>,
    /// Who waits for whom, by the node that waits.
    pub links: Vec<Link>,
    /// There are more links than could be told.
    pub is_cut: bool,
}

/// Tasks that wait alike.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Node {
    /// Who they are.
    pub ranks: RankSet,
    /// What the first of them does; `None` for those of which there is no recording.
    pub does: Option<Doing>,
    /// What holds them in relation to the others.
    pub part: Part,
    /// How many waits lead from them to those that hold the others; 0 for these.
    pub distance: u32,
    /// How many kinds of tasks they are: more than one where less is told apart, so that the picture can be read.
    pub kinds: usize,
}

/// What part tasks have in a wait graph.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Part {
    /// They wait for each other, and nobody else can end it.
    Cycle,
    /// Others wait for them, and they wait for nobody.
    Awaited,
    /// They wait for somebody who can never go on.
    Stuck,
    /// They wait.
    Waits,
    /// They neither wait nor are waited for.
    Apart,
}

/// Some tasks of one node wait for some of another.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Link {
    /// The index of the node that waits.
    pub from: usize,
    /// The index of the node that is waited for; it may be the same.
    pub to: usize,
    /// For whom of these.
    pub on: RankSet,
    /// An edge of the graph between them, by its index: the others are alike but for ranks and counts.
    pub edge: usize,
    /// The least that is certain of any of them.
    pub certainty: Certainty,
    /// How many kinds of waits of the node it stands for, at most: more than one where less is told apart.
    pub kinds: usize,
}

/// What is told apart.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Detail {
    /// All: each operation, communicator, tag, and each member of a short ring.
    All,
    /// No tags and numbers, and of rings the members of the first alone.
    Communicators,
    /// No communicators either.
    Operations,
    /// Only the part that tasks have, and the members of the first ring.
    Parts,
}

impl Detail {
    const FROM_MOST: [Detail; 4] = [
        Detail::All,
        Detail::Communicators,
        Detail::Operations,
        Detail::Parts,
    ];
}

/// What is alike in the waits of one node.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Kind {
    Message(Identity, Option<i64>, bool),
    Delivery(Identity, i64),
    Signal(Identity, Signal),
    Lock(Lock),
    Entry(Identity, u32, u64),
}

/// What the tasks of one node have in common.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Key {
    Recorded {
        operation: Option<String>,
        asks: bool,
        stage: recording::Stage,
        moves: bool,
        is_gone: bool,
        part: Part,
        cycle: Option<usize>,
        waits: BTreeSet<(Kind, Certainty)>,
        alone: Option<Rank>,
    },
    Unrecorded(Part),
}

impl Waiting {
    /// The graph with few nodes.
    #[must_use]
    pub fn condensed(&self) -> Condensed {
        let mut keys: BTreeMap<Key, Vec<Rank>> = BTreeMap::new();
        let edges = edges_by_waiter(&self.graph.edges);
        let (cycles, _) = self.cycles();
        let cycles = cycles.iter().enumerate();
        let cycle_of = cycles.flat_map(|(at, cycle)| cycle.iter().map(move |rank| (*rank, at)));
        let cycle_of: BTreeMap<Rank, usize> = cycle_of.collect();
        let recorded = self.tasks.iter().map(|task| Rank(task.rank));
        for rank in recorded.chain(self.graph.missing.iter().copied()) {
            let key = self.key(rank, &edges, cycle_of.get(&rank).copied());
            keys.entry(key).or_default().push(rank);
        }
        let mut found = Condensed::default();
        for detail in Detail::FROM_MOST {
            found = self.condensed_with(&keys, detail);
            if found.nodes.len() <= READABLE_NODES && found.links.len() <= READABLE_LINKS {
                break;
            }
        }
        found
    }

    /// The graph in which so much is told apart, from the tasks by all that could be.
    fn condensed_with(&self, keys: &BTreeMap<Key, Vec<Rank>>, detail: Detail) -> Condensed {
        let mut groups: BTreeMap<Key, Group> = BTreeMap::new();
        for (key, ranks) in keys {
            let group = groups.entry(key.with(detail)).or_default();
            group.ranks.extend(ranks);
            group.kinds += 1;
        }
        let mut node_of: BTreeMap<Rank, usize> = BTreeMap::new();
        for (node, group) in groups.values_mut().enumerate() {
            group.ranks.sort_unstable();
            node_of.extend(group.ranks.iter().map(|rank| (*rank, node)));
        }
        let (links, is_cut) = links(&self.graph.edges, &node_of, None, detail);
        let parts: Vec<Part> = groups.keys().map(Key::part).collect();
        let distances = distances(&parts, &links);
        let nodes = groups.into_iter().zip(distances);
        let nodes = nodes.map(|((key, Group { ranks, kinds }), distance)| Node {
            does: ranks.first().and_then(|rank| self.task(*rank)).cloned(),
            part: key.part(),
            ranks: ranks.into_iter().map(|rank| rank.0).collect(),
            distance,
            kinds,
        });
        Condensed {
            is_cut,
            ..sorted(nodes.collect(), links)
        }
    }

    /// The groups of tasks in which each waits for another, and how many of them, the first ones, wait for nobody else who can never go on: those that are only probable where none is certain.
    fn cycles(&self) -> (&[Vec<Rank>], usize) {
        let graph = &self.graph;
        if graph.stuck.is_empty() {
            (&graph.likely.cycles, graph.likely.closed)
        } else {
            (&graph.cycles, graph.closed)
        }
    }

    /// Who of some groups of tasks waits for whom, by the group that waits, as [`Condensed::links`] has it for groups of its own. A task is of the first group
    /// that has it; all that are in none are one more group, behind the last.
    #[must_use]
    pub fn between(&self, groups: &[RankSet]) -> Vec<Link> {
        let mut group_of: BTreeMap<Rank, usize> = BTreeMap::new();
        for (at, group) in groups.iter().enumerate() {
            for rank in group.iter() {
                group_of.entry(Rank(rank)).or_insert(at);
            }
        }
        links(&self.graph.edges, &group_of, Some(groups.len()), Detail::All).0
    }

    fn key(&self, rank: Rank, edges: &BTreeMap<Rank, &[Edge]>, cycle: Option<usize>) -> Key {
        let graph = &self.graph;
        let (cycles, closed) = self.cycles();
        let own: &[Edge] = edges.get(&rank).copied().unwrap_or_default();
        let part = match cycle {
            Some(cycle) if cycle < closed => Part::Cycle,
            Some(_) => Part::Stuck,
            None if graph.awaited.binary_search(&rank).is_ok() => Part::Awaited,
            None if graph.stuck.binary_search(&rank).is_ok() => Part::Stuck,
            None if own.is_empty() => Part::Apart,
            None => Part::Waits,
        };
        let Some(task) = self.task(rank) else {
            return Key::Unrecorded(part);
        };
        let waits = own.iter().map(|edge| (Kind::of(&edge.why), edge.certainty));
        let is_ring = cycle.is_some_and(|cycle| cycle < closed && cycles[cycle].len() <= RING);
        Key::Recorded {
            operation: task.operation.clone(),
            asks: task.polls.is_some(),
            stage: task.stage,
            moves: task.moves,
            is_gone: task.is_gone,
            part,
            cycle,
            waits: waits.collect(),
            alone: is_ring.then_some(rank),
        }
    }
}

/// Tasks of which no more is told apart, and how many kinds they are.
#[derive(Default)]
struct Group {
    ranks: Vec<Rank>,
    kinds: usize,
}

impl Key {
    /// The same for all tasks that are not told apart.
    fn with(&self, detail: Detail) -> Key {
        let Key::Recorded {
            operation,
            asks,
            stage,
            moves,
            is_gone,
            part,
            cycle,
            waits,
            alone,
        } = self
        else {
            return self.clone();
        };
        if detail == Detail::All {
            return self.clone();
        }
        let is_first = *cycle == Some(0);
        let tells_calls = detail != Detail::Parts;
        let waits = waits
            .iter()
            .map(|(kind, certainty)| (kind.with(detail), *certainty));
        Key::Recorded {
            operation: operation.clone().filter(|_| tells_calls),
            asks: *asks && tells_calls,
            stage: if tells_calls {
                *stage
            } else {
                recording::Stage::Running
            },
            moves: *moves && tells_calls,
            is_gone: *is_gone && tells_calls,
            part: *part,
            cycle: cycle.filter(|_| is_first),
            waits: waits.filter(|_| tells_calls).collect(),
            alone: alone.filter(|_| is_first),
        }
    }

    fn part(&self) -> Part {
        match self {
            Key::Recorded { part, .. } | Key::Unrecorded(part) => *part,
        }
    }
}

impl Kind {
    /// The same for all kinds of waits that are not told apart.
    fn with(self, detail: Detail) -> Kind {
        const ANYWHERE: Identity = Identity(0);
        match (detail, self) {
            (Detail::All, kind) | (Detail::Communicators, kind @ Kind::Signal(..)) => kind,
            (Detail::Communicators, Kind::Message(over, ..)) => Kind::Message(over, None, false),
            (Detail::Communicators, Kind::Delivery(over, _)) => Kind::Delivery(over, 0),
            (Detail::Communicators, Kind::Lock(lock)) => Kind::Lock(Lock { target: None, ..lock }),
            (Detail::Communicators, Kind::Entry(over, operation, _)) => Kind::Entry(over, operation, 0),
            (Detail::Operations, Kind::Delivery(..)) => Kind::Delivery(ANYWHERE, 0),
            (Detail::Operations, Kind::Signal(_, signal)) => Kind::Signal(ANYWHERE, signal),
            (Detail::Operations, Kind::Lock(lock)) => Kind::Lock(Lock {
                window: ANYWHERE,
                target: None,
                ..lock
            }),
            (Detail::Operations, Kind::Entry(_, operation, _)) => Kind::Entry(ANYWHERE, operation, 0),
            (Detail::Operations, Kind::Message(..)) | (Detail::Parts, _) => {
                Kind::Message(ANYWHERE, None, false)
            }
        }
    }

    fn of(why: &Why) -> Kind {
        match why {
            Why::Message {
                communicator,
                tag,
                alternatives,
                ..
            } => Kind::Message(*communicator, *tag, *alternatives),
            Why::Delivery { channel, .. } => Kind::Delivery(channel.communicator, channel.tag),
            Why::Signal { window, signal, .. } => Kind::Signal(*window, *signal),
            Why::Lock(lock) => Kind::Lock(*lock),
            Why::Entry { collective, .. } => {
                Kind::Entry(collective.communicator, collective.operation, collective.ordinal)
            }
        }
    }
}

/// What is found of the waits of one kind between two nodes.
struct Ends {
    on: Vec<u32>,
    edge: usize,
    certainty: Certainty,
    kinds: usize,
}

/// The waits of one kind of one node.
struct Waits<'w> {
    on: Union<'w>,
    /// The first.
    edge: usize,
    certainty: Certainty,
    /// Those that are not told apart.
    kinds: BTreeSet<Kind>,
}

fn edges_by_waiter(edges: &[Edge]) -> BTreeMap<Rank, &[Edge]> {
    let own = edges.chunk_by(|one, other| one.waiter == other.waiter);
    own.filter_map(|own| Some((own.first()?.waiter, own))).collect()
}

/// The links, each kind once between two nodes, and whether there are more than are told. A list that many wait for is looked through once for each kind of waits of a node.
/// Tasks of no node count as of `rest`, if there is one.
fn links(
    edges: &[Edge],
    node_of: &BTreeMap<Rank, usize>,
    rest: Option<usize>,
    detail: Detail,
) -> (Vec<Link>, bool) {
    let mut known: BTreeMap<(usize, Kind), Waits<'_>> = BTreeMap::new();
    for (index, edge) in edges.iter().enumerate() {
        let Some(from) = node_of.get(&edge.waiter).copied().or(rest) else {
            continue;
        };
        let kind = Kind::of(&edge.why);
        let waits = known.entry((from, kind.with(detail))).or_insert_with(|| Waits {
            on: Union::default(),
            edge: index,
            certainty: edge.certainty,
            kinds: BTreeSet::new(),
        });
        waits.on.add(&edge.on);
        waits.kinds.insert(kind);
        waits.certainty = edge.certainty.min(waits.certainty);
    }
    let (mut named, mut links) = (0, Vec::new());
    for ((from, kind), waits) in known {
        if named >= MOST_NAMED {
            return (links, true);
        }
        let mut found: BTreeMap<(usize, usize, Kind), Ends> = BTreeMap::new();
        for on in waits.on.iter() {
            let Some(to) = node_of.get(&on).copied().or(rest) else {
                continue;
            };
            let ends = found.entry((from, to, kind)).or_insert_with(|| Ends {
                on: Vec::new(),
                edge: waits.edge,
                certainty: waits.certainty,
                kinds: waits.kinds.len(),
            });
            ends.on.push(on.0);
            named += 1;
        }
        let link = |((from, to, _), ends): (_, Ends)| Link {
            from,
            to,
            on: ends.on.into_iter().collect(),
            edge: ends.edge,
            certainty: ends.certainty,
            kinds: ends.kinds,
        };
        links.extend(found.into_iter().map(link));
    }
    (links, false)
}

/// How many waits lead from each node to one that holds the others; those from which none leads stand behind all.
fn distances(parts: &[Part], links: &[Link]) -> Vec<u32> {
    let mut waiters: Vec<Vec<usize>> = vec![Vec::new(); parts.len()];
    for link in links {
        waiters[link.to].push(link.from);
    }
    let mut distances: Vec<Option<u32>> = vec![None; parts.len()];
    let mut open: VecDeque<(usize, u32)> = VecDeque::new();
    let holds = |part: Part| matches!(part, Part::Cycle | Part::Awaited);
    open.extend(
        (0..parts.len())
            .filter(|&node| holds(parts[node]))
            .map(|node| (node, 0)),
    );
    let mut furthest = 0;
    while let Some((node, distance)) = open.pop_front() {
        if distances[node].is_none() {
            distances[node] = Some(distance);
            furthest = distance;
            open.extend(waiters[node].iter().map(|&waiter| (waiter, distance + 1)));
        }
    }
    distances
        .into_iter()
        .map(|distance| distance.unwrap_or(furthest + 1))
        .collect()
}

fn sorted(nodes: Vec<Node>, mut links: Vec<Link>) -> Condensed {
    let mut order: Vec<usize> = (0..nodes.len()).collect();
    order.sort_by_key(|&node| {
        (
            nodes[node].distance,
            nodes[node].part,
            nodes[node].ranks.iter().next(),
        )
    });
    let mut place = vec![0; nodes.len()];
    for (new, &old) in order.iter().enumerate() {
        place[old] = new;
    }
    for link in &mut links {
        (link.from, link.to) = (place[link.from], place[link.to]);
    }
    links.sort_by_key(|link| (link.from, link.to));
    let mut nodes: Vec<Option<Node>> = nodes.into_iter().map(Some).collect();
    Condensed {
        nodes: order.into_iter().filter_map(|node| nodes[node].take()).collect(),
        links,
        is_cut: false,
    }
}

impl Link {
    /// Whether those who wait only ask again and again.
    #[must_use]
    pub fn asks(&self, waiting: &Waiting) -> bool {
        waiting
            .graph
            .edges
            .get(self.edge)
            .is_some_and(|edge| edge.how == How::Polling)
    }
}
