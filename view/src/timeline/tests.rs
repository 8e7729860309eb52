//! What ranks did, in a terminal that is memory: each cell is held against the events themselves.

use super::{TimelineState, WindowPoint, draw_timeline};
use crate::Key;
use base::Random;
use engine::timeline::{Happening, Standing, Step, Tie};
use ratatui::Terminal;
use ratatui::backend::TestBackend;

const MILLI: i64 = 1_000_000;

fn event(rank: u32, sequence: u64, time: i64, step: Step, operation: &str, tie: Tie) -> Happening<'static> {
    Happening {
        rank,
        sequence,
        thread: Some(0),
        time,
        local: time,
        step,
        operation: Some(operation.to_owned().into()),
        communicator: Some(0xabc),
        tie,
        cause: None,
        standing: Standing::default(),
    }
}

/// Rank 0 sends to rank 1 at 100 ms, which has waited for it since 10 ms; both are in a barrier from 300 ms on.
fn two_ranks() -> TimelineState {
    let (to, from) = (Tie::To(1, Some(7)), Tie::From(0, Some(7)));
    let mut received = event(1, 1, 110 * MILLI, Step::Ends, "MPI_Recv", from);
    received.cause = Some((0, 0, 100 * MILLI));
    let mut state = TimelineState::new(false);
    state.add([
        event(1, 0, 10 * MILLI, Step::Begins, "MPI_Recv", Tie::None),
        event(0, 0, 100 * MILLI, Step::Begins, "MPI_Send", to),
        event(0, 1, 105 * MILLI, Step::Ends, "MPI_Send", Tie::None),
        received,
        event(
            0,
            2,
            300 * MILLI,
            Step::Begins,
            "MPI_Barrier",
            Tie::Enters(1, None),
        ),
        event(
            1,
            2,
            300 * MILLI,
            Step::Begins,
            "MPI_Barrier",
            Tie::Enters(1, None),
        ),
    ]);
    state.pass(500 * MILLI);
    state.show_whole();
    state
}

/// The screen, line by line.
fn screen(state: &mut TimelineState, columns: u16, lines: u16) -> Vec<String> {
    let mut terminal = Terminal::new(TestBackend::new(columns, lines)).unwrap();
    terminal.draw(|frame| draw_timeline(frame, state)).unwrap();
    let buffer = terminal.backend().buffer();
    let text = |line: &[ratatui::buffer::Cell]| line.iter().map(|cell| cell.symbol()).collect::<String>();
    let lines = buffer.content.chunks(usize::from(columns));
    lines.map(|line| text(line).trim_end().to_owned()).collect()
}

fn press(state: &mut TimelineState, keys: &str) {
    keys.chars()
        .for_each(|c| state.press(if c == '\n' { Key::Enter } else { Key::Char(c) }));
}

fn has(screen: &[String], words: &str) -> bool {
    screen.iter().any(|line| line.contains(words))
}

#[test]
fn states_and_messages_are_drawn_where_they_were() {
    let mut state = two_ranks();
    // 14 columns of names, 50 of time: from 10 to 500 ms, 9.8 ms each.
    let shown = screen(&mut state, 64, 24);
    let line = |rank: u32| {
        let found = shown
            .iter()
            .find(|line| line.starts_with(&format!("rank {rank} ")));
        Vec::from_iter(found.unwrap().chars().skip(14))
    };
    let (first, second) = (line(0), line(1));
    // The message leaves the line of the one, and comes to that of the other.
    assert_eq!((first[9], second[10]), ('○', '▼'), "{shown:#?}");
    assert!(second[..10].iter().all(|cell| *cell == 'r'), "{shown:#?}");
    assert!(second[11..29].iter().all(|cell| *cell == '·'), "{shown:#?}");
    assert!(
        first[30..].iter().chain(&second[30..]).all(|cell| *cell == '#'),
        "{shown:#?}"
    );
    assert!(has(&shown, "enters MPI_Barrier, number 1"), "{shown:#?}");
    press(&mut state, "mm");
    let shown = screen(&mut state, 64, 24);
    assert!(!has(&shown, "○"), "{shown:#?}");
}

