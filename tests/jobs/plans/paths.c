/* Calls of MPI on known paths, so many times each, and then a barrier that rank 0 alone comes to: what the flight recorder writes down of it is known. */
#include <mpi.h>
#include <string.h>

static volatile int sink;
/* No compiler knows how often, and makes one call of it. */
static volatile int three = 3;

__attribute__((noinline)) static void meet(void)
{
    MPI_Barrier(MPI_COMM_WORLD);
    sink++;
}

__attribute__((noinline)) static void left(void)
{
    meet();
    sink++;
}

/* The stack is another one at each call, and the path is not. */
__attribute__((noinline)) static void right(int room)
{
    char buffer[room];
    memset(buffer, room, sizeof buffer);
    meet();
    sink += buffer[room / 2];
}

__attribute__((noinline)) static void deep(int depth)
{
    if (depth == 0)
        meet();
    else
        deep(depth - 1);
    sink++;
}

int main(int argc, char **argv)
{
    int rank;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    for (int turn = 0; turn < 100; turn++) {
        left();
        for (int each = 0; each < three; each++)
            right(16 + 16 * (turn % 7) + each);
        deep(turn % 2 ? 3 : 9);
    }
    if (rank == 0)
        meet();
    for (;;)
        sink++;
}
