/* strtok keeps a place of its own. */
#include "observe.h"
#include <string.h>

int main(void)
{
    char text[] = "a,bb,ccc,dddd";
    char *word;
    int n = 0;
    int longest = 0;
    for (word = strtok(text, ","); word; word = strtok(0, ",")) {
        if ((int) strlen(word) > longest)
            longest = (int) strlen(word);
        n++;
        if (n > input(0))
            break;
    }
    observe(longest);
    return 0;
}
