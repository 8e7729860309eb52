#include "farm.hpp"

Master::Master(MPI_Comm comm, int tasks) : comm_(comm), next_(0), tasks_(tasks) {}

void Master::answer(int worker)
{
    int task = next_ < tasks_ ? next_++ : -1;
    MPI_Send(&task, 1, MPI_INT, worker, TAG_WORK, comm_);
}

double Master::run()
{
    int size;
    MPI_Comm_size(comm_, &size);
    Tally tally(size);
    while (!tally.all_gone()) {
        double value;
        MPI_Status status;
        MPI_Recv(&value, 1, MPI_DOUBLE, MPI_ANY_SOURCE, MPI_ANY_TAG, comm_, &status);
        if (status.MPI_TAG == TAG_BYE) {
            tally.left();
            continue;
        }
        tally.add(value);
        answer(status.MPI_SOURCE);
    }
    return tally.sum();
}
