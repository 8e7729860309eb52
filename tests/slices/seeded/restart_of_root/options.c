#include "run.h"
#include <stdlib.h>
#include <stdio.h>
#include <string.h>

static int exists(const char *name)
{
    FILE *f = fopen(name, "r");
    if (!f)
        return 0;
    fclose(f);
    return 1;
}

static void check(const struct run *r)
{
    if (r->last <= r->first || r->every <= 0) {
        fprintf(stderr, "nothing to do\n");
        MPI_Abort(r->comm, 2);
    }
}

void run_options(struct run *r, int argc, char **argv)
{
    int plain[3] = {0, 40, 8};
    r->comm = MPI_COMM_WORLD;
    MPI_Comm_rank(r->comm, &r->rank);
    MPI_Comm_size(r->comm, &r->size);
    r->is_restart = 0;
    if (r->rank == 0) {
        for (int i = 1; i < argc; i++)
            if (!strncmp(argv[i], "last=", 5))
                plain[1] = atoi(argv[i] + 5);
        if (exists(argv[0]))
            r->is_restart = 1; /* BUG: the others are not told */
    }
    MPI_Bcast(plain, 3, MPI_INT, 0, r->comm);
    r->first = plain[0];
    r->last = plain[1];
    r->every = plain[2];
    check(r);
}
