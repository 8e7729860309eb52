/* Only a part is copied. */
#include "observe.h"
#include <string.h>

int main(void)
{
    char a[8] = "abcdefg";
    char b[8] = "hijklmn";
    int n = input(0) % 4;
    int noise = 2;
    memcpy(b + 1, a, (size_t) n);
    noise = b[7];
    observe(b[3]);
    return 0;
}
