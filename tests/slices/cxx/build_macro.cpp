// Macros that builds define differently, on objects.
#include "observe.h"

class Counter {
public:
    void add(int n) { total += n; }
    int get() const { return total; }

private:
    int total = 0;
};

#if defined(A)
#define ADD(counter, n) ((counter).add((n) + 1))
#define GET(counter) ((counter).get() + 0)
#else
#define ADD(counter, n) (counter).add(n)
#define GET(counter) counter.get()
#endif

int main()
{
    Counter a;
    Counter b;
    int x = input(0);
    int noise = 2;
    ADD(a, x);
    ADD(b, 5);
    noise++;
    observe(GET(a));
    return 0;
}
