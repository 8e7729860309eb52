// A lambda keeps the value that a variable had.
#include "observe.h"

int main()
{
    int k = input(0);
    int unused = 9;
    auto scale = [k](int x) { return k * x; };
    unused += k;
    k = 100;
    int result = scale(input(1));
    observe(result);
    observe(unused);
    return 0;
}
