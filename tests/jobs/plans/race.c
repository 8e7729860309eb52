/* What rank 0 prints depends on who comes first, in receives and probes of all kinds. The others sleep at random before they send. With an argument it does its parts in another order. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { TURNS = 4 };

static char told[1 << 14];

static void tell(const char *what, int source, int tag)
{
    size_t length = strlen(told);
    snprintf(told + length, sizeof told - length, " %s%d.%d", what, source, tag);
}

static void doze(void)
{
    static int is_seeded;
    if (!is_seeded) {
        unsigned seed = 0;
        FILE *file = fopen("/dev/urandom", "r");
        if (!file || fread(&seed, sizeof seed, 1, file) != 1) abort();
        fclose(file);
        srandom(seed);
        is_seeded = 1;
    }
    usleep((useconds_t)(random() % 3000));
}

/* Every other rank sends one message, under a tag of its own. */
static void send_to(int to, MPI_Comm comm)
{
    int rank;
    MPI_Comm_rank(comm, &rank);
    doze();
    MPI_Send(&rank, 1, MPI_INT, to, 10 + rank % 3, comm);
}

static void receives(MPI_Comm comm, int root, int rank, int size)
{
    int value;
    MPI_Status status;
    if (rank != root) {
        send_to(root, comm);
        return;
    }
    for (int i = 1; i < size; i++) {
        MPI_Recv(&value, 1, MPI_INT, MPI_ANY_SOURCE, MPI_ANY_TAG, comm, &status);
        tell("recv", status.MPI_SOURCE, status.MPI_TAG);
    }
}

static void posted(MPI_Comm comm, int root, int rank, int size)
{
    int values[16];
    MPI_Request requests[16];
    MPI_Status statuses[16];
    if (rank != root) {
        send_to(root, comm);
        return;
    }
    for (int i = 0; i < size - 1; i++)
        MPI_Irecv(&values[i], 1, MPI_INT, MPI_ANY_SOURCE, MPI_ANY_TAG, comm, &requests[i]);
    /* Nobody sends this. */
    MPI_Irecv(&values[15], 1, MPI_INT, MPI_ANY_SOURCE, 77, comm, &requests[15]);
    MPI_Waitall(size - 1, requests, statuses);
    for (int i = 0; i < size - 1; i++) tell("irecv", values[i], statuses[i].MPI_TAG);
    MPI_Cancel(&requests[15]);
    MPI_Wait(&requests[15], MPI_STATUS_IGNORE);
}

static void probes(MPI_Comm comm, int root, int rank, int size)
{
    int value;
    MPI_Status status;
    if (rank != root) {
        send_to(root, comm);
        return;
    }
    for (int i = 1; i < size; i++) {
        MPI_Probe(MPI_ANY_SOURCE, MPI_ANY_TAG, comm, &status);
        MPI_Recv(&value, 1, MPI_INT, status.MPI_SOURCE, status.MPI_TAG, comm, MPI_STATUS_IGNORE);
        tell("probe", value, status.MPI_TAG);
    }
}

/* Also how often it was asked in vain. */
static void asks(MPI_Comm comm, int root, int rank, int size)
{
    int value, came, times;
    MPI_Status status;
    if (rank != root) {
        send_to(root, comm);
        return;
    }
    for (int i = 1; i < size; i++) {
        for (times = came = 0; !came; times++) {
            MPI_Iprobe(MPI_ANY_SOURCE, MPI_ANY_TAG, comm, &came, &status);
            if (!came) usleep(200);
        }
        MPI_Recv(&value, 1, MPI_INT, MPI_ANY_SOURCE, status.MPI_TAG, comm, MPI_STATUS_IGNORE);
        tell("iprobe", status.MPI_SOURCE, times);
        tell("then", value, status.MPI_TAG);
    }
}

static void takes(MPI_Comm comm, int root, int rank, int size)
{
    int value, came;
    MPI_Status status;
    MPI_Message message;
    if (rank != root) {
        send_to(root, comm);
        return;
    }
    for (int i = 1; i < size; i++) {
        if (i % 2) {
            MPI_Mprobe(MPI_ANY_SOURCE, MPI_ANY_TAG, comm, &message, &status);
        } else {
            for (came = 0; !came;) MPI_Improbe(MPI_ANY_SOURCE, MPI_ANY_TAG, comm, &came, &message, &status);
        }
        MPI_Mrecv(&value, 1, MPI_INT, &message, MPI_STATUS_IGNORE);
        tell("mprobe", value, status.MPI_TAG);
    }
}

