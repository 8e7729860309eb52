/* Corners of MPI, each in a few ranks of their own, which hang in it or beside it; docs/recorder.md says what is known of each. */
#include <mpi.h>
#include <unistd.h>

enum { LARGE = 1 << 20, OTHERS = 2300 };

static int value, large[LARGE];

static void rest(void)
{
    for (;;) sleep(100);
}

static void receive(int from, int tag) { MPI_Recv(&value, 1, MPI_INT, from, tag, MPI_COMM_WORLD, MPI_STATUS_IGNORE); }

/* What is exchanged with nobody holds nobody up. */
static void half_an_exchange(int other)
{
    MPI_Sendrecv(large, LARGE, MPI_INT, other, 3, &value, 1, MPI_INT, MPI_PROC_NULL, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

static void waits_beside_nobody(int other)
{
    MPI_Request both[2];
    MPI_Irecv(&value, 1, MPI_INT, MPI_PROC_NULL, 0, MPI_COMM_WORLD, &both[0]);
    MPI_Irecv(&value, 1, MPI_INT, other, 0, MPI_COMM_WORLD, &both[1]);
    MPI_Waitall(2, both, MPI_STATUSES_IGNORE);
}

/* A message that is taken and never received: its sender waits. */
static void takes(int other)
{
    MPI_Message message;
    MPI_Mprobe(other, 0, MPI_COMM_WORLD, &message, MPI_STATUS_IGNORE);
    rest();
}

/* The first waits for two messages of the others: one that has come, over communicators that the other one has freed, and forgotten for others or not, and one that does not come. */
static void forgets(int rank, int first, MPI_Comm three)
{
    int two[] = { 0, 1 }, number = rank - first;
    MPI_Request requests[3];
    MPI_Group group, members;
    MPI_Comm early, late, other;
    MPI_Comm_dup(three, &early);
    MPI_Comm_group(three, &group);
    MPI_Group_incl(group, 2, two, &members);
    if (number == 1) MPI_Send(&value, 1, MPI_INT, 0, 0, early);
    if (number == 0) MPI_Irecv(&value, 1, MPI_INT, 1, 0, early, &requests[0]);
    MPI_Comm_free(&early);
    if (number < 2) {
        MPI_Comm_create_group(three, members, 0, &other);
        MPI_Comm_free(&other);
    }
    for (int i = 0; number == 1 && i < OTHERS; i++) {
        MPI_Comm_dup(MPI_COMM_SELF, &other);
        MPI_Comm_free(&other);
    }
    if (number < 2) MPI_Comm_create_group(three, members, 1, &late);
    if (number == 1) {
        MPI_Send(&value, 1, MPI_INT, 0, 0, late);
        receive(first, 0);
    }
    if (number == 2) rest();
    MPI_Irecv(&value, 1, MPI_INT, 1, 0, late, &requests[1]);
    MPI_Irecv(&value, 1, MPI_INT, 2, 0, three, &requests[2]);
    MPI_Waitall(3, requests, MPI_STATUSES_IGNORE);
}

/* The first root of a group waits for all that it gathers. */
static void gathers(int rank, int first, MPI_Comm two)
{
    if (rank != first) receive(first, 0);
    MPI_Gather(&value, 1, MPI_INT, large, 1, MPI_INT, 0, two);
}

/* One operation, for counts of either size. */
static void reduces(int rank, int first, MPI_Comm three)
{
    int sum;
    if (rank == first + 2) rest();
#if MPI_VERSION >= 4
    if (rank == first) MPI_Allreduce_c(&value, &sum, 1, MPI_INT, MPI_SUM, three);
#endif
    MPI_Allreduce(&value, &sum, 1, MPI_INT, MPI_SUM, three);
}

int main(int argc, char **argv)
{
    static const int case_of[] = { 0, 0, 1, 1, 2, 2, 3, 3, 4, 4, 4, 5, 5, 5 };
    int rank;
    MPI_Comm own;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_split(MPI_COMM_WORLD, case_of[rank], rank, &own);
    switch (rank) {
    case 0: half_an_exchange(1); break;
    case 1: receive(0, 5); break;
    case 2: waits_beside_nobody(3); break;
    case 3: receive(2, 0); break;
    case 4: takes(5); break;
    case 5: MPI_Ssend(&value, 1, MPI_INT, 4, 0, MPI_COMM_WORLD); break;
    case 6:
    case 7: gathers(rank, 6, own); break;
    case 8:
    case 9:
    case 10: forgets(rank, 8, own); break;
    default: reduces(rank, 11, own);
    }
    rest();
}
