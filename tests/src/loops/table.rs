//! Sheets that are made from tables: one loop for each way in which C and C++ let a variable change.
//!
//! A row is one line, `before :: variables :: body`: what stands in front of the loop, what is marked in it, and what it does. Beside
//! the rows that are written, [`operators`] makes one for every type, operator, operand, cast and start that it lists.

use super::sheet::{Language, Sheet};
use std::fmt::Write as _;

/// How many passes each loop makes: enough for what is shifted to be gone.
const PASSES: u32 = 70;

/// A loop of a table.
#[derive(Clone, Debug)]
pub struct Row {
    /// What stands in front of the loop.
    pub before: String,
    /// The variables, the one that the loop is about first.
    pub variables: String,
    /// What the loop does.
    pub body: String,
}

/// The rows of a table that is written as text. Lines that begin with `#` are comments.
///
/// # Errors
/// A line that has not three columns.
pub fn written(text: &str) -> Result<Vec<Row>, String> {
    let rows = text.lines().filter(|line| !line.starts_with('#'));
    let row = |line: &str| match line.split(" :: ").collect::<Vec<_>>()[..] {
        [before, variables, body] => Ok(Row {
            before: before.to_owned(),
            variables: variables.to_owned(),
            body: body.to_owned(),
        }),
        _ => Err(format!("no row: '{line}'")),
    };
    rows.map(row).collect()
}

/// The sheet of a table; `head` is what its rows name.
#[must_use]
pub fn sheet(name: &'static str, language: Language, head: &str, rows: &[Row]) -> Sheet {
    let mut text = String::from(head);
    for (number, row) in rows.iter().enumerate() {
        let Row {
            before,
            variables,
            body,
        } = row;
        // Writing to a string does not fail.
        let _ = write!(
            text,
            "void row_{number}(void) {{\n  {before}\n  do {{\n    /* mark: {variables} */\n    {body}\n  }} while (left({PASSES}));\n}}\n"
        );
    }
    // What MPI gives each rank comes first, then the rows.
    text.push_str("int main(int argc, char **argv) {\n  MPI_Init(&argc, &argv);\n  MPI_Comm_rank(MPI_COMM_WORLD, &rank);\n");
    for number in 0..rows.len() {
        let _ = writeln!(text, "  row_{number}();");
    }
    text.push_str("  MPI_Finalize();\n  return 0;\n}\n");
    Sheet::of(name, language, text)
}

/// A type, and the values at which its variables start.
struct VariableType {
    /// How the variable `x` is declared, `START` being its first value.
    declared: &'static str,
    /// What it is called.
    name: &'static str,
    starts: &'static [&'static str],
    /// It has the operators of integers.
    whole: bool,
    /// C++ has `++` and `--` for it.
    steps: bool,
}

