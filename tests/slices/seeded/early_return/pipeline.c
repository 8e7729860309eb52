#include "data.h"

#define TRY(call)                  \
    do {                           \
        enum status is = (call);   \
        if (is != FINE)            \
            return is;             \
    } while (0)

enum status pipeline(struct block *b, int rank, MPI_Comm comm)
{
    TRY(block_load(b, rank));
    TRY(block_check(b));
    TRY(block_scale(b, comm));
    TRY(block_check(b));
    return FINE;
}
