//! Where a generated run takes its choices from.

use base::Random;

/// Random numbers, or the bytes of a fuzzer.
#[derive(Debug)]
pub enum Choices<'b> {
    /// Of a seed.
    Random(Random),
    /// Of bytes; 0 for ever once they are used up.
    Bytes(&'b [u8]),
}

impl Choices<'_> {
    /// The choices of a seed.
    #[must_use]
    pub fn seed(seed: u64) -> Choices<'static> {
        let mut random = Random(seed ^ 0x9e37_79b9_7f4a_7c15);
        // Neighbouring seeds begin alike.
        for _ in 0..4 {
            random.below(2);
        }
        Choices::Random(random)
    }

    /// A number below `bound`, which is between 1 and 2^16.
    pub fn below(&mut self, bound: usize) -> usize {
        match self {
            Self::Random(random) => random.below(bound),
            Self::Bytes(bytes) => {
                let many = if bound > 256 { 2 } else { 1 };
                let (now, rest) = bytes.split_at(bytes.len().min(many));
                *bytes = rest;
                now.iter().fold(0, |sum, &byte| sum << 8 | usize::from(byte)) % bound
            }
        }
    }

    /// Whether there is no more to choose by.
    #[must_use]
    pub fn is_over(&self) -> bool {
        matches!(self, Self::Bytes([]))
    }
}
