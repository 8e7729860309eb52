/* A pointer that lives in a structure. */
#include "observe.h"

struct view {
    int *data;
    int size;
};

int main(void)
{
    int storage = 4;
    struct view v;
    v.data = &storage;
    v.size = 1;
    *v.data = input(0) * 2;
    v.size = 9;
    observe(storage);
    return 0;
}
