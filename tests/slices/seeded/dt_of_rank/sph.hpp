#pragma once
#include <mpi.h>
#include <vector>
struct Particle { double x, v, h; };
class Cloud {
public:
    Cloud(MPI_Comm comm, int each);
    double courant() const;
    void push(double dt);
    void migrate();
    double time() const { return time_; }
    std::size_t size() const { return parts_.size(); }
private:
    void sort_out(std::vector<Particle> &left, std::vector<Particle> &right);
    std::vector<Particle> trade(const std::vector<Particle> &out, int to, int from);
    MPI_Comm comm_;
    int rank_, size_;
    double time_ = 0;
    std::vector<Particle> parts_;
};
double shortest(double own, MPI_Comm comm);
