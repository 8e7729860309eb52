/* A loop that setjmp makes. */
#include "observe.h"
#include <setjmp.h>

static jmp_buf top;
static int rounds;
static int junk;

static void again(void)
{
    junk += 3;
    if (rounds < input(0))
        longjmp(top, 1);
}

int main(void)
{
    setjmp(top);
    rounds++;
    again();
    observe(rounds);
    return 0;
}
