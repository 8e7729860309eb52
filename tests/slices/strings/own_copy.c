/* The oldest loop of C. */
#include "observe.h"

static void copy(char *to, const char *from)
{
    while ((*to++ = *from++))
        ;
}

int main(void)
{
    char a[8] = "abc";
    char b[8] = "";
    int noise = 0;
    a[1] = (char) ('a' + input(0));
    copy(b, a);
    a[1] = '-';
    noise = b[0];
    observe(b[1]);
    return 0;
}
