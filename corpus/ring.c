/* ring.c - tokens go round a ring of ranks: Irecv, Isend, Waitall, Barrier.
 *
 *     ring [STEPS]
 *
 * In every step each rank passes its token to the right and adds its own number to the one that comes in. Where a
 * token has been is known, so what it must be worth at the end is known too.
 *
 * Places to stall: send lost_token report before_barrier after_barrier
 */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

#include "stall.h"

#define TAG_TOKEN 1
#define TAG_LOST 99 /* nobody sends this */

struct ring {
    MPI_Comm comm;
    int rank, size;
    int left, right;
    MPI_Request request[2];
};

static void post_receive(struct ring *ring, long *incoming, int step)
{
    int tag = stall_here("lost_token", step) ? TAG_LOST : TAG_TOKEN;

    MPI_Irecv(incoming, 1, MPI_LONG, ring->left, tag, ring->comm, &ring->request[0]);
}

static void send_token(struct ring *ring, const long *token, int step)
{
    if (stall_here("send", step))
        while (stall_gate) continue; /* STALL: send */
    MPI_Isend(token, 1, MPI_LONG, ring->right, TAG_TOKEN, ring->comm, &ring->request[1]);
}

static void wait_for_both(struct ring *ring)
{
    MPI_Status status[2];

    MPI_Waitall(2, ring->request, status); /* STALL: lost_token */
}

/* One rank at a time says where we are; it is rank 0's turn at step 0. */
static void report(const struct ring *ring, long token, int step)
{
    if (step % 1000 == 0)
        printf("ring: step %d, rank %d holds %ld\n", step, ring->rank, token);
    if (stall_here("report", step))
        while (stall_gate) continue; /* STALL: report */
}

static long circulate(struct ring *ring, int steps)
{
    long token = ring->rank;
    long incoming = 0;
    int step;

    for (step = 0; step < steps; step++) {
        if (step % ring->size == ring->rank)
            report(ring, token, step);

        post_receive(ring, &incoming, step);
        send_token(ring, &token, step);
        wait_for_both(ring);
        token = incoming + ring->rank;

        if (stall_here("before_barrier", step))
            while (stall_gate) continue; /* STALL: before_barrier */
        MPI_Barrier(ring->comm);
        if (stall_here("after_barrier", step))
            while (stall_gate) continue; /* STALL: after_barrier */
    }
    return token;
}

/* What the token that we hold after `steps` steps is worth: it started on another rank and collected every rank on
 * its way here. */
static long expected(const struct ring *ring, int steps)
{
    int at = (ring->rank + ring->size - steps % ring->size) % ring->size;
    long token = at;
    int step;

    for (step = 0; step < steps; step++) {
        at = (at + 1) % ring->size;
        token += at;
    }
    return token;
}

int main(int argc, char **argv)
{
    int steps = argc > 1 ? atoi(argv[1]) : 200;
    struct ring ring;
    long token, total = 0;
    int good, all_good = 0;

    MPI_Init(&argc, &argv);
    ring.comm = MPI_COMM_WORLD;
    MPI_Comm_rank(ring.comm, &ring.rank);
    MPI_Comm_size(ring.comm, &ring.size);
    ring.left = (ring.rank + ring.size - 1) % ring.size;
    ring.right = (ring.rank + 1) % ring.size;
    stall_init(ring.comm, "send lost_token report before_barrier after_barrier");

    token = circulate(&ring, steps);

    good = token == expected(&ring, steps);
    MPI_Reduce(&token, &total, 1, MPI_LONG, MPI_SUM, 0, ring.comm);
    MPI_Reduce(&good, &all_good, 1, MPI_INT, MPI_LAND, 0, ring.comm);
    if (ring.rank == 0)
        printf("ring: %d steps, sum %ld, self-check %s\n", steps, total, all_good ? "passed" : "FAILED");
    MPI_Finalize();
    return good ? 0 : 1;
}
