//! The pairs of calls in one copy of a function.

use super::Position;
use super::evidence::{CallInstruction, Callee, Evidence, PassedNumbers, Sites};
use crate::code::InstructionIndex;
use crate::effects::Effects;
use crate::meetings::{Meetings, Names};
use crate::stand_ins::{Copy, Fit, Source, stand_ins};
use base::IdVec;
use library::Exit;
use progress_map::{Function, PointId, PointKind};
use std::collections::{BTreeMap, BTreeSet};

/// By a call that is shown: the others for which its instruction may stand too.
type Pairs = BTreeMap<PointId, BTreeSet<PointId>>;

/// Finds the pairs of one copy of a function, of whose calls `shown` is left. `copy` is its code, where it could be decoded.
pub(super) fn of_copy(
    names: &Names<'_>,
    shown: &Shown,
    effects: &Effects,
    evidence: &Evidence<'_>,
    copy: Option<&Copy<'_>>,
    mut found: impl FnMut(PointId, PointId),
) {
    let function = names.function;
    let pairs = pairs(names, shown, evidence);
    if pairs.is_empty() {
        return;
    }
    let instructions = copy.and_then(|copy| {
        let required = function.points.iter_enumerated().map(|(id, point)| {
            shown.own.contains(&id)
                && !is_macro(function, id)
                && point.unsequenced.is_empty()
                && effects.has(&point.kind)
        });
        stand_ins_of(names, effects, evidence, copy, required.collect(), &pairs)
    });
    // Where a call is inlined, no instruction tells which it is.
    let inlined: BTreeSet<PointId> = evidence
        .inlined
        .iter()
        .flat_map(|&inlined| inlined_at(names, evidence, inlined))
        .collect();
    for (one, others) in pairs {
        for other in others {
            let is_possible = instructions
                .as_ref()
                .is_none_or(|found| inlined.contains(&one) || found.contains(&(one, other)));
            if is_possible {
                found(one, other);
            }
        }
    }
}

/// A macro may leave out the call inside it, so a way through the macro need not make that call.
fn is_macro(function: &Function, point: PointId) -> bool {
    matches!(function.points[point].kind, PointKind::MacroCall(_))
}

/// By a call that is shown: the others that its instruction may be too, as far as names and the source tell.
fn pairs(names: &Names<'_>, shown: &Shown, evidence: &Evidence<'_>) -> Pairs {
    let function = names.function;
    let certain = shown.certain.iter().copied();
    let passed = certain.filter(|&point| !is_macro(function, point)).collect();
    let mut meetings = Meetings::new(names, &passed);
    let mut pairs = Pairs::new();
    let numbers = passed_numbers(names, evidence);
    for &one in &shown.all {
        for other in calls(function) {
            // An instruction that names a function is never one with another that does not.
            let differ = shown.through_pointer.contains(&one) && names.only_names(other);
            let passed = numbers.get(&one).map(Vec::as_slice).unwrap_or_default();
            let contradict = |passed: &PassedNumbers| names.contradicts(other, passed);
            let differ = differ || !passed.is_empty() && passed.iter().all(contradict);
            if !differ && other != one && names.alike(one, other) && meetings.meet(one, other) {
                pairs.entry(one).or_default().insert(other);
            }
        }
    }
    pairs
}

/// By call that is shown: what the instructions at its position pass that may be it. Where something is inlined there, no instruction need be it.
fn passed_numbers(names: &Names<'_>, evidence: &Evidence<'_>) -> BTreeMap<PointId, Vec<PassedNumbers>> {
    let mut found: BTreeMap<PointId, Vec<PassedNumbers>> = BTreeMap::new();
    for &(call, position) in &evidence.calls {
        let here = position.map(|position| calls_at(names.function, position));
        for point in here
            .into_iter()
            .flatten()
            .filter(|&point| call.callee.may_be(names, point))
        {
            found.entry(point).or_default().push(call.passed);
        }
    }
    for &inlined in &evidence.inlined {
        for point in inlined_at(names, evidence, inlined) {
            found.remove(&point);
        }
    }
    found
}

/// The calls of a function, in order.
fn calls(function: &Function) -> impl Iterator<Item = PointId> + '_ {
    let points = function.points.iter_enumerated();
    points.filter(|(_, point)| point.kind.is_call()).map(|(id, _)| id)
}

