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

use crate::executed::Executed;
use crate::graph::{
    Access, Call, EdgeKind, FileId, FunctionId, Graph, Labels, Memory, Message, MessageRole, NodeId, NodeKind,
};
use crate::meet::{by_address, compete, fills, in_epoch, meet};
use crate::places::{Key, NameId, PlaceId};
use crate::reached::{Queue, Reached};
use crate::state::{Context, Dependence, Part, Side, State, Step, Writers};
use crate::varies::Differences;
use crate::within::Within;
use base::Id as _;
use hashbrown::HashSet;
use std::collections::BTreeSet;

/// The functions of a side: from where they are entered, and which of their parameters are wanted.
struct Entered {
    /// In the order in which they were found, by function.
    sites: Vec<Vec<(Context, NodeId)>>,
    /// The same, to find one.
    known: HashSet<(FunctionId, Context, NodeId)>,
    /// By function, sorted.
    wanted: Vec<Vec<NodeId>>,
    met: Vec<bool>,
}

impl Entered {
    fn new(count: usize) -> Self {
        Entered {
            sites: vec![Vec::new(); count],
            known: HashSet::new(),
            wanted: vec![Vec::new(); count],
            met: vec![false; count],
        }
    }
}

/// How much farther away what a message carries is than its tag, its peer and its communicator, where the question is why the
/// message did not come.
const CARRIED: u32 = 3;

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
    queue: Queue,
    reached: Reached,
    own: Entered,
    other: Entered,
    /// By depth on the stack: the calls under way in macros.
    within: Vec<Vec<NodeId>>,
    /// How much farther away what the criterion depends on is than it would be by itself.
    aside: u32,
    differences: &'g Differences,
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
    pub(crate) fn start(&mut self, context: Context, node: NodeId, distance: u32, kind: Dependence) {
        self.push(
            State::At(context, node),
            Step {
                distance,
                from: None,
                kind,
                name: None,
            },
        );
        if self.graph.call(node).is_some() && kind == Dependence::Criterion {
            self.push(
                State::Value(context, node),
                Step {
                    distance,
                    from: None,
                    kind,
                    name: None,
                },
            );
        }
        if context == Context::Called
            && let Some(function) = self.graph.nodes[node].function
        {
            self.open(Side::Own, function, State::At(context, node), distance);
        }
    }

    /// Starts from what is under way in macros that a statement of this context calls.
    pub(crate) fn start_within(&mut self, context: Context, within: Within, distance: u32, kind: Dependence) {
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
            let step = Step {
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
        if let Context::Stack(depth) = context {
            self.within[usize::from(depth)].extend(within.calls);
        }
    }

    /// Starts from the value that a variable has where a statement is executed; `false` if the statement does not name it.
    pub(crate) fn start_variable(&mut self, context: Context, node: NodeId, variable: &str) -> bool {
        let graph = self.graph;
        let mut found = false;
        let state = State::At(context, node);
        let is_it = |name: Option<NameId>| name.is_some_and(|name| graph.name(name) == variable);
        let first = |kind, name| Step {
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
        for &Access { place, key, name, .. } in graph.reads.of(node.index()) {
            if is_it(name) {
                self.ask(state, Side::Own, place, key, 1, name);
                found = true;
            }
        }
        if found
            && context == Context::Called
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
                State::Place(side, labels, structured, key) => {
                    self.place(state, side, (labels, structured, key), distance);
                }
                State::Written(side, writers, part) => self.written(state, side, writers, part, distance),
                State::Open(side, function) => self.opened(state, side, function, distance),
                State::ImplicitlyCalled(side) => self.implicit(state, side, distance),
                State::ImplicitCallers(side) => self.sites(state, side, distance),
            }
        }
        self.reached
    }

    fn push(&mut self, state: State, step: Step) {
        if self.reached.note(state, step) {
            self.queue.push(step.distance, state);
        }
    }

    fn go(&mut self, from: State, to: State, distance: u32, kind: Dependence, name: Option<NameId>) {
        if self.keeps_trail {
            self.reached.trail.push((from, to, kind));
        }
        let farther = match to {
            State::At(_, node) if self.is_alike(node) => ALIKE,
            _ => 0,
        };
        let step = Step {
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

    fn at(&mut self, state: State, context: Context, node: NodeId, distance: u32) {
        let graph = self.graph;
        let starts = |step: &Step| matches!(step.kind, Dependence::Criterion | Dependence::UnderWay);
        let is_start = self.reached.get(&state).is_some_and(starts);
        let distance = if is_start { distance + self.aside } else { distance };
        for edge in graph.edges.of(node.index()) {
            let to = State::At(context, edge.to);
            match edge.kind {
                EdgeKind::Control if is_start => self.go(state, to, distance + 1, Dependence::Decides, None),
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
                EdgeKind::Jump => self.go(state, to, distance + 2, Dependence::Jumps, None),
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
        for &Access {
            place,
            key,
            name,
            chooses,
        } in graph.reads.of(node.index())
        {
            let farther = if chooses { CHOICE } else { 1 };
            self.ask(state, side, place, key, distance + farther, name);
        }
        match graph.nodes[node].kind {
            NodeKind::Call => self.at_call(state, context, node, distance),
            NodeKind::Parameter => self.parameter(state, context, node, distance),
            NodeKind::Plain | NodeKind::Argument | NodeKind::Initial => {}
        }
        if graph.implicit.sites.binary_search(&node).is_ok() {
            self.go(
                state,
                State::ImplicitlyCalled(side),
                distance + IMPLICIT,
                Dependence::Returns,
                None,
            );
        }
        if let Some(function) = graph.nodes[node].function {
            self.meet(state, context, function, distance);
        }
    }

    /// A statement of the function is executed, so the function is called.
    fn meet(&mut self, state: State, context: Context, function: FunctionId, distance: u32) {
        let entry = self.graph.functions[function].first_node;
        let (Context::Called | Context::Elsewhere) = context else {
            self.go(
                state,
                State::At(context, entry),
                distance + 1,
                Dependence::Jumps,
                None,
            );
            return;
        };
        let entered = self.entered(side_of(context));
        if !std::mem::replace(&mut entered.met[function.index()], true) {
            self.go(
                state,
                State::At(context, entry),
                distance + 1,
                Dependence::Jumps,
                None,
            );
        }
    }

    fn at_call(&mut self, state: State, context: Context, node: NodeId, distance: u32) {
        let graph = self.graph;
        let Some(call) = graph.call(node) else { return };
        if call.callees.is_empty() || call.hands_on {
            let carried = match &call.message {
                Some(message) if self.is_awaited(state) => message.carried,
                _ => 0,
            };
            for (index, argument) in arguments(call).enumerate() {
                let is_carried = carried & (1 << index.min(31)) != 0;
                let farther = if is_carried { CARRIED } else { 0 };
                self.go(
                    state,
                    State::At(context, argument),
                    distance + farther,
                    Dependence::Computes,
                    None,
                );
            }
        }
        if call.hands_on {
            // What the functions that it was given return decides what it does.
            self.go(
                state,
                State::Value(context, node),
                distance,
                Dependence::Computes,
                None,
            );
        }
        if let Some(message) = &call.message {
            self.at_message(state, context, message, distance);
        }
    }

    /// Whether the question about a call is why it has not come back, not what it brings: the task stands in it, or it is the
    /// other side of such a call.
    fn is_awaited(&self, state: State) -> bool {
        let step = |state: &State| self.reached.get(state);
        let is_criterion = |step: &Step| step.kind == Dependence::Criterion;
        step(&state).is_some_and(|known| {
            let from = known.from.as_ref().and_then(step);
            is_criterion(known)
                || known.kind == Dependence::Sends && from.is_some_and(is_criterion)
                || self.has_begun_it(*known)
        })
    }

    /// Whether a call was reached because it wrote the request that the criterion waits for.
    fn has_begun_it(&self, reached: Step) -> bool {
        let mut from = reached.from;
        while let Some(state) = from {
            let Some(step) = self.reached.get(&state) else {
                return false;
            };
            match state {
                State::Place(..) | State::Written(..) => {}
                State::At(_, node) if self.graph.nodes[node].kind == NodeKind::Argument => {}
                _ => return step.kind == Dependence::Criterion,
            }
            from = step.from;
        }
        false
    }

    /// What a call waits for, or gets, comes from other tasks; and what other calls of this task take, it does not get.
    fn at_message(&mut self, state: State, context: Context, message: &'g Message, distance: u32) {
        let graph = self.graph;
        // A task that stands in a send waits for who receives.
        let is_criterion = self
            .reached
            .get(&state)
            .is_some_and(|step| step.kind == Dependence::Criterion);
        // The sends that a blocked receive waits for are not set aside together with the arguments of the call.
        let is_sent = is_criterion && message.role != MessageRole::Collective;
        let distance = if is_sent {
            distance.saturating_sub(self.aside)
        } else {
            distance
        };
        let side = side_of(context);
        if !self.met.insert((side, message)) && !is_criterion {
            return;
        }
        let exchanging = std::mem::take(&mut self.exchanging);
        for &(other, theirs) in &exchanging {
            if meet(message, theirs)
                || is_criterion && meet(theirs, message)
                || self.uses_addresses && by_address(message, theirs)
            {
                let to = State::At(Context::Elsewhere, other.node);
                self.go(state, to, distance + 2, Dependence::Sends, None);
                if let Some(function) = graph.nodes[other.node].function {
                    self.open(Side::Other, function, to, distance + 2);
                }
            }
            // Nothing but the address tells which variable is received.
            let kind = if fills(message, theirs) {
                Some(Dependence::Sets)
            } else if compete(message, theirs) {
                Some(Dependence::Takes)
            } else {
                in_epoch(message, theirs).then_some(Dependence::Epoch)
            };
            if let Some(kind) = kind {
                for context in self.contexts(side, other.node) {
                    let to = State::At(context, other.node);
                    self.go(state, to, distance + 3, kind, None);
                    if let (Context::Called | Context::Elsewhere, Some(function)) =
                        (context, graph.nodes[other.node].function)
                    {
                        self.open(side, function, to, distance + 3);
                    }
                }
            }
        }
        self.exchanging = exchanging;
    }

    fn parameter(&mut self, state: State, context: Context, node: NodeId, distance: u32) {
        let graph = self.graph;
        let Some(function) = graph.nodes[node].function else {
            return;
        };
        match context {
            Context::Stack(depth) => {
                let Some(caller) = depth.checked_sub(1) else {
                    return;
                };
                for inner in self.within[usize::from(caller)].clone() {
                    let site = (called(context), inner);
                    self.hand_over(state, site, function, node, distance + 1);
                }
                let sites = self.executed.stack[usize::from(caller)].points.clone();
                for site in sites {
                    self.hand_over(
                        state,
                        (Context::Stack(caller), site),
                        function,
                        node,
                        distance + 1,
                    );
                }
            }
            Context::Called | Context::Elsewhere => {
                let entered = self.entered(side_of(context));
                let wanted = &mut entered.wanted[function.index()];
                if let Err(at) = wanted.binary_search(&node) {
                    wanted.insert(at, node);
                }
                for at in 0..entered.sites[function.index()].len() {
                    let site = self.entered(side_of(context)).sites[function.index()][at];
                    self.hand_over(state, site, function, node, distance + 1);
                }
                if graph.implicit.functions.binary_search(&function).is_ok() {
                    let sites = State::ImplicitCallers(side_of(context));
                    self.go(state, sites, distance + IMPLICIT, Dependence::Hands, None);
                }
            }
        }
    }

    /// The value of a parameter is that of the call's argument.
    fn hand_over(
        &mut self,
        state: State,
        (context, site): (Context, NodeId),
        function: FunctionId,
        parameter: NodeId,
        distance: u32,
    ) {
        let graph = self.graph;
        let Some(call) = graph.call(site) else { return };
        let callee = &graph.functions[function];
        let index = parameter.index() - callee.parameter(0).index();
        // The last node of the parameters stands for all arguments beyond them; and a function without source may hand on what it was
        // given in any order.
        let (skipped, taken) = if call.hands_on || !graph.leads_to(call, function) {
            (0, usize::MAX)
        } else if index < callee.params as usize {
            (index, 1)
        } else {
            (index, usize::MAX)
        };
        let mut handed = Vec::from_iter(
            arguments(call)
                .skip(skipped)
                .take(taken)
                .map(|node| (context, node)),
        );
        if handed.is_empty() {
            // A default argument, which the call evaluates by way of a function that calls this one with it.
            let around = call.callees.iter().filter(|&&other| graph.is_macro(other));
            let calls = around.flat_map(|&other| graph.calls_of(other));
            let calls = calls.filter(|call| call.callees.contains(&function));
            let given = calls.flat_map(|call| arguments(call).skip(skipped).take(taken));
            handed.extend(given.map(|node| (called(context), node)));
        }
        for (context, argument) in handed {
            let to = State::At(context, argument);
            self.go(state, to, distance, Dependence::Hands, None);
        }
    }

    fn value(&mut self, state: State, context: Context, node: NodeId, distance: u32) {
        let graph = self.graph;
        let Some(call) = graph.call(node) else { return };
        self.go(
            state,
            State::At(context, node),
            distance,
            Dependence::Computes,
            None,
        );
        for &callee in &call.callees {
            for &value in &graph.functions[callee].returns {
                let inner = called(context);
                // A macro that may leave the function, or a function of a table.
                let is_call = graph.nodes[value].kind == NodeKind::Call;
                let farther = if is_call && !graph.is_hidden(callee) {
                    LEAVES
                } else {
                    1
                };
                let to = State::At(inner, value);
                self.go(state, to, distance + farther, Dependence::Returns, None);
                if is_call {
                    let to = State::Value(inner, value);
                    self.go(state, to, distance + farther, Dependence::Returns, None);
                }
            }
            self.site(state, callee, (context, node), distance + 1);
        }
    }

    /// Whether a call comes back depends on the calls in it that may not.
    fn back(&mut self, state: State, context: Context, node: NodeId, distance: u32) {
        let graph = self.graph;
        let Some(call) = graph.call(node) else { return };
        for &callee in &call.callees {
            for &end in &graph.functions[callee].ends {
                let inner = called(context);
                self.go(state, State::At(inner, end), distance + 1, Dependence::Ends, None);
                self.go(
                    state,
                    State::Back(inner, end),
                    distance + 1,
                    Dependence::Ends,
                    None,
                );
            }
            if !graph.functions[callee].ends.is_empty() {
                self.site(state, callee, (context, node), distance + 1);
            }
        }
    }

    /// A function is entered from a call.
    fn site(&mut self, state: State, function: FunctionId, site: (Context, NodeId), distance: u32) {
        let side = side_of(site.0);
        let entered = self.entered(side);
        if !entered.known.insert((function, site.0, site.1)) {
            return;
        }
        entered.sites[function.index()].push(site);
        let wanted = entered.wanted[function.index()].clone();
        self.go(
            state,
            State::At(site.0, site.1),
            distance,
            Dependence::Calls,
            None,
        );
        for parameter in wanted {
            self.hand_over(state, site, function, parameter, distance);
        }
    }

    /// What a function left in memory is wanted: all of its calls that may have been executed count. Noted only: a function that
    /// much is called from has a long way to all of its callers, which a walk that ends early need not go.
    fn open(&mut self, side: Side, function: FunctionId, state: State, distance: u32) {
        self.go(
            state,
            State::Open(side, function),
            distance,
            Dependence::Calls,
            None,
        );
    }

    fn opened(&mut self, state: State, side: Side, function: FunctionId, distance: u32) {
        let graph = self.graph;
        if graph.implicit.functions.binary_search(&function).is_ok() {
            self.go(
                state,
                State::ImplicitCallers(side),
                distance + IMPLICIT,
                Dependence::Calls,
                None,
            );
        }
        for &call in &graph.functions[function].callers {
            for context in self.contexts(side, call) {
                self.site(state, function, (context, call), distance + 1);
                // The caller may have been called from anywhere too.
                if let (Context::Called | Context::Elsewhere, Some(caller)) =
                    (context, graph.nodes[call].function)
                {
                    let at = State::At(context, call);
                    self.open(side, caller, at, distance + 1);
                }
            }
        }
    }

    /// What functions return that are called implicitly.
    fn implicit(&mut self, state: State, side: Side, distance: u32) {
        let graph = self.graph;
        for &function in &graph.implicit.functions {
            for &value in &graph.functions[function].returns {
                for context in self.contexts(side, value) {
                    let to = State::At(context, value);
                    self.go(state, to, distance + 1, Dependence::Returns, None);
                }
            }
        }
    }

    /// The places that may call a function implicitly.
    fn sites(&mut self, state: State, side: Side, distance: u32) {
        let graph = self.graph;
        for &node in &graph.implicit.sites {
            for context in self.contexts(side, node) {
                let to = State::At(context, node);
                self.go(state, to, distance + 1, Dependence::Calls, None);
                if let (Context::Called | Context::Elsewhere, Some(caller)) =
                    (context, graph.nodes[node].function)
                {
                    self.open(side, caller, to, distance + 1);
                }
            }
        }
    }

    /// The contexts in which a statement may have been executed.
    fn contexts(&self, side: Side, node: NodeId) -> impl Iterator<Item = Context> + use<> {
        let mut on_stack = Vec::new();
        let other = match self.graph.nodes[node].function {
            _ if side == Side::Other => Some(Context::Elsewhere),
            function => {
                // A list without items takes no memory, and few functions are on the stack.
                on_stack.extend(self.executed.on_stack(self.graph, node));
                let never = function.is_some_and(|function| !self.executed.is_finished(function));
                (!never).then_some(Context::Called)
            }
        };
        on_stack.into_iter().map(Context::Stack).chain(other)
    }

    /// Asks for a part of memory.
    fn ask(
        &mut self,
        state: State,
        side: Side,
        place: PlaceId,
        key: Key,
        distance: u32,
        name: Option<NameId>,
    ) {
        let memory = &self.graph.memory;
        let (labels, structured) = (memory.labels[place.index()], memory.structured[place.index()]);
        let to = State::Place(side, labels, structured, key);
        self.go(state, to, distance, Dependence::Sets, name);
    }

    fn place(
        &mut self,
        state: State,
        side: Side,
        (labels, structured, key): (Labels, bool, Key),
        distance: u32,
    ) {
        let memory = &self.graph.memory;
        let name = self.reached.get(&state).and_then(|step| step.name);
        let mut ask = |writers: Writers, key: Key| {
            for part in parts_of(memory, key) {
                let farther = vagueness(concerned(memory, writers, part).len());
                let to = State::Written(side, writers, part);
                self.go(state, to, distance + farther, Dependence::Sets, name);
            }
        };
        match labels {
            Labels::Few(row) => {
                for &(object, member) in memory.few.of(row as usize) {
                    for part in Memory::parts(structured, member, key).into_iter().flatten() {
                        ask(Writers::Object(object), part);
                        ask(Writers::Many(memory.class_of[object]), part);
                        if let Some(&origin) = memory.origins.get(&object) {
                            ask(Writers::Object(origin), part);
                        }
                    }
                }
            }
            Labels::Many(row) => {
                for &(class, member) in memory.many.of(row as usize) {
                    for part in Memory::parts(structured, member, key).into_iter().flatten() {
                        ask(Writers::Class(class), part);
                    }
                }
            }
        }
    }

    fn written(&mut self, state: State, side: Side, writers: Writers, part: Part, distance: u32) {
        let graph = self.graph;
        let name = self.reached.get(&state).and_then(|step| step.name);
        for &(_, node) in concerned(&graph.memory, writers, part) {
            for context in self.contexts(side, node) {
                let to = State::At(context, node);
                self.go(state, to, distance, Dependence::Sets, name);
                if let (Context::Called | Context::Elsewhere, Some(function)) =
                    (context, graph.nodes[node].function)
                {
                    self.open(side, function, to, distance);
                }
            }
        }
    }
}

/// What may be written where a part of an object is read.
pub(crate) fn parts_of(memory: &Memory, key: Key) -> impl Iterator<Item = Part> {
    let parts = match key {
        None => [Some(Part::All), None],
        Some(key) => [Some(Part::Named(key)), Some(Part::Unnamed)],
    };
    let related = key.into_iter().flat_map(|key| memory.related.of(key.index()));
    let related = related.map(|&other| Part::Named(other));
    parts.into_iter().flatten().chain(related)
}

/// The nodes of the writers that write this part.
pub(crate) fn concerned(memory: &Memory, writers: Writers, part: Part) -> &[(Key, NodeId)] {
    let all = match writers {
        Writers::Object(object) => memory.writers_of_object.of(object.index()),
        Writers::Many(class) => memory.writers_of_many.of(class.index()),
        Writers::Class(class) => memory.writers_of_class.of(class.index()),
    };
    let of_key = |key: Key| {
        let first = all.partition_point(|&(other, _)| other < key);
        let count = all[first..].partition_point(|&(other, _)| other == key);
        &all[first..first + count]
    };
    match part {
        Part::All => all,
        Part::Unnamed => of_key(None),
        Part::Named(key) => of_key(Some(key)),
    }
}

/// How much farther away each of so many writers is than the only one would be: the more may have written a part of memory, the
/// less each of them tells.
fn vagueness(writers: usize) -> u32 {
    writers.checked_ilog2().unwrap_or(0) / 2
}

fn side_of(context: Context) -> Side {
    match context {
        Context::Stack(_) | Context::Called => Side::Own,
        Context::Elsewhere => Side::Other,
    }
}

/// The context of what is called from this one.
fn called(context: Context) -> Context {
    match context {
        Context::Stack(_) | Context::Called => Context::Called,
        Context::Elsewhere => Context::Elsewhere,
    }
}

fn arguments(call: &Call) -> impl Iterator<Item = NodeId> + use<> {
    let first = call.first_argument.index();
    (first..first + call.arguments as usize).map(NodeId::from_index)
}
