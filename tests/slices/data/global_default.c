/* A global that nobody set is zero. */
#include "observe.h"

static int counter;
static int other = 3;

static void count(int n)
{
    if (n > 3)
        counter++;
    else
        other++;
}

int main(void)
{
    int i;
    for (i = 0; i < 5; i++)
        count(input(i));
    observe(counter);
    return 0;
}
