#pragma once
#include "field.hpp"

class Solver {
public:
    Solver(Field &field, double tolerance, int check_every);
    void run();
    int iterations() const { return iterations_; }

private:
    void sweep();
    void measure();
    bool converged() const;

    Field &field_;
    double tolerance_;
    int check_every_;
    int iterations_ = 0;
    double local_change_ = 1e30, global_change_ = 1e30;
};
