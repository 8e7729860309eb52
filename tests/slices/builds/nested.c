/* Macros within macros. */
#include "observe.h"

static int state;

static void put(int n)
{
    state = n;
}

static void put_more(int n)
{
    state = n + 1;
}

#ifdef MORE
#define PUT(n) put_more(n)
#else
#define PUT(n) put(n)
#endif

#if defined(A)
#define STORE(n) do { PUT(n); } while (0)
#elif defined(B)
#define STORE(n) do { int m_ = (n); PUT(m_); } while (0)
#elif defined(C)
#define STORE(n) do { PUT(0); PUT(n); } while (0)
#elif defined(D)
#define STORE(n) do { if (n) PUT(n); } while (0)
#else
#define STORE(n) do { if ((n) > 3) PUT(n); else PUT(1); } while (0)
#endif

int main(void)
{
    int x = input(0);
    int y = 4;
    y += x;
    STORE(x);
    y++;
    observe(state);
    return 0;
}
