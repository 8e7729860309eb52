//! Memory that only the compiler knows.
//!
//! `struct sim *s = calloc(…); while (s->step < n) { MPI_Barrier(…); s->step++; }`: where nobody is told the address, clang keeps the step in a
//! register until the loop ends, past all calls, and gcc stores it nowhere if nobody reads it later. `s` stays where debug info says,
//! and what it leads to is as old as the loop. The same goes for a structure on the stack. So in optimised code such memory
//! is believed only if somebody knows the object whom the compiler does not see (`Map::shown`): then every call that may lead to them finds it as
//! the source has left it.
//!
//! - A parameter of a function with code of its own leads to what its caller has; one of an inlined call to what it is given there. `restrict`
//!   takes that back: nobody else uses the object while the function lasts.
//! - A call that every way to the loop has passed, or each iteration, gives the address to a function of MPI; or to a function of the program
//!   that gives it to one whatever else it does, or that has code of its own and gives it to one on some way: what a compiler finds out about the
//!   parameter of a function it finds out for all ways through it (gcc's `ipa-modref`, LLVM's `nocapture`), if it sees the function at all. The call of MPI must
//!   be in each copy of that code: a copy for some arguments may have lost it, and with it the reason.
//! - What is `volatile` is stored when the source says so.
//! - Static memory stays open to whoever is called: they may call back. What a fixed address leads to is static; and what a static
//!   variable leads to is known to all who can read it.

use crate::call_sites::{CallSites, Callee};
use crate::expression::facts;
use crate::handed::{around, stands_at};
use crate::locations::ALWAYS;
use crate::positions::Positions;
use crate::types::Qualifiers;
use crate::wanted::{Root, Wanted};
use progress_map::{
    Binding, BoundVariable, Function, FunctionId, FunctionInstance, LocationRange, Lov, Map, PathStep,
    PointId, PointKind, Shown, Storage, Term,
};
use std::collections::{BTreeMap, BTreeSet};

/// How the types of listed variables are qualified, as far as it matters.
pub(crate) type Qualified = BTreeMap<(FunctionId, String), Qualifiers>;

/// Leaves out what cannot be believed; returns how many variables have lost a part of their locations.
pub(crate) fn withhold(
    map: &Map,
    binding: &mut Binding,
    wanted: &BTreeMap<FunctionId, Vec<Wanted<'_>>>,
    qualified: &Qualified,
    call_sites: &CallSites,
) -> usize {
    let positions = Positions::new(binding);
    let known = Known {
        map,
        binding,
        qualified,
        call_sites,
    };
    let mut hidden = Vec::new();
    for (index, variable) in binding.variables.iter().enumerate() {
        let Some((function, _)) = positions.code(variable.instance) else {
            continue;
        };
        if !positions.optimised(variable.instance)
            || !variable.locations.iter().any(|at| is_object(variable, at))
            || is_stack_argument(&map.functions[function], binding, variable)
        {
            continue;
        }
        let of_name = wanted.get(&function).into_iter().flatten();
        let mut of_name = of_name.filter(|wanted| wanted.name == variable.name && wanted.of_range.is_none());
        if !of_name.all(|wanted| known.to_others(variable, function, wanted.root)) {
            hidden.push(index);
        }
    }
    for &index in &hidden {
        let mut locations = std::mem::take(&mut binding.variables[index].locations);
        locations.retain(|location| !is_object(&binding.variables[index], location));
        binding.variables[index].locations = locations;
    }
    hidden.len()
}

/// Whether what is read there lies in an object that somebody has to know: not in a register, in a place that the compiler has made for this value alone, or in
/// static memory.
fn is_object(variable: &BoundVariable, location: &LocationRange) -> bool {
    let Some(facts) = facts(&location.expression) else {
        return true;
    };
    let of_frame = facts.frame || !facts.registers.is_empty();
    if variable.path.contains(&PathStep::Deref) {
        let is_static = facts.is_address() && !of_frame;
        return !facts.is_constant() && !is_static;
    }
    let is_whole = (location.start, location.end) == ALWAYS || !variable.path.is_empty();
    facts.is_address() && of_frame && is_whole && !facts.in_pieces
}

