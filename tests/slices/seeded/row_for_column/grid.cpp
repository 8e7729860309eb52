#include "grid.hpp"

Grid::Grid(MPI_Comm all, int rows, int columns) : all_(all)
{
    int rank;
    MPI_Comm_rank(all, &rank);
    at_[0] = rank / columns;
    at_[1] = rank % columns;
    MPI_Comm_split(all, at_[0], at_[1], &row_);
    MPI_Comm_split(all, rows + at_[1], at_[0], &column_);
}

Grid::~Grid()
{
    MPI_Comm_free(&row_);
    MPI_Comm_free(&column_);
}
