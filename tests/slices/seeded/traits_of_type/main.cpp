/* Cells of two kinds travel around a ring; how many each rank has is told first. */
#include "cells.hpp"
#include <cstdio>

static int told(const Ring &ring, int own)
{
    int other = 0;
    MPI_Sendrecv(&own, 1, MPI_INT, ring.next(), 1, &other, 1, MPI_INT, ring.before(), 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    return other;
}

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    {
        Ring ring;
        std::vector<Point> points(5 + ring.rank());
        std::vector<Flux> fluxes(6 + ring.rank());
        std::vector<Point> other_points;
        std::vector<Flux> other_fluxes;
        Mover<Point> points_mover(ring);
        Mover<Flux> flux_mover(ring);
        points_mover.send(points);
        points_mover.receive(other_points, told(ring, points.size()));
        flux_mover.send(fluxes);
        flux_mover.receive(other_fluxes, told(ring, fluxes.size()));
        std::printf("%d\n", ring.rank());
        MPI_Barrier(MPI_COMM_WORLD);
    }
    MPI_Finalize();
    return 0;
}