#[test]
fn it_goes_along_until_it_stands_still() {
    let mut state = TimelineState::new(false);
    state.add([event(0, 0, 0, Step::Begins, "MPI_Recv", Tie::None)]);
    state.pass(5_000 * MILLI);
    assert!(has(&screen(&mut state, 80, 24), "5.000 s"));
    press(&mut state, " ");
    state.pass(9_000 * MILLI);
    state.add([event(0, 1, 9_000 * MILLI, Step::Ends, "MPI_Recv", Tie::None)]);
    let shown = screen(&mut state, 80, 24);
    assert!(has(&shown, "5.000 s") && !has(&shown, "9.000 s"), "{shown:#?}");
    assert!(
        has(&shown, "stands still") && has(&shown, "2 events"),
        "{shown:#?}"
    );
    // Back to the first moment, and to the newest.
    state.press(Key::Home);
    assert!(has(&screen(&mut state, 80, 24), "0.000 s"));
    state.press(Key::End);
    let shown = screen(&mut state, 80, 24);
    assert!(has(&shown, "9.000 s") && has(&shown, "goes along"), "{shown:#?}");
}

#[test]
fn what_a_user_should_know_stands_there_until_the_next_key() {
    let mut state = two_ranks();
    state.note("rank 3 on host b: no events come");
    assert!(has(
        &screen(&mut state, 64, 24),
        "rank 3 on host b: no events come"
    ));
    press(&mut state, "m");
    assert!(!has(&screen(&mut state, 64, 24), "no events come"));
}

#[test]
fn what_is_searched_is_found_and_what_is_filtered_is_gone() {
    let mut state = two_ranks();
    let _ = screen(&mut state, 120, 24);
    state.press(Key::Home);
    press(&mut state, "/tag 7\n");
    let shown = screen(&mut state, 120, 24);
    assert!(
        has(&shown, "0.090000 s  rank 0    enters MPI_Send to rank 1 (tag 7)"),
        "{shown:#?}"
    );
    press(&mut state, "n");
    let shown = screen(&mut state, 120, 24);
    assert!(has(&shown, "leaves MPI_Recv from rank 0 (tag 7)"), "{shown:#?}");
    press(&mut state, "n");
    assert!(has(&screen(&mut state, 120, 24), "nothing more has 'tag 7'"));
    press(&mut state, "f1 barrier\n");
    let shown = screen(&mut state, 120, 24);
    assert!(
        !shown.iter().any(|line| line.starts_with("rank 0 ")),
        "{shown:#?}"
    );
    assert!(!has(&shown, "rrr") && has(&shown, "###"), "{shown:#?}");
}

/// What a filter leaves of calls in two communicators; it says how the one at the cursor is named.
#[test]
fn calls_of_other_communicators_are_left_out() {
    let mut state = TimelineState::new(false);
    for (rank, identity) in [(0, 0x3fa2_b1c4_0000_0007_u64), (1, 0x41c9_0000_0000_0001)] {
        let mut call = event(rank, 0, 0, Step::Begins, "MPI_Barrier", Tie::Enters(1, None));
        call.communicator = Some(identity);
        state.add([call]);
    }
    state.pass(100 * MILLI);
    state.show_whole();
    let line = |shown: &[String], rank: u32| {
        let found = shown
            .iter()
            .find(|line| line.starts_with(&format!("rank {rank} ")));
        found.map(|line| line.contains("###"))
    };
    press(&mut state, "fcomm:3FA");
    assert!(has(
        &screen(&mut state, 80, 24),
        "(the selected call's is comm:3fa2b1)"
    ));
    press(&mut state, "\n");
    let shown = screen(&mut state, 80, 24);
    assert_eq!(
        (line(&shown, 0), line(&shown, 1)),
        (Some(true), Some(false)),
        "{shown:#?}"
    );
    press(&mut state, "f");
    (0..8).for_each(|_| state.press(Key::Backspace));
    press(&mut state, "comm:41c9 comm:3fa2\n");
    let shown = screen(&mut state, 80, 24);
    assert_eq!(
        (line(&shown, 0), line(&shown, 1)),
        (Some(true), Some(true)),
        "{shown:#?}"
    );
}

