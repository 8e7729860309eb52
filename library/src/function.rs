//! A row of the tables: one library function.

use crate::argument::{Access, Argument, Role};

/// What a function's value is on different tasks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Value {
    /// A function of its arguments alone (and of errno, which tells no iteration).
    OfArguments,
    /// The same on every task: the size of a communicator, success, the result of a collective.
    Same,
    /// Different on every task.
    Differs,
}

/// The pointer that a function returns, if it does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Returned {
    /// It may point to new memory.
    pub new: bool,
    /// It may be this argument, or point into what this argument points to.
    pub argument: Option<u8>,
}

/// How often a call returns.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Exit {
    /// Once.
    Once,
    /// It may return again: control then reappears behind the call.
    Twice,
    /// Never.
    Never,
}

/// Whom a call waits for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Wait {
    /// Nobody.
    Nobody,
    /// It asks, without waiting, whether others have done their part.
    Asks,
    /// It may return only when other tasks have done their part.
    Tasks,
    /// It may return only when other threads of the process have done theirs.
    Threads,
    /// It sleeps until a time is over, or the kernel reports something before.
    Time,
}

/// When an operation is done that a call names.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Timing {
    /// When the call returns.
    AtOnce,
    /// When the request that the call makes is complete.
    Later,
    /// Each time that the request is started, and complete again.
    Persistent,
}

/// Who gets data from whom in a collective operation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Flow {
    /// Each task from all: nobody leaves before all have entered, if each part has data.
    EveryPart,
    /// All from one.
    FromRoot,
    /// One from all.
    ToRoot,
    /// Each from those of lower rank.
    Prefix,
    /// Each from its neighbours in the communicator's topology.
    Neighbours,
    /// What the library exchanges is its own business: communicators, windows and the job itself are made and ended.
    Management,
}

/// A function's part in communication.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Part {
    /// None.
    Local,
    /// It sends a message.
    Sends,
    /// It copies a message that is sent when its receiver is ready: nobody need receive it.
    SendsBuffered,
    /// It receives one.
    Receives,
    /// It receives the message that an earlier call has taken.
    ReceivesTaken,
    /// It sends one and receives another.
    Exchanges,
    /// It looks at a message that it leaves for another call.
    Probes,
    /// It takes a message, which another call then receives.
    Takes,
    /// It starts what was prepared.
    Starts,
    /// It completes operations, or asks whether they are.
    Completes,
    /// All tasks of a communicator take part.
    Collective(Flow),
    /// It writes to another task's window.
    Puts,
    /// It reads from one.
    Gets,
    /// It does both.
    Updates,
    /// It opens memory to other tasks.
    Opens,
    /// It opens or closes, together with other tasks, the time in which a window is used.
    Epoch,
    /// It uses a file that several tasks have open.
    File,
    /// It turns a variable into an address, which a datatype may hold.
    TakesAddress,
}

/// What functions keep between calls for others of the same group to see.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum HiddenState {
    /// The generator of random numbers.
    Random,
    /// The environment of the process.
    Environment,
    /// The text that `strtok` takes apart.
    Tokens,
    /// The units of Fortran: what stands in them, and where they are.
    Units,
}

impl HiddenState {
    /// A name to show for it.
    pub fn name(self) -> &'static str {
        match self {
            HiddenState::Random => "rand",
            HiddenState::Environment => "environ",
            HiddenState::Tokens => "strtok",
            HiddenState::Units => "unit",
        }
    }
}

/// What a call does to communicators, other than to use them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Handling {
    /// Nothing that is known.
    Unknown,
    /// It makes one from others, and does nothing else to one.
    Makes,
    /// It frees one.
    Frees,
}

