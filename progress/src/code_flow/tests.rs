use super::*;
use base::Random;
use progress_map::{CodeBlock, CodeWay, LocationChange};

const LOCATIONS: [MachineLocation; 2] = [MachineLocation::Register(3), MachineLocation::Slot(-24)];

/// One function of so many blocks, sixteen bytes each, that come back from all they call.
fn machine_code(count: u32, ways: &[(u32, u32)], mut changes: Vec<LocationChange>) -> MachineCode {
    let blocks = (0..count).map(|at| CodeBlock {
        start: 16 * u64::from(at),
        end: 16 * u64::from(at) + 16,
        function: 0,
        communicates: false,
    });
    let ways = ways.iter().map(|&(from, to)| CodeWay {
        from,
        to,
        certain: true,
    });
    let mut ways = Vec::from_iter(ways);
    ways.sort_unstable();
    ways.dedup();
    changes.sort_unstable();
    MachineCode {
        blocks: blocks.collect(),
        ways,
        changes,
        ..MachineCode::default()
    }
}

/// What a block does to the register that tests read.
fn change((block, effect): (u32, LocationEffect)) -> LocationChange {
    LocationChange {
        block,
        location: MachineLocation::Register(3),
        effect,
    }
}

/// A function of a few blocks, each of which may do something to a register.
fn function(random: &mut Random) -> MachineCode {
    let count = 4 + random.below(7);
    let blocks = (0..count as u64).map(|at| CodeBlock {
        start: 16 * at,
        end: 16 * at + 16,
        function: 0,
        communicates: false,
    });
    let mut code = MachineCode {
        calls: Vec::new(),
        leaf_calls: Vec::new(),
        blocks: blocks.collect(),
        ..MachineCode::default()
    };
    for from in 0..count as u32 - 1 {
        // Mostly on to the next one, so that there are loops within loops rather than knots.
        let mut to = vec![from + 1];
        match random.below(5) {
            0 => to.push(random.below(count) as u32),
            1 => to.push(random.below(from as usize + 1) as u32),
            2 => to = vec![random.below(count) as u32, from + 1],
            _ => {}
        }
        code.ways.extend(to.into_iter().map(|to| CodeWay {
            from,
            to,
            certain: true,
        }));
        let location = LOCATIONS[random.below(2)];
        let effect = match random.below(8) {
            0 => LocationEffect::Set(random.below(2) as i64),
            1 | 5 => LocationEffect::Add {
                step: [1, 2, -1][random.below(3)],
                half: false,
            },
            2 => LocationEffect::Copy {
                from: LOCATIONS[random.below(2)],
                add: 1,
                half: false,
            },
            4 => LocationEffect::AddHeld {
                from: LOCATIONS[random.below(2)],
                half: false,
            },
            3 if random.below(4) == 0 => LocationEffect::Other,
            6 => LocationEffect::Known {
                value: random.below(2) as i64,
                half: false,
            },
            7 => LocationEffect::Copy {
                from: LOCATIONS[random.below(2)],
                add: 1,
                half: true,
            },
            _ => continue,
        };
        code.changes.push(LocationChange {
            block: from,
            location,
            effect,
        });
    }
    code.ways.sort_unstable();
    code.ways.dedup();
    code
}

