#include "queue.hpp"
#include <algorithm>

Queue::Queue(MPI_Comm comm, int jobs) : comm_(comm)
{
    MPI_Comm_rank(comm, &rank_);
    MPI_Comm_size(comm, &size_);
    for (int id = 0; id < jobs; ++id)
        jobs_.push_back(Job{id, id % size_, 1.0 + id % 4});
}

int Queue::own() const
{
    return static_cast<int>(std::count_if(jobs_.begin(), jobs_.end(), [this](const Job &job) { return job.owner == rank_; }));
}

/* Every job that costs much moves on by one rank. */
void Queue::steal()
{
    int thief = (rank_ + 1) % size_, victim = (rank_ + size_ - 1) % size_;
    for (auto &job : jobs_) {
        bool is_dear = job.cost > (job.owner == victim ? 2.5 : 3.5); /* BUG: one limit for all */
        if (!is_dear)
            continue;
        if (job.owner == rank_)
            ++moved_;
        else if (job.owner == victim)
            ++expected_;
    }
}
