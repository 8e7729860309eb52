//! `hindmost map` on what is no decent source: it goes on, names the file, and says at the end what is missing.

use crate::support::{Run, Sandbox};
use std::fs;

const GOOD: &str = "int good(int n) { int i; for (i = 0; i < n; i++) work(i); return i; }\n";

/// Maps `src`, which holds a good file and a bad one; the good one must be there.
fn map_beside_good(name: &str, bytes: impl AsRef<[u8]>) -> Run {
    let sandbox = Sandbox::new(&format!("bad-{name}"));
    sandbox.write("src/good.c", GOOD);
    sandbox.write("src/bad.c", bytes);
    let run = sandbox.run(&["map", "-o", "app.hmap", "src"]);
    assert_eq!(run.code, Some(0), "{name}: {}", run.err);
    assert!(run.out.contains("functions: "), "{name}: {}", run.out);
    let shown = sandbox.ok(&["show", "app.hmap", "good.c:1"]);
    assert!(shown.contains("LOV i: strict"), "{name}: {shown}");
    run
}

#[test]
fn what_is_no_text_is_named() {
    let mut state = 1u32;
    let noise = Vec::from_iter((0..20_000).map(|_| {
        state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        (state >> 24) as u8
    }));
    for (name, bytes) in [
        ("noise", noise),
        (
            "program",
            fs::read(env!("CARGO_BIN_EXE_hindmost")).unwrap()[..200_000].to_vec(),
        ),
        (
            "utf-16",
            "int f(int n) { return n; }\n"
                .encode_utf16()
                .flat_map(u16::to_le_bytes)
                .collect(),
        ),
    ] {
        let run = map_beside_good(name, bytes);
        assert!(run.err.contains("src/bad.c"), "{name}: {}", run.err);
    }
}

#[test]
fn text_that_is_not_utf_8_is_read() {
    let run = map_beside_good(
        "latin-1",
        b"/* \xe9t\xe9 */ int bad(int n) { return work(\"\xe9\"); }\n",
    );
    assert!(run.out.contains("2 functions"), "{}", run.out);
}

#[test]
fn an_empty_file_is_no_loss() {
    let run = map_beside_good("empty", "");
    assert_eq!(run.err, "");
}

#[test]
fn nesting_without_end_does_not_overflow_the_stack() {
    const DEEP: usize = 50_000;
    let nested = |before: &str, open: &str, middle: &str, close: &str, after: &str| {
        format!(
            "{before}{}{middle}{}{after}\n",
            open.repeat(DEEP),
            close.repeat(DEEP)
        )
    };
    for (name, text) in [
        (
            "parentheses",
            nested("int f(void) { return ", "(", "1", ")", "; }"),
        ),
        (
            "open-parentheses",
            nested("int f(void) { return ", "(", "1", "", "; }"),
        ),
        ("blocks", nested("int f(void) ", "{", ";", "}", "")),
        ("open-blocks", nested("int f(void) ", "{", ";", "", "")),
        (
            "ifs",
            nested("int f(int a) { ", "if (a) ", "a = 1;", "", "return a; }"),
        ),
        (
            "else-ifs",
            nested(
                "int f(int a) { ",
                "if (a) work(a); else ",
                "a = 1;",
                "",
                "return a; }",
            ),
        ),
        (
            "calls",
            nested("int f(int a) { return ", "work(", "a", ")", "; }"),
        ),
        ("sums", nested("int f(int a) { return ", "a + ", "a", "", "; }")),
        (
            "conditionals",
            nested("int f(int a) { return ", "a ? a : ", "a", "", "; }"),
        ),
        (
            "assignments",
            nested("int f(int a) { ", "a = ", "1", "", "; return a; }"),
        ),
        ("stars", nested("int f(int ", "*", "a", "", ") { return 1; }")),
        ("structures", nested("", "struct a { ", "int x;", "} b;", "")),
        (
            "conditions",
            nested("", "#if A\n", "int f(void) { return 1; }\n", "#endif\n", ""),
        ),
    ] {
        map_beside_good(name, text);
    }
}

#[test]
fn generated_lines_of_megabytes_are_read() {
    let table = format!("int table[] = {{{}}};", "1234567,".repeat(250_000));
    map_beside_good("table", table);
    let functions: String = (0..2_000)
        .map(|i| format!("int f{i}(int n){{int i;for(i=0;i<n;i++)work(i);return i;}}"))
        .collect();
    let run = map_beside_good("one-line", functions);
    assert!(run.out.contains("2001 functions"), "{}", run.out);
}

