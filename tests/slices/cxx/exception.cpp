// What is thrown decides where the program goes on.
#include "observe.h"

static int depth(int n)
{
    if (n > 4)
        throw n;
    int r = n * 2;
    return r;
}

int main()
{
    int result = 0;
    int noise = 0;
    try {
        result = depth(input(0));
        noise++;
        result += depth(input(1));
    } catch (int e) {
        result = 100 + e;
    }
    noise += 2;
    observe(result);
    observe(input(2));
    return 0;
}
