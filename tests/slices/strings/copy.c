/* Copies of strings. */
#include "observe.h"
#include <string.h>

int main(void)
{
    char a[16];
    char b[16];
    strcpy(a, "hello");
    a[0] = (char) ('a' + input(0));
    strcpy(b, a);
    a[0] = 'z';
    b[1] = 'q';
    observe(b[0]);
    return 0;
}
