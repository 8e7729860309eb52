#include "wave.hpp"
#include <cmath>

Wave::Wave(MPI_Comm comm, const std::vector<Medium> &media) : comm_(comm), now_(42), before_(42)
{
    MPI_Comm_rank(comm, &rank_);
    MPI_Comm_size(comm, &size_);
    medium_ = media[rank_ % media.size()];
    for (int i = 0; i < 42; ++i)
        now_[i] = before_[i] = std::exp(-0.1 * (i - 20) * (i - 20));
}

double Wave::step_of(const Medium &medium) const
{
    return 0.5 * spacing_ / medium.speed;
}

void Wave::plan(double until)
{
    double own = step_of(medium_);
    MPI_Allreduce(&own, &dt_, 1, MPI_DOUBLE, MPI_MIN, comm_);
    steps_ = static_cast<int>(until / own); /* BUG: with the step of all */
}

void Wave::swap()
{
    int next = (rank_ + 1) % size_, last = (rank_ + size_ - 1) % size_;
    MPI_Sendrecv(&now_[40], 1, MPI_DOUBLE, next, 4, &now_[0], 1, MPI_DOUBLE, last, 4, comm_, MPI_STATUS_IGNORE);
    MPI_Sendrecv(&now_[1], 1, MPI_DOUBLE, last, 5, &now_[41], 1, MPI_DOUBLE, next, 5, comm_, MPI_STATUS_IGNORE);
}

void Wave::run()
{
    double c = medium_.speed * dt_ / spacing_;
    for (int step = 0; step < steps_; ++step) {
        swap();
        std::vector<double> after(42);
        for (int i = 1; i <= 40; ++i)
            after[i] = 2 * now_[i] - before_[i] + c * c * (now_[i - 1] - 2 * now_[i] + now_[i + 1]);
        before_.swap(now_);
        now_.swap(after);
    }
}

double Wave::energy() const
{
    double sum = 0;
    for (int i = 1; i <= 40; ++i)
        sum += (now_[i] - before_[i]) * (now_[i] - before_[i]);
    return sum;
}
