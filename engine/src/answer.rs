//! The answer: classes of tasks, their order, who is the hindmost and why, and everything that is not known.

use crate::advice::Advice;
use crate::awaited::Awaited;
use crate::counterparts::ThreadsBehind;
use crate::hosts::HostRanks;
use crate::next::{self, NextStep, Origin};
use crate::recorded::Waiting;
use crate::state::{ClassState, Halted};
use crate::threads::ThreadGroup;
use crate::traces::Way;
use crate::trouble::{self, Trouble};
use crate::{CallView, Excerpt, FrameView, JobMotion, MapUsed, Reason, Relation, Value, Who};
use base::RankSet;
use library::symbols;

/// What a job's stacks say, ready to be shown.
#[derive(Clone, Debug, PartialEq)]
pub struct Answer {
    /// How many tasks were given, unreadable ones included.
    pub tasks: usize,
    /// What comparing the classes came to.
    pub outcome: Outcome,
    /// Who is named, how surely, and by which witness; `None` when there is nobody to name.
    pub finding: Option<Finding>,
    /// Whom those that are named wait for, where they wait in MPI and something tells: who is behind need not be whom to look at.
    pub awaited: Option<Awaited>,
    /// Classes of tasks at one execution point, least progressed first as far as they are ordered. Behind them stand those that have
    /// no place in the order ([`TaskClass::outside`]).
    pub classes: Vec<TaskClass>,
    /// The hindmost classes; empty unless the outcome is [`Outcome::Named`].
    pub hindmost: Vec<Hindmost>,
    /// Tasks that cannot run, whatever their place: stopped ones and the like.
    pub halted: Vec<Halted>,
    /// Pairs of candidates whose order is unknown; empty unless the outcome is [`Outcome::Undecided`].
    pub undecided: Vec<UndecidedPair>,
    /// Tasks that take no part in the order because they could not be read or placed.
    pub unreadable: Vec<Unreadable>,
    /// Ranks of the job of which there is no task at all.
    pub missing_ranks: RankSet,
    /// Those of them that have ended; whoever knows says it ([`Answer::explain_ended`]).
    pub ended_ranks: RankSet,
    /// The ranks of each host, where the tasks tell theirs.
    pub hosts: Vec<HostRanks>,
    /// The map that it rests on; whoever has found it says it.
    pub map: Option<MapUsed>,
    /// What is known of the tasks of other programs among themselves, each by its own map; whoever has these adds it.
    pub programs: Vec<OfProgram>,
    /// What the order takes for granted, as clauses.
    pub assumptions: Vec<String>,
    /// What else the reader should know: stale sources, partial functions.
    pub warnings: Vec<String>,
    /// Source lines to show with the answer; whoever can read files fills them in.
    pub excerpts: Vec<Excerpt>,
    /// What the job did since an earlier moment, if one is known.
    pub motion: Option<JobMotion>,
    /// Who waits for whom, as the tasks have recorded it; whoever has their recordings adds it ([`Answer::beside_recordings`]).
    pub waiting: Option<Waiting>,
    /// Where the ways of its ranks parted, as their traces have it; whoever has these adds it.
    pub way: Option<Way>,
    /// What to do next; whoever knows where the stacks come from asks for it ([`Answer::advise`]).
    pub next: Option<NextStep>,
}

/// The answer for the tasks of one program of several. Against those of other programs nothing but MPI orders them.
#[derive(Clone, Debug, PartialEq)]
pub struct OfProgram {
    /// Its path.
    pub program: String,
    /// Who of its tasks is behind.
    pub answer: Answer,
}

impl Answer {
    /// Says of an answer that was made without a map why there was none.
    pub(crate) fn explain_no_map(&mut self, why: &NoMap) {
        for reason in self.classes.iter_mut().filter_map(|class| class.outside.as_mut()) {
            reason.clone_from(&why.reason);
        }
        for task in self.unreadable.iter_mut().filter(|task| task.class.is_some()) {
            task.error.clone_from(&why.reason);
        }
        if let Some(found) = &mut self.finding
            && found.certainty == Certainty::Probable
        {
            found.doubt = Some(why.reason.clone());
            found.remedy = why.remedy.clone().map(Advice::Do);
        }
    }