/// A loop to whose header some iterations come back by a copy of it: `reg = 0; do { if (…) … else …; …; reg += step; if (…) start(); } while (…);` in which the first
/// test was copied behind `start()`. What stands between is made up.
fn with_copy_of_header(random: &mut Random) -> MachineCode {
    let body = 3 + random.below(4) as u32;
    // 0: the start, 1: the test, then the body, the change, the branch, `start()`, the copy, and what is behind the loop.
    let (first, change) = (2, 2 + body);
    let (branch, start, copy, behind) = (change + 1, change + 2, change + 3, change + 4);
    let arms = [first, first + 1 + random.below(body as usize - 1) as u32];
    let mut ways = vec![
        (0, 1),
        (change, branch),
        (branch, 1),
        (branch, start),
        (branch, behind),
        (start, copy),
    ];
    for test in [1, copy] {
        ways.extend(arms.map(|arm| (test, arm)));
    }
    for at in first..change {
        ways.push((at, at + 1));
        match random.below(5) {
            0 => ways.push((at, first + random.below((at - first) as usize + 1) as u32)),
            1 => ways.push((at, change)),
            _ => {}
        }
    }
    let effect = |block, location: usize, effect| LocationChange {
        block,
        location: LOCATIONS[location],
        effect,
    };
    let step = [1, 2, -1][random.below(3)];
    let mut changes = vec![
        effect(0, 0, LocationEffect::Set(random.below(2) as i64)),
        effect(change, 0, LocationEffect::Add { step, half: false }),
    ];
    for at in first..change {
        match random.below(8) {
            0 => changes.push(effect(at, 1, LocationEffect::Set(1))),
            1 => changes.push(effect(at, 1, LocationEffect::Add { step: 1, half: false })),
            2 if random.below(4) == 0 => {
                changes.push(effect(at, 0, LocationEffect::Add { step: 1, half: false }))
            }
            _ => {}
        }
    }
    machine_code(behind + 1, &ways, changes)
}

/// The places that one execution comes to, in their order.
fn run(code: &MachineCode, random: &mut Random) -> Vec<CodePlace> {
    // What the caller has left in the registers is another number in every task.
    let mut held: BTreeMap<MachineLocation, u64> = LOCATIONS
        .map(|location| (location, random.below(5) as u64))
        .into();
    let mut places = Vec::new();
    let mut block = 0;
    for _ in 0..80 {
        places.push(CodePlace {
            block,
            address: code.blocks[block as usize].start,
            held: held.clone(),
        });
        // Only who holds what is known there comes to a place.
        let known = code.changes_of(block).iter().all(|change| match change.effect {
            LocationEffect::Known { value, .. } => held[&change.location] == value.cast_unsigned(),
            _ => true,
        });
        if !known {
            places.pop();
            break;
        }
        for change in code.changes_of(block) {
            let old = held[&change.location];
            let new = match change.effect {
                LocationEffect::Set(value) => value.cast_unsigned(),
                LocationEffect::Add { step, .. } => old.wrapping_add_signed(step),
                LocationEffect::Copy { from, add, half } => {
                    let copied = held[&from].wrapping_add_signed(add);
                    if half { copied & 0xffff_ffff } else { copied }
                }
                LocationEffect::AddHeld { from, .. } => old.wrapping_add(held[&from]),
                LocationEffect::Other => random.below(5) as u64,
                LocationEffect::Bounded { .. } | LocationEffect::Known { .. } => old,
            };
            held.insert(change.location, new);
        }
        let ways = code.ways_from(block);
        match ways.len() {
            0 => break,
            count => block = ways[random.below(count)].to,
        }
    }
    places
}

impl FunctionCode {
    /// Whether the code leads from a block to itself.
    fn reached_again(&self, block: u32) -> bool {
        let whole = Region::of(vec![true; self.blocks.len()]);
        let at = block as usize;
        self.is_cycle(&whole, &self.component(&whole, at), at)
    }
}

/// `if (failed) { report(); return; } do { work(); } while (…); last();` around which all goes: who reports has not passed the loop.
#[test]
fn a_place_on_the_way_out_is_not_behind_the_loop() {
    let passed = |ways: &[(u32, u32)], a: u32, b: u32| {
        let code = machine_code(6, ways, Vec::new());
        let graph = FunctionCode::new(&code, (0..6).collect());
        match graph.compare(&at(a, 0), &at(b, 0)) {
            Ok((Relation::Before, CodeProof::Flow { passed, .. })) => passed,
            other => panic!("{other:?}"),
        }
    };
    // 1 and 2 are the loop, 3 is left for from its middle, 4 comes behind it.
    let early_out = [(0, 1), (1, 2), (1, 3), (2, 1), (2, 4), (3, 5), (4, 5)];
    assert!(passed(&early_out, 0, 4));
    assert!(!passed(&early_out, 2, 3));
    assert!(!passed(&early_out, 2, 4));
    assert!(passed(&early_out, 2, 5));
    // Nor is who has gone round another way behind.
    let branch = [(0, 1), (0, 2), (1, 2), (2, 3), (3, 4), (4, 5)];
    assert!(!passed(&branch, 1, 2));
    assert!(passed(&branch, 2, 3));
}

