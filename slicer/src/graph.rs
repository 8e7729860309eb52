//! The dependence graph as columns: what was worked out about a program, ready to be walked backward.
//!
//! Nodes are what a slice is made of. Those of a function stand together: its points, in the order of its flow graph; its
//! parameters, and one node for all arguments beyond them; then, call by call, the arguments. After all functions come the
//! initial values of variables in memory.
//!
//! Dependences inside a function are edges. Dependences through memory are not: a node has *accesses*, and the walk goes
//! from a read to the writes of the same memory over places and objects, which is linear where edges would be quadratic.

use crate::places::{Key, NameId, ObjectId, PlaceId};
use base::{IdVec, define_id};
use rayon::prelude::*;
use std::collections::BTreeMap;

define_id!(
    /// A statement, or a part of one.
    NodeId, "n"
);
define_id!(
    /// A function with source.
    FunctionId, "f"
);
define_id!(
    /// A source file.
    FileId, "file"
);

/// What a node is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NodeKind {
    /// An assignment, a branch, a return or a jump.
    Plain,
    /// A call.
    Call,
    /// A parameter, on entry of the function.
    Parameter,
    /// An argument of a call.
    Argument,
    /// The value that a variable in memory has when the program starts.
    Initial,
}

/// Something that a slice may contain.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Node {
    pub(crate) kind: NodeKind,
    /// The function it is in; none for an initial value.
    pub(crate) function: Option<FunctionId>,
    pub(crate) file: FileId,
    pub(crate) line: u32,
    pub(crate) column: u32,
    /// The last line of its text.
    pub(crate) end_line: u32,
    /// No text stands for it: where branches meet, and where loops begin.
    pub(crate) is_join: bool,
}

/// How a node depends on another of the same function.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum EdgeKind {
    /// The other is a branch that decides whether this is executed.
    Control,
    /// The other may have given the variable, a local one, its value.
    Local,
    /// The same of a variable that chooses which memory the node reads or writes: a pointer, or an index.
    Choice,
    /// The other computes a part of the expression.
    Part,
    /// The other is a jump that this branch, or being in this function at all, leads to.
    Jump,
    /// The other is a call that may not return, so that this is not executed.
    Ends,
    /// The other is a macro that may leave the function, so that this is not executed.
    Leaves,
}

/// A dependence inside a function.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Edge {
    pub(crate) to: NodeId,
    pub(crate) kind: EdgeKind,
    /// The variable, of a [`EdgeKind::Local`] or [`EdgeKind::Choice`].
    pub(crate) name: Option<NameId>,
}

/// Memory that a node reads or writes: this part of what the place points to.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct MemoryAccess {
    pub(crate) place: PlaceId,
    pub(crate) key: Key,
    /// How the source names it, for the reader.
    pub(crate) name: Option<NameId>,
    /// What it is read for.
    pub(crate) purpose: Purpose,
}

/// What memory is read for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Purpose {
    /// Its value is used.
    Value,
    /// It chooses which memory the node reads or writes, and makes no value.
    Choice,
    /// It is what handles of requests stand for, where no statement of the program writes: only calls of the library do.
    Request,
}

impl MemoryAccess {
    /// Of a value that is used, or written.
    pub(crate) fn new(place: PlaceId, key: Key, name: Option<NameId>) -> Self {
        MemoryAccess {
            place,
            key,
            name,
            purpose: Purpose::Value,
        }
    }
}

/// A call.
#[derive(Clone, Debug)]
pub(crate) struct Call {
    pub(crate) node: NodeId,
    /// What is called, as the source names it; none through a pointer.
    pub(crate) name: Option<NameId>,
    /// The functions with source that may be meant.
    pub(crate) callees: Vec<FunctionId>,
    /// These are called by a function without source, with any of the values that it was given.
    pub(crate) hands_on: bool,
    /// Its first argument's node; the others follow.
    pub(crate) first_argument: NodeId,
    pub(crate) arguments: u32,
    /// The first of them that stands for any number: the expansion of a parameter pack.
    pub(crate) expands: Option<u32>,
    /// The message that it sends, waits for, or takes part in.
    pub(crate) message: Option<Message>,
}

