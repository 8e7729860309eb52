//! What is compared: one task's stack, with the values that were read from it.

use std::collections::BTreeMap;
use std::fmt;

/// One task at one moment: its stack of positions and the values read in each frame (SC'09 section 3).
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ExecutionPoint {
    /// How messages call the task.
    pub task: String,
    /// Its rank. Two points of one rank are two moments of one task in one run, unless their processes differ.
    pub rank: Option<u32>,
    /// Its process, if known.
    pub pid: Option<u32>,
    /// Outermost first.
    pub frames: Vec<Frame>,
    /// What the task is in beneath the frames of the map, in a library that waits for other tasks. Tasks in one call of a function outside of the
    /// map are not at one point if this differs.
    pub beneath: Option<Beneath>,
    /// Why the outermost frames are missing, if they are: nothing can be compared then.
    pub incomplete: Option<String>,
}

impl ExecutionPoint {
    /// The address to which the call instruction returns by which a frame has called another, be it in the frame itself or in what is inlined there;
    /// `None` if that is not known, or if no instruction of it has called anybody.
    pub(crate) fn return_address(&self, frame: usize) -> Option<u64> {
        let inlined = |frame: &&Frame| frame.inlined;
        let inlined_outwards = self.frames[..=frame].iter().rev().take_while(inlined).count();
        let outer = frame.saturating_sub(inlined_outwards);
        let next = frame + 1 + self.frames[frame + 1..].iter().take_while(inlined).count();
        let has_called = !self.frames.get(next)?.interrupted;
        self.frames[outer].pc.filter(|_| has_called)
    }

    /// The instruction that the innermost frame executes next, be it in what is inlined there; as linked.
    pub(crate) fn next_instruction(&self) -> Option<u64> {
        self.frames.iter().rfind(|frame| !frame.inlined)?.pc
    }
}

/// An operation of a library that waits for other tasks.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Beneath {
    /// Its name.
    pub operation: String,
    /// The frame by which it was entered, as a place in [`ExecutionPoint::frames`], if that is known.
    pub entry: Option<usize>,
    /// Something of it has been executed: the task is not at the first instruction of the entry.
    pub begun: bool,
}

/// One call on a stack.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Frame {
    /// The function's name in the source.
    pub function: String,
    /// Its source file.
    pub file: Option<String>,
    /// The line that it is on; for all but the innermost frame, that of the call.
    pub line: Option<u32>,
    /// The column in bytes from 1.
    pub column: Option<u32>,
    /// The task is not in a call, and its code is not in the order of the source: the position orders nothing.
    pub inexact: bool,
    /// The call is not one by name of a function that has left its frame to the next one's: it is by the name of that one, or
    /// through a pointer.
    pub straight: bool,
    /// Where the program counter is in its file, as linked; of a frame that has called another, behind the call.
    pub pc: Option<u64>,
    /// The file, where the function is not in the map.
    pub module: Option<String>,
    /// The call was inlined into the frame before.
    pub inlined: bool,
    /// It is the kernel's, and has interrupted the frame before.
    pub interrupted: bool,
    /// Registers that calls preserve, by the numbers of DWARF.
    pub registers: BTreeMap<u8, u64>,
    /// Slots of the frame that its code counts with, by their distance from the canonical frame address.
    pub slots: BTreeMap<i32, u64>,
    /// Values of variables by the names that the map lists.
    pub values: BTreeMap<String, Value>,
    /// Listed variables that could not be read, with the reason.
    pub missing: BTreeMap<String, String>,
}

/// The value of a variable.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Value {
    /// An integer or an address.
    Int(i128),
    /// A floating-point number.
    Float(f64),
}

impl fmt::Display for Value {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Value::Int(value) => value.fmt(f),
            Value::Float(value) => value.fmt(f),
        }
    }
}