    /// Says of the missing ranks which of them have ended. The only one that is left of a job, and does not come out of `MPI_Finalize`, is
    /// behind those that did.
    pub(crate) fn explain_ended(&mut self, ended: &RankSet) {
        self.ended_ranks = ended
            .iter()
            .filter(|&rank| self.missing_ranks.contains(rank))
            .collect();
        let [only] = &self.classes[..] else { return };
        // A job that is just being started has ranks that were not begun; whoever is in this call began after all of them.
        let ends = only.frames.iter().any(|frame| symbols::ends_mpi(&frame.function));
        let are_all_gone = !ended.is_empty() && self.ended_ranks == self.missing_ranks;
        if self.finding.is_none() && self.outcome == Outcome::Alone && are_all_gone && ends {
            self.finding = Some(Finding {
                certainty: Certainty::Probable,
                by: Witness::State,
                classes: vec![0],
                who: only.who.clone(),
                grounds: Grounds::OnlyOneLeft,
                doubt: Some("those that have ended may have done so too early".to_owned()),
                remedy: None,
            });
        }
    }

    /// What kind of trouble the job is in, as far as one look tells.
    pub fn trouble(&self) -> Option<Trouble> {
        trouble::of(self)
    }

    /// Adds the next step, which depends on where the stacks come from.
    pub fn advise(&mut self, origin: Origin) {
        self.next = next::of(self, origin);
    }

    /// Takes back the advice that cannot be followed: counters that loops cannot be given. `can_be_given` says of a file, as the map
    /// spells it, and a line whether the loop there can get one.
    pub fn check_advice(&mut self, can_be_given: &mut dyn FnMut(&str, u32) -> bool) {
        let remedy = self.finding.iter_mut().map(|found| &mut found.remedy);
        for advice in self
            .undecided
            .iter_mut()
            .map(|pair| &mut pair.advice)
            .chain(remedy)
        {
            if let Some(Advice::AddCounter { file, line }) = advice
                && !can_be_given(file, *line)
            {
                *advice = Some(Advice::Do(format!(
                    "give the loop at {file}:{line} a variable that every iteration increments by one, and declare it volatile (its text is not \
                     of a form that `hindmost counters` changes)"
                )));
            }
        }
    }
}

/// How sure a finding is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Certainty {
    /// Nothing else fits what was seen, under the assumptions that the answer lists.
    Proven,
    /// What was seen speaks for it; something else may be true.
    Probable,
}

/// What a finding rests on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Witness {
    /// The order of the code: stacks and map.
    Order,
    /// The semantics of MPI.
    Mpi,
    /// What the tasks do, as the kernel and their stacks tell it.
    State,
    /// What the tasks have recorded of their calls of MPI.
    Recorder,
}

/// Who is named, and why.
#[derive(Clone, Debug, PartialEq)]
pub struct Finding {
    /// How sure it is.
    pub certainty: Certainty,
    /// What it rests on.
    pub by: Witness,
    /// The classes to look at, as indices into [`Answer::classes`]; empty only where nothing was seen of the stacks of those who are meant.
    pub classes: Vec<usize>,
    /// Those of their tasks that are meant: all, but for [`Grounds::CannotRun`], [`Grounds::AtEntry`], [`Grounds::ThreadsBehind`],
    /// [`Grounds::ThreadAlone`] and [`Grounds::Recorded`].
    pub who: Who,
    /// Why these.
    pub grounds: Grounds,
    /// Why it is not proven, as a sentence without its full stop. `None` for what is.
    pub doubt: Option<String>,
    /// What would prove it, if that is known.
    pub remedy: Option<Advice>,
}

impl Answer {
    /// Whether the answer holds of a job that stands still only, which one look cannot tell.
    pub fn needs_second_look(&self) -> bool {
        self.motion.is_none() && self.rests_on_mpi()
    }

