//! Folded shapes, call paths and differences, against the events that they were made of.

use crate::generate::{Rng, Shape as Kind, events};
use calltrace::compare::{Differences, Turn, at, count};
use calltrace::fold::{Builder, Forest, Shape, View};
use calltrace::paths::Paths;
use calltrace::{Event, Function};
use std::collections::BTreeMap;

fn shape(forest: &mut Forest, events: &[Event]) -> Shape {
    let mut builder = Builder::new(forest);
    events.iter().for_each(|&event| builder.add(event));
    builder.finish()
}

/// The events that a shape stands for, loops turn by turn.
fn unfolded(forest: &Forest, root: Shape) -> Vec<Event> {
    enum Work {
        Shape(Shape),
        Leave,
    }
    let mut events = Vec::new();
    let mut pending = Vec::from_iter(
        forest
            .call(root)
            .called
            .iter()
            .rev()
            .map(|part| Work::Shape(*part)),
    );
    while let Some(work) = pending.pop() {
        let Work::Shape(shape) = work else {
            events.push(Event::Exit);
            continue;
        };
        match forest.view(shape) {
            View::Loop { turns, body } => {
                for _ in 0..turns {
                    pending.extend(body.iter().rev().map(|part| Work::Shape(*part)));
                }
            }
            View::Call(call) => {
                events.push(Event::Enter(Function::new(call.function).unwrap()));
                if !call.is_open {
                    pending.push(Work::Leave);
                }
                pending.extend(call.called.iter().rev().map(|part| Work::Shape(*part)));
            }
        }
    }
    events
}

#[test]
fn a_shape_is_what_happened() {
    for seed in 0..16 {
        let events = events(Kind::of(seed), seed, 20_000);
        let mut forest = Forest::new();
        let root = shape(&mut forest, &events);
        assert!(unfolded(&forest, root) == events, "seed {seed}");
        let entries = events.iter().filter(|event| **event != Event::Exit).count();
        assert_eq!(forest.calls(root), entries as u64, "seed {seed}");
        let before = forest.len();
        assert_eq!(shape(&mut forest, &events), root, "equal events have one shape");
        assert_eq!(forest.len(), before);
    }
}

#[test]
fn nested_loops_take_no_room() {
    let mut forest = Forest::new();
    let function = |number| Event::Enter(Function::new(number).unwrap());
    let mut events = vec![function(1)];
    for _ in 0..500 {
        events.push(function(2));
        for _ in 0..40 {
            events.extend([function(3), Event::Exit, function(4), Event::Exit]);
        }
        events.extend([Event::Exit, function(5), Event::Exit]);
    }
    let root = shape(&mut forest, &events);
    assert!(forest.len() < 20, "{} shapes", forest.len());
    assert!(unfolded(&forest, root) == events);
}

#[test]
fn paths_are_counted() {
    for seed in 0..8 {
        let events = events(Kind::of(seed), seed, 5_000);
        let mut forest = Forest::new();
        let root = shape(&mut forest, &events);
        let paths = Paths::of(&forest, &[root]);
        let mut counts: BTreeMap<Vec<u32>, u64> = BTreeMap::new();
        let mut stack = Vec::new();
        for event in &events {
            match event {
                Event::Enter(function) => {
                    stack.push(function.number());
                    *counts.entry(stack.clone()).or_default() += 1;
                }
                Event::Exit => {
                    stack.pop();
                }
            }
        }
        let found = (1..paths.all.len()).map(|path| (paths.functions(path), paths.counts[0][path]));
        assert_eq!(BTreeMap::from_iter(found), counts, "seed {seed}");
        let open = paths.open[0].iter().filter(|path| **path != 0);
        let open = Vec::from_iter(open.map(|path| *paths.functions(*path).last().unwrap()));
        assert_eq!(open, stack, "seed {seed}: what is not over");
    }
}

/// A program in which ranks have different work in every step, and one of them leaves out one call once.
fn steps(rank: u64, left_out: Option<(u64, u64)>) -> Vec<Event> {
    let enter = |number| Event::Enter(Function::new(number).unwrap());
    let mut events = vec![enter(1)];
    for step in 1..=60 {
        events.push(enter(2));
        for exchange in 0..6 {
            if left_out == Some((step, exchange)) {
                continue;
            }
            events.extend([enter(3), enter(4), Event::Exit, Event::Exit]);
            for _ in 0..rank {
                events.extend([enter(5), Event::Exit]);
            }
        }
        events.extend([enter(6), Event::Exit, Event::Exit]);
    }
    events
}

#[test]
fn the_place_that_was_changed_is_named() {
    let mut rng = Rng(3);
    for _ in 0..60 {
        let (step, exchange) = (1 + rng.below(60) as u64, rng.below(6) as u64);
        let mut forest = Forest::new();
        let good = shape(&mut forest, &steps(1, None));
        let bad = shape(&mut forest, &steps(2, Some((step, exchange))));
        let differences = Differences::between(&forest, bad, good);
        let telling = differences.telling().expect("they differ");
        let path = [(1, 1), (2, step)].map(|(function, nth)| Turn { function, nth });
        assert_eq!(telling.path, path, "call {exchange} of step {step}");
        assert!(telling.counts.contains(&(3, [5, 6])), "{telling:?}");
        let calls = [bad, good].map(|root| count(&forest, at(&forest, root, &path).unwrap(), 3));
        assert_eq!(calls, [5, 6]);
    }
}

#[test]
fn who_has_only_not_come_as_far_is_no_other_way() {
    let whole = steps(1, None);
    let mut rng = Rng(8);
    for _ in 0..40 {
        let end = 1 + rng.below(whole.len() - 1);
        let mut forest = Forest::new();
        let early = shape(&mut forest, &whole[..end]);
        let late = shape(&mut forest, &whole);
        let differences = Differences::between(&forest, early, late);
        assert!(
            differences.all.iter().all(|difference| difference.is_lag()),
            "{end}"
        );
        assert!(!differences.all.is_empty());
        assert!(Differences::between(&forest, late, late).all.is_empty());
    }
}

#[test]
fn the_order_of_ranks_does_not_matter() {
    let mut rng = Rng(5);
    let ranks = Vec::from_iter((0..9).map(|rank| steps(1, (rank == 6).then_some((33, 2)))));
    let mut order = Vec::from_iter(0..ranks.len());
    for _ in 0..10 {
        for at in (1..order.len()).rev() {
            order.swap(at, rng.below(at + 1));
        }
        let mut forest = Forest::new();
        let shapes = Vec::from_iter(order.iter().map(|rank| shape(&mut forest, &ranks[*rank])));
        let paths = Paths::of(&forest, &shapes);
        let mut groups = paths.groups();
        groups
            .iter_mut()
            .flatten()
            .for_each(|thread| *thread = order[*thread]);
        groups.iter_mut().for_each(|group| group.sort_unstable());
        assert_eq!(groups, [vec![0, 1, 2, 3, 4, 5, 7, 8], vec![6]]);
        let outliers = paths.outliers();
        assert_eq!(outliers.len(), 1);
        assert_eq!(order[outliers[0].thread], 6);
        let first = &outliers[0].deviations[0];
        assert_eq!(paths.functions(first.path), [1, 2, 3]);
        assert_eq!((first.count, first.usual), (359, 360));
    }
}
