/* Names put together. */
#include "observe.h"

#define COUNTER(n) counter_##n

int main(void)
{
    int counter_a = 1;
    int counter_b = 2;
    COUNTER(a) += input(0);
    COUNTER(b) += input(1);
    COUNTER(b)++;
    observe(COUNTER(a));
    return 0;
}