/// What is said of two places holds for all executions that come to both: those are run, and looked through.
#[test]
fn no_execution_contradicts_the_order() {
    let (mut ordered, mut counted, mut equal, mut through, mut joined) = (0, 0, 0, 0, 0);
    for seed in 0..200 {
        let mut random = Random(seed);
        let code = if seed % 4 == 3 {
            with_copy_of_header(&mut random)
        } else {
            function(&mut random)
        };
        let runs = Vec::from_iter((0..12).map(|_| run(&code, &mut random)));
        let graph = FunctionCode::new(&code, (0..code.blocks.len() as u32).collect());
        joined += usize::from(graph.has_copy.contains(&true));
        // When each place was come to, run by run.
        let mut times: BTreeMap<&CodePlace, Vec<(usize, usize)>> = BTreeMap::new();
        for (run, places) in runs.iter().enumerate() {
            for (time, place) in places.iter().enumerate() {
                times.entry(place).or_default().push((run, time));
            }
        }
        for (a, times_a) in &times {
            for (b, times_b) in &times {
                let Ok((relation, proof)) = graph.compare(a, b) else {
                    continue;
                };
                let back = graph.compare(b, a).map(|(relation, _)| relation.reversed());
                assert_eq!(back, Ok(relation), "seed {seed}: {a:?} and {b:?}");
                let of_one_run = times_a.iter().flat_map(|&(run, time)| {
                    let same = times_b.iter().filter(move |(other, _)| *other == run);
                    same.map(move |&(_, other)| time.cmp(&other))
                });
                for order in of_one_run {
                    let fits = match relation {
                        Relation::Before => order.is_lt(),
                        Relation::After => order.is_gt(),
                        Relation::Equal => order.is_eq(),
                        Relation::Incomparable | Relation::Unknown => false,
                    };
                    assert!(fits, "seed {seed}: {a:?} is {relation:?} {b:?} in {code:?}");
                }
                // Who is at the later place has been at the earlier one, unless that is in a loop by itself.
                let goes_round = graph.reached_again(a.block);
                if let (Relation::Before, CodeProof::Flow { passed: true, .. }, false) =
                    (relation, &proof, goes_round)
                {
                    through += 1;
                    for &(run, time) in times_b {
                        let earlier = runs[run][..time].iter().any(|place| place.block == a.block);
                        assert!(
                            earlier || a.block == b.block,
                            "seed {seed}: {b:?} without {a:?} in {code:?}"
                        );
                    }
                }
                ordered += usize::from(matches!(relation, Relation::Before | Relation::After));
                equal += usize::from(relation == Relation::Equal);
                counted += usize::from(matches!(proof, CodeProof::Counter { .. }));
            }
        }
    }
    assert!(
        ordered > 3_000 && counted > 100 && equal > 300 && through > 500 && joined > 30,
        "{ordered} {counted} {equal} {through} {joined}"
    );
}

/// `i = 0; do { a(); i++; b(); } while (…); c();`, one block each.
fn counting_loop(effect: LocationEffect, more: &[(u32, LocationEffect)]) -> FunctionCode {
    let mut changes = vec![(0, LocationEffect::Set(0)), (2, effect)];
    changes.extend(more);
    let ways = [(0, 1), (1, 2), (2, 3), (3, 1), (3, 4)];
    let code = machine_code(5, &ways, changes.into_iter().map(change).collect());
    FunctionCode::new(&code, (0..5).collect())
}

fn at(block: u32, i: u64) -> CodePlace {
    CodePlace {
        block,
        address: 16 * u64::from(block),
        held: [(MachineLocation::Register(3), i)].into(),
    }
}

fn add(half: bool) -> LocationEffect {
    LocationEffect::Add { step: 1, half }
}

fn relation(code: &FunctionCode, a: &CodePlace, b: &CodePlace) -> Option<Relation> {
    code.compare(a, b).ok().map(|(relation, _)| relation)
}

