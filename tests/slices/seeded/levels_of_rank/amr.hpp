#pragma once
#include <mpi.h>
#include <memory>
#include <vector>
struct Level { int id; double h; std::vector<double> cells; };
class Hierarchy {
public:
    explicit Hierarchy(MPI_Comm comm);
    void refine(double limit);
    double advance();
    int depth() const { return static_cast<int>(levels_.size()); }
private:
    double roughest(const Level &level) const;
    void synchronise(const Level &level);
    MPI_Comm comm_;
    int rank_;
    std::vector<std::unique_ptr<Level>> levels_;
    std::vector<double> flux_;
};
