#pragma once
#include <mpi.h>

enum Tag { TAG_WORK = 1, TAG_RESULT, TAG_BYE };

class Tally {
public:
    explicit Tally(int size);
    void left() { ++gone_; }
    bool all_gone() const { return gone_ == workers_; }
    void add(double value);
    double sum() const { return sum_; }

private:
    int workers_, gone_;
    double sum_;
};

class Master {
public:
    Master(MPI_Comm comm, int tasks);
    double run();

private:
    void answer(int worker);
    MPI_Comm comm_;
    int next_, tasks_;
};

void work(MPI_Comm comm);
