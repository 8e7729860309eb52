/* Follows a plan: each rank does the steps that PLAN has for it, one after the other, and hangs where they hang it. Steps are parted by
 * spaces, ranks by '|'; a step is a letter, a communicator (0 the world, 1 the ranks of the same parity, 2 a duplicate of the world), a rank of
 * the world and a tag: S0,2,7. Of epochs of a window the rank is a set of ranks, a bit for each: O post, T start, C complete, V wait; E is a fence of another
 * window. G is an operation among neighbours: of communicator 3, a ring in which each takes of two and gives to two others, and of 4, a line, which is a grid of one dimension; the
 * third number tells which operation. Of locks the rank is whose part of a third window: K locks it alone, and does something to it, so that it has the lock; U gives it back; N does both.
 * Z begins a receive and cancels it, Y begins one and frees its request. D duplicates communicator 6, P opens a file with 7 and closes it, and H is a barrier of 8, which has the first two ranks on one side
 * and the others on the other. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { MOST = 64 };

/* The group of the ranks whose bits are set. */
static MPI_Group group_of(int bits)
{
    MPI_Group world, group;
    int ranks[8], count = 0;
    for (int rank = 0; rank < 8; rank++)
        if (bits >> rank & 1) ranks[count++] = rank;
    MPI_Comm_group(MPI_COMM_WORLD, &world);
    MPI_Group_incl(world, count, ranks, &group);
    MPI_Group_free(&world);
    return group;
}

/* A ring, and a line. */
static void make_topologies(int rank, MPI_Comm *made)
{
    int size, is_periodic = 0;
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    int sources[] = { (rank + size - 1) % size, (rank + size - 2) % size };
    int destinations[] = { (rank + 1) % size, (rank + 2) % size };
    MPI_Dist_graph_create_adjacent(MPI_COMM_WORLD, 2, sources, MPI_UNWEIGHTED, 2, destinations, MPI_UNWEIGHTED, MPI_INFO_NULL, 0, &made[0]);
    MPI_Cart_create(MPI_COMM_WORLD, 1, &size, &is_periodic, 0, &made[1]);
}

/* An operation among two neighbours, or fewer. */
static void neighbours_exchange(int which, MPI_Comm comm, MPI_Request *request)
{
    int given[2] = { 0 }, taken[2], counts[2] = { 1, 1 }, places[2] = { 0, 1 };
    switch (which) {
    case 0: MPI_Neighbor_allgather(given, 1, MPI_INT, taken, 1, MPI_INT, comm); break;
    case 1: MPI_Neighbor_alltoallv(given, counts, places, MPI_INT, taken, counts, places, MPI_INT, comm); break;
    default:
        MPI_Ineighbor_alltoall(given, 1, MPI_INT, taken, 1, MPI_INT, comm, request);
        MPI_Wait(request, MPI_STATUS_IGNORE);
    }
}

/* Two duplicates of the world, and an intercommunicator. */
static void make_constructed(int rank, MPI_Comm *made)
{
    MPI_Comm own;
    MPI_Comm_dup(MPI_COMM_WORLD, &made[0]);
    MPI_Comm_dup(MPI_COMM_WORLD, &made[1]);
    MPI_Comm_split(MPI_COMM_WORLD, rank < 2, rank, &own);
    MPI_Intercomm_create(own, 0, MPI_COMM_WORLD, rank < 2 ? 2 : 0, 0, &made[2]);
}

static void open_and_close(MPI_Comm comm)
{
    MPI_File file;
    const char *directory = getenv("HINDMOST_RECORD");
    char name[4096];
    snprintf(name, sizeof name, "%s/plan", directory ? directory : "/tmp");
    MPI_File_open(comm, name, MPI_MODE_CREATE | MPI_MODE_RDWR | MPI_MODE_DELETE_ON_CLOSE, MPI_INFO_NULL, &file);
    MPI_File_close(&file);
}

