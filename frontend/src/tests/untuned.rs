//! What trees write that nobody tuned for: each class of text that was read in part before, and beside it what must stay so.

use super::{check, check_cxx, check_with};
use expect_test::expect;

#[test]
fn macros_within_macros_that_builds_define_as_statements() {
    // Without a semicolon, so that left alone they would swallow what follows.
    check(
        "#ifdef STACK
#define PUSH push_name(__func__);
#define INIT(e) if (!ready) { ready = 1; if (init() < 0) { r = e; goto done; } }
#else
#define PUSH
#define INIT(e)
#endif
#define ENTER(e) { int err = 0; INIT(e) PUSH if (go) {
#define LEAVE(x) ; } return x; }
int ready, go;
int f(int x) {
  int r = 0;
  ENTER(-1)
  x = g(x);
done:
  LEAVE(r)
}
",
        expect![[r#"
            10:5 global ready: i32 = 0
            10:12 global go: i32 = 0
            fn f(x:i32)
              12:3 decl r:i32@12:7 = 0
              13:3 block
                13:3' decl err:i32@13:3 = 0
                13:3' alternatives
                  13:3' group
                    13:3' if !@ready
                      13:3' block
                        13:3' @ready = 1
                        13:3' if (init@13:3'() Lt 0)
                          13:3' block
                            13:3' r = -1
                            13:3' goto done
                  13:3' empty
                13:3' alternatives
                  13:3' group
                    13:3' push_name@13:3'("")
                  13:3' empty
                13:3 if @go
                  13:3 block
                    14:3 x = g@14:7(x)
                    15:1 group
                      15:1 label done
                      16:3' empty
                16:3' return r
        "#]],
    );
}

#[test]
fn a_macro_in_a_macro_that_hides_half_a_statement() {
    check(
        "#ifdef A
#define HALF if (x)
#else
#define HALF
#endif
#define RUN(y) g(0); HALF g(y);
int f(int x) { RUN(1) return x; }
",
        expect![[r#"
            fn f(x:i32) Partial: macro HALF, which the one at line 7 stands for, could not be expanded and hides part of a statement
              7:16' g@7:16'(0)
              7:16' empty
              7:23 return x
        "#]],
    );
}

#[test]
fn names_put_together_of_what_builds_decide() {
    let text = |name: &str| {
        format!(
            "#ifdef A\n#define KIND YES\n#else\n#define KIND NO\n#endif\n#define {name}(e) goto out;\n#define GLUE(a, b) a##b\n\
             #define INIT(k, e) GLUE(PRE_, k)(e)\nint f(int x) {{ INIT(KIND, x) x = 1; out: return x; }}\n\
             int g(int x) {{ INIT(KIND, x); x = 1; return x; }}\n"
        )
    };
    // `PRE_NO` is a macro that jumps: whether it is meant depends on the build.
    check(
        &text("PRE_NO"),
        expect![[r#"
            fn f(x:i32) Partial: macro INIT at line 9 calls another, and which one depends on the build
              9:16 MACRO INIT@9:16(unknown[], x) = 1
              9:37 group
                9:37 label out
                9:42 return x
            fn g(x:i32) Partial: macro INIT at line 10 calls another, and which one depends on the build
              10:16 MACRO INIT@10:16(unknown[], x)
              10:31 x = 1
              10:38 return x
        "#]],
    );
    check(
        &text("OTHER"),
        expect![[r#"
        fn f(x#1:i32) Partial: macro with arguments in the place of a type at line 9
          9:16 decl x#2:?@9:30 = 1
          9:37 group
            9:37 label out
            9:42 return x#2
        fn g(x:i32)
          10:16' MACRO PRE_KIND@10:16'(x)
          10:31 x = 1
          10:38 return x
    "#]],
    );
}

#[test]
fn operands_of_the_comma_operator_that_some_builds_have() {
    check(
        "#ifndef PRIVATE
#define CHECKED check(),
#else
#define CHECKED
#endif
#define TRUNC (CHECKED 2u)
#define LISTED g(CHECKED 2u)
int f(int x) { return open(x, TRUNC); }
int h(int x) { return LISTED; }
",
        expect![[r#"
            fn f(x:i32)
              8:16 return open@8:23(x, ((build choice ? check@8:31'() : 0), (u32)2))
            fn h(x:i32)
              9:16 return MACRO LISTED@9:23()
        "#]],
    );
}

#[test]
fn a_macro_is_what_it_is_in_the_arm_of_the_macro_around_it() {
    check(
        "#ifdef LOGGING
#define slot(f) log_slot
#define BEGIN if (on) { slot(f) = next(); }
#else
#define BEGIN
#endif
int on, log_slot;
int f(int x) { g(); BEGIN; return x; }
",
        expect![[r#"
            7:5 global on: i32 = 0
            7:9 global log_slot: i32 = 0
            fn f(x:i32)
              8:16 g@8:16()
              8:21' alternatives
                8:21' group
                  8:21' if @on
                    8:21' block
                      8:21' @log_slot = next@8:21'()
                8:21' empty
              8:21' empty
              8:28 return x
        "#]],
    );
    // In another arm it is not known to be there.
    check(
        "#ifdef LOGGING
#define slot(f) log_slot
#endif
#define BEGIN if (on) { slot(f) = next(); }
int on, log_slot;
int f(int x) { g(); BEGIN; return x; }
",
        expect![[r#"
            5:5 global on: i32 = 0
            5:9 global log_slot: i32 = 0
            address taken: f
            fn f(x:i32) Partial: assignment to something that is no variable at line 6
              6:16 g@6:16()
              6:21' if @on
                6:21' block
                  6:21' MACRO slot@6:21'(@f) = next@6:21'()
              6:26 empty
              6:28 return x
        "#]],
    );
}

#[test]
fn what_is_assigned_to_by_a_macro_is_a_variable() {
    check(
        "#ifdef PKG
#define READY pkg_ready
#else
#define READY (1)
#endif
#define INIT(x) { READY = x; }
int pkg_ready;
int f(int x) { INIT(x) return x; }
",
        expect![[r#"
            7:5 global pkg_ready: i32 = 0
            fn f(x:i32)
              8:16' block
                8:16' @pkg_ready = x
              8:24 return x
        "#]],
    );
}

#[test]
fn invocations_that_look_like_functions_of_cxx() {
    check_cxx(
        "#if !NO_TEST
#define TEST(a, b) class a##b { public: void body(); }; void a##b::body()
#endif
class Plain { public: Plain(int &x); };
TEST(one, two) {
  g(1);
}
TEST(one, three)
{
  for (int i = 0; i < 3; i++) g(i);
}
void k(int x) { Plain p(x); h(x); }
",
        expect![[r#"
            fn onetwo::body()
              6:3 g@6:3(1)
            fn onethree::body()
              10:3 for (i Lt 3) step i++
                  10:8 decl i&:i32@10:12 = 0
                10:31 g@10:31(&i)
            fn k(x&:i32)
              12:17 decl p:struct@12:23 = Plain@12:23(&x)
              12:29 h@12:29(&x)
        "#]],
    );
}

#[test]
fn an_else_blocker_is_nothing() {
    check(
        "#ifdef INTEL
#define BLOCKER
#else
#define BLOCKER switch (0) case 0: default:
#endif
#define EXPECT(x) BLOCKER if (x) ; else fail()
int f(int x) { EXPECT(x > 0); return x; }
",
        expect![[r#"
            fn f(x:i32)
              7:16' if (x Gt 0) else@7
                7:16' empty
                7:16' fail@7:16'()
              7:31 return x
        "#]],
    );
    // This one chooses.
    check(
        "#ifdef INTEL
#define BLOCKER
#else
#define BLOCKER switch (mode) case 0: default:
#endif
#define EXPECT(x) BLOCKER if (x) ; else fail()
int f(int x) { EXPECT(x > 0); return x; }
",
        expect![[r#"
            fn f(x:i32)
              7:16 MACRO EXPECT@7:16((x Gt 0))
              7:31 return x
        "#]],
    );
}

#[test]
fn unknown_words_beside_types() {
    check_cxx(
        "static inline Simd call_conv operator+(Simd a, Simd b) { return plus(a, b); }
static inline std::int32_t call_conv extract(Simd a) { return get(a); }
call_conv static inline int low(Simd a) { return get(a); }
void stop(const Logger maybe_unused& logger, double maybe_unused* d, fmt_attr const char* fmt) { log(logger); }
void step(const rvec* no_alias x) { const rvec* const no_alias y = x; use(y); }
int run(int n) { each(n, [=] ON_DEVICE (int i) { g(i); }); return n; }
",
        expect![[r#"
            address taken: operator() operator+
            static fn operator+(a&:?, b&:?) Repaired: 'call_conv' taken for an attribute at line 1
              1:58 return plus@1:65(&a, &b)
            static fn extract(a&:?) Repaired: 'call_conv' taken for an attribute at line 2
              2:56 return get@2:63(&a)
            static fn low(a&:?)
              3:43 return get@3:50(&a)
            fn stop(logger:ptr, d:ptr, fmt:ptr) Repaired: 'maybe_unused' taken for an attribute at line 4
              4:98 log@4:98(*logger)
            fn step(x:ptr) Repaired: 'no_alias' taken for an attribute at line 5
              5:37 decl y&:ptr@5:64 = x
              5:71 use@5:71(&y)
            fn run(n&:i32) Repaired: 'ON_DEVICE' taken for an attribute at line 6
              6:18 each@6:18(&n, {})
              6:60 return n
            static fn (lambda)::operator()(i&:i32) Repaired: 'ON_DEVICE' taken for an attribute at line 6
              6:50 g@6:50(&i)
        "#]],
    );
}

#[test]
fn unknown_words_that_are_values_or_statements_stay() {
    // `n` is the parameter, whatever `odd` is, and `LOCK` may hide a statement.
    check_cxx(
        "int f(int n odd) { return n; }
int g(T n odd) { while (n < 3) h(n); return n; }
void k(Plan *p) { LOCK Plan q = *p; run(q); }
",
        expect![[r#"
            fn f(odd:i32) Partial: syntax error at line 1
              1:20 return @n
            fn g(odd:?) Partial: syntax error at line 2
              2:18 while (@n Lt 3) step -
                2:32 h@2:32(&@n)
              2:38 return @n
            fn k(p:ptr) Partial: syntax error at line 3
              3:19 decl Plan:?@3:24 = *p
              3:37 run@3:37(&@q)
        "#]],
    );
}

#[test]
fn unknown_words_beside_string_literals() {
    check(
        "void f(long n) { print(\"%\" PRId64 \")\", n); print(\"%\" FORMAT, n); }
int g(int x) { return x ? call(\"a\") : other \"b\"; }
",
        expect![[r#"
            fn f(n:i64) Repaired: 'FORMAT' taken for a string at line 1
              1:18 print@1:18("", n)
              1:44 print@1:44("", n)
            fn g(x:i32) Repaired: 'other' taken for a string at line 2
              2:16 return (x ? call@2:27("") : "")
        "#]],
    );
}

#[test]
fn lambdas_that_unknown_macros_begin() {
    check_cxx(
        "int f(int n) {
  int done = 0;
  each(\"name\", n, LIB_LAMBDA(const int i) { done = i; });
  while (done < n) { step(n, LIB_LAMBDA(int i) { g(i); }); done++; }
  return done;
}
int h(int n) { each(n, LIB_BLOCK(int i) { g(i); }); return n; }
",
        expect![[r#"
            address taken: operator()
            fn f(n&:i32) Repaired: 'LIB_LAMBDA' taken for the captures of a lambda at line 3
              2:3 decl done&:i32@2:7 = 0
              3:3 each@3:3("", &n, {&done})
              4:3 while (done Lt n) step -
                4:20 block
                  4:22 step@4:22(&n, {})
                  4:60 done++
              5:3 return done
            static fn (lambda)::operator()(i:i32) Repaired: 'LIB_LAMBDA' taken for the captures of a lambda at line 3
              3:45 **this->done (captured) = i
            static fn (lambda)::operator()(i&:i32) Repaired: 'LIB_LAMBDA' taken for the captures of a lambda at line 4
              4:50 g@4:50(&i)
            fn h(n&:i32) Partial: expression that is not understood at line 7
              7:16 each@7:16(&n, unknown[MACRO LIB_BLOCK@7:24(const)], g@7:43(&@i))
              7:53 return n
        "#]],
    );
}

#[test]
fn what_the_grammar_of_cxx_lacks() {
    check_cxx(
        "template <typename T> T load(const T *m, Tag = {}) { return get(m, typename Traits<T>::tag()); }
int f(const std::vector<int> &x = {1, 2}, int n = 3) { typename T::value v; g(x); return n; }
",
        expect![[r#"
            fn load(m&:ptr, :?)
              1:54 return get@1:61(&m, tag@1:77())
            fn f(x:ptr, n:i32)
              2:56 decl v:?@2:74 = {}
              2:77 g@2:77(x)
              2:83 return n
        "#]],
    );
}

#[test]
fn groups_among_operands() {
    check(
        "int f(int a, int b, int c) {
  if (a == b
#ifdef THREE
      && b == c
#endif
     ) g();
  while (a ||
#ifdef THREE
         c ||
#endif
         b) h();
  if (a
#ifdef THREE
      || c
#endif
      && b) k();
  return a;
}
",
        expect![[r#"
            fn f(a:i32, b:i32, c:i32) Partial: #if at line 13 splits a statement
              2:3 if ((a Eq b) && (!build choice || (b Eq c)))
                6:8 g@6:8()
              7:3 while ((a || (build choice && c)) || b) step -
                11:13 h@11:13()
              12:3 if (a || (c && b))
                16:13 k@16:13()
              17:3 return a
        "#]],
    );
}

#[test]
fn statements_that_groups_cut() {
    check(
        "int f(int a, int b, int c) {
  g(a,
#ifdef THREE
    c,
#endif
    b
#ifdef THREE
    , c
#endif
   );
  if (a)
    return h(a
#ifdef THREE
             + c
#else
             + 1
#endif
            );
  else
    k(
#ifdef FOUR
      4,
#endif
      1);
  return
#ifdef THREE
    c;
#else
    a;
#endif
}
",
        expect![[r#"
            fn f(a:i32, b:i32, c:i32) Partial: #if at line 26 splits a statement
              2:3 alternatives
                2:3 group
                  2:3 g@2:3(a, c, b, c)
                2:3 group
                  2:3 g@2:3(a, b)
              11:3 if a else@19
                12:5 block
                  12:5 alternatives
                    12:5 group
                      12:5 return h@12:12((a Add c))
                    12:5 group
                      12:5 return h@12:12((a Add 1))
                20:5 block
                  20:5 alternatives
                    20:5 group
                      20:5 k@20:5(4, 1)
                    20:5 group
                      20:5 k@20:5(1)
              25:3 return c
        "#]],
    );
}

#[test]
fn arms_that_end_with_a_macro_that_ends_its_statement() {
    check(
        "#define FAIL(x) { r = x; goto done; }
int f(int a) {
  int r = 0;
#ifdef PARALLEL
  if (g(a) < 0)
    FAIL(-1)
#endif
  h(a);
done:
  return r;
}
",
        expect![[r#"
            fn f(a:i32)
              3:3 decl r:i32@3:7 = 0
              4:1 alternatives
                5:3 group
                  5:3 if (g@5:7(a) Lt 0)
                    6:5' block
                      6:5' r = -1
                      6:5' goto done
                4:1 empty
              8:3 h@8:3(a)
              9:1 group
                9:1 label done
                10:3 return r
        "#]],
    );
}

#[test]
fn macros_of_several_definitions_behind_labels_and_conditions() {
    check(
        "#ifdef OLD
#define TRY { int v; save(&v); if (v) { old(v); }
#define END_TRY if (v) back(v); }
#define FAIL(m) { int e = errno; note(m, e); r = -1; goto done; }
#else
#define TRY { save(0);
#define END_TRY back(0); }
#define FAIL(m) { note(m, 0); r = -1; goto done; }
#endif
int f(int a) {
  int r = 0;
  if (a < 0)
    FAIL(\"a\")
  else
    g(a);
done:
  TRY
  {
    close(a);
  }
  END_TRY;
  return r;
}
",
        expect![[r#"
            fn f(a:i32)
              11:3 decl r:i32@11:7 = 0
              12:3 if (a Lt 0) else@14
                13:5 block
                  13:5' block
                    13:5' alternatives
                      13:5' group
                        13:5' decl e:i32@13:5 = @errno
                        13:5' note@13:5'("", e)
                      13:5' group
                        13:5' note@13:5'("", 0)
                    13:5' r = -1
                    13:5' goto done
                15:5 g@15:5(a)
              16:1 group
                16:1 label done
                16:6' empty
              17:3 block
                17:3' alternatives
                  17:3' group
                    17:3' decl v&:i32@17:3
                    17:3' save@17:3'(&v)
                    17:3' if v
                      17:3' block
                        17:3' old@17:3'(v)
                  17:3' group
                    17:3' save@17:3'(0)
                18:3 block
                  19:5 close@19:5(a)
                21:3' alternatives
                  21:3' group
                    21:3' if v
                      21:3' back@21:3'(v)
                  21:3' group
                    21:3' back@21:3'(0)
              21:3' empty
              22:3 return r
        "#]],
    );
}

#[test]
fn functions_whose_names_builds_change() {
    check_with(
        &[(
            "n.h",
            "#ifdef F77\n#define INIT_X F77(initx, INITX)\n#else\n#define INIT_X initx_\n#endif\n#define MAKE(f) int f##_made\n",
        )],
        "#include \"n.h\"\nvoid INIT_X(int *a) { while (*a < 3) ++*a; }\nMAKE_IT(f) { g(); }\n",
        expect![[r#"
            fn INIT_X(a:ptr)
              2:23 while (*a Lt 3) step -
                2:38 ++*a
            fn MAKE_IT()
              3:14 g@3:14()
        "#]],
    );
}

#[test]
fn heads_of_old_style_with_pointers() {
    check(
        "void f(c)
FILE *c;
{
  g(c);
}
static void
h(c, n)
  struct s *c;
  int n, (*what)();
{
  g(n);
}
",
        expect![[r#"
            fn f(c:ptr)
              4:3 g@4:3(c)
            static fn h(c:ptr, n:i32)
              11:3 g@11:3(n)
        "#]],
    );
}

#[test]
fn unknown_words_alone_between_items() {
    check_cxx(
        "LIB_NAMESPACE_OPEN

#ifdef LIB_WITH_MORE
#include \"more.h\"
#endif

namespace inner
{
  LIB_NO_WARNINGS
  int f(int n) { return g(n); }
  struct kind { LIB_OBJECT
    int h() { return g(1); }
  };
}
LIB_TYPE
k(int n) { return g(n); }
enum which {
  LIB_ONLY
};
LIB_NAMESPACE_CLOSE
",
        expect![[r#"
            fn inner::f(n&:i32)
              10:18 return g@10:25(&n)
            fn inner::kind::h()
              12:15 return g@12:22(1)
            fn k(n&:i32)
              16:12 return g@16:19(&n)
        "#]],
    );
}
