#pragma once
#include <mpi.h>
#include <vector>

/* When to stop: the bound is loosened once nothing gets better. */
class Control {
public:
    explicit Control(double bound) : bound_(bound) {}
    void see(double own, double all);
    bool is_done() const { return last_ < bound_; }
    int rounds() const { return rounds_; }

private:
    double bound_, last_ = 1e30, before_ = 1e30;
    int rounds_ = 0, slow_ = 0;
};

class Field {
public:
    Field(int rank, int size, int n);
    double sweep();
    const std::vector<double> &values() const { return values_; }

private:
    int rank_, size_;
    std::vector<double> values_, next_;
};
