//! Macros that stand for parts of the structure in some builds and for nothing in others.

use super::{check_as, check_with};
use expect_test::expect;

#[test]
fn further_branches_of_one_build() {
    let header = (
        "m.h",
        "#ifdef SOCKET\n#define MORE(a, v) } else if (a == 3) { v = three(); } else if (a == 4) { v = 4\n#else\n#define MORE(a, v)\n#endif\n\
         #define PICK(a, v) { if (a == 1) { v = 1; MORE(a, v); } else { v = 2; } }\n",
    );
    check_with(
        &[header],
        "#include \"m.h\"\nvoid f(int a) { int v; PICK(a, v) g(v); }\n",
        expect![[r#"
            fn f(a:i32)
              2:17 decl v:i32@2:21
              2:24' block
                2:24' if (a Eq 1) else@2
                  2:24' block
                    2:24' v = 1
                  2:24' if (build choice && (a Eq 3)) else@2
                    2:24' block
                      2:24' v = three@2:24'()
                    2:24' if (build choice && (a Eq 4)) else@2
                      2:24' block
                        2:24' v = 4
                      2:24' block
                        2:24' v = 2
              2:35 g@2:35(v)
        "#]],
    );
}

#[test]
fn braces_of_one_build() {
    let header = (
        "m.h",
        "#ifdef LOG\n#define START enter(); {\n#define END } leave();\n#define END_VAL(x) leave(); return x; }\n\
         #else\n#define START\n#define END\n#define END_VAL(x) return x;\n#endif\n",
    );
    check_with(
        &[header],
        "#include \"m.h\"\nvoid f(int a) {\n  START\n  g(a);\n  END\n}\nint h(int a) {\n  START\n  if (a) g(a);\n  END_VAL(a)\n}\n",
        expect![[r#"
            fn f(a:i32)
              3:3' alternatives
                3:3' group
                  3:3' enter@3:3'()
                3:3' empty
              3:3 block
                4:3 g@4:3(a)
              5:3' alternatives
                5:3' group
                  5:3' leave@5:3'()
                5:3' empty
            fn h(a:i32)
              8:3' alternatives
                8:3' group
                  8:3' enter@8:3'()
                8:3' empty
              8:3 block
                9:3 if a
                  9:10 g@9:10(a)
                10:3' alternatives
                  10:3' group
                    10:3' leave@10:3'()
                  10:3' empty
                10:3' return a
        "#]],
    );
    // What only looks alike: a loop, and a brace that nothing closes.
    let other = (
        "m.h",
        "#ifdef LOG\n#define START do {\n#define END } while (0);\n#define LOST enter(); {\n#else\n#define START\n#define END\n#define LOST\n#endif\n",
    );
    check_with(
        &[other],
        "#include \"m.h\"\nvoid f(int a) {\n  START\n  g(a);\n  END\n}\nvoid k(int a) {\n  LOST\n  g(a);\n}\n",
        expect![[r#"
            fn f(a:i32) Partial: macro START at line 3 has several definitions and hides part of a statement
              3:3 empty
              5:3 unknown[]
            fn k(a:i32) Partial: syntax error at line 10
              8:3' alternatives
                8:3' group
                  8:3' enter@8:3'()
                8:3' empty
              8:3 block
                9:3 g@9:3(a)
        "#]],
    );
}

#[test]
fn functions_that_other_builds_have_as_macros() {
    let header = (
        "m.h",
        "#ifdef LOG\nint begin(void); int end(int *x);\n#else\n#define begin() 0\n#define end(x) (*(x) = 0)\n#endif\n",
    );
    check_with(
        &[header],
        "#include \"m.h\"\n#ifdef LOG\nint begin(void) { g(); return 1; }\nint end(int *x) { *x = begin(); return 0; }\n#endif\n",
        expect![[r#"
            fn begin()
              3:19 g@3:19()
              3:24 return 1
            fn end(x:ptr)
              4:19 *x = MACRO begin@4:24()
              4:33 return 0
        "#]],
    );
}

#[test]
fn namespaces_of_either_kind() {
    check_as(
        "t.cc",
        &[],
        "#if NEW\n#define INSIDE inline namespace\n#else\n#define INSIDE namespace\n#endif\n\
         #define BEGIN namespace a { INSIDE v7 {\n#define END } }\nBEGIN\nint f(int x) { return x; }\nEND\n",
        expect![[r#"
            fn a::v7::f(x:i32)
              9:16 return x
        "#]],
    );
}

#[test]
fn headers_of_the_library_of_cxx() {
    check_as(
        "t.h",
        &[],
        "#include <cstdio>\nstruct S {\n  int n;\n  int twice() { return 2 * n; }\n};\n",
        expect![[r#"
            fn S::twice()
              4:17 return (2 Mul this->n)
        "#]],
    );
    check_as(
        "t.h",
        &[],
        "#ifdef __cplusplus\n#include <complex>\n#endif\nint new(int class) { return class; }\n",
        expect![[r#"
            fn new(class:i32)
              4:22 return class
        "#]],
    );
}

#[test]
fn words_that_say_nothing_of_the_flow() {
    check_as(
        "t.cc",
        &[],
        "#if OLD\n#define CONST inline\n#define NOTHROW throw()\n#else\n#define CONST constexpr\n#define NOTHROW noexcept\n#endif\n\
         #define SAFE NOTHROW\ntemplate <class T> struct A { CONST int f() SAFE { return 1; } };\nCONST int g(int x) NOTHROW { return x; }\n",
        expect![[r#"
            fn A::f()
              9:52 return 1
            fn g(x:i32)
              10:30 return x
        "#]],
    );
}

#[test]
fn pragmas_for_vectors_and_pragmas_for_threads() {
    let header = (
        "m.h",
        "#if defined(A)\n#define SIMD _Pragma(\"GCC ivdep\")\n#define THREADS _Pragma(\"omp parallel for\")\n#elif defined(B)\n\
         #define SIMD __pragma(omp simd)\n#define THREADS _Pragma(\"omp for\")\n#else\n#define SIMD\n#define THREADS\n#endif\n",
    );
    check_with(
        &[header],
        "#include \"m.h\"\nvoid f(int n) {\n  SIMD for (int i = 0; i < n; i++) g(i);\n}\nvoid k(int n) {\n  THREADS for (int i = 0; i < n; i++) g(i);\n}\n",
        expect![[r#"
            fn f(n:i32)
              3:8 for (i Lt n) step i++
                  3:13 decl i:i32@3:17 = 0
                3:36 g@3:36(i)
            fn k(n:i32) Partial: statement that is not understood at line 6
              6:3 empty
              6:27 (@i Lt n)
              6:34 unknown @i++
              6:39 g@6:39(@i)
        "#]],
    );
}

/// Which function this is depends on the build, and what `x` is in it as well.
#[test]
fn a_head_that_several_macros_make() {
    check_as(
        "t.c",
        &[],
        "#ifdef LONG\n#define Make(n) n##_l(long x)\n#define Head(n) int n##_l(long x)\n#else\n#define Make(n) n##_i(int x)\n\
         #define Head(n) int n##_i(int x)\n#endif\nint Make(f) { return x; }\nHead(g) { return x; }\n",
        expect![[r#"
            fn Make() Partial: macro Make at line 8 has several definitions
              8:15 return @x
            fn Head() Partial: macro Head at line 9 has several definitions
              9:11 return @x
        "#]],
    );
}
