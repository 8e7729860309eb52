// Particles move between ranks; who has neighbours that changed asks them for their counts.
#include "cloud.hpp"
#include <mpi.h>

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    Cloud cloud(4);
    for (int step = 0; step < 6; step++) {
        cloud.drift(step);
        cloud.migrate();
        if (cloud.changed())
            cloud.agree();
    }
    MPI_Finalize();
    return 0;
}
