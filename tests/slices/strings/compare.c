/* A comparison decides. */
#include "observe.h"
#include <string.h>

int main(void)
{
    char word[8] = "red";
    int x = 0;
    int noise = 0;
    if (input(0) > 6)
        strcpy(word, "blue");
    noise = word[0];
    if (strcmp(word, "red") == 0)
        x = 1;
    observe(x);
    return 0;
}
