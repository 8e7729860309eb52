#include "plan.h"

void read_plan(struct plan *plan)
{
    const char *rounds = getenv("PLAN_ROUNDS");
    plan->rounds = rounds ? atoi(rounds) : 12;
    plan->tag = 9;
    plan->width = 2;
    plan->step = 0.25;
}

static int pack(const struct plan *plan, char *bytes, int room)
{
    int at = 0;
    MPI_Pack(&plan->rounds, 1, MPI_INT, bytes, room, &at, MPI_COMM_WORLD);
    MPI_Pack(&plan->tag, 1, MPI_INT, bytes, room, &at, MPI_COMM_WORLD);
    MPI_Pack(&plan->width, 1, MPI_INT, bytes, room, &at, MPI_COMM_WORLD);
    MPI_Pack(&plan->step, 1, MPI_DOUBLE, bytes, room, &at, MPI_COMM_WORLD);
    return at;
}

static void unpack(struct plan *plan, char *bytes, int length)
{
    int at = 0;
    MPI_Unpack(bytes, length, &at, &plan->rounds, 1, MPI_INT, MPI_COMM_WORLD);
    MPI_Unpack(bytes, length, &at, &plan->width, 1, MPI_INT, MPI_COMM_WORLD); /* BUG: the tag comes first */
    MPI_Unpack(bytes, length, &at, &plan->tag, 1, MPI_INT, MPI_COMM_WORLD);
    MPI_Unpack(bytes, length, &at, &plan->step, 1, MPI_DOUBLE, MPI_COMM_WORLD);
}

void share_plan(struct plan *plan, int rank)
{
    char bytes[256];
    int length = 0;
    if (rank == 0)
        length = pack(plan, bytes, sizeof bytes);
    MPI_Bcast(&length, 1, MPI_INT, 0, MPI_COMM_WORLD);
    MPI_Bcast(bytes, length, MPI_PACKED, 0, MPI_COMM_WORLD);
    if (rank > 0)
        unpack(plan, bytes, length);
}
