//! What C++ constructs become.

use super::{check_as, check_cxx as check};
use expect_test::expect;

#[test]
fn classes_namespaces_and_their_functions() {
    check(
        "namespace n {\nclass A : public B {\npublic:\n  A(int x) : B(x), n(x), m{2} { start(); }\n  ~A() { stop(); }\n\
         \x20 int get() const { return n; }\n  A &operator++() { ++n; return *this; }\n  virtual void run(int k = 3);\n\
         \x20 operator int() const { return n; }\n  int n = 0;\n  int m;\n  static int count;\n};\n\
         void A::run(int k) {\n  for (int i = 0; i < k; i++) {\n    m += i;\n    count++;\n    this->get();\n  }\n}\n}\n\
         struct S { int f() { return 1; } } s;\nint n::A::count = 0;\n",
        expect![[r#"
            22:36 global s: struct = 0
            23:11 global count: i32 = 0
            address taken: A operator int operator++ run ~A
            fn n::A::A(x&:i32)
              4:14 B@4:14(&x)
              4:20 this->n = x
              4:26 this->m = 2
              4:31 block
                4:33 start@4:33()
            fn n::A::~A()
              5:10 stop@5:10()
            fn n::A::get()
              6:21 return this->n
            fn n::A::operator++()
              7:21 ++this->n
              7:26 return *&*this
            fn n::A::operator int()
              9:26 return this->n
            fn n::A::run(k:i32)
              15:3 for (i Lt k) step i++
                  15:8 decl i:i32@15:12 = 0
                15:31 block
                  16:5 this->m Add= i
                  17:5 (build choice ? operator++@17:5(&@count) : @count++)
                  18:5 get@18:5()
            fn S::f()
              22:22 return 1
        "#]],
    );
}

/// What is declared as a number has the operators of the language.
#[test]
fn members_that_are_numbers_are_no_objects() {
    check(
        "struct V { double x; V &operator+=(const V &v); };\nstruct D { int cycle; V at; void go(); };\n\
         void D::go() {\n  cycle += 1;\n  at += at;\n  other->step += 1;\n}\n",
        expect![[r#"
            fn D::go()
              4:3 this->cycle Add= 1
              5:3 (build choice ? operator+=@5:3(&this->at, &this->at) : this->at Add= this->at)
              6:3 (build choice ? operator+=@6:3(&this->other->step, 1) : this->other->step Add= 1)
        "#]],
    );
}

/// An operator that takes two arguments and may change the first says nothing of what stands on its right.
#[test]
fn what_an_operator_may_change_stands_on_one_side() {
    check(
        "struct V { double x; };\nstd::ostream &operator<<(std::ostream &to, const V &v);\n\
         struct Archive { Archive &operator&(int &x); };\n\
         void f(std::ostream &out, Archive &kept, int k) {\n  out << k;\n  use(kept & k);\n}\n",
        expect![[r#"
            fn f(out:ptr, kept:ptr, k&:i32)
              5:3 operator<<@5:3(out, k)
              6:3 use@6:3(operator&@6:7(kept, &k))
        "#]],
    );
}

#[test]
fn references_are_pointers() {
    check(
        "void set(int &x, const int &y) { x = y; x++; }\nint get(int x);\n\
         void f(int a, double *v) {\n  int i = 0;\n  int &r = i;\n  r += 2;\n  set(a, i);\n  get(a);\n  other(a, *v, v[1]);\n\
         \x20 r = get(r);\n  auto k = 3;\n  auto &q = v[2];\n  q = 1;\n}\n",
        expect![[r#"
            fn set(x:ptr, y:ptr)
              1:34 *x = *y
              1:41 *x++
            fn f(a&:i32, v&:ptr)
              4:3 decl i&:i32@4:7 = 0
              5:3 decl r:ptr@5:8 = &i
              6:3 *r Add= 2
              7:3 set@7:3(&a, i)
              8:3 get@8:3(a)
              9:3 other@9:3(&a, v, v[1])
              10:3 *r = get@10:7(*r)
              11:3 decl k:int32@11:8 = 3
              12:3 decl q:ptr@12:9 = &v[2]
              13:3 *q = 1
        "#]],
    );
}

#[test]
fn calls_by_name_cast_and_construction() {
    check(
        "struct P { P(int); ~P(); int run(int); template<class T> T get(); int n; };\nusing big = long long;\n\
         int f(P *p, P &q, int n) {\n  p->run(1);\n  q.run(n);\n  q.n = 3;\n  N::g<int>(n);\n  p->get<int>();\n\
         \x20 int a = static_cast<int>(n) + int(n) + (int)n + big(n);\n  P x(1);\n  P y{2};\n  P z = P(3);\n\
         \x20 P *w = new P(4);\n  int **v = new int *[n];\n  delete w;\n  std::vector<int> t(n);\n  if (n) return 1;\n\
         \x20 for (;;) { P u(5); if (n) break; if (a) continue; n++; }\n  return 0;\n}\n",
        expect![[r#"
            fn f(p:ptr, q:ptr, n&:i32)
              4:3 run@4:3(1)
              5:3 run@5:3(n)
              6:3 q.n = 3
              7:3 g@7:3(&n)
              8:3 get@8:3()
              9:3 decl a:i32@9:7 = ((((i32)n Add (i32)n) Add (i32)n) Add (i64)n)
              10:3 decl x:struct@10:5 = P@10:5(1)
              11:3 decl y:struct@11:5 = P@11:5(2)
              12:3 decl z:struct@12:5 = P@12:9(3)
              13:3 decl w:ptr@13:6 = (ptr){P@13:10(4)}
              14:3 decl v:ptr@14:9 = (ptr){n, {}}
              15:3 [w]@15:3()
              16:3 decl t:struct@16:20 = {n}
              17:3 if n
                17:10 group
                  17:10 ~P@17:10()
                  17:10 ~P@17:10()
                  17:10 ~P@17:10()
                  17:10 return 1
              18:3 for - step -
                18:12 block
                  18:14 decl u:struct@18:16 = P@18:16(5)
                  18:22 if n
                    18:29 group
                      18:29 ~P@18:29()
                      18:29 break
                  18:36 if a
                    18:43 group
                      18:43 ~P@18:43()
                      18:43 continue
                  18:53 n++
                  18:58 ~P@18:58()
              19:3 group
                19:3 ~P@19:3()
                19:3 ~P@19:3()
                19:3 ~P@19:3()
                19:3 return 0
              20:1 ~P@20:1()
              20:1 ~P@20:1()
              20:1 ~P@20:1()
        "#]],
    );
}

#[test]
fn exceptions() {
    check(
        "void f(int n) try {\n  g(n);\n} catch (const E &e) {\n  h(e.what());\n  throw;\n} catch (...) {\n}\n\
         int k(int n) {\n  try { if (n) throw 3; }\n  catch (int e) { return e; }\n  return 0;\n}\n",
        expect![[r#"
            fn f(n&:i32)
              1:15 try
                1:19 block
                  2:3 g@2:3(&n)
                3:3 block
                  3:19 decl e:ptr@3:19 = unseen
                  3:22 block
                    4:3 h@4:3(what@4:5())
                    5:3 throw
                6:3 block
                  6:15 block
            fn k(n:i32)
              9:3 try
                9:7 block
                  9:9 if n
                    9:16 throw 3
                10:3 block
                  10:14 decl e:i32@10:14 = unseen
                  10:17 block
                    10:19 return e
              11:3 return 0
        "#]],
    );
}

/// `throw` as an operand leaves as the statement does; behind a label it is a statement.
#[test]
fn throw_as_an_operand() {
    check(
        "int f(int x) {\n  int y = x > 3 ? throw E(x, 1) : x;\n  y = x ? g(x ? 1 : 2) : throw x ? 1 : 2;\n  \
         return (throw y, h(y), y);\n}\n\
         void k(int x) {\n  switch (x) { case 1: throw 3; default: throw; }\n  x ? throw : g(x);\n}\n",
        expect![[r#"
            fn f(x&:i32)
              2:3 decl y&:i32@2:7 = ((x Gt 3) ? throw E@2:25(&x, 1) : x)
              3:3 y = (x ? g@3:11((x ? 1 : 2)) : throw (x ? 1 : 2))
              4:3 return (throw y, (h@4:20(&y), y))
            fn k(x&:i32)
              7:3 switch x
                7:14 block
                  7:16 group
                    7:16 case 1
                    7:24 throw 3
                  7:33 group
                    7:33 default
                    7:42 throw
              8:3 (x ? throw  : g@8:15(&x))
        "#]],
    );
}

#[test]
fn lambdas_are_functions() {
    check(
        "void f(std::vector<int> &v, int n) {\n  int sum = 0, k = 2;\n\
         \x20 auto add = [&sum, k](int x, int &y) mutable {\n    sum += x * k;\n    k++;\n    y = 1;\n  };\n  add(n, n);\n\
         \x20 std::for_each(v.begin(), v.end(), [&](int x) { sum += x; });\n}\n\
         struct A { int n; void g() { h([this] { n++; }); } };\n",
        expect![[r#"
            address taken: operator()
            fn f(v:ptr, n&:i32)
              2:3 group
                2:7 decl sum&:i32@2:7 = 0
                2:16 decl k:i32@2:16 = 2
              3:3 decl add:?@3:8 = {&sum}
              8:3 [add]@8:3(n, &n)
              9:3 for_each@9:3(begin@9:17(), end@9:28(), {&sum})
            static fn (lambda)::operator()(x:i32, y:ptr)
              4:5 **this->sum (captured) Add= (x Mul **this->k (captured))
              5:5 **this->k (captured)++
              6:5 *y = 1
            static fn (lambda)::operator()(x:i32)
              9:50 **this->sum (captured) Add= x
            fn A::g()
              11:30 h@11:30({})
            static fn (lambda)::operator()()
              11:41 *this->n++
        "#]],
    );
}

#[test]
fn range_for_structured_bindings_and_conditions_that_declare() {
    check(
        "void f(std::map<int, int> &m, int *p) {\n  for (int x : list) use(x);\n  for (auto &x : m) { x.second++; }\n\
         \x20 for (auto &[k, v] : m) {\n    v = k;\n  }\n  auto [a, b] = pair();\n  a++;\n  if (int k = g(); k > 2) h();\n\
         \x20 while (int c = next(p)) h();\n  switch (int z = g(); z) { case 1: break; }\n}\n",
        expect![[r#"
            fn f(m:ptr, p&:ptr)
              2:3 group
                2:16 (?)@list
                2:3 for unseen step ++index(x)#1
                    2:16 decl index(x)#1:i64@2:12 = 0
                  2:22 block
                    2:12 decl x#1&:i32@2:12 = unseen
                    2:22 use@2:22(&x#1)
              3:3 group
                3:18 (?)*m
                3:3 for unseen step ++index(x)#2
                    3:18 decl index(x)#2:i64@3:14 = 0
                  3:21 block
                    3:14 decl x#2:ptr@3:14 = unseen
                    3:21 block
                      3:23 x#2.second++
              4:3 group
                4:23 (?)*m
                4:3 for unseen step ++index(k)
                    4:23 decl index(k):i64@4:15 = 0
                  4:26 block
                    4:15 decl k#1:ptr@4:15 = unseen
                    4:18 decl v:ptr@4:18 = unseen
                    4:26 block
                      5:5 *v = *k#1
              7:3 group
                7:9 decl a:ptr@7:9 = pair@7:17()
                7:12 decl b:ptr@7:12 = pair@7:17()
              8:3 *a++
              9:3 group
                9:7 group
                  9:7 decl k#2:i32@9:11 = g@9:15()
                9:3 if (k#2 Gt 2)
                  9:27 h@9:27()
              10:3 while c = next@10:18(&p) step -
                10:27 h@10:27()
              11:3 group
                11:11 group
                  11:11 decl z:i32@11:15 = g@11:19()
                11:3 switch z
                  11:27 block
                    11:29 group
                      11:29 case 1
                      11:37 break
        "#]],
    );
}

#[test]
fn operators_of_objects_are_calls() {
    check(
        "struct V { V operator+(const V &o); V &operator+=(double d); V &operator++(); int &operator[](int i); };\n\
         void f(V a, V b, int i, std::list<int>::iterator it, double *d) {\n  V c = a + b;\n  c += 2.0;\n  ++c;\n  a[i] = 3;\n\
         \x20 i = i + 1;\n  d[i] = d[i] + d[0];\n  std::cin >> i;\n  it++;\n  i++;\n  bool t = not i and a == b;\n}\n",
        expect![[r#"
            fn f(a&:struct, b:struct, i&:i32, it&:?, d:ptr)
              3:3 decl c&:struct@3:5 = operator+@3:9(a, b)
              4:3 operator+=@4:3(&c, 2.0)
              5:3 operator++@5:3(&c)
              6:3 *operator[]@6:3(&a, i) = 3
              7:3 i = (i Add 1)
              8:3 d[i] = (d[i] Add d[0])
              9:3 operator>>@9:3(@cin, &i)
              10:3 (build choice ? operator++@10:3(&it) : it++)
              11:3 i++
              12:3 decl t:u8@12:8 = (!i && (a Eq b))
        "#]],
    );
}

/// What is written into a stream changes it, though no source shows an `operator<<`; a shift of a number stays one.
#[test]
fn what_a_stream_takes_changes_it() {
    check(
        "struct Log { std::ofstream file; int bits; void put(int k); };\n\
         void Log::put(int k) {\n  std::ostringstream out;\n  out << k << \" of \" << bits;\n  std::cerr << k;\n  file << k;\n\
         \x20 other->file << k;\n  k = bits << 2;\n  use(k << 1, out << k);\n  made() << k << 1;\n}\n",
        expect![[r#"
            fn Log::put(k:i32)
              3:3 decl out&:struct@3:22 = {}
              4:3 ((std::operator<<@4:3(&out, k), std::operator<<@4:3(&out, "")), std::operator<<@4:3(&out, this->bits))
              5:3 std::operator<<@5:3(&@cerr, k)
              6:3 std::operator<<@6:3(&this->file, k)
              7:3 std::operator<<@7:3(&this->other->file, k)
              8:3 k = (this->bits Shl 2)
              9:3 use@9:3((k Shl 1), std::operator<<@9:15(&out, k))
              10:3 operator<<@10:3(operator<<@10:3(made@10:3(), k), 1)
        "#]],
    );
}

/// `++` is an operator's call only where the variable may be an object.
#[test]
fn types_of_other_names_that_are_numbers() {
    check(
        "struct V { V &operator++(); };\nnamespace n { using index = std::ptrdiff_t; typedef std::size_t count; }\n\
         void f() {\n  for (n::index i = 0;; ++i) g();\n  for (n::count i = 0;; ++i) g();\n}\n",
        expect![[r#"
            fn f()
              4:3 for - step ++i#1
                  4:8 decl i#1:i64@4:17 = 0
                4:30 g@4:30()
              5:3 for - step ++i#2
                  5:8 decl i#2:u64@5:17 = 0
                5:30 g@5:30()
        "#]],
    );
}

/// A loop counts along with an iterator that nobody but its step moves.
#[test]
fn iterators_that_have_names() {
    check(
        "void f(V &v, W *w) {\n  for (auto it = v.begin(); it != v.end(); ++it) (*it).go(it->x, it[1]);\n\
         \x20 I it;\n  for (it = w->items.cbegin(); it < end; k++, it++) ;\n  for (auto a = v.begin(); a != e; ++a) g(a);\n\
         \x20 for (auto b = v.begin(), &c = b; b != e; ++b) ;\n  for (auto d = v.begin() + 1; d != e; ++d) ;\n  for (auto h = v.begin(); h != e; h += 2) ;\n}\n\
         void s(V &v) {\n  I it;\n  auto skip = [&] { ++it; };\n  for (it = v.begin(); it != v.end(); ++it) skip();\n}\n",
        expect![[r#"
            address taken: operator()
            fn f(v:ptr, w:ptr)
              2:3 group
                2:13 decl index(it)#1:i64@2:13 = 0
                2:3 for (it#1 Ne end@2:35()) step (++it#1, ++index(it)#1)
                    2:8 decl it#1:?@2:13 = begin@2:18()
                  2:50 (it#1, go@2:50(&it#1->x, it#1[1]))
              3:3 decl it#2:?@3:5 = {}
              4:3 group
                4:8 decl index(it)#2:i64@3:5 = 0
                4:3 for (it#2 Lt @end) step ((@k++, it#2++), ++index(it)#2)
                    4:8 it#2 = (&w->items, cbegin@4:13())
                  4:53 empty
              5:3 for (a Ne @e) step ++a
                  5:8 decl a&:?@5:13 = begin@5:17()
                5:41 g@5:41(&a)
              6:3 for (b Ne @e) step ++b
                  6:8 group
                    6:13 decl b&:?@6:13 = begin@6:17()
                    6:28 decl c:ptr@6:29 = &b
                6:49 empty
              7:3 for (d Ne @e) step ++d
                  7:8 decl d:?@7:13 = (begin@7:17() Add 1)
                7:45 empty
              8:3 for (h Ne @e) step h Add= 2
                  8:8 decl h:?@8:13 = begin@8:17()
                8:44 empty
            fn s(v:ptr)
              11:3 decl it&:?@11:5 = {}
              12:3 decl skip:?@12:8 = {&it}
              13:3 for (it Ne end@13:30()) step ++it
                  13:8 it = begin@13:13()
                13:45 [skip]@13:45()
            static fn (lambda)::operator()()
              12:21 ++**this->it (captured)
        "#]],
    );
}

#[test]
fn the_rest() {
    check(
        "template <class T, int N> struct M { T v[N]; T sum() { T s = 0; for (int i = 0; i < N; i++) s += v[i]; return s; } };\n\
         void f() {\n  static int n = g();\n  static int m = 3;\n  const char *s = R\"x(a\" ; {)x\";\n  long k = 1'000'000;\n\
         \x20 if constexpr (sizeof(int) == 4) h();\n  struct L { int go() { return 1; } } l;\n  l.go();\n  co_await x;\n}\n\
         int old(int) = delete;\nextern \"C\" { int c(int a) { return a; } }\n",
        expect![[r#"
            fn M::sum()
              1:56 decl s:?@1:58 = 0
              1:65 for (i Lt this->N) step i++
                  1:70 decl i:i32@1:74 = 0
                1:93 s Add= this->v[i]
              1:104 return s
            fn f() Partial: coroutine at line 10
              3:3 group
                3:14 decl n:i32 static@3:14 = g@3:18()
                3:14 if unseen
                  3:14 n = g@3:18()
              4:3 decl m:i32 static@4:14 = 3
              5:3 decl s:ptr@5:15 = ""
              6:3 decl k:i64@6:8 = 1000000
              7:3 if (const Eq 4)
                7:35 h@7:35()
              8:3 decl l&:struct@8:39 = {}
              9:3 (&l, go@9:3())
              10:3 unknown[@x]
            fn L::go()
              8:25 return 1
            fn c(a:i32)
              13:29 return a
        "#]],
    );
}

#[test]
fn a_header_is_read_as_what_it_holds() {
    check_as(
        "t.h",
        &[],
        "#ifdef __cplusplus\nclass A { int f() { return 1; } };\n#else\nint g(void) { return 2; }\n#endif\nnamespace n { }\n",
        expect![[r#"
            fn A::f()
              2:21 return 1
        "#]],
    );
}

#[test]
fn words_of_real_trees() {
    check(
        "#ifdef A\n#define _noalias restrict\n#else\n#define _noalias\n#endif\n#ifdef B\n#define FORMAT \"%d\"\n#else\n#define FORMAT \"%ld\"\n#endif\n\
         struct S { void (S::*f)(int); void g(); };\n\
         template <class T> DEVICE_FUNCTION\nvoid S::g() {\n  double * _noalias const x = 0;\n  print(\"a \" FORMAT \"\\n\", x);\n  (this->*f)(3);\n}\n",
        expect![[r#"
            fn S::g()
              14:3 decl x&:ptr@14:27 = 0
              15:3 print@15:3("", &x)
              16:3 [this->f]@16:3(3)
        "#]],
    );
}

#[test]
fn static_members_belong_to_no_object() {
    check(
        "class A {\npublic:\n  static int made;\n  int own;\n  void f() {\n    made++;\n    own++;\n    A::made = 2;\n  }\n\
         \x20 static int count(A *a) { return made + a->own; }\n};\nint A::made = 0;\n",
        expect![[r#"
            12:8 global made: i32 = 0
            fn A::f()
              6:5 @made++
              7:5 this->own++
              8:5 @made = 2
            fn A::count(a:ptr)
              10:28 return (@made Add a->own)
        "#]],
    );
}

#[test]
fn objects_that_look_like_declared_functions_are_made() {
    check(
        "\
struct Guard { Guard(int); ~Guard(); };
struct Key { };
int input(int i);
namespace ns { int g(int i); }
void f(int i, int n) {
    Guard guard(input(i));
    Guard other(ns::g(n));
    std::vector<double> x(n);
    std::vector<double> y(n, i * n);
    int it(n);
    while (it < 10) it++;
    Guard made(Key), by(const Guard &g);
    void nothing(n);
}
",
        expect![[r#"
            fn f(i:i32, n:i32)
              6:5 decl guard:struct@6:11 = Guard@6:11(input@6:17(i))
              7:5 decl other:struct@7:11 = Guard@7:11(g@7:17(n))
              8:5 decl x:struct@8:25 = {n}
              9:5 decl y:struct@9:25 = {n, {i, n}}
              10:5 decl it:i32@10:9 = (?)n
              11:5 while (it Lt 10) step -
                11:21 it++
              12:5 empty
              13:5 empty
              14:1 ~Guard@14:1()
              14:1 ~Guard@14:1()
        "#]],
    );
}

#[test]
fn goto_destroys_what_is_not_in_scope_at_its_label() {
    check(
        "\
struct G { G(int); ~G(); };
void f(int i) {
    G outer(0);
again:
    G first(1);
    for (G step(2); i > 0; i--) {
        G inner(3);
        if (i == 5) goto again;
        if (i == 4) goto next;
        if (i == 3) goto out;
        auto g = [&] { G own(4); goto again; again: return 1; };
    next:
        i--;
    }
    if (i) goto twice;
    { twice: ; }
    { twice: ; }
out:
    i++;
}
",
        expect![[r#"
            address taken: operator()
            fn f(i:i32) Partial: goto past destructors at line 15
              3:5 decl outer:struct@3:7 = G@3:7(0)
              4:1 group
                4:1 label again
                5:5 decl first:struct@5:7 = G@5:7(1)
              6:5 for (i Gt 0) step i--
                  6:10 decl step:struct@6:12 = G@6:12(2)
                6:33 block
                  7:9 decl inner:struct@7:11 = G@7:11(3)
                  8:9 if (i Eq 5)
                    8:21 group
                      8:21 ~G@8:21()
                      8:21 ~G@8:21()
                      8:21 ~G@8:21()
                      8:21 goto again
                  9:9 if (i Eq 4)
                    9:21 goto next
                  10:9 if (i Eq 3)
                    10:21 group
                      10:21 ~G@10:21()
                      10:21 ~G@10:21()
                      10:21 goto out
                  11:9 decl g:?@11:14 = {}
                  12:5 group
                    12:5 label next
                    13:9 i--
                  14:5 ~G@14:5()
              15:5 if i
                15:12 unknown
              16:5 block
                16:7 group
                  16:7 label twice
                  16:14 empty
              17:5 block
                17:7 group
                  17:7 label twice
                  17:14 empty
              18:1 group
                18:1 label out
                19:5 i++
              20:1 ~G@20:1()
              20:1 ~G@20:1()
            static fn (lambda)::operator()()
              11:24 decl own:struct@11:26 = G@11:26(4)
              11:34 goto again
              11:46 group
                11:46 label again
                11:53 group
                  11:53 ~G@11:53()
                  11:53 return 1
              11:63 ~G@11:63()
        "#]],
    );
}

#[test]
fn a_try_around_a_constructor_holds_its_initialisers() {
    check(
        "\
struct A {
    A(int i)
    try
        : n(start(i))
    {
        run();
    } catch (int e) {
        note(e);
    }
    ~A() try { stop(); } catch (...) { return; }
    void f() try { run(); } catch (int) { note(1); }
    int n;
};
A::A() try : A(1) { run(); } catch (...) { note(2); }
",
        expect![[r#"
            address taken: A ~A
            fn A::A(i&:i32)
              3:5 try
                5:5 group
                  4:11 this->n = start@4:13(&i)
                  5:5 block
                    6:9 run@6:9()
                7:7 block
                  7:18 decl e&:i32@7:18 = unseen
                  7:21 block
                    8:9 note@8:9(&e)
                  9:5 throw
            fn A::~A()
              10:10 try
                10:14 block
                  10:16 stop@10:16()
                10:26 block
                  10:38 block
                    10:40 return
                  10:48 throw
            fn A::f()
              11:14 try
                11:18 block
                  11:20 run@11:20()
                11:29 block
                  11:41 block
                    11:43 note@11:43(1)
            fn A::A()
              14:8 try
                14:19 group
                  14:14 A@14:14(1)
                  14:19 block
                    14:21 run@14:21()
                14:30 block
                  14:42 block
                    14:44 note@14:44(2)
                  14:53 throw
        "#]],
    );
}

#[test]
fn an_empty_body_may_have_a_semicolon_behind_it() {
    check(
        "struct A {\n  virtual void init(){};\n  virtual void pack(int, void *) const {/* nothing */};\n  A(){};\n  int *p(){ };\n\
         \x20 std::function<void()> f = [](){};\n  int m{};\n  int after() { return 1; }\n};\nvoid g(){};\nvoid A::h() noexcept {};\n\
         template <typename S> struct B : std::is_class<decltype(f(std::declval<S>()))> {\n  int k() { auto l = [](){}; return 2; }\n};\n",
        expect![[r#"
            address taken: A init operator() pack
            fn A::init()
            fn A::pack(#1:?, #2:?)
            fn A::A()
            fn A::p()
            fn A::after()
              8:17 return 1
            fn g()
            fn A::h()
            fn B::k()
              13:13 decl l:?@13:18 = {}
              13:30 return 2
            static fn (lambda)::operator()()
        "#]],
    );
}

#[test]
fn what_is_called_in_parentheses_may_be_a_cast() {
    check(
        "struct A {\n  void (*handler)(int);\n  void f(int x) {\n    (handler)(3);\n    reduce((MPI_Op)(0x58000003));\n    (unseen)(x);\n  }\n};\n",
        expect![[r#"
            address taken: handler
            fn A::f(x&:i32)
              4:5 [@handler]@4:5(3)
              5:5 reduce@5:5((?)1476395011)
              6:5 [this->unseen]@6:5(&x)
        "#]],
    );
}

#[test]
fn calls_of_accessors_are_the_members_that_they_give() {
    check(
        "struct D {\n D(int first) : m(first) {}\n int &n() { return m; }\n void a() { n() = 0; }\n void b() { n() = 5; }\n void c() { this->n() = 0; }\n int m;\n};\n\
         void f(D &d, D *p, D v) {\n  d.n() = 0;\n  p->n()++;\n  v.n() += 2;\n  int &r = v.n();\n  g(v.n());\n  get().n()--;\n}\n",
        expect![[r#"
            address taken: D
            fn D::D(first:i32)
              2:17 this->m = first
              2:26 block
            fn D::n()
              3:13 return this->m
            fn D::a()
              4:13 (n@4:13(), this)->m = 0
            fn D::b()
              5:13 (n@5:13(), this)->m = 5
            fn D::c()
              6:13 (n@6:13(), this)->m = 0
            fn f(d:ptr, p:ptr, v&:struct)
              10:3 (n@10:3(), d).m = 0
              11:3 (n@11:3(), p)->m++
              12:3 (n@12:3(), v).m Add= 2
              13:3 decl r:ptr@13:8 = &(n@13:12(), v).m
              14:3 g@14:3(&(n@14:5(), v).m)
              15:3 (&unseen.m, (get@15:3(), n@15:3()))--
        "#]],
    );
}
