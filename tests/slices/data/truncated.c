/* What does not fit is lost. */
#include "observe.h"

int main(void)
{
    int big = input(0) * 100 + 300;
    unsigned char small = (unsigned char) big;
    short kept = (short) big;
    big = 0;
    kept++;
    observe(small);
    return 0;
}