#[test]
fn macros_that_grow_without_end_stop() {
    let doubling: String = (1..60)
        .map(|i| format!("#define A{i} A{} A{}\n", i - 1, i - 1))
        .collect();
    map_beside_good(
        "doubling",
        format!("#define A0 x\n{doubling}int f(void) {{ A59; return 0; }}\n"),
    );
    map_beside_good(
        "recursive",
        "#define F(x) F(F(x)) G(x)\n#define G(x) F(x)\nint f(void) { F(F(F(1))); return 0; }\n",
    );
}

#[test]
fn directories_that_cannot_be_entered_and_links_in_circles() {
    use std::os::unix::fs::{PermissionsExt as _, symlink};
    let sandbox = Sandbox::new("bad-directories");
    sandbox.write("src/good.c", GOOD);
    sandbox.write("src/closed/hidden.c", "int hidden(void) { return 1; }\n");
    symlink("..", sandbox.path("src/up")).unwrap();
    symlink("b", sandbox.path("src/a")).unwrap();
    symlink("a", sandbox.path("src/b")).unwrap();
    symlink("nowhere.c", sandbox.path("src/dangling.c")).unwrap();
    let closed = sandbox.path("src/closed");
    fs::set_permissions(&closed, fs::Permissions::from_mode(0o000)).unwrap();
    let is_open = fs::read_dir(&closed).is_ok();
    let run = sandbox.run(&["map", "src"]);
    fs::set_permissions(&closed, fs::Permissions::from_mode(0o755)).unwrap();
    assert_eq!(run.code, Some(0), "{}", run.err);
    // Nothing is closed to root.
    if !is_open {
        assert!(run.err.contains("closed"), "{}", run.err);
        assert!(run.out.contains("left out: "), "{}", run.out);
    }
    assert!(run.err.contains("dangling.c"), "{}", run.err);
}

/// From bytes to a map, for texts that are nearly C. A seed that fails is printed; `HINDMOST_SEEDS=FROM..TO` runs others.
#[test]
fn damaged_sources_give_a_map_or_a_message() {
    let seeds = std::env::var("HINDMOST_SEEDS").ok();
    let range = seeds.as_deref().and_then(|range| range.split_once(".."));
    let (from, to) = range.map_or((0, 40), |(a, b)| (a.parse().unwrap(), b.parse().unwrap()));
    let whole = include_bytes!("../../../corpus/poisson.c").as_slice();
    let sandbox = Sandbox::new("bad-damaged");
    for seed in from..to {
        let mut state = (seed + 1u64).wrapping_mul(0x9e37_79b9_7f4a_7c15);
        let mut below = |limit: usize| {
            state ^= state << 13;
            state ^= state >> 7;
            state ^= state << 17;
            (state % limit as u64) as usize
        };
        let mut bytes = whole.to_vec();
        for _ in 0..1 + below(30) {
            let at = below(bytes.len());
            match below(5) {
                0 => drop(bytes.remove(at)),
                1 => bytes[at] = below(256) as u8,
                2 => bytes.insert(at, b"(){}[];,#\"'\\\n"[below(13)]),
                3 => bytes.truncate(at.max(100)),
                _ => {
                    let to = (at + below(200)).min(bytes.len());
                    let copy = bytes[at..to].to_vec();
                    let into = below(bytes.len());
                    bytes.splice(into..into, copy);
                }
            }
        }
        sandbox.write("damaged.c", &bytes);
        let run = sandbox.run(&["map", "--no-cache", "-o", "d.hmap", "damaged.c"]);
        assert!(
            matches!(run.code, Some(0 | 2)),
            "seed {seed}: {:?}\n{}",
            run.code,
            run.err
        );
        if run.code == Some(0) {
            sandbox.ok(&["show", "d.hmap"]);
        }
    }
}

#[test]
fn what_would_take_for_ever_is_given_up_with_the_reason() {
    let sandbox = Sandbox::new("for-ever");
    // Every loop changes what all of them are ended by: what flows into it grows with powers of their number.
    let nested = "for (; n; n--)\n".repeat(100);
    sandbox.write("nested.c", format!("void f(int n) {{\n{nested} work();\n}}\n"));
    let in_a_row = "while (n) n--;\n".repeat(5000);
    sandbox.write("row.c", format!("void f(int n) {{\n{in_a_row}}}\n"));
    for (name, last) in [("nested", 101), ("row", 5001)] {
        let map = format!("{name}.hmap");
        sandbox.ok(&["map", "-o", &map, &format!("{name}.c")]);
        let shown = sandbox.ok(&["show", &map, &format!("{name}.c:{last}")]);
        let reason = "its values differ by task: too much flows into it to follow";
        assert!(shown.contains(reason), "{name}: {shown}");
    }
}
