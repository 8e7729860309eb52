//! What a library function does through one of its arguments, and the words that the tables use for it.

/// What a function reaches through an argument.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Access {
    /// Nothing: a number, or a handle that only names something.
    Value,
    /// A handle that stands for an object which the function reads and may change.
    Object,
    /// Memory that it reads before it returns.
    Reads,
    /// Memory that it writes, and may read, before it returns.
    Writes,
    /// Memory that it reads until an operation is complete, after it has returned.
    ReadsLater,
    /// Memory that it, or another task, may write after it has returned.
    WritesLater,
    /// A function of the program that it may call, now or later.
    Calls,
}

/// How much of the memory behind an argument a function writes at most.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Extent {
    /// The one object that the argument points to.
    One,
    /// As many objects as the next argument says, of the type that the one after it names.
    Counted,
    /// Any number of bytes.
    Any,
}

/// What an argument means to a function of MPI, where that tells what a task in it waits for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Role {
    /// How many elements, or requests.
    Count,
    /// The rank that is sent to.
    Destination,
    /// The rank that is received from.
    Source,
    /// The rank that a collective operation starts or ends at.
    Root,
    /// The tag of what is sent.
    SendTag,
    /// The tag of what is received.
    ReceiveTag,
    /// The communicator.
    Communicator,
    /// A request, or an array of them.
    Request,
}

/// One argument of a library function.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Argument {
    /// What is reached through it.
    pub access: Access,
    /// How much is written there.
    pub extent: Extent,
    /// What is written there is the same on every task of the communicator; without one, on every task of the job.
    pub same: bool,
    /// What it points to is followed over one more pointer, or to what the handle there stands for.
    pub inside: bool,
    /// What it points to are handles of requests: what such a handle stands for, nobody writes but functions of the library.
    pub requests: bool,
    /// The address of new memory, or a handle of a new request, is stored there.
    pub gives: bool,
    /// It is a part of a message: what stands there is carried, and decides nothing about the call.
    pub carried: bool,
    /// What it tells about what the call waits for.
    pub role: Option<Role>,
}

impl Argument {
    const fn new(access: Access) -> Self {
        Self {
            access,
            extent: Extent::Any,
            same: false,
            inside: false,
            requests: false,
            gives: false,
            carried: false,
            role: None,
        }
    }

    const fn role(mut self, role: Role) -> Self {
        self.role = Some(role);
        self
    }

    const fn one(mut self) -> Self {
        self.extent = Extent::One;
        self
    }

    const fn counted(mut self) -> Self {
        self.extent = Extent::Counted;
        self
    }

    const fn same(mut self) -> Self {
        self.same = true;
        self
    }

    pub(crate) const fn inside(mut self) -> Self {
        self.inside = true;
        self
    }

    const fn requests(mut self) -> Self {
        self.requests = true;
        self
    }

    const fn gives(mut self) -> Self {
        self.gives = true;
        self
    }

    const fn carried(mut self) -> Self {
        self.carried = true;
        self
    }
}

/// The words for arguments in the tables of all libraries.
pub(crate) mod words {
    use super::{Access, Argument};

    /// A number, or any other value that is not followed.
    pub(crate) const N: Argument = Argument::new(Access::Value);
    /// Memory that is read.
    pub(crate) const IN: Argument = Argument::new(Access::Reads).carried();
    /// Memory that is written, and perhaps read.
    pub(crate) const OUT: Argument = Argument::new(Access::Writes).carried();
    /// One object that is written, and perhaps read.
    pub(crate) const ONE: Argument = Argument::new(Access::Writes).one();
    /// Memory that is read, or written, after the call has returned.
    pub(crate) const IN_LATER: Argument = Argument::new(Access::ReadsLater).carried();
    pub(crate) const OUT_LATER: Argument = Argument::new(Access::WritesLater).carried();
    /// One pointer that is set to new memory.
    pub(crate) const NEW_MEMORY: Argument = ONE.inside().gives();
    /// A function of the program.
    pub(crate) const FUNCTION: Argument = Argument::new(Access::Calls).inside();
}

/// More words, for the tables of MPI.
pub(crate) mod mpi_words {
    pub(crate) use super::words::{FUNCTION, IN, IN_LATER, N, NEW_MEMORY, ONE, OUT, OUT_LATER};
    use super::{Access, Argument, Role};

    /// A handle that names something: a window of a put, an operation of a reduction.
    pub(crate) const HANDLE: Argument = N;
    /// The datatype of the elements of a buffer.
    pub(crate) const TYPE: Argument = N;
    /// How many elements or requests: the one of several that tells what the call waits for.
    pub(crate) const COUNT: Argument = N.role(Role::Count);
    pub(crate) const DEST: Argument = N.role(Role::Destination);
    pub(crate) const SOURCE: Argument = N.role(Role::Source);
    pub(crate) const ROOT: Argument = N.role(Role::Root);
    pub(crate) const SEND_TAG: Argument = N.role(Role::SendTag);
    pub(crate) const RECV_TAG: Argument = N.role(Role::ReceiveTag);
    /// The communicator that messages go over.
    pub(crate) const COMM: Argument = N.role(Role::Communicator);

    /// A handle whose object is asked or changed.
    pub(crate) const OBJECT: Argument = Argument::new(Access::Object).inside();
    pub(crate) const COMM_OBJECT: Argument = OBJECT.role(Role::Communicator);
    pub(crate) const REQUEST_OBJECT: Argument = OBJECT.role(Role::Request);

    /// An array of numbers, text, or a status, which is read.
    pub(crate) const LIST: Argument = Argument::new(Access::Reads);
    pub(crate) const LIST_LATER: Argument = Argument::new(Access::ReadsLater);
    /// An array of handles or of texts that is read.
    pub(crate) const DEEP: Argument = LIST.inside();
    pub(crate) const DEEP_LATER: Argument = LIST_LATER.inside();
    /// Text or an array of numbers that is written.
    pub(crate) const FILLED: Argument = Argument::new(Access::Writes);
    /// A pointer that is set to what the library has kept.
    pub(crate) const OUT_DEEP: Argument = FILLED.inside();
    pub(crate) const STATUS: Argument = ONE.carried();
    pub(crate) const STATUSES: Argument = FILLED;
    /// A handle that is made, exchanged for another or freed; several of them.
    pub(crate) const NEW: Argument = ONE.inside();
    pub(crate) const NEW_SAME: Argument = NEW.same();
    pub(crate) const NEWS: Argument = FILLED.inside();
    /// The request of the operation that the call starts.
    pub(crate) const NEW_REQUEST: Argument = ONE.inside().gives().requests();
    /// Requests that are started, completed or asked about.
    pub(crate) const REQUEST: Argument = NEW.role(Role::Request).requests();
    pub(crate) const REQUESTS: Argument = NEWS.role(Role::Request).requests();

    /// Buffers of as many elements as the next argument says.
    pub(crate) const OUT_N: Argument = OUT.counted();
    pub(crate) const OUT_N_LATER: Argument = OUT_LATER.counted();
    /// What is the same on all tasks afterwards.
    pub(crate) const SAME: Argument = OUT.same();
    pub(crate) const SAME_N: Argument = OUT_N.same();
    pub(crate) const ONE_SAME: Argument = ONE.same();
    /// The command line.
    pub(crate) const ARGUMENTS: Argument = NEWS.same();

    /// Memory of which the function keeps the address: it may be written later, by whoever has it.
    pub(crate) const KEPT: Argument = Argument::new(Access::WritesLater).inside();
}
