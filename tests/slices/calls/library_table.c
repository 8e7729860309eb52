/* A table of operations, some of the library. */
#include "observe.h"
#include <stdlib.h>
#include <string.h>

struct operations {
    void *(*fill)(void *, int, size_t);
    long (*number)(const char *, char **, int);
    void (*end)(int);
};

static void *once(void *to, int value, size_t count)
{
    return count ? memset(to, value + 1, 1) : to;
}

static const struct operations table[] = {
    {memset, strtol, exit},
    {once, strtol, exit},
};

static void use(const struct operations *which, char *text)
{
    char *rest = text;
    char noise = 'n';
    which->fill(text, '4', 2);
    which->fill(&noise, '5', 1);
    long n = which->number(text, &rest, 10);
    observe((int)n);
    observe((int)(rest - text));
    if (n % 2)
        which->end(0);
    observe(1);
}

int main(void)
{
    char text[4] = "123";
    text[2] = (char)('0' + input(0) % 10);
    use(&table[input(1) % 2], text);
    return 0;
}
