//! Numbers for generated inputs of tests: a seed gives the same ones on every machine and in every version.

/// A linear congruential generator with Knuth's constants (MMIX).
#[derive(Clone, Debug)]
pub struct Random(pub u64);

impl Random {
    /// The next number, which is less than `bound`; `bound` is between 1 and 2^31.
    pub fn below(&mut self, bound: usize) -> usize {
        self.0 = self
            .0
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        // The lower bits of such a generator repeat soon.
        ((self.0 >> 33) % bound as u64) as usize
    }
}