/// What a call does to the time in which tasks reach into each other's windows, an access epoch.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum EpochCall {
    /// It ends one and begins the next, with all tasks of the window.
    Fence,
    /// It begins one for the tasks of a group.
    Start,
    /// It ends what [`EpochCall::Start`] began.
    Complete,
    /// It lets the tasks of a group in.
    Post,
    /// It waits, or asks, until those have completed theirs.
    Wait,
    /// It begins one that others can be kept out of.
    Lock,
    /// It ends that.
    Unlock,
    /// It completes operations within one.
    Flush,
}

impl EpochCall {
    /// Whether a call of another task lets a task go on that waits in this one.
    pub fn is_let_go_by(self, other: Self) -> bool {
        use EpochCall::{Complete, Fence, Lock, Post, Start, Unlock, Wait};
        matches!(
            (self, other),
            (Fence, Fence) | (Start | Complete, Post) | (Wait, Complete) | (Lock, Unlock)
        )
    }
}

/// A library function.
#[derive(Clone, Copy, Debug)]
pub struct Function {
    /// Its name; of MPI, as the standard writes it.
    pub name: &'static str,
    /// Its arguments.
    pub arguments: &'static [Argument],
    /// All arguments after them, of functions that take any number.
    pub more: Option<Argument>,
    /// What it does to memory is known: it reaches nothing but its arguments and its state, and calls nothing but the functions that it is
    /// given.
    pub known: bool,
    /// What it returns, on different tasks.
    pub value: Value,
    /// The pointer that it returns.
    pub returned: Returned,
    /// It copies what its argument of the second number points to, to what that of the first points to.
    pub copies: Option<(u8, u8)>,
    /// It sets as many bytes of what its first argument points to as its third says, whatever is in them.
    pub fills: bool,
    /// What it keeps between calls.
    pub state: Option<HiddenState>,
    /// How often a call returns.
    pub exit: Exit,
    /// Whom a call waits for.
    pub wait: Wait,
    /// Tasks of other jobs take part: a server's, or those of a job that it starts.
    pub with_other_jobs: bool,
    /// Its part in communication.
    pub part: Part,
    /// When what it does is done.
    pub timing: Timing,
    /// What it does to communicators.
    pub communicators: Handling,
    /// Only the members of the communicator that it makes call it, not all of the one that it is made from.
    pub by_members: bool,
    /// How it begins, ends or completes the time in which tasks reach into each other's windows.
    pub epoch: Option<EpochCall>,
    /// What a call does shows in its value alone: a compiler may leave it out, or make it once for several.
    pub pure: bool,
}

impl Function {
    /// What it does through its argument `index`; `None` beyond those that it has.
    pub fn argument(&self, index: usize) -> Option<Argument> {
        self.arguments.get(index).copied().or(self.more)
    }

    /// The first argument with a role.
    pub fn role(&self, wanted: Role) -> Option<usize> {
        self.arguments
            .iter()
            .position(|argument| argument.role == Some(wanted))
    }

    /// Whether it may be given functions of the program, and call them.
    pub fn calls_back(&self) -> bool {
        self.arguments
            .iter()
            .any(|argument| argument.access == Access::Calls)
    }

    /// The argument through which it stores the address of new memory, or the handle of a new request.
    pub fn gives(&self) -> Option<usize> {
        self.arguments.iter().position(|argument| argument.gives)
    }

    /// Whether it is a barrier that waits: nobody leaves it before all have entered, and it carries nothing.
    pub fn is_barrier(&self) -> bool {
        self.part == Part::Collective(Flow::EveryPart)
            && self.timing == Timing::AtOnce
            && !self.carries_data()
    }

    /// Whether it carries data of the program: a barrier has none.
    pub fn carries_data(&self) -> bool {
        self.arguments.iter().any(|argument| argument.carried)
    }

    /// Whether it is about messages from one task to another: who is in it is in no blocking collective operation.
    pub fn is_point_to_point(&self) -> bool {
        use Part::{
            Completes, Exchanges, Probes, Receives, ReceivesTaken, Sends, SendsBuffered, Starts, Takes,
        };
        matches!(
            self.part,
            Sends
                | SendsBuffered
                | Receives
                | ReceivesTaken
                | Exchanges
                | Probes
                | Takes
                | Starts
                | Completes
        )
    }
}

