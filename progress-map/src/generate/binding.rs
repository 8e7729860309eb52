//! Made-up bindings: arbitrary ones for tests, and one of realistic shape for measurements.

use super::Rng;
use crate::{
    Binding, BoundCall, BoundFunction, BoundInline, BoundMpiCall, BoundSite, BoundVariable, CodeBlock,
    CodeCall, CodeWay, Encoding, FunctionId, FunctionInstance, LeafCall, LocationChange, LocationEffect,
    LocationRange, MachineCode, MachineLocation, Map, Passed, PassedArgument, PathStep, Row,
};
use base::Id;

/// Disjoint ranges in order, somewhere in the address space.
fn ranges(rng: &mut Rng, most: usize) -> Vec<(u64, u64)> {
    let mut corners = rng.list(2 * most, Rng::magnitude);
    corners.sort_unstable();
    corners.dedup();
    Vec::from_iter(corners.chunks_exact(2).map(|c| (c[0], c[1])))
}

pub(super) fn arbitrary(rng: &mut Rng, files: usize, functions: usize) -> Binding {
    let other_files = rng.list(3, Rng::word);
    let linkage_names = rng.list(3, Rng::word);
    let named = |rng: &mut Rng| match linkage_names.len() {
        0 => None,
        count => rng.some(|rng| rng.below(count) as u32),
    };
    let file = |rng: &mut Rng| {
        let pick = rng.below(files + other_files.len());
        match pick.checked_sub(files) {
            None => Ok(rng.id(files)),
            Some(other) => Err(other as u32),
        }
    };
    let any_file = files + other_files.len() > 0;
    let function = |rng: &mut Rng| match functions {
        0 => None,
        _ => rng.some(|rng| rng.id::<FunctionId>(functions)),
    };
    let mut rows = Vec::new();
    let mut inlines: Vec<BoundInline> = Vec::new();
    if any_file {
        rows.extend(ranges(rng, 6).into_iter().map(|(start, end)| Row {
            start,
            end,
            file: file(rng),
            line: rng.u32(),
            column: rng.u32(),
            statement: rng.one_in(2),
        }));
        for (start, end) in ranges(rng, 4) {
            let parent = match inlines.len() {
                0 => None,
                count => rng.some(|rng| rng.below(count) as u32),
            };
            inlines.push(BoundInline {
                start,
                end,
                parent,
                function: function(rng),
                name: rng.word(),
                linkage_name: named(rng),
                call_file: file(rng),
                call_line: rng.u32(),
                call_column: rng.u32(),
            });
        }
    }
    let bound = Vec::from_iter(ranges(rng, 4).into_iter().map(|(start, end)| BoundFunction {
        start,
        end,
        function: function(rng),
        name: rng.word(),
        linkage_name: named(rng),
        frame_base: rng.list(3, |rng| rng.bits() as u8),
        optimised: rng.one_in(2),
    }));
    let mut instances = Vec::new();
    instances.extend((0..functions).map(|id| FunctionInstance::Anywhere(FunctionId::from_index(id))));
    instances.extend((0..bound.len() as u32).map(FunctionInstance::Concrete));
    instances.extend((0..inlines.len() as u32).map(FunctionInstance::Inlined));
    let variables = match instances.len() {
        0 => Vec::new(),
        _ => rng.list(5, |rng| variable(rng, &instances)),
    };
    let mut addresses = rng.list(4, Rng::magnitude);
    addresses.sort_unstable();
    addresses.dedup();
    let calls = addresses.into_iter().map(|return_address| BoundCall {
        return_address,
        callees: match bound.len() {
            0 => Vec::new(),
            count => rng.list(2, |rng| rng.below(count) as u32),
        },
        passed: Vec::from_iter((0..rng.below(4) as u8).map(|register| Passed {
            register,
            expression: rng.list(5, |rng| rng.bits() as u8),
        })),
    });
    let calls = Vec::from_iter(calls);
    let mut addresses = rng.list(3, Rng::magnitude);
    addresses.sort_unstable();
    addresses.dedup();
    let mpi_calls = addresses.into_iter().map(|return_address| BoundMpiCall {
        return_address,
        arguments: Vec::from_iter((0..rng.below(4) as u8).map(|index| PassedArgument {
            index: 3 * index,
            expression: rng.list(5, |rng| rng.bits() as u8),
        })),
    });
    let mpi_calls = Vec::from_iter(mpi_calls);
    let mut addresses = rng.list(3, Rng::magnitude);
    addresses.sort_unstable();
    addresses.dedup();
    let sites = addresses.into_iter().map(|return_address| BoundSite {
        return_address,
        named: rng.one_in(2).then(|| format!("f{}", rng.word())),
    });
    let sites = Vec::from_iter(sites);
    Binding {
        build_id: rng.list(20, |rng| rng.bits() as u8),
        text_hash: rng.hash(),
        executable: rng.word(),
        producer: rng.word(),
        other_files,
        linkage_names,
        rows,
        functions: bound,
        inlines,
        variables,
        calls,
        merges: Vec::new(),
        mpi_calls,
        sites,
        code: code(rng),
    }
}

