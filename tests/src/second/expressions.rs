//! Random C expressions of all operators, written with few parentheses: what binds how is where parsers err.

use crate::oracle::rng::Rng;
use std::fmt::Write;

/// A program with `statements` random expression statements. It compiles, and is not meant to be run.
pub fn program(seed: u64, statements: usize) -> String {
    let mut rng = Rng::new(seed);
    let mut text = String::from(
        "struct s { int x; struct s *next; int v[4]; };\nint f(int);\nint h(int, int);\n\
         void g(int a, int b, int c, long n, unsigned u, int *p, struct s *q, struct s t, int (*k)(int)) {\n",
    );
    for _ in 0..statements {
        let value = match rng.below(4) {
            0 => assignment(&mut rng, 4),
            1 => format!("f({})", expression(&mut rng, 4, ASSIGNMENT)),
            2 => format!(
                "if ({}) n = {}",
                expression(&mut rng, 4, COMMA),
                expression(&mut rng, 3, ASSIGNMENT)
            ),
            _ => expression(&mut rng, 5, COMMA),
        };
        // Writing to a string does not fail.
        let _ = writeln!(text, "  {value};");
    }
    text.push_str("}\n");
    text
}

/// Binding, weakest first (C11 6.5).
const COMMA: usize = 0;
const ASSIGNMENT: usize = 1;
const CONDITIONAL: usize = 2;
const OR: usize = 3;
const CAST: usize = 13;
const UNARY: usize = 14;
const POSTFIX: usize = 15;
const PRIMARY: usize = 16;

const BINARY: [(&str, usize); 18] = [
    ("||", OR),
    ("&&", 4),
    ("|", 5),
    ("^", 6),
    ("&", 7),
    ("==", 8),
    ("!=", 8),
    ("<", 9),
    (">", 9),
    ("<=", 9),
    (">=", 9),
    ("<<", 10),
    (">>", 10),
    ("+", 11),
    ("-", 11),
    ("*", 12),
    ("/", 12),
    ("%", 12),
];

fn pick<'t>(rng: &mut Rng, from: &[&'t str]) -> &'t str {
    from[rng.below(from.len())]
}

/// An expression that binds at least as closely as `least`.
fn expression(rng: &mut Rng, depth: usize, least: usize) -> String {
    let (text, binds) = any(rng, depth);
    if binds < least || rng.chance(6) {
        return format!("({text})");
    }
    text
}

/// An expression and how closely it binds.
fn any(rng: &mut Rng, depth: usize) -> (String, usize) {
    if depth == 0 {
        return (
            pick(rng, &["a", "b", "c", "7", "0x1f", "'x'", "u", "n"]).to_owned(),
            PRIMARY,
        );
    }
    let inner = depth - 1;
    match rng.below(13) {
        0 => {
            let left = expression(rng, inner, COMMA);
            (format!("{left}, {}", expression(rng, inner, ASSIGNMENT)), COMMA)
        }
        1 => (assignment(rng, inner), ASSIGNMENT),
        2 => {
            let condition = expression(rng, inner, OR);
            let then = expression(rng, inner, COMMA);
            let other = expression(rng, inner, CONDITIONAL);
            (format!("{condition} ? {then} : {other}"), CONDITIONAL)
        }
        3..=6 => {
            let (operator, binds) = BINARY[rng.below(BINARY.len())];
            let left = expression(rng, inner, binds);
            let right = expression(rng, inner, binds + 1);
            // Without a blank, `a - -b` would be something else.
            (format!("{left} {operator} {right}"), binds)
        }
        7 => {
            let ty = pick(
                rng,
                &["int", "long", "unsigned", "char", "double", "unsigned long"],
            );
            (format!("({ty}){}", expression(rng, inner, CAST)), CAST)
        }
        8 => {
            let operator = pick(rng, &["-", "!", "~", "+"]);
            let mut operand = expression(rng, inner, CAST);
            // `+7` may count as a number.
            if operator == "+" && operand.starts_with(|c: char| c.is_ascii_digit() || c == '\'') {
                operand = format!("({operand})");
            }
            let apart = if operand.starts_with(operator) { " " } else { "" };
            // Only numbers have a complement.
            let operand = if operator == "~" {
                format!("(int)({operand})")
            } else {
                operand
            };
            (format!("{operator}{apart}{operand}"), UNARY)
        }
        9 => {
            let place = place(rng, inner);
            match rng.below(3) {
                0 => (format!("{}{place}", pick(rng, &["++", "--"])), UNARY),
                1 => (format!("*&{place}"), UNARY),
                _ => (format!("sizeof {place}"), UNARY),
            }
        }
        10 => (
            format!("{}{}", place(rng, inner), pick(rng, &["++", "--"])),
            POSTFIX,
        ),
        11 => {
            let callee = pick(rng, &["f", "k", "(*k)"]);
            (
                format!("{callee}({})", expression(rng, inner, ASSIGNMENT)),
                POSTFIX,
            )
        }
        _ => (place(rng, inner), POSTFIX),
    }
}

/// Something that may be assigned to, as a postfix expression.
fn place(rng: &mut Rng, depth: usize) -> String {
    if depth == 0 {
        return pick(rng, &["a", "b", "c"]).to_owned();
    }
    let inner = depth - 1;
    match rng.below(7) {
        0 => format!("p[(int)({})]", expression(rng, inner, COMMA)),
        1 => "q->x".to_owned(),
        2 => "t.x".to_owned(),
        3 => format!("q->next->v[(int)({})]", expression(rng, inner, COMMA)),
        4 => "(*p)".to_owned(),
        5 => "p[1]".to_owned(),
        _ => pick(rng, &["a", "b", "c"]).to_owned(),
    }
}

fn assignment(rng: &mut Rng, depth: usize) -> String {
    let operator = pick(rng, &["=", "+=", "-=", "*=", "<<=", "|=", "%="]);
    let target = match rng.below(4) {
        0 => format!("*p{}", pick(rng, &["++", "--", ""])),
        _ => place(rng, depth.min(2)),
    };
    let value = expression(rng, depth.saturating_sub(1), ASSIGNMENT);
    match operator {
        "=" | "+=" | "-=" | "*=" => format!("{target} {operator} {value}"),
        _ => format!("{target} {operator} (int)({value})"),
    }
}
