#include "grid.hpp"
#include <cstdio>

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    {
        Grid grid(MPI_COMM_WORLD, 2, 2);
        Panel panel(grid, 6);
        for (int step = 0; step < 6; ++step) {
            panel.spread(step);
            panel.scale();
            panel.update();
        }
        double trace = panel.trace();
        if (grid.my_row() == 0 && grid.my_column() == 0)
            std::printf("%g\n", trace);
    }
    MPI_Finalize();
}