impl Function {
    /// A row of which nothing but its arguments and its value is out of the ordinary.
    pub(crate) const fn new(
        name: &'static str,
        arguments: &'static [Argument],
        more: Option<Argument>,
        value: Value,
    ) -> Self {
        Self {
            name,
            arguments,
            more,
            known: true,
            value,
            returned: Returned {
                new: false,
                argument: None,
            },
            copies: None,
            fills: false,
            state: None,
            exit: Exit::Once,
            wait: Wait::Nobody,
            with_other_jobs: false,
            part: Part::Local,
            timing: Timing::AtOnce,
            communicators: Handling::Unknown,
            by_members: false,
            epoch: None,
            pure: false,
        }
    }
}

/// Makes each word of the tables a method that sets one column.
macro_rules! words {
    ($($word:ident: $($column:ident).+ = $value:expr;)*) => {
        impl Function {
            $(pub(crate) const fn $word(mut self) -> Self {
                self.$($column).+ = $value;
                self
            })*
        }
    };
}

words! {
    of_arguments: value = Value::OfArguments;
    pure: pure = true;
    differs: value = Value::Differs;

    // Other threads may change memory while it waits: it is taken to change anything.
    effects_unknown: known = false;
    allocates: returned.new = true;
    returns_first: returned.argument = Some(0);
    copies_second_to_first: copies = Some((0, 1));
    copies_first_to_second: copies = Some((1, 0));
    fills: fills = true;
    random: state = Some(HiddenState::Random);
    environment: state = Some(HiddenState::Environment);
    tokens: state = Some(HiddenState::Tokens);
    units: state = Some(HiddenState::Units);

    returns_twice: exit = Exit::Twice;
    never_returns: exit = Exit::Never;

    waits: wait = Wait::Tasks;
    with_other_jobs: with_other_jobs = true;
    waits_for_threads: wait = Wait::Threads;
    sleeps: wait = Wait::Time;
    tests: wait = Wait::Asks;

    later: timing = Timing::Later;
    persistent: timing = Timing::Persistent;

    sends: part = Part::Sends;
    sends_buffered: part = Part::SendsBuffered;
    receives: part = Part::Receives;
    receives_taken: part = Part::ReceivesTaken;
    exchanges: part = Part::Exchanges;
    probes: part = Part::Probes;
    takes: part = Part::Takes;
    starts: part = Part::Starts;
    completes: part = Part::Completes;
    every_part: part = Part::Collective(Flow::EveryPart);
    one_to_all: part = Part::Collective(Flow::FromRoot);
    all_to_one: part = Part::Collective(Flow::ToRoot);
    prefix: part = Part::Collective(Flow::Prefix);
    neighbours: part = Part::Collective(Flow::Neighbours);
    manages: part = Part::Collective(Flow::Management);
    puts: part = Part::Puts;
    gets: part = Part::Gets;
    updates: part = Part::Updates;
    opens: part = Part::Opens;
    epoch: part = Part::Epoch;
    file: part = Part::File;
    takes_address: part = Part::TakesAddress;

    makes_communicator: communicators = Handling::Makes;
    frees_communicator: communicators = Handling::Frees;
    by_members: by_members = true;
    fences: epoch = Some(EpochCall::Fence);
    starts_epoch: epoch = Some(EpochCall::Start);
    completes_epoch: epoch = Some(EpochCall::Complete);
    posts: epoch = Some(EpochCall::Post);
    awaits_epoch: epoch = Some(EpochCall::Wait);
    locks: epoch = Some(EpochCall::Lock);
    unlocks: epoch = Some(EpochCall::Unlock);
    flushes: epoch = Some(EpochCall::Flush);
}
