//! The oracle itself: is its truth true, does it accept what is right, and does it catch what is wrong?

use tests::oracle::case::{Case, View};
use tests::oracle::check::Fault;
use tests::oracle::generate::Profile;
use tests::oracle::judge::{Directory, Fault as Lie, Judge, LineNumbers, MissingVariable, Paper, Truthful};
use tests::oracle::{Campaign, Effort, campaign, compiled};

const SEEDS: std::ops::Range<u64> = 0..40;

fn both_views(seed: u64) -> Vec<View> {
    vec![View::of_seed(seed, false), View::of_seed(seed, true)]
}

fn judged(judge: &dyn Judge) -> Campaign {
    let effort = Effort {
        pairs: 180,
        self_checks: 100,
        shrinking: 0,
    };
    campaign(Profile::Hard, SEEDS, judge, both_views, effort).unwrap()
}

#[test]
fn the_execution_index_agrees_with_time() {
    let mut checked = 0;
    for seed in SEEDS {
        let case = Case::from_seed(seed).unwrap_or_else(|e| panic!("seed {seed}: {}", e.reason));
        checked += case
            .self_check(20_000)
            .unwrap_or_else(|e| panic!("seed {seed}: {e}"));
    }
    assert!(checked > 500_000, "{checked}");
}

#[test]
fn the_interpreter_agrees_with_gcc() {
    let mut compared = 0;
    for seed in (0..120).step_by(10) {
        let case = Case::from_seed(seed).unwrap_or_else(|e| panic!("seed {seed}: {}", e.reason));
        let dir = Directory::of_seed(None, seed).unwrap();
        let result = compiled::compare(&case, &dir.path, &[0, 1, 2]);
        compared += result.unwrap_or_else(|e| panic!("seed {seed}: {e}"));
    }
    assert!(compared > 3_000, "{compared}");
}

#[test]
fn the_truth_is_accepted() {
    let result = judged(&Truthful(Lie::None));
    assert!(result.failures.is_empty(), "{}", result.failures[0].1);
    for (columns, across) in [(false, false), (false, true), (true, false), (true, true)] {
        let total = result.stats.total(columns, across);
        assert_eq!((total.right, total.unknown), (total.pairs, 0));
    }
}

#[test]
fn silence_is_not_wrong_but_decides_nothing() {
    let result = judged(&Truthful(Lie::Silent));
    assert!(result.failures.is_empty());
    assert_eq!(result.stats.total(true, false).right, 0);
    let pairs = result.stats.total(true, false).pairs;
    assert!(pairs > 2_500, "{pairs}");
}

#[test]
fn every_lie_is_caught_by_its_own_check() {
    for (lie, fault) in [
        (Lie::EqualLines, Fault::FalseEqual),
        (Lie::OrdersOperands, Fault::OrderedOperands),
        (Lie::Incomparable, Fault::FalseIncomparable),
        (Lie::OneWay, Fault::NotAntisymmetric),
        (Lie::EqualBranches, Fault::FalseEqual),
    ] {
        let result = judged(&Truthful(lie));
        let hits = result.stats.faults().get(&fault).copied().unwrap_or(0);
        assert!(!result.failures.is_empty(), "{lie:?} went through");
        assert!(
            hits > 0 || fault == Fault::NotAntisymmetric,
            "{lie:?}: {:?}",
            result.stats.faults()
        );
    }
}

#[test]
fn line_numbers_are_caught() {
    let result = judged(&LineNumbers);
    assert!(
        result.failures.len() * 10 > 9 * 40,
        "caught in {} of 40",
        result.failures.len()
    );
    let faults = result.stats.faults();
    assert!(
        faults[&Fault::WrongOrder] > 400 && faults[&Fault::FalseEqual] > 400,
        "{faults:?}"
    );
}

#[test]
fn the_rules_of_the_paper_are_caught() {
    for (missing, least) in [(MissingVariable::Stop, 20), (MissingVariable::Skip, 35)] {
        let result = judged(&Paper(missing));
        assert!(
            result.failures.len() >= least,
            "{missing:?}: caught in {} of 40",
            result.failures.len()
        );
        assert!(result.stats.faults()[&Fault::WrongOrder] > 50);
    }
}
