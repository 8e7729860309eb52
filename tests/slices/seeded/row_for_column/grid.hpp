#pragma once
#include <mpi.h>
#include <vector>
class Grid {
public:
    Grid(MPI_Comm all, int rows, int columns);
    ~Grid();
    MPI_Comm row() const { return row_; }
    MPI_Comm column() const { return column_; }
    int my_row() const { return at_[0]; }
    int my_column() const { return at_[1]; }
    MPI_Comm all() const { return all_; }
private:
    MPI_Comm all_, row_, column_;
    int at_[2];
};
class Panel {
public:
    explicit Panel(const Grid &grid, int width) : grid_(grid), data_(width * width, 1.0 + grid.my_row()), width_(width) {}
    void spread(int step);
    void scale();
    void update();
    double trace() const;
private:
    const Grid &grid_;
    std::vector<double> data_, other_;
    int width_;
};
