//! The order by machine code: what is left where debug info does not say at which line of the source a task is.
//!
//! A stack is a sequence of calls in machine code, too. Frames are compared from the outermost inwards: as long as both tasks are in
//! one call instruction in one execution of it, they are in one execution of what it calls, so the first frame that differs
//! decides ([`code_flow`](crate::code_flow)). Nothing here rests on lines, columns or variables of debug info; what is taken for granted is
//! that functions return to where they were called from, and preserve the registers that the System V ABI tells them to.

use crate::beneath;
use crate::code_flow::FunctionCode;
use crate::code_iterations::AnchoredLoops;
use crate::code_loops::{is_of_source, may_be_another_call, may_be_one_point};
use crate::code_proof::{CodeDoubt, CodePlace, CodeProof, LoopBefore};
use crate::locate::is_of_start;
use crate::verdict::{CodeVerdict, Relation};
use crate::{ExecutionPoint, Frame, Located, Order};
use base::{Id, mpi_entry_point};
use progress_map::{Binding, FunctionId, MachineCode, MachineLocation};
use std::cell::LazyCell;
use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

/// The calls of a stack in machine code, outermost first.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct CodeStack {
    frames: Vec<CodeFrame>,
    /// Further frames follow, in code that is not known.
    goes_on: bool,
    /// That code calls back into code that is known.
    calls_back: bool,
}

/// One frame: a place in the code of one of the map's bindings.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct CodeFrame {
    /// 0 for the program, then its libraries.
    pub(crate) binding: usize,
    /// The function's number in its code.
    pub(crate) function: u32,
    pub(crate) place: CodePlace,
    /// The innermost function of the source there, and its line.
    name: String,
    line: Option<u32>,
    /// It has called something.
    pub(crate) in_call: bool,
    /// The first of the execution point's frames that it holds, and the one after the last.
    levels: (usize, usize),
}

/// What is worked out about the machine code, each part when it is first needed.
#[derive(Default)]
pub(crate) struct CodeIndex {
    /// By binding and function: its blocks.
    blocks: OnceLock<BTreeMap<(usize, u32), Vec<u32>>>,
    functions: Mutex<BTreeMap<(usize, u32), Arc<FunctionCode>>>,
    /// By binding: the code that comes to MPI ([`crate::rounds`]).
    pub(crate) to_mpi: OnceLock<Vec<BTreeSet<u32>>>,
    /// By binding and block: what tells iterations there.
    counters: Mutex<Counters>,
    /// By binding and address: whether the instruction was moved past a call ([`crate::displaced`]).
    pub(crate) displaced: Mutex<BTreeMap<(usize, u64), bool>>,
    compared: Mutex<Compared>,
    /// By binding and two blocks of one function: how many loops are around both ([`crate::contradicted`]).
    pub(crate) around: Mutex<BTreeMap<(usize, u32, u32), usize>>,
    /// The loops of the source that are found in the code ([`crate::code_iterations`]).
    pub(crate) anchored: Mutex<AnchoredLoops>,
}

type Counters = BTreeMap<(usize, u32), Arc<BTreeSet<MachineLocation>>>;

type Compared = BTreeMap<(CodeFrame, CodeFrame), Result<(Relation, CodeProof), CodeDoubt>>;

/// How many results of comparisons are kept.
const MOST_KEPT: usize = 100_000;

