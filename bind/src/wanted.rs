//! The variables that a map lists: the loop-order variables of its loops, what their starts and steps name, and the
//! arguments of MPI calls.

use crate::types::Selector;
use progress_map::{FunctionId, Handed, Iterated, Map, RangePart, Storage};
use std::collections::{BTreeMap, BTreeSet};

/// A listed variable, taken apart: the variable that its storage starts from, and the way from there.
pub(crate) struct Wanted<'m> {
    pub(crate) name: &'m str,
    pub(crate) root: Root<'m>,
    pub(crate) accesses: Vec<Selector<'m>>,
    /// It is not the variable itself but where the loop over a range stands that it belongs to.
    pub(crate) of_range: Option<RangePart>,
    /// That variable is the loop's iterator itself.
    pub(crate) is_iterator: bool,
    /// What that iterator goes over, if a local variable leads to it.
    pub(crate) container: Option<Container<'m>>,
    /// A caller's name for it, which has handed its object on: whether a pointer or a reference leads there is for the type to say.
    pub(crate) is_handed: bool,
}

/// An object that an iterator goes over: a variable of the function, and the way from there.
pub(crate) struct Container<'m> {
    pub(crate) name: &'m str,
    pub(crate) line: u32,
    pub(crate) accesses: Vec<Selector<'m>>,
}

/// The variable that a storage starts from.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Root<'m> {
    Local { name: &'m str, line: u32 },
    Global(&'m str),
}

/// The variables that the loops of each function need, without duplicates.
pub(crate) fn wanted(map: &Map) -> BTreeMap<FunctionId, Vec<Wanted<'_>>> {
    let mut all = BTreeMap::new();
    for (id, function) in map.functions.iter_enumerated() {
        // The order claims nothing about such a function, so it asks for none of its variables.
        if function.confidence == base::Confidence::Partial {
            continue;
        }
        let mut storages: BTreeSet<(&str, &Storage)> = BTreeSet::new();
        for lov in function.loops.iter().flat_map(|looped| &looped.lovs) {
            storages.insert((&lov.name, &lov.storage));
            for term in [&lov.start, &lov.step].into_iter().flatten() {
                storages.extend(term.variables());
            }
        }
        let first = map.mpi_calls.partition_point(|call| call.function < id);
        let calls = map.mpi_calls[first..]
            .iter()
            .take_while(|call| call.function == id);
        for argument in calls.flat_map(|call| &call.arguments) {
            storages.extend(argument.term.iter().flat_map(progress_map::Term::variables));
        }
        let first = map.iterated.partition_point(|each| each.function < id);
        let iterated = map.iterated[first..]
            .iter()
            .take_while(|each| each.function == id);
        let iterated = Vec::from_iter(iterated);
        let wanted = storages.into_iter().map(|(name, storage)| {
            let mut wanted = take_apart(name, storage);
            goes_over(&mut wanted, &iterated);
            wanted
        });
        let wanted = Vec::from_iter(wanted);
        if !wanted.is_empty() {
            all.insert(id, wanted);
        }
    }
    all
}

/// The names under which a caller and a callee ask for what is handed from one to the other.
pub(crate) type Pairs<'m> = BTreeMap<&'m Handed, Vec<(&'m str, &'m str)>>;

/// What callees know of their callers' variables.
pub(crate) struct HandedOn<'m> {
    /// What nothing but the caller asks for.
    pub(crate) only_handed: BTreeSet<(FunctionId, &'m str)>,
    pub(crate) pairs: Pairs<'m>,
}

/// Adds the parameters to which variables are handed on, and what is reached through them.
pub(crate) fn add_handed<'m>(
    map: &'m Map,
    wanted: &mut BTreeMap<FunctionId, Vec<Wanted<'m>>>,
) -> HandedOn<'m> {
    let mut on = HandedOn {
        only_handed: BTreeSet::new(),
        pairs: BTreeMap::new(),
    };
    // What a callee was handed it may hand on.
    loop {
        let before = on.only_handed.len();
        for handed in &map.handed {
            add(handed, wanted, &mut on);
        }
        if on.only_handed.len() == before {
            return on;
        }
    }
}

