/* An assignment behind `&&`. */
#include "observe.h"

int main(void)
{
    int x = 1;
    int y = 0;
    int n = input(0);
    (void) (n > 3 && (x = n));
    (void) (n > 3 || (y = n));
    n = 0;
    observe(x);
    return 0;
}
