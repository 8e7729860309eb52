/* A macro that assigns what it is given, in five ways. */
#include "observe.h"

#if defined(A)
#define SET(to, from) do { (to) = (from); } while (0)
#elif defined(B)
#define SET(to, from) do { (to) = (from) + 0; } while (0)
#elif defined(C)
#define SET(to, from) do { (to) = 0; (to) += (from); } while (0)
#elif defined(D)
#define SET(to, from) do { int t_ = (from); (to) = t_; } while (0)
#else
#define SET(to, from) do { const int u_ = (from); (to) = u_ + 1; } while (0)
#endif

struct pair {
    int a;
    int b;
};

int main(void)
{
    int x = 1;
    int y = input(0);
    int z = 3;
    int v[3] = {0, 0, 0};
    struct pair p = {4, 5};
    SET(x, y);
    SET(z, y + 1);
    SET(v[1], input(1));
    SET(v[2], z);
    SET(p.a, v[1]);
    SET(p.b, x);
    observe(x);
    observe(v[1]);
    observe(p.a);
    return 0;
}
