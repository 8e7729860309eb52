/* The length of what was put together. */
#include "observe.h"
#include <string.h>

int main(void)
{
    char text[32] = "ab";
    int noise = 3;
    if (input(0) > 4)
        strcat(text, "cde");
    noise = (int) strlen("noise");
    observe((long) strlen(text));
    return 0;
}
