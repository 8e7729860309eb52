//! How much a few compressed bytes may ask for.

/// The most bytes that may come of so many compressed ones, so that a small file does not take all memory. Debug info is compressed to a third or a
/// tenth; what has one byte repeated shrinks to much less, which matters in small sections only.
pub fn most_decompressed(stored: u64) -> u64 {
    const RATIO: u64 = 100;
    const SMALL: u64 = 64 << 20;
    stored.saturating_mul(RATIO).max(SMALL)
}
