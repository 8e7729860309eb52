//! Conditional groups, `#if … #endif`: where they stand for statements, and where they cut some.

use super::check;
use expect_test::expect;

#[test]
fn conditional_groups() {
    check(
        "int f(int x) {
#if 0
  dead(; {
#else
  live();
#endif
#ifdef A
  int i = 1; a(i);
#elif defined(B)
  int i = 2;
#else
  int i = 3;
#endif
#if VERSION > 3
  c();
#endif
#ifdef OMP
#pragma omp parallel for
#endif
  for (; i < x; i++) { }
  switch (x) {
  case 1:
#ifdef C
    d(); break;
  case 2:
#endif
    e();
  }
 out:
#ifdef D
  return 1;
#endif
  return i;
}",
        expect![[r#"
            fn f(x:i32)
              5:3 live@5:3()
              7:1 alternatives
                8:3 group
                  8:3 decl i:i32@8:7 = 1
                  8:14 a@8:14(i)
                10:3 group
                  10:3 decl i:i32@8:7 = 2
                12:3 group
                  12:3 decl i:i32@8:7 = 3
              14:1 alternatives
                15:3 group
                  15:3 c@15:3()
                14:1 empty
              20:3 for (i Lt x) step i++ divided
                20:22 block
              21:3 switch x
                21:14 block
                  22:3 group
                    22:3 case 1
                    22:10' empty
                  23:1 alternatives
                    24:5 group
                      24:5 d@24:5()
                      24:10 break
                      25:3 group
                        25:3 case 2
                    23:1 empty
                  27:5 e@27:5()
              29:2 group
                29:2 label out
                29:6' empty
              30:1 alternatives
                31:3 group
                  31:3 return 1
                30:1 empty
              33:3 return i
        "#]],
    );
}

#[test]
fn groups_that_split_a_statement() {
    check(
        "int f(int x) {
  g(x
#ifdef A
    , 1
#endif
  );
  return x;
}
#ifdef B
int h(int x) {
#else
int h(double x) {
#endif
  return 1;
}
int ok(void) { return 2; }",
        expect![[r#"
            fn f(x:i32)
              2:3 alternatives
                2:3 group
                  2:3 g@2:3(x, 1)
                2:3 group
                  2:3 g@2:3(x)
              7:3 return x
            fn h(x:i32) Partial: #if at line 9 splits a statement
              14:3 return 1
            fn ok()
              16:16 return 2
        "#]],
    );
}

#[test]
fn a_group_that_ends_in_else() {
    check(
        "int f(int x) {
#ifdef GPU
  int where = place(x);
  if (where) {
    gpu(x);
  } else
#endif
  {
    cpu(x);
  }
  return x;
}",
        expect![[r#"
            fn f(x:i32)
              2:1 alternatives
                3:3 group
                  3:3 decl where:i32@3:7 = place@3:15(x)
                  4:3 if where else@6
                    4:14 block
                      5:5 gpu@5:5(x)
                    8:3 block
                      9:5 cpu@9:5(x)
                8:3 group
                  8:3 block
                    9:5 cpu@9:5(x)
              11:3 return x
        "#]],
    );
}

#[test]
fn linkage_blocks_guards_and_both_arms_around_functions() {
    check(
        "#ifndef T_H
#define T_H
#ifdef __cplusplus
extern \"C\" {
#endif
static inline int f(void) { return 1; }
#ifdef A
int g(void) { return 2; }
#else
int g(void) { return 3; }
#endif
#ifdef __cplusplus
}
#endif
#endif",
        expect![[r#"
            static fn f()
              6:29 return 1
            fn g()
              8:15 return 2
            fn g()
              10:15 return 3
        "#]],
    );
}

#[test]
fn a_group_that_ends_in_a_head() {
    check(
        "int f(int x) {
#ifdef GPU
  int host = on_host(x);
  if (host)
#endif
  {
    cpu(x);
  }
#ifdef TWO
  if (x)
#endif
  g(x);
  else h(x);
}
#ifdef GPU
#define N 1
#endif
int k(int x) {
#ifdef GPU
  for (x = 0; x < 9; x++)
#endif
    g(x);
  return x;
}",
        expect![[r#"
            fn f(x:i32)
              2:1 alternatives
                3:3 group
                  3:3 decl host:i32@3:7 = on_host@3:14(x)
                  4:3 if host
                    6:3 block
                      7:5 cpu@7:5(x)
                6:3 group
                  6:3 block
                    7:5 cpu@7:5(x)
              10:3 if (build choice || x) else@13
                12:3 g@12:3(x)
                13:8 h@13:8(x)
            fn k(x:i32)
              19:1 alternatives
                20:3 group
                  20:3 for (x Lt 9) step x++
                      20:8 x = 0
                    22:5 g@22:5(x)
                22:5 group
                  22:5 g@22:5(x)
              23:3 return x
        "#]],
    );
}

#[test]
fn arms_that_are_part_of_a_chain() {
    check(
        "void f(int x) {
  if (x == 1) a();
#ifdef A
  else if (x == 2) { b(); }
  else if (x == 3) c();
#endif
#ifdef B
  else d();
#endif
  if (x) {
    e();
#ifdef A
  } else if (x > 5) {
    g();
#endif
  } else h();
}
void k(int x) {
#ifdef A
  start();
  if (x) {
#endif
  work();
#ifdef A
  }
#endif
#ifdef B
  if (x == 1) one(); else {
  two();
#endif
  three();
#ifdef B
    four();
  }
  five();
#endif
}
void refused(int x) {
  if (x) {
    a();
#ifdef A
  } else {
    b();
#endif
    c();
  }
}
void loops(int x) {
#ifdef A
  while (x--) {
#endif
  c();
#ifdef A
  }
#endif
}
void lacks(int x) {
  if (x) a();
#ifdef A
  else if (x == 2) NOSEMI(x) b();
#endif
}
void crossed(int x) {
#ifdef A
  {
#endif
  { c();
#ifdef A
  }
#endif
  }
}",
        expect![[r#"
            fn f(x:i32)
              2:3 if (x Eq 1) else@4
                2:15 a@2:15()
                4:8 if (build choice && (x Eq 2)) else@5
                  4:20 block
                    4:22 b@4:22()
                  5:8 if (build choice && (x Eq 3)) else@8
                    5:20 c@5:20()
                    8:8 if build choice
                      8:8 d@8:8()
              10:3 if x else@13
                10:10 block
                  11:5 e@11:5()
                13:10 if (build choice && (x Gt 5)) else@16
                  13:21 block
                    14:5 g@14:5()
                  16:10 h@16:10()
            fn k(x:i32) Partial: #if at line 32 splits a statement
              18:16 alternatives
                20:3 group
                  20:3 start@20:3()
                18:16 empty
              21:3 if (build choice || x)
                21:10 block
                  23:3 work@23:3()
              28:3 if (build choice && (x Eq 1)) else@28
                28:15 one@28:15()
                28:27 block
                  28:28 alternatives
                    29:3 group
                      29:3 two@29:3()
                    28:28 empty
                  31:3 three@31:3()
                  33:5 four@33:5()
              35:3 five@35:3()
            fn refused(x:i32) Partial: #if at line 41 splits a statement
              39:3 if x else@42
                39:10 block
                  40:5 a@40:5()
                42:10 block
                  43:5 b@43:5()
                  45:5 c@45:5()
            fn loops(x:i32) Partial: #if at line 49 splits a statement
              50:3 while x-- step -
                50:15 block
                  52:3 c@52:3()
            fn lacks(x:i32) Partial: #if at line 59 splits a statement
              58:3 if x else@60
                58:10 a@58:10()
                60:8 if (x Eq 2)
                  60:30 b@60:30()
            fn crossed(x:i32) Partial: #if at line 68 splits a statement
              65:3 block
                67:3 block
                  67:5 c@67:5()
        "#]],
    );
}

#[test]
fn a_label_that_some_builds_have() {
    check(
        "int f(int a) {\n  if (a) {\n    g();\n  } else {\n    int k;\n#ifdef GPU\n  HEURISTIC:\n#endif\n    h(&k);\n    return k;\n  }\n\
         #ifdef GPU\n  goto HEURISTIC;\n#endif\n  return 0;\n}\n",
        expect![[r#"
            fn f(a:i32)
              2:3 if a else@4
                2:10 block
                  3:5 g@3:5()
                4:10 block
                  5:5 decl k&:i32@5:9
                  6:1 alternatives
                    7:3 group
                      7:3 group
                        7:3 label HEURISTIC
                        7:13' empty
                    6:1 empty
                  9:5 h@9:5(&k)
                  10:5 return k
              12:1 alternatives
                13:3 group
                  13:3 goto HEURISTIC
                12:1 empty
              15:3 return 0
        "#]],
    );
}

#[test]
fn a_group_where_one_statement_is_wanted() {
    // Braces are put around it. Where an `if` would take what the other build has behind it, or where an arm is more than one statement, it
    // is not understood.
    check(
        "void f(int a, int n) {\n  for (; n; n--)\n    if (a)\n#ifdef X\n      g(1);\n#else\n      g(2);\n#endif\n    else\n#ifdef Y\n      { h(n); }\n#elif Z\n      ;\n#else\n      do h(1); while (0);\n#endif\n  k(n);\n}\n",
        expect![[r#"
            fn f(a:i32, n:i32)
              2:3 for n step n--
                3:5 if a else@9
                  4:1 block
                    4:1 alternatives
                      5:7 group
                        5:7 g@5:7(1)
                      7:7 group
                        7:7 g@7:7(2)
                  10:1 block
                    10:1 alternatives
                      11:7 group
                        11:7 block
                          11:9 h@11:9(n)
                      13:7 group
                        13:7 empty
                      15:7 group
                        15:7 do-while 0 step -
                          15:10 h@15:10(1)
              17:3 k@17:3(n)
        "#]],
    );
    check(
        "void f(int a) {\n  if (a)\n#ifdef X\n    g(1);\n#endif\n  h(1);\n}\n",
        expect![[r#"
            fn f(a:i32) Partial: #if at line 3 splits a statement
              2:3 if a
                4:5 g@4:5(1)
              6:3 h@6:3(1)
        "#]],
    );
    check(
        "#define TWO(x) g(x); h(x)\nvoid f(int a) {\n  if (a)\n#ifdef X\n    TWO(1);\n#else\n    g(2);\n#endif\n}\n",
        expect![[r#"
            fn f(a:i32) Partial: #if at line 5 splits a statement
              3:3 if a
                4:1 block
                  4:1 alternatives
                    5:5' group
                      5:5' g@5:5'(1)
                      5:5' h@5:5'(1)
                    7:5 group
                      7:5 g@7:5(2)
        "#]],
    );
    check(
        "void f(int a) {\n  if (a)\n#ifdef X\n    if (g(1)) h(1);\n#else\n    g(2);\n#endif\n  else k(3);\n}\n",
        expect![[r#"
            fn f(a:i32) Partial: #if at line 3 splits a statement
              2:3 if a
                4:5 if g@4:9(1) else@8
                  4:15 h@4:15(1)
                  8:8 k@8:8(3)
        "#]],
    );
}

#[test]
fn a_group_that_chooses_among_heads_of_a_function() {
    // One says it the old way: the same names and types.
    check(
        "#ifdef STDC\nint f\n(\n  const int N,\n  double * * A,\n  int B[]\n)\n#else\nint f(N, A, B)\n/* old */\n  const int N;\n  double * * A;\n  int B[];\n#endif\n{\n  return N;\n}\n",
        expect![[r#"
            fn f(N:i32, A:ptr, B:ptr)
              16:3 return N
        "#]],
    );
    check(
        "#if OLD\nstatic int f(a, p, b) int a, *p, b; {\n#else\nstatic int f(int a, int *p, int b) {\n#endif\n  return a;\n}\n#ifdef X\nvoid none() {\n#else\nvoid none(void) {\n#endif\n}\n",
        expect![[r#"
            static fn f(a:i32, p:ptr, b:i32)
              6:3 return a
            fn none()
        "#]],
    );
    // Others say something else: another type, another order, another name, no name.
    check(
        "#ifdef X\nint f(long a)\n#else\nint f(a) int a;\n#endif\n{ return a; }\n#ifdef X\nint g(int a, int b)\n#else\nint g(int b, int a)\n#endif\n{ return a; }\n#ifdef X\nint h(int a)\n#else\nint k(int a)\n#endif\n{ return a; }\n#ifdef X\nint m(int a)\n#else\nint m(int)\n#endif\n{ return 1; }\n",
        expect![[r#"
            fn f(a:i64) Partial: #if at line 1 splits a statement
              6:3 return a
            fn g(a:i32, b:i32) Partial: #if at line 7 splits a statement
              12:3 return a
            fn h(a:i32) Partial: #if at line 13 splits a statement
              18:3 return a
            fn m(a:i32) Partial: #if at line 19 splits a statement
              24:3 return 1
        "#]],
    );
}
