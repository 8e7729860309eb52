//! Who did alike in which piece, and what who has in common: against definitions over all subsets, and whatever order the threads come in.

use crate::generate::Rng;
use calltrace::concepts::Lattice;
use calltrace::fold::{Builder, Forest, Shape};
use calltrace::phases::{Common, Phases};
use std::collections::BTreeSet;

fn context(rng: &mut Rng) -> Vec<BTreeSet<usize>> {
    let (objects, attributes) = (rng.below(8), 1 + rng.below(7));
    let dense = 1 + rng.below(4);
    let object = |rng: &mut Rng| (0..attributes).filter(|_| rng.below(4) < dense).collect();
    (0..objects).map(|_| object(rng)).collect()
}

/// By the definition: the intents of all sets of objects but the empty one, each with its extent.
fn defined(objects: &[BTreeSet<usize>]) -> BTreeSet<(Vec<usize>, Vec<usize>)> {
    let subsets = 1_u32..1 << objects.len();
    let intents = subsets.map(|subset| {
        let chosen = (0..objects.len()).filter(|object| subset >> object & 1 == 1);
        let mut chosen = chosen.map(|object| objects[object].clone());
        let first = chosen.next().unwrap();
        chosen.fold(first, |common, object| &common & &object)
    });
    let concepts = intents.map(|intent| {
        let extent = (0..objects.len()).filter(|object| intent.is_subset(&objects[*object]));
        (extent.collect(), intent.into_iter().collect())
    });
    concepts.collect()
}

#[test]
fn concepts_are_those_of_the_definition() {
    let mut rng = Rng(1);
    let mut seen = 0;
    for _ in 0..400 {
        let objects = context(&mut rng);
        let lattice = Lattice::of(&objects);
        let found = lattice.concepts.iter();
        let found: BTreeSet<_> = found
            .map(|concept| (concept.extent.clone(), concept.intent.clone()))
            .collect();
        assert_eq!(found, defined(&objects), "{objects:?}");
        assert_eq!(found.len(), lattice.concepts.len());
        seen += found.len();
        let is_below = |one: usize, other: usize| {
            let [one, other] = [one, other].map(|at| BTreeSet::from_iter(&lattice.concepts[at].extent));
            one != other && one.is_subset(&other)
        };
        for (index, concept) in lattice.concepts.iter().enumerate() {
            let all = 0..lattice.concepts.len();
            let above = all.clone().filter(|other| is_below(index, *other));
            let direct = above.filter(|other| {
                !all.clone()
                    .any(|between| is_below(index, between) && is_below(between, *other))
            });
            assert_eq!(concept.above, Vec::from_iter(direct), "{objects:?}");
            let is_own = |attribute: &usize| {
                let has = |at: usize| lattice.concepts[at].intent.contains(attribute);
                !all.clone().any(|other| is_below(index, other) && has(other))
            };
            let own = concept.intent.iter().copied().filter(is_own);
            assert_eq!(concept.own, Vec::from_iter(own), "{objects:?}");
        }
    }
    assert!(seen > 1_000, "{seen} concepts show little");
}

/// Too many concepts: those of single kinds and of all are there, in whatever order the kinds come.
#[test]
fn a_lattice_that_is_too_large_has_the_kinds() {
    let objects = Vec::from_iter(
        (0..12).map(|object| BTreeSet::from_iter((0..12).filter(|attribute| *attribute != object))),
    );
    let lattice = Lattice::of(&objects);
    assert!(lattice.is_cut);
    assert_eq!(lattice.concepts.len(), 13);
    assert_eq!(lattice.concepts[0].extent.len(), 12);
    let mut turned = objects.clone();
    turned.rotate_left(5);
    let turned = Lattice::of(&turned);
    let sizes = |lattice: &Lattice| {
        Vec::from_iter(
            lattice
                .concepts
                .iter()
                .map(|concept| concept.intent.clone())
                .collect::<BTreeSet<_>>(),
        )
    };
    assert_eq!(sizes(&lattice), sizes(&turned));
}

/// A thread that calls main, which calls step so often, each with so many calls of one thing.
fn thread(forest: &mut Forest, steps: &[&[(u32, u64)]]) -> Shape {
    let mut builder = Builder::new(forest);
    builder.enter(1);
    builder.enter(2);
    for step in steps {
        builder.enter(3);
        for (function, times) in *step {
            for _ in 0..*times {
                builder.enter(*function);
                builder.exit();
            }
        }
        builder.exit();
    }
    builder.exit();
    builder.exit();
    builder.finish()
}

