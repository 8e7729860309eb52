/* A table of strings. */
#include "observe.h"

static const char *const names[] = {"zero", "one", "two", "three"};

static int length(const char *s)
{
    int n = 0;
    while (*s++)
        n++;
    return n;
}

int main(void)
{
    int which = input(0) % 4;
    int noise = length(names[2]);
    noise++;
    observe(length(names[which]));
    return 0;
}
