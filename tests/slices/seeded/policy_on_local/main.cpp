#include "dump.hpp"

static void emit(State &state, int rank)
{
    state.particles += 10 + state.step * rank;
    state.time += state.dt;
    state.step++;
}

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    int rank;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    {
        State state;
        Dump dump(MPI_COMM_WORLD, make_policy(argc < 2));
        double least = 0;
        while (state.step < 30) {
            emit(state, rank);
            dump.maybe(state);
            if (state.step % 10 == 0)
                MPI_Allreduce(&state.dt, &least, 1, MPI_DOUBLE, MPI_MIN, MPI_COMM_WORLD);
        }
    }
    MPI_Finalize();
}
