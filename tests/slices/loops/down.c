/* An unsigned variable counts down. */
#include "observe.h"

int main(void)
{
    unsigned i;
    unsigned product = 1;
    int noise = 1;
    for (i = 5; i-- > 0;) {
        product = product * 3 + (unsigned) input((int) i);
        noise = -noise;
    }
    noise = 4;
    observe((long) product);
    return 0;
}