/// Whether the variable is an argument that the caller has put on the stack, and no loop changes it.
fn is_stack_argument(function: &Function, binding: &Binding, variable: &BoundVariable) -> bool {
    let FunctionInstance::Concrete(index) = variable.instance else {
        return false;
    };
    let base = &binding.functions[index as usize].frame_base;
    let mut lovs = function.loops.iter().flat_map(|in_loop| &in_loop.lovs);
    let is_above =
        |location: &LocationRange| facts(&location.expression).is_some_and(|facts| facts.above_base);
    *base == [gimli::DW_OP_call_frame_cfa.0]
        && variable.path.is_empty()
        && variable.locations.iter().all(is_above)
        && !lovs.any(|lov| lov.name == variable.name && !lov.updates.is_empty())
}

/// Who knows the objects of a program.
struct Known<'k, 'm> {
    map: &'m Map,
    binding: &'k Binding,
    qualified: &'k Qualified,
    call_sites: &'k CallSites,
}

impl<'m> Known<'_, 'm> {
    fn to_others(&self, variable: &BoundVariable, function: FunctionId, root: Root<'_>) -> bool {
        let Root::Local { name, line } = root else {
            return true;
        };
        let key = (function, variable.name.clone());
        let qualifiers = self.qualified.get(&key).copied().unwrap_or_default();
        if qualifiers.volatile {
            return true;
        }
        let body = &self.map.functions[function];
        let needs = |lov: &Lov| {
            let terms = [&lov.start, &lov.step].into_iter().flatten();
            let mut terms = terms.flat_map(Term::variables);
            lov.name == variable.name || terms.any(|(name, _)| name == variable.name)
        };
        let loops = body.loops.iter();
        let loops = loops.filter(|in_loop| in_loop.lovs.iter().any(needs));
        let mut before = Vec::from_iter(loops.map(|in_loop| in_loop.header));
        let calls = self.map.mpi_calls.iter().filter(|call| call.function == function);
        let calls = calls.filter(|call| {
            let terms = call
                .arguments
                .iter()
                .filter_map(|argument| argument.term.as_ref());
            let mut variables = terms.flat_map(Term::variables);
            variables.any(|(name, _)| name == variable.name)
        });
        before.extend(calls.map(|call| call.point));
        let root = Storage::Local {
            name: name.to_owned(),
            line,
        };
        let object = Object {
            instance: variable.instance,
            function,
            root: &root,
            restricted: qualifiers.restrict,
        };
        self.is_shown(&object, &before, 0)
    }

    /// Whether somebody who is not seen knows the object when control comes to each of `before`.
    fn is_shown(&self, object: &Object<'_>, before: &[PointId], depth: u32) -> bool {
        if depth > MOST_CALLS {
            return false;
        }
        self.rows(object.function, object.root).any(|row| {
            if self.is_entry(row) {
                return match object.instance {
                    FunctionInstance::Concrete(_) => !object.restricted,
                    FunctionInstance::Inlined(index) => self.is_shown_by_caller(object, index, depth),
                    FunctionInstance::Anywhere(_) => false,
                };
            }
            before.iter().all(|&point| self.comes_before(row, point))
                && row.to.as_ref().is_none_or(|(callee, parameter)| {
                    self.gives_away(*callee, parameter, &mut BTreeSet::new())
                        || self.calls(object.instance, row, *callee)
                            && self.may_give_away(*callee, *callee, parameter, &mut BTreeSet::new())
                })
        })
    }

    /// Whether a call of an instance is a call instruction wherever the instance has code for it.
    fn calls(&self, instance: FunctionInstance, row: &Shown, callee: FunctionId) -> bool {
        let span = self.map.functions[row.function].points[row.point].span;
        let mut sites = self.call_sites.of(Some(row.function)).iter();
        let is_called = sites.any(|site| {
            let is_callee = matches!(site.callee, Callee::Own(_, Some(called)) if called == callee);
            site.instance == instance && is_callee && site.is_at(span)
        });
        let mut inlines = self.binding.inlines.iter();
        let is_inlined = inlines.any(|inline| {
            inline.function == Some(callee)
                && stands_at(span, inline.call_line, inline.call_column)
                && around(self.binding, inline.parent, inline.start).is_some_and(|(at, _)| at == instance)
        });
        is_called && !is_inlined
    }

    /// Whether each copy of `copied` holds a call by which `function`, which is that or inlined into it, gives the object that its parameter leads to
    /// to MPI; or calls a function that does.
    fn may_give_away(
        &self,
        copied: FunctionId,
        function: FunctionId,
        parameter: &Storage,
        seen: &mut BTreeSet<(FunctionId, FunctionId, Storage)>,
    ) -> bool {
        if !seen.insert((copied, function, parameter.clone())) {
            return false;
        }
        let body = &self.map.functions[function];
        let mut rows = self.rows(function, parameter).filter(|row| !self.is_entry(row));
        rows.any(|row| match &row.to {
            None => self.in_all_copies(copied, row, |callee| {
                let PointKind::Call(name) = &body.points[row.point].kind else {
                    return false;
                };
                matches!(callee, Callee::Mpi(called) if called == name)
            }),
            Some((callee, further)) => {
                let is_called =
                    |called: &Callee| matches!(called, Callee::Own(_, Some(called)) if called == callee);
                self.may_give_away(copied, *callee, further, seen)
                    || self.in_all_copies(copied, row, is_called)
                        && self.may_give_away(*callee, *callee, further, seen)
            }
        })
    }

    /// Whether each copy of a function has a call instruction for a call of a function that is inlined into it, or the function itself.
    fn in_all_copies(&self, copied: FunctionId, row: &Shown, is_callee: impl Fn(&Callee) -> bool) -> bool {
        let span = self.map.functions[row.function].points[row.point].span;
        let copies = self.call_sites.copies.get(&copied).map_or(&[][..], Vec::as_slice);
        let has_it = |&copy: &_| {
            let mut sites = self.call_sites.of(Some(row.function)).iter();
            sites.any(|site| site.root == copy && site.is_at(span) && is_callee(&site.callee))
        };
        !copies.is_empty() && copies.iter().all(has_it)
    }

    /// Whether the object that an inlined call is given is known to others.
    fn is_shown_by_caller(&self, object: &Object<'_>, inlined: u32, depth: u32) -> bool {
        let inline = &self.binding.inlines[inlined as usize];
        let Some((parent, caller)) = around(self.binding, inline.parent, inline.start) else {
            return false;
        };
        let body = &self.map.functions[caller];
        if inline.call_file != Ok(body.file) {
            return false;
        }
        let name = self.map.functions[object.function].name.as_str();
        let calls = body.calls_on(inline.call_line).filter(|&call| {
            let is_named = matches!(&body.points[call].kind, PointKind::Call(called) if called == name);
            is_named && stands_at(body.points[call].span, inline.call_line, inline.call_column)
        });
        let calls = Vec::from_iter(calls);
        let is_given = |&call: &PointId| {
            let mut own = self.rows_of(caller).filter(|row| {
                let to = row.to.as_ref();
                row.point == call
                    && to.is_some_and(|(callee, root)| (*callee, root) == (object.function, object.root))
            });
            own.any(|row| {
                let given = Object {
                    instance: parent,
                    function: caller,
                    root: &row.variable,
                    restricted: false,
                };
                self.is_shown(&given, &[call], depth + 1)
            })
        };
        !calls.is_empty() && calls.iter().all(is_given)
    }

    /// Whether a function gives the object that its parameter leads to away to somebody outside, on all ways through it.
    fn gives_away(
        &self,
        function: FunctionId,
        parameter: &Storage,
        seen: &mut BTreeSet<(FunctionId, Storage)>,
    ) -> bool {
        if !seen.insert((function, parameter.clone())) {
            return false;
        }
        let mut rows = self.rows(function, parameter).filter(|row| !self.is_entry(row));
        rows.any(|row| {
            let exit = self.map.functions[function].points.ids().next_back();
            exit.is_some_and(|exit| self.comes_before(row, exit))
                && row
                    .to
                    .as_ref()
                    .is_none_or(|(callee, parameter)| self.gives_away(*callee, parameter, seen))
        })
    }

    fn rows(&self, function: FunctionId, variable: &Storage) -> impl Iterator<Item = &'m Shown> {
        self.rows_of(function)
            .filter(move |row| row.variable == *variable)
    }

    fn rows_of(&self, function: FunctionId) -> impl Iterator<Item = &'m Shown> + use<'m> {
        let first = self.map.shown.partition_point(|row| row.function < function);
        let own = self.map.shown[first..].iter();
        own.take_while(move |row| row.function == function)
    }

    fn is_entry(&self, row: &Shown) -> bool {
        self.map.functions[row.function].points[row.point].kind == PointKind::Entry
    }

    /// Whether every way to a point has passed the call, or the point is the header of a loop that the call is made in each time round. What is called only under a condition
    /// may not be in the code: another copy of the function may have it.
    fn comes_before(&self, row: &Shown, point: PointId) -> bool {
        let body = &self.map.functions[row.function];
        let leads = |from, to| body.reaches(from, to, |_| true);
        let leads_past = |from, to| body.reaches(from, to, |between| between != row.point);
        let always = || {
            let entry = body.points.ids().next();
            entry.is_some_and(|entry| leads(entry, point) && !leads_past(entry, point))
        };
        let each_time = || leads(point, row.point) && leads(row.point, point) && !leads_past(point, point);
        row.point == point || always() || each_time()
    }
}

