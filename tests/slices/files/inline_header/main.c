/* A function in a header that two files use. */
#include "observe.h"
#include "clamp.h"

int scaled(int n);

int main(void)
{
    int a = clamp(input(0), 5);
    int b = scaled(input(1));
    a++;
    observe(b);
    return 0;
}
