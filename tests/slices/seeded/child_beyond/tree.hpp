#pragma once
#include <mpi.h>

/* A binomial tree over the first ranks of a communicator. */
template <typename T> struct Datatype;
template <> struct Datatype<double> { static MPI_Datatype get() { return MPI_DOUBLE; } };
template <> struct Datatype<int> { static MPI_Datatype get() { return MPI_INT; } };

class Tree {
    int rank_, members_;

public:
    Tree(int rank, int members) : rank_(rank), members_(members) {}
    bool is_member() const { return rank_ < members_; }
    bool sends_at(int step) const;
    bool receives_at(int step) const;
    int members() const { return members_; }
    int rank() const { return rank_; }
};

template <typename T> T reduced(const Tree &tree, T own, MPI_Comm comm)
{
    for (int step = 1; step < tree.members(); step *= 2) {
        if (tree.sends_at(step)) {
            MPI_Send(&own, 1, Datatype<T>::get(), tree.rank() - step, step, comm);
            break;
        }
        if (tree.receives_at(step)) {
            T other;
            MPI_Recv(&other, 1, Datatype<T>::get(), tree.rank() + step, step, comm, MPI_STATUS_IGNORE);
            own += other;
        }
    }
    return own;
}
