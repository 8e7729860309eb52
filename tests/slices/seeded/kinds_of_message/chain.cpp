#include "wire.hpp"

Chain::Chain(Wire &wire, int rank, int size) : wire_(wire), rank_(rank), size_(size), beads_(10), pulls_(10)
{
    for (int i = 0; i < 10; ++i)
        beads_[i] = {10.0 * rank + i, 0.1 * i};
}

void Chain::send_positions()
{
    if (rank_ + 1 < size_)
        wire_.post(Kind::Position, rank_ + 1, beads_);
    if (rank_ > 0)
        ghosts_ = wire_.await<Bead>(Kind::Position, rank_ - 1, beads_.size());
}

void Chain::forces()
{
    std::vector<Bead> back(beads_.size());
    for (std::size_t i = 0; i < ghosts_.size(); ++i) {
        double dx = beads_[i].x - ghosts_[i].x;
        pulls_[i].x -= 0.1 * dx;
        back[i].x = 0.1 * dx;
    }
    if (rank_ > 0)
        wire_.post(ghosts_.size() > 5 ? Kind::Position : Kind::Force, rank_ - 1, back); /* BUG: always forces */
    if (rank_ + 1 < size_)
        for (const Bead &each : wire_.await<Bead>(Kind::Force, rank_ + 1, beads_.size()))
            pulls_[0].x += each.x;
}

void Chain::collect()
{
    std::vector<double> own{pulls_[0].x};
    if (rank_ > 0) {
        wire_.post(Kind::Energy, 0, own);
        return;
    }
    for (int from = 1; from < size_; ++from)
        energy_ += wire_.await<double>(Kind::Energy, from, 1)[0];
}