#[test]
fn phases_tell_who_did_otherwise_when() {
    let mut forest = Forest::new();
    let usual: &[(u32, u64)] = &[(10, 6), (11, 1)];
    let less: &[(u32, u64)] = &[(10, 5), (11, 1)];
    let all = [usual; 60];
    let mut other = all;
    other[40] = less;
    let threads = [&all[..], &all, &other, &all[..59]].map(|steps| thread(&mut forest, steps));
    let phases = Phases::of(&forest, &threads);
    assert_eq!(phases.within, [1, 2]);
    let found = phases
        .all
        .iter()
        .map(|phase| (phase.function, phase.calls, phase.groups.clone()));
    assert_eq!(
        Vec::from_iter(found),
        [
            (3, [1, 40], vec![vec![0, 1, 2, 3]]),
            (3, [41, 41], vec![vec![0, 1, 3], vec![2]]),
            (3, [42, 59], vec![vec![0, 1, 2, 3]]),
            (3, [60, 60], vec![vec![0, 1, 2], vec![3]]),
        ]
    );
    assert_eq!(phases.all[3].did[1], None, "one thread never made it");
    let did = Vec::from_iter(phases.all[1].did.iter().flatten().copied());
    let common = Common::of(&forest, &did);
    let extents = common.lattice.concepts.iter().map(|concept| {
        let own = concept.own.iter().map(|attribute| {
            let (path, count) = common.attributes[*attribute];
            (common.paths.functions(path), count)
        });
        (concept.extent.clone(), Vec::from_iter(own))
    });
    assert_eq!(
        Vec::from_iter(extents),
        [
            (vec![0, 1], vec![(vec![11], 1)]),
            (vec![0], vec![(vec![10], 6)]),
            (vec![1], vec![(vec![10], 5)]),
        ]
    );
}

/// Whoever is called rank 0: the same groups, phases and concepts come out, with other names.
#[test]
fn the_order_of_threads_does_not_matter() {
    let mut rng = Rng(6);
    let mut parted = 0;
    for _ in 0..60 {
        let mut forest = Forest::new();
        let kinds: Vec<Vec<(u32, u64)>> = (0..3)
            .map(|_| {
                (0..1 + rng.below(3))
                    .map(|_| (10 + rng.below(4) as u32, 1 + rng.below(3) as u64))
                    .collect()
            })
            .collect();
        let count = 2 + rng.below(6);
        let steps = 1 + rng.below(12);
        let threads = (0..count).map(|_| {
            let steps = 1.max(steps - rng.below(2));
            let steps = Vec::from_iter(
                (0..steps).map(|_| &kinds[if rng.below(6) == 0 { rng.below(3) } else { 0 }][..]),
            );
            thread(&mut forest, &steps)
        });
        let threads = Vec::from_iter(threads);
        let mut places = Vec::from_iter(0..count);
        for at in (1..count).rev() {
            places.swap(at, rng.below(at + 1));
        }
        let turned = Vec::from_iter(places.iter().map(|place| threads[*place]));
        let names = |of: &[usize], back: bool| {
            BTreeSet::from_iter(of.iter().map(|at| if back { places[*at] } else { *at }))
        };
        let phases = [(&threads, false), (&turned, true)].map(|(threads, back)| {
            let phases = Phases::of(&forest, threads);
            let all = phases.all.into_iter().map(|phase| {
                let groups = phase
                    .groups
                    .iter()
                    .zip(&phase.did)
                    .map(|(group, did)| (names(group, back), *did));
                (phase.function, phase.calls, BTreeSet::from_iter(groups))
            });
            (phases.within, Vec::from_iter(all))
        });
        assert_eq!(phases[0], phases[1]);
        parted += phases[0].1.iter().filter(|(.., groups)| groups.len() > 1).count();
        let concepts = [(&threads, false), (&turned, true)].map(|(threads, back)| {
            let common = Common::of(&forest, threads);
            let attribute = |at: &usize| {
                let (path, count) = common.attributes[*at];
                (common.paths.functions(path), count)
            };
            let all = common.lattice.concepts.iter().map(|concept| {
                let own = BTreeSet::from_iter(concept.own.iter().map(attribute));
                let above = concept
                    .above
                    .iter()
                    .map(|above| names(&common.lattice.concepts[*above].extent, back));
                (names(&concept.extent, back), own, BTreeSet::from_iter(above))
            });
            BTreeSet::from_iter(all)
        });
        assert_eq!(concepts[0], concepts[1]);
    }
    assert!(parted > 50, "{parted} phases in which ways part show little");
}
