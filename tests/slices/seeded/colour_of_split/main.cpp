#include "team.hpp"
#include <cstdio>

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    {
        Comm world(MPI_COMM_WORLD);
        int rank = world.rank();
        int which = team_of(rank, world.size(), 2);
        Comm team = world.split(rank % 2, rank); /* BUG: by the team */
        auto task = make_task(which == 0 ? "ocean" : "ice");
        for (int step = 0; step < 5; ++step)
            task->run(team, step);
        std::printf("%d: %s\n", rank, task->name().c_str());
        world.barrier();
    }
    MPI_Finalize();
}
