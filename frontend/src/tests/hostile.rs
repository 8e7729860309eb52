//! Input that is no C: any bytes must give a unit, soon, on a small stack.

use crate::{Macros, Source, parse};
use base::{Cause, Confidence, Doubt};
use ir::Unit;
use std::time::{Duration, Instant};

const SEED: u64 = 0x9e37_79b9_7f4a_7c15;

/// Random numbers that are the same in every run.
pub struct XorShift(pub u64);

impl XorShift {
    pub fn next(&mut self) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0
    }

    /// One that is less than `end`.
    pub fn below(&mut self, end: usize) -> usize {
        (self.next() % end.max(1) as u64) as usize
    }
}

const SNIPPETS: [&str; 4] = [
    "#define F(x, ...) do { x(__VA_ARGS__); } while (0)\n#define EACH(i) for (i = 0; i < 3; i++)\n\
     int f(int a) { int i; EACH(i) { F(g, i, a##b); } switch (a) { case 1: { default: h(); } } return a ? a : 2; }\n",
    "#ifdef A\n#if 0\n#else\nstatic int t[] = { 1, 2, [4] = 3 };\n#endif\n#endif\nint k(a) char *a; {\n#if X\n a++;\n\
     #elif Y\n a--;\n#endif\n return *a; }\n",
    "typedef struct s { int n; struct s *next; } S; int w(S *p) { while (p) { p = p->next; if (!p) goto out; }\n\
     out: return ({ int q = 1; q; }) + sizeof(S); }\n",
    "#define A B\n#define B A(\n#define C(x) #x x##x C(x)\nint m(void) { A; B C(1) C(C(C(2))); __asm__(\"x\" : \"=r\"(y)); }\n",
];

fn read(text: &[u8]) -> Unit {
    read_as("x.cc", text);
    read_as("x.c", text)
}

fn read_as(path: &str, text: &[u8]) -> Unit {
    let source = Source { path, text };
    // A wide margin: the machine may be busy with other tests. Quadratic time on these inputs would be minutes.
    let begun = Instant::now();
    let unit = parse(&source, &Macros::gather([source]));
    let took = begun.elapsed();
    assert!(
        took < Duration::from_secs(60),
        "{} bytes took {took:?}",
        text.len()
    );
    super::packed::check_packing(&unit);
    for function in &unit.functions {
        assert!(function.params <= function.locals.len());
        assert_eq!(
            function.confidence == Confidence::Clean,
            function.confidence_reason.is_none()
        );
    }
    unit
}

#[test]
fn mutated_and_truncated_snippets() {
    println!("seed {SEED:#x}");
    let mut random = XorShift(SEED);
    let whole = SNIPPETS.concat().into_bytes();
    for _ in 0..600 {
        let mut text = whole.clone();
        for _ in 0..1 + random.below(8) {
            let (at, len) = (random.below(text.len()), random.below(40));
            match random.below(4) {
                0 => text.truncate(at),
                1 => text[at..]
                    .iter_mut()
                    .take(1)
                    .for_each(|b| *b = random.next() as u8),
                2 => drop(text.drain(at..(at + len).min(whole.len()).min(text.len()).max(at))),
                _ => {
                    let from = random.below(whole.len() - len);
                    text.splice(at..at, whole[from..from + len].iter().copied());
                }
            }
            if text.is_empty() {
                text.push(b'\n');
            }
        }
        read(&text);
    }
}

#[test]
fn random_bytes() {
    let mut random = XorShift(SEED);
    for len in [0, 1, 2, 17, 400, 3000] {
        for _ in 0..20 {
            let bytes: Vec<u8> = (0..len).map(|_| random.next() as u8).collect();
            read(&bytes);
            let letters = b"(){}[];,#\n\"'\\*&=+-<>?:.aif 0\xff";
            let text: Vec<u8> = (0..len).map(|_| letters[random.below(letters.len())]).collect();
            read(&text);
        }
    }
}

#[test]
fn nesting_without_end() {
    let patterns = [
        ("(", ")"),
        ("{", "}"),
        ("[", "]"),
        ("-", ""),
        ("!", ""),
        ("if (a) ", ""),
        ("a ? b : ", ""),
        ("f(", ")"),
        ("a = ", ""),
        ("x + ", ""),
        ("else if (a) {} ", ""),
        ("#if A\n", "#endif\n"),
        ("extern \"C\" {", "}"),
        ("*", ""),
        ("(int) ", ""),
        ("x.", ""),
        ("({", "})"),
        ("int f(", ")"),
        ("struct {", "}"),
        ("a,", ""),
        ("for (;;) ", ""),
        ("do ", " while (0);"),
        ("case 1: ", ""),
        ("l: ", ""),
        ("x[", "]"),
        ("{{1},", "}"),
        ("\"a\" ", ""),
    ];
    for (open, close) in patterns {
        for count in [200, 4_000] {
            let inner = format!("{}1{}", open.repeat(count), close.repeat(count));
            read_as("x.c", format!("int f(void) {{ return {inner}; }}").as_bytes());
            read_as(
                "x.c",
                format!("int f(void) {{ if (a) {{}} {inner}; }}").as_bytes(),
            );
            read_as("x.c", format!("int x = {inner};").as_bytes());
            read_as("x.c", inner.as_bytes());
            read_as("x.c", open.repeat(count).as_bytes());
        }
    }
}

#[test]
fn deep_nesting_makes_a_partial_function() {
    let text = format!(
        "int f(int x) {{ return {}x{}; }} int g(void) {{ return 1; }}",
        "-(".repeat(2000),
        ")".repeat(2000)
    );
    let unit = read(text.as_bytes());
    let confidence: Vec<_> = unit.functions.iter().map(|f| f.confidence).collect();
    assert_eq!(confidence, [Confidence::Partial, Confidence::Clean]);
    let reason = unit.functions[0].confidence_reason.clone();
    assert_eq!(reason, Some(Doubt::at(Cause::TooDeep, 1)));
}

/// Each is a function of its own, which is lowered while those around it are not done yet.
#[test]
fn lambdas_in_one_another_make_partial_functions() {
    let nested = |depth: usize| {
        let (open, close) = ("[&]{return ".repeat(depth), ";}()".repeat(depth));
        read_as(
            "x.cc",
            format!("int f(int n) {{ return {open}n{close}; }}").as_bytes(),
        )
    };
    let is_clean = |unit: &Unit| unit.functions.iter().all(|f| f.confidence == Confidence::Clean);
    assert!(is_clean(&nested(10)));
    let unit = nested(2000);
    let innermost = unit.functions.iter().filter_map(|f| f.confidence_reason.as_ref());
    assert!(innermost.into_iter().any(|doubt| doubt.cause == Cause::TooDeep));
}

#[test]
fn many_of_everything() {
    let many = |text: &str| text.repeat(5_000);
    read(format!("int f(int x) {{ {} }}", many("x++;")).as_bytes());
    read(
        format!(
            "int f(int x) {{ switch (x) {{ {} }} }}",
            many("case 1: g(); break;")
        )
        .as_bytes(),
    );
    read(format!("int t[] = {{ {} }};", many("1, ")).as_bytes());
    read(format!("#define F(x) x\nint f(int x) {{ {} }}", many("F(x);")).as_bytes());
    read(format!("#define F(x) x\n{}", many("F(")).as_bytes());
    read(many("int v;\n").as_bytes());
    read(many("#define A A B\n").as_bytes());
    read(format!("int f(void) {{ {} }}", many("int a;")).as_bytes());
}
