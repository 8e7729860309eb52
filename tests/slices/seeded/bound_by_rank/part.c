#include "part.h"

/* The rows of one rank; what cannot be divided goes to the first ones. */
Range part_of(int total, int rank, int size)
{
    Range range;
    int each = total / size, rest = total % size;
    range.first = rank * each + (rank < rest ? rank : rest);
    range.last = range.first + each;
    if (rank <= rest) /* BUG: < */
        range.last++;
    return range;
}
