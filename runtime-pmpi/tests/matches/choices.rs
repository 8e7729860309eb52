//! Which requests a call completed is written down, and completed by the same call of a second run.

use super::{Chance, call, directory, read, recorder};
use recording::choices::Choice;
use recording::layout::does;
use recording::matches::Match;
use runtime_pmpi::recorder::{First, Outcome, Recorder, follows};

/// A call that completes some of its requests, or asks about them.
#[derive(Clone, Debug)]
struct Chosen {
    thread: u32,
    what: u64,
    /// Handles; 0 for those that are null.
    requests: Vec<u64>,
    /// `None` where a question is not answered.
    chosen: Option<Vec<u32>>,
}

fn choices_of_two_threads(seed: u64) -> Vec<Chosen> {
    let mut chance = Chance(seed);
    let mut call = |number: u64| {
        let what = [does::COMPLETES_ONE, does::ASKS_ALL, does::ASKS_ONE][chance.below(3) as usize];
        let handle = |place| {
            if chance.below(3) == 0 {
                0
            } else {
                100 * number + place + 1
            }
        };
        let requests: Vec<u64> = (0..1 + number % 5).map(handle).collect();
        let given = (0..).zip(&requests).filter(|(_, handle)| **handle != 0);
        let mut chosen: Vec<u32> = given.map(|(place, _)| place).collect();
        if what == does::ASKS_ALL {
            chosen = vec![0];
        } else if !chosen.is_empty() {
            // In any order: MPI tells none.
            let length = chosen.len();
            chosen.rotate_left(chance.below(length as u64) as usize);
            chosen.truncate(1 + chance.below(length as u64) as usize);
        }
        let is_answered = what == does::COMPLETES_ONE || chance.below(2) == 0;
        Chosen {
            thread: 1 + chance.below(2) as u32,
            what,
            requests,
            chosen: is_answered.then_some(chosen),
        }
    };
    (0..80).map(&mut call).collect()
}

/// Makes the calls; what each has become at its beginning, and which requests it is told to complete.
fn choose(recorder: &Recorder, calls: &[Chosen]) -> Vec<(u64, Vec<u32>)> {
    let made = calls.iter().map(|chosen| {
        let mut made = call(chosen.what, 0, -1, -1);
        made.thread = chosen.thread;
        made.count = chosen.requests.iter().filter(|handle| **handle != 0).count() as i64;
        recorder.enter(&mut made, &chosen.requests);
        let told: Vec<u32> = match made.follows {
            follows::NAMED => (0..).map_while(|number| recorder.choice(&made, number)).collect(),
            _ => Vec::new(),
        };
        match &chosen.chosen {
            Some(places) => {
                recorder.chose(&made, places);
                recorder.leave(&made, Outcome::Done);
            }
            None => recorder.leave(&made, Outcome::Unanswered),
        }
        (made.follows, told)
    });
    made.collect()
}

#[test]
fn which_requests_were_completed_is_read_and_followed() {
    for seed in 0..60 {
        let calls = choices_of_two_threads(seed);
        let places = [
            directory(&format!("chosen-{seed}")),
            directory(&format!("again-{seed}")),
        ];
        let [first, second] = places.each_ref().map(|place| {
            let recorder = recorder(place, Some(1_000));
            assert_eq!(recorder.thread(4_712, |_| true), 2);
            recorder
        });
        assert!(
            choose(&first, &calls)
                .iter()
                .all(|(follows, _)| *follows == follows::NOTHING)
        );
        let written = read(&places[0]);
        // What is to be in the file, by the program alone.
        let mut expected = Vec::new();
        let mut polls = [0, 0];
        for made in &calls {
            let polls = &mut polls[made.thread as usize - 1];
            match &made.chosen {
                Some(chosen) => expected.push(Choice {
                    thread: made.thread,
                    does: made.what,
                    polls: std::mem::take(polls),
                    given: made.requests.iter().filter(|handle| **handle != 0).count() as u32,
                    chosen: chosen.clone(),
                }),
                None => *polls += 1,
            }
        }
        assert_eq!(written.choices, expected, "seed {seed}");
        assert_eq!(written.matches, Vec::<Match>::new());
        second.follow(First::new(Vec::new(), written.choices.clone()));
        let last = |thread| {
            calls
                .iter()
                .rposition(|made| made.thread == thread && made.chosen.is_some())
        };
        for (number, ((follows, told), made)) in choose(&second, &calls).into_iter().zip(&calls).enumerate() {
            let is_given = made.requests.iter().any(|handle| *handle != 0);
            let expected = match &made.chosen {
                // Behind the last answer of the thread nothing is known.
                None if last(made.thread).is_none_or(|last| last < number) => (follows::NOTHING, Vec::new()),
                None => (follows::NOT_YET, Vec::new()),
                Some(chosen) if is_given => (follows::NAMED, chosen.clone()),
                Some(_) => (follows::NOTHING, Vec::new()),
            };
            assert_eq!((follows, told), expected, "seed {seed}, call {number}: {made:?}");
        }
        assert_eq!(read(&places[1]).choices, written.choices, "seed {seed}");
        places
            .iter()
            .for_each(|place| drop(std::fs::remove_dir_all(place)));
    }
}

#[test]
fn a_choice_that_does_not_fit_is_not_followed() {
    let choice = |what, polls, given, chosen: &[u32]| Choice {
        thread: 1,
        does: what,
        polls,
        given,
        chosen: chosen.to_vec(),
    };
    let of = |what, requests: &[u64]| Chosen {
        thread: 1,
        what,
        requests: requests.to_vec(),
        chosen: Some(vec![0]),
    };
    let cases = [
        // Another call, more requests, one that is null now, and a call that waits where the first run had asked in vain.
        (
            choice(does::ASKS_ONE, 0, 2, &[1]),
            of(does::COMPLETES_ONE, &[5, 6]),
        ),
        (
            choice(does::COMPLETES_ONE, 0, 2, &[1]),
            of(does::COMPLETES_ONE, &[5, 6, 7]),
        ),
        (
            choice(does::COMPLETES_ONE, 0, 2, &[1]),
            of(does::COMPLETES_ONE, &[5, 0, 7]),
        ),
        (
            choice(does::COMPLETES_ONE, 0, 2, &[9]),
            of(does::COMPLETES_ONE, &[5, 6]),
        ),
        (
            choice(does::COMPLETES_ONE, 1, 2, &[1]),
            of(does::COMPLETES_ONE, &[5, 6]),
        ),
    ];
    for (number, (first, made)) in cases.into_iter().enumerate() {
        let directory = directory(&format!("unfit-{number}"));
        let recorder = recorder(&directory, None);
        let fits = choice(does::COMPLETES_ONE, 0, 1, &[0]);
        recorder.follow(First::new(Vec::new(), vec![fits.clone(), first, fits]));
        let one = of(does::COMPLETES_ONE, &[9]);
        let made = choose(&recorder, &[one.clone(), made, one]);
        let follows: Vec<u64> = made.iter().map(|(follows, _)| *follows).collect();
        assert_eq!(
            follows,
            [follows::NAMED, follows::NOTHING, follows::NOTHING],
            "case {number}"
        );
        let _ = std::fs::remove_dir_all(directory);
    }
}
