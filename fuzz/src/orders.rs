//! Events of made-up jobs: the fuzzer's bytes make the choices of a run, its delivery and its losses, or of records that no run has.

use base::Random;
use causal::proof::{Choices, Shape, hostile, whole, with_losses};

/// A run that the fuzzer makes: small, since it is looked at whole after each event.
const SHAPE: Shape = Shape {
    streams: 6,
    events: 150,
    shuffle: 8,
};

/// The sort is the optimal one, on the run that these bytes make.
pub(crate) fn order(bytes: &[u8]) {
    let Some((kind, rest)) = bytes.split_first() else {
        return;
    };
    let mut choices = Choices::Bytes(rest);
    match kind % 3 {
        0 => whole(&mut choices, SHAPE),
        1 => with_losses(&mut choices, SHAPE),
        _ => hostile(&mut choices),
    }
}

/// Choices at random, for each of the checks.
pub(crate) fn seeds() -> Vec<(String, Vec<u8>)> {
    let kinds = [(0, "whole"), (1, "losses"), (2, "hostile")];
    let seed = |(kind, name): (u8, &str)| {
        let mut random = Random(u64::from(kind) + 28);
        let choices = (0..1500).map(|_| random.below(256) as u8);
        (name.to_owned(), std::iter::once(kind).chain(choices).collect())
    };
    kinds.map(seed).to_vec()
}
