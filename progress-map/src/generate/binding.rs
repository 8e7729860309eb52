//! Made-up bindings: arbitrary ones for tests, and one of realistic shape for measurements.

use super::Rng;
use crate::{
    Binding, BoundCall, BoundFunction, BoundInline, BoundMpiCall, BoundSite, BoundVariable, CodeBlock,
    CodeCall, CodeWay, Encoding, FileId, Function, FunctionId, FunctionInstance, LeafCall, LocationChange,
    LocationEffect, LocationRange, MachineCode, MachineLocation, Map, Passed, PassedArgument, PathStep, Row,
    TailJump, TailTarget,
};
use base::Id;

/// Disjoint ranges in order, somewhere in the address space.
fn ranges(rng: &mut Rng, most: usize) -> Vec<(u64, u64)> {
    let mut corners = rng.list(2 * most, Rng::magnitude);
    corners.sort_unstable();
    corners.dedup();
    Vec::from_iter(corners.chunks_exact(2).map(|c| (c[0], c[1])))
}

/// Addresses of instructions behind calls: sorted, each once.
fn return_addresses(rng: &mut Rng, most: usize) -> Vec<u64> {
    let mut addresses = rng.list(most, Rng::magnitude);
    addresses.sort_unstable();
    addresses.dedup();
    addresses
}

/// What the parts of an arbitrary binding may refer to.
struct Targets {
    files: usize,
    functions: usize,
    other_files: usize,
    linkage_names: usize,
}

impl Targets {
    fn file(&self, rng: &mut Rng) -> Result<FileId, u32> {
        let pick = rng.below(self.files + self.other_files);
        match pick.checked_sub(self.files) {
            None => Ok(rng.id(self.files)),
            Some(other) => Err(other as u32),
        }
    }

    fn function(&self, rng: &mut Rng) -> Option<FunctionId> {
        match self.functions {
            0 => None,
            _ => rng.some(|rng| rng.id(self.functions)),
        }
    }

    fn linkage_name(&self, rng: &mut Rng) -> Option<u32> {
        match self.linkage_names {
            0 => None,
            count => rng.some(|rng| rng.below(count) as u32),
        }
    }

    fn row(&self, rng: &mut Rng, (start, end): (u64, u64)) -> Row {
        Row {
            start,
            end,
            file: self.file(rng),
            line: rng.u32(),
            column: rng.u32(),
            statement: rng.one_in(2),
        }
    }

    /// An inlined call that stands behind so many others.
    fn inline(&self, rng: &mut Rng, (start, end): (u64, u64), behind: usize) -> BoundInline {
        let parent = match behind {
            0 => None,
            count => rng.some(|rng| rng.below(count) as u32),
        };
        BoundInline {
            start,
            end,
            parent,
            function: self.function(rng),
            name: rng.word(),
            linkage_name: self.linkage_name(rng),
            call_file: self.file(rng),
            call_line: rng.u32(),
            call_column: rng.u32(),
        }
    }

    fn bound_function(&self, rng: &mut Rng, (start, end): (u64, u64)) -> BoundFunction {
        BoundFunction {
            start,
            end,
            function: self.function(rng),
            name: rng.word(),
            linkage_name: self.linkage_name(rng),
            frame_base: rng.list(3, |rng| rng.bits() as u8),
            optimised: rng.one_in(2),
        }
    }
}

