//! The sort against the complete graph, on runs of fixed seeds. `HINDMOST_SEED` runs one alone.

use causal::proof::{Choices, Shape, hostile, whole, with_losses};
use std::ops::Range;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};

fn each(seeds: Range<u64>, what: &str, check: impl Fn(u64, &mut Choices<'_>)) {
    let only = std::env::var("HINDMOST_SEED")
        .ok()
        .map(|seed| seed.parse::<u64>().unwrap());
    for seed in only.map_or(seeds, |seed| seed..seed + 1) {
        let run = || check(seed, &mut Choices::seed(seed));
        if let Err(panic) = catch_unwind(AssertUnwindSafe(run)) {
            eprintln!("{what}: HINDMOST_SEED={seed}");
            resume_unwind(panic);
        }
    }
}

/// Small and large, in order and out of it.
fn shape(seed: u64) -> Shape {
    Shape {
        streams: 1 + (seed % 7) as usize,
        events: 40 + (seed % 5) as usize * 50,
        shuffle: (seed % 3) as usize * 4,
    }
}

#[test]
fn put_out_and_forgotten_as_early_as_can_be() {
    each(0..300, "whole", |seed, choices| whole(choices, shape(seed)));
}

#[test]
fn what_is_lost_is_said_and_the_rest_is_in_order() {
    each(0..600, "with_losses", |seed, choices| {
        with_losses(choices, shape(seed))
    });
}

#[test]
fn any_records_are_sorted_or_refused() {
    each(0..1500, "hostile", |_, choices| hostile(choices));
}
