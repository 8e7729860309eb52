#include "events.h"

static handler handlers[EVENT_KINDS];

void set_handler(enum kind kind, handler handle)
{
    handlers[kind] = handle;
}

void post(struct tree *tree, int to, enum kind kind)
{
    int code = kind;
    MPI_Send(&code, 1, MPI_INT, to, 90, MPI_COMM_WORLD);
    if (kind != EVENT_GROW)
        tree->pending++;
}

void dispatch(struct tree *tree)
{
    int code;
    MPI_Status status;
    MPI_Recv(&code, 1, MPI_INT, MPI_ANY_SOURCE, 90, MPI_COMM_WORLD, &status);
    handlers[code](tree, status.MPI_SOURCE);
}

/* Takes the answers that are owed to this rank. */
void settle(struct tree *tree)
{
    while (tree->pending > 0) {
        int answer;
        MPI_Recv(&answer, 1, MPI_INT, MPI_ANY_SOURCE, 91, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        tree->leaves += answer % 3;
        tree->pending--;
    }
}