/// `for (i = 0; i < n; i++) { if (i == 1) start(); if (left) f(); else g(); h(); }`, in which the second test was copied behind `start()`.
#[test]
fn who_passes_a_copy_of_the_header_begins_an_iteration() {
    // 1: the test, 2: f, 3: g, 4: h and i++, 5: i == 1, 6: start, 7: the copy of the test
    let of_test = [(1, 2), (1, 3), (7, 2), (7, 3)];
    let of_others = [(0, 1), (2, 4), (3, 4), (4, 5), (4, 8), (5, 1), (5, 6), (6, 7)];
    let ways = [&of_test[..], &of_others].concat();
    let code = |counts: LocationEffect| {
        let changes = [(0, LocationEffect::Set(0)), (4, counts)];
        let code = machine_code(9, &ways, changes.map(change).to_vec());
        FunctionCode::new(&code, (0..9).collect())
    };
    let counted = code(add(false));
    assert_eq!(counted.loops_around_both(2, 4), 1);
    assert_eq!(relation(&counted, &at(2, 1), &at(4, 1)), Some(Relation::Before));
    assert_eq!(relation(&counted, &at(4, 1), &at(2, 2)), Some(Relation::Before));
    // `start` comes behind the iteration in which `i` was 0, and before the one that it begins.
    assert_eq!(relation(&counted, &at(4, 0), &at(6, 1)), Some(Relation::Before));
    assert_eq!(relation(&counted, &at(6, 1), &at(2, 1)), Some(Relation::Before));
    assert_eq!(relation(&counted, &at(1, 1), &at(7, 1)), None);
    // Where nothing has counted, it may be a loop within another.
    assert_eq!(code(LocationEffect::Other).loops_around_both(2, 4), 2);
}

#[test]
fn a_register_tells_the_iteration() {
    let code = counting_loop(add(false), &[]);
    assert_eq!(relation(&code, &at(3, 5), &at(1, 6)), Some(Relation::Before));
    // Behind the change of the iteration before.
    assert_eq!(relation(&code, &at(1, 5), &at(3, 5)), Some(Relation::After));
    assert_eq!(relation(&code, &at(1, 5), &at(3, 6)), Some(Relation::Before));
    assert_eq!(relation(&code, &at(3, 5), &at(3, 5)), Some(Relation::Equal));
    assert_eq!(relation(&code, &at(1, 7), &at(4, 7)), Some(Relation::Before));
}

#[test]
fn thirty_two_bits_need_an_end() {
    assert_eq!(
        relation(&counting_loop(add(true), &[]), &at(3, 5), &at(1, 6)),
        None
    );
    let bounded = LocationEffect::Bounded {
        half: true,
        steps: false,
    };
    let code = counting_loop(add(true), &[(3, bounded)]);
    assert_eq!(relation(&code, &at(3, 5), &at(1, 6)), Some(Relation::Before));
    // The upper half of the register is nobody's.
    assert_eq!(
        relation(&code, &at(3, 5 | 1 << 40), &at(1, 6)),
        Some(Relation::Before)
    );
}

/// Block 1 ends in a call, 2 comes back from it; without the way from 3 to 4 the loop would have no branch.
#[test]
fn who_is_beside_a_call_makes_it_next_or_has_come_back() {
    let code = |ways: &[(u32, u32)]| FunctionCode::new(&machine_code(5, ways, Vec::new()), (0..5).collect());
    let looped = code(&[(0, 1), (1, 2), (2, 3), (3, 1), (3, 4)]);
    assert_eq!(looped.beside(1, 1), Some(Relation::Before));
    assert_eq!(looped.beside(2, 1), Some(Relation::After));
    assert_eq!(looped.beside(3, 1), None);
    assert_eq!(looped.beside(0, 1), None);
    let endless = code(&[(0, 1), (1, 2), (2, 3), (3, 1)]);
    assert_eq!(endless.beside(1, 1), None);
    assert_eq!(endless.beside(2, 1), None);
    // Others come to the place behind the call, too.
    let joined = code(&[(0, 1), (0, 2), (1, 2), (2, 3), (3, 1), (3, 4)]);
    assert_eq!(joined.beside(2, 1), None);
}