int main(int argc, char **argv)
{
    int rank, value = 0, pending = 0;
    /* A fence is of a window, and its communicator none. */
    MPI_Comm comms[9] = { 0 }, made;
    MPI_Request requests[MOST];
    int values[MOST], shared[3];
    MPI_Win windows[3];
    MPI_Group group;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    comms[0] = MPI_COMM_WORLD;
    MPI_Comm_split(MPI_COMM_WORLD, rank % 2, rank, &comms[1]);
    MPI_Comm_idup(MPI_COMM_WORLD, &comms[2], &requests[0]);
    MPI_Wait(&requests[0], MPI_STATUS_IGNORE);
    const char *step = getenv("PLAN");
    if (strchr(step, 'G')) make_topologies(rank, &comms[3]);
    if (strpbrk(step, "DPH")) make_constructed(rank, &comms[6]);
    /* Plans without epochs need no windows. */
    int has_windows = strpbrk(step, "OTCVEKUN") != NULL;
    if (has_windows) {
        MPI_Win_create(&shared[0], sizeof(int), sizeof(int), MPI_INFO_NULL, MPI_COMM_WORLD, &windows[0]);
        MPI_Win_create(&shared[1], sizeof(int), sizeof(int), MPI_INFO_NULL, MPI_COMM_WORLD, &windows[1]);
        MPI_Win_create(&shared[2], sizeof(int), sizeof(int), MPI_INFO_NULL, MPI_COMM_WORLD, &windows[2]);
        MPI_Win_fence(0, windows[1]);
    }
    for (int i = 0; i < rank; i++) step = strchr(step, '|') + 1;
    for (; *step && *step != '|'; step++) {
        if (*step == ' ') continue;
        char what = *step;
        int c = 0, peer = 0, tag = 0, length = 0;
        if (sscanf(step + 1, "%d,%d,%d%n", &c, &peer, &tag, &length) < 3) return 3;
        step += length;
        if (c == 1) peer /= 2;
        MPI_Comm comm = comms[c];
        int sum;
        switch (what) {
        case 'S': MPI_Ssend(&value, 1, MPI_INT, peer, tag, comm); break;
        case 'I': MPI_Issend(&value, 1, MPI_INT, peer, tag, comm, &requests[pending++]); break;
        case 'R': MPI_Recv(&value, 1, MPI_INT, peer, tag, comm, MPI_STATUS_IGNORE); break;
        case 'Z': {
            MPI_Request cancelled;
            MPI_Irecv(&value, 1, MPI_INT, peer, tag, comm, &cancelled);
            MPI_Cancel(&cancelled);
            MPI_Wait(&cancelled, MPI_STATUS_IGNORE);
            break;
        }
        case 'Y': {
            static int taken;
            MPI_Request freed;
            MPI_Irecv(&taken, 1, MPI_INT, peer, tag, comm, &freed);
            MPI_Request_free(&freed);
            break;
        }
        case 'Q': MPI_Irecv(&values[pending], 1, MPI_INT, peer, tag, comm, &requests[pending]); pending++; break;
        case 'X': MPI_Sendrecv(&value, 1, MPI_INT, peer, tag, &sum, 1, MPI_INT, peer, tag, comm, MPI_STATUS_IGNORE); break;
        case 'W': MPI_Waitall(pending, requests, MPI_STATUSES_IGNORE); pending = 0; break;
        case 'B': MPI_Barrier(comm); break;
        case 'G': neighbours_exchange(tag, comm, &requests[MOST - 1]); break;
        case 'D': MPI_Comm_dup(comm, &made); break;
        case 'P': open_and_close(comm); break;
        case 'H': MPI_Barrier(comm); break;
        case 'A': MPI_Allreduce(&value, &sum, 1, MPI_INT, MPI_SUM, comm); break;
        case 'O': group = group_of(peer); MPI_Win_post(group, 0, windows[0]); MPI_Group_free(&group); break;
        case 'T': group = group_of(peer); MPI_Win_start(group, 0, windows[0]); MPI_Group_free(&group); break;
        case 'C': MPI_Win_complete(windows[0]); break;
        case 'V': MPI_Win_wait(windows[0]); break;
        case 'E': MPI_Win_fence(0, windows[1]); break;
        case 'K':
        case 'N':
            MPI_Win_lock(MPI_LOCK_EXCLUSIVE, peer, 0, windows[2]);
            /* No put: that of MPICH 4.0.2 over UCX overwrites what stands beside. */
            MPI_Accumulate(&value, 1, MPI_INT, peer, 0, 1, MPI_INT, MPI_SUM, windows[2]);
            if (what == 'K') MPI_Win_flush(peer, windows[2]);
            else MPI_Win_unlock(peer, windows[2]);
            break;
        case 'U': MPI_Win_unlock(peer, windows[2]); break;
        case 'L': for (;;) sleep(1);
        case 'F': MPI_Finalize(); return 0;
        default: return 4;
        }
    }
    for (;;) sleep(1);
}
