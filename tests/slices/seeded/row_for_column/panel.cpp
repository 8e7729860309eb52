#include "grid.hpp"

void Panel::spread(int step)
{
    other_ = data_;
    MPI_Bcast(other_.data(), static_cast<int>(other_.size()), MPI_DOUBLE, step % 2, grid_.row());
}

void Panel::scale()
{
    double most = 0, all = 0;
    for (double each : data_)
        most = each > most ? each : most;
    if (grid_.my_column() != 0)
        return;
    MPI_Allreduce(&most, &all, 1, MPI_DOUBLE, MPI_MAX, grid_.row()); /* BUG: the column has it */
    for (double &each : data_)
        each /= all;
}

void Panel::update()
{
    for (int i = 0; i < width_; ++i)
        for (int j = 0; j < width_; ++j)
            data_[i * width_ + j] += 0.5 * other_[j * width_ + i];
}

double Panel::trace() const
{
    double own = 0, sum = 0;
    for (int i = 0; i < width_; ++i)
        own += data_[i * width_ + i];
    MPI_Allreduce(&own, &sum, 1, MPI_DOUBLE, MPI_SUM, grid_.all());
    return sum;
}