/// The pairs of calls of which some instruction has the position of the first and may be the second; `None` if the code does not tell.
fn stand_ins_of(
    names: &Names<'_>,
    effects: &Effects,
    evidence: &Evidence<'_>,
    copy: &Copy<'_>,
    mut required: IdVec<PointId, bool>,
    pairs: &Pairs,
) -> Option<BTreeSet<(PointId, PointId)>> {
    let function = names.function;
    let may_begin_anew = may_begin_anew(function, effects, &required);
    for &point in &may_begin_anew {
        required[point] = false;
    }
    let source = Source {
        function,
        handlers: &names.handlers,
        required: &required,
        may_begin_anew: &may_begin_anew,
    };
    let instructions = Instructions::new(names, effects, evidence)?;
    let reached = stand_ins(copy, &source, |step| instructions.fit(step, pairs))?;
    let mut found = BTreeSet::new();
    for &(step, other) in &reached {
        let here = instructions.of_step[&step].here.iter();
        found.extend(here.map(|&one| (one, other)));
    }
    for Instruction { call, here, .. } in instructions.of_step.values() {
        if !instructions.moves(call.callee) {
            continue;
        }
        for &one in here.iter().filter(|&&one| call.callee.may_be(names, one)) {
            found.extend(pairs.get(&one).into_iter().flatten().map(|&other| (one, other)));
        }
    }
    Some(found)
}

/// The last calls that may have become a jump to the entry of their own function, or of one that leads there; sorted.
fn may_begin_anew(function: &Function, effects: &Effects, required: &IdVec<PointId, bool>) -> Vec<PointId> {
    let mut calls = function.last_calls();
    calls.retain(|&point| match &function.points[point].kind {
        PointKind::Call(name) => *name == function.name || !required[point] && effects.is_in_map(name),
        _ => !required[point],
    });
    calls
}

/// The call instructions of a copy, by their places in the code.
struct Instructions<'i, 'n> {
    names: &'i Names<'i>,
    effects: &'i Effects,
    of_step: BTreeMap<InstructionIndex, Instruction<'n>>,
}

/// A call instruction, and what the source has at its position.
struct Instruction<'n> {
    call: CallInstruction<'n>,
    /// The innermost calls there.
    innermost: Vec<PointId>,
    /// These and the calls nested in them.
    here: Vec<PointId>,
}

impl<'i, 'n> Instructions<'i, 'n> {
    /// `None` if one of them has no known place.
    fn new(names: &'i Names<'i>, effects: &'i Effects, evidence: &Evidence<'n>) -> Option<Self> {
        let of_step = evidence.calls.iter().map(|&(call, position)| {
            let innermost = position.map(|position| innermost_at(names.function, position));
            let innermost = innermost.unwrap_or_default();
            let here = calls_within(names.function, &innermost);
            let instruction = Instruction {
                call,
                innermost,
                here,
            };
            Some((call.step?, instruction))
        });
        Some(Self {
            names,
            effects,
            of_step: of_step.collect::<Option<_>>()?,
        })
    }

    /// Whether calls of that function have no effects: compilers move these about.
    fn moves(&self, callee: Callee<'_>) -> bool {
        matches!(callee, Callee::Named(name) if !self.effects.of_name(name))
    }

    /// Whether a call of that function returns, whatever the program does.
    fn comes_back(&self, name: &str) -> bool {
        let known = library::function(name).is_some_and(|row| row.exit != Exit::Never);
        known && !self.effects.is_in_map(name)
    }

    /// Whether an instruction of C++ may be a call that the source does not write, at the position of one that it does: a destructor, a call
    /// in a default argument, which has the position of the call that takes it, or in a default initialiser of a member.
    fn may_be_implicit(&self, instruction: &Instruction<'_>) -> bool {
        let callee = instruction.call.callee;
        let is_written = match callee {
            Callee::Named(name) => !name.starts_with('~'),
            Callee::Pointer => true,
            Callee::Unknown => false,
        };
        let mut innermost = instruction.innermost.iter();
        self.names.function.is_constructor()
            || !is_written
            || !innermost.any(|&point| callee.may_be(self.names, point))
    }

