//! Variables that can still be read as the parameter of an inlined call.
//!
//! A compiler that inlines `get_norm(it)` often goes on describing the parameter and no longer the variable. The map says of which
//! calls the argument is the variable itself, with neither of them changing while the call lasts: inside the inlined call,
//! the places of the parameter are places of the variable. Both must be read alike, so no conversion lies between them.
//! What [`moved`](crate::moved) says of the variable holds for these places too.
//!
//! `step(*p)` with `step(T &r)`, and `p->step()`: where `p->i` is asked for, the parameter leads to the same object, so that `r.i` is read
//! instead. The debug info has to say that both lead to one type, and that the member is found in the same way.

use crate::variables::Objects;
use crate::wanted::HandedOn;
use progress_map::{
    Binding, BoundVariable, Function, FunctionId, FunctionInstance, Handed, LocationRange, Map, PointId,
    PointKind, Storage,
};
use std::collections::{BTreeMap, BTreeSet};

/// Who hands what to whom, in one build.
pub(crate) struct Handing<'h, 'm> {
    pub(crate) map: &'m Map,
    pub(crate) on: &'h HandedOn<'m>,
    pub(crate) objects: &'h Objects,
}

/// Places of one variable, by its number.
pub(crate) type Addition = (usize, Vec<LocationRange>);

/// Adds the places of parameters to the variables that they came from, and what calls say of them (`at_calls`); takes out those that
/// nobody else asks for. Returns the variables that got any.
pub(crate) fn lend(
    handing: &Handing<'_, '_>,
    binding: &mut Binding,
    at_calls: impl FnOnce(&Binding) -> Vec<Addition>,
) -> BTreeSet<(FunctionId, String)> {
    let mut changed = BTreeSet::new();
    for (index, places) in at_calls(binding) {
        add(binding, index, places, &mut changed);
    }
    let by_instance = by_instance(binding);
    // Inner calls come behind those around them: what they know is handed on outwards.
    for number in (0..binding.inlines.len()).rev() {
        for (index, places) in of_inlined(handing, binding, &by_instance, number) {
            add(binding, index, places, &mut changed);
        }
    }
    let only_handed = &handing.on.only_handed;
    let variables = std::mem::take(&mut binding.variables)
        .into_iter()
        .filter(|variable| {
            let function = binding.function_of(variable.instance);
            !function.is_some_and(|function| only_handed.contains(&(function, variable.name.as_str())))
        });
    let variables = variables.collect();
    binding.variables = variables;
    changed
}

/// The numbers of the variables of each name in each instance.
pub(crate) type ByInstance = BTreeMap<FunctionInstance, BTreeMap<String, Vec<usize>>>;

pub(crate) fn by_instance(binding: &Binding) -> ByInstance {
    let mut found = ByInstance::new();
    for (index, variable) in binding.variables.iter().enumerate() {
        let names = found.entry(variable.instance).or_default();
        names.entry(variable.name.clone()).or_default().push(index);
    }
    found
}

/// The only variable of that name there.
pub(crate) fn only(by_instance: &ByInstance, instance: FunctionInstance, name: &str) -> Option<usize> {
    match by_instance.get(&instance)?.get(name)?[..] {
        [only] => Some(only),
        _ => None,
    }
}

fn add(
    binding: &mut Binding,
    index: usize,
    places: Vec<LocationRange>,
    changed: &mut BTreeSet<(FunctionId, String)>,
) {
    let instance = binding.variables[index].instance;
    if let Some(function) = binding.function_of(instance) {
        changed.insert((function, binding.variables[index].name.clone()));
    }
    let locations = &mut binding.variables[index].locations;
    locations.extend(places);
    locations.sort_by_key(|location| (location.start, location.end));
    // The same range may have been lent twice, by two parameters: either is right.
    let mut end = 0;
    locations.retain(|location| {
        let is_free = location.start >= end;
        end = end.max(location.end);
        is_free
    });
}