/// What a call does in communication.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Message {
    pub(crate) role: MessageRole,
    /// The operation, `MPI_Allreduce`: collectives meet those of the same name.
    pub(crate) operation: String,
    /// All tags that it may name, sorted, if they are known.
    pub(crate) tag: Option<Vec<i64>>,
    /// The tags of what is received, of `MPI_Sendrecv`.
    pub(crate) receive_tag: Option<Vec<i64>>,
    /// What it sends by the calls of the wrappers around it: all calls that there are, or nothing where these do not tell.
    pub(crate) sends: Vec<ByCaller>,
    /// The same of what it receives.
    pub(crate) receives: Vec<ByCaller>,
    /// All communicators that it may be about, sorted, if they are known. Two communicators that may be the same have one number.
    pub(crate) communicator: Option<Vec<u32>>,
    /// No buffer is named: the datatype holds addresses.
    pub(crate) by_address: bool,
    /// Arguments that are buffers, as bits: what stands in them is carried, and decides nothing about the call.
    pub(crate) carried: u32,
}

/// The tags that a message has where these calls lead to it.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) struct ByCaller {
    /// From the call of the function that the message is in outward.
    pub(crate) calls: Vec<NodeId>,
    /// If they are known.
    pub(crate) tags: Option<Vec<i64>>,
}

/// Which side of a message a call is on.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum MessageRole {
    /// It sends.
    Send,
    /// It receives.
    Receive,
    /// Both.
    Both,
    /// All tasks of a communicator take part.
    Collective,
    /// It writes to another task's window.
    Put,
    /// It reads from one.
    Get,
    /// It does both.
    Update,
    /// It opens memory to other tasks.
    Window,
    /// It begins or ends a time in which tasks reach into each other's windows.
    Epoch,
    /// It looks at a message that it leaves for another call.
    Probe,
    /// It takes a variable's address, to be put into a datatype (`MPI_Get_address`).
    Address,
    /// A pointer tells which of several operations it is.
    Any,
}

/// What a function of the graph stands for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum FunctionKind {
    /// A function of the source.
    Source,
    /// The definition of a macro: part of what happens at the calls of it.
    Macro,
    /// A table between many calls and the many functions that each of them may call.
    Table,
}

/// A function.
#[derive(Clone, Debug)]
pub(crate) struct Function {
    pub(crate) name: NameId,
    pub(crate) kind: FunctionKind,
    pub(crate) file: FileId,
    pub(crate) line: u32,
    pub(crate) end_line: u32,
    pub(crate) first_node: NodeId,
    /// How many points it has.
    pub(crate) points: u32,
    /// Its parameters; one more node, for all arguments beyond them, comes after theirs.
    pub(crate) params: u32,
    /// Of its parameters the one that takes all arguments from its place on: a parameter pack of C++.
    pub(crate) pack: Option<u32>,
    /// The points that return a value, and the macros that may; of a macro's statements, all that leave the function around it.
    pub(crate) returns: Vec<NodeId>,
    /// The calls that may not return, and so end the function.
    pub(crate) ends: Vec<NodeId>,
    /// The calls that may mean it.
    pub(crate) callers: Vec<NodeId>,
    /// Why the slice may be incomplete here, if it may.
    pub(crate) distrust: Option<String>,
}

impl Function {
    pub(crate) fn parameter(&self, index: u32) -> NodeId {
        base::Id::from_index(
            base::Id::index(self.first_node) + (self.points + index.min(self.params)) as usize,
        )
    }
}

/// Lists, one for each row, end to end.
#[derive(Clone, Debug)]
pub(crate) struct Lists<T> {
    ends: Vec<u32>,
    items: Vec<T>,
}

impl<T: Copy + Ord> Lists<T> {
    /// From pairs of a row and an item; `rows` rows, each sorted and without duplicates.
    pub(crate) fn new(rows: usize, mut pairs: Vec<(u32, T)>) -> Self
    where
        T: Send,
    {
        pairs.par_sort_unstable();
        pairs.dedup();
        let mut ends = vec![0_u32; rows];
        for &(row, _) in &pairs {
            ends[row as usize] += 1;
        }
        let mut end = 0;
        for each in &mut ends {
            end += *each;
            *each = end;
        }
        Lists {
            ends,
            items: pairs.into_iter().map(|(_, item)| item).collect(),
        }
    }

