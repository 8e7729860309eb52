#include "cells.hpp"

int Traits<Flux>::pieces(int cells)
{
    return cells / 4 + 1; /* BUG: one too many where they fill the last piece */
}

Ring::Ring()
{
    MPI_Comm_rank(MPI_COMM_WORLD, &rank_);
    MPI_Comm_size(MPI_COMM_WORLD, &size_);
}
