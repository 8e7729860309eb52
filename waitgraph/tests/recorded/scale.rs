//! Jobs of many tasks: what is looked up grows as the job does, and waits that are alike share what they wait for.

use super::*;
use std::collections::BTreeSet;
use waitgraph::recorded::{Lock, LockKind, Needs};
use waitgraph::{ListId, wait_graph_and_work};

/// A task in its first barrier, or before it.
pub(crate) fn at_barrier(rank: u32, members: &Arc<[Rank]>, is_inside: bool) -> Recorded {
    let barrier = Collective {
        communicator: Identity(1),
        members: Arc::clone(members),
        ordinal: 1,
        operation: 0,
        root: None,
        bytes: None,
        reduction: None,
        needs: Needs::All,
    };
    let waits = match is_inside {
        true => Waits::All(vec![Item::Collective(barrier.clone())]),
        false => Waits::Nothing,
    };
    Recorded {
        rank: Rank(rank),
        presence: Presence::Present,
        threads: vec![(waits, How::Blocked)],
        sent: BTreeMap::new(),
        delivered: BTreeMap::new(),
        received: BTreeMap::new(),
        given: BTreeMap::new(),
        used: BTreeMap::new(),
        locks: Vec::new(),
        posted: Vec::new(),
        entered: BTreeMap::from([(Identity(1), u64::from(is_inside))]),
        has_freed: false,
        inside: Vec::from_iter(is_inside.then_some(barrier)),
        divisions: Vec::new(),
        is_partial: false,
        taken: BTreeMap::new(),
        may_be_joined: false,
    }
}

#[test]
fn many_who_wait_for_many_share_one_list_of_them() {
    let members: Arc<[Rank]> = (0..20_000).map(Rank).collect();
    let is_inside = |rank: u32| rank.is_multiple_of(2);
    let tasks: Vec<Recorded> = (0..20_000)
        .map(|rank| at_barrier(rank, &members, is_inside(rank)))
        .collect();
    let graph = wait_graph(&tasks);
    assert_eq!(graph.edges.len(), 10_000);
    let first = graph.edges[0].on.id();
    assert!(graph.edges.iter().all(|edge| edge.on.id() == first));
    assert_eq!(
        graph.awaited,
        Vec::from_iter((0..20_000).filter(|rank| !is_inside(*rank)).map(Rank))
    );
    assert!(graph.stuck.is_empty() && graph.cycles.is_empty());
}

#[test]
fn a_long_chain_of_waits_ends_at_the_first() {
    let length = 20_000;
    let waits_for_the_next = |rank: u32| {
        let receive = Receive {
            communicator: Identity(1),
            from: From::Rank(Rank((rank + 1) % length)),
            tag: Some(7),
        };
        let mut task = at_barrier(rank, &Arc::from([]), false);
        let message = Item::Message {
            receive: receive.clone(),
            before: 0,
        };
        task.threads = vec![(Waits::All(vec![message]), How::Blocked)];
        task.posted = vec![receive];
        task
    };
    let mut tasks: Vec<Recorded> = (0..length).map(waits_for_the_next).collect();
    let ring = wait_graph(&tasks);
    assert_eq!(ring.cycles, [Vec::from_iter((0..length).map(Rank))]);
    assert_eq!(ring.proven, ring.stuck);
    tasks[length as usize - 1] = at_barrier(length - 1, &Arc::from([]), false);
    let chain = wait_graph(&tasks);
    assert_eq!((chain.stuck.len(), chain.awaited), (0, vec![Rank(length - 1)]));
}

/// What the tasks of a job do of which there are many.
type Job = fn(u32) -> Vec<Recorded>;

fn all(tasks: u32) -> Arc<[Rank]> {
    (0..tasks).map(Rank).collect()
}

/// A task in a call that waits for this.
fn waits_for(rank: u32, item: Item) -> Recorded {
    let mut task = at_barrier(rank, &Arc::from([]), false);
    if let Item::Message { receive, .. } = &item {
        task.posted = vec![receive.clone()];
    }
    task.threads = vec![(Waits::All(vec![item]), How::Blocked)];
    task
}

fn receive(from: From) -> Receive {
    Receive {
        communicator: Identity(1),
        from,
        tag: Some(7),
    }
}

fn message(from: From) -> Item {
    Item::Message {
        receive: receive(from),
        before: 0,
    }
}

fn channel_to(peer: u32) -> Channel {
    Channel {
        communicator: Identity(1),
        peer: Rank(peer),
        tag: 7,
    }
}

