//! What macros hide, one small file each.

use super::*;
use crate::directive::{Directive, read};
use base::Language;

/// The macros of a few lines, the last of which is in question.
struct Lines(Vec<(Box<[u8]>, Definition)>, bool);

impl<'m> Definitions<'m> for &'m Lines {
    fn of(&self, name: &[u8]) -> Vec<&'m Definition> {
        let named = self.0.iter().filter(|(each, _)| **each == *name);
        named.map(|(_, definition)| definition).collect()
    }

    fn is_own(&self, _: &[u8]) -> bool {
        false
    }

    fn has_references(&self) -> bool {
        self.1
    }
}

fn show(text: &str, references: bool) -> String {
    let lines = text.lines().map(|line| match read(line.as_bytes(), Language::C) {
        Directive::Define(name, definition) => (name, definition),
        other => panic!("{other:?}"),
    });
    let lines = Lines(lines.collect(), references);
    let (name, _) = lines.0.last().expect("a line");
    let hidden = Memory::default().hidden(name, true, &&lines);
    let written: Vec<_> = hidden
        .written
        .iter()
        .map(|name| String::from_utf8_lossy(name))
        .collect();
    let obstacle = match hidden.obstacle {
        None => "",
        Some(Obstacle::Jump) => " hides a jump",
        Some(Obstacle::Write) => " hides an assignment",
        Some(Obstacle::Part) => " hides part of a statement",
    };
    let acts = if hidden.acts { " acts" } else { "" };
    format!(
        "writes [{}] {:?}{acts}{obstacle}",
        written.join(" "),
        hidden.params
    )
}

fn of(text: &str) -> String {
    show(text, false)
}

#[test]
fn what_is_written_is_named() {
    assert_eq!(of("#define M i++"), "writes [i] {} acts");
    assert_eq!(of("#define M --(i)"), "writes [i] {} acts");
    assert_eq!(of("#define M(x) (x)++"), "writes [] {0} acts");
    assert_eq!(of("#define M(x) f(&k)"), "writes [k] {} acts");
    assert_eq!(of("#define M(x) y = x, (z) += 1"), "writes [y z] {} acts");
    assert_eq!(of("#define M(x) a + b * c"), "writes [] {}");
    assert_eq!(
        of("#define M(x) s.n++, p->n++, *q = 1, (*r)++, v[i]++"),
        "writes [] {} acts"
    );
    assert_eq!(
        of("#define M(n) it_##n++"),
        "writes [] {} acts hides an assignment"
    );
    assert_eq!(
        of("#define M(x) Rows(x) = 3"),
        "writes [] {} acts hides an assignment"
    );
    assert_eq!(
        of("#define M(x) asm(\"inc %0\" : \"+r\"(i))"),
        "writes [] {} acts hides an assignment"
    );
}

#[test]
fn its_own_variables_end_with_their_block() {
    assert_eq!(
        of("#define M(x) do { int e = (x), k; k = e; e++; } while (0)"),
        "writes [] {} acts"
    );
    assert_eq!(
        of("#define M(x) do { { T e; } e++; } while (0)"),
        "writes [e] {} acts"
    );
    assert_eq!(
        of("#define M(x) do { int b[3], c[3]; b[0] = 1; c[1] = 2; } while (0)"),
        "writes [] {} acts"
    );
    // A product is no declaration, and neither is an assignment behind a macro that leaves nothing.
    assert_eq!(
        of("#define M do { t = a * b; b = 2; } while (0)"),
        "writes [b t] {} acts"
    );
    assert_eq!(
        of("#define NO\n#define M do { NO i = 2; } while (0)"),
        "writes [i] {} acts"
    );
    assert_eq!(
        of("#define M do { for (int i = 0; i < 3; i++) f(i); i = 1; } while (0)"),
        "writes [i] {} acts"
    );
    assert_eq!(
        of("#define M(x) T e = x; f(e)"),
        "writes [e] {} acts hides part of a statement"
    );
}

#[test]
fn macros_within_macros_count() {
    let step = "#define STEP(a, b) (a) += (b)\n";
    assert_eq!(
        of(&format!("{step}#define M(x) STEP(i, x)")),
        "writes [i] {} acts"
    );
    assert_eq!(
        of(&format!("{step}#define M(x) STEP(x, i)")),
        "writes [] {0} acts"
    );
    assert_eq!(
        of("#define NEXT i++\n#define M(x) do { g(x); NEXT; } while (0)"),
        "writes [i] {} acts"
    );
    assert_eq!(
        of("#define NEXT(a)\n#define NEXT(a) i = a\n#define M NEXT(3)"),
        "writes [i] {} acts"
    );
    assert_eq!(
        of("#define ALL(f, ...) f(__VA_ARGS__)\n#define M ALL(g, i)"),
        "writes [] {} acts"
    );
    assert_eq!(
        of("#define IN(v, ...) get(&v, __VA_ARGS__)\n#define M IN(i, j)"),
        "writes [i] {} acts"
    );
    assert_eq!(of("#define A B\n#define B A\n#define M A"), "writes [] {}");
    // A name alone is called by what follows.
    assert_eq!(of(&format!("{step}#define M STEP")), "writes [] {0} acts");
    assert_eq!(of("#define NEXT(a) i = a\n#define M NEXT"), "writes [i] {} acts");
    assert_eq!(
        of("#define LOOP(a) for (; a; ) {\n#define M LOOP"),
        "writes [] {} acts hides part of a statement"
    );
    assert_eq!(
        of(&format!("{step}#define M(x) x(STEP)")),
        "writes [] {} acts hides an assignment"
    );
}

#[test]
fn jumps_and_halves_of_statements() {
    assert_eq!(
        of("#define M(x) do { if (x) return 1; } while (0)"),
        "writes [] {} acts"
    );
    assert_eq!(
        of("#define M(x) if (x) continue"),
        "writes [] {} acts hides a jump"
    );
    assert_eq!(
        of("#define M(x) do { if (x) break; } while (0)"),
        "writes [] {} acts"
    );
    assert_eq!(
        of("#define M(x) switch (x) { case 1: break; }"),
        "writes [] {} acts"
    );
    assert_eq!(
        of("#define M(x) switch (x) { case 1: continue; }"),
        "writes [] {} acts hides a jump"
    );
    assert_eq!(of("#define M(x) goto out"), "writes [] {} acts hides a jump");
    assert_eq!(
        of("#define M(x) case x: f()"),
        "writes [] {} acts hides part of a statement"
    );
    assert_eq!(
        of("#define OUT goto out\n#define M(x) if (x) OUT"),
        "writes [] {} acts hides a jump"
    );
    assert_eq!(
        of("#define M(x) if (setjmp(x)) f()"),
        "writes [] {} acts hides a jump"
    );
    assert_eq!(
        of("#define M(x) swapcontext(x, x)"),
        "writes [] {} acts hides a jump"
    );
    assert_eq!(
        of("#define M(x) { f(x);"),
        "writes [] {} acts hides part of a statement"
    );
}

#[test]
fn a_call_of_cxx_may_change_its_arguments() {
    assert_eq!(
        show("#define M(x) next(i, x, j + 1)", true),
        "writes [i] {0} acts"
    );
    assert_eq!(
        show("#define M(x) do { T &r = i; r = x; } while (0)", true),
        "writes [i r] {} acts"
    );
    assert_eq!(show("#define M(x) in >> i", true), "writes [i] {} acts");
}
