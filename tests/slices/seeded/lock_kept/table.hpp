#pragma once
#include <mpi.h>
class Table {
public:
    Table(MPI_Comm comm, int slots);
    ~Table();
    bool claim(int owner, int slot);
    int claimed() const { return claimed_; }
private:
    MPI_Win win_;
    int *slots_, rank_, claimed_ = 0;
};
int fill(Table &table, int rank, int size, int slots);
