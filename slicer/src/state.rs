//! What a walk over the dependence graph is about: where it is, and how it got there.

use crate::graph::{ClassId, FileId, FunctionId, Labels, NodeId};
use crate::places::{Key, NameId, ObjectId};

/// Where a function is executed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) enum CallingContext {
    /// On the stack, at this depth.
    Stack(u16),
    /// Called before, by this task.
    Called,
    /// In another task.
    Elsewhere,
}

/// Whose memory: this task's, or another's.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) enum Side {
    Own,
    Other,
}

/// Where the walk is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) enum State {
    /// The statement is executed, with the values that it has.
    At(CallingContext, NodeId),
    /// The call returns what it returns.
    Value(CallingContext, NodeId),
    /// The call comes back.
    Back(CallingContext, NodeId),
    /// This part of what these labels say is pointed to has the value that it has; whether it is accessed by members.
    Place(Side, Labels, bool, Key, WrittenBy),
    /// What these writers left there has it.
    Written(Side, Writers, Part, WrittenBy),
    /// The function was called, from wherever that may have been.
    Open(Side, FunctionId),
    /// Functions that were called implicitly have returned: all, or what the objects of this file's classes are called as.
    ImplicitlyCalled(Side, Option<FileId>),
    /// Somebody calls functions implicitly: anybody, or somebody in this file.
    ImplicitCallers(Side, Option<FileId>),
}

/// Which of those who write memory count.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) enum WrittenBy {
    /// All.
    Anybody,
    /// Calls of functions without source: what handles of requests stand for is the library's.
    Library,
}

/// Who writes memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) enum Writers {
    /// The writers of one object, where a pointer leads to few.
    Object(ObjectId),
    /// Those who write one of many objects of the class.
    Many(ClassId),
    /// All who write anything of the class.
    Class(ClassId),
}

/// Which of what they write.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) enum Part {
    /// Everything.
    All,
    /// What they write without naming a member.
    Unnamed,
    /// What they write under this name.
    Named(NameId),
}

/// Why one statement depends on another.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Dependence {
    /// It is where the task stands.
    Criterion,
    /// It decides that this task stands where it does and another somewhere else.
    Parts,
    /// It is a call that is under way.
    UnderWay,
    /// It decides whether the other is executed.
    Decides,
    /// It gives a variable the value that the other reads.
    Sets,
    /// It computes a part of the other.
    Computes,
    /// It calls the function that the other is in.
    Calls,
    /// It hands over the value of a parameter.
    Hands,
    /// It returns the value that the other uses.
    Returns,
    /// It is a jump that decides which statements the other leads to.
    Jumps,
    /// It may end the program before the other is reached.
    Ends,
    /// It sends what the other receives, or takes part in the same collective operation.
    Sends,
    /// It may take a message that the other would get.
    Takes,
    /// It begins or ends a time in which the other reaches into a window, or is reached into.
    Epoch,
}

/// How a state was reached.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Predecessor {
    pub(crate) distance: u32,
    pub(crate) from: Option<State>,
    pub(crate) kind: Dependence,
    pub(crate) name: Option<NameId>,
}