fn add<'m>(handed: &'m Handed, wanted: &mut BTreeMap<FunctionId, Vec<Wanted<'m>>>, on: &mut HandedOn<'m>) {
    let (Storage::Local { name, line }, Some(variable)) = (&handed.parameter, local(&handed.variable)) else {
        return;
    };
    let of_caller = wanted.get(&handed.function).into_iter().flatten();
    let of_caller = of_caller.filter(|wanted| wanted.root == variable && wanted.of_range.is_none());
    let of_caller = Vec::from_iter(of_caller.map(|wanted| (wanted.name, wanted.accesses.clone())));
    let root = Root::Local { name, line: *line };
    let own = wanted.entry(handed.callee).or_default();
    let mut pairs = Vec::new();
    for (of_caller, accesses) in of_caller {
        let inside = if accesses.is_empty() {
            name.as_str()
        } else {
            of_caller
        };
        pairs.push((of_caller, inside));
        // The function wants a variable of this name already: the parameter itself, or one that could not be told from it.
        match own.iter().find(|wanted| wanted.name == inside) {
            Some(other) if other.root != root && !accesses.is_empty() => drop(pairs.pop()),
            Some(_) => {}
            None => {
                own.push(Wanted {
                    name: inside,
                    root,
                    is_handed: !accesses.is_empty(),
                    accesses,
                    of_range: None,
                    is_iterator: false,
                    container: None,
                });
                on.only_handed.insert((handed.callee, inside));
            }
        }
    }
    on.pairs.insert(handed, pairs);
}

fn local(storage: &Storage) -> Option<Root<'_>> {
    match storage {
        Storage::Local { name, line } => Some(Root::Local { name, line: *line }),
        _ => None,
    }
}

/// The names of file-scope variables among `wanted`.
pub(crate) fn global_names<'m>(wanted: &BTreeMap<FunctionId, Vec<Wanted<'m>>>) -> BTreeSet<&'m str> {
    let roots = wanted.values().flatten().map(|wanted| wanted.root);
    roots
        .filter_map(|root| match root {
            Root::Global(name) => Some(name),
            Root::Local { .. } => None,
        })
        .collect()
}

fn take_apart<'m>(name: &'m str, storage: &'m Storage) -> Wanted<'m> {
    let mut accesses = Vec::new();
    let mut storage = storage;
    let mut of_range = None;
    let root = loop {
        match storage {
            Storage::Local { name, line } => break Root::Local { name, line: *line },
            Storage::Global { name } => break Root::Global(name),
            Storage::Range { variable, line, part } => {
                of_range = Some(*part);
                break Root::Local {
                    name: variable,
                    line: *line,
                };
            }
            Storage::Member { base, member, arrow } => {
                accesses.push(Selector::Member {
                    name: member,
                    arrow: *arrow,
                });
                storage = base;
            }
            Storage::Pointee(base) => {
                accesses.push(Selector::Pointee);
                storage = base;
            }
        }
    };
    accesses.reverse();
    Wanted {
        name,
        root,
        accesses,
        of_range,
        is_iterator: false,
        container: None,
        is_handed: false,
    }
}

/// Notes whether `wanted` is about an iterator that the source names, and over what it goes.
fn goes_over<'m>(wanted: &mut Wanted<'m>, iterated: &[&'m Iterated]) {
    let (Some(_), Root::Local { name, line }) = (wanted.of_range, wanted.root) else {
        return;
    };
    let is_it = |each: &&&Iterated| matches!(&each.iterator, Storage::Local { name: other, line: at } if other == name && *at == line);
    let mut over = iterated.iter().filter(is_it);
    let Some(one) = over.next() else {
        return;
    };
    wanted.is_iterator = true;
    let container = take_apart("", &one.container);
    // Of several objects nothing tells which one the loop at hand goes over.
    if let (Root::Local { name, line }, None) = (container.root, over.next()) {
        wanted.container = Some(Container {
            name,
            line,
            accesses: container.accesses,
        });
    }
}
