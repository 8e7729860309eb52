/* Ranks 0 and 1 wait for each other's message, and all others for them in a barrier. Where PLAN is "session" none of them calls MPI_Init; where it is "spawn" they have started two more
 * processes, whose world is another one: rank 0 there waits for a message too, and rank 1 in a barrier. */
#include <mpi.h>
#include <stdlib.h>
#include <string.h>

static void wait_in(MPI_Comm comm)
{
    int rank, value;
    MPI_Comm_rank(comm, &rank);
    MPI_Barrier(comm);
    if (rank < 2) MPI_Recv(&value, 1, MPI_INT, 1 - rank, 7 + rank, comm, MPI_STATUS_IGNORE);
    else MPI_Barrier(comm);
}

static void by_session(void)
{
#if MPI_VERSION >= 4
    MPI_Session session;
    MPI_Group group;
    MPI_Comm comm;
    MPI_Session_init(MPI_INFO_NULL, MPI_ERRORS_ARE_FATAL, &session);
    MPI_Group_from_session_pset(session, "mpi://WORLD", &group);
    MPI_Comm_create_from_group(group, "plan", MPI_INFO_NULL, MPI_ERRORS_ARE_FATAL, &comm);
    wait_in(comm);
#endif
}

int main(int argc, char **argv)
{
    MPI_Comm parent, children;
    int rank, value;
    if (!strcmp(getenv("PLAN"), "session")) by_session();
    MPI_Init(&argc, &argv);
    MPI_Comm_get_parent(&parent);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (parent == MPI_COMM_NULL) {
        MPI_Comm_spawn(argv[0], MPI_ARGV_NULL, 2, MPI_INFO_NULL, 0, MPI_COMM_WORLD, &children, MPI_ERRCODES_IGNORE);
        wait_in(MPI_COMM_WORLD);
    } else if (rank == 0) {
        MPI_Recv(&value, 1, MPI_INT, 0, 9, parent, MPI_STATUS_IGNORE);
    } else {
        MPI_Barrier(MPI_COMM_WORLD);
    }
    return 0;
}