    /// What an instruction may be by itself.
    fn fit(&self, step: InstructionIndex, pairs: &Pairs) -> Fit {
        let Some(instruction) = self.of_step.get(&step) else {
            return Fit::default();
        };
        let Instruction { call, here, .. } = instruction;
        let own = Fit {
            is_own: true,
            returns: matches!(call.callee, Callee::Named(name) if self.comes_back(name)),
            ..Fit::default()
        };
        if self.moves(call.callee) {
            return own;
        }
        let may_be = |point: &PointId| call.callee.may_be(self.names, *point);
        // An instruction at whose position the source has no such call may have been moved there from anywhere.
        let is_strange = !here.iter().any(may_be);
        let is_paired =
            |one: &PointId, point: &PointId| pairs.get(one).is_some_and(|others| others.contains(point));
        let is_near = |point: &PointId| {
            is_strange || here.contains(point) || here.iter().any(|one| is_paired(one, point))
        };
        let function = self.names.function;
        let points = || calls(function).filter(may_be).filter(is_near);
        let agreeing: BTreeSet<PointId> = points()
            .filter(|&point| !self.names.contradicts(point, &call.passed))
            .collect();
        Fit {
            points: if agreeing.is_empty() {
                points().collect()
            } else {
                agreeing
            },
            silent: is_strange || function.is_qualified() && self.may_be_implicit(instruction),
            ..own
        }
    }
}

/// What one copy of a function shows of its calls.
pub(super) struct Shown {
    /// The calls that some instruction or inlined call has the position of.
    pub(super) all: BTreeSet<PointId>,
    /// Of them those that certainly are there.
    certain: BTreeSet<PointId>,
    /// Of these those that nothing but an instruction of its own stands for.
    own: BTreeSet<PointId>,
    /// Calls through pointers that are instructions through pointers.
    through_pointer: BTreeSet<PointId>,
}

/// The innermost calls at a position.
fn innermost_at(function: &Function, (line, column): Position) -> Vec<PointId> {
    let on_line = Vec::from_iter(function.calls_on(line));
    function.calls_at(&on_line, line, column)
}

/// The calls at a position, with those nested in them: gcc numbers a call nested in another call's arguments like the outer one.
pub(super) fn calls_at(function: &Function, position: Position) -> Vec<PointId> {
    calls_within(function, &innermost_at(function, position))
}

fn calls_within(function: &Function, outer: &[PointId]) -> Vec<PointId> {
    let inside = function.within(outer);
    inside
        .filter(|&point| function.points[point].kind.is_call())
        .collect()
}

/// The calls at a position that may be the one that is inlined there, by the name of its function. Where none has that name, as that of a
/// default argument is not written there, all may be it that no instruction at this position is.
fn inlined_at(
    names: &Names<'_>,
    evidence: &Evidence<'_>,
    (position, name): (Position, &str),
) -> Vec<PointId> {
    let here = calls_at(names.function, position);
    let named = here.iter().copied().filter(|&point| names.may_call(point, name));
    let named = Vec::from_iter(named);
    if !named.is_empty() {
        return named;
    }
    let calls = || evidence.calls.iter().filter(|(_, at)| *at == Some(position));
    let has_own = |point: PointId| calls().any(|(call, _)| call.callee.may_be(names, point));
    here.into_iter().filter(|&point| !has_own(point)).collect()
}

