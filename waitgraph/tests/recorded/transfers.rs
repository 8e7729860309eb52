use super::scale::at_barrier;
use super::*;

/// What the tasks of [`under_way`] do.
#[derive(Clone, Copy)]
enum Does {
    /// It stands in the call that completes its side.
    Stands,
    /// It computes.
    Computes,
    /// It is in the barrier that rank 2 has entered, too.
    Synchronises,
}

/// Rank 0 has sent rank 1 a message that it has asked for, and nobody has completed its side; rank 2 waits for both in a barrier.
fn under_way(sender: Does, receiver: Does) -> waitgraph::WaitGraph {
    let members: Arc<[Rank]> = (0..3).map(Rank).collect();
    let channel = |peer: u32| Channel {
        communicator: Identity(1),
        peer: Rank(peer),
        tag: 7,
    };
    let receive = Receive {
        communicator: Identity(1),
        from: From::Rank(Rank(0)),
        tag: Some(7),
    };
    let delivery = Item::Delivery {
        channel: channel(1),
        number: 1,
    };
    let message = Item::Message {
        receive: receive.clone(),
        before: 0,
    };
    let task = |rank: u32, does: Does, item: Item| {
        let mut task = at_barrier(rank, &members, matches!(does, Does::Synchronises));
        if matches!(does, Does::Stands) {
            task.threads = vec![(Waits::All(vec![item]), How::Blocked)];
        }
        task
    };
    let mut tasks = [
        task(0, sender, delivery),
        task(1, receiver, message),
        at_barrier(2, &members, true),
    ];
    tasks[0].sent = BTreeMap::from([(channel(1), 1)]);
    tasks[1].posted = vec![receive];
    wait_graph(&tasks)
}

/// Nobody can tell which side holds a message; but a side that stands in no call for it waits for nobody by it.
#[test]
fn of_a_message_on_its_way_both_sides_may_hold_the_others() {
    use Does::{Computes, Stands, Synchronises};
    let awaited = |sender: Does, receiver: Does| {
        let graph = under_way(sender, receiver);
        assert!(graph.stuck.is_empty(), "{graph:?}");
        graph.awaited.iter().map(|rank| rank.0).collect::<Vec<_>>()
    };
    assert_eq!(awaited(Stands, Stands), [0, 1]);
    assert_eq!(awaited(Computes, Stands), [0, 1]);
    assert_eq!(awaited(Stands, Computes), [0, 1]);
    // Rank 0 waits for rank 1 by the barrier, and may hold the message all the same.
    assert_eq!(awaited(Synchronises, Stands), [1]);
    assert_eq!(under_way(Synchronises, Stands).transfers.len(), 1);
    assert_eq!(awaited(Stands, Synchronises), [0]);
    assert_eq!(under_way(Computes, Computes).transfers, []);
}

/// A send that is complete on its side leaves the receiver alone with its message.
#[test]
fn a_message_that_its_sender_is_done_with_is_the_receivers() {
    let members: Arc<[Rank]> = (0..2).map(Rank).collect();
    let channel = |peer: u32| Channel {
        communicator: Identity(1),
        peer: Rank(peer),
        tag: 7,
    };
    let receive = Receive {
        communicator: Identity(1),
        from: From::AnyOf([Rank(0)].into()),
        tag: None,
    };
    let message = Item::Message {
        receive: receive.clone(),
        before: 0,
    };
    let mut tasks = [at_barrier(0, &members, true), at_barrier(1, &members, false)];
    tasks[0].sent = BTreeMap::from([(channel(1), 2)]);
    tasks[0].delivered = BTreeMap::from([(channel(1), 1)]);
    tasks[1].threads = vec![(Waits::All(vec![message]), How::Blocked)];
    tasks[1].posted = vec![receive];
    assert_eq!(wait_graph(&tasks).transfers.len(), 1);
    tasks[0].delivered = BTreeMap::from([(channel(1), 2)]);
    let graph = wait_graph(&tasks);
    assert_eq!((graph.transfers, graph.awaited), (Vec::new(), vec![Rank(1)]));
}
