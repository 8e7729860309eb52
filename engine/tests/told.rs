//! A real archive of another tool, whose clocks are apart: by time it has receives before their sends.

use engine::timeline::{Happening, Step, Tie, timeline_of};
use foreign::events::{Format, read};
use std::collections::BTreeMap;

const TEXT: &str = include_str!("../../foreign/src/events/tests/eztrace.txt");

/// Where the first event stands for which this holds.
fn place(happenings: &[Happening<'_>], what: impl Fn(&Happening<'_>) -> bool) -> usize {
    happenings.iter().position(what).expect("it is there")
}

#[test]
fn receives_of_a_real_archive_stand_behind_their_sends() {
    let line = |what: &str| TEXT.lines().position(|line| line.starts_with(what)).unwrap();
    assert!(line("MPI_RECV ") < line("MPI_SEND "), "otherwise time would do");
    let trace = read(Format::Otf2, TEXT).unwrap();
    let timeline = timeline_of(&trace);
    assert_eq!((timeline.untied, timeline.left_out), (0, 0));
    let happenings = &timeline.happenings;
    assert!(
        happenings
            .iter()
            .all(|happening| happening.standing.is_in_order())
    );
    let mut sent = BTreeMap::new();
    let mut received = 0;
    for happening in happenings {
        match happening.tie {
            Tie::To(to, tag) => *sent.entry((happening.rank, to, tag)).or_insert(0) += 1,
            Tie::From(from, tag) => {
                let left = sent
                    .get_mut(&(from, happening.rank, tag))
                    .expect("it is sent before");
                *left -= 1;
                assert!(*left >= 0);
                assert_eq!(happening.cause.map(|(rank, ..)| rank), Some(from));
                received += 1;
            }
            _ => {}
        }
    }
    assert_eq!(received, 2);
    // Nobody leaves a reduction of all before all have entered it; nor a barrier of half of them.
    for (operation, members) in [("MPI_Allreduce", &[0, 1, 2][..]), ("MPI_Barrier", &[1, 2])] {
        let at = |rank: u32, step: Step| {
            place(happenings, |happening| {
                (happening.rank, happening.step) == (rank, step)
                    && happening.operation.as_deref() == Some(operation)
            })
        };
        let entered = members.iter().map(|rank| at(*rank, Step::Begins)).max();
        let left = members.iter().map(|rank| at(*rank, Step::Ends)).min();
        assert!(entered < left, "{operation}");
    }
    let root = place(happenings, |happening| {
        happening.rank == 1 && matches!(happening.tie, Tie::Enters(1, Some(1)))
    });
    let first = place(happenings, |happening| {
        matches!(happening.tie, Tie::Leaves(1, Some(1)))
    });
    assert!(root < first);
    // Times are put right: those of causes are never later.
    for happening in happenings {
        assert!(happening.cause.is_none_or(|(.., time)| time <= happening.time));
    }
}
