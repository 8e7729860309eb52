/* Two data sets are written at the same time, and for each of them rank 0 nominates a writer: whoever offers most.
 *
 * The offers for both sets carry the same tag. When one rank is late, the offers of the others for the second set are
 * taken for missing offers for the first, and the late one learns of the second writer twice: the first writer waits for
 * ever for its data. With a tag for each set it would not.
 */
#include <mpi.h>
#include <stdio.h>
#include <unistd.h>

#define SETS 2
#define MAX_RANKS 16

#define TAG_OFFER 1
#define TAG_VERDICT 2
#define TAG_DATA 10

static int room(int rank, int set)
{
    return set == 0 ? 50 - rank : 50 + rank;
}

/* On rank 0: takes an offer from everybody, and tells everybody who writes. */
static void nominate(int size)
{
    int source[MAX_RANKS];
    int best = -1, writer = -1;
    int i;

    for (i = 1; i < size; i++) {
        MPI_Status status;
        int offer = 0;

        MPI_Recv(&offer, 1, MPI_INT, MPI_ANY_SOURCE, TAG_OFFER, MPI_COMM_WORLD, &status); /* BUG */
        source[i] = status.MPI_SOURCE;
        if (offer > best) {
            best = offer;
            writer = status.MPI_SOURCE;
        }
    }
    for (i = 1; i < size; i++)
        MPI_Send(&writer, 1, MPI_INT, source[i], TAG_VERDICT, MPI_COMM_WORLD);
}

/* The writer of a set: one buffer from each of the others. */
static double collect(int others, int set)
{
    double sum = 0.0;
    int i;

    for (i = 0; i < others; i++) {
        double data = 0.0;

        MPI_Recv(&data, 1, MPI_DOUBLE, MPI_ANY_SOURCE, TAG_DATA + set, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        sum += data;
    }
    return sum;
}

static void work(int rank, int size)
{
    int writer[SETS];
    double data = 1.5 * rank;
    int set;

    /* Someone is always late. */
    if (rank == 2)
        usleep(300000);
    for (set = 0; set < SETS; set++) {
        int offer = room(rank, set);
        MPI_Send(&offer, 1, MPI_INT, 0, TAG_OFFER, MPI_COMM_WORLD); /* BUG */
    }
    for (set = 0; set < SETS; set++)
        MPI_Recv(&writer[set], 1, MPI_INT, 0, TAG_VERDICT, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    for (set = 0; set < SETS; set++) {
        if (writer[set] == rank)
            printf("set %d: %g\n", set, collect(size - 2, set));
        else
            MPI_Send(&data, 1, MPI_DOUBLE, writer[set], TAG_DATA + set, MPI_COMM_WORLD);
    }
}

int main(int argc, char **argv)
{
    int rank, size, set;

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    if (rank == 0) {
        for (set = 0; set < SETS; set++)
            nominate(size);
    } else {
        work(rank, size);
    }
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Finalize();
    return 0;
}
