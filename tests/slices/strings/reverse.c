/* A string is turned round in place. */
#include "observe.h"
#include <string.h>

static void reverse(char *s)
{
    char *e = s + strlen(s) - 1;
    int swaps = 0;
    while (s < e) {
        char t = *s;
        *s++ = *e;
        *e-- = t;
        swaps++;
    }
}

int main(void)
{
    char text[] = "abcdef";
    text[5] = (char) ('0' + input(0));
    reverse(text);
    observe(text[0]);
    observe(text[5]);
    return 0;
}
