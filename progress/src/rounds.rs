//! Functions that call themselves last, whose calls are no loop all the same.
//!
//! An optimising compiler may make a loop of such calls, all of which then share one frame ([`tail`](crate::tail)). Each round of that loop executes what the
//! function does before it calls itself. **The code has no such loop** if every cycle in it leaves out a call that each round makes: one which the
//! source makes on all ways from the entry to the last call, which is nowhere inlined, and which cannot be dropped because it leads to code that calls MPI.
//!
//! Where it was known how many rounds there are, they may be laid out one after the other. Then a call leads to another one at the same place of the source.

use crate::Order;
use crate::code_calls::{CallsOfCode, SourceAt};
use progress_map::{Binding, BoundSite, Function, FunctionId, MachineCode, PointId, PointKind};
use std::collections::{BTreeMap, BTreeSet};

/// The calls of a function that each round makes before it comes to one of the last calls: whom they may call.
type MadeByEachRound = Vec<BTreeSet<FunctionId>>;

impl Order<'_> {
    /// Whether no code of the function, in any build that the map is tied to, is a loop of its calls of itself by way of `last`, some of its last calls.
    pub(crate) fn has_no_rounds(&self, id: FunctionId, last: &[PointId]) -> bool {
        let function = &self.map().functions[id];
        let made = Vec::from_iter(last.iter().map(|&point| self.made_before(function, point)));
        let mut has_code = false;
        for (at, binding) in self.map().bindings().enumerate() {
            // Of what is not decoded it is not known where it leads.
            let Some(holding) = holding(binding, id) else {
                return false;
            };
            has_code |= !holding.is_empty();
            let mut holding = holding.into_iter();
            let has_none = |number| {
                self.each_cycle_leaves_out((at, binding), number, &made)
                    && !self.repeats_a_call((at, binding), number, id)
            };
            if !holding.all(has_none) {
                return false;
            }
        }
        has_code
    }

    /// Whether each cycle of the code of this number leaves out one of the calls that each round would make, whichever of the last calls the round ends in.
    fn each_cycle_leaves_out(
        &self,
        (at, binding): (usize, &Binding),
        number: u32,
        made: &[MadeByEachRound],
    ) -> bool {
        let code = self.function_code(at, number);
        let to_mpi = self.coming_to_mpi(at);
        let calls = |callees| calls_of((binding, to_mpi), (number, &code.blocks), callees);
        let cycles = cycles(&binding.code, &code.blocks);
        made.iter().all(|made| {
            let made = Vec::from_iter(made.iter().filter_map(calls));
            let leaves_one_out = |cycle| made.iter().any(|calls| calls.is_disjoint(cycle));
            cycles.iter().all(leaves_one_out)
        })
    }

    /// Whether a call of the code of this number that may come to MPI leads to another one at the same place of the source, both in one instance of the function: its
    /// rounds may have been laid out one after the other, where it was known how many there are.
    fn repeats_a_call(&self, (at, binding): (usize, &Binding), number: u32, id: FunctionId) -> bool {
        let code = self.function_code(at, number);
        let inlined = CallsOfCode::new(self, binding, &code).inlined;
        let all = || 0..code.blocks.len();
        let last = |at: usize| {
            binding.code.blocks[code.blocks[at] as usize]
                .end
                .saturating_sub(1)
        };
        let sources = all().map(|at| SourceAt::new(binding, &inlined, last(at)));
        let sources = Vec::from_iter(sources);
        let is_call = |at: &usize| code.communicates(code.blocks[*at]);
        all().filter(is_call).any(|call| {
            let Some(depth) = sources[call].depth_of(id) else {
                return false;
            };
            let is_inside = |at: usize| sources[at].shared(&sources[call]) > depth;
            let is_same = |at: usize| sources[at].levels[depth..] == sources[call].levels[depth..];
            code.led_to_inside(call, is_inside)
                .any(|at| at != call && is_call(&at) && is_same(at))
        })
    }

    /// The code of a binding, by its number, that comes to MPI ([`coming_to_mpi`]).
    pub(crate) fn coming_to_mpi(&self, binding: usize) -> &BTreeSet<u32> {
        let all = self
            .code
            .to_mpi
            .get_or_init(|| self.map().bindings().map(coming_to_mpi).collect());
        &all[binding]
    }

    /// The calls by name on all ways from a function's entry to a point.
    fn made_before(&self, function: &Function, last: PointId) -> MadeByEachRound {
        let Some(entry) = function.points.ids().next() else {
            return Vec::new();
        };
        let named = function
            .points
            .iter_enumerated()
            .filter_map(|(point, what)| match &what.kind {
                PointKind::Call(name) if point != last => Some((point, self.functions_named(name))),
                _ => None,
            });
        let made = named.filter(|(_, callees)| !callees.is_empty());
        let made = made.filter(|&(call, _)| !function.reaches(entry, last, |point| point != call));
        made.map(|(_, callees)| callees.iter().copied().collect())
            .collect()
    }
}

