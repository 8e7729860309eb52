#include "aliases.h"
#undef make_pair
#include <algorithm>
#include <atomic>
#include <charconv>
#include <cstdint>
#include <functional>
#include <future>
#include <iostream>
#include <memory>
#include <optional>
#include <sstream>
#include <thread>
#include <tuple>
#include <utility>
#include <vector>

struct pair_t { int a, b; };
using my_byte = std::uint8_t;
typedef my_byte my_alias;
typedef unsigned char char8;
enum small_enum : unsigned char { NONE };
static octet spare_octet;
static void set_to(int &x, int value) { x = value; }
static int &identity(int &x) { return x; }
namespace wide { static void change(int &x) { x -= 2; } }
namespace std { static void atomic_ref_back(int &x) { x -= 2; } }
template <class T> static void any_change(T &x) { x -= 2; }
template <class T> static void any_forward(T &&x) { std::forward<T>(x) -= 2; }
static void overload(int &x) { x -= 2; }
static void overload(double x) { (void)x; }
static void overload_ptr(int &x) { x -= 2; }
static void change_pair(pair_t &p) { p.a -= 2; }
static std::istream &reader() { static std::istringstream in; in.clear(); in.str("0"); return in; }
struct keeper {
  int &kept;
  keeper(int &x) : kept(x) {}
  void change() { kept -= 2; }
};
struct open_keeper { int &kept; };
struct ptr_keeper { int *kept; };
struct guard {
  int &kept;
  guard(int &x) : kept(x) {}
  ~guard() { kept -= 2; }
};
struct tick {
  int n;
  void back() { n -= 2; }
  tick &operator--() { n -= 2; return *this; }
  tick &operator-=(int k) { n -= k; return *this; }
  void operator()() { n -= 2; }
  operator int() { n -= 2; return n; }
  int &operator[](int) { return n; }
  int &operator*() { return n; }
  int &ref() { return n; }
  void operator<<(int k) { n -= k; }
};
