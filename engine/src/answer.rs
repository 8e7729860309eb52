//! The answer: classes of tasks, their order, who is the hindmost and why, and everything that is not known.

use crate::counterparts::ThreadsBehind;
use crate::threads::ThreadGroup;
use crate::{CallView, Excerpt, FrameView, JobMotion, Relation, Value, Who};
use base::RankSet;

/// What a job's stacks say, ready to be shown.
#[derive(Clone, Debug, PartialEq)]
pub struct Answer {
    /// How many tasks were given, unreadable ones included.
    pub tasks: usize,
    /// What came out.
    pub outcome: Outcome,
    /// Classes of tasks at one execution point, least progressed first as far as they are ordered.
    pub classes: Vec<TaskClass>,
    /// The hindmost classes; empty unless the outcome is [`Outcome::Named`].
    pub hindmost: Vec<Hindmost>,
    /// Pairs of candidates whose order is unknown; empty unless the outcome is [`Outcome::Undecided`].
    pub undecided: Vec<UndecidedPair>,
    /// Tasks that take no part in the order because they could not be read or placed.
    pub unreadable: Vec<Unreadable>,
    /// Ranks of the job of which there is no task at all.
    pub missing_ranks: RankSet,
    /// What the order takes for granted, as clauses.
    pub assumptions: Vec<String>,
    /// What else the reader should know: stale sources, partial functions.
    pub warnings: Vec<String>,
    /// Source lines to show with the answer; whoever can read files fills them in.
    pub excerpts: Vec<Excerpt>,
    /// What the job did since an earlier moment, if one is known.
    pub motion: Option<JobMotion>,
}

/// What came out of comparing the classes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Outcome {
    /// At least one hindmost is named: some class is ahead of it, and no open question could change that. The only
    /// task of a job is its hindmost, too.
    Named,
    /// No task could be placed.
    NothingReadable,
    /// Only one task of several could be placed.
    Alone,
    /// All tasks are at one execution point.
    AllEqual,
    /// The classes are on branches that have no order.
    Branches,
    /// The order between candidates, or between the members of the only class, is unknown.
    Undecided,
}

/// Tasks that were seen at one execution point.
#[derive(Clone, Debug, PartialEq)]
pub struct TaskClass {
    /// Its tasks.
    pub who: Who,
    /// How the first task of the class stands there; the others stand alike.
    pub position: Position,
    /// The stack, outermost first: what calls `main` is left out, what a library does below the program is folded
    /// into one frame.
    pub frames: Vec<FrameView>,
    /// No other class is known to be behind it.
    pub is_candidate: bool,
    /// How the candidates stand to this class, where it is not one of them.
    pub links: Vec<Link>,
    /// Why the order among the members is unknown, if it is.
    pub unordered: Option<String>,
    /// Its tasks by the arguments that they gave to the MPI call they are in, where these differ.
    pub calls: Vec<(Who, CallView)>,
    /// The threads of its tasks besides their main ones, alike ones together.
    pub threads: Vec<ThreadGroup>,
    /// Where its main threads wait for other threads: which of those are behind their counterparts in other tasks of the class.
    pub threads_behind: Vec<ThreadsBehind>,
}

/// How class `other` stands to the class that holds the link.
#[derive(Clone, Debug, PartialEq)]
pub struct Link {
    /// An index into [`Answer::classes`].
    pub other: usize,
    /// The relation of `other` to the holder.
    pub relation: Relation,
    /// Why, as a sentence without its full stop.
    pub reason: String,
}

/// Where a class is in the program.
#[derive(Clone, Debug, PartialEq)]
pub struct Position {
    /// The innermost function of the program.
    pub function: String,
    /// Its file as the map spells it.
    pub file: String,
    /// Its file as short messages spell it.
    pub short_file: String,
    /// The line.
    pub line: u32,
    /// What the task does there.
    pub activity: Activity,
    /// One value per loop around the stack, outermost first.
    pub iteration: Vec<LoopValue>,
    /// The MPI call that it is in, with its arguments.
    pub call: Option<CallView>,
}

/// The value that tells the iteration of one loop.
#[derive(Clone, Debug, PartialEq)]
pub struct LoopValue {
    /// The function that the loop is in.
    pub function: String,
    /// The variable, as in the source.
    pub variable: String,
    /// Its value on the first task of the class.
    pub value: Value,
    /// It differs between the tasks of the class (a start that differs by task, say).
    pub differs: bool,
}

/// What a task does at its position.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Activity {
    /// It executes the program's own code.
    Computing,
    /// It is in a library call that returns only when another task does its part.
    Blocked(String),
    /// It is in some other call into a library.
    Inside(String),
    /// It waits in a call (or in a library without names: that library) for other threads of its own process, some of
    /// which are in the program's code.
    Joining(String),
}

/// A hindmost class.
#[derive(Clone, Debug, PartialEq)]
pub struct Hindmost {
    /// An index into [`Answer::classes`].
    pub class: usize,
    /// The classes ahead of it, largest first. [`Link::other`] is the class ahead, [`Link::relation`] is `Before`.
    pub ahead: Vec<Link>,
}

/// Two candidates whose order is unknown.
#[derive(Clone, Debug, PartialEq)]
pub struct UndecidedPair {
    /// An index into [`Answer::classes`].
    pub a: usize,
    /// Another; equal to `a` when the members of one class are meant.
    pub b: usize,
    /// Why, as a sentence without its full stop.
    pub reason: String,
    /// What the user can do about it.
    pub advice: Option<String>,
}

/// A task that takes no part in the order.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Unreadable {
    /// Its recorded name.
    pub task: String,
    /// Its rank.
    pub rank: Option<u32>,
    /// Its process.
    pub pid: Option<u32>,
    /// Why.
    pub error: String,
}
