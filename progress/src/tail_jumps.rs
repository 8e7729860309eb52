//! Which functions the machine code of a function jumps to when it leaves its frame.
//!
//! The source only says which calls may be last ([`crate::tail`]). Whether a compiler has made a jump of one, and to whom, the instructions say. They are
//! asked about functions whose code is all their own: of one that was inlined somewhere, debug info may lose the frame there, too.

use crate::{Frame, Order};
use base::IdVec;
use progress_map::{FunctionId, Map, TailTarget};
use std::collections::{BTreeMap, BTreeSet};

/// How the code of the functions of a map leaves frames.
pub(crate) struct TailJumps {
    of_own_code: IdVec<FunctionId, Leaving>,
    has_code: IdVec<FunctionId, Code>,
    /// By function whose code is a jump to the entry of another one, and nothing else: that one.
    only_jumps: BTreeMap<FunctionId, FunctionId>,
    /// The map holds all functions that debug info names: so it knows whose addresses are taken.
    is_whole: bool,
}

/// Where one function may jump to.
enum Leaving {
    /// To any function: nothing better is known.
    Anywhere,
    To(Targets),
}

#[derive(Default)]
struct Targets {
    functions: BTreeSet<FunctionId>,
    /// The first addresses of those of the program: of a template each instance has its own.
    entries: BTreeSet<u64>,
    /// To a function that the map does not hold.
    elsewhere: bool,
    /// Through the program's linkage table, to a shared object.
    linked: bool,
}

/// Where code of a function is.
#[derive(Clone, Copy, Default)]
struct Code {
    in_program: bool,
    in_library: bool,
    inlined: bool,
}

impl TailJumps {
    fn new(order: &Order<'_>) -> Self {
        let map = order.map();
        let has_code = has_code(map);
        let mut found: IdVec<FunctionId, Leaving> = has_code
            .iter()
            .map(|code| {
                if code.is_somewhere() {
                    Leaving::To(Targets::default())
                } else {
                    Leaving::Anywhere
                }
            })
            .collect();
        for (at, binding) in map.bindings().enumerate() {
            let Some(jumps) = &binding.tail_jumps else {
                for id in binding.functions.iter().filter_map(|bound| bound.function) {
                    found[id] = Leaving::Anywhere;
                }
                continue;
            };
            for jump in jumps {
                let from = binding.function_at(jump.at).and_then(|bound| bound.function);
                let Some(leaving) = from.map(|id| &mut found[id]) else {
                    continue;
                };
                let Leaving::To(targets) = leaving else {
                    continue;
                };
                let target = match jump.to {
                    TailTarget::Function(start) => {
                        binding.function_at(start).filter(|bound| bound.start == start)
                    }
                    TailTarget::Linked if at == 0 => {
                        targets.linked = true;
                        continue;
                    }
                    // Whoever loads a shared object may put another function in the place of one that it exports.
                    TailTarget::Linked | TailTarget::Anywhere => None,
                };
                if let Some(bound) = target.filter(|_| at == 0) {
                    targets.entries.insert(bound.start);
                }
                match target.map(|bound| (bound.function, bound.name.as_str())) {
                    Some((Some(id), _)) => drop(targets.functions.insert(id)),
                    Some((None, name)) if order.functions_named(name).is_empty() => targets.elsewhere = true,
                    _ => *leaving = Leaving::Anywhere,
                }
            }
        }
        let mut bound = map.bindings().flat_map(|binding| &binding.functions);
        Self {
            of_own_code: found,
            only_jumps: only_jumps(map),
            has_code,
            is_whole: bound.all(|bound| bound.function.is_some())
                && map.bindings().all(|binding| binding.tail_jumps.is_some()),
        }
    }

    /// Where a function may jump to, inlined or not; `None` if that may be anywhere.
    fn leaving(&self, id: FunctionId) -> Option<&Targets> {
        match &self.of_own_code[id] {
            Leaving::To(targets) if !self.has_code[id].inlined => Some(targets),
            _ => None,
        }
    }
}

impl Targets {
    /// Whether one of these functions, which are all of one name, is among the targets. Where the map has none of the name, it may be
    /// another name of one that it has.
    fn may_be(&self, functions: &[FunctionId], has_code: &IdVec<FunctionId, Code>) -> bool {
        let is_empty = !self.linked && !self.elsewhere && self.functions.is_empty();
        let may_be = |callee: &FunctionId| {
            // Of functions with the same code gcc keeps one.
            self.functions.contains(callee)
                || !has_code[*callee].is_somewhere() && !is_empty
                || self.linked && has_code[*callee].in_library
        };
        functions.is_empty() && !is_empty || functions.iter().any(may_be)
    }
}

impl Code {
    /// Whether it has code of its own, other than what was inlined.
    fn is_somewhere(self) -> bool {
        self.in_program || self.in_library
    }
}

fn has_code(map: &Map) -> IdVec<FunctionId, Code> {
    let mut found: IdVec<FunctionId, Code> = map.functions.iter().map(|_| Code::default()).collect();
    for (at, binding) in map.bindings().enumerate() {
        for id in binding.functions.iter().filter_map(|bound| bound.function) {
            found[id].in_program |= at == 0;
            found[id].in_library |= at > 0;
        }
        for id in binding.inlines.iter().filter_map(|inline| inline.function) {
            found[id].inlined = true;
        }
    }
    found
}

