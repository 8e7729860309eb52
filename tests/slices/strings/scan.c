/* Text becomes numbers. */
#include "observe.h"
#include <stdio.h>

int main(void)
{
    char text[16] = "12 34 56";
    int a = 0;
    int b = 0;
    int c = 0;
    text[3] = (char) ('0' + input(0));
    sscanf(text, "%d %d %d", &a, &b, &c);
    a = 1;
    observe(b);
    observe(c);
    return 0;
}
