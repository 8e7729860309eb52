//! Walking dependences backward from a criterion, nearest first.
//!
//! The state of the walk is a statement in a context. Contexts keep calls apart as far as a hung stack tells: a function *on
//! the stack* is entered from its caller there and from nowhere else, and only what leads to the call under way counts; a
//! function that *has been called* takes its parameters from those calls through which the walk came in, or, when what it
//! left in memory is wanted, from all calls that may have been executed; and the functions of *other tasks*, which
//! messages lead to, are those of the whole program.
//!
//! From a read of memory the walk goes to the objects that may be read, and from each to all that write it: a table of all
//! pairs of reads and writes would be quadratic. Each part of each object is asked for once.

mod calls;
mod evaluated;
mod memory;
mod messages;

use crate::executed::Executed;
use crate::graph::{Call, EdgeKind, FileId, Graph, Message, NodeId, NodeKind, Purpose};
use crate::places::NameId;
use crate::reached::{Queue, Reached};
use crate::state::{CallingContext, Dependence, Predecessor, Side, State};
use crate::varies::Differences;
use crate::within::Within;
use base::Id as _;
use calls::Entered;
use evaluated::Wholes;
use hashbrown::HashSet;
pub(crate) use memory::{concerned, parts_of};
use std::collections::BTreeSet;

/// How much farther away what a blocked call is given is, where something else is known to have parted the tasks.
const ASIDE: u32 = 2;

/// How far away the choice of which memory is read is (a pointer, an index), as opposed to what is stored there.
const CHOICE: u32 = 3;

/// How far away a branch is that decides whether a value is made, and not what it is.
const GUARD: u32 = 2;

/// How much farther away a value is that all tasks have alike.
const ALIKE: u32 = 2;

/// How far away a macro is that may leave the function: in some programs every other statement is one, and few ever do.
const LEAVES: u32 = 3;

/// How much farther away is what is called implicitly: any statement that has to do with objects may call any such
/// function.
const IMPLICIT: u32 = 4;

/// A walk.
pub(crate) struct Walk<'g> {
    graph: &'g Graph,
    executed: &'g Executed,
    /// The calls that exchange messages; none where messages are not followed to other tasks.
    exchanging: Vec<(&'g Call, &'g Message)>,
    /// The messages whose other ends have been asked for: many calls say the same.
    met: HashSet<(Side, &'g Message)>,
    /// Some message names no buffer.
    uses_addresses: bool,
    /// Some request is the program's own, with memory of the program's behind it (`MPI_Grequest_start`).
    has_own_requests: bool,
    queue: Queue,
    reached: Reached,
    own: Entered,
    other: Entered,
    /// By depth on the stack: the calls under way in macros.
    within: Vec<Vec<NodeId>>,
    /// How much farther away what the criterion depends on is than it would be by itself.
    aside: u32,
    differences: &'g Differences,
    wholes: Wholes,
    keeps_trail: bool,
}

impl<'g> Walk<'g> {
    pub(crate) fn new(
        graph: &'g Graph,
        executed: &'g Executed,
        differences: &'g Differences,
        messages: bool,
    ) -> Self {
        let calls = graph.calls.iter().filter(|_| messages);
        let exchanging: Vec<_> = calls
            .filter_map(|call| Some((call, call.message.as_ref()?)))
            .collect();
        Walk {
            graph,
            executed,
            has_own_requests: graph
                .names
                .iter()
                .any(|name| matches!(name.as_str(), "MPI_Grequest_start" | "PMPI_Grequest_start")),
            uses_addresses: exchanging.iter().any(|(_, message)| message.by_address),
            exchanging,
            met: HashSet::new(),
            queue: Queue::default(),
            reached: Reached::new(graph.nodes.len()),
            own: Entered::new(graph.functions.len()),
            other: Entered::new(graph.functions.len()),
            within: vec![Vec::new(); executed.stack.len()],
            aside: 0,
            differences,
            wholes: Wholes::default(),
            keeps_trail: false,
        }
    }

    /// Keeps all steps.
    pub(crate) fn keep_trail(&mut self) {
        self.keeps_trail = true;
    }

    /// What the criterion is given is not where a reader begins.
    pub(crate) fn set_aside(&mut self) {
        self.aside = ASIDE;
    }

