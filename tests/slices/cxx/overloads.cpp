// Functions of one name.
#include "observe.h"

static int kinds = 0;

static int measure(int x)
{
    kinds += 1;
    return x + 1;
}

static int measure(double x)
{
    kinds += 10;
    return (int) (x * 2);
}

int main()
{
    int noise = 1;
    int a = measure(input(0));
    int b = measure(input(1) * 1.5);
    noise--;
    observe(a);
    observe(b);
    observe(kinds);
    observe(noise);
    return 0;
}
