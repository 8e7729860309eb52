// C++ for the front end's corpus: what it lowers differently from C.
#include "small.h"
namespace grid {
template <class T> class Range {
    T from, to;
  public:
    explicit Range(T n) : from(0), to(n) {}
    ~Range() { leave(this); }
    T *begin() { return &from; }
    T *end() { return &to; }
    int operator()(int &left) const { return left++ > to ? -1 : 1; }
};
struct Base { virtual int step(int &it) = 0; int count = 0; };
struct Cell final : Base {
    int step(int &it) override {
        try {
            for (auto &&each : Range<int>(it)) count += each;
            EACH(i, 3) { it += i; if (i == 2) throw it; }
        } catch (int thrown) {
            while (thrown-- > 0) exchange(thrown);
        }
        return [&](int n) { do { n--; } while (n); return count; }(it);
    }
};
}
#if defined(ONE)
int drive(int n) { for (int i = 0; i < n; ++i) {
#else
int drive(long n) { for (long i = n; i; i--) {
#endif
    grid::Cell cell; int it = 3; cell.step(it);
    goto done;
    }
done:
    return 0;
}
