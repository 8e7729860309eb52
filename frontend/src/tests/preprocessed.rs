//! Functions rebuilt from preprocessor output: the output is written down here as compilers print it.

use super::{leak, print};
use crate::{Macros, Mismatch, Source, improve, parse, parse_preprocessed, wants_preprocessing};
use expect_test::{Expect, expect};

/// Checks the ir that `output` gives for `text`, positions included.
fn check(text: &str, output: &str, expect: Expect) {
    let own = Source {
        path: leak("t.c"),
        text: leak(text).as_bytes(),
    };
    let macros = Macros::gather([own]);
    let unit = parse_preprocessed(&own, output.as_bytes(), &macros);
    expect.assert_eq(&match unit {
        Ok(unit) => print::unit(&unit),
        Err(why) => format!("{why}\n"),
    });
}

#[test]
fn columns_are_those_of_the_raw_text() {
    check(
        "#include <stdio.h>
#define TWICE(x) ((x) + (x))
int f(FILE *p, int n) {
  if (p == NULL) return g(TWICE(n), h(n));
  CHECK(k(n), TWICE(
    m(n))); o(n);
  return n;
}
",
        "# 0 \"t.c\"
# 0 \"<built-in>\"
# 1 \"t.c\"
# 1 \"/usr/include/stdio.h\" 1 3 4
typedef struct _IO_FILE FILE;
# 2 \"t.c\" 2

int f(FILE *p, int n) {
  if (p == 
# 4 \"t.c\" 3 4
          ((void *)0)
# 4 \"t.c\"
              ) return g(((n) + (n)), h(n));
  do { int e = (k(n)); if (e) abort_with(e, ((m(n)) + (m(n)))); } while (0); o(n);

  return n;
}
",
        expect![[r#"
            fn f(p:ptr, n:i32)
              4:3 if (p Eq (ptr)0)
                4:18 return g@4:25((n Add n), h@4:37(n))
              5:3' do-while 0 step -
                5:3' block
                  5:3' decl e:i32@5:3 = k@5:3'(n)
                  5:3' if e
                    5:3' abort_with@5:3'(e, (m@5:3'(n) Add m@5:3'(n)))
              6:13 o@6:13(n)
              7:3 return n
        "#]],
    );
}

#[test]
fn only_the_build_that_was_run_is_seen() {
    let text = "#ifdef GPU
#define EACH(i, n) launch(n, i,
#define DONE );
#else
#define EACH(i, n) for (i = 0; i < n; i++) {
#define DONE }
#endif
int f(int n) {
  int i;
  EACH(i, n)
#ifdef GPU
    on_gpu(i)
#else
    on_cpu(i);
#endif
  DONE
  return i;
}
int clean(void) { return 1; }
";
    let output = "# 1 \"t.c\"\n\n\n\n\n\n\n\nint f(int n) {\n  int i;\n  for (i = 0; i < n; i++) {\n\n\n\n    on_cpu(i);\n\n  }\n\
                  return i;\n}\nint clean(void) { return 1; }\n";
    let own = Source {
        path: "t.c",
        text: text.as_bytes(),
    };
    let macros = Macros::gather([own]);
    let mut unit = parse(&own, &macros);
    assert!(wants_preprocessing(&unit));
    let twice = [output.as_bytes().to_vec(), output.as_bytes().to_vec()];
    assert_eq!(improve(&mut unit, &own, &twice, &macros), Ok(1));
    let readings: Vec<_> = unit
        .functions
        .iter()
        .map(|f| (f.name.as_str(), f.reading))
        .collect();
    assert_eq!(
        readings,
        [
            ("f", base::Reading::Preprocessed),
            ("clean", base::Reading::AsWritten)
        ]
    );
    expect![[r#"
        fn f(n:i32)
          9:3 decl i:i32@9:7
          10:3 for (i Lt n) step i++
              10:3' i = 0
            10:3 block
              14:5 on_cpu@14:5(i)
          17:3 return i
        fn clean()
          19:19 return 1
    "#]]
    .assert_eq(&print::unit(&unit));

    // Builds that do not agree prove nothing about either.
    let other = output.replace("on_cpu(i)", "on_cpu(0)");
    let mut unit = parse(&own, &macros);
    let differing = [output.as_bytes().to_vec(), other.into_bytes()];
    assert_eq!(improve(&mut unit, &own, &differing, &macros), Ok(0));
    assert_eq!(unit.functions[0].confidence, base::Confidence::Partial);
}

#[test]
fn cxx_as_one_build_has_it() {
    let text = "#ifdef THROWS
#define BEGIN Error *error = last; try
#define END catch (Abort &a) { error->set(a); }
#else
#define BEGIN
#define END
#endif
struct Adder {
  int operator()(int x) const { return x + by; }
  int operator[](int x) { return x; }
  int by;
};
template <typename T> T twice(T x) {
  BEGIN
  {
    for (std::vector<std::vector<T>> v; v.size() < x; ) v.push_back({x});
  }
  END
  return x >> 1;
}
";
    let output = "# 1 \"t.cpp\"\n# 8 \"t.cpp\"\nstruct Adder {\n  int operator()(int x) const { return x + by; }\n\
                  \x20 int operator[](int x) { return x; }\n  int by;\n};\ntemplate <typename T> T twice(T x) {\n  Error *error = last; try\n\
                  \x20 {\n    for (std::vector<std::vector<T>> v; v.size() < x; ) v.push_back({x});\n  }\n\
                  \x20 catch (Abort &a) { error->set(a); }\n  return x >> 1;\n}\n";
    let own = Source {
        path: "t.cpp",
        text: text.as_bytes(),
    };
    let macros = Macros::gather([own]);
    let mut unit = parse(&own, &macros);
    assert!(wants_preprocessing(&unit));
    assert!(!unit.diagnostics.is_empty());
    assert_eq!(improve(&mut unit, &own, &[output.into()], &macros), Ok(1));
    assert_eq!(unit.diagnostics, []);
    expect![[r#"
        address taken: operator() operator[]
        fn Adder::operator()(x:i32)
          9:33 return (x Add this->by)
        fn Adder::operator[](x:i32)
          10:27 return x
        fn twice(x:?)
          14:3' decl error:ptr@14:3 = @last
          14:3 try
            15:3 block
              16:5 for ((&v, size@16:41()) Lt x) step -
                  16:10 decl v&:struct@16:38 = {}
                16:57 (&v, push_back@16:57({x}))
            18:3' block
              18:3' decl a:ptr@18:3 = unseen
              18:3' block
                18:3' set@18:3'(a)
          19:3 return (x Shr 1)
    "#]]
    .assert_eq(&print::unit(&unit));
}

#[test]
fn what_cannot_be_placed_is_not_claimed() {
    // Which of the two unknown macros the call comes from cannot be known.
    check(
        "int f(int n) { TRACE_IN TRACE_OUT return n; }\nint g(int n) { return n; }\n",
        "# 1 \"t.c\"\nint f(int n) { in(); out(); return n; }\nint g(int n) { return n; }\n",
        expect![[r#"
            fn f(n:i32) Partial: macros of line 1 cannot be told apart
              1:1' in@1:1'()
              1:1' out@1:1'()
              1:1' return n
            fn g(n:i32)
              2:16 return n
        "#]],
    );
    check(
        "int f(int n) {\n#include \"body.inc\"\n return n; }\n",
        "# 1 \"t.c\"\nint f(int n) {\n# 1 \"body.inc\" 1\nn++;\n# 3 \"t.c\" 2\n return n; }\n",
        expect![[r#"
            fn f(n:i32) Partial: text of another file stands in it at line 3
              3:2 return n
        "#]],
    );
}

#[test]
fn output_that_is_not_of_this_file() {
    let text = "int f(int n) {\n  return n;\n}\n";
    let own = Source {
        path: "t.c",
        text: text.as_bytes(),
    };
    let macros = Macros::gather([own]);
    let result = |output: &str| parse_preprocessed(&own, output.as_bytes(), &macros);
    assert_eq!(result("").err(), Some(Mismatch::NoMarkers));
    assert_eq!(
        result("int f(int n) { return n; }").err(),
        Some(Mismatch::NoMarkers)
    );
    assert_eq!(result("# 40 \"t.c\"\nint g;\n").err(), Some(Mismatch::OtherText));
    assert_eq!(
        result("# 2 \"t.c\"\nint a;\n# 1 \"t.c\"\nint b;\n").err(),
        Some(Mismatch::OtherText)
    );
    // Output that was cut off, at every byte: no panic, and never a function that looks whole and is not.
    let whole = "# 0 \"t.c\"\n# 1 \"t.c\"\nint f(int n) {\n  return n;\n}\n";
    for end in 0..whole.len() {
        if let Ok(unit) = result(&whole[..end]) {
            let partial = |f: &ir::Function| f.confidence == base::Confidence::Partial;
            assert!(
                unit.functions.iter().all(partial) || end + 1 >= whole.len(),
                "{end}"
            );
        }
    }
}

/// Bytes that no preprocessor prints, put together at random.
#[test]
fn hostile_output() {
    let words = [
        "# 1 \"t.c\"\n",
        "# 2 \"t.c\" 2\n",
        "# 1 \"<x>\" 1\n",
        "# 4294967295 \"t.c\"\n",
        "# 0 \"t.c\"\n",
        "\n",
        "{",
        "}",
        "f",
        "(",
        ")",
        ";",
        "int ",
        "\"",
        "'",
        "#",
        "/*",
        "M",
        "\\\n",
        "\u{fffd}",
        "for",
        "=",
        ",",
        "# 3 \"",
        "N",
    ];
    let text = "#define M(x) x\n#define N 1\nint f(int n) { M(n); for (;;) N; return M(N); }\n";
    let own = Source {
        path: "t.c",
        text: text.as_bytes(),
    };
    let macros = Macros::gather([own]);
    let mut state = 7_u64;
    for _ in 0..3_000 {
        let mut output = String::from("# 1 \"t.c\"\n");
        for _ in 0..40 {
            state = state
                .wrapping_mul(6364136223846793005)
                .wrapping_add(1442695040888963407);
            output += words[(state >> 33) as usize % words.len()];
        }
        let mut unit = parse(&own, &macros);
        let _ = improve(&mut unit, &own, &[output.into_bytes()], &macros);
        for function in &unit.functions {
            assert!(function.span.end_line <= 4, "{:?}", function.span);
        }
    }
}

/// gcc puts what follows an invocation over several lines on the line where that ends.
#[test]
fn invocations_over_several_lines() {
    check(
        "#define Sizes(m) ((m)->sizes)\nint f(struct m *m, int i) {\n  x = Sizes(\n    m)[g(i)];\n  bool b = true; h(Sizes(m)[0],\n    Sizes(\n   m)); k(b);\n}\n",
        "# 1 \"t.c\"\n\nint f(struct m *m, int i) {\n  x = ((m)->sizes)\n       [g(i)];\n  _Bool b = 1; h(((m)->sizes)[0],\n    ((m)->sizes)\n); k(b);\n}\n",
        expect![[r#"
            fn f(m:ptr, i:i32)
              3:3 @x = m->sizes[g@4:8(i)]
              5:3 decl b:u8@5:8 = 1
              5:18 h@5:18(m->sizes[0], m->sizes)
              7:9 k@7:9(b)
        "#]],
    );
}
