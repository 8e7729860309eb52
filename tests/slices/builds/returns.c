/* A macro that leaves the function around it. */
#include "observe.h"

static int failures;

static int fail(int code)
{
    failures++;
    return code;
}

#if defined(A)
#define CHECK(f) do { int e_ = (f); if (e_) return e_; } while (0)
#elif defined(B)
#define CHECK(f) do { int e_ = (f); if (e_) return fail(e_ + 1); } while (0)
#elif defined(C)
#define CHECK(f) do { if (f) return 1; } while (0)
#elif defined(D)
#define CHECK(f) do { (void) (f); } while (0)
#else
#define CHECK(f) do { int e_ = (f); if (e_) return fail(e_); } while (0)
#endif

static int is_odd(int n)
{
    return n % 2;
}

static int work(int n, int *out)
{
    int noise = 0;
    CHECK(is_odd(n));
    *out = n;
    noise++;
    CHECK(n > 6);
    *out += 10;
    return 0;
}

int main(void)
{
    int out = 0;
    int noise = work(2, &out);
    int code = work(input(0), &out);
    noise++;
    observe(out);
    observe(code);
    observe(failures);
    return 0;
}
