#pragma once
#include <mpi.h>
#include <vector>

struct Block {
    int id;
    double weight;
    std::vector<double> values;
};

std::vector<Block> assign(int rank, int size, int count);
double total_of(const Block &block, MPI_Comm comm);
void normalise(std::vector<Block> &blocks, MPI_Comm comm);