/// The numbers of the code that holds a function, as its own or inlined; `None` if some of it was not decoded.
fn holding(binding: &Binding, id: FunctionId) -> Option<BTreeSet<u32>> {
    let only = BTreeSet::from([id]);
    let mut holding = own_code(binding, &only)?;
    holding.append(&mut inlined_into(binding, &only)?);
    Some(holding)
}

/// The numbers of the code of functions, as [`CodeBlock::function`](progress_map::CodeBlock) has them; `None` if some of it was not decoded.
fn own_code(binding: &Binding, functions: &BTreeSet<FunctionId>) -> Option<BTreeSet<u32>> {
    let bound = binding.functions.iter();
    let own = bound.filter(|bound| bound.function.is_some_and(|id| functions.contains(&id)));
    own.map(|bound| number_at(&binding.code, bound.start)).collect()
}

/// The numbers of the code that functions were inlined into; `None` if some of it was not decoded.
fn inlined_into(binding: &Binding, functions: &BTreeSet<FunctionId>) -> Option<BTreeSet<u32>> {
    let inlines = binding.inlines.iter();
    let inlined = inlines.filter(|inline| inline.function.is_some_and(|id| functions.contains(&id)));
    inlined
        .map(|inline| number_at(&binding.code, inline.start))
        .collect()
}

fn number_at(code: &MachineCode, address: u64) -> Option<u32> {
    Some(code.blocks[code.block_at(address)? as usize].function)
}

/// The blocks of the code `number` that end in calls of these functions, if that is how they come into it: none is inlined there, and there is a call. All of the code
/// that is called is in `to_mpi`, the code that comes to MPI somewhere, so that no copy of the call was dropped.
pub(crate) fn calls_of(
    (binding, to_mpi): (&Binding, &BTreeSet<u32>),
    (number, blocks): (u32, &[u32]),
    callees: &BTreeSet<FunctionId>,
) -> Option<BTreeSet<u32>> {
    let entered = own_code(binding, callees)?;
    let is_inlined = inlined_into(binding, callees)?.contains(&number);
    let calls = blocks.iter().copied().filter(|&block| {
        let callee = binding.code.callee_of(block);
        callee.is_some_and(|callee| entered.contains(&callee))
    });
    let calls = BTreeSet::from_iter(calls);
    let is_kept = !is_inlined && !calls.is_empty() && entered.is_subset(to_mpi);
    is_kept.then_some(calls)
}

/// The code in which a function of MPI is called by its name, or a function that leads to such code. A compiler does not know what MPI does, and drops no call of it.
fn coming_to_mpi(binding: &Binding) -> BTreeSet<u32> {
    let code = &binding.code;
    let communicates = |named: &&BoundSite| named.named.as_deref().is_some_and(library::communicates);
    let named = binding.sites.iter().filter(communicates);
    let mut found: BTreeSet<u32> = named
        .filter_map(|site| number_at(code, site.return_address.checked_sub(1)?))
        .collect();
    let mut callers: BTreeMap<u32, Vec<u32>> = BTreeMap::new();
    for call in &code.calls {
        let caller = code.blocks[call.block as usize].function;
        callers.entry(call.callee).or_default().push(caller);
    }
    let mut work = Vec::from_iter(found.iter().copied());
    while let Some(callee) = work.pop() {
        let callers = callers.get(&callee).into_iter().flatten();
        work.extend(callers.filter(|&&caller| found.insert(caller)));
    }
    found
}

/// The blocks that can be come back to, those together that lead to each other.
fn cycles(code: &MachineCode, blocks: &[u32]) -> Vec<BTreeSet<u32>> {
    let mut graph = petgraph::graphmap::DiGraphMap::<u32, ()>::new();
    for &block in blocks {
        graph.add_node(block);
        for way in code.ways_from(block) {
            graph.add_edge(block, way.to, ());
        }
    }
    let components = petgraph::algo::tarjan_scc(&graph).into_iter();
    let cycles = components.filter(|blocks| match blocks[..] {
        [only] => graph.contains_edge(only, only),
        _ => true,
    });
    cycles.map(BTreeSet::from_iter).collect()
}
