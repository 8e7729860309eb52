#pragma once
#include <mpi.h>
#include <random>
#include <vector>
class Replica {
public:
    Replica(int rank, double temperature);
    void sweep();
    double energy() const;
    double temperature() const { return temperature_; }
    void set_temperature(double t) { temperature_ = t; }
    double draw() { return uniform_(engine_); }
private:
    std::mt19937 engine_;
    std::uniform_real_distribution<double> uniform_{0.0, 1.0};
    std::vector<int> spin_;
    double temperature_;
};
class Exchange {
public:
    Exchange(MPI_Comm comm, Replica &replica);
    bool attempt(int round);
    int partner(int round) const;
private:
    bool accept(double mine, double other);
    void swap(int with);
    MPI_Comm comm_;
    Replica &replica_;
    int rank_, size_, swaps_ = 0;
};
