// Constructors that delegate, lists of initial values, literals of one's own, chains of arrows, statics and friends.
#include "observe.h"
#include <initializer_list>

template <class Self> struct Counted {
    static int made;
    Counted() { made++; }
    int twice() { return 2 * static_cast<Self *>(this)->value(); }
};
template <class Self> int Counted<Self>::made = 0;

struct Point : Counted<Point> {
    int x, y;
    Point(int both) : Point(both, both + 1) { y += 1; }
    Point(int x, int y) : x(x), y(y) {}
    int value() { return x - y; }
    explicit operator bool() const { return x > y; }
    friend int distance(const Point &a, const Point &b) { return a.x - b.x + a.y - b.y; }
};

struct Sum {
    int total = 1;
    Sum(std::initializer_list<int> all)
    {
        for (int each : all)
            total += each;
    }
    Sum &operator,(int more)
    {
        total += more;
        return *this;
    }
};

static long operator""_times(unsigned long long n) { return static_cast<long>(n) * 3; }

struct Inner {
    int depth;
    int read() { return depth += 2; }
};
struct Middle {
    Inner *inner;
    Inner *operator->() { return inner; }
};
struct Outer {
    Middle middle;
    Middle &operator->() { return middle; }
};

static int next()
{
    static int last = 10;
    return last += 3;
}

int main()
{
    int a = input(0), b = input(1), noise = input(2);
    Point p(a);
    Point q(b, a);
    Sum sum = {a, b, 4};
    (sum, 5, b);
    Inner inner = {a};
    Outer outer = {{&inner}};
    int read = outer->read();
    noise += next();
    int last = next();
    int chosen = p ? 1 : q ? 2 : 3;
    long literal = 7_times + a;
    observe(p.value());
    observe(p.twice() + q.twice());
    observe(distance(p, q));
    observe(sum.total);
    observe(read + inner.depth);
    observe(last);
    observe(chosen);
    observe(Counted<Point>::made);
    observe(literal);
    observe(noise);
    return 0;
}
