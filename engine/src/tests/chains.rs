//! Chains of waits in generated jobs, each held against the walk by its definition (`awaited::slowly`), and in jobs of thousands of tasks.

use super::awaited::{STRAIGHT, stacks};
use super::{answer, map};
use crate::{Awaited, ChainEnd, ToldBy};
use base::{Random, RankSet};
use progress_map::Map;

const SEEDS: u64 = 3000;

/// Operations that wait for `@` and `&`, from the first of the program to the last.
const STANDS: [&str; 11] = [
    "f:2 arg3=@,MPI_Recv:0",
    "f:2 arg3=@,MPI_Recv:0",
    "f:3 arg3=@,MPI_Recv:0",
    "f:4,MPI_Recv:0",
    "f:6 arg3=@ arg8=&,MPI_Sendrecv:0",
    "f:7,MPI_Waitall:0",
    "f:8 arg3=@,MPI_Ssend:0",
    "f:9,MPI_Barrier:0",
    "f:12 arg3=@,MPI_Recv:0",
    "f:12 arg3=@,MPI_Recv:0",
    "f:10,work:0",
];

fn awaited_of(map: &Map, given: &[String]) -> Option<Awaited> {
    let given = Vec::from_iter(given.iter().map(String::as_str));
    answer(map, &stacks(&given), RankSet::default()).awaited
}

#[test]
fn a_chain_of_waits_is_what_its_definition_says() {
    let map = map(STRAIGHT);
    let (mut cycles, mut through, mut served, mut unseen, mut told) = (0, 0, 0, 0, 0);
    for seed in 0..SEEDS {
        let mut random = Random(seed);
        let size = 2 + random.below(9);
        // Few kinds of operations, so that they meet; seldom one that ends every chain.
        let kinds = Vec::from_iter((0..1 + random.below(4)).map(|_| random.below(STANDS.len() - 1)));
        let stand = |random: &mut Random| {
            let kind = if random.below(30) == 0 {
                STANDS.len() - 1
            } else {
                kinds[random.below(kinds.len())]
            };
            // Hardly ever a rank that there is not.
            let mut rank = || {
                let strange = usize::from(random.below(12) == 0);
                random.below(size + strange).to_string()
            };
            STANDS[kind].replace('@', &rank()).replace('&', &rank())
        };
        let given = Vec::from_iter((0..size).map(|_| stand(&mut random)));
        match awaited_of(&map, &given).map(|awaited| awaited.end) {
            Some(ChainEnd::Cycle(start)) => {
                cycles += 1;
                through += usize::from(given.iter().any(|text| text.contains("Barrier")));
                assert!(start < size, "seed {seed}");
            }
            Some(ChainEnd::Culprit(culprit)) if culprit.by == ToldBy::Served => served += 1,
            Some(ChainEnd::Culprit(culprit)) if culprit.by == ToldBy::Arguments => told += 1,
            Some(ChainEnd::Unseen(_)) => unseen += 1,
            Some(ChainEnd::Culprit(_) | ChainEnd::Unknown) | None => {}
        }
    }
    let each = [cycles, through, served, unseen, told];
    assert!(each.iter().all(|&count| count > 40), "{each:?}");
}

/// So many tasks that the square of them would take hours.
const MANY: usize = 20_000;

#[test]
fn thousands_that_take_anybodys_message_are_asked_once_each() {
    let given = |at: usize| match at {
        0 => "f:4,MPI_Recv:0".to_owned(),
        _ if at < MANY / 2 => "f:4,MPI_Recv:0".to_owned(),
        // Each of them sends to somebody, and none to the first.
        _ => format!("f:8 arg3={},MPI_Ssend:0", at - MANY / 2 + 1),
    };
    let awaited = awaited_of(&map(STRAIGHT), &Vec::from_iter((0..MANY).map(given)));
    let Some(ChainEnd::Culprit(culprit)) = awaited.map(|awaited| awaited.end) else {
        panic!("nobody serves anybody");
    };
    assert_eq!(culprit.by, ToldBy::Served);
    assert_eq!(culprit.who.to_string(), format!("rank {}", MANY / 2));
}

#[test]
fn thousands_in_a_barrier_that_thousands_have_not_entered_lead_to_each_once() {
    // Each of the first half waits for one of the second, which waits for all of the first.
    let given = |at: usize| match at {
        _ if at < MANY / 2 => format!("f:2 arg3={},MPI_Recv:0", at + MANY / 2),
        _ => "f:9,MPI_Barrier:0".to_owned(),
    };
    let awaited =
        awaited_of(&map(STRAIGHT), &Vec::from_iter((0..MANY).map(given))).map(|awaited| awaited.end);
    assert_eq!(awaited, Some(ChainEnd::Cycle(0)));
}

#[test]
fn a_ring_as_long_as_the_job_is_one_cycle() {
    // Each waits for the next one, the first at another line.
    let given = |at: usize| match at {
        0 => "f:2 arg3=1,MPI_Recv:0".to_owned(),
        _ => format!("f:12 arg3={},MPI_Recv:0", (at + 1) % MANY),
    };
    let awaited = awaited_of(&map(STRAIGHT), &Vec::from_iter((0..MANY).map(given))).unwrap();
    assert_eq!((awaited.chain.len(), awaited.end), (MANY, ChainEnd::Cycle(0)));
}
