/* What the second return of setjmp says. */
#include "observe.h"
#include <setjmp.h>

static jmp_buf back;

static void leave(int n)
{
    longjmp(back, n + 1);
}

int main(void)
{
    int code;
    volatile int noise = 0;
    code = setjmp(back);
    if (code == 0) {
        noise = 1;
        leave(input(0));
    }
    noise = 2;
    observe(code);
    return 0;
}
