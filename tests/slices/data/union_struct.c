/* A tagged union. */
#include "observe.h"

struct value {
    int kind;
    union {
        int whole;
        double real;
    } as;
};

int main(void)
{
    struct value v;
    int noise = 1;
    if (input(0) > 4) {
        v.kind = 1;
        v.as.whole = input(1);
    } else {
        v.kind = 2;
        v.as.real = 2.5;
    }
    noise = v.kind;
    observe(v.kind == 1 ? v.as.whole : (long) (v.as.real * 2));
    return 0;
}
