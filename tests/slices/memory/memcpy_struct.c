/* A structure is copied as bytes. */
#include "observe.h"
#include <string.h>

struct record {
    int id;
    int body[2];
    int *link;
};

int main(void)
{
    int target = 4;
    struct record a;
    struct record b;
    a.id = 1;
    a.body[0] = 2;
    a.body[1] = 3;
    a.link = &target;
    memcpy(&b, &a, sizeof a);
    *b.link = input(0);
    a.id = 6;
    observe(target);
    observe(b.id);
    return 0;
}
