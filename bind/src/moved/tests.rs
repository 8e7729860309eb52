//! Where a variable of one small loop is believed, by what its location says and what the compiler may have done.

use super::*;
use base::{IdVec, Span};
use progress_map::generate::{self, bare_function};
use progress_map::{BoundFunction, Encoding, Loop, LoopSource, Point, PointKind, Row, ScopeId, Storage};

fn span(line: u32) -> Span {
    Span {
        line,
        column: 3,
        end_line: line,
        end_column: 9,
    }
}

/// `while (…/* 2 */) { a(); /* 3 */ i++; /* 4 */ b(); /* 5 */ }`, sixteen bytes of code for each line.
pub(crate) fn program(optimised: bool, expression: &[u8], always: bool) -> (Map, Binding) {
    let map = Map {
        functions: vec![counting()].into(),
        ..Map::default()
    };
    let location = LocationRange {
        start: if always { 0 } else { 32 },
        end: if always { u64::MAX } else { 96 },
        expression: expression.to_vec(),
    };
    (map, build(optimised, location))
}

/// The function as the map has it.
fn counting() -> Function {
    let call = |name: &str| PointKind::Call(name.to_owned());
    let kinds = [
        (PointKind::Entry, 1),
        (PointKind::Branch, 2),
        (call("a"), 3),
        (PointKind::Eval, 4),
        (call("b"), 5),
        (PointKind::Exit, 9),
    ];
    let mut points = IdVec::new();
    for (at, (kind, line)) in kinds.into_iter().enumerate() {
        points.push(Point {
            kind,
            span: span(line),
            scope: ScopeId::from_index(0),
            innermost_loop: (1..5).contains(&at).then(|| LoopId::from_index(0)),
            unsequenced: Vec::new(),
        });
    }
    let edges = [(0, 1), (1, 2), (1, 5), (2, 3), (3, 4), (4, 1)];
    let lov = Lov {
        storage: Storage::Global { name: "i".to_owned() },
        updates: vec![PointId::from_index(3)],
        step: None,
        start: None,
        ..generate::lov("i")
    };
    let only_loop = Loop {
        parent: None,
        source: LoopSource::While,
        span: span(2),
        header: PointId::from_index(1),
        reducible: true,
        lovs: vec![lov],
        refused: Vec::new(),
    };
    Function {
        points,
        edges: edges
            .map(|(a, b)| (PointId::from_index(a), PointId::from_index(b)))
            .to_vec(),
        loops: vec![only_loop].into(),
        ..bare_function("f", Id::from_index(0), span(1))
    }
}

/// Its code, with one location of `i`.
fn build(optimised: bool, location: LocationRange) -> Binding {
    let row = |line: u32| Row {
        start: u64::from(line) * 16,
        end: u64::from(line) * 16 + 16,
        file: Ok(Id::from_index(0)),
        line,
        column: 3,
        statement: true,
    };
    Binding {
        rows: (1..=5).map(row).collect(),
        functions: vec![BoundFunction {
            start: 16,
            end: 96,
            function: Some(Id::from_index(0)),
            name: "f".to_owned(),
            linkage_name: None,
            frame_base: Vec::new(),
            optimised,
        }],
        variables: vec![BoundVariable {
            instance: FunctionInstance::Concrete(0),
            name: "i".to_owned(),
            scope: Vec::new(),
            locations: vec![location],
            path: Vec::new(),
            encoding: Encoding::Signed(4),
        }],
        ..Binding::default()
    }
}

/// Where the variable can still be read.
fn left(optimised: bool, expression: &[u8], always: bool) -> Vec<(u64, u64)> {
    left_by(false, optimised, expression, always)
}

fn left_by(only_gcc: bool, optimised: bool, expression: &[u8], always: bool) -> Vec<(u64, u64)> {
    let (map, mut binding) = program(optimised, expression, always);
    let changed = withhold(
        &map,
        &mut binding,
        if only_gcc { Compiler::Gcc } else { Compiler::Other },
        &[],
    );
    let ranges = binding.variables[0]
        .locations
        .iter()
        .map(|range| (range.start, range.end));
    let ranges = Vec::from_iter(ranges);
    assert_eq!(changed == 0, ranges.len() == 1 && ranges[0].1 >= 96, "{ranges:?}");
    ranges
}

