//! What libraries and their headers write: words that only their configured headers define, operators by name, heads for old compilers.

use super::{check, check_cxx};
use expect_test::expect;

#[test]
fn macros_that_are_attributes_in_every_build() {
    check_cxx(
        r##"#ifdef X
#define TCONST const
#else
#define TCONST
#endif
#ifdef GNU
#define PRAGMA(x) _Pragma(#x)
#define DIAG(x) PRAGMA(GCC diagnostic ignored x)
#define FALL __attribute__((fallthrough));
#define FORMAT _Printf_format_string_
#elif defined(MS)
#define PRAGMA(x) __pragma(x)
#define DIAG(x) __pragma(warning(disable : x))
#define FALL
#define FORMAT
#else
#define PRAGMA(x)
#define DIAG(x)
#define FALL
#define FORMAT
#endif
int f(FORMAT TCONST char *s) {
  DIAG("-Wfloat-equal")
  switch (g(s)) {
  case 1:
    h(1);
    FALL
  case 2:
    h(2);
  }
  return 0;
}
class K {
  DIAG(33)
  K() {}
  DIAG(44)
  K(double d) : a(h(d)) {}
};
"##,
        expect![[r#"
            address taken: K
            fn f(s&:ptr)
              24:3 switch g@24:11(&s)
                24:17 block
                  25:3 group
                    25:3 case 1
                    26:5 h@26:5(1)
                  28:3 group
                    28:3 case 2
                    29:5 h@29:5(2)
              31:3 return 0
            fn K::K()
            fn K::K(d&:f64)
              37:17 a@37:17(h@37:19(&d))
              37:25 block
        "#]],
    );
}

#[test]
fn pragmas_of_threads_are_no_attributes() {
    check(
        r##"#ifdef THREADS
#define SHARE _Pragma("omp parallel for")
#else
#define SHARE
#endif
void f(int n) {
  SHARE
  for (int i = 0; i < n; i++) g(i);
}
"##,
        expect![[r#"
            fn f(n:i32) Partial: 'SHARE' may be no type but a macro that hides code at line 7
              7:3 empty
              8:19 (@i Lt n)
              8:26 unknown @i++
              8:31 g@8:31(@i)
        "#]],
    );
}

#[test]
fn groups_around_items_with_words_between_them() {
    check_cxx(
        r##"#ifdef LIB_WITH_MORE
#  include "more.h"
LIB_NO_WARNINGS
LIB_NAMESPACE_OPEN
#  if LIB_VERSION > 2
namespace inner {
#  else
namespace outer {
#  endif
  M::M() : c(S)
  {
    f(1);
  }
}
LIB_NAMESPACE_CLOSE
#endif
"##,
        expect![[r#"
            address taken: M
            fn inner::M::M() Partial: #if at line 5 splits a statement
              10:12 c@10:12(&this->S)
              11:3 block
                12:5 f@12:5(1)
        "#]],
    );
}

#[test]
fn words_in_front_of_declarations_that_no_type_can_be() {
    check_cxx(
        r##"LIB_OPEN
std::ostream &
operator<<(std::ostream &out, const M &mask) { return f(out); }
template <int dim, typename N>
inline LIB_INLINE LIB_DEVICE T<1, dim> &
T<1, dim>::operator*=(const N &s) { return g(s); }
class FD {
  LIB_EXPORT FD(int a) : x(g(a)) {}
  LIB_EXPORT ~FD() { g(1); }
  LIB_EXPORT operator int() const { return g(2); }
  LIB_INLINE T<double, 8> &operator+=(T<double, 8> b) { return g(b); }
  REAL r(int a) { return g(a); }
};
inline REAL norm(int k) { return g(k); }
"##,
        expect![[r#"
            address taken: FD operator int operator*= operator+= operator<< ~FD
            fn operator<<(out:ptr, mask:ptr)
              3:48 return f@3:55(out)
            fn T::operator*=(s:ptr) Repaired: 'LIB_INLINE' taken for an attribute at line 5
              6:37 return g@6:44(s)
            fn FD::FD(a&:i32)
              8:26 x@8:26(g@8:28(&a))
              8:34 block
            fn FD::~FD()
              9:22 g@9:22(1)
            fn FD::operator int()
              10:37 return g@10:44(2)
            fn FD::operator+=(b&:struct)
              11:57 return g@11:64(&b)
            fn FD::r(a&:i32)
              12:19 return g@12:26(&a)
            fn norm(k&:i32)
              14:27 return g@14:34(&k)
        "#]],
    );
}

#[test]
fn operators_called_by_their_names() {
    check_cxx(
        r##"struct V {
  int operator()(int, int);
  int &operator[](int);
  V &operator=(int);
  V &operator++();
  int f();
};
int V::f() {
  this->operator()(1, 2);
  operator++();
  return this->operator [](3);
}
void g(V &v, V *p) {
  v.operator=(3);
  p->operator++();
  struct local { bool operator()(int a) { return a > 1; } };
}
"##,
        expect![[r#"
            address taken: operator()
            fn V::f()
              9:3 operator()@9:3(1, 2)
              10:3 operator++@10:3()
              11:3 return operator[]@11:10(3)
            fn g(v:ptr, p:ptr)
              14:3 operator=@14:3(3)
              15:3 operator++@15:3()
              16:3 empty
            fn local::operator()(a:i32)
              16:43 return (a Gt 1)
        "#]],
    );
}

#[test]
fn heads_behind_a_type_and_other_declarations() {
    check(
        r##"#ifdef KR_headers
double tanh();
double d_tanh(x) doublereal *x;
#else
#undef abs
#include "math.h"
#ifdef __cplusplus
extern "C" {
#endif
double d_tanh(doublereal *x)
#endif
{
  return tanh(*x);
}
 int
#ifdef KR_headers
l_write(number, ptr, end) ftnint *number; register const char *ptr, *end;
#else
l_write(ftnint *number, const char *ptr, const char *end)
#endif
{ return g(ptr); }
 int
#ifdef KR_headers
other(number) ftnint *number;
#else
other(ftnint *n)
#endif
{ return g(n); }
"##,
        expect![[r#"
            fn d_tanh(x:ptr)
              13:3 return tanh@13:10(*x)
            fn l_write(number:ptr, ptr:ptr, end:ptr)
              21:3 return g@21:10(ptr)
            fn other(number:ptr) Partial: #if at line 23 splits a statement
              28:3 return g@28:10(@n)
        "#]],
    );
}

#[test]
fn casts_to_types_of_libraries() {
    check_cxx(
        r##"void f(int *a, int *b, double *t) {
  h((size_t) *a, (uint64_t)-*b, t);
  x = (MPI_Aint) *a;
}
"##,
        expect![[r#"
            fn f(a:ptr, b:ptr, t&:ptr)
              2:3 h@2:3((u64)*a, (u64)-*b, &t)
              3:3 @x = (i64)*a
        "#]],
    );
}