    /// Whether MPI is the witness of who is named.
    pub(crate) fn rests_on_mpi(&self) -> bool {
        self.finding
            .as_ref()
            .is_some_and(|finding| finding.by == Witness::Mpi)
    }
}

/// What a class of tasks is to the hindmost. One rule for all views: nobody who sees two of them may be told two things.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum RelationToHindmost {
    /// It is the hindmost, or one of several.
    Hindmost,
    /// Nobody is proven to be behind it, and who is hindmost is open.
    Candidate,
    /// It is proven to be ahead of somebody.
    Ahead,
    /// It has no place in the order, or its order against some other class is open.
    Unknown,
    /// It is on a branch that has no order against those of the others.
    Incomparable,
}

impl RelationToHindmost {
    /// As JSON spells it.
    pub fn word(self) -> &'static str {
        match self {
            Self::Hindmost => "hindmost",
            Self::Candidate => "candidate",
            Self::Ahead => "ahead",
            Self::Unknown => "unknown",
            Self::Incomparable => "incomparable",
        }
    }
}

impl Answer {
    /// What the class of this index in [`Answer::classes`] is to the hindmost.
    pub fn relation_to_hindmost(&self, class: usize) -> RelationToHindmost {
        if let Some(finding) = self
            .finding
            .as_ref()
            .filter(|finding| finding.settles_what_is_open())
        {
            // Whoever has entered the call is ahead of whoever has not.
            return if finding.classes.contains(&class) {
                RelationToHindmost::Hindmost
            } else {
                RelationToHindmost::Ahead
            };
        }
        let of = &self.classes[class];
        let has = |relation: Relation| of.links.iter().any(|link| link.relation == relation);
        if self.hindmost.iter().any(|hindmost| hindmost.class == class) {
            RelationToHindmost::Hindmost
        } else if of.is_candidate {
            RelationToHindmost::Candidate
        } else if has(Relation::Before) {
            RelationToHindmost::Ahead
        } else if of.outside.is_some() || has(Relation::Unknown) {
            RelationToHindmost::Unknown
        } else {
            RelationToHindmost::Incomparable
        }
    }
}

impl Finding {
    /// Whether it is proven by something else than the order of the code, so that nothing that the order leaves open can change it.
    pub fn settles_what_is_open(&self) -> bool {
        self.certainty == Certainty::Proven && matches!(self.grounds, Grounds::NotEntered { .. })
    }
}

/// Why a job has no map.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NoMap {
    /// Why, as a sentence without its full stop.
    pub reason: String,
    /// What would help, as an imperative without its full stop, if that is known.
    pub remedy: Option<String>,
}

/// Why classes are named.
#[derive(Clone, Debug, PartialEq)]
pub enum Grounds {
    /// They are behind all others in the order of the code: [`Answer::hindmost`] has the proof.
    Behind,
    /// Their tasks cannot run: they are stopped, traced by a debugger, or dead.
    CannotRun,
    /// It is the only one left of its job: all others have ended.
    OnlyOneLeft,
    /// They have not entered a call of MPI that the others cannot leave before.
    NotEntered {
        /// The calls, those of most tasks first.
        calls: Vec<String>,
        /// How many tasks wait in them. All others are ahead of these by the order of the code.
        waiting: u64,
    },
    /// They are outside of any call that waits for other tasks, and all others are inside one.
    AloneOutside {
        /// The calls in which the others wait, most tasks first.
        others_in: Vec<String>,
    },
    /// They are at the very start or end of a call of MPI, in no function below its entry point, and all others wait inside of theirs.
    AtEntry {
        /// The first of those that are named, who may be some tasks of a class.
        first: FirstTask,
        /// The calls in which the others wait, most tasks first.
        others_in: Vec<String>,
    },
    /// Their main threads wait, like everybody's, for threads of their own, and one of these is behind its counterparts in the other
    /// tasks: [`TaskClass::threads_behind`] of the only class has the proof.
    ThreadsBehind {
        /// The first of those that are named, who are some tasks of the class.
        first: FirstTask,
    },
    /// Everybody's main thread waits for threads of its own; one of theirs is in no call that waits, and all others have one that waits for other
    /// tasks.
    ThreadAlone {
        /// The first of those that are named, who may be some tasks of a class.
        first: FirstTask,
        /// Where its thread stands.
        doing: Box<Position>,
        /// The calls in which threads of the others wait, most tasks first.
        others_in: Vec<String>,
    },
    /// The flight recorder finds them: [`Answer::waiting`] says what they have to do with each other or with the others.
    Recorded,
    /// They are few, and the others stand together elsewhere.
    AloneElsewhere {
        /// The calls in which the others are, most tasks first; empty if they are in the program's own code.
        others_in: Vec<String>,
    },
}