/// What the parameters of one inlined call lend to the variables around it.
fn of_inlined(
    handing: &Handing<'_, '_>,
    binding: &Binding,
    by_instance: &ByInstance,
    number: usize,
) -> Vec<Addition> {
    let mut additions = Vec::new();
    let inline = &binding.inlines[number];
    let (Some(callee), Ok(at)) = (inline.function, u32::try_from(number)) else {
        return additions;
    };
    let Some((parent, caller)) = around(binding, inline.parent, inline.start) else {
        return additions;
    };
    if inline.call_file != Ok(handing.map.functions[caller].file) {
        return additions;
    }
    let position = (inline.call_line, inline.call_column);
    for handed in given(handing.map, caller, callee, position) {
        for (variable, parameter) in handing.names(handed) {
            let to = only(by_instance, parent, variable);
            let from = only(by_instance, FunctionInstance::Inlined(at), parameter);
            if let (Some(to), Some(from)) = (to, from) {
                let range = (inline.start, inline.end);
                let places = borrowed(&binding.variables[to], &binding.variables[from], range);
                if !places.is_empty() {
                    additions.push((to, places));
                }
            }
        }
    }
    additions
}

impl<'m> Handing<'_, 'm> {
    /// The names for what a call hands on: of the variable, or of what it leads to, and of the same in the callee.
    pub(crate) fn names(&self, handed: &Handed) -> impl Iterator<Item = (&'m str, &'m str)> {
        let pairs = self.on.pairs.get(handed).into_iter().flatten();
        let (caller, callee) = (handed.function, handed.callee);
        let leads_to = move |function: FunctionId, name: &str| {
            let known = self.objects.get(&(function, name.to_owned()));
            known.and_then(Option::as_ref)
        };
        let is_one = move |&&(variable, parameter): &&(&'m str, &'m str)| {
            variable_is_whole(handed, variable)
                || leads_to(caller, variable).is_some_and(|to| leads_to(callee, parameter) == Some(to))
        };
        pairs.filter(is_one).copied()
    }
}

/// Whether it is the variable itself that is asked for, and not what it leads to.
fn variable_is_whole(handed: &Handed, name: &str) -> bool {
    matches!(&handed.variable, Storage::Local { name: variable, .. } if variable == name)
}

/// The instance around an inlined call, and which function of the map it is.
pub(crate) fn around(
    binding: &Binding,
    parent: Option<u32>,
    start: u64,
) -> Option<(FunctionInstance, FunctionId)> {
    let instance = binding.instance_around(parent, start)?;
    Some((instance, binding.function_of(instance)?))
}

/// What every call of `callee` at a position of `caller` hands on.
pub(crate) fn given(map: &Map, caller: FunctionId, callee: FunctionId, position: (u32, u32)) -> Vec<&Handed> {
    let first = map.handed.partition_point(|handed| handed.function < caller);
    let own = map.handed[first..].iter();
    let own = own.take_while(|handed| handed.function == caller);
    let own = Vec::from_iter(own.filter(|handed| handed.callee == callee));
    if own.is_empty() {
        return own;
    }
    let function: &Function = &map.functions[caller];
    let called = map.functions[callee].name.as_str();
    let (line, column) = position;
    let stands_there = |&call: &PointId| stands_at(function.points[call].span, line, column);
    let mut at = Vec::from_iter(function.calls_on(line).filter(stands_there));
    // gcc numbers a call in the arguments of another one like that.
    at.extend(Vec::from_iter(function.within(&at)));
    at.sort_unstable();
    at.dedup();
    let names_it =
        |call: &PointId| matches!(&function.points[*call].kind, PointKind::Call(name) if name == called);
    let calls = Vec::from_iter(at.into_iter().filter(names_it));
    let by_all = |handed: &&Handed| {
        !calls.is_empty()
            && calls.iter().all(|&point| {
                own.iter().any(|other| {
                    other.point == point
                        && (&other.variable, &other.parameter) == (&handed.variable, &handed.parameter)
                })
            })
    };
    own.iter().copied().filter(by_all).collect()
}