/// The functions whose code begins with a jump to another one. One with several pieces of code, or several instances, has to begin so in each.
fn only_jumps(map: &Map) -> BTreeMap<FunctionId, FunctionId> {
    let mut found: BTreeMap<FunctionId, Option<FunctionId>> = BTreeMap::new();
    for binding in map.bindings() {
        let mut jumps: BTreeMap<u64, Vec<TailTarget>> = BTreeMap::new();
        for jump in binding.tail_jumps.iter().flatten() {
            jumps.entry(jump.at).or_default().push(jump.to);
        }
        for bound in &binding.functions {
            let to = match jumps.get(&bound.start).map(Vec::as_slice) {
                Some(&[TailTarget::Function(start)]) => {
                    let to = binding.function_at(start).filter(|to| to.start == start);
                    to.and_then(|to| to.function)
                }
                _ => None,
            };
            let Some(id) = bound.function else { continue };
            let known = found.entry(id).or_insert(to);
            if *known != to {
                *known = None;
            }
        }
    }
    let found = found.into_iter();
    found.filter_map(|(id, to)| Some((id, to?))).collect()
}

impl Order<'_> {
    /// Whether a function is another one: all its code is a jump to it. No instruction tells of a task in the other which of the two was called.
    pub(crate) fn is_only_a_jump_to(&self, id: FunctionId, callee: FunctionId) -> bool {
        self.tail_jumps().only_jumps.get(&id) == Some(&callee)
    }

    fn tail_jumps(&self) -> &TailJumps {
        self.tail_jumps.get_or_init(|| TailJumps::new(self))
    }

    /// Whether the map knows all functions that a pointer may lead to, and where their code jumps. Code that it does not hold may take the address of any.
    pub(crate) fn knows_whom_pointers_lead_to(&self) -> bool {
        self.tail_jumps().is_whole
    }

    /// Whether jumps may lead from the code of a function to the entry of `callee`, by way of others or not. Of functions that were inlined somewhere
    /// debug info may lose the frame without any jump.
    pub(crate) fn code_leads_to(&self, id: FunctionId, callee: &str) -> bool {
        let jumps = self.tail_jumps();
        if jumps.has_code[id].inlined {
            return true;
        }
        let mut seen = BTreeSet::new();
        let mut work = vec![id];
        while let Some(at) = work.pop() {
            if !seen.insert(at) {
                continue;
            }
            let Leaving::To(targets) = &jumps.of_own_code[at] else {
                return true;
            };
            if targets.may_be(self.functions_named(callee), &jumps.has_code) {
                return true;
            }
            work.extend(&targets.functions);
        }
        false
    }

    /// Whether a function may leave its frame to `callee`, or has it inside.
    pub(crate) fn may_jump_to(&self, id: FunctionId, callee: FunctionId) -> bool {
        let jumps = self.tail_jumps();
        // A call of itself stays in the function.
        id == callee
            || jumps.has_code[callee].inlined
            || jumps
                .leaving(id)
                .is_none_or(|targets| targets.may_be(&[callee], &jumps.has_code))
    }

    /// The same for any function of a name.
    pub(crate) fn may_jump_to_named(&self, id: FunctionId, name: &str) -> bool {
        let jumps = self.tail_jumps();
        let functions = self.functions_named(name);
        match jumps.leaving(id) {
            Some(targets) if functions.is_empty() => targets.may_be(functions, &jumps.has_code),
            _ => functions.is_empty() || functions.iter().any(|&callee| self.may_jump_to(id, callee)),
        }
    }

    /// Whether a function may leave its frame to the code that the frame of `callee` is in, which is one of several instances of a template, perhaps.
    pub(crate) fn may_leave_to_code_of(&self, id: FunctionId, callee: &Frame) -> bool {
        let program = self.map().binding.as_ref();
        let code_at = |pc: u64| program?.function_at(pc);
        let function = self.function_of(callee);
        let code = callee.pc.and_then(code_at);
        // Behind a call that is the last instruction, the next function begins.
        let is_inside = |start: u64| {
            callee
                .pc
                .and_then(|pc| code_at(pc.checked_sub(1)?))
                .is_some_and(|code| code.start == start)
        };
        let code =
            code.filter(|code| code.function.is_some() && code.function == function && is_inside(code.start));
        let (Some(targets), Some(code)) = (self.tail_jumps().leaving(id), code) else {
            return true;
        };
        // Others may hand it on.
        let is_direct = !targets.linked && targets.functions.iter().all(|&target| Some(target) == function);
        !is_direct || targets.entries.contains(&code.start)
    }

    /// The functions of the map that a function may jump to without naming them; `None` if that may be any.
    pub(crate) fn jumped_to(&self, id: FunctionId) -> Option<impl Iterator<Item = FunctionId>> {
        let targets = self.tail_jumps().leaving(id)?;
        // A shared object of the program may hold functions of the map.
        let may_be_any = targets.linked && self.map().bindings().nth(1).is_some();
        (!may_be_any).then(|| targets.functions.iter().copied())
    }
}
