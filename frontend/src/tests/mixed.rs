//! C++ in files of C: which functions are read as which language.

use super::{check, check_as, check_with};
use expect_test::expect;

#[test]
fn functions_that_only_cxx_explains_are_read_as_cxx() {
    // `plain` stays what C makes of it; `fill` and the lambda in it come from the second reading.
    check(
        "int plain(int n) {\n  int class = n;\n  return class;\n}\n#ifdef GPU\n\
         void fill(double *x, int n) {\n  std::vector<double> v(n);\n\
         \x20 for (int i = 0; i < n; i++) {\n    each(n, [=] (int j) { x[j] = v[i]; });\n  }\n}\n#endif\n",
        expect![[r#"
            address taken: operator()
            fn plain(n:i32)
              2:3 decl class:i32@2:7 = n
              3:3 return class
            fn fill(x:ptr, n&:i32)
              7:3 decl v:struct@7:23 = {n}
              8:3 for (i Lt n) step i++
                  8:8 decl i:i32@8:12 = 0
                8:31 block
                  9:5 each@9:5(&n, {})
            static fn (lambda)::operator()(j:i32)
              9:27 **this->x (captured)[j] = **this->v (captured)[**this->i (captured)]
        "#]],
    );
}

#[test]
fn references_in_the_head_are_a_sign_and_change_their_arguments() {
    check(
        "#ifdef GPU\nstatic void step(Item &item, int &i) {\n  i += item.n;\n}\n#endif\n",
        expect![[r#"
            static fn step(item:ptr, i:ptr)
              3:3 *i Add= item.n
        "#]],
    );
}

#[test]
fn functions_of_c_know_of_references_in_their_file() {
    check(
        "__device__ void step(int &i) { i++; }\nvoid f(int n) {\n  for (int i = 0; i < n; i++) step(i);\n}\n",
        expect![[r#"
            fn step(i:ptr)
              1:32 *i++
            fn f(n:i32)
              3:3 for (i Lt n) step i++
                  3:8 decl i&:i32@3:12 = 0
                3:31 step@3:31(&i)
        "#]],
    );
}

#[test]
fn without_words_of_cxx_nothing_is_believed() {
    // C++ would take it for a call that gives a reference.
    check(
        "void f(void) {\n  SLOT(1) = 3;\n}\n",
        expect![[r#"
        fn f() Partial: assignment to something that is no variable at line 2
          2:3 MACRO SLOT@2:3(1) = 3
    "#]],
    );
    check(
        "void f(int a) {\n  a b;\n  g(a & b);\n}\n",
        expect![[r#"
        fn f(a:i32) Partial: 'a' may be no type but a macro that hides code at line 2
          2:3 decl b:?@2:5
          3:3 g@3:3((a BitAnd b))
    "#]],
    );
    // What asks for the language has two readings.
    check(
        "void f(int n) {\n#ifdef __cplusplus\n  std::sort(n);\n#else\n  n++;\n#endif\n  a::b(n);\n}\n",
        expect![[r#"
            fn f(n:i32) Partial: statement that is not understood at line 7
              5:3 n++
              7:3 group
                7:3 label a
                7:5 unknown
                7:6 b@7:6(n)
        "#]],
    );
}

#[test]
fn calls_of_templates_are_no_comparisons() {
    check(
        "void f(int n) {\n  run<int>(n);\n  if (n < 3 && n > (4)) n++;\n}\n",
        expect![[r#"
            fn f(n&:i32)
              2:3 run@2:3(&n)
              3:3 if n@3:7(4)
                3:25 n++
        "#]],
    );
    // A variable may have the name of a type: nobody knows.
    check(
        "typedef int word;\nvoid f(int n, int m) {\n  x = m < word > (n);\n}\n",
        expect![[r#"
            fn f(n:i32, m:i32) Partial: call of a template at line 3
              3:3 @x = ((m Lt @word) Gt n)
        "#]],
    );
}

#[test]
fn launches_of_kernels() {
    let text =
        "void f(double *x, int n) {\n  int blocks = n / 64;\n  scale<<<blocks, 64>>>(x, n);\n  n++;\n}\n";
    check(
        text,
        expect![[r#"
        fn f(x:ptr, n:i32)
          2:3 decl blocks:i32@2:7 = (n Div 64)
          3:3 [scale@3:3()]@3:3(blocks, 64, x, n)
          4:3 n++
    "#]],
    );
    check_as(
        "t.cu",
        &[],
        text,
        expect![[r#"
        fn f(x&:ptr, n&:i32)
          2:3 decl blocks&:i32@2:7 = (n Div 64)
          3:3 [scale@3:3()]@3:3(&blocks, 64, &x, &n)
          4:3 n++
    "#]],
    );
    // One of the ways in which builds start a kernel; its lambdas write nothing of the function.
    check_as(
        "t.c",
        &[(
            "launch.h",
            "#ifdef CUDA\n#define LAUNCH(k, ...) { if (ready()) { (k) <<< 1, 2 >>> (__VA_ARGS__); SYNC(); } }\n#else\n\
             #define LAUNCH(k, ...) { queue()->submit([&] (handler &h) { h.run([=] (int i) { (k)(i, __VA_ARGS__); }); }); }\n\
             #endif\n",
        )],
        "#include \"launch.h\"\nvoid f(double *x, int n) {\n  LAUNCH(scale, x, n);\n  n++;\n}\n",
        expect![[r#"
            fn f(x:ptr, n:i32)
              3:3' block
                3:3' if ready@3:3'()
                  3:3' block
                    3:3' [[@scale]@3:3'()]@3:3'(1, 2, x, n)
                    3:3' MACRO SYNC@3:3'()
              3:22 empty
              4:3 n++
        "#]],
    );
}

#[test]
fn words_for_gpus_are_attributes() {
    check_as(
        "t.cu",
        &[],
        "template <class T>\n__global__ static void fill(T *x, int n) {\n  __shared__ int s[4];\n  if (n) x[0] = s[1];\n}\n\
         struct Sum { __device__ int operator()(int a, int b) const { return a + b; } };\n",
        expect![[r#"
            address taken: operator()
            static fn fill(x:ptr, n:i32) Repaired: __shared__ blanked at line 3
              3:14 decl s&:array@3:18
              4:3 if n
                4:10 x[0] = s[1]
            fn Sum::operator()(a:i32, b:i32)
              6:62 return (a Add b)
        "#]],
    );
}

#[test]
fn declarations_that_only_some_builds_have() {
    check_with(
        &[(
            "wrap.h",
            "#if CHECKER\n#define HIDDEN(...)\n#else\n#define HIDDEN(...) __VA_ARGS__\n#endif\n#define MAKE(n) int n(void) { return 1; }\n",
        )],
        "#include \"wrap.h\"\nHIDDEN(MAKE(one))\n\n  static int two(void)\n{\n  return one();\n}\n",
        expect![[r#"
            fn one()
              2:1' return 1
            static fn two()
              6:3 return one@6:10()
        "#]],
    );
}

#[test]
fn numbers_of_unknown_width_are_no_objects() {
    check_as(
        "t.cc",
        &[(
            "real.h",
            "#if SINGLE\ntypedef float real;\n#else\ntypedef double real;\n#endif\n\
             typedef struct vec other;\nclass vec { vec &operator+=(vec &); vec(); };\n",
        )],
        "#include \"real.h\"\nvoid f(int n) {\n  real a;\n  other b;\n  a += n;\n  b += n;\n}\n",
        expect![[r#"
            fn f(n&:i32)
              3:3 decl a:?@3:8
              4:3 decl b&:struct@4:9 = {}
              5:3 a Add= n
              6:3 operator+=@6:3(&b, &n)
        "#]],
    );
}
