/* From a member back to the structure around it. */
#include "observe.h"
#include <stddef.h>

struct item {
    int key;
    int value;
    int link;
};

#define CONTAINER(p, type, member) ((type *) ((char *) (p) - offsetof(type, member)))

static int value_of(int *link)
{
    struct item *it = CONTAINER(link, struct item, link);
    return it->value;
}

int main(void)
{
    struct item one;
    one.key = 5;
    one.value = input(0);
    one.link = 0;
    observe(value_of(&one.link));
    return 0;
}