    /// Starts from a statement.
    pub(crate) fn start(&mut self, context: CallingContext, node: NodeId, distance: u32, kind: Dependence) {
        self.push(
            State::At(context, node),
            Predecessor {
                distance,
                from: None,
                kind,
                name: None,
            },
        );
        if self.graph.call(node).is_some() && kind == Dependence::Criterion {
            self.push(
                State::Value(context, node),
                Predecessor {
                    distance,
                    from: None,
                    kind,
                    name: None,
                },
            );
        }
        if context == CallingContext::Called
            && let Some(function) = self.graph.nodes[node].function
        {
            self.open(Side::Own, function, State::At(context, node), distance);
        }
    }

    /// Starts from what is under way in macros that a statement of this context calls.
    pub(crate) fn start_within(
        &mut self,
        context: CallingContext,
        within: Within,
        distance: u32,
        kind: Dependence,
    ) {
        for &(function, call) in &within.entered {
            let around = self.graph.nodes[call].function;
            let is_inner = around.is_some_and(|around| self.graph.is_macro(around));
            let context = if is_inner { called(context) } else { context };
            let state = State::At(context, call);
            // What is reached from a state leads back to it: it must not be reached from itself.
            if self.reached.get(&state).is_none() {
                self.start(context, call, distance, Dependence::UnderWay);
            }
            self.site(state, function, (context, call), distance);
        }
        let inner = called(context);
        for &call in &within.calls {
            let step = Predecessor {
                distance,
                from: None,
                kind,
                name: None,
            };
            self.push(State::At(inner, call), step);
            if kind == Dependence::Criterion {
                self.push(State::Value(inner, call), step);
            }
        }
        if let CallingContext::Stack(depth) = context {
            self.within[usize::from(depth)].extend(within.calls);
        }
    }

    /// Starts from the value that a variable has where a statement is executed; `false` if the statement does not name it.
    pub(crate) fn start_variable(&mut self, context: CallingContext, node: NodeId, variable: &str) -> bool {
        let graph = self.graph;
        let mut found = false;
        let state = State::At(context, node);
        let is_it = |name: Option<NameId>| name.is_some_and(|name| graph.name(name) == variable);
        let first = |kind, name| Predecessor {
            distance: 1,
            from: None,
            kind,
            name,
        };
        for edge in graph.edges.of(node.index()) {
            if matches!(edge.kind, EdgeKind::Local | EdgeKind::Choice) && is_it(edge.name) {
                let to = State::At(context, edge.to);
                self.push(to, first(Dependence::Sets, edge.name));
                found = true;
            }
        }
        for access in graph.reads.of(node.index()) {
            if is_it(access.name) {
                self.ask(state, Side::Own, access, 1);
                found = true;
            }
        }
        if found {
            self.reached.origins.push(state);
        }
        if found
            && context == CallingContext::Called
            && let Some(function) = graph.nodes[node].function
        {
            self.open(Side::Own, function, state, 0);
        }
        found
    }

    /// Walks to the end, or until `enough` lines of code and all others that are as near have been met.
    pub(crate) fn run(mut self, enough: Option<usize>) -> Reached {
        let mut lines: BTreeSet<(FileId, u32)> = BTreeSet::new();
        let mut bound = None;
        while let Some((distance, state)) = self.queue.pop() {
            if bound.is_some_and(|bound| distance > bound) {
                self.reached.up_to = bound;
                break;
            }
            if let (Some(enough), State::At(_, node)) = (enough, state)
                && self.graph.is_shown(node)
            {
                let node = &self.graph.nodes[node];
                lines.insert((node.file, node.line));
                if lines.len() >= enough {
                    bound = Some(distance);
                }
            }
            if self
                .reached
                .get(&state)
                .is_some_and(|step| step.distance < distance)
            {
                continue;
            }
            match state {
                State::At(context, node) => self.at(state, context, node, distance),
                State::Value(context, call) => self.value(state, context, call, distance),
                State::Back(context, call) => self.back(state, context, call, distance),
                State::Place(side, labels, structured, key, by) => {
                    self.place(state, side, (labels, structured, key), by, distance);
                }
                State::Written(side, writers, part, by) => {
                    self.written(state, side, (writers, part), by, distance);
                }
                State::Open(side, function) => self.opened(state, side, function, distance),
                State::ImplicitlyCalled(side, file) => self.implicit(state, side, file, distance),
                State::ImplicitCallers(side, file) => self.sites(state, side, file, distance),
            }
        }
        self.reached
    }

    fn push(&mut self, state: State, step: Predecessor) {
        if self.reached.note(state, step) {
            self.queue.push(step.distance, state);
        }
    }

