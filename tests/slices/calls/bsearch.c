/* The library calls back and returns a place. */
#include "observe.h"
#include <stdlib.h>

static int looks;

static int compare(const void *key, const void *element)
{
    looks++;
    return *(const int *) key - *(const int *) element;
}

int main(void)
{
    int data[5] = {1, 3, 5, 7, 9};
    int key = input(0) | 1;
    int *found = bsearch(&key, data, 5, sizeof data[0], compare);
    int shift = looks;
    shift = 2;
    observe(found ? (long) (found - data) + shift : -1);
    return 0;
}
