/* courier.c - each rank's main thread starts a courier, which carries parcels to all ranks, and waits for it.
 *
 *     courier [ROUNDS]
 *
 * In every round each rank hands out numbers that only it knows, gets one from every rank, and all agree on the sum of
 * them all. The main thread is in pthread_join from beginning to end: what a rank does its courier does.
 *
 * Places to stall: pack before_sum lost_parcel
 */
#include <mpi.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

#include "stall.h"

#define MOST 1024 /* ranks */
#define PRIME 1000003

#define TAG_PARCEL 5
#define TAG_LOST 99 /* nobody sends this */

struct office {
    MPI_Comm comm;
    int rank, size;
    int rounds;
    long sum, expected;
};

/* What `from` sends to `to`. */
static long parcel(int from, int to, int round)
{
    return ((long)from * 31 + (long)to * 17 + round) % PRIME;
}

static void pack(const struct office *office, long *out, int round)
{
    int to;

    for (to = 0; to < office->size; to++)
        out[to] = parcel(office->rank, to, round);
    if (stall_here("pack", round))
        while (stall_gate) continue; /* STALL: pack */
}

/* A parcel to the right, one from the left. */
static long pass_on(const struct office *office, long parcel, int round)
{
    int right = (office->rank + 1) % office->size;
    int left = (office->rank + office->size - 1) % office->size;
    int tag = stall_here("lost_parcel", round) ? TAG_LOST : TAG_PARCEL;
    long other = 0;

    MPI_Sendrecv(&parcel, 1, MPI_LONG, right, TAG_PARCEL, &other, 1, MPI_LONG, left, tag, office->comm, MPI_STATUS_IGNORE); /* STALL: lost_parcel */
    return other;
}

static void *carry(void *given)
{
    struct office *office = given;
    static long out[MOST], in[MOST];
    long mine, all;
    int round, from;

    for (round = 0; round < office->rounds; round++) {
        pack(office, out, round);
        MPI_Alltoall(out, 1, MPI_LONG, in, 1, MPI_LONG, office->comm);
        mine = 0;
        for (from = 0; from < office->size; from++) {
            mine += in[from];
            office->expected -= parcel(from, office->rank, round);
        }
        office->expected += mine;
        mine = pass_on(office, mine, round);
        if (stall_here("before_sum", round))
            while (stall_gate) continue; /* STALL: before_sum */
        MPI_Allreduce(&mine, &all, 1, MPI_LONG, MPI_SUM, office->comm);
        office->sum = (office->sum + all) % PRIME;
    }
    return NULL;
}

int main(int argc, char **argv)
{
    static struct office office;
    int provided, good, all_good = 0;
    pthread_t courier;

    MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &provided);
    office.comm = MPI_COMM_WORLD;
    office.rounds = argc > 1 ? atoi(argv[1]) : 100;
    MPI_Comm_rank(office.comm, &office.rank);
    MPI_Comm_size(office.comm, &office.size);
    stall_init(office.comm, "pack before_sum lost_parcel");
    if (provided < MPI_THREAD_SERIALIZED || office.size > MOST) {
        fprintf(stderr, "courier: this MPI lets only the main thread communicate, or there are more than %d ranks\n", MOST);
        MPI_Abort(office.comm, 2);
    }

    if (pthread_create(&courier, NULL, carry, &office) != 0) {
        perror("courier: pthread_create");
        MPI_Abort(office.comm, 2);
    }
    pthread_join(courier, NULL);

    good = office.expected == 0;
    MPI_Reduce(&good, &all_good, 1, MPI_INT, MPI_LAND, 0, office.comm);
    if (office.rank == 0)
        printf("courier: %d rounds, sum %ld, self-check %s\n", office.rounds, office.sum, all_good ? "passed" : "FAILED");
    MPI_Finalize();
    return good ? 0 : 1;
}