    pub(crate) fn of(&self, row: usize) -> &[T] {
        let start = row.checked_sub(1).map_or(0, |before| self.ends[before]);
        &self.items[start as usize..self.ends[row] as usize]
    }

    pub(crate) fn len(&self) -> usize {
        self.items.len()
    }

    pub(crate) fn rows(&self) -> usize {
        self.ends.len()
    }

    /// The items of all rows.
    pub(crate) fn all(&self) -> &[T] {
        &self.items
    }

    /// From the end of each row and all items; the ends rise, and the last is the number of items.
    pub(crate) fn from_parts(ends: Vec<u32>, items: Vec<T>) -> Self {
        Lists { ends, items }
    }
}

define_id!(
    /// A class of objects that are not told apart, because pointers that may be equal point to them.
    ClassId, "class"
);

/// What the values of a place may point to.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) enum Labels {
    /// These objects, or members of them: a row of [`Memory::few`].
    Few(u32),
    /// Too many to list, or it is not known where the values come from: everything in these classes, a row of
    /// [`Memory::many`].
    Many(u32),
}

/// Who writes what, so that a read finds its writers.
#[derive(Clone, Debug)]
pub(crate) struct Memory {
    /// By place.
    pub(crate) labels: Vec<Labels>,
    /// By place: what it points to is accessed by members, from here or from where its values go.
    pub(crate) structured: Vec<bool>,
    pub(crate) few: Lists<(ObjectId, Key)>,
    pub(crate) many: Lists<(ClassId, Key)>,
    /// The nodes that write each object, and which part, where it is known that it is this one of few.
    pub(crate) writers_of_object: Lists<(Key, NodeId)>,
    /// The nodes that write one of many objects of a class.
    pub(crate) writers_of_many: Lists<(Key, NodeId)>,
    /// All nodes that write anything of a class.
    pub(crate) writers_of_class: Lists<(Key, NodeId)>,
    pub(crate) class_of: IdVec<ObjectId, ClassId>,
    /// Of memory that a function with source allocates and returns: the object that it writes to inside.
    pub(crate) origins: BTreeMap<ObjectId, ObjectId>,
    /// Members that stand inside others somewhere in the program, and those around them: of one object, they share memory.
    pub(crate) related: Lists<NameId>,
}

impl Memory {
    /// The parts that an access to part `key` of what a place points to may concern, given that a value of the place
    /// points to the part `member` of an object; `structured` if the place is accessed by members.
    pub(crate) fn parts(structured: bool, member: Key, key: Key) -> [Option<Key>; 2] {
        match (member, key) {
            (None, key) => [Some(key), None],
            // Of a member that has members itself, the object around shows them. The member by itself says the same of fewer, which
            // are nearer.
            (Some(member), None) if structured => [Some(Some(member)), Some(None)],
            (Some(member), None) => [Some(Some(member)), None],
            // A member of what is itself a member may also be written as a part of that.
            (Some(member), Some(key)) if member == key => [Some(Some(key)), None],
            (Some(member), Some(key)) => [Some(Some(key)), Some(Some(member))],
        }
    }
}

/// The implicit calls of C++.
#[derive(Clone, Debug, Default)]
pub(crate) struct ImplicitCalls {
    /// The functions that may be called so, sorted: constructors, destructors, operators, conversions.
    pub(crate) functions: Vec<FunctionId>,
    /// The functions that objects of classes are called as, sorted: only what is given such an object can call them.
    pub(crate) objects: Vec<FunctionId>,
    /// The nodes that may call one of them, sorted.
    pub(crate) sites: Vec<NodeId>,
}

impl ImplicitCalls {
    /// All functions that may be called so.
    pub(crate) fn all(&self) -> impl Iterator<Item = FunctionId> + '_ {
        self.functions.iter().chain(&self.objects).copied()
    }
}