/// Inlined calls within inlined calls are followed so far.
const MOST_CALLS: u32 = 64;

/// An object by the variable that is it, or leads to it.
struct Object<'o> {
    instance: FunctionInstance,
    function: FunctionId,
    root: &'o Storage,
    /// The function's author has promised that nobody else uses it.
    restricted: bool,
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::moved::tests::program;
    use base::Id;
    use std::slice;

    /// DW_OP_reg3, DW_OP_fbreg -20.
    const REGISTER: &[u8] = &[0x53];
    const FRAME: &[u8] = &[0x91, 0x6c];

    fn local() -> Storage {
        Storage::Local {
            name: "i".to_owned(),
            line: 1,
        }
    }

    /// Somebody outside is given the address of `i` at a point: 0 is the entry of the function, 1 the loop's header, 2 and 4 are calls in the loop.
    fn shown(point: usize) -> Shown {
        Shown {
            function: Id::from_index(0),
            point: Id::from_index(point),
            variable: local(),
            to: None,
        }
    }

    /// Whether what `i` leads to is believed in optimised code.
    fn is_believed(qualifiers: Qualifiers, change: impl FnOnce(&mut Map, &mut Binding)) -> bool {
        let (mut map, mut binding) = program(true, REGISTER, false);
        binding.variables[0].path = vec![PathStep::Deref];
        change(&mut map, &mut binding);
        let function: FunctionId = Id::from_index(0);
        let wanted = Wanted {
            name: "i",
            root: Root::Local { name: "i", line: 1 },
            accesses: Vec::new(),
            of_range: None,
            is_iterator: false,
            container: None,
            is_handed: false,
        };
        let wanted = BTreeMap::from([(function, vec![wanted])]);
        let qualified = Qualified::from([((function, "i".to_owned()), qualifiers)]);
        withhold(&map, &mut binding, &wanted, &qualified, &CallSites::default()) == 0
    }

    fn check(qualifiers: Qualifiers, rows: &[Shown], expected: bool) {
        let is_believed = is_believed(qualifiers, |map, _| map.shown = rows.to_vec());
        assert_eq!(is_believed, expected, "{qualifiers:?} {rows:?}");
    }

    #[test]
    fn an_object_that_nobody_outside_knows_is_not_believed() {
        let plain = Qualifiers::default();
        check(plain, &[], false);
        check(plain, slice::from_ref(&shown(2)), true);
        let volatile = Qualifiers {
            volatile: true,
            restrict: false,
        };
        check(volatile, &[], true);
        // Another variable is known.
        let mut other = shown(2);
        other.variable = Storage::Local {
            name: "i".to_owned(),
            line: 7,
        };
        check(plain, &[other], false);
        // The compiler has kept the order of the source.
        assert!(is_believed(plain, |_, binding| binding.functions[0].optimised = false));
    }

    #[test]
    fn restrict_takes_back_that_the_caller_knows_the_object() {
        let restrict = Qualifiers {
            volatile: false,
            restrict: true,
        };
        check(Qualifiers::default(), &[shown(0)], true);
        check(restrict, &[shown(0)], false);
    }

    #[test]
    fn a_call_that_a_way_to_the_loop_goes_past_shows_nothing() {
        let around = |edges: &[(usize, usize)]| {
            is_believed(Qualifiers::default(), |map, _| {
                map.shown = vec![shown(2)];
                let more = edges
                    .iter()
                    .map(|&(from, to)| (Id::from_index(from), Id::from_index(to)));
                let all = &mut map.functions[FunctionId::from_index(0)].edges;
                all.extend(more);
                all.sort_unstable();
            })
        };
        assert!(around(&[]));
        // `if (…) a();` in the loop.
        assert!(!around(&[(1, 3)]));
    }

    #[test]
    fn a_function_that_keeps_no_address_shows_nothing() {
        let mut to_itself = shown(2);
        to_itself.to = Some((Id::from_index(0), local()));
        // It gives its parameter to nobody but itself.
        check(Qualifiers::default(), slice::from_ref(&to_itself), false);
        // Not even if no way through it goes past that call.
        let always = is_believed(Qualifiers::default(), |map, _| {
            map.shown = vec![to_itself.clone()];
            let edges = &mut map.functions[FunctionId::from_index(0)].edges;
            edges.retain(|&(from, to)| (from.index(), to.index()) != (1, 5));
            edges.push((Id::from_index(4), Id::from_index(5)));
            edges.sort_unstable();
        });
        assert!(!always);
        check(Qualifiers::default(), &[to_itself, shown(4)], true);
    }

    #[test]
    fn what_the_compiler_alone_knows_of_is_no_matter_of_registers_and_static_memory() {
        let behind = [PathStep::Deref];
        let member = [PathStep::Offset(8)];
        let check = |path: &[PathStep], (start, end), expression: &[u8], expected: bool| {
            let (_, mut binding) = program(true, expression, false);
            let mut variable = binding.variables.remove(0);
            variable.path = path.to_vec();
            let location = LocationRange {
                start,
                end,
                expression: expression.to_vec(),
            };
            assert_eq!(
                is_object(&variable, &location),
                expected,
                "{path:?} {expression:x?}"
            );
        };
        // DW_OP_addr 16; DW_OP_lit0, DW_OP_stack_value; DW_OP_fbreg -20, DW_OP_piece 8; an operator cut off.
        let fixed: &[u8] = &[0x03, 16, 0, 0, 0, 0, 0, 0, 0];
        let (constant, piece, damaged): (&[u8], &[u8], &[u8]) =
            (&[0x30, 0x9f], &[0x91, 0x6c, 0x93, 8], &[0x91]);
        for through in [REGISTER, FRAME] {
            check(&behind, (32, 96), through, true);
        }
        check(&behind, (32, 96), fixed, false);
        check(&behind, (32, 96), constant, false);
        // A member of a structure in the frame, and a variable that has its place for good.
        check(&member, (32, 96), FRAME, true);
        check(&[], ALWAYS, FRAME, true);
        // A place for a while, or of a part, was made for this value.
        check(&[], (32, 96), FRAME, false);
        check(&member, (32, 96), piece, false);
        check(&[], ALWAYS, REGISTER, false);
        check(&[], ALWAYS, fixed, false);
        check(&[], (32, 96), damaged, true);
    }

    #[test]
    fn an_argument_on_the_stack_is_believed_unless_a_loop_changes_it() {
        let check = |name: &str, expression: &[u8], base: &[u8], expected: bool| {
            let (map, mut binding) = program(true, expression, true);
            name.clone_into(&mut binding.variables[0].name);
            binding.functions[0].frame_base = base.to_vec();
            let function = &map.functions[FunctionId::from_index(0)];
            let found = is_stack_argument(function, &binding, &binding.variables[0]);
            assert_eq!(found, expected, "{name} {expression:x?} {base:x?}");
        };
        // DW_OP_fbreg 16 is above the frame, DW_OP_fbreg -20 in it; DW_OP_call_frame_cfa, DW_OP_reg6.
        let (above, cfa, pointer): (&[u8], &[u8], &[u8]) = (&[0x91, 16], &[0x9c], &[0x56]);
        check("first", above, cfa, true);
        check("first", FRAME, cfa, false);
        check("first", above, pointer, false);
        check("i", above, cfa, false);
    }
}
