#pragma once
#include <mpi.h>
#include <array>
#include <vector>
enum Side { West, East, South, North };
struct Hood { std::array<int, 4> rank; int x, y, nx, ny; };
Hood make_hood(int rank, int nx, int ny, bool is_periodic);
class Halo {
public:
    Halo(MPI_Comm comm, Hood hood, int width);
    void start(const std::vector<double> &field);
    void finish(std::vector<double> &field);
private:
    static Side opposite(Side side) { return static_cast<Side>(side ^ 1); }
    MPI_Comm comm_;
    Hood hood_;
    int width_;
    std::array<std::vector<double>, 4> in_, out_;
    std::vector<MPI_Request> open_;
};