/// Any binding whose ids exist and whose tables are sorted.
pub(super) fn arbitrary(rng: &mut Rng, files: usize, functions: usize) -> Binding {
    let other_files = rng.list(3, Rng::word);
    let linkage_names = rng.list(3, Rng::word);
    let targets = Targets {
        files,
        functions,
        other_files: other_files.len(),
        linkage_names: linkage_names.len(),
    };
    let mut rows = Vec::new();
    let mut inlines: Vec<BoundInline> = Vec::new();
    if files + other_files.len() > 0 {
        rows.extend(ranges(rng, 6).into_iter().map(|range| targets.row(rng, range)));
        for range in ranges(rng, 4) {
            inlines.push(targets.inline(rng, range, inlines.len()));
        }
    }
    let bound = ranges(rng, 4).into_iter();
    let bound = Vec::from_iter(bound.map(|range| targets.bound_function(rng, range)));
    let mut instances = Vec::new();
    instances.extend((0..functions).map(|id| FunctionInstance::Anywhere(FunctionId::from_index(id))));
    instances.extend((0..bound.len() as u32).map(FunctionInstance::Concrete));
    instances.extend((0..inlines.len() as u32).map(FunctionInstance::Inlined));
    let variables = match instances.len() {
        0 => Vec::new(),
        _ => rng.list(5, |rng| variable(rng, &instances)),
    };
    let calls = return_addresses(rng, 4).into_iter();
    let calls = Vec::from_iter(calls.map(|at| call(rng, at, bound.len())));
    let mpi_calls = return_addresses(rng, 3).into_iter();
    let mpi_calls = Vec::from_iter(mpi_calls.map(|at| mpi_call(rng, at)));
    let sites = return_addresses(rng, 3).into_iter();
    let sites = sites.map(|return_address| BoundSite {
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
        tail_jumps: rng.some(tail_jumps),
    }
}

fn tail_jumps(rng: &mut Rng) -> Vec<TailJump> {
    let jumps = return_addresses(rng, 4).into_iter().map(|at| TailJump {
        at,
        to: match rng.below(3) {
            0 => TailTarget::Function(rng.bits()),
            1 => TailTarget::Linked,
            _ => TailTarget::Anywhere,
        },
    });
    jumps.collect()
}

fn call(rng: &mut Rng, return_address: u64, functions: usize) -> BoundCall {
    BoundCall {
        return_address,
        callees: match functions {
            0 => Vec::new(),
            count => rng.list(2, |rng| rng.below(count) as u32),
        },
        passed: Vec::from_iter((0..rng.below(4) as u8).map(|register| Passed {
            register,
            expression: rng.list(5, |rng| rng.bits() as u8),
        })),
    }
}

fn mpi_call(rng: &mut Rng, return_address: u64) -> BoundMpiCall {
    BoundMpiCall {
        return_address,
        arguments: Vec::from_iter((0..rng.below(4) as u8).map(|index| PassedArgument {
            index: 3 * index,
            expression: rng.list(5, |rng| rng.bits() as u8),
        })),
    }
}

/// Any graph that is sorted and whose ids exist.
fn code(rng: &mut Rng) -> MachineCode {
    let blocks = ranges(rng, 6).into_iter().enumerate();
    let blocks = Vec::from_iter(blocks.map(|(at, (start, end))| CodeBlock {
        start,
        end,
        function: rng.below(at + 1) as u32,
        communicates: rng.one_in(3),
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
        effect: effect(rng),
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

fn effect(rng: &mut Rng) -> LocationEffect {
    match rng.below(7) {
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
        pc = add_rows(rng, &mut binding, function, start);
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
            binding
                .inlines
                .push(inlined_call(rng, map, function, (start, pc)));
        }
        for lov in function.loops.iter().flat_map(|l| &l.lovs) {
            let variable = in_registers(rng, lov.name.clone(), instance, (start, pc));
            binding.variables.push(variable);
        }
        pc = pc.next_multiple_of(16);
    }
    binding
}

/// One or two rows for each point of a function whose code begins at `pc`. Returns where it ends.
fn add_rows(rng: &mut Rng, binding: &mut Binding, function: &Function, mut pc: u64) -> u64 {
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
    pc
}

/// A call of any function, inlined into the middle of `caller`.
fn inlined_call(rng: &mut Rng, map: &Map, caller: &Function, (start, end): (u64, u64)) -> BoundInline {
    let callee = FunctionId::from_index(rng.below(map.functions.len()));
    let at = start + (end - start) / 3;
    BoundInline {
        start: at,
        end: at + (end - at) / 2,
        parent: None,
        function: Some(callee),
        name: map.functions[callee].name.clone(),
        linkage_name: None,
        call_file: Ok(caller.file),
        call_line: caller.span.line + 5,
        call_column: 9,
    }
}

/// A variable that is in one register in the first half of the code, and in another in the second.
fn in_registers(
    rng: &mut Rng,
    name: String,
    instance: FunctionInstance,
    (start, end): (u64, u64),
) -> BoundVariable {
    let middle = start + (end - start) / 2;
    let location = |start, end, register: usize| LocationRange {
        start,
        end,
        expression: vec![0x50 + register as u8],
    };
    BoundVariable {
        instance,
        name,
        scope: vec![(start + 4, end)],
        locations: vec![
            location(start + 4, middle, rng.below(16)),
            location(middle, end, rng.below(16)),
        ],
        path: Vec::new(),
        encoding: Encoding::Signed(4),
    }
}