/// `i` goes from its register to a slot while the register is used for something else, comes back in another register, and grows there.
#[test]
fn a_counter_may_move_to_the_stack_and_back() {
    let (slot, other) = (MachineLocation::Slot(-40), MachineLocation::Register(12));
    let copy = |from| LocationEffect::Copy {
        from,
        add: 0,
        half: false,
    };
    let rbx = MachineLocation::Register(3);
    let effects = [
        (0, rbx, LocationEffect::Set(0)),
        (1, slot, copy(rbx)),
        (2, rbx, LocationEffect::Other),
        (3, other, copy(slot)),
        (4, other, add(false)),
        (5, rbx, copy(other)),
    ];
    let change = |&(block, location, effect): &(u32, MachineLocation, LocationEffect)| LocationChange {
        block,
        location,
        effect,
    };
    let code = MachineCode {
        calls: Vec::new(),
        leaf_calls: Vec::new(),
        blocks: (0..7u64)
            .map(|at| CodeBlock {
                start: 16 * at,
                end: 16 * at + 16,
                function: 0,
                communicates: false,
            })
            .collect(),
        ways: [(0, 1), (1, 2), (2, 3), (3, 4), (4, 5), (5, 1), (5, 6)]
            .map(|(from, to)| CodeWay {
                from,
                to,
                certain: true,
            })
            .to_vec(),
        changes: effects.iter().map(change).collect(),
    };
    let code = FunctionCode::new(&code, (0..7).collect());
    let at = |block: u32, held: (MachineLocation, u64)| CodePlace {
        block,
        address: 16 * u64::from(block),
        held: [held].into(),
    };
    // The same iteration, and the next one.
    assert_eq!(
        relation(&code, &at(3, (slot, 4)), &at(5, (other, 5))),
        Some(Relation::Before)
    );
    assert_eq!(
        relation(&code, &at(5, (other, 5)), &at(1, (rbx, 5))),
        Some(Relation::Before)
    );
    assert_eq!(
        relation(&code, &at(3, (slot, 5)), &at(4, (other, 4))),
        Some(Relation::After)
    );
    // What the register holds meanwhile is something else.
    assert_eq!(relation(&code, &at(3, (rbx, 4)), &at(5, (other, 5))), None);
    assert_eq!(code.counters_at(3), [slot].into());
}

/// `i += step`, where every task has a step of its own.
#[test]
fn a_step_is_what_both_hold() {
    let (i, step) = (MachineLocation::Register(3), MachineLocation::Slot(-24));
    let code = counting_loop(
        LocationEffect::AddHeld {
            from: step,
            half: false,
        },
        &[],
    );
    let at = |block: u32, value: u64, by: u64| CodePlace {
        held: [(i, value), (step, by)].into(),
        ..at(block, value)
    };
    assert_eq!(
        relation(&code, &at(1, 6, 3), &at(1, 9, 3)),
        Some(Relation::Before)
    );
    assert_eq!(relation(&code, &at(1, 6, 3), &at(1, 8, 2)), None);
    assert_eq!(relation(&code, &at(1, 0, 0), &at(1, 0, 0)), None);
    let down = 3u64.wrapping_neg();
    assert_eq!(
        relation(
            &code,
            &at(1, 6u64.wrapping_neg(), down),
            &at(1, 9u64.wrapping_neg(), down)
        ),
        Some(Relation::Before)
    );
}

#[test]
fn what_else_changes_the_register_spoils_it() {
    for effect in [LocationEffect::Other, LocationEffect::Set(0)] {
        assert_eq!(
            relation(&counting_loop(add(false), &[(3, effect)]), &at(3, 5), &at(1, 6)),
            None
        );
    }
    // What adds to it once more makes larger steps of it, to which an odd number does not belong.
    let code = counting_loop(add(false), &[(3, add(false))]);
    assert_eq!(relation(&code, &at(3, 5), &at(1, 6)), Some(Relation::Before));
    assert_eq!(relation(&code, &at(3, 4), &at(1, 6)), None);
    // Nor is it known with what the loop begins.
    let code = counting_loop(add(false), &[(0, LocationEffect::Other)]);
    assert_eq!(relation(&code, &at(3, 5), &at(1, 6)), None);
}
