//! Macros and conditional groups.

use super::{check, check_as, check_with};
use expect_test::expect;

#[test]
fn constants() {
    check_with(
        &[
            (
                "a.h",
                "#define N (1 << 4)\n#define EPS -1e-6\n#define NEG (-1)\n#define T 2\n#define SUM (N + T)\n",
            ),
            ("b.h", "#define T 3\n#define P 5\n"),
        ],
        "#include \"a.h\"\n#include \"b.h\"\nint g = N;\nint f(void) { return N + P * NEG - T + EPS + SUM + NULL + true; }",
        expect![[r#"
            3:5 global g: i32 = 16
            fn f()
              4:15 return ((((((16 Add (5 Mul -1)) Sub @T) Add -1e-6) Add (16 Add @T)) Add 0) Add 1)
        "#]],
    );
}

#[test]
fn function_like_macros_expand_in_place() {
    check(
        "#define MAX(a,b) ((a) > (b) ? (a) : (b))
#define CHECK(call) do { int err = (call); if (err) die(err); } while (0)
#define EV(n, ...) ev(n, __LINE__, ##__VA_ARGS__)
#define RETURN_OK return 0
int f(int x, int y) {
  x = MAX(x, g(y));
  int err = 1;
  CHECK(h(
     err));
  EV(\"a\"); EV(\"b\", x);
  if (x) RETURN_OK;
  RETURN_OK;
}",
        expect![[r#"
            fn f(x:i32, y:i32)
              6:3 x = ((x Gt g@6:7'(y)) ? x : g@6:7'(y))
              7:3 decl err#1:i32@7:7 = 1
              8:3' do-while 0 step -
                8:3' block
                  8:3' decl err#2:i32@8:3 = h@8:3'(err#2)
                  8:3' if err#2
                    8:3' die@8:3'(err#2)
              10:3' ev@10:3'("", 10)
              10:12' ev@10:12'("", 10, x)
              11:3 if x
                11:10' return 0
              12:3' return 0
        "#]],
    );
}

#[test]
fn loop_and_bracket_macros() {
    check(
        "#define forever for(;;)
#define FOR_EACH(i, n) for ((i) = 0; (i) < (n); (i)++)
#define BEGIN enter(__func__); {
#define END leave(); }
void f(int n) { BEGIN
  int i;
  forever { if (g()) break; }
  FOR_EACH(i, n) h(i);
  FOR_EACH(i, n) { h(i); }
END }",
        expect![[r#"
            fn f(n:i32)
              5:17' enter@5:17'("")
              5:17 block
                6:3 decl i:i32@6:7
                7:3 for - step -
                  7:11 block
                    7:13 if g@7:17()
                      7:22 break
                8:3 for (i Lt n) step i++
                    8:3' i = 0
                  8:18 h@8:18(i)
                9:3 for (i Lt n) step i++
                    9:3' i = 0
                  9:18 block
                    9:20 h@9:20(i)
                10:1' leave@10:1'()
        "#]],
    );
}

#[test]
fn macros_that_cannot_be_expanded() {
    check_with(
        &[("a.h", "#define LOG(x) print(x)\n#define STEP(x) i++\n#define PLAIN 1\n"),
          ("b.h", "#define LOG(x)\n#define STEP(x)\n#define PLAIN 2\n"),
          ("far.h", "#define Far(x) x\n"), ("fn.h", "int DGEMM(int);\n")],
        "#include <a.h>\n#include <b.h>
int f(int x) { LOG(x); LOG(&x); return PLAIN; }
int g(int i) { STEP(i); Far(i); return i; }
int h(int i) { while (i < 3) { CHECK(i); assert(i); MPI_Send(i); DGEMM(i); PMPI_Init(0); } return va_arg(i, char *); }
#undef PLAIN
int k(void) { return PLAIN; }",
        expect![[r#"
            fn f(x&:i32)
              3:16' alternatives
                3:16' group
                  3:16' print@3:16'(x)
                3:16' group
                  3:16' empty
              3:24' alternatives
                3:24' group
                  3:24' print@3:24'(&x)
                3:24' group
                  3:24' empty
              3:33 return @PLAIN
            fn g(i:i32)
              4:16' alternatives
                4:16' group
                  4:16' i++
                4:16' group
                  4:16' empty
              4:25 MACRO Far@4:25(i)
              4:33 return i
            fn h(i:i32)
              5:16 while (i Lt 3) step -
                5:30 block
                  5:32 MACRO CHECK@5:32(i)
                  5:42 MACRO assert@5:42(i)
                  5:53 MPI_Send@5:53(i)
                  5:66 DGEMM@5:66(i)
                  5:76 PMPI_Init@5:76(0)
              5:92 return __builtin_va_arg@5:99(i, const)
            fn k()
              7:15 return @PLAIN
        "#]],
    );
}

#[test]
fn expansion_that_does_not_parse_is_left_as_a_call() {
    check(
        "#define ODD(x) x +* ) (
#define DECL(t, x) t x;
#define WEIRD(x) x @
int f(int x) { WEIRD(x); return 1; }
int g(int x) { ODD(x); return 1; }
int h(void) { DECL(long, y) y = 1; return y; }",
        expect![[r#"
            fn f(x:i32)
              4:16 MACRO WEIRD@4:16(x)
              4:26 return 1
            fn g(x:i32) Partial: syntax error at line 5
              5:16' x
              5:24 return 1
            fn h()
              6:15' decl y:i64@6:15
              6:29 y = 1
              6:36 return y
        "#]],
    );
}

#[test]
fn macros_keep_their_own_names() {
    check(
        "#define read(x) (count++, read(x))
int count;
int f(int x) { return read(x); }
#undef read
int g(int x) { return read(x); }
#define NAME(n) prefix_##n
int NAME(h)(int x) { return NAME(x); }",
        expect![[r#"
            2:5 global count: i32 = 0
            fn f(x:i32)
              3:16 return (@count++, read@3:23'(x))
            fn g(x:i32)
              5:16 return read@5:23(x)
            fn prefix_h(x:i32)
              7:22 return @prefix_x
        "#]],
    );
}

#[test]
fn attributes_and_unknown_words() {
    check(
        "#define API __attribute__((visibility(\"default\")))
#define UNUSED
API int f(UNUSED int x) { return x; }
SOME_EXPORT my_t g(int x) { int __restrict y = x; return y; }
int h(int x __attribute__((unused))) { return x; }
int i(void) { START x = 1; return 2; }
int j(int x) { START
  x = 1; return x; }",
        expect![[r#"
            fn f(x:i32)
              3:27 return x
            fn g(x:i32) Repaired: 'SOME_EXPORT' taken for an attribute at line 4
              4:29 decl y:i32@4:44 = x
              4:51 return y
            fn h(x:i32) Repaired: __attribute__ blanked at line 5
              5:40 return x
            fn i()
              6:15 decl x:?@6:21 = 1
              6:28 return 2
            fn j(x#1:i32) Partial: 'START' may be no type but a macro that hides code at line 7
              7:16 decl x#2:?@8:3 = 1
              8:10 return x#2
        "#]],
    );
}

#[test]
fn includes_inside_a_body() {
    check(
        "int f(void) {\n#include \"body.inc\"\n return 1; }",
        expect![[r#"
        fn f() Partial: body.inc is included at line 2
          3:2 return 1
    "#]],
    );
}

/// What has no code leaves nothing open. Where another file comes in, or a reader of C++ finds code, it is not known what is there.
#[test]
fn includes_inside_a_body_that_bring_pragmas_alone() {
    let threads = (
        "threads.h",
        "#ifdef THREADS\n#pragma omp parallel for private(j)\n#endif\n",
    );
    let plain = (
        "plain.h",
        "/* nothing */\n#ifndef PLAIN\n#define PLAIN 2\n#endif\n#pragma GCC ivdep\n",
    );
    let code = ("code.h", "#ifdef __cplusplus\nn++;\n#endif\n");
    let nested = ("nested.h", "#include \"code.h\"\n");
    check_with(
        &[threads, plain, code, nested],
        "void f(int n) {\n#include \"threads.h\"\n  for (int i = 0; i < n; i++) g(i);\n#include \"plain.h\"\n  for (int i = 0; i < n; i++) g(i);\n}\n\
         void h(int n) {\n#include \"code.h\"\n  g(n);\n}\nvoid k(int n) {\n#include \"nested.h\"\n  g(n);\n}\n",
        expect![[r#"
            fn f(n:i32)
              3:3 for (i#1 Lt n) step i#1++ divided
                  3:8 decl i#1:i32@3:12 = 0
                3:31 g@3:31(i#1)
              5:3 for (i#2 Lt n) step i#2++
                  5:8 decl i#2:i32@5:12 = 0
                5:31 g@5:31(i#2)
            fn h(n:i32) Partial: code.h is included at line 8
              9:3 g@9:3(n)
            fn k(n:i32) Partial: nested.h is included at line 12
              13:3 g@13:3(n)
        "#]],
    );
}

#[test]
fn statement_macros_with_several_definitions_become_alternatives() {
    check_with(
        &[(
            "a.h",
            "#ifdef DEBUG
#define TRACE(x) trace(x)
#define ENTER enter(); if (deep) push(__LINE__); {
#define STEP i++
#else
#define TRACE(x)
#define ENTER enter(); {
#define STEP
#endif
#define LEAVE leave(); }
",
        )],
        "#include \"a.h\"
int f(int i) { ENTER
  TRACE(i);
  if (i) TRACE(i);
  STEP;
  return i;
LEAVE }",
        expect![[r#"
            fn f(i:i32)
              2:16' enter@2:16'()
              2:16' alternatives
                2:16' group
                  2:16' if @deep
                    2:16' push@2:16'(2)
                2:16' empty
              2:16 block
                3:3' alternatives
                  3:3' group
                    3:3' trace@3:3'(i)
                  3:3' group
                    3:3' empty
                4:3 if i
                  4:10 MACRO TRACE@4:10(i)
                5:3' alternatives
                  5:3' group
                    5:3' i++
                  5:3' group
                    5:3' empty
                6:3 return i
                7:1' leave@7:1'()
        "#]],
    );
}

#[test]
fn conditional_definitions_are_trusted_only_when_nothing_else_can_be_meant() {
    check(
        "#ifdef SEQUENTIAL
#define MPI_Send my_send
#define TRACE(x) trace(x)
#endif
#ifndef N
#define N 10
#endif
#ifndef REAL
#define REAL double
#endif
#ifndef MAX
#define MAX(a, b) ((a) > (b) ? (a) : (b))
#endif
int f(int x) { REAL r = N; MPI_Send(x); TRACE(x); return MAX(x, N); }
#ifndef K
#define K 1
#else
#define J 2
#endif
int g(void) { return J; }",
        expect![[r#"
            fn f(x:i32)
              14:16 decl r:f64@14:21 = @N
              14:28 MACRO MPI_Send@14:28(x)
              14:41' trace@14:41'(x)
              14:51 return ((x Gt @N) ? x : @N)
            fn g()
              20:15 return @J
        "#]],
    );
}

#[test]
fn an_ambiguous_macro_that_names_variables_is_no_variable() {
    check(
        "#ifdef A
#define LAST s->last
#define SIZE 10
#else
#define LAST t->last
#define SIZE 20
#endif
int f(int x) { return LAST + SIZE; }
int g(int x) { LAST = 1; return x; }",
        expect![[r#"
            fn f(x:i32)
              8:16 return (unknown[] Add @SIZE)
            fn g(x:i32)
              9:16 *(build choice ? &@s->last : &@t->last) = 1
              9:26 return x
        "#]],
    );
}

#[test]
fn renamed_functions_keep_their_name() {
    check_with(
        &[(
            "m.h",
            "#ifdef RENAME
#define PREFIX(n) my_##n
#define walk PREFIX(walk)
#define run stub_run
#define stop PREFIX(stop)
#define gather MPI_Gather
#define twin twin2
#define twin2(x) x
#endif
void stub_run(void), gather(int), twin(int);
",
        )],
        "#include \"m.h\"
void walk(int n) { walk(n - 1); run(); stop(); gather(n); twin(n); use(walk, run); }",
        expect![[r#"
            address taken: stub_run walk
            fn walk(n:i32)
              2:20 walk@2:20((n Sub 1))
              2:33 MACRO run@2:33()
              2:40 MACRO stop@2:40()
              2:48 MACRO gather@2:48(n)
              2:59 MACRO twin@2:59(n)
              2:68 use@2:68(@walk, unknown[])
        "#]],
    );
}

#[test]
fn macros_that_vanish_in_every_build_and_members_behind_macros() {
    check_with(
        &[
            (
                "a.h",
                "#ifdef A
#define PUBLIC __attribute__((visibility(\"default\")))
#define UNUSED __attribute__((unused))
#else
#define PUBLIC
#define UNUSED
#endif
#define EXPORT PUBLIC
#ifdef B
#define Data(h) ((h)->data)
#define Rows(h) Data(h)->rows
#define Named(h) ((h)->data)
#define Start(n) for (int s = 0; s < n; s++) {
#define CALL(f, ...) f(1, __VA_ARGS__)
#else
#define CALL(...) g(__VA_ARGS__)
#endif
#define STOP }
",
            ),
            ("f.h", "void *Named(struct h *);\n"),
            ("fortran.h", "! For Fortran\n#define PUBLIC integer\n"),
        ],
        "#include \"a.h\"
#include \"fortran.h\"
EXPORT int f(UNUSED struct h *h) { Rows(h) = 1; free(Data(h)); CALL(k); return 0; }
int g(struct h *h) { return Named(h); }
int l(int n) { Start(n) k(s); STOP return 0; }",
        expect![[r#"
            fn f(h:ptr)
              3:36 h->data->rows = 1
              3:49 free@3:49(h->data)
              3:64' g@3:64'(@k)
              3:73 return 0
            fn g(h:ptr)
              4:22 return MACRO Named@4:29(h)
            fn l(n:i32) Repaired: macro Start at line 5 is taken to be defined
              5:16 for (s Lt n) step s++
                  5:16' decl s:i32@5:16 = 0
                5:16 block
                  5:25 k@5:25(s)
              5:36 return 0
        "#]],
    );
}

#[test]
fn invocations_without_semicolons_between_functions() {
    check(
        "#define DEFINE(T) static T get_##T(void) { return 0; }
#ifndef GUARD_H
#define GUARD_H
#ifdef A
DEFINE(int) DEFINE(long)
#endif
DEFINE(char)
#endif",
        expect![[r#"
            static fn get_int()
              5:1' return 0
            static fn get_long()
              5:13' return 0
            static fn get_char()
              7:1' return 0
        "#]],
    );
}

#[test]
fn macros_of_several_definitions_in_expressions() {
    check_with(
        &[(
            "a.h",
            "#ifdef LOG
#define Send(n) ((sent += 1) || Send(n))
#endif
#ifdef A
#define LAST next()
#else
#define LAST 7
#endif
#ifdef B
#define BEGIN enter(); {
#define END } leave();
#else
#define BEGIN enter(); {
#define END leave(); if (deep) trace(); }
#endif
#define CHECK(x) do { int e = x; if (e) die(e); } while (0)
#ifdef C
#define Step i++
#endif
#define TWICE(x) ((x) + Step)
",
        )],
        "#include \"a.h\"
int f(int n) { int e = Send(n); CHECK(Send(g(n))); return LAST; }
int h(int n) { BEGIN
  g(n);
END }
int k(int n) { int leave = 1; BEGIN { int deep; } g(n); END }
int l(int i) { return TWICE(i); }
int m(int n) { extern integer a_(const char *, T *), b_(T *, T *); return b_(n, n); }",
        expect![[r#"
            fn f(n:i32)
              2:16 decl e#1:i32@2:20 = (build choice ? (@sent Add= 1 || Send@2:24'(n)) : Send@2:24'(n))
              2:33' do-while 0 step -
                2:33' block
                  2:33' decl e#2:i32@2:33 = (build choice ? (@sent Add= 1 || Send@2:33'(g@2:33'(n))) : Send@2:33'(g@2:33'(n)))
                  2:33' if e#2
                    2:33' die@2:33'(e#2)
              2:52 return MACRO LAST@2:59()
            fn h(n:i32)
              3:16' enter@3:16'()
              3:16 block
                4:3 g@4:3(n)
                5:1' leave@5:1'()
                5:1' alternatives
                  5:1' empty
                  5:1' group
                    5:1' if @deep
                      5:1' trace@5:1'()
            fn k(n:i32) Partial: macro END at line 6 has several definitions and hides part of a statement
              6:16 decl leave:i32@6:20 = 1
              6:31' enter@6:31'()
              6:31 block
                6:37 block
                  6:39 decl deep:i32@6:43
                6:51 g@6:51(n)
              6:57' [leave]@6:57'()
            fn l(i:i32)
              7:16 return (i Add i++)
            fn m(n:i32)
              8:16 empty
              8:68 return b_@8:75(n, n)
        "#]],
    );
}

#[test]
fn macros_that_are_left_as_they_are_say_what_they_write() {
    check_with(
        &[(
            "a.h",
            "#if A\n#define NEXT(n) step(&it, n)\n#elif B1\n#define NEXT(n) (total += (n), it++)\n#elif B2\n#define NEXT(n) (it = n)\n#elif B3\n#define NEXT(n) one\n#elif B4\n#define NEXT(n) (n)\n#endif\n#if A\n#define ENTER (deep.level++, 1)\n#elif B1\n#define ENTER push(__func__)\n#elif B2\n#define ENTER 1\n#elif B3\n#define ENTER 2\n#elif B4\n#define ENTER 3\n#endif\n#if A\n#define SKIP(x) if (x) continue\n#elif B1\n#define SKIP(x) if (x) break\n#elif B2\n#define SKIP(x) \n#elif B3\n#define SKIP(x) x\n#elif B4\n#define SKIP(x) g(x)\n#endif\n",
        )],
        "#include <a.h>
int total;
void f(int n) { int it = 0; while (it < n) { g(NEXT(n)); } }
void h(int n) { int i = f(ENTER + n); }
void k(int n) { while (n--) { SKIP(n); g(n); } }",
        expect![[r#"
            2:5 global total: i32 = 0
            fn f(n:i32)
              3:17 decl it:i32@3:21 = 0
              3:29 while (it Lt n) step -
                3:44 block
                  3:46 g@3:46(MACRO NEXT@3:48(n, (build choice && it = unseen), (build choice && @total = unseen)))
            fn h(n:i32)
              4:17 decl i:i32@4:21 = f@4:25((MACRO ENTER@4:27() Add n))
            fn k(n:i32) Partial: macro SKIP at line 5 has several definitions and hides a jump
              5:17 while n-- step -
                5:29 block
                  5:31 MACRO SKIP@5:31(n)
                  5:40 g@5:40(n)
        "#]],
    );
}

#[test]
fn arguments_that_only_some_builds_have() {
    check_with(
        &[(
            "a.h",
            "#ifdef A\n#define MORE(x) , x\n#define PARAM(x) , void *x\n#else\n#define MORE(x)\n#define PARAM(x)\n#endif\n",
        )],
        "#include <a.h>
void f(int *p PARAM(q)) { g(p MORE(q)); g(p MORE(q), 1); }
void h(int *p PARAM(q)) { g(p MORE(q) MORE(q)); }
void k(int *p PARAM(q)) { g(p MORE(q)); }",
        expect![[r#"
            fn f(p:ptr, q:ptr) Partial: macro with arguments in the place of a type at line 2
              2:27 g@2:27(p, q)
              2:41 empty
            fn h(p:ptr, q:ptr)
              3:27 g@3:27(p, q, q)
            fn k(p:ptr, q:ptr)
              4:27 g@4:27(p, q)
        "#]],
    );
}

#[test]
fn what_cannot_hold_a_function_is_no_warning() {
    // Fortran, an enumerator with an attribute, and braces in a string; and what may be a function.
    check(
        "! a header of Fortran\n      integer, parameter :: n = 3\n",
        expect![[r#"
            1:12 global of: ? = 0
            2:7 global integer: ? = 0
            2:16 global parameter: ? = 3
        "#]],
    );
    check(
        "typedef enum {\n  OLD DEPRECATED_ENUM(\"use NEW\") = 1,\n  NEW = 2\n} Kind;\nint f(void) { return NEW; }\n",
        expect![[r#"
            fn f()
              5:15 return 2
        "#]],
    );
    check(
        "EXTERN DEPRECATED(\"use {A|B}\") Code old(int);\nint f(void) { return 1; }\n",
        expect![[r#"
            fn f()
              2:15 return 1
            warning: t.c:1:1: text at line 1 is not understood; functions inside it may be missing
        "#]],
    );
    check(
        "int f(int x)) { return 1; }\n",
        expect![[r#"
        fn f(x:i32) Partial: syntax error at line 1
          1:17 return 1
    "#]],
    );
    check(
        "int f(int x)) } { g(x); }\nint h(void) { return 1; }\n",
        expect![[r#"
        fn f(x:i32) Partial: syntax error at line 1
          1:19 g@1:19(x)
        fn h()
          2:15 return 1
    "#]],
    );
}

#[test]
fn words_that_say_that_they_are_attributes() {
    check(
        "int f(LIB_UNUSED int a, LIB_UNUSED T *b) {\n  LIB_UNUSED int c;\n  T LIB_UNUSED d = a, e;\n  LIB_UNUSED const char *s;\n  OTHER int g;\n  return c + UNUSED;\n}\n",
        expect![[r#"
            fn f(a:i32, b:ptr) Partial: syntax error at line 5
              2:14 decl c:i32@2:18
              3:3 group
                3:16 decl d:?@3:16 = a
                3:23 decl e:?@3:23
              4:14 decl s:ptr@4:26
              5:3 decl int:?@5:9
              6:3 return (c Add @UNUSED)
        "#]],
    );
}

#[test]
fn parameters_that_only_some_builds_have() {
    let header = (
        "m.h",
        "#ifdef TWO\n#define PROTO(p) , void *p\n#define PARAM(p) , p\n#else\n#define PROTO(p)\n#define PARAM(p)\n#endif\n",
    );
    check_with(
        &[header],
        "#include \"m.h\"\nvoid f(int a PROTO(b) PROTO(c)) {\n  g(a PARAM(b) PARAM(c));\n  h(a PARAM(b));\n}\n",
        expect![[r#"
            fn f(a:i32, b:ptr, c:ptr)
              3:3 g@3:3(a, b, c)
              4:3 h@4:3(a, b)
        "#]],
    );
}

#[test]
fn enumerators_of_headers() {
    let tags = "#ifndef TAGS_H\n#define TAGS_H\n#include \"base.h\"\n\
        enum { TAG_A = 3, TAG_B, TAG_C = TAG_B + (1 << OFFSET), TAG_D = BASE, last_tag };\n\
        typedef enum role { ROLE_ROOT = 'a', ROLE_OTHER = -2 } role_t;\n\
        struct message { enum { KIND_PLAIN = 7 } kind; };\n\
        #ifdef BIG\nenum { CHOSEN = 1, AFTER };\n#endif\n\
        enum { FAR = 0x7fffffff, ODD = sizeof(int), BEHIND, SHARED = 4 };\n\
        int helper(void) { enum { INSIDE = 5 }; return INSIDE; }\n#endif\n";
    let base = "#define BASE (100 + TEN)\n#define TEN 10\nenum { OFFSET = 2, SHARED = 5 };\n";
    let unsure = "enum { UNSURE = 1 };\n";
    check_with(
        &[
            ("tags.h", tags),
            ("base.h", base),
            ("x/unsure.h", unsure),
            ("y/unsure.h", unsure),
            ("not.h", "enum { NOT = 9 };\n"),
        ],
        "#include \"tags.h\"\n#include <unsure.h>\nint other = TAG_B;\nint last_tag_of;\n\
        void f(int NOT) {\n    g(TAG_A, TAG_B, TAG_C, TAG_D, last_tag);\n    g(ROLE_ROOT, ROLE_OTHER, KIND_PLAIN);\n\
        \x20   g(CHOSEN, AFTER, FAR, ODD, BEHIND, SHARED);\n    g(INSIDE, UNSURE, NOT);\n    int TAG_A = 8;\n    g(TAG_A);\n}\n",
        expect![[r#"
            3:5 global other: i32 = 4
            4:5 global last_tag_of: i32 = 0
            fn f(NOT:i32)
              6:5 g@6:5(3, 4, 8, 110, 111)
              7:5 g@7:5(97, -2, 7)
              8:5 g@8:5(const, const, 2147483647, const, const, const)
              9:5 g@9:5(@INSIDE, @UNSURE, NOT)
              10:5 decl TAG_A:i32@10:9 = 8
              11:5 g@11:5(TAG_A)
        "#]],
    );
}

#[test]
fn enumerators_of_headers_in_cxx() {
    let header = "namespace tags { enum { halo = 4 }; namespace deep { enum class Kind : int { Work = 6, Stop }; } }\n\
        template <class T> struct Comm { enum Which { TAG_HALO = 11, low }; void go(); };\n\
        class Other { enum { low = 12, TAG_TWICE = 1 }; int free; };\nclass Again { enum { TAG_TWICE = 2 }; };\nenum { ROWS = 5 };\n";
    check_as(
        "a.cpp",
        &[("tags.hpp", header)],
        "#include \"tags.hpp\"\nint free_one;\nvoid f() {\n    g(tags::halo, (int)tags::deep::Kind::Stop, Kind::Work);\n    g(TAG_HALO, TAG_TWICE, Other::TAG_TWICE, Other::low, Comm<int>::low);\n    g(halo, Work, low);\n}\ntemplate <int ROWS> int rows() { return ROWS; }\nint all() { return ROWS; }\n",
        expect![[r#"
            2:5 global free_one: i32 = 0
            fn f()
              4:5 g@4:5(4, (i32)7, 6)
              5:5 g@5:5(11, const, 1, 12, 12)
              6:5 g@6:5(&@halo, &@Work, &@low)
            fn rows()
              8:34 return @ROWS
            fn all()
              9:13 return 5
        "#]],
    );
}