/// Whether code at a position may be that of a call: compilers give it the position of the name, of the parenthesis, or of an argument.
pub(crate) fn stands_at(span: base::Span, line: u32, column: u32) -> bool {
    let (start, end) = ((span.line, span.column), (span.end_line, span.end_column));
    match column {
        0 => span.covers_line(line),
        _ => (start..=end).contains(&(line, column)),
    }
}

/// The places of `from` inside `range` where `to` has none.
fn borrowed(to: &BoundVariable, from: &BoundVariable, range: (u64, u64)) -> Vec<LocationRange> {
    let alike = to.encoding == from.encoding && to.path == from.path;
    let whole = |&(start, end): &(u64, u64)| start <= range.0 && range.1 <= end;
    let in_scope = to.scope.is_empty() || to.scope.iter().any(whole);
    if !alike || !in_scope || !from.scope.is_empty() {
        return Vec::new();
    }
    let mut places = Vec::new();
    for location in &from.locations {
        let mut start = location.start.max(range.0);
        let end = location.end.min(range.1);
        let mut add = |start: u64, end: u64| {
            if start < end {
                places.push(LocationRange {
                    start,
                    end,
                    expression: location.expression.clone(),
                });
            }
        };
        for own in &to.locations {
            if own.end <= start || own.start >= end {
                continue;
            }
            add(start, own.start.min(end));
            start = start.max(own.end);
        }
        add(start, end);
    }
    places
}

#[cfg(test)]
mod tests {
    use super::*;
    use progress_map::{Encoding, PathStep};

    fn variable(encoding: Encoding, locations: &[(u64, u64, u8)]) -> BoundVariable {
        BoundVariable {
            instance: FunctionInstance::Concrete(0),
            name: "v".to_owned(),
            scope: Vec::new(),
            locations: locations
                .iter()
                .map(|&(start, end, register)| LocationRange {
                    start,
                    end,
                    expression: vec![gimli::DW_OP_reg0.0 + register],
                })
                .collect(),
            path: Vec::new(),
            encoding,
        }
    }

    fn lent(to: &BoundVariable, from: &BoundVariable) -> Vec<(u64, u64)> {
        let places = borrowed(to, from, (20, 40));
        assert!(
            places
                .iter()
                .all(|place| place.expression == [gimli::DW_OP_reg0.0 + 3])
        );
        places.iter().map(|place| (place.start, place.end)).collect()
    }

    #[test]
    fn a_parameter_stands_in_where_the_variable_has_no_place() {
        let int = Encoding::Signed(4);
        let from = variable(int, &[(0, u64::MAX, 3)]);
        assert_eq!(lent(&variable(int, &[]), &from), [(20, 40)]);
        let to = variable(int, &[(0, 22, 5), (25, 30, 5), (38, 60, 5)]);
        assert_eq!(lent(&to, &from), [(22, 25), (30, 38)]);
        assert_eq!(lent(&to, &variable(int, &[(10, 24, 3)])), [(22, 24)]);
    }

    #[test]
    fn what_is_read_otherwise_is_not_the_same() {
        let int = Encoding::Signed(4);
        let from = variable(int, &[(0, u64::MAX, 3)]);
        assert!(lent(&variable(Encoding::Signed(8), &[]), &from).is_empty());
        assert!(lent(&variable(Encoding::Unsigned(4), &[]), &from).is_empty());
        let mut member = variable(int, &[]);
        member.path.push(PathStep::Offset(4));
        assert!(lent(&member, &from).is_empty());
        let mut other = from.clone();
        other.path.push(PathStep::Offset(8));
        assert!(lent(&member, &other).is_empty());
        assert_eq!(lent(&other.clone(), &other), []);
        assert_eq!(
            lent(
                &BoundVariable {
                    locations: vec![],
                    ..other.clone()
                },
                &other
            ),
            [(20, 40)]
        );
        // In scope only for a part of the call.
        let mut block = variable(int, &[]);
        block.scope.push((20, 30));
        assert!(lent(&block, &from).is_empty());
    }
}