const fn whole(declared: &'static str, starts: &'static [&'static str]) -> VariableType {
    VariableType {
        declared,
        name: "x",
        starts,
        whole: true,
        steps: true,
    }
}

const fn floating(declared: &'static str, starts: &'static [&'static str]) -> VariableType {
    VariableType {
        whole: false,
        ..whole(declared, starts)
    }
}

const fn member(declared: &'static str, name: &'static str, starts: &'static [&'static str]) -> VariableType {
    VariableType {
        name,
        ..whole(declared, starts)
    }
}

const COMMON: &[VariableType] = &[
    whole(
        "int x = START;",
        &["0", "1", "2147483600", "-2147483600", "work(0)"],
    ),
    whole("unsigned x = START;", &["0", "1", "4294967290u"]),
    whole("long x = START;", &["0", "1"]),
    whole("unsigned long x = START;", &["0", "3"]),
    whole("long long x = START;", &["1"]),
    whole("short x = START;", &["0", "32760"]),
    whole("unsigned short x = START;", &["0", "65530"]),
    whole("char x = START;", &["0", "120"]),
    whole("signed char x = START;", &["0", "-120"]),
    whole("unsigned char x = START;", &["0", "250"]),
    floating("float x = START;", &["0", "1", "16777210.0f", "1e30f"]),
    floating("double x = START;", &["0", "1", "9007199254740990.0", "1e300"]),
    floating("long double x = START;", &["1"]),
    whole("int8_t x = START;", &["1"]),
    whole("uint16_t x = START;", &["65530"]),
    whole("uint32_t x = START;", &["3", "4294967290u"]),
    whole("size_t x = START;", &["3"]),
    whole("ssize_t x = START;", &["3"]),
    whole("ptrdiff_t x = START;", &["3"]),
    whole("uint x = START;", &["3", "4294967290u"]),
    whole("ushort x = START;", &["65530"]),
    whole("ulong x = START;", &["3"]),
    whole("u_char x = START;", &["250"]),
    whole("u_int16_t x = START;", &["65530"]),
    whole("uint_fast8_t x = START;", &["250"]),
    whole("uint_least16_t x = START;", &["65530"]),
    whole("int_least8_t x = START;", &["120"]),
    whole("mode_t x = START;", &["3"]),
    whole("octet x = START;", &["250"]),
    whole("octets x = START;", &["250"]),
    member("struct fields s; s.three = START;", "s.three", &["1"]),
    member("struct fields s; s.five = START;", "s.five", &["1"]),
    member("struct fields s; s.nine = START;", "s.nine", &["1"]),
    member("struct fields s; s.narrow = START;", "s.narrow", &["250"]),
    member("struct fields s; s.half = START;", "s.half", &["32760"]),
    member("struct pair s; s.a = START;", "s.a", &["0", "2147483600"]),
    member("global_pair.a = START;", "global_pair.a", &["1", "2147483600"]),
    whole("static int x; x = START;", &["1"]),
    member("counter = START;", "counter", &["1", "2147483600"]),
    whole("int n = 3000, x = START;", &["n", "n + rank"]),
];

/// Types that only C, or only C++, has as plain numbers: their values are no others'.
const C_ONLY: &[VariableType] = &[
    whole("_Bool x = START;", &["0"]),
    whole("enum color x = START;", &["RED", "-5"]),
];

const CXX_ONLY: &[VariableType] = &[
    VariableType {
        steps: false,
        ..whole("bool x = START;", &["false"])
    },
    whole("auto x = START;", &["0", "1u", "1ul", "'a'", "(short)32760"]),
    whole("std::uint8_t x = START;", &["250"]),
    whole("std::size_t x = START;", &["3"]),
    whole("my_byte x = START;", &["250"]),
    whole("my_alias x = START;", &["250"]),
    whole("char16_t x = START;", &["65530"]),
    whole("std::int_fast8_t x = START;", &["120"]),
    whole("decltype(spare_octet) x = START;", &["250"]),
];

/// What is done to `X`: any number.
const ANY: &[&str] = &[
    "X += 1;",
    "X -= 1;",
    "X += 2;",
    "X -= 3;",
    "X += -1;",
    "X -= -2;",
    "X += 0;",
    "X += 100;",
    "X += 200;",
    "X += 30000;",
    "X += 70000;",
    "X += 1000000000;",
    "X -= 1000000000;",
    "X += 2147483647;",
    "X += 4000000000u;",
    "X += 4294967295u;",
    "X += 4294967296;",
    "X -= 1u;",
    "X += -1u;",
    "X += 1ul;",
    "X += (char)200;",
    "X += (unsigned char)200;",
    "X += (short)-1;",
    "X += 'a';",
    "X += 1.0;",
    "X += 0.5;",
    "X -= 0.5;",
    "X += 1.5;",
    "X += 0.25f;",
    "X += 1e-9;",
    "X += 3000000000.0;",
    "X += 1e20;",
    "X = X + 1;",
    "X = 1 + X;",
    "X = X - 1;",
    "X = 1 - X;",
    "X = X + 1000000000;",
    "X = X + 0.5;",
    "X = (int)(X + 1);",
    "X = (int)(X + 1000000000);",
    "X = (int)(X + 0.5);",
    "X = (int)X + 1;",
    "X = (unsigned)(X - 1);",
    "X = (unsigned)X + 1000000000;",
    "X = (short)(X + 1);",
    "X = (short)(X + 30000);",
    "X = (short)X + 1;",
    "X = (unsigned short)(X + 30000);",
    "X = (char)(X + 1);",
    "X = (signed char)(X + 100);",
    "X = (unsigned char)(X + 100);",
    "X = (octets)(X + 100);",
    "X = (uint8_t)(X + 100);",
    "X = (long)(X + 1000000000);",
    "X = (long)(int)(X + 1000000000);",
    "X = (float)(X + 1);",
    "X = (float)(X + 1000000);",
    "X = (double)X + 1;",
    "X = (bool)(X + 1);",
    "X *= 2;",
    "X *= 3;",
    "X *= -1;",
    "X *= -2;",
    "X *= 0;",
    "X *= 1;",
    "X *= 65536;",
    "X *= 0.5;",
    "X *= 1.5;",
    "X = 2 * X;",
    "X = X * 2 + 1;",
    "X = 3 * X + 1;",
    "X = 3 * X - 1;",
    "X = X * X;",
    "X /= 2;",
    "X /= 3;",
    "X /= -2;",
    "X /= 1.5;",
    "X = X / 2;",
    "X = 2 / (X + 2 * !X);",
    "X = -X;",
    "X = -X + 1;",
    "X = +X + 1;",
    "X = !X;",
    "X = X ? X + 1 : 1;",
    "X = X < 20 ? X + 1 : 0;",
    "X = X == 7;",
    "X = X && 1;",
    "X = (peek(), X + 1);",
    "X = X;",
    "X += X;",
    "X -= X;",
    "X = X + X;",
    "int t = X + 1; X = t;",
    "short t = X + 30000; X = t;",
    "signed char t = X + 100; X = t;",
    "unsigned char t = X + 100; X = t;",
    "long t = X + 1000000000; X = t;",
    "unsigned t = X; t += 1000000000; X = t;",
    "float t = X + 1000000; X = t;",
    "double t = X + 0.5; X = t;",
    "int t = X; X = t + 1;",
    "short t = X; X = t + 1;",
    "X = next(X);",
    "X = next_short(X);",
    "X = far(X);",
    "X += rank;",
    "X -= rank;",
    "X = X + rank;",
    "X = X - (1 + rank);",
    "int step = 1000000000; X += step;",
    "unsigned step = 1; X -= step;",
    "unsigned char step = 200; X += step;",
    "X += sizeof(int);",
    "X += work(1);",
    "X = work(0);",
    "X += 1; X -= 2;",
    "X += 3; if (coin(rank, 1)) X -= 1;",
    "if (coin(rank, 1)) X += 1;",
    "if (coin(0, 1)) X += 1; else X += 2;",
    "peek(); for (int k = 0; k < 3; k++) X += 1000000000 / 3;",
];

/// What is done to whole numbers alone.
const WHOLE: &[&str] = &[
    "X <<= 1;",
    "X <<= 4;",
    "X = X << 1;",
    "X = X << 1 | 1;",
    "X >>= 1;",
    "X = X >> 1;",
    "X %= 3;",
    "X = (X + 1) % 7;",
    "X &= 6;",
    "X = (X + 1) & 7;",
    "X |= 8;",
    "X = X | (X + 1);",
    "X ^= 5;",
    "X = ~X;",
    "X = -~X;",
    "X = ~-X;",
    "X -= ~0;",
    "X += ~0u;",
];

const STEPS: &[&str] = &[
    "X++;",
    "X--;",
    "++X;",
    "--X;",
    "X++; X++;",
    "X++, X++;",
    "(X)++;",
    "X = (X++, X);",
];

/// One loop for each of the types with each of its operators, operands and starts.
#[must_use]
pub fn operators(language: Language) -> Vec<Row> {
    let own = match language {
        Language::C => C_ONLY,
        Language::Cxx => CXX_ONLY,
    };
    let mut rows = Vec::new();
    for kind in COMMON.iter().chain(own) {
        let mut bodies = ANY.to_vec();
        if kind.whole {
            bodies.extend(WHOLE);
        }
        if kind.steps {
            bodies.extend(STEPS);
        }
        for start in kind.starts {
            for body in &bodies {
                rows.push(Row {
                    before: kind.declared.replace("START", start),
                    variables: kind.name.to_owned(),
                    body: body.replace('X', kind.name),
                });
            }
        }
    }
    rows
}
