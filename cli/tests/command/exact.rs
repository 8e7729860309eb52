//! `hindmost map -p --exact`: C that the build's preprocessor has left is read by the parser that knows the types.

use crate::support::Sandbox;

const PROGRAM: &str = "#include <stddef.h>
typedef unsigned char small;
int work(int);
#define TWICE(x) x; x
int f(int n) {
  int sum = 0;
  for (size_t i = 0; i < (size_t)n; i++) { TWICE(sum += work((int)i)); }
  return sum;
}
int asm_is_not_read(int n) {
  __asm__ volatile (\"\" : \"+r\" (n));
  return n;
}
";

fn mapped(name: &str, options: &[&str]) -> (Sandbox, String) {
    let sandbox = Sandbox::new(name);
    sandbox.write("a.c", PROGRAM);
    let entry = serde_json::json!([{
        "directory": sandbox.root, "file": "a.c", "arguments": ["gcc", "-c", "a.c"]
    }]);
    sandbox.write("compile_commands.json", entry.to_string());
    let arguments = [&["map", "-p", "."], options].concat();
    let run = sandbox.run(&arguments);
    assert_eq!(run.code, Some(0), "{}", run.err);
    (sandbox, run.err)
}

#[test]
fn functions_are_read_by_the_second_parser() {
    let (sandbox, _) = mapped("exact", &["--exact"]);
    let line = sandbox.ok(&["show", "app.hmap", "a.c:7"]);
    assert!(line.contains("by the exact parser"), "{line}");
    // What a macro makes stands at its invocation, for this parser as for the other.
    assert_eq!(line.matches("call work 7:44").count(), 2, "{line}");
    assert!(line.contains("LOV i: strict"), "{line}");
    let (other, _) = mapped("tolerant", &[]);
    let without = other.ok(&["show", "app.hmap", "a.c:7"]);
    assert_eq!(without.matches("call work 7:44").count(), 2, "{without}");
    assert!(!without.contains("by the exact parser"), "{without}");
    // What the exact parser does not understand is left to the other.
    let line = sandbox.ok(&["show", "app.hmap", "a.c:12"]);
    assert!(!line.contains("by the exact parser"), "{line}");
}

#[test]
fn a_file_that_it_cannot_read() {
    let sandbox = Sandbox::new("exact-unknown");
    sandbox.write(
        "a.c",
        "int f(void *p) {\n  goto *p;\n}\nint g(int n) { while (n > 0) n--; return n; }\n",
    );
    let entry = serde_json::json!([{
        "directory": sandbox.root, "file": "a.c", "arguments": ["gcc", "-c", "a.c"]
    }]);
    sandbox.write("compile_commands.json", entry.to_string());
    let run = sandbox.run(&["map", "-p", ".", "--exact"]);
    assert_eq!(run.code, Some(0), "{}", run.err);
    assert!(
        run.err.contains("a.c:2") && run.err.contains("read by the tolerant parser"),
        "{}",
        run.err
    );
    let line = sandbox.ok(&["show", "app.hmap", "a.c:4"]);
    assert!(line.contains("LOV n: strict"), "{line}");
}

#[test]
fn it_needs_compile_commands() {
    let sandbox = Sandbox::new("exact-alone");
    sandbox.write("a.c", "int f(void) { return 1; }\n");
    let run = sandbox.run(&["map", "--exact", "a.c"]);
    assert_eq!(run.code, Some(2), "{}", run.err);
    assert!(run.err.contains("-p"), "{}", run.err);
}
