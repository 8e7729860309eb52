use super::scale::at_barrier;
use super::*;

/// Of three in one operation the first does not tell its size, and the others tell different ones: these are named.
#[test]
fn sizes_are_compared_among_those_who_tell_them() {
    let members: Arc<[Rank]> = (0..4).map(Rank).collect();
    let with = |rank: u32, bytes: Option<u64>, reduction: Option<u32>| {
        let mut task = at_barrier(rank, &members, true);
        for collective in &mut task.inside {
            (collective.bytes, collective.reduction) = (bytes, reduction);
        }
        task
    };
    let found = |tasks: &[Recorded]| {
        let graph = wait_graph(tasks);
        let pair = |each: &Mismatch| (each.one.0.0, each.other.0.0, each.differ);
        Vec::from_iter(graph.mismatches.iter().map(pair))
    };
    let tasks = [
        with(0, None, None),
        with(1, Some(4), Some(2)),
        with(2, Some(8), Some(2)),
        with(3, Some(4), Some(1)),
    ];
    assert_eq!(found(&tasks), [(1, 2, Differ::Bytes), (1, 3, Differ::Reduction)]);
    assert_eq!(
        found(&[
            with(0, Some(4), None),
            with(1, Some(4), Some(2)),
            with(2, None, Some(2))
        ]),
        []
    );
}

/// Each of three gives and takes 4 bytes of each. Where one gives another less it is told, though the giver has left, and of the root's list nobody else knows.
#[test]
fn portions_are_compared_pair_by_pair() {
    let members: Arc<[Rank]> = [2, 0, 1].map(Rank).into();
    let each = |bytes: [Option<u64>; 3]| Portions::OfMembers(bytes.to_vec());
    let task = |rank: u32, gives: Portions, takes: Portions| {
        let mut task = at_barrier(rank, &members, true);
        task.divisions = vec![Division {
            communicator: Identity(1),
            ordinal: 1,
            operation: 0,
            peers: Peers::All {
                ranks: Arc::clone(&members),
                place: members
                    .iter()
                    .position(|member| *member == Rank(rank))
                    .expect("it is a member"),
            },
            gives,
            takes,
        }];
        task
    };
    let found = |tasks: &[Recorded]| {
        let graph = wait_graph(tasks);
        let pair = |each: &Mismatch| (each.one.0.0, each.other.0.0, each.differ);
        Vec::from_iter(graph.mismatches.iter().map(pair))
    };
    let alike = || each([Some(4); 3]);
    let mut tasks = [0, 1, 2].map(|rank| task(rank, alike(), alike()));
    assert_eq!(found(&tasks), []);
    // To rank 1, which is the last member.
    tasks[2] = task(2, each([Some(4), None, Some(0)]), alike());
    tasks[2].inside.clear();
    let differ = Differ::Portion { given: 0, taken: 4 };
    assert_eq!(found(&tasks), [(2, 1, differ)]);
    // A list of the root, which is the member in the middle, against what the others give it.
    let to_root = |bytes: u64| Portions::OfRoot(1, Some(bytes));
    let none = || Portions::OfMembers(Vec::new());
    let tasks = [
        task(0, to_root(4), each([Some(8), Some(4), Some(4)])),
        task(1, to_root(4), none()),
        task(2, to_root(12), none()),
    ];
    let differ = Differ::Portion { given: 12, taken: 8 };
    assert_eq!(found(&tasks), [(2, 0, differ)]);
}

/// Ranks 0 and 2 are one side, and ranks 1, 3 and 4 the other: each gives each of the other side as many bytes as that one takes, but rank 3 takes less of rank 2.
#[test]
fn portions_between_two_sides_are_compared_across() {
    let members: Arc<[Rank]> = (0..5).map(Rank).collect();
    let (one, other): (Arc<[Rank]>, Arc<[Rank]>) = ([0, 2].map(Rank).into(), [1, 3, 4].map(Rank).into());
    let task = |rank: u32, takes_less: bool| {
        let (own, peers) = if one.contains(&Rank(rank)) {
            (&one, &other)
        } else {
            (&other, &one)
        };
        let to_each = |bytes: u64| Portions::OfMembers(vec![Some(bytes); peers.len()]);
        let mut takes = vec![Some(8); peers.len()];
        if takes_less {
            takes[1] = Some(4);
        }
        let mut task = at_barrier(rank, &members, true);
        task.divisions = vec![Division {
            communicator: Identity(1),
            ordinal: 1,
            operation: 0,
            peers: Peers::All {
                ranks: Arc::clone(peers),
                place: own
                    .iter()
                    .position(|member| *member == Rank(rank))
                    .expect("it is a member"),
            },
            gives: to_each(8),
            takes: Portions::OfMembers(takes),
        }];
        task
    };
    let found = |takes_less: Option<u32>| {
        let tasks: Vec<Recorded> = (0..5).map(|rank| task(rank, takes_less == Some(rank))).collect();
        let pair = |each: &Mismatch| (each.one.0.0, each.other.0.0, each.differ);
        Vec::from_iter(wait_graph(&tasks).mismatches.iter().map(pair))
    };
    assert_eq!(found(None), []);
    assert_eq!(found(Some(3)), [(2, 3, Differ::Portion { given: 8, taken: 4 })]);
}

/// Rank 0 gives ranks 1 and 3, and takes of rank 3 alone; ranks 1 and 2 give each other. Rank 3 has other neighbours than these, too.
#[test]
fn portions_of_neighbours_are_compared_where_both_name_each_other() {
    let members: Arc<[Rank]> = (0..5).map(Rank).collect();
    let task = |rank: u32, peers: &[u32], gives: &[Option<u64>], takes: &[Option<u64>]| {
        let mut task = at_barrier(rank, &members, true);
        task.divisions = vec![Division {
            communicator: Identity(1),
            ordinal: 1,
            operation: 0,
            peers: Peers::Neighbours(peers.iter().map(|rank| Rank(*rank)).collect()),
            gives: Portions::OfMembers(gives.to_vec()),
            takes: Portions::OfMembers(takes.to_vec()),
        }];
        task
    };
    let found = |of_three: u64| {
        let tasks = [
            task(0, &[1, 3], &[Some(4), Some(8)], &[None, Some(16)]),
            task(1, &[0, 2], &[None, Some(4)], &[Some(4), Some(4)]),
            task(2, &[1], &[Some(4)], &[Some(4)]),
            task(3, &[0, 4], &[Some(of_three), Some(1)], &[Some(8), None]),
            task(4, &[3], &[None], &[Some(1)]),
        ];
        let pair = |each: &Mismatch| (each.one.0.0, each.other.0.0, each.differ);
        Vec::from_iter(wait_graph(&tasks).mismatches.iter().map(pair))
    };
    assert_eq!(found(16), []);
    let differ = Differ::Portion { given: 12, taken: 16 };
    assert_eq!(found(12), [(3, 0, differ)]);
}
