/* A pointer into a string. */
#include "observe.h"
#include <string.h>

int main(void)
{
    char text[] = "key=value";
    char *mark;
    int noise = 0;
    text[input(0) % 3] = '=';
    mark = strchr(text, '=');
    noise = *mark;
    *mark = 0;
    observe((long) strlen(text));
    return 0;
}
