//! Rows that no compiler hands over: whatever they are, functions come of them that every later pass can read.

use base::{Id as _, IdVec, Random};
use gcc_trees::{Code, Compilation, FunctionTree, Place, Row, RowId, Rows, Traits, TypeId, TypeRow};
use ir::{Language, packed};
use std::sync::Arc;

const NAMES: [&str; 9] = [
    "",
    "i",
    "MPI_Send",
    "mpi_send",
    "operator()",
    "__closure",
    "f",
    "~A",
    "x",
];
const SCOPES: [&str; 4] = ["", "a", "a::B", "std"];

fn text(_: &str) -> Option<Vec<u8>> {
    Some(
        b"int f(int i)\n{\n    for (i = 0; i < 3; i++) { g(&i); }\n    return *i ? i : [&i] { i++; }();\n}\n"
            .to_vec(),
    )
}

fn place(random: &mut Random) -> Place {
    let mut position = || (random.below(7) as u32, random.below(40) as u32);
    let (caret, start, last) = (position(), position(), position());
    Place {
        file: 0,
        caret,
        start,
        last,
        in_macro: random.below(9) == 0,
    }
}

fn traits(random: &mut Random) -> Traits {
    let mut rarely = || random.below(6) == 0;
    Traits {
        is_static: rarely(),
        is_external: rarely(),
        is_public: rarely(),
        address_taken: rarely(),
        is_artificial: rarely(),
        at_file_scope: rarely(),
        is_bit_field: rarely(),
        has_cleanup: rarely(),
        is_constructor: rarely(),
        is_alias: rarely(),
        is_nested: rarely(),
        is_method: rarely(),
        is_standard: rarely(),
        is_virtual: rarely(),
        constructs: rarely(),
        is_for_exceptions: rarely(),
        is_outer: rarely(),
        stands_for: rarely(),
    }
}

/// Rows of any codes, each with operands among those before it.
fn rows(random: &mut Random) -> Rows<'static> {
    let code = |random: &mut Random| Code::ALL[random.below(Code::ALL.len())];
    let mut types: IdVec<TypeId, TypeRow<'static>> = IdVec::new();
    for at in 0..12 {
        types.push(TypeRow {
            code: code(random),
            is_unsigned: random.below(2) == 0,
            is_const: random.below(2) == 0,
            is_atomic: random.below(9) == 0,
            bits: [1, 8, 32, 64, 128][random.below(5)],
            inner: (at > 0 && random.below(2) == 0).then(|| TypeId::from_index(random.below(at))),
            size: [None, Some(0), Some(4)][random.below(3)],
            class: NAMES[random.below(NAMES.len())],
        });
    }
    let mut rows: IdVec<RowId, Row<'static>> = IdVec::new();
    let mut operands = Vec::new();
    for at in 0..10 + random.below(90) {
        let first = operands.len();
        for _ in 0..random.below(5) {
            // Most of them near, so that trees are deep.
            let farthest = if random.below(4) == 0 { at + 1 } else { 4 };
            let back = 1 + random.below(farthest);
            operands.push(at.checked_sub(back).map(RowId::from_index));
        }
        rows.push(Row {
            code: code(random),
            traits: traits(random),
            ty: (random.below(4) > 0).then(|| TypeId::from_index(random.below(types.len()))),
            place: (random.below(3) > 0).then(|| place(random)),
            operands: first..operands.len(),
            value: [None, Some(0), Some(1), Some(-1), Some(i64::MIN), Some(i64::MAX)][random.below(6)],
            name: NAMES[random.below(NAMES.len())],
            scope: SCOPES[random.below(SCOPES.len())],
        });
    }
    let files = Arc::new(vec!["/a.c".to_owned()]);
    Rows::new(rows, operands, types, files).expect("operands stand before what they are operands of")
}

#[test]
fn give_functions() {
    const SEED: u64 = 26;
    let mut random = Random(SEED);
    for run in 0..2_000 {
        let language = Language::ALL[run % Language::ALL.len()];
        let rows = rows(&mut random);
        let count = (0..).take_while(|&at| rows.has(RowId::from_index(at))).count();
        let mut any = || RowId::from_index(random.below(count));
        let tree = FunctionTree {
            declaration: any(),
            body: Some(any()),
            returns: None,
            parameters: vec![any(), any()],
            end: (5, 1),
        };
        let (variable, initial) = (any(), any());
        let mut compilation = Compilation::new(text, language);
        compilation.function(&rows, &tree);
        compilation.variable(&rows, variable, Some(initial));
        compilation.declared(&rows, variable);
        compilation.members(&rows, &[variable, initial], false, None);
        for unit in compilation.finish() {
            let read = packed::unpack(&packed::pack(&unit))
                .unwrap_or_else(|error| panic!("seed {SEED}, run {run}, {language:?}: {error}"));
            assert_eq!(
                read.functions.len(),
                unit.functions.len(),
                "seed {SEED}, run {run}"
            );
        }
    }
}