/// Any graph that is sorted and whose ids exist.
fn code(rng: &mut Rng) -> MachineCode {
    let blocks = ranges(rng, 6).into_iter().enumerate();
    let blocks = Vec::from_iter(blocks.map(|(at, (start, end))| CodeBlock {
        start,
        end,
        function: rng.below(at + 1) as u32,
    }));
    if blocks.is_empty() {
        return MachineCode::default();
    }
    let number = |rng: &mut Rng| rng.below(blocks.len()) as u32;
    let mut ways = rng.list(8, |rng| CodeWay {
        from: number(rng),
        to: number(rng),
        certain: rng.one_in(2),
    });
    ways.sort_unstable();
    ways.dedup();
    let mut changes = rng.list(8, |rng| LocationChange {
        block: number(rng),
        location: machine_location(rng),
        effect: match rng.below(7) {
            0 => LocationEffect::Set(rng.magnitude().cast_signed()),
            1 => LocationEffect::Add {
                step: rng.magnitude().cast_signed(),
                half: rng.one_in(2),
            },
            2 => LocationEffect::Other,
            3 => LocationEffect::Copy {
                from: machine_location(rng),
                add: rng.magnitude().cast_signed(),
                half: rng.one_in(2),
            },
            4 => LocationEffect::AddHeld {
                from: machine_location(rng),
                half: rng.one_in(2),
            },
            5 => LocationEffect::Known {
                value: rng.magnitude().cast_signed(),
                half: rng.one_in(2),
            },
            _ => LocationEffect::Bounded {
                half: rng.one_in(2),
                steps: rng.one_in(2),
            },
        },
    });
    changes.sort_unstable();
    changes.dedup();
    let mut calls = rng.list(4, |rng| CodeCall {
        block: number(rng),
        callee: number(rng),
    });
    calls.sort_unstable();
    calls.dedup_by_key(|call| call.block);
    let mut leaf_calls = rng.list(4, |rng| LeafCall {
        block: number(rng),
        callee: u64::from(rng.u32()),
    });
    leaf_calls.sort_unstable();
    leaf_calls.dedup_by_key(|call| call.block);
    MachineCode {
        blocks,
        ways,
        changes,
        calls,
        leaf_calls,
    }
}

fn machine_location(rng: &mut Rng) -> MachineLocation {
    if rng.one_in(2) {
        MachineLocation::Register(rng.below(17) as u8)
    } else {
        MachineLocation::Slot(rng.bits() as i32)
    }
}

fn variable(rng: &mut Rng, instances: &[FunctionInstance]) -> BoundVariable {
    let expression = |rng: &mut Rng| rng.list(6, |rng| rng.bits() as u8);
    let locations = if rng.one_in(3) {
        vec![(0, u64::MAX)]
    } else {
        ranges(rng, 3)
    };
    BoundVariable {
        instance: rng.pick(instances),
        name: rng.word(),
        scope: ranges(rng, 2),
        locations: Vec::from_iter(locations.into_iter().map(|(start, end)| LocationRange {
            start,
            end,
            expression: expression(rng),
        })),
        path: rng.list(3, |rng| match rng.below(2) {
            0 => PathStep::Deref,
            _ => PathStep::Offset(rng.magnitude()),
        }),
        encoding: rng.pick(&[
            Encoding::Signed(4),
            Encoding::Unsigned(8),
            Encoding::Float(8),
            Encoding::Address,
        ]),
    }
}

/// A binding as an optimising compiler's debug info gives it: about 1.5 rows a point, an inlined call for every
/// tenth function, two locations a listed variable.
pub fn bind(map: &Map, seed: u64) -> Binding {
    let rng = &mut Rng(seed);
    let mut binding = Binding {
        build_id: rng
            .list(1, |_| 0)
            .into_iter()
            .chain(rng.hash())
            .take(20)
            .collect(),
        text_hash: rng.hash(),
        executable: "/home/user/app/build/app".to_owned(),
        producer: "GNU C11 12.2.0 -mtune=generic -march=x86-64 -g -O2".to_owned(),
        other_files: vec![
            "/usr/include/stdlib.h".to_owned(),
            "/usr/include/mpi.h".to_owned(),
        ],
        ..Binding::default()
    };
    let mut pc = 0x1140;
    for (id, function) in map.functions.iter_enumerated() {
        let start = pc;
        for point in &function.points {
            for _ in 0..1 + rng.below(2) {
                let end = pc + 1 + rng.below(24) as u64;
                binding.rows.push(Row {
                    start: pc,
                    end,
                    file: Ok(function.file),
                    line: point.span.line,
                    column: point.span.column,
                    statement: true,
                });
                pc = end;
            }
        }
        let instance = FunctionInstance::Concrete(binding.functions.len() as u32);
        binding.functions.push(BoundFunction {
            start,
            end: pc,
            function: Some(id),
            name: function.name.clone(),
            linkage_name: None,
            frame_base: vec![0x9c],
            optimised: false,
        });
        if rng.one_in(10) {
            let callee = FunctionId::from_index(rng.below(map.functions.len()));
            let at = start + (pc - start) / 3;
            binding.inlines.push(BoundInline {
                start: at,
                end: at + (pc - at) / 2,
                parent: None,
                function: Some(callee),
                name: map.functions[callee].name.clone(),
                linkage_name: None,
                call_file: Ok(function.file),
                call_line: function.span.line + 5,
                call_column: 9,
            });
        }
        for lov in function.loops.iter().flat_map(|l| &l.lovs) {
            let middle = start + (pc - start) / 2;
            let location = |start, end, register: usize| LocationRange {
                start,
                end,
                expression: vec![0x50 + register as u8],
            };
            binding.variables.push(BoundVariable {
                instance,
                name: lov.name.clone(),
                scope: vec![(start + 4, pc)],
                locations: vec![
                    location(start + 4, middle, rng.below(16)),
                    location(middle, pc, rng.below(16)),
                ],
                path: Vec::new(),
                encoding: Encoding::Signed(4),
            });
        }
        pc = pc.next_multiple_of(16);
    }
    binding
}