/* Rank 0 answers whoever came first, so that what the others do depends on it, too. */
static void exchanges(MPI_Comm comm, int root, int rank, int size)
{
    int value, other;
    MPI_Status status;
    if (rank != root) {
        send_to(root, comm);
        MPI_Recv(&other, 1, MPI_INT, root, 5, comm, MPI_STATUS_IGNORE);
        doze();
        MPI_Send(&rank, 1, MPI_INT, root, 6, comm);
        return;
    }
    int answered = 0;
    MPI_Recv(&value, 1, MPI_INT, MPI_ANY_SOURCE, MPI_ANY_TAG, comm, &status);
    for (int left = 2 * (size - 1) - 1; left > 0; left--) {
        tell("came", status.MPI_SOURCE, status.MPI_TAG);
        /* A first message is answered while the next one is received. */
        if (status.MPI_TAG == 6) MPI_Recv(&value, 1, MPI_INT, MPI_ANY_SOURCE, MPI_ANY_TAG, comm, &status);
        else MPI_Sendrecv(&answered, 1, MPI_INT, status.MPI_SOURCE, 5, &value, 1, MPI_INT, MPI_ANY_SOURCE, MPI_ANY_TAG, comm, &status);
        answered++;
    }
    tell("last", status.MPI_SOURCE, status.MPI_TAG);
}

/* One receive that is prepared, started for each message; in every second turn two at a time. */
static void prepared(MPI_Comm comm, int root, int rank, int size)
{
    int values[2], flag;
    MPI_Request requests[2];
    MPI_Status statuses[2];
    if (rank != root) {
        send_to(root, comm);
        return;
    }
    for (int i = 0; i < 2; i++) MPI_Recv_init(&values[i], 1, MPI_INT, MPI_ANY_SOURCE, MPI_ANY_TAG, comm, &requests[i]);
    for (int left = size - 1; left > 0;) {
        int count = left > 1 ? 2 : 1;
        if (count == 2) {
            MPI_Startall(2, requests);
            MPI_Waitall(2, requests, statuses);
        } else {
            MPI_Start(&requests[0]);
            for (flag = 0; !flag;) MPI_Test(&requests[0], &flag, &statuses[0]);
        }
        for (int i = 0; i < count; i++) tell("prepared", values[i], statuses[i].MPI_TAG);
        left -= count;
    }
    for (int i = 0; i < 2; i++) MPI_Request_free(&requests[i]);
}

/* Each receive names whom it takes from: which is complete first is open all the same. */
static void whichever(MPI_Comm comm, int root, int rank, int size)
{
    int values[16], places[16], index, number;
    MPI_Request requests[16];
    if (rank != root) {
        send_to(root, comm);
        return;
    }
    for (int i = 0; i < size; i++) {
        requests[i] = MPI_REQUEST_NULL;
        if (i != root) MPI_Irecv(&values[i], 1, MPI_INT, i, MPI_ANY_TAG, comm, &requests[i]);
    }
    MPI_Waitany(size, requests, &index, MPI_STATUS_IGNORE);
    tell("any", index, values[index]);
    for (int left = size - 2; left > 0; left -= number) {
        MPI_Waitsome(size, requests, &number, places, MPI_STATUSES_IGNORE);
        tell("some", number, left);
        for (int i = 0; i < number; i++) tell("one", places[i], values[places[i]]);
    }
}

int main(int argc, char **argv)
{
    static void (*const parts[])(MPI_Comm, int, int, int) = { receives, posted, probes, asks, takes, exchanges, prepared, whichever };
    enum { PARTS = sizeof parts / sizeof *parts };
    int rank, size;
    MPI_Comm backwards;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    MPI_Comm_split(MPI_COMM_WORLD, 0, size - rank, &backwards);
    for (int turn = 0; turn < TURNS; turn++) {
        for (int part = 0; part < PARTS; part++) {
            parts[argc > 1 ? PARTS - 1 - part : part](MPI_COMM_WORLD, 0, rank, size);
            MPI_Barrier(MPI_COMM_WORLD);
        }
        receives(backwards, size - 1, size - 1 - rank, size);
        /* Without a barrier: messages of one turn may come in the other. */
        receives(MPI_COMM_WORLD, 0, rank, size);
        receives(MPI_COMM_WORLD, 0, rank, size);
        MPI_Barrier(MPI_COMM_WORLD);
    }
    if (rank == 0) printf("order:%s\n", told);
    MPI_Comm_free(&backwards);
    MPI_Finalize();
    return 0;
}
