#pragma once
#include <mpi.h>
#include <functional>
#include <list>
#include <vector>

struct Job { int id, owner; double cost; };

class Queue {
public:
    Queue(MPI_Comm comm, int jobs);
    template <typename F> void each_own(F f)
    {
        for (auto &job : jobs_)
            if (job.owner == rank_)
                f(job);
    }
    void steal();
    void settle();
    int own() const;

private:
    MPI_Comm comm_;
    int rank_, size_;
    std::list<Job> jobs_;
    int moved_ = 0, expected_ = 0;
    std::vector<int> in_;
    std::vector<MPI_Request> out_;
};
