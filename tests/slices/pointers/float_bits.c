/* A real number through an integer's eyes. */
#include "observe.h"
#include <string.h>

int main(void)
{
    float f = (float) input(0);
    unsigned bits = 0;
    float other = 2.0f;
    memcpy(&bits, &f, sizeof bits);
    other = other * f;
    observe((long) (bits >> 16));
    return 0;
}
