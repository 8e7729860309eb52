//! Any bytes give a unit or an error that names a place; nothing panics through, nothing runs for ever.

use exact::{ExactError, Markers, Preprocessed, parse};

const PROGRAM: &str = "# 1 \"x.c\"\n# 1 \"<built-in>\"\n# 1 \"x.c\"\ntypedef struct s { int a : 3; union { float f; } u; } s;\n\
    enum { A, B = A + 2 };\nint f(s *p, int n) __attribute__((pure));\nint f(s *p, int n) {\n  int k = ({ int y = n; y + B; });\n\
    again: for (int i = 0; i < n; i++) { if (p->a) continue; else k += f(p, i)[\"x\"] ? 1 : 'c'; }\n\
    switch (k) { case 1 ... 3: break; default: goto again; }\n  do k--; while (k > 0);\n  return k;\n}\n";

fn read(text: &[u8]) -> Result<ir::Unit, ExactError> {
    let source = Preprocessed {
        path: "x.c",
        raw: text,
        text,
    };
    parse(&source, &Markers::new(text, "x.c"))
}

#[test]
fn the_whole_program_is_read() {
    let unit = read(PROGRAM.as_bytes()).unwrap();
    assert_eq!(unit.functions.len(), 1);
    let names: Vec<&str> = unit.functions[0]
        .locals
        .iter()
        .map(|local| local.name.as_str())
        .collect();
    assert_eq!(names, ["p", "n", "k", "y", "i"]);
    assert_eq!(unit.functions[0].span.line, 4);
    assert_eq!(unit.members.len(), 3);
}

#[test]
fn every_truncation() {
    for end in 0..PROGRAM.len() {
        match read(&PROGRAM.as_bytes()[..end]) {
            Ok(unit) => assert!(unit.functions.len() <= 1),
            Err(ExactError::Syntax { file, line }) => assert!(!file.is_empty() && line >= 1, "{file}:{line}"),
            Err(other) => panic!("cut at {end}: {other}"),
        }
    }
}

#[test]
fn changed_bytes() {
    let mut state = 7_u64;
    let mut next = |below: usize| {
        state = state
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        (state >> 33) as usize % below
    };
    for round in 0..1_000 {
        let mut text = PROGRAM.as_bytes().to_vec();
        for _ in 0..1 + next(4) {
            let at = next(text.len());
            text[at] = match next(3) {
                0 => b"(){};\"'#\n\\*"[next(11)],
                1 => u8::try_from(next(256)).unwrap_or_default(),
                _ => text[next(text.len())],
            };
        }
        if let Err(ExactError::Failed) = read(&text) {
            panic!("round {round}: {}", String::from_utf8_lossy(&text));
        }
    }
}

#[test]
fn deep_nesting() {
    let nested = |depth: usize| {
        format!(
            "int f(int n) {{ return {}n{}; }}",
            "(".repeat(depth),
            ")".repeat(depth)
        )
    };
    assert!(read(nested(200).as_bytes()).is_ok());
    assert_eq!(
        read(nested(100_000).as_bytes()).unwrap_err(),
        ExactError::TooLarge("nested too deeply")
    );
    let chain = format!("int f(int n) {{ return {}n; }}", "!".repeat(20_000));
    // Read or refused, but the process goes on.
    let _ = read(chain.as_bytes());
    let elses = format!("int f(int n) {{ {} ; }}", "if (n) n = 1; else ".repeat(5_000));
    let _ = read(elses.as_bytes());
}
