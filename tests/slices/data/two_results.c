/* One computation, two results, one of them wanted. */
#include "observe.h"

int main(void)
{
    int n = input(0);
    int i;
    int sum = 0;
    int product = 1;
    for (i = 1; i <= n; i++) {
        sum = sum + i;
        product = product * i;
    }
    observe(sum);
    observe(product);
    return 0;
}
