//! Jumps by which functions leave their frames to others: tail calls.

/// An instruction that jumps out of its function. The function's frame is gone then, and the callee returns to the function's caller.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct TailJump {
    /// Its address, as linked; the first address of a function that could not be decoded.
    pub at: u64,
    /// Where it leads.
    pub to: TailTarget,
}

/// Where a tail call leads.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum TailTarget {
    /// To the function that has its first instruction at this address.
    Function(u64),
    /// Through the linkage table: to a function of another file, or of this one, if it is a shared object whose functions others may replace.
    Linked,
    /// To an address that is computed: to any function. Or nothing is known, because the code could not be decoded.
    Anywhere,
}
