//! Calls: from where functions are entered, what they are given, and what they return.

use super::memory::vagueness;
use super::{IMPLICIT, LEAVES, Walk, called, side_of};
use crate::graph::{Call, FileId, FunctionId, NodeId, NodeKind};
use crate::state::{CallingContext, Dependence, Side, State};
use base::Id as _;
use hashbrown::HashSet;

/// The functions of a side: from where they are entered, and which of their parameters are wanted.
pub(super) struct Entered {
    /// In the order in which they were found, by function.
    sites: Vec<Vec<(CallingContext, NodeId)>>,
    /// The same, to find one.
    known: HashSet<(FunctionId, CallingContext, NodeId)>,
    /// By function, sorted.
    wanted: Vec<Vec<NodeId>>,
    met: Vec<bool>,
}

impl Entered {
    pub(super) fn new(count: usize) -> Self {
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

/// How much farther away an object that is called is in another file than whoever may call it: few of all that may call objects
/// have been given one of its class.
const FOREIGN: u32 = 6;

impl<'g> Walk<'g> {
    /// A statement of the function is executed, so the function is called.
    pub(super) fn meet(
        &mut self,
        state: State,
        context: CallingContext,
        function: FunctionId,
        distance: u32,
    ) {
        let entry = self.graph.functions[function].first_node;
        let (CallingContext::Called | CallingContext::Elsewhere) = context else {
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

    pub(super) fn at_call(&mut self, state: State, context: CallingContext, node: NodeId, distance: u32) {
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
        if !call.callees.is_empty() && !call.hands_on {
            self.arguments_evaluated(state, context, arguments(call), distance);
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

    pub(super) fn parameter(&mut self, state: State, context: CallingContext, node: NodeId, distance: u32) {
        let graph = self.graph;
        let Some(function) = graph.nodes[node].function else {
            return;
        };
        match context {
            CallingContext::Stack(depth) => {
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
                        (CallingContext::Stack(caller), site),
                        function,
                        node,
                        distance + 1,
                    );
                }
            }
            CallingContext::Called | CallingContext::Elsewhere => {
                let entered = self.entered(side_of(context));
                let wanted = &mut entered.wanted[function.index()];
                if let Err(at) = wanted.binary_search(&node) {
                    wanted.insert(at, node);
                }
                for at in 0..entered.sites[function.index()].len() {
                    let site = self.entered(side_of(context)).sites[function.index()][at];
                    self.hand_over(state, site, function, node, distance + 1);
                }
                self.called_implicitly(state, side_of(context), function, distance, Dependence::Hands);
            }
        }
    }

    /// The value of a parameter is that of the call's argument.
    fn hand_over(
        &mut self,
        state: State,
        (context, site): (CallingContext, NodeId),
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
        // So do a parameter pack, and those whose place nobody knows, behind an argument that stands for several.
        let open = callee.pack.unwrap_or(callee.params);
        let open = call.expands.map_or(open, |expands| expands.min(open)) as usize;
        let (skipped, taken) = if call.hands_on || !graph.leads_to(call, function) {
            (0, usize::MAX)
        } else if index < open {
            (index, 1)
        } else {
            (open, usize::MAX)
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

    pub(super) fn value(&mut self, state: State, context: CallingContext, node: NodeId, distance: u32) {
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
            let distance = distance + self.uncertainty(call, callee);
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

    /// How much farther away is what one of so many functions returns that a call may lead to: each of them tells the less.
    fn uncertainty(&self, call: &Call, callee: FunctionId) -> u32 {
        let graph = self.graph;
        let of_source = call.callees.iter().filter(|&&callee| !graph.is_hidden(callee));
        let count = if graph.is_table(callee) {
            graph.calls_of(callee).len()
        } else {
            of_source.count()
        };
        vagueness(count)
    }

    /// Whether a call comes back depends on the calls in it that may not.
    pub(super) fn back(&mut self, state: State, context: CallingContext, node: NodeId, distance: u32) {
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
    pub(super) fn site(
        &mut self,
        state: State,
        function: FunctionId,
        site: (CallingContext, NodeId),
        distance: u32,
    ) {
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
    pub(super) fn open(&mut self, side: Side, function: FunctionId, state: State, distance: u32) {
        self.go(
            state,
            State::Open(side, function),
            distance,
            Dependence::Calls,
            None,
        );
    }

    pub(super) fn opened(&mut self, state: State, side: Side, function: FunctionId, distance: u32) {
        let graph = self.graph;
        self.called_implicitly(state, side, function, distance, Dependence::Calls);
        for &call in &graph.functions[function].callers {
            for context in self.contexts(side, call) {
                self.site(state, function, (context, call), distance + 1);
                // The caller may have been called from anywhere too.
                if let (CallingContext::Called | CallingContext::Elsewhere, Some(caller)) =
                    (context, graph.nodes[call].function)
                {
                    let at = State::At(context, call);
                    self.open(side, caller, at, distance + 1);
                }
            }
        }
    }

    /// Goes to whoever may call a function without naming it, if it is one that may be called so.
    fn called_implicitly(
        &mut self,
        state: State,
        side: Side,
        function: FunctionId,
        distance: u32,
        kind: Dependence,
    ) {
        let implicit = &self.graph.implicit;
        let by_anybody = State::ImplicitCallers(side, None);
        if implicit.functions.binary_search(&function).is_ok() {
            self.go(state, by_anybody, distance + IMPLICIT, kind, None);
        } else if implicit.objects.binary_search(&function).is_ok() {
            let file = self.graph.functions[function].file;
            let nearby = State::ImplicitCallers(side, Some(file));
            self.go(state, nearby, distance + IMPLICIT, kind, None);
            self.go(state, by_anybody, distance + IMPLICIT + FOREIGN, kind, None);
        }
    }

    /// What functions return that are called implicitly; of one file, what its objects do that are called.
    pub(super) fn implicit(&mut self, state: State, side: Side, file: Option<FileId>, distance: u32) {
        let graph = self.graph;
        let functions = graph.implicit.functions.iter().filter(|_| file.is_none());
        let objects = graph.implicit.objects.iter();
        let objects = objects.filter(|&&object| file.is_none_or(|file| graph.functions[object].file == file));
        let farther = if file.is_none() { FOREIGN } else { 0 };
        let functions = functions.map(|&function| (function, 0));
        for (function, farther) in functions.chain(objects.map(|&object| (object, farther))) {
            for &value in &graph.functions[function].returns {
                for context in self.contexts(side, value) {
                    let to = State::At(context, value);
                    self.go(state, to, distance + farther + 1, Dependence::Returns, None);
                }
            }
        }
    }

    /// The places that may call a function implicitly: all of them, or those in one file.
    pub(super) fn sites(&mut self, state: State, side: Side, file: Option<FileId>, distance: u32) {
        let graph = self.graph;
        let sites = graph.implicit.sites.iter();
        let sites = sites.filter(|&&node| file.is_none_or(|file| graph.nodes[node].file == file));
        for &node in sites {
            for context in self.contexts(side, node) {
                let to = State::At(context, node);
                self.go(state, to, distance + 1, Dependence::Calls, None);
                if let (CallingContext::Called | CallingContext::Elsewhere, Some(caller)) =
                    (context, graph.nodes[node].function)
                {
                    self.open(side, caller, to, distance + 1);
                }
            }
        }
    }

    /// The contexts in which a statement may have been executed.
    pub(super) fn contexts(&self, side: Side, node: NodeId) -> impl Iterator<Item = CallingContext> + use<> {
        let mut on_stack = Vec::new();
        let other = match self.graph.nodes[node].function {
            _ if side == Side::Other => Some(CallingContext::Elsewhere),
            function => {
                // A list without items takes no memory, and few functions are on the stack.
                on_stack.extend(self.executed.on_stack(self.graph, node));
                let never = function.is_some_and(|function| !self.executed.is_finished(function));
                (!never).then_some(CallingContext::Called)
            }
        };
        on_stack.into_iter().map(CallingContext::Stack).chain(other)
    }
}

/// The nodes of a call's arguments.
pub(super) fn arguments(call: &Call) -> impl Iterator<Item = NodeId> + use<> {
    let first = call.first_argument.index();
    (first..first + call.arguments as usize).map(NodeId::from_index)
}
