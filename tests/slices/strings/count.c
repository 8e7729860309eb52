/* Characters are counted. */
#include "observe.h"

int main(void)
{
    const char *text = "the quick brown fox";
    int spaces = 0;
    int vowels = 0;
    int i;
    char wanted = input(0) > 4 ? 'o' : 'e';
    for (i = 0; text[i]; i++) {
        if (text[i] == ' ')
            spaces++;
        if (text[i] == wanted)
            vowels++;
    }
    observe(vowels);
    observe(spaces);
    return 0;
}
