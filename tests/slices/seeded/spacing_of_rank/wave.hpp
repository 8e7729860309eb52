#pragma once
#include <mpi.h>
#include <vector>
struct Medium { double speed; };
class Wave {
public:
    Wave(MPI_Comm comm, const std::vector<Medium> &media);
    void plan(double until);
    void run();
    double energy() const;
private:
    double step_of(const Medium &medium) const;
    void swap();
    MPI_Comm comm_;
    int rank_, size_, steps_ = 0;
    double dt_ = 0, spacing_ = 0.1;
    Medium medium_;
    std::vector<double> now_, before_;
};
std::vector<Medium> layers();
