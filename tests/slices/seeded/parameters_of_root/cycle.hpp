#pragma once
#include <mpi.h>
double cycle(int levels, int smooth, double residual, MPI_Comm comm);