/// Half as much is in sight, then as much as before, then all; the cursor stays where it is on the screen.
#[test]
fn what_is_in_sight_is_made_less_and_more() {
    let mut state = two_ranks();
    let ends = |state: &mut TimelineState| {
        let axis = screen(state, 64, 24).swap_remove(1);
        let times: Vec<String> = axis
            .split(" s")
            .map(|time| time.trim_matches([' ', '▾']).to_owned())
            .collect();
        (times[0].clone(), times[times.len() - 2].clone())
    };
    let pair = |left: &str, right: &str| (left.to_owned(), right.to_owned());
    state.press(Key::Home);
    assert_eq!(ends(&mut state), pair("0.000", "0.490"));
    press(&mut state, "+");
    assert_eq!(ends(&mut state), pair("0.000", "0.245"));
    state.press(Key::End);
    press(&mut state, " ");
    assert_eq!(ends(&mut state), pair("0.245", "0.490"));
    press(&mut state, "-");
    assert_eq!(ends(&mut state), pair("0.000", "0.490"));
    press(&mut state, "++++");
    assert_eq!(ends(&mut state), pair("0.459375", "0.490000"));
    press(&mut state, "a");
    assert_eq!(ends(&mut state), pair("0.000", "0.490"));
}

/// The job hangs from its last event on: that moment is marked, a key leads to it, and there stands who is hindmost and for whom the others wait.
#[test]
fn the_moment_of_the_hang_is_marked_and_gone_to() {
    let mut state = two_ranks();
    press(&mut state, "g");
    assert!(has(
        &screen(&mut state, 140, 24),
        "nothing says that the job hangs"
    ));
    state.say(report::WaitsSaid {
        headline: "Rank 1 holds up the others".to_owned(),
        named: base::RankSet::from_iter([1]),
        waits: [(0, base::RankSet::from_iter([1]))].into(),
        hangs: true,
    });
    state.press(Key::Home);
    let shown = screen(&mut state, 64, 24);
    // Of 50 columns for 490 ms behind 10 ms, that of 300 ms.
    let axis: Vec<char> = shown[1].chars().collect();
    assert_eq!(axis[14 + 290 * 50 / 490], '!', "{shown:#?}");
    assert!(!has(&screen(&mut state, 140, 24), "for 1"));
    press(&mut state, "g");
    let shown = screen(&mut state, 140, 24);
    assert!(shown[0].contains("Rank 1 holds up the others"), "{shown:#?}");
    assert!(
        has(&shown, "0.290 s") && has(&shown, "MPI_Barrier for 1 0.000 s"),
        "{shown:#?}"
    );
    // Whoever is named stands out.
    let mut terminal = Terminal::new(TestBackend::new(140, 24)).unwrap();
    terminal.draw(|frame| draw_timeline(frame, &mut state)).unwrap();
    let bold = |line: u16| {
        let mut cells = (106..140).map(|column| &terminal.backend().buffer()[(column, line)]);
        cells.any(|cell| cell.modifier.contains(ratatui::style::Modifier::BOLD))
    };
    assert_eq!((bold(2), bold(3)), (false, true), "{shown:#?}");
}

#[test]
fn ranks_in_one_call_are_one_line_and_who_is_named_says_for_whom_it_waits() {
    let mut state = TimelineState::new(false);
    for rank in 0..100 {
        let call = if rank == 42 { "MPI_Recv" } else { "MPI_Barrier" };
        state.add([event(rank, 0, i64::from(rank), Step::Begins, call, Tie::None)]);
    }
    state.say(report::WaitsSaid {
        headline: "Deadlock: rank 42 waits for itself".to_owned(),
        named: base::RankSet::from_iter([42]),
        waits: [(42, base::RankSet::from_iter([42]))].into(),
        hangs: true,
    });
    state.measure([WindowPoint {
        time: 5,
        events: 3,
        held: 1,
    }]);
    state.show_whole();
    press(&mut state, "c");
    let shown = screen(&mut state, 140, 30);
    assert!(has(&shown, "Deadlock: rank 42"), "{shown:#?}");
    assert!(
        has(&shown, "rank 42 ") && has(&shown, "MPI_Recv for 42"),
        "{shown:#?}"
    );
    assert!(has(&shown, "99: 0-41,43-9"), "{shown:#?}");
    assert!(has(&shown, "3 events, 1 held"), "{shown:#?}");
    assert_eq!(state.rows().len(), 2);
}

