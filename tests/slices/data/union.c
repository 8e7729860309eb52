/* The members of a union share their place. */
#include "observe.h"

union both {
    int number;
    unsigned char bytes[4];
};

int main(void)
{
    union both u;
    int noise = 0;
    u.number = 0x01020304;
    u.bytes[0] = (unsigned char) input(0);
    noise = u.bytes[1];
    observe(u.number & 0xff);
    observe(noise);
    return 0;
}
