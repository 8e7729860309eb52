/* A number becomes text. */
#include "observe.h"
#include <stdio.h>

int main(void)
{
    char text[32];
    int n = input(0);
    int m = input(1);
    int noise = 1;
    snprintf(text, sizeof text, "%d:%d", n * 7, m);
    m = 0;
    noise = text[1];
    observe(text[0]);
    return 0;
}
