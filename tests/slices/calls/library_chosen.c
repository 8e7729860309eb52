/* Either a function of the library or one of the program; and one that nobody knows, which is given a pointer. */
#include "observe.h"
#include <stdlib.h>
#include <string.h>

typedef int (*compare)(const void *, const void *, size_t);
typedef void (*sorter)(void *, size_t, size_t, int (*)(const void *, const void *));

static int first(const void *a, const void *b, size_t count)
{
    (void)count;
    return *(const unsigned char *)a - *(const unsigned char *)b;
}

static int up(const void *a, const void *b)
{
    return *(const int *)a - *(const int *)b;
}

int main(void)
{
    compare chosen = input(0) % 2 ? first : memcmp;
    sorter sort = qsort;
    unsigned char a[2] = {1, 2}, b[2] = {1, 2};
    int list[3] = {3, 2, 1};
    int noise[2] = {9, 8};
    b[1] = (unsigned char)(3 + input(1) % 5);
    list[2] = input(2) % 7 - 20;
    noise[0] = list[0];
    observe(chosen(a, b, 2) < 0);
    sort(list, 3, sizeof *list, up);
    observe(list[0]);
    return 0;
}
