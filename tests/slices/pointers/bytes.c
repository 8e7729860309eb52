/* The bytes of a number, written one by one. */
#include "observe.h"

int main(void)
{
    unsigned number = 0;
    unsigned char *byte = (unsigned char *) &number;
    int noise = 1;
    byte[0] = (unsigned char) input(0);
    noise <<= 3;
    byte[1] = (unsigned char) input(1);
    observe((long) number);
    observe(noise);
    return 0;
}
