//! Random programs of few names, against the definitions: pairs of a call and a callee, changes passed on until nothing is
//! added.

use super::*;
use crate::changes::AllChanges;
use base::Random;
use progress_map::Outsider;
use std::collections::BTreeSet;

const NAMES: [&str; 5] = ["run", "init", "compute", "main", "step"];
const GLOBALS: [&str; 4] = ["a", "b", "c", "d"];

struct Function {
    unit: usize,
    name: usize,
    is_static: bool,
    is_cxx: bool,
    /// By number of the name.
    calls: Vec<usize>,
    change: Option<usize>,
    unknown: Option<usize>,
    /// It calls through a pointer.
    calls_pointer: bool,
    /// A pointer may lead to it.
    behind_pointer: bool,
}

fn program(random: &mut Random) -> Vec<Function> {
    let cxx = random.below(3);
    let mut functions: Vec<Function> = (0..1 + random.below(14))
        .map(|_| Function {
            unit: random.below(4),
            name: random.below(NAMES.len()),
            is_static: random.below(4) == 0,
            is_cxx: cxx > random.below(3),
            calls: (0..random.below(4)).map(|_| random.below(NAMES.len())).collect(),
            change: (random.below(3) == 0).then(|| random.below(GLOBALS.len())),
            unknown: (random.below(6) == 0).then(|| random.below(GLOBALS.len())),
            calls_pointer: random.below(8) == 0,
            behind_pointer: random.below(5) == 0,
        })
        .collect();
    functions.sort_by_key(|function| function.unit);
    functions
}

fn calls(functions: &[Function]) -> Calls<'static> {
    let mut calls = Calls::default();
    for (index, function) in functions.iter().enumerate() {
        let Function {
            unit,
            name,
            is_static,
            is_cxx,
            ..
        } = *function;
        calls.add(
            FunctionIndex::from_index(index),
            NAMES[name],
            if is_cxx { Language::Cxx } else { Language::C },
            (unit, is_static),
        );
    }
    for (caller, function) in functions.iter().enumerate() {
        for (point, &name) in function.calls.iter().enumerate() {
            let site = (
                Id::from_index(caller),
                Id::from_index(point),
                Id::from_index(point),
            );
            calls.add_site(NAMES[name], site);
        }
    }
    calls
}

/// Whom a function calls by a name, from the definition.
fn meant(functions: &[Function], unit: usize, name: usize) -> Vec<usize> {
    let all = (0..functions.len()).filter(|&id| functions[id].name == name);
    let here: Vec<usize> = all.clone().filter(|&id| functions[id].unit == unit).collect();
    if !here.is_empty() && !all.clone().any(|id| functions[id].is_cxx) {
        return here;
    }
    all.filter(|&id| !functions[id].is_static || functions[id].unit == unit)
        .collect()
}

fn check(seed: u64) {
    let functions = program(&mut Random(seed));
    let calls = calls(&functions);
    let graph = calls.graph();
    let id = |index: usize| FunctionIndex::from_index(index);
    let mut callers: Vec<Vec<Site>> = vec![Vec::new(); functions.len()];
    for (caller, function) in functions.iter().enumerate() {
        for (point, &name) in function.calls.iter().enumerate() {
            let expected = meant(&functions, function.unit, name);
            let found = calls.callees(function.unit, NAMES[name]);
            assert_eq!(found.map(Id::index).collect::<Vec<_>>(), expected, "seed {seed}");
            let nodes = calls.nodes(function.unit, NAMES[name]);
            let mut found: Vec<usize> = nodes
                .flat_map(|node| calls.functions(node))
                .map(Id::index)
                .collect();
            found.sort_unstable();
            assert_eq!(found, expected, "seed {seed}");
            for callee in expected {
                callers[callee].push((id(caller), Id::from_index(point), Id::from_index(point)));
            }
        }
    }
    for (callee, expected) in callers.iter().enumerate() {
        assert_eq!(
            &calls.callers(id(callee)).collect::<Vec<_>>(),
            expected,
            "seed {seed}"
        );
    }

    // Changes: every call passes on what its callee changes, until nothing is added.
    let mut all = AllChanges::new(functions.len());
    for (index, function) in functions.iter().enumerate() {
        function
            .change
            .into_iter()
            .for_each(|name| all.add_global(id(index), GLOBALS[name]));
        function
            .unknown
            .into_iter()
            .for_each(|name| all.add_unknown(id(index), Outsider::Named(GLOBALS[name])));
        if function.calls_pointer {
            all.add_behind_pointer(id(index));
        }
    }
    let behind_pointers: Vec<usize> = (0..functions.len())
        .filter(|&index| functions[index].behind_pointer)
        .collect();
    let through_pointer = behind_pointers.iter().map(|&index| id(index)).collect();
    all.close(&calls, &graph, &through_pointer);
    // A call through a pointer changes what each function does that a pointer may lead to.
    let by_pointer: Vec<usize> = (0..functions.len())
        .filter(|&index| functions[index].calls_pointer)
        .collect();
    let mut changes: Vec<BTreeSet<usize>> = functions
        .iter()
        .map(|each| each.change.into_iter().collect())
        .collect();
    let mut unknown: Vec<Option<usize>> = functions.iter().map(|each| each.unknown).collect();
    let mut reach: Vec<BTreeSet<usize>> = vec![BTreeSet::new(); functions.len()];
    let mut work: BTreeSet<usize> = (0..functions.len()).collect();
    while let Some(callee) = work.pop_first() {
        if functions[callee].behind_pointer {
            for &caller in &by_pointer {
                let (before, added) = (changes[caller].len(), changes[callee].clone());
                changes[caller].extend(added);
                if before != changes[caller].len() {
                    work.insert(caller);
                }
            }
        }
        for &(caller, ..) in &callers[callee] {
            let caller = caller.index();
            let before = (changes[caller].len(), unknown[caller], reach[caller].len());
            let (added, reached) = (changes[callee].clone(), reach[callee].clone());
            changes[caller].extend(added);
            reach[caller].extend(reached);
            reach[caller].insert(callee);
            unknown[caller] = unknown[caller].or(unknown[callee]);
            if before != (changes[caller].len(), unknown[caller], reach[caller].len()) {
                work.insert(caller);
            }
        }
    }
    for (index, expected) in changes.iter().enumerate() {
        let node = calls.node(id(index));
        for (number, name) in GLOBALS.iter().enumerate() {
            let found = all
                .number_of_global(name)
                .is_some_and(|number| all.global(node, number));
            assert_eq!(
                found,
                expected.contains(&number),
                "seed {seed}: {index} and {name}"
            );
            assert_eq!(all.changers(name).contains(&id(index)), found, "seed {seed}");
        }
        assert_eq!(
            all.unknown(id(index)),
            unknown[index].map(|name| Outsider::Named(GLOBALS[name])),
            "seed {seed}: {index}"
        );
        assert_eq!(
            graph.is_in_cycle(node),
            reach[index].contains(&index),
            "seed {seed}: {index}"
        );
        for &callee in reach[index]
            .iter()
            .filter(|&&callee| !reach[callee].contains(&index))
        {
            let callee = calls.node(id(callee));
            assert!(graph.part(callee) < graph.part(node), "seed {seed}");
        }
    }
}

#[test]
fn names_stand_for_all_that_they_may_mean() {
    for seed in 0..4_000 {
        check(seed);
    }
}
