//! What connects the processes.

use std::sync::Arc;
use std::time::Instant;

/// Messages between the processes of one program, each of which has a number. Messages from one to another arrive in their order.
pub trait Network {
    /// The number of this process.
    fn rank(&self) -> u32;

    /// How many processes there are.
    fn size(&self) -> u32;

    /// Sends to several processes at once. Hands back those that had not taken it by `until`, or never will.
    fn send(&mut self, to: &[u32], bytes: &Arc<[u8]>, until: Instant) -> Vec<u32>;

    /// The next message of a process; `None` if there is none by `until`, or never will be.
    fn receive(&mut self, from: u32, until: Instant) -> Option<Vec<u8>>;
}