/// What comparing the classes came to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Outcome {
    /// At least one hindmost is named: some class is ahead of it, and no open question could change that. The only
    /// task of a job is its hindmost, too.
    Named,
    /// No task could be read.
    NothingReadable,
    /// Tasks were read, but none has a place in the order.
    NotPlaced,
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
    /// The first of them.
    pub first: Option<FirstTask>,
    /// How the first task of the class stands there; the others stand alike.
    pub position: Position,
    /// The stack, outermost first: what calls `main` is left out, what a library does below the program is folded
    /// into one frame.
    pub frames: Vec<FrameView>,
    /// No other class is known to be behind it.
    pub is_candidate: bool,
    /// Why its tasks have no place in the order, as a sentence without its full stop; `None` where they have. Such a class is no
    /// candidate and has no links: any of its tasks may be further behind than all others.
    pub outside: Option<String>,
    /// How the candidates stand to this class, where it is not one of them.
    pub links: Vec<Link>,
    /// Why the order among the members is unknown, if it is.
    pub unordered: Option<String>,
    /// What the kernel says of its tasks, if it was asked.
    pub state: Option<ClassState>,
    /// Its tasks by the arguments that they gave to the MPI call they are in, where these differ.
    pub calls: Vec<(Who, CallView)>,
    /// The threads of its tasks besides their main ones, alike ones together.
    pub threads: Vec<ThreadGroup>,
    /// Where its main threads wait for other threads: which of those are behind their counterparts in other tasks of the class.
    pub threads_behind: Vec<ThreadsBehind>,
}

/// The task that stands for its class.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct FirstTask {
    /// Its rank.
    pub rank: Option<u32>,
    /// Its process.
    pub pid: Option<u32>,
    /// The host that it runs on, where the job runs on several.
    pub host: String,
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
    /// A word for what decided, or for why nothing did, if the two were compared directly; it stays the same from version to version.
    pub reason_code: Option<&'static str>,
    /// The same in parts, where the two were compared directly and `relation` is `Before`.
    pub parting: Option<Parting>,
}

/// How a task that is behind stands to one that is ahead.
#[derive(Clone, Debug, PartialEq)]
pub enum Parting {
    /// They are in different iterations of a loop.
    Iteration {
        /// The line of the loop.
        in_loop: Line,
        /// The variable that tells the iteration.
        variable: String,
        /// Its value on the one that is behind.
        behind: Value,
        /// Its value on the one that is ahead.
        ahead: Value,
    },
    /// They are at different lines of one function.
    Line {
        /// The loop in whose iteration both are, its variable and its value; `None` outside of loops, or where the value differs.
        within: Option<(Line, String, Value)>,
        /// The line of the one that is behind.
        behind: Line,
        /// The line of the one that is ahead.
        ahead: Line,
    },
}

/// A line of a source file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Line {
    /// The file as short messages spell it.
    pub short_file: String,
    /// The line, from 1.
    pub line: u32,
}

/// Where a class is in the program.
#[derive(Clone, Debug, PartialEq)]
pub struct Position {
    /// The innermost function of the program.
    pub function: String,
    /// As [`FrameView::qualified`](crate::FrameView::qualified).
    pub qualified: Option<String>,
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
    /// The reason itself.
    pub unknown_because: Reason,
    /// What the user can do about it.
    pub advice: Option<Advice>,
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
    /// The class that shows its stack, as an index into [`Answer::classes`]; `None` if nothing of its stack was seen.
    pub class: Option<usize>,
}
