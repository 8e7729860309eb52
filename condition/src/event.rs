//! What a stream consists of.

/// What an event is, as far as conditions ask.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Step {
    /// A call begins.
    Begins,
    /// A call ends.
    Ends,
    /// Anything else.
    Other,
}

/// An event of one rank, or a message that it begins to send or has received, or both.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Event<'e> {
    /// Whose it is.
    pub rank: u32,
    /// Of which of its threads.
    pub thread: u32,
    /// When, in nanoseconds on a clock that all events share.
    pub time: i64,
    /// What happens.
    pub step: Step,
    /// The function of MPI (`MPI_Send`); none of what is no call.
    pub call: Option<&'e str>,
    /// The rank that a message is sent to, and its tag.
    pub sends: Option<(u32, i64)>,
    /// The rank that one was received from, and its tag.
    pub receives: Option<(u32, i64)>,
    /// Events of the same rank directly before it are lost.
    pub is_after_loss: bool,
}
