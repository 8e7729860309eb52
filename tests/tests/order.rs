//! The order against the truth: random programs, run, and the `hindmost` command asked about pairs of moments.
//!
//! Needs the command beside this test (`cargo build -p cli`), or `HINDMOST_BIN`. Any number of further seeds:
//! `order-fuzz --seeds A..B`.

use tests::oracle::case::View;
use tests::oracle::generate::Profile;
use tests::oracle::judge::Command;
use tests::oracle::{Campaign, Effort, campaign};

fn command() -> Command {
    Command::find().unwrap_or_else(|e| panic!("{e}"))
}

fn effort() -> Effort {
    Effort {
        pairs: 240,
        self_checks: 300,
        ..Effort::default()
    }
}

fn nothing_wrong(result: &Campaign) {
    let seeds: Vec<u64> = result.failures.iter().map(|(seed, _)| *seed).collect();
    assert!(
        result.failures.is_empty(),
        "seeds {seeds:?} fail; the first one:\n{}\n{}",
        result.failures[0].1,
        result.stats
    );
}

/// The least share of pairs that must be decided, in per cent, by (columns, across ranks): what was reached when this was
/// written, less two. Silence is no way to be right.
type Floors = [(bool, bool, f64); 4];

const PLAIN: Floors = [
    (false, false, 70.0),
    (false, true, 74.0),
    (true, false, 73.0),
    (true, true, 76.0),
];

const HARD: Floors = [
    (false, false, 44.0),
    (false, true, 59.0),
    (true, false, 52.0),
    (true, true, 64.0),
];

fn right_and_not_silent(profile: Profile, seeds: std::ops::Range<u64>, floors: Floors) {
    let views = |seed| vec![View::of_seed(seed, false), View::of_seed(seed, true)];
    let result = campaign(profile, seeds, &command(), views, effort()).unwrap_or_else(|e| panic!("{e}"));
    nothing_wrong(&result);
    for (columns, across, floor) in floors {
        let decided = result.stats.total(columns, across).decided();
        assert!(
            decided >= floor,
            "columns {columns}, across {across}: {decided:.1} % decided, not {floor} %\n{}",
            result.stats
        );
    }
}

#[test]
fn plain_programs() {
    right_and_not_silent(Profile::Plain, 0..100, PLAIN);
}

#[test]
fn hard_programs() {
    right_and_not_silent(Profile::Hard, 0..160, HARD);
}

/// Values that cannot be read make verdicts fewer, never wrong.
#[test]
fn missing_values_make_no_verdict_wrong() {
    let views = |seed: u64| {
        let view = View::of_seed(seed, seed.is_multiple_of(2));
        vec![View {
            unreadable: 20,
            ..view
        }]
    };
    let result =
        campaign(Profile::Hard, 1_000..1_020, &command(), views, effort()).unwrap_or_else(|e| panic!("{e}"));
    nothing_wrong(&result);
}
