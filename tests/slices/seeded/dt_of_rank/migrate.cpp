#include "sph.hpp"

void Cloud::sort_out(std::vector<Particle> &left, std::vector<Particle> &right)
{
    std::vector<Particle> stay;
    for (const auto &p : parts_) {
        int owner = static_cast<int>(p.x);
        if (owner == rank_)
            stay.push_back(p);
        else if (owner == (rank_ + 1) % size_)
            right.push_back(p);
        else
            left.push_back(p);
    }
    parts_.swap(stay);
}

std::vector<Particle> Cloud::trade(const std::vector<Particle> &out, int to, int from)
{
    int give = static_cast<int>(out.size()), take = 0;
    MPI_Sendrecv(&give, 1, MPI_INT, to, 11, &take, 1, MPI_INT, from, 11, comm_, MPI_STATUS_IGNORE);
    std::vector<Particle> in(take);
    MPI_Sendrecv(out.data(), 3 * give, MPI_DOUBLE, to, 12, in.data(), 3 * take, MPI_DOUBLE, from, 12, comm_, MPI_STATUS_IGNORE);
    return in;
}

void Cloud::migrate()
{
    std::vector<Particle> left, right;
    sort_out(left, right);
    int before = (rank_ + size_ - 1) % size_, after = (rank_ + 1) % size_;
    for (const auto &p : trade(right, after, before))
        parts_.push_back(p);
    for (const auto &p : trade(left, before, after))
        parts_.push_back(p);
}
