/* A jump out of a call. */
#include "observe.h"
#include <setjmp.h>

static jmp_buf back;

static void leave(int n)
{
    int noise = n;
    noise++;
    if (n > 4)
        longjmp(back, 2);
}

int main(void)
{
    volatile int before = 1;
    if (setjmp(back) == 0) {
        leave(input(0));
        before = 5;
    }
    observe(before);
    return 0;
}