/// Two thirds wait for a message of anybody; of each other two one has sent them something else.
fn anybody(tasks: u32) -> Vec<Recorded> {
    let everybody = all(tasks);
    let task = |rank: u32| {
        let mut task = waits_for(rank, message(From::AnyOf(Arc::clone(&everybody))));
        if rank.is_multiple_of(3) {
            task = at_barrier(rank, &Arc::from([]), false);
            let tag = Channel {
                tag: 8,
                ..channel_to(rank + 1)
            };
            task.sent = BTreeMap::from([(tag, 1)]);
        }
        task
    };
    (0..tasks).map(task).collect()
}

/// The same, and all others have ended.
fn orphans(tasks: u32) -> Vec<Recorded> {
    let mut all = anybody(tasks);
    let ended = all.iter_mut().filter(|task| task.rank.0.is_multiple_of(3));
    ended.for_each(|task| task.presence = Presence::Gone);
    all
}

/// All but the first are in a scan, for which the first is late.
fn scan(tasks: u32) -> Vec<Recorded> {
    let members = all(tasks);
    let task = |rank: u32| {
        let mut task = at_barrier(rank, &members, rank > 0);
        for (waits, _) in &mut task.threads {
            if let Waits::All(items) = waits
                && let [Item::Collective(collective)] = &mut items[..]
            {
                collective.needs = Needs::Lower;
            }
        }
        task
    };
    (0..tasks).map(task).collect()
}

/// The first has asked for a message of each other, who have not sent it or stand in their sends, and waits for all.
fn gather(tasks: u32) -> Vec<Recorded> {
    let sends = |rank: u32| {
        let channel = channel_to(0);
        let mut task = waits_for(rank, Item::Delivery { channel, number: 2 });
        task.sent = BTreeMap::from([(channel, 2)]);
        task
    };
    let mut tasks = Vec::from_iter((0..tasks).map(|rank| {
        if rank.is_multiple_of(2) {
            at_barrier(rank, &Arc::from([]), false)
        } else {
            sends(rank)
        }
    }));
    let others = 1..tasks.len() as u32;
    let receives = Vec::from_iter(others.map(|rank| receive(From::Rank(Rank(rank)))));
    let items = receives
        .iter()
        .enumerate()
        .map(|(before, receive)| Item::Message {
            receive: receive.clone(),
            before,
        });
    tasks[0].threads = vec![(Waits::All(items.collect()), How::Blocked)];
    tasks[0].posted = receives;
    tasks
}

/// All share all parts of a window and complete what they did to it, but the first, which has a part alone.
fn locks(tasks: u32) -> Vec<Recorded> {
    let lock = |target: Option<u32>, access: LockKind| Lock {
        window: Identity(2),
        target: target.map(Rank),
        access,
    };
    let task = |rank: u32| {
        let shared = lock(None, LockKind::Shared);
        let mut task = waits_for(rank, Item::Lock(shared));
        task.locks = vec![shared];
        if rank == 0 {
            task = at_barrier(rank, &Arc::from([]), false);
            task.locks = vec![lock(Some(1), LockKind::Exclusive)];
        }
        task
    };
    (0..tasks).map(task).collect()
}

/// Twice as many tasks are at most a little more than twice the work, and whom they wait for takes twice the room.
#[test]
fn twice_the_tasks_are_twice_the_work() {
    let jobs: [(&str, Job); 5] = [
        ("anybody", anybody),
        ("orphans", orphans),
        ("scan", scan),
        ("gather", gather),
        ("locks", locks),
    ];
    for (name, job) in jobs {
        let of = |tasks: u32| {
            let (graph, work) = wait_graph_and_work(&job(tasks));
            assert!(
                graph.edges.len() >= tasks as usize / 2,
                "{name}: {}",
                graph.edges.len()
            );
            let mut lists: BTreeSet<ListId> = BTreeSet::new();
            let own = graph.edges.iter().filter(|edge| lists.insert(edge.on.id()));
            let listed: usize = own.map(|edge| edge.on.list().len()).sum();
            let left_out: usize = graph.edges.iter().map(|edge| edge.on.left_out().len()).sum();
            (work, listed + left_out)
        };
        let (few, many) = (of(600), of(1_200));
        assert!(many.0 <= 2 * few.0 + few.0 / 5, "{name}: work {few:?}, {many:?}");
        assert!(many.1 <= 2 * few.1 + few.1 / 5, "{name}: lists {few:?}, {many:?}");
        assert!(many.0 <= 40 * 1_200 && many.1 <= 8 * 1_200, "{name}: {many:?}");
    }
}
