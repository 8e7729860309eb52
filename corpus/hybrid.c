/* hybrid.c - ranks with OpenMP threads: mix numbers in parallel, swap one with a partner, agree.
 *
 *     hybrid [STEPS]
 *
 * Ranks work in pairs; with an odd number of ranks the last one is alone, and its partner is MPI_PROC_NULL. What the
 * numbers must be at the end every rank works out for itself, without threads and without messages.
 *
 * Places to stall: worker main_thread wrong_peer wrong_tag before_sum
 */
#include <mpi.h>
#include <omp.h>
#include <stdio.h>
#include <stdlib.h>

#include "stall.h"

#define THREADS 3
#define CELLS 300
#define PRIME 1000003

#define TAG_SWAP 7
#define TAG_LOST 99 /* nobody sends this */

struct part {
    int rank, size;
    int partner;
    long cell[CELLS];
};

static long mix(long value, int step, int at)
{
    return (value * 31 + step + at) % PRIME;
}

/* One thread's share of the cells. */
static void mix_share(struct part *part, int step, int thread, int threads)
{
    int at;

    for (at = thread; at < CELLS; at += threads)
        part->cell[at] = mix(part->cell[at], step, at);
    if (thread == 1 && stall_here("worker", step))
        while (stall_gate) continue; /* STALL: worker */
    if (thread == 0 && stall_here("main_thread", step))
        while (stall_gate) continue; /* STALL: main_thread */
}

static void mix_all(struct part *part, int step)
{
#pragma omp parallel num_threads(THREADS)
    mix_share(part, step, omp_get_thread_num(), omp_get_num_threads());
}

/* Swap the first cell with the partner: the lower rank of a pair sends first. */
static void swap(struct part *part, int step)
{
    long mine = part->cell[0], theirs = mine;
    int source = part->partner, tag = TAG_SWAP;

    if (stall_here("wrong_peer", step))
        source = (part->rank + 2) % part->size;
    if (stall_here("wrong_tag", step))
        tag = TAG_LOST;
    if (part->rank % 2 == 0)
        MPI_Send(&mine, 1, MPI_LONG, part->partner, TAG_SWAP, MPI_COMM_WORLD);
    MPI_Recv(&theirs, 1, MPI_LONG, source, tag, MPI_COMM_WORLD, MPI_STATUS_IGNORE); /* STALL: wrong_peer */ /* STALL: wrong_tag */
    if (part->rank % 2 == 1)
        MPI_Send(&mine, 1, MPI_LONG, part->partner, TAG_SWAP, MPI_COMM_WORLD);
    part->cell[0] = theirs;
}

static long total(const struct part *part)
{
    long sum = 0;
    int at;

    for (at = 0; at < CELLS; at++)
        sum += part->cell[at];
    return sum;
}

static void fill(struct part *part, int rank)
{
    int at;

    for (at = 0; at < CELLS; at++)
        part->cell[at] = (rank * 1000 + at) % PRIME;
}

static long run(struct part *part, int steps)
{
    long sum = 0, mine;
    int step;

    for (step = 0; step < steps; step++) {
        mix_all(part, step);
        swap(part, step);
        mine = total(part);
        if (stall_here("before_sum", step))
            while (stall_gate) continue; /* STALL: before_sum */
        MPI_Allreduce(&mine, &sum, 1, MPI_LONG, MPI_SUM, MPI_COMM_WORLD);
    }
    return sum;
}

/* What our cells add up to, worked out alone. */
static long expected(const struct part *part, int steps)
{
    static struct part own, other;
    long first;
    int step, at;

    fill(&own, part->rank);
    fill(&other, part->partner == MPI_PROC_NULL ? 0 : part->partner);
    for (step = 0; step < steps; step++) {
        for (at = 0; at < CELLS; at++) {
            own.cell[at] = mix(own.cell[at], step, at);
            other.cell[at] = mix(other.cell[at], step, at);
        }
        if (part->partner != MPI_PROC_NULL) {
            first = own.cell[0];
            own.cell[0] = other.cell[0];
            other.cell[0] = first;
        }
    }
    return total(&own);
}

int main(int argc, char **argv)
{
    static struct part part;
    int steps = argc > 1 ? atoi(argv[1]) : 100;
    int provided, good, all_good = 0;
    long sum;

    MPI_Init_thread(&argc, &argv, MPI_THREAD_FUNNELED, &provided);
    MPI_Comm_rank(MPI_COMM_WORLD, &part.rank);
    MPI_Comm_size(MPI_COMM_WORLD, &part.size);
    part.partner = part.rank % 2 ? part.rank - 1 : part.rank + 1;
    if (part.partner == part.size)
        part.partner = MPI_PROC_NULL;
    stall_init(MPI_COMM_WORLD, "worker main_thread wrong_peer wrong_tag before_sum");

    fill(&part, part.rank);
    sum = run(&part, steps);

    good = total(&part) == expected(&part, steps);
    MPI_Reduce(&good, &all_good, 1, MPI_INT, MPI_LAND, 0, MPI_COMM_WORLD);
    if (part.rank == 0)
        printf("hybrid: %d steps, sum %ld, self-check %s\n", steps, sum, all_good ? "passed" : "FAILED");
    MPI_Finalize();
    return good ? 0 : 1;
}