impl Order<'_> {
    /// The calls of a stack from frame number `first` on, whose functions in the map are `functions`.
    pub(crate) fn code_stack(
        &self,
        point: &ExecutionPoint,
        functions: &[Option<FunctionId>],
        first: usize,
    ) -> CodeStack {
        let mut stack = CodeStack::default();
        if self
            .map()
            .bindings()
            .all(|binding| binding.code.blocks.is_empty())
        {
            return stack;
        }
        let mut at = first;
        while at < point.frames.len() {
            // What MPI does inside is no part of the program, wherever the linker has put it.
            if self.is_of_code_alone() && mpi_entry_point(&point.frames[at].function).is_some() {
                stack.goes_on = true;
                break;
            }
            let inlined = point.frames[at + 1..]
                .iter()
                .take_while(|frame| frame.inlined)
                .count();
            let (outer, inner) = (&point.frames[at], &point.frames[at + inlined]);
            let next = point.frames.get(at + inlined + 1);
            let in_call = next.is_some_and(|next| !next.interrupted);
            let levels = (at, at + inlined + 1);
            let found = self.code_frame(outer, functions[at], (inner, levels), in_call);
            match found {
                Some(_) if stack.goes_on => stack.calls_back = true,
                Some(frame) => stack.frames.push(frame),
                None => stack.goes_on = true,
            }
            at += inlined + 1;
        }
        stack
    }

    /// Whether the map holds code of a program and nothing of its source.
    pub fn is_of_code_alone(&self) -> bool {
        let has_code = |binding: &Binding| !binding.code.blocks.is_empty();
        self.map().functions.is_empty() && self.map().bindings().any(has_code)
    }

    /// The first frame that the order looks at where nothing is known of the source. The code by which the program starts, and the library that
    /// calls `main` from there, are the same on every task.
    pub(crate) fn first_of_code(&self, point: &ExecutionPoint) -> Option<usize> {
        let is_known = |at: &usize| {
            let module = point.frames[*at].module.as_deref();
            module.is_some_and(|module| self.map().bindings().any(|binding| is_file(binding, module)))
        };
        let mut known = (0..point.frames.len()).filter(is_known);
        let first = known.next()?;
        let second = known.next();
        let first = match second {
            Some(second) if first == 0 && second > 1 => second,
            _ => first,
        };
        // Code that is not known may call what is again and again.
        let is_start = |at| is_known(&at) || is_of_start(&point.frames, at);
        (0..first).all(is_start).then_some(first)
    }

    fn code_frame(
        &self,
        outer: &Frame,
        function: Option<FunctionId>,
        (inner, levels): (&Frame, (usize, usize)),
        in_call: bool,
    ) -> Option<CodeFrame> {
        let address = if in_call {
            outer.pc?.checked_sub(1)?
        } else {
            outer.pc?
        };
        let (binding, code) = self
            .binding_at(outer, address, function)
            .map(|(at, binding)| (at, &binding.code))?;
        let block = code.block_at(address)?;
        let function = code.blocks[block as usize].function;
        let counters = self.counters_at(binding, function, block);
        let held = |&location: &MachineLocation| {
            let value = match location {
                MachineLocation::Register(number) => outer.registers.get(&number),
                MachineLocation::Slot(offset) => outer.slots.get(&offset),
            };
            Some((location, *value?))
        };
        Some(CodeFrame {
            binding,
            function,
            place: CodePlace {
                block,
                address,
                held: counters.iter().filter_map(held).collect(),
            },
            name: inner.function.clone(),
            line: inner.line,
            in_call,
            levels,
        })
    }

    /// The binding whose code a frame is in, at an address of it, and its number.
    pub(crate) fn binding_at(
        &self,
        frame: &Frame,
        address: u64,
        function: Option<FunctionId>,
    ) -> Option<(usize, &Binding)> {
        let mut bindings = self.map().bindings().enumerate();
        bindings.find(|(_, binding)| match (&frame.module, function) {
            (Some(module), _) => is_file(binding, module),
            (None, Some(function)) => has_function(binding, address, function),
            (None, None) => false,
        })
    }

    /// How one stack stands to another, by machine code; in their first `same` frames the source puts both at one point of one iteration, so that
    /// they are in one execution of what these frames call, and code is asked only from there on.
    ///
    /// # Errors
    /// Why that is not known.
    pub(crate) fn compare_code(
        &self,
        task_a: &Located,
        task_b: &Located,
        same: usize,
    ) -> Result<CodeVerdict, CodeDoubt> {
        let (a, b) = (&task_a.code, &task_b.code);
        let mut last: Option<CodeVerdict> = None;
        let first = first_open((task_a, task_b), same);
        for depth in first.. {
            let (frame_a, frame_b) = match (a.frames.get(depth), b.frames.get(depth)) {
                (Some(frame_a), Some(frame_b)) => (frame_a, frame_b),
                (None, None) => return beneath_both(task_a, task_b, last),
                _ => return Err(CodeDoubt::BesideCall),
            };
            if (frame_a.binding, frame_a.function) != (frame_b.binding, frame_b.function) {
                return Err(CodeDoubt::CalleesDiffer);
            }
            if depth > first && !self.enters_next(task_a, task_b, depth - 1) {
                return Err(CodeDoubt::EnteredByJump);
            }
            if let Some(relation) = self.beside_call((task_a, frame_a), (task_b, frame_b), same) {
                return Ok(CodeVerdict {
                    relation,
                    depth,
                    a: frame_a.shown(),
                    b: frame_b.shown(),
                    counts: None,
                });
            }
            let (relation, proof) = self.compare_code_frames(frame_a, frame_b)?;
            self.believe_rounds((task_a, frame_a), (task_b, frame_b), (relation, &proof))?;
            if relation != Relation::Equal {
                self.believe_flow((task_a, frame_a), (task_b, frame_b), (relation, &proof))?;
            }
            let verdict = CodeVerdict {
                relation,
                depth,
                a: frame_a.shown(),
                b: frame_b.shown(),
                counts: match proof {
                    CodeProof::Flow { .. } => None,
                    CodeProof::Counter { a, b, .. } => Some((a, b)),
                },
            };
            if relation != Relation::Equal {
                return Ok(verdict);
            }
            if frame_a.in_call != frame_b.in_call {
                return Err(CodeDoubt::BesideCall);
            }
            last = Some(verdict);
        }
        Err(CodeDoubt::TooDeep)
    }

    /// Whether what registers tell of the rounds of loops of the code, and of which of them nothing is told, is enough to know the iterations of the source's loops.
    ///
    /// # Errors
    /// When it is not.
    fn believe_rounds(
        &self,
        (task_a, frame_a): (&Located, &CodeFrame),
        (task_b, frame_b): (&Located, &CodeFrame),
        (relation, proof): (Relation, &CodeProof),
    ) -> Result<(), CodeDoubt> {
        let (a, b) = (|| (task_a, frame_a.levels()), || (task_b, frame_b.levels()));
        let (told, around) = proof.loops();
        let before = proof.loop_before();
        // A loop of the source that was unrolled whole is none of the code. If not every iteration counts, those that do not are a loop in front of the copy of the others.
        // Of two places in different parts of the code `believe_flow` knows more.
        let is_in_one_place = relation == Relation::Equal || matches!(proof, CodeProof::Counter { .. });
        let is_unrolled =
            || is_in_one_place && before != LoopBefore::None && self.loops_around_both(a(), b()).0 > told;
        // A loop that cannot come to MPI is not made of iterations each of which makes the call that both are in, and which may.
        let is_no_iteration = || {
            let is_silent = before == LoopBefore::Silent && self.is_called_by_each_iteration(task_a, frame_a);
            is_silent || told == 0 && self.is_first_call(task_a, frame_a)
        };
        let is_one_call = relation == Relation::Equal && frame_a.in_call && frame_b.in_call;
        let untold = LazyCell::new(|| self.untold_around_both(a(), b()));
        let is_uncounted = (proof.is_past_uncounted_loops() || is_unrolled())
            && !self.every_iteration_counts(a(), b(), untold.as_ref())
            && !(is_one_call && is_no_iteration());
        let may_have_gone_round = || {
            let binding = self.map().bindings().nth(frame_a.binding);
            binding.is_none_or(|binding| {
                self.may_have_gone_round(a(), b(), told, (binding, &around.0))
                    || self.may_have_gone_round(b(), a(), told, (binding, &around.1))
            })
        };
        // Nobody has gone round in a loop of which the source tells that both are in one iteration.
        let is_told = || untold.as_ref().is_some_and(BTreeSet::is_empty);
        if is_uncounted || relation != Relation::Equal && may_have_gone_round() && !is_told() {
            return Err(CodeDoubt::RoundsUncounted);
        }
        Ok(())
    }

    /// Whether the ways through the code of one function tell how two frames stand to each other, and not to the source's order.
    ///
    /// # Errors
    /// Why they do not.
    fn believe_flow(
        &self,
        (task_a, frame_a): (&Located, &CodeFrame),
        (task_b, frame_b): (&Located, &CodeFrame),
        (relation, proof): (Relation, &CodeProof),
    ) -> Result<(), CodeDoubt> {
        let CodeProof::Flow {
            told,
            passed,
            behind_loop,
            ..
        } = proof
        else {
            return Ok(());
        };
        // One piece of the source may have several copies, of which none leads to another.
        if relation == Relation::Incomparable {
            return Err(CodeDoubt::WaysApart);
        }
        let (levels_a, levels_b) = ((task_a, frame_a.levels()), (task_b, frame_b.levels()));
        let is_of_source = is_of_source(&levels_a) && is_of_source(&levels_b);
        if !passed && !is_of_source {
            return Err(CodeDoubt::OtherWays);
        }
        let both_call = frame_a.in_call && frame_b.in_call;
        if both_call && may_be_one_point(levels_a.clone(), levels_b.clone()) {
            return Err(CodeDoubt::CopiesOfOnePoint);
        }
        let may_be_another =
            |(task, levels): &(&Located, Range<usize>)| may_be_another_call((*task, levels.clone()));
        // Whoever is at the later place has been at the earlier one, whichever calls of the source they are.
        if !passed && (may_be_another(&levels_a) || may_be_another(&levels_b)) {
            return Err(CodeDoubt::SeveralCalls);
        }
        let is_behind = |frame: &CodeFrame, other: (&Located, &CodeFrame)| {
            *told == 0 && self.has_never_made(frame, other)
        };
        if self.may_be_leaving(levels_a, levels_b, *told, *behind_loop != LoopBefore::None)
            && !match relation {
                Relation::Before => is_behind(frame_a, (task_b, frame_b)),
                _ => is_behind(frame_b, (task_a, frame_a)),
            }
        {
            return Err(CodeDoubt::MayBeLeaving);
        }
        Ok(())
    }

    /// Whether two tasks that are in one execution of the call of their frames number `caller` are in one execution of the function of the frames below: the
    /// call enters that function. Otherwise what was called may have left its frame to it by a jump, and there may be several such jumps.
    fn enters_next(&self, task_a: &Located, task_b: &Located, caller: usize) -> bool {
        let enters = |task: &Located| {
            let (caller, next) = (&task.code.frames[caller], &task.code.frames[caller + 1]);
            let is_straight = || {
                let frames = task.frames.iter().zip(&task.origin);
                let mut own =
                    frames.filter(|(_, origin)| origin.is_some_and(|at| caller.levels().contains(&at)));
                own.next_back().is_some_and(|(frame, _)| frame.callee_known)
            };
            caller.binding == next.binding && self.callee_of(caller) == Some(next.function) || is_straight()
        };
        enters(task_a) && enters(task_b)
    }

    /// The function that the call of a frame enters, if it is called by its address.
    fn callee_of(&self, caller: &CodeFrame) -> Option<u32> {
        let binding = self.map().bindings().nth(caller.binding)?;
        binding.code.callee_of(caller.place.block)
    }

    /// Where the code puts two tasks in one execution of the call that the source's frame number `depth` is in, or that a function inlined
    /// there is in: the number of the first frame of what is called. The frames above `depth` are known to be at one point of one iteration.
    pub(crate) fn past_by_code(&self, a: &Located, b: &Located, depth: usize) -> Option<usize> {
        let is_one_execution =
            |frame_a: &CodeFrame, frame_b: &CodeFrame| match self.compare_code_frames(frame_a, frame_b) {
                Ok((Relation::Equal, proof)) => self
                    .believe_rounds((a, frame_a), (b, frame_b), (Relation::Equal, &proof))
                    .is_ok(),
                _ => false,
            };
        self.past_call((a, b), depth, is_one_execution)
    }

    /// The same, where it is the source that tells of two tasks in one call instruction that they are in one execution of it: `is_executed_once` in the iteration in
    /// which both are.
    pub(crate) fn past_one_instruction(
        &self,
        tasks: (&Located, &Located),
        depth: usize,
        is_executed_once: impl FnOnce() -> bool,
    ) -> Option<usize> {
        // What is inlined there has calls of its own.
        let is_one_function = |frame: &CodeFrame| frame.levels.1 - frame.levels.0 == 1;
        let is_one_execution = |frame_a: &CodeFrame, frame_b: &CodeFrame| {
            let place = |frame: &CodeFrame| (frame.place.block, frame.place.address);
            place(frame_a) == place(frame_b)
                && is_one_function(frame_a)
                && is_one_function(frame_b)
                && is_executed_once()
        };
        self.past_call(tasks, depth, is_one_execution)
    }

    fn past_call(
        &self,
        (a, b): (&Located, &Located),
        depth: usize,
        is_one_execution: impl FnOnce(&CodeFrame, &CodeFrame) -> bool,
    ) -> Option<usize> {
        let frame_of = |task: &Located| {
            let origin = task.origin.get(depth).copied().flatten()?;
            let holds = |frame: &CodeFrame| frame.levels().contains(&origin);
            task.code.frames.iter().position(holds)
        };
        let at = frame_of(a).filter(|&at| frame_of(b) == Some(at))?;
        let (frame_a, frame_b) = (&a.code.frames[at], &b.code.frames[at]);
        let is_one_call = frame_a.in_call
            && frame_b.in_call
            && (frame_a.binding, frame_a.function) == (frame_b.binding, frame_b.function)
            && is_one_execution(frame_a, frame_b);
        let next = |task: &Located, frame: &CodeFrame| {
            let is_below = |origin: &Option<usize>| origin.is_some_and(|at| at >= frame.levels.1);
            task.origin.iter().position(is_below)
        };
        let next_a = next(a, frame_a)?;
        let is_followed =
            a.code.frames.len() > at + 1 && b.code.frames.len() > at + 1 && self.enters_next(a, b, at);
        (is_one_call && is_followed && next(b, frame_b) == Some(next_a)).then_some(next_a)
    }

    /// How two tasks stand of which one is in a call and the other next to it, where the source puts both at one point of one iteration in their
    /// first `same` frames, which are all that the other one has: it makes the call next, or has come back from it just now.
    fn beside_call(
        &self,
        (task_a, a): (&Located, &CodeFrame),
        (task_b, b): (&Located, &CodeFrame),
        same: usize,
    ) -> Option<Relation> {
        let (calling, task, beside) = match (a.in_call, b.in_call) {
            (true, false) => (a, task_b, b),
            (false, true) => (b, task_a, a),
            _ => return None,
        };
        let levels = |frame: &CodeFrame| frame.levels.1 - frame.levels.0;
        let is_same = task.frames.len() == same && levels(a) == levels(b);
        if !is_same || same == 0 {
            return None;
        }
        let code = self.function_code(a.binding, a.function);
        let relation = code.beside(beside.place.block, calling.place.block)?;
        Some(if a.in_call { relation.reversed() } else { relation })
    }

    fn compare_code_frames(&self, a: &CodeFrame, b: &CodeFrame) -> Result<(Relation, CodeProof), CodeDoubt> {
        let index = &self.code;
        let key = (a.clone(), b.clone());
        // Whoever panicked with a lock left nothing half done: an entry is whole when it is put in.
        let known = |index: &CodeIndex| {
            let compared = index.compared.lock().unwrap_or_else(PoisonError::into_inner);
            compared.get(&key).cloned()
        };
        if let Some(known) = known(index) {
            return known;
        }
        let found = self
            .function_code(a.binding, a.function)
            .compare(&a.place, &b.place);
        let mut compared = index.compared.lock().unwrap_or_else(PoisonError::into_inner);
        if compared.len() < MOST_KEPT {
            compared.insert(key, found.clone());
        }
        found
    }

    /// What tells the iterations of the loops around a block: no other registers and slots tell tasks apart.
    fn counters_at(&self, binding: usize, function: u32, block: u32) -> Arc<BTreeSet<MachineLocation>> {
        let known = &self.code.counters;
        let key = (binding, block);
        if let Some(known) = known.lock().unwrap_or_else(PoisonError::into_inner).get(&key) {
            return Arc::clone(known);
        }
        let found = Arc::new(self.function_code(binding, function).counters_at(block));
        let mut known = known.lock().unwrap_or_else(PoisonError::into_inner);
        Arc::clone(known.entry(key).or_insert(found))
    }

    pub(crate) fn function_code(&self, binding: usize, function: u32) -> Arc<FunctionCode> {
        let blocks = self.code.blocks.get_or_init(|| {
            let mut blocks: BTreeMap<(usize, u32), Vec<u32>> = BTreeMap::new();
            for (at, binding) in self.map().bindings().enumerate() {
                for (number, block) in (0..).zip(&binding.code.blocks) {
                    blocks.entry((at, block.function)).or_default().push(number);
                }
            }
            blocks
        });
        let key = (binding, function);
        let mut functions = self.code.functions.lock().unwrap_or_else(PoisonError::into_inner);
        let made = functions.entry(key).or_insert_with(|| {
            let none = MachineCode::default();
            let code = self
                .map()
                .bindings()
                .nth(binding)
                .map_or(&none, |binding| &binding.code);
            Arc::new(FunctionCode::new(
                code,
                blocks.get(&key).cloned().unwrap_or_default(),
            ))
        });
        Arc::clone(made)
    }
}

