//! Macros that stay unexpanded, as functions.

use super::{leak, print};
use crate::{Macros, Source, add_macros, parse};
use expect_test::{Expect, expect};
use ir::{Function, FunctionKind, MacroBody};

/// What the macros of `header` become that `text` calls.
fn functions(header: &str, text: &str) -> Vec<Function> {
    let sources = [("m.h", header), ("t.c", text)].map(|(path, text)| Source {
        path,
        text: leak(text).as_bytes(),
    });
    let macros = Macros::gather(sources);
    let mut units = sources.map(|source| parse(&source, &macros));
    let before = units[1].functions.len();
    add_macros(&mut units, &macros);
    assert_eq!(
        units[1].functions.len(),
        before,
        "they are where they are defined"
    );
    let functions = std::mem::take(&mut units[0].functions).into_iter();
    functions.filter(|function| function.kind.is_macro()).collect()
}

fn check(header: &str, text: &str, expect: Expect) {
    let shown = functions(header, text).into_iter().map(|function| {
        let kind = match function.kind {
            FunctionKind::Macro(MacroBody::Value) => "value",
            _ => "statements",
        };
        let unit = ir::Unit {
            functions: vec![function],
            ..ir::Unit::default()
        };
        format!("{kind}\n{}", print::unit(&unit))
    });
    expect.assert_eq(&Vec::from_iter(shown).concat());
}

#[test]
fn one_for_each_definition() {
    check(
        "int once(int);\n#ifdef A\n#define M(x) once(x)\n#else\n#define M(y) (twice((y), #y) + 1)\n#endif\n",
        "#include \"m.h\"\nint f(int a) { return 1 + M(a); }\n",
        expect![[r#"
            value
            fn #M(__macro_param0:?)
              3:3 return once@3:11(__macro_param0)
            value
            fn #M(__macro_param0:?)
              5:3 return (twice@5:13(__macro_param0, "") Add 1)
        "#]],
    );
}

#[test]
fn macros_within_and_further_arguments() {
    check(
        "#ifdef A\n#define LOG(...) print(__VA_ARGS__)\n#else\n#define LOG(...) note(0, ## __VA_ARGS__)\n#endif\n\
         #ifdef B\n#define M(x, ...) log_to(x, LOG(1, __VA_ARGS__))\n#else\n#define M M_OTHER\n#endif\n",
        "#include \"m.h\"\nint f(int a, int b) { return 1 + M(a, b, 2); }\n",
        expect![[r#"
            value
            fn #LOG(__macro_further0:?, __macro_further1:?, __macro_further2:?)
              2:3 return print@2:11(__macro_further0, __macro_further1, __macro_further2)
            value
            fn #LOG(__macro_further0:?, __macro_further1:?, __macro_further2:?)
              4:3 return note@4:11(0, __macro_further0, __macro_further1, __macro_further2)
            value
            fn #M(__macro_param0:?, __macro_further0:?, __macro_further1:?)
              7:3 return log_to@7:11(__macro_param0, MACRO LOG@7:37(1, __macro_further0, __macro_further1))
            value
            fn #M(__macro_further0:?, __macro_further1:?, __macro_further2:?)
              9:3 return MACRO M_OTHER@9:11(__macro_further0, __macro_further1, __macro_further2)
        "#]],
    );
}

#[test]
fn what_cannot_be_read_is_told() {
    let header = "#ifdef A\n#define M(x, y) take(x ## y)\n#elif defined(B)\n#define M(x, y) take((x), y))\n#else\n\
                  #define M(x, y) take((x), y)\n#endif\n";
    let found = functions(header, "#include \"m.h\"\nint f(int a) { return 1 + M(a, 2); }\n");
    let trusted = found
        .iter()
        .map(|function| function.confidence == base::Confidence::Clean);
    assert_eq!(Vec::from_iter(trusted), [false, false, true]);
}

#[test]
fn its_own_name_is_a_function_s() {
    check(
        "#ifdef A\n#define M(x) M((x) + 1)\n#else\n#define M(x) other(x)\n#endif\n",
        "#include \"m.h\"\nint M(int);\nint f(int a) { return 1 + M(a); }\n",
        expect![[r#"
            value
            fn #M(__macro_param0:?)
              2:3 return M@2:11((__macro_param0 Add 1))
            value
            fn #M(__macro_param0:?)
              4:3 return other@4:11(__macro_param0)
        "#]],
    );
}

#[test]
fn names_of_parameters_and_of_macros_elsewhere_do_not_meet() {
    check(
        "#define x 5\n#ifdef A\n#define M(x) g((x), 1)\n#else\n#define M(x) g(x, 2)\n#endif\n",
        "#include \"m.h\"\nint f(int a) { return 1 + M(a); }\n",
        expect![[r#"
            value
            fn #M(__macro_param0:?)
              3:3 return g@3:11(__macro_param0, 1)
            value
            fn #M(__macro_param0:?)
              5:3 return g@5:11(__macro_param0, 2)
        "#]],
    );
}
