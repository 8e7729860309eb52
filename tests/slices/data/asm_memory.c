/* Assembly that is given variables, or memory as a whole. */
#include "observe.h"

static int shared;

int main(void)
{
    int a = input(0);
    int b = 0;
    int c = 5;
    int *p = &c;
    shared = 3;
    __asm__("" : "=r"(b) : "0"(a));
    __asm__ volatile("" : "+m"(shared) : "r"(p) : "memory");
    observe(b);
    observe(shared);
    observe(c);
    return 0;
}
