#pragma once
#include <mpi.h>
#include <array>
struct Packet { int origin, hops; double load; };
class Ring {
public:
    explicit Ring(MPI_Comm comm);
    void inject(double load) { mine_.load = load; }
    void turn(int step);
    double load() const { return mine_.load; }
    int rank() const { return rank_; }
private:
    int tag_out(int step) const;
    int tag_in(int step) const;
    MPI_Comm comm_;
    int rank_, size_;
    Packet mine_;
};
