// The handler sees what the thrown object holds.
#include "observe.h"

struct Error {
    int code;
    int extra;
    Error(int c, int x) : code(c), extra(x) {}
};

static void check(int v)
{
    if (v % 2)
        throw Error(v, 7);
}

int main()
{
    int got = 0;
    int count = 0;
    for (int i = 0; i < 4; i++) {
        try {
            check(input(i));
            count++;
        } catch (const Error &e) {
            got += e.code;
        }
    }
    observe(got);
    observe(count);
    return 0;
}