/// Of made-up calls each cell shows one that is there, or that there is none; and no size of the screen is too small.
#[test]
fn cells_show_what_the_events_say() {
    for seed in 0..8 {
        let mut random = Random(seed);
        let mut state = TimelineState::new(true);
        let (mut calls, mut time) = (Vec::new(), 0);
        for sequence in 0..60 {
            let begun = time + random.below(20) as i64 * MILLI;
            time = begun + 1 + random.below(20) as i64 * MILLI;
            let name = ["MPI_Send", "MPI_Recv", "MPI_Wait", "MPI_Init"][random.below(4)];
            state.add([
                event(0, 2 * sequence, begun, Step::Begins, name, Tie::None),
                event(0, 2 * sequence + 1, time, Step::Ends, name, Tie::None),
            ]);
            calls.push((begun, time, name));
        }
        state.show_whole();
        let shown = screen(&mut state, 94, 24);
        let line = shown.iter().find(|line| line.starts_with("rank 0 ")).unwrap();
        let (left, width) = (calls[0].0, 80);
        let moment = |column: i64| left + (time - left) * column / width;
        for (column, cell) in line.chars().skip(14).enumerate() {
            let (from, to) = (moment(column as i64), moment(column as i64 + 1));
            let inside = |name: Option<&str>| -> i64 {
                let own = calls.iter().filter(|call| name.is_none_or(|name| call.2 == name));
                own.map(|call| (call.1.min(to) - call.0.max(from)).max(0)).sum()
            };
            let outside = (to - from) - inside(None);
            let expected = [
                ("MPI_Send", 's'),
                ("MPI_Recv", 'r'),
                ("MPI_Wait", 'w'),
                ("MPI_Init", 'o'),
            ];
            match expected.iter().find(|(_, letter)| *letter == cell) {
                // It is there, for as long as any other, and outside is no longer than all of them.
                Some((name, _)) => {
                    let most = expected.iter().map(|(name, _)| inside(Some(name))).max();
                    assert!(
                        Some(inside(Some(name))) >= most.map(|most| most - 2),
                        "seed {seed}, {column}: {line}"
                    );
                    assert!(inside(None) + 2 >= outside, "seed {seed}, {column}: {line}");
                }
                None => assert!(
                    cell == '·' && outside + 2 >= inside(None),
                    "seed {seed}, {column}: {line}"
                ),
            }
        }
        for (columns, lines) in [(1, 1), (10, 3), (15, 40), (300, 5)] {
            screen(&mut state, columns, lines);
        }
        // Any keys are taken.
        for _ in 0..60 {
            let keys = " +-acmfgn/N?\n7r";
            let key = match random.below(20) {
                0 => Key::Left,
                1 => Key::Right,
                2 => Key::Home,
                3 => Key::PageDown,
                4 => Key::Escape,
                _ => Key::Char(keys.chars().nth(random.below(keys.len())).unwrap()),
            };
            state.press(key);
            screen(&mut state, 60, 20);
        }
    }
}

/// What is kept has a bound, and the newest is what is kept.
#[test]
fn old_events_are_forgotten() {
    let mut state = TimelineState::new(false);
    for sequence in 0..400_000_u64 {
        let step = if sequence % 2 == 0 {
            Step::Begins
        } else {
            Step::Ends
        };
        state.add([event(
            sequence as u32 % 3,
            sequence,
            sequence as i64,
            step,
            "MPI_Send",
            Tie::None,
        )]);
    }
    assert!(
        state.kept <= super::KEPT && state.kept >= super::KEPT / 3,
        "{}",
        state.kept
    );
    assert_eq!(state.seen, 400_000);
    assert!(state.first() > 100_000);
}
