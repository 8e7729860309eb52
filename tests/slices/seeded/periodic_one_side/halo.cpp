#include "hood.hpp"

Halo::Halo(MPI_Comm comm, Hood hood, int width) : comm_(comm), hood_(hood), width_(width)
{
    for (int side = 0; side < 4; ++side) {
        in_[side].resize(width);
        out_[side].resize(width);
    }
}

void Halo::start(const std::vector<double> &field)
{
    open_.clear();
    for (int s = 0; s < 4; ++s) {
        Side side = static_cast<Side>(s);
        if (hood_.rank[side] == MPI_PROC_NULL)
            continue;
        for (int i = 0; i < width_; ++i)
            out_[side][i] = field[i * (side + 1) % field.size()];
        open_.emplace_back();
        MPI_Irecv(in_[side].data(), width_, MPI_DOUBLE, hood_.rank[side], opposite(side), comm_, &open_.back());
        open_.emplace_back();
        MPI_Isend(out_[side].data(), width_, MPI_DOUBLE, hood_.rank[side], side, comm_, &open_.back());
    }
}

void Halo::finish(std::vector<double> &field)
{
    MPI_Waitall(static_cast<int>(open_.size()), open_.data(), MPI_STATUSES_IGNORE);
    for (int side = 0; side < 4; ++side)
        for (int i = 0; i < width_; ++i)
            field[i] += 0.1 * in_[side][i];
}