#[test]
fn what_is_behind_a_pointer_is_believed_at_barriers() {
    let behind = |barriers: &[u64]| {
        let (map, mut binding) = program(true, REGISTER, false);
        binding.variables[0].path = vec![PathStep::Deref];
        withhold(&map, &mut binding, Compiler::Other, barriers);
        let ranges = binding.variables[0].locations.iter();
        Vec::from_iter(ranges.map(|range| (range.start, range.end)))
    };
    assert_eq!(behind(&[]), [(32, 64)]);
    // In front of the update it is known anyway; outside of the code of the variable nothing is.
    assert_eq!(behind(&[20, 40, 90, 97, 200]), [(32, 64), (89, 90)]);
    // A register that holds the number itself may be behind the source.
    let (map, mut binding) = program(true, REGISTER, false);
    withhold(&map, &mut binding, Compiler::Other, &[90]);
    assert_eq!(binding.variables[0].locations[0].end, 64);
    assert_eq!(binding.variables[0].locations.len(), 1);
}

#[test]
fn what_another_compiler_says_behind_the_loop_is_not_believed() {
    // `c();` in line 6 is behind the loop.
    let left = |compiler: Compiler, line: u32| {
        let (mut map, mut binding) = program(true, REGISTER, false);
        let behind = &mut map.functions[FunctionId::from_index(0)].points[PointId::from_index(5)];
        (behind.kind, behind.span) = (PointKind::Call("c".to_owned()), span(6));
        let last = binding.rows[4];
        binding.rows.push(Row {
            start: 96,
            end: 112,
            line,
            ..last
        });
        binding.functions[0].end = 112;
        binding.variables[0].locations[0].end = 112;
        withhold(&map, &mut binding, compiler, &[]);
        let ranges = binding.variables[0].locations.iter();
        Vec::from_iter(ranges.map(|range| (range.start, range.end)))
    };
    assert_eq!(left(Compiler::Other, 6), [(32, 64)]);
    // A copy of what the loop begins with is not behind it.
    assert_eq!(left(Compiler::Other, 3), [(32, 64), (96, 112)]);
    assert_eq!(left(Compiler::Gcc, 6), [(32, 112)]);
}

#[test]
fn a_pointer_to_the_variable_may_be_constant() {
    // DW_OP_addr 0x1000, DW_OP_stack_value: the address of a static object, handed to an inlined function.
    let address = [&[0x03][..], &0x1000u64.to_le_bytes(), &[0x9f]].concat();
    let (map, mut binding) = program(true, &address, false);
    binding.variables[0].path = vec![PathStep::Deref, PathStep::Offset(8)];
    assert_eq!(withhold(&map, &mut binding, Compiler::Gcc, &[]), 0);
    let (map, mut binding) = program(true, &address, false);
    assert_eq!(withhold(&map, &mut binding, Compiler::Gcc, &[]), 1);
}

/// DW_OP_breg6 -20: memory for a part of the function.
const MEMORY_OF_LIST: &[u8] = &[0x76, 0x6c];
/// DW_OP_reg3; DW_OP_fbreg -20; DW_OP_lit0, DW_OP_stack_value.
const REGISTER: &[u8] = &[0x53];
const MEMORY: &[u8] = &[0x91, 0x6c];
const CONSTANT: &[u8] = &[0x30, 0x9f];

#[test]
fn a_register_is_believed_up_to_the_update() {
    assert_eq!(left(true, REGISTER, false), [(32, 64)]);
    assert_eq!(left(false, REGISTER, false), [(32, 96)]);
    // gcc's single update may be sunk, but its code stands in front of the call.
    assert_eq!(left_by(true, true, REGISTER, false), [(32, 96)]);
    assert_eq!(left_by(true, true, CONSTANT, false), []);
}

