/* Text becomes a number, and the rest is left. */
#include "observe.h"
#include <stdlib.h>

int main(void)
{
    char text[] = "42abc";
    char *rest = 0;
    long n;
    long noise = 0;
    text[0] = (char) ('0' + input(0));
    n = strtol(text, &rest, 10);
    noise = n;
    n = 3;
    observe(*rest);
    observe(noise);
    return 0;
}
