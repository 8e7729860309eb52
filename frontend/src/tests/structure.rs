//! Statements, expressions, scopes and types.

use super::check;
use expect_test::expect;

#[test]
fn loops_and_jumps() {
    check(
        "int f(int n) {
  for (int i = 0, j; i < n; i++, j--) { if (i) continue; else break; }
  while (n--) g(n);
  do { again: n += 2; } while (n < 9);
  for (;;) { goto again; }
  return n ? n : -1;
}",
        expect![[r#"
            fn f(n:i32)
              2:3 for (i Lt n) step (i++, j--)
                  2:8 group
                    2:12 decl i:i32@2:12 = 0
                    2:19 decl j:i32@2:19
                2:39 block
                  2:41 if i else@2
                    2:48 continue
                    2:63 break
              3:3 while n-- step -
                3:15 g@3:15(n)
              4:3 do-while (n Lt 9) step -
                4:6 block
                  4:8 group
                    4:8 label again
                    4:15 n Add= 2
              5:3 for - step -
                5:12 block
                  5:14 goto again
              6:3 return (n ? n : -1)
        "#]],
    );
}

#[test]
fn ranges_of_labels() {
    check(
        "#define LAST (1 << 4)
void f(int x) {
  switch (x) {
  case 1: case 2 ... 5: a(); break;
  case 'a' ... 'f': b(); break;
  case 8 ... LAST: c();
  }
  switch (x) { case 1 ... -2: d(); }
}
void k(int x) { switch (x) { case 1 ... x ? 2 : 3: d(); } }",
        expect![[r#"
            fn f(x:i32)
              3:3 switch x
                3:14 block
                  4:3 group
                    4:3 case 1
                  4:11 group
                    4:11 case 2
                    4:25 a@4:25()
                    4:30 break
                  5:3 group
                    5:3 case 97
                    5:21 b@5:21()
                    5:26 break
                  6:3 group
                    6:3 case 8
                    6:20 c@6:20()
              8:3 switch x
                8:14 block
                  8:16 group
                    8:16 case 1
                    8:31 d@8:31()
            fn k(x:i32) Partial: syntax error at line 10
              10:17 switch x
                10:28 block
                  10:30 group
                    10:30 case (x ? 2 : 3)
                    10:41 (x ? 2 : 3)
                    10:52 d@10:52()
        "#]],
    );
}

#[test]
fn switches() {
    check(
        "void f(int x) {
  switch (x) {
    int before;
  case 1: a(); break;
  case 'c': case -2: b();
    { default: c(); }
  }
}",
        expect![[r#"
            fn f(x:i32)
              2:3 switch x
                2:14 block
                  3:5 decl before:i32@3:9
                  4:3 group
                    4:3 case 1
                    4:11 a@4:11()
                    4:16 break
                  5:3 group
                    5:3 case 99
                  5:13 group
                    5:13 case -2
                    5:22 b@5:22()
                    6:5 block
                      6:7 group
                        6:7 default
                        6:16 c@6:16()
        "#]],
    );
}

#[test]
fn scopes() {
    check(
        "int x; static int y = 3; extern int z; enum { A, B = 4, C };
int f(int x) {
  int y = x;
  { int x = y; x++; static long y; y = C; }
  for (int x = 0; x < A; x++) z = x;
  if (x) { int y = 9; }
  extern int q; q = B;
  enum { B = 7 }; y = B + sizeof(x++);
  return x;
}",
        expect![[r#"
            1:5 global x: i32 = 0
            1:19 global y: i32 = 3 static
            1:37 global z: i32 extern
            fn f(x#1:i32)
              3:3 decl y#1:i32@3:7 = x#1
              4:3 block
                4:5 decl x#2:i32@4:9 = y#1
                4:16 x#2++
                4:21 decl y#2:i64 static@4:33
                4:36 y#2 = 5
              5:3 for (x#3 Lt 0) step x#3++
                  5:8 decl x#3:i32@5:12 = 0
                5:31 @z = x#3
              6:3 if x#1
                6:10 block
                  6:12 decl y#3:i32@6:16 = 9
              7:3 empty
              7:17 @q = 4
              8:3 empty
              8:19 y#1 = (7 Add const)
              9:3 return x#1
        "#]],
    );
}

#[test]
fn expressions() {
    check(
        "int f(struct s *p, double *a) {
  p->n.k[2]++, --p->m;
  *a = (double) p->n.k[1] * 1.5e3 + 'a';
  a[f(p, a)] <<= ~p->m & !a;
  p->call(p)(1)(2);
  (*p->call)(\"s\" \"t\");
  return p ?: g(&p->n, (struct s){ .n = 1, [2] = { 3 } }, &a) && h() || (k(), 2);
}",
        expect![[r#"
            fn f(p:ptr, a&:ptr)
              2:3 (p->n.k[2]++, --p->m)
              3:3 *a = (((f64)p->n.k[1] Mul 1500.0) Add 97)
              4:3 a[f@4:5(p, a)] Shl= (~p->m BitAnd !a)
              5:3 [[[p->call]@5:3(p)]@5:3(1)]@5:3(2)
              6:3 [*p->call]@6:3("")
              7:3 return (p ? unknown[] : ((g@7:15(&p->n, {1, {3}}, &a) && h@7:66()) || (k@7:74(), 2)))
        "#]],
    );
}

#[test]
fn types() {
    check(
        "typedef unsigned long long ull; typedef struct { int a; } S; typedef ull *ullp; enum e { X };
void f(char a[10], void g(int), unsigned b, S s, MPI_Request r) {
  long int c; short d; unsigned char e; float h; long double i; ull j; ullp k; size_t l; uint16_t m; S n;
  enum e o; int *p, q[3], (*r2)(void); _Bool t; double complex u; signed char v; volatile int w; const char *x;
}",
        expect![[r#"
            fn f(a:ptr, g:ptr, b:u32, s:struct, r:?) Repaired: double blanked at line 4
              3:3 decl c:i64@3:12
              3:15 decl d:i16@3:21
              3:24 decl e:u8@3:38
              3:41 decl h:f32@3:47
              3:50 decl i:f80@3:62
              3:65 decl j:u64@3:69
              3:72 decl k:ptr@3:77
              3:80 decl l:u64@3:87
              3:90 decl m:u16@3:99
              3:102 decl n:struct@3:104
              4:3 decl o:int32@4:10
              4:13 group
                4:17 decl p:ptr@4:18
                4:21 decl q&:array@4:21
                4:27 decl r2:ptr@4:29
              4:40 decl t:u8@4:46
              4:56 decl u:?@4:64
              4:67 decl v:i8@4:79
              4:82 decl w:i32@4:95
              4:98 decl x:ptr@4:110
        "#]],
    );
}

#[test]
fn old_style_and_strange_definitions() {
    check(
        "int f(a, b, c) double b; char *a; { return c; }
int (*g(int k))(double) { return 0; }
main() { return 1; }
static inline void *h(void) { return f; }
__attribute__((noinline)) extern int i(void) { asm volatile (\"nop\" : \"=r\"(x) : \"r\"(y)); return 0; }",
        expect![[r#"
            address taken: f
            fn f(a:ptr, b:f64, c:i32)
              1:37 return c
            fn g(k:i32)
              2:27 return 0
            fn main()
              3:10 return 1
            static fn h()
              4:31 return @f
            fn i()
              5:48 unknown[@y, @x = unknown[@y]]
              5:89 return 0
        "#]],
    );
}

#[test]
fn addresses() {
    check(
        "int g, h[2], k; int cb(int); static int (*table[])(int) = { cb }; int *gp = &k;
int f(int n) {
  int a, b, c[3], d, e; struct s t, u;
  use(&a, b, &t.x[1], &(d), cb);
  int *p = &g; (&u)->y = e;
  return table[0](1) + (*table[1])(2);
}",
        expect![[r#"
            1:5 global g: i32 = 0
            1:8 global h: array = 0 &
            1:14 global k: i32 = 0 &
            1:43 global table: array static &
            1:72 global gp: ptr
            address taken: cb
            fn f(n:i32)
              3:3 group
                3:7 decl a&:i32@3:7
                3:10 decl b:i32@3:10
                3:13 decl c&:array@3:13
                3:19 decl d&:i32@3:19
                3:22 decl e:i32@3:22
              3:25 group
                3:34 decl t&:struct@3:34
                3:37 decl u&:struct@3:37
              4:3 use@4:3(&a, b, &t.x[1], &d, @cb)
              5:3 decl p:ptr@5:8 = &@g
              5:16 &u->y = e
              6:3 return ([@table[0]]@6:10(1) Add [*@table[1]]@6:24(2))
        "#]],
    );
}

#[test]
fn casts_that_look_like_arithmetic_and_calls() {
    check(
        "typedef int T;
int f(int x, int *p) { int n = 1; return (T)(x) + (T) * p + (T) - 1 + (n) * x + (n)(x) + (unsigned)(x); }",
        expect![[r#"
            fn f(x:i32, p:ptr)
              2:24 decl n:i32@2:28 = 1
              2:35 return ((((((i32)x Add (i32)*p) Add (i32)-1) Add (n Mul x)) Add [n]@2:81(x)) Add (u32)x)
        "#]],
    );
}

#[test]
fn gnu_constructs() {
    check(
        "int f(int x) {
  int y = ({ int t = g(x); t + 1; });
  typeof(x) z = ({ return 1; 2; });
  void *p = &&out; goto *p;
 out: return __extension__ (x + y);
}
int h(int x) { int nested(int q) { return q + x; } return nested(1); }
int k(int x) { switch (x) { case 1 ... 5: return 1; } return __builtin_expect(x, 0); }",
        expect![[r#"
            fn f(x:i32) Partial: jump out of an expression at line 3
              2:3 decl y:i32@2:7 = (t = g@2:22(x), (t Add 1))
              3:3 decl z:?@3:13 = unknown[1, 2]
              4:3 decl p:ptr@4:9 = const
              4:20 goto **p
              5:2 group
                5:2 label out
                5:7 return (x Add y)
            fn h(x:i32) Partial: nested function, or a macro that takes a block, at line 7
              7:16 unknown @nested, (@q Add x)
              7:52 return nested@7:59(1)
            fn k(x:i32)
              8:16 switch x
                8:27 block
                  8:29 group
                    8:29 case 1
                    8:43 return 1
              8:55 return __builtin_expect@8:62(x, 0)
        "#]],
    );
}

#[test]
fn positions() {
    check(
        "void f(struct s *p)\n{\n  int\n   late\n    = 1;\n  x = p->fn(late,\n    g(1));\n\tif (a\n     && b(2)) {}\n  else\n   c();\n}\n",
        expect![[r#"
            fn f(p:ptr)
              3:3 decl late:i32@4:4 = 1
              6:3 @x = [p->fn]@6:7(late, g@7:5(1))
              8:2 if (@a && b@9:9(2)) else@10
                9:15 block
                11:4 c@11:4()
        "#]],
    );
}

#[test]
fn errors_stay_in_their_function() {
    check(
        "int f(void) { int a = ; return a; }\nint g(void) { return 1; }\nint h(void) { if (x { y(); }\nint i(void) { return 2; }",
        expect![[r#"
            fn f() Partial: syntax error at line 1
              1:15 decl a:i32@1:19 = @
              1:25 return a
            fn g()
              2:15 return 1
            fn h() Partial: nested function, or a macro that takes a block, at line 4
              3:15 if @x
                3:21 block
                  3:23 y@3:23()
              4:1 unknown @i, 2
        "#]],
    );
}

#[test]
fn statements_that_look_like_declarations() {
    check(
        "typedef long T; void f(int *p, int a[9], int n) {
  g(*p); g(a[3]); g((n)); g (n), h (n);
  g(n)(n);
  T (*fp)(int) = cb; T *q = p, r; S x;
  n * *p;
  if (n) ; else ;
  while (n) ;
  struct { int u; } v = { 1 }; enum { K = 3 } k = K;
  int w[] = { [0 ... 3] = 1 }; char *s = \"a\" PRIu64 \"b\";
  for (n = 0, p = a; ; ) break;
  (void) n; (void) g(n); (*p)++; (n)++; *p++ = (n) + 1;
  x = (n) ? (n) : (q) & 1;
  ;
  return (n);
}",
        expect![[r#"
            fn f(p#1:ptr, a:ptr, n:i32) Partial: 'n' may be no type but a macro that hides code at line 5
              2:3 g@2:3(*p#1)
              2:10 g@2:10(a[3])
              2:19 g@2:19(n)
              2:27 (g@2:27(n), h@2:34(n))
              3:3 [g@3:3(n)]@3:3(n)
              4:3 decl fp:ptr@4:7 = @cb
              4:22 group
                4:24 decl q:ptr@4:25 = p#1
                4:32 decl r:i64@4:32
              4:35 decl x:?@4:37
              5:3 decl p#2:ptr@5:8
              6:3 if n else@6
                6:10 empty
                6:17 empty
              7:3 while n step -
                7:13 empty
              8:3 decl v:struct@8:21 = {1}
              8:32 decl k:int32@8:47 = 3
              9:3 decl w&:array@9:7 = {1}
              9:32 decl s:ptr@9:38 = ""
              10:3 for - step -
                  10:8 (n = 0, p#2 = a)
                10:26 break
              11:3 (?)n
              11:13 (?)g@11:20(n)
              11:26 *p#2++
              11:34 n++
              11:41 *p#2++ = (n Add 1)
              12:3 x = (n ? n : (q BitAnd 1))
              13:3 empty
              14:3 return n
        "#]],
    );
}

#[test]
fn macros_where_they_are_easily_misread() {
    check(
        "#define SQ(x) ((x)*(x))
#define SWAP(a, b) { int t = a; a = b; b = t; }
#define UNLESS(c) if (!(c))
#define ARG(x) x,
#define PAIR 1, 2
#define EMPTY
#define CALL g
#define FIELD next->prev
#define OPEN (
int f(int a, struct n *p) {
  int SQ = SQ(a + 1);
  SWAP(a, SQ)
  UNLESS(a) a++;
  UNLESS(a) { a--; } else a = 2;
  g(ARG(1) PAIR); EMPTY; EMPTY g(EMPTY);
  CALL(p->FIELD);
  g OPEN a );
  return SQ
    (a);
}",
        expect![[r#"
            fn f(a:i32, p:ptr)
              11:3 decl SQ:i32@11:7 = ((a Add 1) Mul (a Add 1))
              12:3' block
                12:3' decl t:i32@12:3 = a
                12:3' a = SQ
                12:3' SQ = t
              13:3 if !a
                13:13 a++
              14:3 if !a else@14
                14:13 block
                  14:15 a--
                14:27 a = 2
              15:3 g@15:3(1, 1, 2)
              15:24 empty
              15:32 g@15:32()
              16:3 g@16:3(p->next->prev)
              17:3 g@17:3(a)
              18:3 return (a Mul a)
        "#]],
    );
}

#[test]
fn calls_that_look_like_types() {
    // The grammar takes `check(scale(x, m * n));` for the type that a macro makes of that of a function with a parameter `m *n`.
    check(
        "void f(int m, int n, int *x, int (*g)(int)) {\n  check(scale(x, m * n));\n  check(scale(m * sizeof(int)));\n  check(scale(x, m * x[n], g(n) * m));\n  check(scale(x[n], m * *x, m * (n), m * g(n)));\n  if (m) check(scale(n * m)); else check(next());\n}\n",
        expect![[r#"
            fn f(m:i32, n:i32, x:ptr, g:ptr)
              2:3 check@2:3(scale@2:9(x, (m Mul n)))
              3:3 check@3:3(scale@3:9((m Mul const)))
              4:3 check@4:3(scale@4:9(x, (m Mul x[n]), ([g]@4:28(n) Mul m)))
              5:3 check@5:3(scale@5:9(x[n], (m Mul *x), (m Mul n), (m Mul [g]@5:42(n))))
              6:3 if m else@6
                6:10 check@6:10(scale@6:16((n Mul m)))
                6:36 check@6:36(next@6:42())
        "#]],
    );
    // But there is no call without a name that may be called.
    check(
        "void f(void) {\n\n\n  check(T(*)(int));\n}\n",
        expect![[r#"
            fn f() Partial: statement that is not understood at line 4
              4:3 unknown @check
        "#]],
    );
}
