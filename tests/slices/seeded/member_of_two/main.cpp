#include "solver.hpp"
#include <cstdio>

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    {
        Field field(MPI_COMM_WORLD, 12);
        Solver solver(field, 4e-3, 5);
        solver.run();
        int mine = solver.iterations(), most = 0;
        MPI_Allreduce(&mine, &most, 1, MPI_INT, MPI_MAX, field.comm());
        if (field.rank() == 0)
            std::printf("%d iterations\n", most);
    }
    MPI_Finalize();
}
