/* The reducer of hindmost for one MPI: what of it calls MPI. `hindmost build-reducer --mpicc mpicc` compiles it with that MPI's compiler and links it with libruntime_reduce.a, which
   knows no MPI and calls this by a table.

   Nothing here waits: what is sent or received is asked for again and again, by who sleeps in between. */
#include <limits.h>
#include <mpi.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

/* As `Calls` of the crate runtime-reduce. */
struct hindmost_calls {
    uint32_t version;
    uint32_t rank;
    uint32_t size;
    void *(*send)(uint32_t to, const unsigned char *bytes, size_t length);
    int (*is_sent)(void *sending);
    int64_t (*next)(uint32_t from);
    int (*take)(uint32_t from, unsigned char *bytes, size_t length);
};

int hindmost_reduce(const struct hindmost_calls *calls, int count, char **arguments);

static MPI_Comm world;

static void *begin_to_send(uint32_t to, const unsigned char *bytes, size_t length)
{
    MPI_Request *request;
    if (length > INT_MAX || !(request = malloc(sizeof *request)))
        return NULL;
    /* The cast is for MPI 2, whose buffers are not const. */
    if (MPI_Isend((void *)bytes, (int)length, MPI_BYTE, (int)to, 0, world, request) == MPI_SUCCESS)
        return request;
    free(request);
    return NULL;
}

static int is_sent(void *sending)
{
    int done = 0;
    int result = MPI_Test(sending, &done, MPI_STATUS_IGNORE);
    if (result == MPI_SUCCESS && !done)
        return 0;
    free(sending);
    return result == MPI_SUCCESS ? 1 : -1;
}

static int64_t next_message(uint32_t from)
{
    int is_there = 0, length = 0;
    MPI_Status status;
    if (MPI_Iprobe((int)from, 0, world, &is_there, &status) != MPI_SUCCESS)
        return -2;
    if (!is_there)
        return -1;
    if (MPI_Get_count(&status, MPI_BYTE, &length) != MPI_SUCCESS || length < 0)
        return -2;
    return length;
}

static int take_message(uint32_t from, unsigned char *bytes, size_t length)
{
    return MPI_Recv(bytes, (int)length, MPI_BYTE, (int)from, 0, world, MPI_STATUS_IGNORE) != MPI_SUCCESS;
}

int main(int argc, char **argv)
{
    int rank, size, status;
    /* The job that is looked at may be recorded, traced or preloaded; the reducer is none of it. */
    unsetenv("LD_PRELOAD");
    if (MPI_Init(&argc, &argv) != MPI_SUCCESS) {
        fputs("hindmost-reducer: MPI cannot be started\n", stderr);
        return 2;
    }
    if (MPI_Comm_dup(MPI_COMM_WORLD, &world) != MPI_SUCCESS)
        return 2;
    MPI_Comm_set_errhandler(world, MPI_ERRORS_RETURN);
    MPI_Comm_rank(world, &rank);
    MPI_Comm_size(world, &size);
    struct hindmost_calls calls = {1, (uint32_t)rank, (uint32_t)size, begin_to_send, is_sent, next_message, take_message};
    status = hindmost_reduce(&calls, argc, argv);
    fflush(NULL);
    /* Whoever was lost would be waited for in MPI_Finalize. The launcher ends the others once this process has ended without it. */
    if (status != 0)
        _exit(status);
    MPI_Comm_free(&world);
    MPI_Finalize();
    return 0;
}