impl CodeStack {
    /// Outermost first.
    pub(crate) fn frames(&self) -> &[CodeFrame] {
        &self.frames
    }

    /// Whether no frame of the stack is in code that is known.
    pub(crate) fn is_empty(&self) -> bool {
        self.frames.is_empty()
    }
}

impl CodeFrame {
    pub(crate) fn levels(&self) -> Range<usize> {
        self.levels.0..self.levels.1
    }

    fn shown(&self) -> (String, Option<u32>, u64) {
        (self.name.clone(), self.line, self.place.address)
    }
}

/// How two tasks stand to each other whose frames in the program are all at the same points, `last` in the innermost: it depends on what
/// is beneath, if that is known to belong to them.
fn beneath_both(
    task_a: &Located,
    task_b: &Located,
    last: Option<CodeVerdict>,
) -> Result<CodeVerdict, CodeDoubt> {
    let (a, b) = (&task_a.code, &task_b.code);
    let settled = !(a.calls_back || b.calls_back) && a.goes_on == b.goes_on;
    // The frame in front of which the code of the program ends.
    let entry = |stack: &CodeStack| stack.frames.last().map(|frame| frame.levels.1);
    let beneath = beneath::relation((task_a, entry(a)), (task_b, entry(b)));
    let ends_in_unknown_code = |task: &Located| {
        let entry = entry(&task.code);
        let depth = task
            .origin
            .iter()
            .position(|origin| origin.is_some() && *origin == entry);
        depth.is_some_and(|depth| task.is_in_unknown_code(depth))
    };
    if [task_a, task_b].into_iter().any(ends_in_unknown_code) {
        return Err(CodeDoubt::Beneath);
    }
    let told = last.zip(beneath).filter(|_| settled);
    let told = told.map(|(verdict, (relation, _))| CodeVerdict { relation, ..verdict });
    told.ok_or(CodeDoubt::Beneath)
}

/// The innermost frame of the machine that both are in one execution of, if the source puts both at one point of one iteration in their first `same`
/// frames.
fn first_open((a, b): (&Located, &Located), same: usize) -> usize {
    let begins_at = |task: &Located, frame: &CodeFrame| {
        let mut origins = task.origin.iter();
        origins.position(|origin| *origin == Some(frame.levels.0))
    };
    let frames = a.code.frames.iter().zip(&b.code.frames);
    let is_same = |(of_a, of_b): &(&CodeFrame, &CodeFrame)| {
        let begins = begins_at(a, of_a);
        begins.is_some_and(|begins| begins <= same) && begins == begins_at(b, of_b)
    };
    frames.take_while(is_same).count().saturating_sub(1)
}

/// Whether a binding is that of the file that a module's name stands for.
fn is_file(binding: &Binding, module: &str) -> bool {
    base::last_component(&binding.executable) == base::last_component(module)
}

/// Whether the code of a function of the map is at an address.
fn has_function(binding: &Binding, address: u64, function: FunctionId) -> bool {
    let Some(found) = binding.function_at(address) else {
        return false;
    };
    // What is inlined into a function of another file may be the outermost that the map knows.
    found
        .function
        .is_none_or(|known| known.index() == function.index())
}