#[test]
fn a_single_update_of_gcc_that_was_sunk_hides_its_register() {
    let sunk = |expression: &[u8]| {
        let (map, mut binding) = program(true, expression, false);
        // The call of `b` comes first, then `i++`.
        (binding.rows[3].line, binding.rows[4].line) = (5, 4);
        withhold(&map, &mut binding, Compiler::Gcc, &[]);
        let ranges = binding.variables[0].locations.iter();
        Vec::from_iter(ranges.map(|range| (range.start, range.end)))
    };
    assert_eq!(sunk(REGISTER), [(32, 64)]);
    // gcc knows: DW_OP_breg3 1, DW_OP_stack_value.
    assert_eq!(sunk(&[0x73, 0x01, 0x9f]), [(32, 96)]);
    // The update is in no line of its own.
    let (map, mut binding) = program(true, REGISTER, false);
    binding.rows[3].line = 3;
    withhold(&map, &mut binding, Compiler::Gcc, &[]);
    let ranges = binding.variables[0].locations.iter();
    assert_eq!(
        Vec::from_iter(ranges.map(|range| (range.start, range.end))),
        [(32, 80)]
    );
}

#[test]
fn what_gcc_computes_is_not_believed_where_the_update_has_no_code() {
    // DW_OP_lit3, DW_OP_breg12 0, DW_OP_minus, DW_OP_stack_value.
    let counts_down = [0x33, 0x7c, 0, 0x1c, 0x9f];
    let (map, mut binding) = program(true, &counts_down, false);
    binding.rows[3].line = 3;
    let mut at_two = binding.clone();
    assert_eq!(withhold(&map, &mut at_two, Compiler::GccAtTwo, &[]), 0);
    withhold(&map, &mut binding, Compiler::Gcc, &[]);
    assert_eq!(binding.variables[0].locations, []);
    // Of two updates one has no code.
    let (mut map, binding) = program(true, &counts_down, false);
    map.functions[FunctionId::from_index(0)].loops[LoopId::from_index(0)].lovs[0]
        .updates
        .push(PointId::from_index(4));
    let left = |mut binding: Binding| {
        withhold(&map, &mut binding, Compiler::Gcc, &[]);
        binding.variables[0].locations.len()
    };
    assert_eq!(left(binding.clone()), 1);
    let mut without = binding;
    without.rows[4].line = 3;
    assert_eq!(left(without), 0);
    // At -O2, too.
    assert_eq!(withhold(&map, &mut at_two.clone(), Compiler::GccAtTwo, &[]), 1);
}

#[test]
fn what_is_computed_from_memory_is_not_believed() {
    // DW_OP_fbreg -20, DW_OP_deref_size 4, DW_OP_lit2, DW_OP_minus, DW_OP_stack_value.
    assert_eq!(
        left_by(true, true, &[0x91, 0x6c, 0x94, 4, 0x32, 0x1c, 0x9f], false),
        []
    );
}

#[test]
fn a_call_with_the_update_in_its_arguments_shows_the_old_value() {
    let (mut map, mut binding) = program(true, MEMORY_OF_LIST, false);
    // `b(i++)`.
    let function = &mut map.functions[FunctionId::from_index(0)];
    function.points[PointId::from_index(3)].span = Span {
        column: 5,
        end_column: 8,
        ..span(5)
    };
    binding.rows[3].line = 5;
    withhold(&map, &mut binding, Compiler::Gcc, &[]);
    let ranges = binding.variables[0].locations.iter();
    assert_eq!(
        Vec::from_iter(ranges.map(|range| (range.start, range.end))),
        [(32, 64)]
    );
}

#[test]
fn memory_is_believed_and_constants_are_not() {
    assert_eq!(left(true, MEMORY, true), [(0, u64::MAX)]);
    assert_eq!(left(true, CONSTANT, false), []);
    assert_eq!(left(true, CONSTANT, true), []);
    assert_eq!(left(false, CONSTANT, true), [(0, u64::MAX)]);
}
