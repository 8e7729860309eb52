//! Variables that can still be read as the parameter of an inlined call.
//!
//! A compiler that inlines `get_norm(it)` often goes on describing the parameter and no longer the variable. The map says of which
//! calls the argument is the variable itself, with neither of them changing while the call lasts: inside the inlined call,
//! the places of the parameter are places of the variable. Both must be read alike, so no conversion lies between them.
//! What [`moved`](crate::moved) says of the variable holds for these places too.

use progress_map::{
    Binding, BoundVariable, Function, FunctionId, FunctionInstance, Handed, LocationRange, Map, PointId,
    PointKind, Storage,
};
use std::collections::{BTreeMap, BTreeSet};

/// Adds the places of parameters to the variables that they came from, and takes out those of `only_handed`, which nobody else
/// asks for; returns the variables that got any.
pub(crate) fn lend(
    map: &Map,
    binding: &mut Binding,
    only_handed: &BTreeSet<(FunctionId, &str)>,
) -> BTreeSet<(FunctionId, String)> {
    let mut by_instance: BTreeMap<(FunctionInstance, &str), Vec<usize>> = BTreeMap::new();
    for (index, variable) in binding.variables.iter().enumerate() {
        by_instance
            .entry((variable.instance, &variable.name))
            .or_default()
            .push(index);
    }
    let mut additions: Vec<(usize, Vec<LocationRange>)> = Vec::new();
    for (number, inline) in (0u32..).zip(&binding.inlines) {
        let Some(callee) = inline.function else { continue };
        let Some((parent, caller)) = around(binding, inline.parent, inline.start) else {
            continue;
        };
        if inline.call_file != Ok(map.functions[caller].file) {
            continue;
        }
        let position = (inline.call_line, inline.call_column);
        for handed in given(map, caller, callee, position) {
            let (Some(variable), Some(parameter)) = (name(&handed.variable), name(&handed.parameter)) else {
                continue;
            };
            let only = |instance, name| match by_instance.get(&(instance, name)).map(Vec::as_slice) {
                Some(&[only]) => Some(only),
                _ => None,
            };
            let inlined = FunctionInstance::Inlined(number);
            if let (Some(to), Some(from)) = (only(parent, variable), only(inlined, parameter)) {
                let range = (inline.start, inline.end);
                let places = borrowed(&binding.variables[to], &binding.variables[from], range);
                if !places.is_empty() {
                    additions.push((to, places));
                }
            }
        }
    }
    let mut changed = BTreeSet::new();
    for (index, places) in additions {
        let instance = binding.variables[index].instance;
        if let Some(function) = function_of(binding, instance) {
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
    let variables = std::mem::take(&mut binding.variables)
        .into_iter()
        .filter(|variable| {
            let function = function_of(binding, variable.instance);
            !function.is_some_and(|function| only_handed.contains(&(function, variable.name.as_str())))
        });
    let variables = variables.collect();
    binding.variables = variables;
    changed
}

fn function_of(binding: &Binding, instance: FunctionInstance) -> Option<FunctionId> {
    match instance {
        FunctionInstance::Anywhere(id) => Some(id),
        FunctionInstance::Concrete(index) => binding.functions.get(index as usize)?.function,
        FunctionInstance::Inlined(index) => binding.inlines.get(index as usize)?.function,
    }
}

fn name(storage: &Storage) -> Option<&str> {
    match storage {
        Storage::Local { name, .. } => Some(name),
        _ => None,
    }
}

/// The instance around an inlined call, and which function of the map it is.
pub(crate) fn around(
    binding: &Binding,
    parent: Option<u32>,
    start: u64,
) -> Option<(FunctionInstance, FunctionId)> {
    match parent {
        Some(parent) => {
            let function = binding.inlines.get(parent as usize)?.function?;
            Some((FunctionInstance::Inlined(parent), function))
        }
        None => {
            let after = binding
                .functions
                .partition_point(|function| function.start <= start);
            let at = after.checked_sub(1)?;
            let function = binding.functions.get(at)?;
            let index = u32::try_from(at).ok()?;
            Some((FunctionInstance::Concrete(index), function.function?))
        }
    }
}

/// What every call of `callee` at a position of `caller` hands on.
fn given(map: &Map, caller: FunctionId, callee: FunctionId, position: (u32, u32)) -> Vec<&Handed> {
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
    let at = match column {
        0 => Vec::from_iter(function.calls_on(line)),
        _ => Vec::from_iter(function.calls_beginning_at(line, column)),
    };
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

/// The places of `from` inside `range` where `to` has none.
fn borrowed(to: &BoundVariable, from: &BoundVariable, range: (u64, u64)) -> Vec<LocationRange> {
    let alike = to.encoding == from.encoding && to.path.is_empty() && from.path.is_empty();
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
        // In scope only for a part of the call.
        let mut block = variable(int, &[]);
        block.scope.push((20, 30));
        assert!(lent(&block, &from).is_empty());
    }
}
