//! Programs from a seed that write down what they do themselves.
//!
//! Each function notes its number when it begins and 0 when it ends, in a log of its thread. The two notes stand directly behind the hook of the entry and in front of that of the exit, so the
//! log is the sequence of events, by other means: no address, no shadow, no code.

use std::fmt::Write;

/// SplitMix64.
pub struct Rng(pub u64);

impl Rng {
    fn bits(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        z ^ (z >> 31)
    }

    pub fn below(&mut self, bound: u64) -> u64 {
        self.bits() % bound
    }
}

/// How functions are left other than by their end.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Leaving {
    /// By `longjmp`, in C.
    Jumps,
    /// By exceptions, in C++.
    Exceptions,
}

/// Functions of a program. They are called `f1` and so on.
const FUNCTIONS: u64 = 14;

/// What all programs begin with.
const HEAD: &str = include_str!("head.h");

/// The text of a program.
pub fn program(seed: u64, leaving: Leaving) -> String {
    let mut rng = Rng(seed);
    let mut text = String::from(HEAD);
    let extern_c = match leaving {
        Leaving::Jumps => "",
        Leaving::Exceptions => "extern \"C\" ",
    };
    for function in 1..=FUNCTIONS {
        let _ = writeln!(text, "{extern_c}long f{function}(struct state *s, int depth);");
    }
    for function in 1..=FUNCTIONS {
        define(&mut text, &mut rng, function, leaving, extern_c);
    }
    text.push_str(include_str!("tail.h"));
    text
}

fn define(text: &mut String, rng: &mut Rng, function: u64, leaving: Leaving, extern_c: &str) {
    // Arrays give functions frames of different sizes; a static one may be inlined.
    let size = 1 + rng.below(40);
    let inlined = match rng.below(3) {
        0 => "__attribute__((noinline)) ",
        _ => "",
    };
    let _ = writeln!(
        text,
        "{inlined}{extern_c}long f{function}(struct state *s, int depth)\n{{"
    );
    let _ = match leaving {
        Leaving::Jumps => writeln!(text, "    note(s, {function});"),
        Leaving::Exceptions => writeln!(text, "    Noted noted(s, {function});"),
    };
    let _ = writeln!(
        text,
        "    volatile long memory[{size}];\n    memory[0] = depth;\n    long sum = depth;\n    if (spend(s) && depth < 40) {{"
    );
    for _ in 0..1 + rng.below(4) {
        let callee = 1 + rng.below(FUNCTIONS);
        let call = format!("sum += f{callee}(s, depth + 1);");
        let statement = match (rng.below(5), leaving) {
            (0, _) => format!("for (long i = draw(s) % {}; i > 0; i--) {call}", 2 + rng.below(5)),
            (1, _) => format!("if (draw(s) % 3) {call}"),
            (2, Leaving::Jumps) => format!("CATCHING({call})"),
            (2, Leaving::Exceptions) => format!("try {{ Held held(s); {call} }} catch (int) {{ sum++; }}"),
            (3, Leaving::Jumps) => "if (s->top && draw(s) % 4 == 0) longjmp(*s->top, 1);".to_owned(),
            (3, Leaving::Exceptions) => format!("Held held{}(s); if (draw(s) % 4 == 0) throw 1;", text.len()),
            _ => call,
        };
        let _ = writeln!(text, "        {statement}");
    }
    let _ = writeln!(text, "    }}\n    sum += memory[0];");
    if leaving == Leaving::Jumps {
        text.push_str("    note(s, 0);\n");
    }
    text.push_str("    return sum;\n}\n");
}