/// For each of `nodes` nodes the number of its call, from 1; 0 where there is none. Calls of nodes that do not exist have none.
pub(crate) fn call_numbers(nodes: usize, calls: &[Call]) -> Vec<u32> {
    let mut numbers = vec![0; nodes];
    for (number, call) in (1..).zip(calls) {
        if let Some(slot) = numbers.get_mut(base::Id::index(call.node)) {
            *slot = number;
        }
    }
    numbers
}

/// For each function where its calls stand among all calls, which are sorted by node.
pub(crate) fn call_ranges(functions: &IdVec<FunctionId, Function>, calls: &[Call]) -> Vec<(u32, u32)> {
    let before = |node: usize| calls.partition_point(|call| base::Id::index(call.node) < node) as u32;
    let range = |function: &Function| {
        let first = base::Id::index(function.first_node);
        (
            before(first),
            before(first.saturating_add(function.points as usize)),
        )
    };
    functions.iter().map(range).collect()
}

/// The dependence graph of a program.
#[derive(Clone, Debug)]
pub struct Graph {
    pub(crate) names: Vec<String>,
    pub(crate) files: IdVec<FileId, String>,
    /// By file: the hash of the contents that were read.
    pub(crate) hashes: IdVec<FileId, [u8; 32]>,
    pub(crate) nodes: IdVec<NodeId, Node>,
    pub(crate) functions: IdVec<FunctionId, Function>,
    /// Sorted by node.
    pub(crate) calls: Vec<Call>,
    /// By node: the number of its call, from 1; 0 where there is none. Follows from the calls.
    pub(crate) call_numbers: Vec<u32>,
    /// By function: where its calls stand among all of them. Follows from these, too.
    pub(crate) call_ranges: Vec<(u32, u32)>,
    pub(crate) edges: Lists<Edge>,
    pub(crate) reads: Lists<MemoryAccess>,
    /// Control flow backward, inside functions.
    pub(crate) preds: Lists<NodeId>,
    pub(crate) memory: Memory,
    pub(crate) implicit: ImplicitCalls,
    /// What is not followed: the file, and why its code may do more than the graph shows.
    pub(crate) in_part: Vec<(String, String)>,
}

/// The name of a table.
pub(crate) const NO_NAME: &str = "";

impl Graph {
    /// Whether a function is the definition of a macro: part of what happens at the calls of it.
    pub(crate) fn is_macro(&self, function: FunctionId) -> bool {
        self.functions[function].kind == FunctionKind::Macro
    }

    /// Whether a function is none of the source: a macro, or a table of functions.
    pub(crate) fn is_hidden(&self, function: FunctionId) -> bool {
        self.functions[function].kind != FunctionKind::Source
    }

    /// Whether a function is a table of functions.
    pub(crate) fn is_table(&self, function: FunctionId) -> bool {
        self.functions[function].kind == FunctionKind::Table
    }

    /// Whether a call may lead to a function, directly or by way of tables.
    pub(crate) fn leads_to(&self, call: &Call, function: FunctionId) -> bool {
        let mut work = vec![call];
        while let Some(call) = work.pop() {
            if call.callees.binary_search(&function).is_ok() {
                return true;
            }
            for &table in call.callees.iter().filter(|&&callee| self.is_table(callee)) {
                work.extend(self.calls_of(table));
            }
        }
        false
    }

    /// The call at a node.
    pub(crate) fn call(&self, node: NodeId) -> Option<&Call> {
        let number = self.call_numbers[base::Id::index(node)].checked_sub(1)?;
        Some(&self.calls[number as usize])
    }

    /// The calls of a function.
    pub(crate) fn calls_of(&self, function: FunctionId) -> &[Call] {
        let (first, end) = self.call_ranges[base::Id::index(function)];
        &self.calls[first as usize..end as usize]
    }

    /// A name.
    pub(crate) fn name(&self, id: NameId) -> &str {
        &self.names[base::Id::index(id)]
    }

    /// How many statements, functions and dependences inside functions there are.
    pub fn counts(&self) -> (usize, usize, usize) {
        (self.nodes.len(), self.functions.len(), self.edges.len())
    }
}
