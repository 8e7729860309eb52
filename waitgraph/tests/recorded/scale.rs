use super::*;

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
