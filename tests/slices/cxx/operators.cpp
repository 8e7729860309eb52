// Operators are functions.
#include "observe.h"

struct Vec {
    int x;
    int y;
    Vec(int a, int b) : x(a), y(b) {}
    Vec operator+(const Vec &o) const { return Vec(x + o.x, y + o.y); }
    Vec &operator+=(int k)
    {
        x += k;
        return *this;
    }
};

static bool operator==(const Vec &a, const Vec &b)
{
    return a.x == b.x;
}

int main()
{
    Vec a(input(0), 1);
    Vec b(input(1), 2);
    int noise = 1;
    Vec c = a + b;
    c += 5;
    noise++;
    observe(c.x);
    observe(c.y);
    observe(a == b);
    observe(noise);
    return 0;
}
