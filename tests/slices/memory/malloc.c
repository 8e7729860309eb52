/* A value on the heap. */
#include "observe.h"
#include <stdlib.h>

int main(void)
{
    int *a = malloc(sizeof *a);
    int *b = malloc(sizeof *b);
    *a = input(0);
    *b = input(1);
    *b += 2;
    observe(*a);
    free(a);
    free(b);
    return 0;
}