    fn go(&mut self, from: State, to: State, distance: u32, kind: Dependence, name: Option<NameId>) {
        if self.keeps_trail {
            self.reached.trail.push((from, to, kind));
        }
        self.need(from, to, distance, kind, name);
    }

    /// A step that hands on no difference between tasks.
    fn need(&mut self, from: State, to: State, distance: u32, kind: Dependence, name: Option<NameId>) {
        let farther = match to {
            State::At(_, node) if self.is_alike(node) => ALIKE,
            _ => 0,
        };
        let step = Predecessor {
            distance: distance + farther,
            from: Some(from),
            kind,
            name,
        };
        self.push(to, step);
    }

    /// An argument is a part of its call's line, and what it is computed from says the same.
    fn is_alike(&self, node: NodeId) -> bool {
        self.graph.nodes[node].kind != NodeKind::Argument && self.differences.are_alike(node)
    }

    fn entered(&mut self, side: Side) -> &mut Entered {
        match side {
            Side::Own => &mut self.own,
            Side::Other => &mut self.other,
        }
    }

    fn at(&mut self, state: State, context: CallingContext, node: NodeId, distance: u32) {
        let graph = self.graph;
        let starts = |step: &Predecessor| matches!(step.kind, Dependence::Criterion | Dependence::UnderWay);
        let is_start = self.reached.get(&state).is_some_and(starts);
        let distance = if is_start { distance + self.aside } else { distance };
        for edge in graph.edges.of(node.index()) {
            let to = State::At(context, edge.to);
            match edge.kind {
                // Of what has not come, it is asked why it was not sent.
                EdgeKind::Control if is_start || self.is_missed(state) => {
                    self.go(state, to, distance + 1, Dependence::Decides, None);
                }
                EdgeKind::Control => self.go(state, to, distance + GUARD, Dependence::Decides, None),
                EdgeKind::Choice => self.go(state, to, distance + CHOICE, Dependence::Sets, edge.name),
                EdgeKind::Local => self.go(state, to, distance + 1, Dependence::Sets, edge.name),
                EdgeKind::Part => {
                    self.go(state, to, distance, Dependence::Computes, None);
                    if graph.nodes[edge.to].kind == NodeKind::Call {
                        let value = State::Value(context, edge.to);
                        self.go(state, value, distance, Dependence::Computes, None);
                    }
                }
                EdgeKind::Jump => self.go(state, to, distance + 1, Dependence::Jumps, None),
                EdgeKind::Leaves => {
                    self.go(state, to, distance + LEAVES, Dependence::Jumps, None);
                    let value = State::Value(context, edge.to);
                    self.go(state, value, distance + LEAVES, Dependence::Jumps, None);
                }
                EdgeKind::Ends => {
                    self.go(state, to, distance + 3, Dependence::Ends, None);
                    let back = State::Back(context, edge.to);
                    self.go(state, back, distance + 3, Dependence::Ends, None);
                }
            }
        }
        let side = side_of(context);
        for access in graph.reads.of(node.index()) {
            let farther = match access.purpose {
                Purpose::Choice => CHOICE,
                Purpose::Value | Purpose::Request => 1,
            };
            self.ask(state, side, access, distance + farther);
        }
        match graph.nodes[node].kind {
            NodeKind::Call => self.at_call(state, context, node, distance),
            NodeKind::Parameter => self.parameter(state, context, node, distance),
            NodeKind::Plain | NodeKind::Argument | NodeKind::Initial => {}
        }
        if graph.implicit.sites.binary_search(&node).is_ok() {
            for file in [None, Some(graph.nodes[node].file)] {
                let called = State::ImplicitlyCalled(side, file);
                self.go(state, called, distance + IMPLICIT, Dependence::Returns, None);
            }
        }
        self.around_evaluated(state, context, node, distance);
        if let Some(function) = graph.nodes[node].function {
            self.meet(state, context, function, distance);
        }
    }
}

fn side_of(context: CallingContext) -> Side {
    match context {
        CallingContext::Stack(_) | CallingContext::Called => Side::Own,
        CallingContext::Elsewhere => Side::Other,
    }
}

/// The context of what is called from this one.
fn called(context: CallingContext) -> CallingContext {
    match context {
        CallingContext::Stack(_) | CallingContext::Called => CallingContext::Called,
        CallingContext::Elsewhere => CallingContext::Elsewhere,
    }
}