pub(super) fn shown(names: &Names<'_>, sites: &BTreeMap<Position, Sites<'_>>) -> Shown {
    let function = names.function;
    let is_qualified = function.is_qualified();
    let mut shown = Shown {
        all: BTreeSet::new(),
        certain: BTreeSet::new(),
        own: BTreeSet::new(),
        through_pointer: BTreeSet::new(),
    };
    for (&position, found) in sites {
        let Sites { count, named, .. } = found;
        let here = calls_at(function, position);
        shown.all.extend(&here);
        // Where the compiler knows what a pointer leads to, the instruction names that.
        let is_called = |name: &&str| here.iter().any(|&point| names.may_name(point, name));
        let all_called = named.keys().all(is_called);
        if found.by_pointer > 0 && all_called {
            let indirect = |point: &&PointId| function.points[**point].kind == PointKind::IndirectCall;
            shown.through_pointer.extend(here.iter().filter(indirect));
        }
        if here.is_empty() {
            continue;
        }
        if named.values().sum::<usize>() + found.by_pointer < *count {
            // Of some instructions nothing is known but that they call.
            if *count >= here.len() {
                shown.certain.extend(here);
            }
            continue;
        }
        let callers = |name: &str| here.iter().filter(|&&point| names.may_call(point, name)).count();
        let unnamed = here.iter().filter(|&&point| !names.only_names(point)).count();
        // Of some functions there may be an instruction for each call all the same, and so of pointers.
        let has_all = |name: &str| named.get(name).is_some_and(|&count| count >= callers(name));
        for &point in &here {
            let has_own = match &function.points[point].kind {
                PointKind::Call(name) => has_all(name),
                PointKind::IndirectCall => found.by_pointer >= unnamed,
                // It may make several calls: each of them must be there. Where it is a function, and no macro, it calls that; where
                // neither shows, nothing does.
                PointKind::MacroCall(own) => names.called(point).is_some_and(|called| {
                    let others = || called.iter().filter(|name| *name != own);
                    let shows = if named.contains_key(own.as_str()) {
                        has_all(own)
                    } else {
                        others().next().is_some()
                    };
                    shows && others().all(|name| has_all(name))
                }),
                _ => false,
            };
            if has_own {
                shown.certain.insert(point);
                // An instruction of another name may stand for any call here. C++ makes implicit calls.
                let alone = |name: &str| named.get(name).is_some_and(|&count| count == callers(name));
                let is_plain = match &function.points[point].kind {
                    PointKind::Call(name) => !is_qualified || alone(name),
                    _ => !is_qualified,
                };
                if all_called && !found.inlined && is_plain {
                    shown.own.insert(point);
                }
            }
        }
    }
    shown
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::meetings::tests::function;
    use crate::walk::NodeId;
    use base::Id;
    use progress_map::{FileId, Map};

    /// Instructions on a line, of which nothing is known but that they call.
    fn unnamed(line: u32, count: usize) -> Vec<(u32, Callee<'static>)> {
        vec![(line, Callee::Unknown); count]
    }

    /// The pairs that are found in code that could not be decoded.
    fn pairs(map: &Map, instructions: &[(u32, Callee<'_>)]) -> Vec<(usize, usize)> {
        let calls = instructions.iter().enumerate().map(|(at, &(line, callee))| {
            let call = CallInstruction {
                after: at as u64,
                step: None,
                node: NodeId::from_index(0),
                callee,
                passed: PassedNumbers::default(),
            };
            (call, Some((line, 1)))
        });
        let evidence = Evidence {
            calls: calls.collect(),
            inlined: Vec::new(),
        };
        let mut pairs = Vec::new();
        let names = Names::new(map, Id::from_index(0));
        of_copy(
            &names,
            &shown(&names, &evidence.sites()),
            &Effects::new(map),
            &evidence,
            None,
            |one, other| pairs.push((one.index(), other.index())),
        );
        pairs
    }

    /// The pairs that are found when the calls on these lines have so many instructions.
    fn found(function: &Function, sites: &[(u32, usize)]) -> Vec<(usize, usize)> {
        let map = Map {
            functions: vec![function.clone()].into(),
            ..Map::default()
        };
        let instructions = sites.iter().flat_map(|&(line, count)| unnamed(line, count));
        pairs(&map, &Vec::from_iter(instructions))
    }

    #[test]
    fn of_two_arms_that_end_alike_one_may_stand_for_the_other() {
        // if (…) { second(); first(); } else { first(); }
        let arms = function(
            &["second", "first", "first"],
            &[(0, 1), (0, 3), (1, 2), (2, 4), (3, 4)],
        );
        assert_eq!(found(&arms, &[(1, 1), (3, 1)]), [(3, 2)]);
        // Both are there, but code may have been copied: one of the copies may have gone.
        assert_eq!(found(&arms, &[(1, 1), (2, 1), (3, 1)]), [(2, 3), (3, 2)]);
        // Calls of different functions are never one.
        let differ = function(
            &["second", "third", "first"],
            &[(0, 1), (0, 3), (1, 2), (2, 4), (3, 4)],
        );
        assert_eq!(found(&differ, &[(1, 1), (3, 1)]), []);
    }

    #[test]
    fn calls_one_after_the_other_are_never_one() {
        // do { first(); first(); } while (…);
        let edges = [(0, 1), (1, 2), (2, 1), (2, 3)];
        assert_eq!(found(&function(&["first", "first"], &edges), &[(1, 1)]), []);
        // if (…) first(); second(); if (…) first();
        let edges = [(0, 1), (0, 2), (1, 2), (2, 3), (2, 4), (3, 4)];
        let parted = function(&["first", "second", "first"], &edges);
        assert_eq!(found(&parted, &[(1, 1), (2, 1)]), []);
        // If the call between is gone, nobody knows.
        assert_eq!(found(&parted, &[(1, 1)]), [(1, 3)]);
    }

    #[test]
    fn arms_that_end_with_the_same_calls_are_followed() {
        // if (…) { first(); second(); } else { first(); second(); }
        let edges = [(0, 1), (0, 3), (1, 2), (2, 5), (3, 4), (4, 5)];
        let arms = function(&["first", "second", "first", "second"], &edges);
        assert_eq!(found(&arms, &[(1, 1), (2, 1)]), [(1, 3), (2, 4)]);
        // With another call behind it, it is not the same code.
        let arms = function(&["first", "second", "first", "third"], &edges);
        assert_eq!(found(&arms, &[(1, 1), (2, 1), (4, 1)]), []);
    }

    #[test]
    fn a_macro_stands_for_what_it_calls_only() {
        // if (…) { second(); first(); } else { CHECK(); }
        let edges = [(0, 1), (0, 3), (1, 2), (2, 4), (3, 4)];
        let mut arms = function(&["second", "first", "CHECK"], &edges);
        arms.points[PointId::from_index(3)].kind = PointKind::MacroCall("CHECK".to_owned());
        let found = |macros: Vec<progress_map::MacroCalls>| {
            let map = Map {
                functions: vec![arms.clone()].into(),
                macros,
                ..Map::default()
            };
            pairs(&map, &[(1, Callee::Unknown), (2, Callee::Unknown)])
        };
        let calls = |name: &str| {
            vec![progress_map::MacroCalls {
                file: FileId::from_index(0),
                name: "CHECK".to_owned(),
                callees: vec![name.to_owned()],
            }]
        };
        assert_eq!(found(Vec::new()), [(2, 3)]);
        assert_eq!(found(calls("first")), [(2, 3)]);
        assert_eq!(found(calls("fail")), []);
    }

    #[test]
    fn an_instruction_that_names_a_function_is_its_call() {
        // if (…) { second(); CHECK(first()); } else { first(); }
        let edges = [(0, 1), (0, 4), (1, 2), (2, 3), (3, 5), (4, 5)];
        let mut arms = function(&["second", "first", "CHECK", "first"], &edges);
        arms.points[PointId::from_index(3)].kind = PointKind::MacroCall("CHECK".to_owned());
        arms.points[PointId::from_index(3)].span = arms.points[PointId::from_index(2)].span;
        let map = Map {
            functions: vec![arms].into(),
            may_call: vec![progress_map::MacroCalls {
                file: FileId::from_index(0),
                name: "CHECK".to_owned(),
                callees: vec!["fail".to_owned()],
            }],
            ..Map::default()
        };
        let found = |name: &'static str| {
            let calls = [
                (1, Callee::Unknown),
                (2, Callee::Named(name)),
                (4, Callee::Unknown),
            ];
            pairs(&map, &calls)
        };
        // What the macro calls has gone.
        assert_eq!(found("first"), [(2, 4), (4, 2)]);
        assert_eq!(found("fail"), [(2, 4), (4, 2)]);
    }

    #[test]
    fn an_instruction_through_a_pointer_is_no_call_by_name() {
        // if (…) { second(); (*call)(); } else { first(); }
        let edges = [(0, 1), (0, 3), (1, 2), (2, 4), (3, 4)];
        let mut arms = function(&["second", "", "first"], &edges);
        arms.points[PointId::from_index(2)].kind = PointKind::IndirectCall;
        let map = Map {
            functions: vec![arms].into(),
            ..Map::default()
        };
        let found = |there: &[Callee<'static>]| {
            let there = there.iter().map(|&callee| (2, callee));
            pairs(&map, &Vec::from_iter(unnamed(1, 1).into_iter().chain(there)))
        };
        assert_eq!(found(&[Callee::Pointer]), []);
        // The compiler knew where the pointer leads.
        assert_eq!(found(&[Callee::Named("first")]), [(2, 3)]);
        assert_eq!(found(&[Callee::Pointer, Callee::Named("first")]), [(2, 3)]);
        // Nothing is described.
        assert_eq!(found(&[Callee::Unknown]), [(2, 3)]);
    }

    #[test]
    fn an_instruction_that_passes_another_constant_is_another_call() {
        // if (…) { second(); first(0); } else { first(2); }
        let edges = [(0, 1), (0, 3), (1, 2), (2, 4), (3, 4)];
        let constants = [(2, 0), (3, 2)].map(|(point, value)| progress_map::PassedConstant {
            function: Id::from_index(0),
            point: PointId::from_index(point),
            register: 1,
            value,
        });
        let map = Map {
            functions: vec![function(&["second", "first", "first"], &edges)].into(),
            passed_constants: constants.into(),
            ..Map::default()
        };
        let names = Names::new(&map, Id::from_index(0));
        let found = |passed: &[PassedNumbers], inlined: &[(Position, &'static str)]| {
            let call = |line, callee, passed| {
                let call = CallInstruction {
                    after: u64::from(line),
                    step: None,
                    node: NodeId::from_index(0),
                    callee,
                    passed,
                };
                (call, Some((line, 1)))
            };
            let firsts = passed
                .iter()
                .map(|&passed| call(2, Callee::Named("first"), passed));
            let second = call(1, Callee::Named("second"), PassedNumbers::default());
            let evidence = Evidence {
                calls: std::iter::once(second).chain(firsts).collect(),
                inlined: inlined.to_vec(),
            };
            let mut pairs = Vec::new();
            let shown = shown(&names, &evidence.sites());
            of_copy(
                &names,
                &shown,
                &Effects::new(&map),
                &evidence,
                None,
                |one, other| {
                    pairs.push((one.index(), other.index()));
                },
            );
            pairs
        };
        let zero = [None, Some(0), None, None, None, None];
        let nothing = PassedNumbers::default();
        assert_eq!(found(&[zero], &[]), []);
        assert_eq!(found(&[nothing], &[]), [(2, 3)]);
        // Of two instructions at the position one may be the other call, and of what is inlined no instruction tells.
        assert_eq!(found(&[zero, nothing], &[]), [(2, 3)]);
        assert_eq!(found(&[zero], &[((2, 1), "first")]), [(2, 3)]);
    }

    #[test]
    fn instructions_are_counted_by_whom_they_call() {
        // if (…) { second(); first(); CHECK(); } else { first(); CHECK(); }, each arm on a line
        let edges = [(0, 1), (0, 4), (1, 2), (2, 3), (3, 6), (4, 5), (5, 6)];
        let mut arms = function(&["second", "first", "CHECK", "first", "CHECK"], &edges);
        for (at, line) in [(2, 1), (3, 1), (5, 4)] {
            arms.points[PointId::from_index(at)].span = arms.points[PointId::from_index(line)].span;
        }
        for at in [3, 5] {
            arms.points[PointId::from_index(at)].kind = PointKind::MacroCall("CHECK".to_owned());
        }
        let map = Map {
            functions: vec![arms].into(),
            may_call: vec![progress_map::MacroCalls {
                file: FileId::from_index(0),
                name: "CHECK".to_owned(),
                callees: vec!["fail".to_owned(), "note".to_owned()],
            }],
            ..Map::default()
        };
        let names = Names::new(&map, Id::from_index(0));
        let certain = |then: &[(&'static str, usize)], other: &[(&'static str, usize)]| {
            let sites = |named: &[(&'static str, usize)]| Sites {
                count: named.iter().map(|(_, count)| count).sum(),
                named: named.iter().copied().collect(),
                ..Sites::default()
            };
            let sites = BTreeMap::from([((1, 1), sites(then)), ((4, 1), sites(other))]);
            let certain = shown(&names, &sites).certain;
            Vec::from_iter(certain.iter().map(|point| point.index()))
        };
        let all = [("first", 1), ("fail", 1), ("note", 1)];
        let whole = [("second", 1), all[0], all[1], all[2]];
        assert_eq!(certain(&whole, &all), [1, 2, 3, 4, 5]);
        // As many instructions as calls, but none of them is of `first`.
        assert_eq!(
            certain(&[whole[0], ("fail", 1), ("note", 1)], &all[1..]),
            [1, 3, 5]
        );
        // One of the macro's calls is in the other arm.
        assert_eq!(certain(&[whole[0], all[0], all[1]], &all[..1]), [1, 2, 4]);
    }
}
