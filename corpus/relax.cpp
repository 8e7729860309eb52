// relax.cpp - heat in a rod, in C++: a hierarchy of smoothers, templates, lambdas, exceptions.
//
//     relax [SWEEPS]
//
// The rod is cut into pieces, one a rank. A sweep exchanges the ends, lets a smoother (a virtual function) work on the
// piece with whatever weight it is given, and adds up how far everything moved. The two ends of the rod stay as they
// are; in between, heat only spreads, so that every value must stay between them.
//
// Places to stall: smooth lost_end before_sum caught weigh
// The bindings for C++ were dropped from the standard; their headers do not compile without warnings.
#define OMPI_SKIP_MPICXX 1
#define MPICH_SKIP_MPICXX 1
#include <mpi.h>

#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <stdexcept>
#include <vector>

extern "C" {
#include "stall.h"
}

namespace rod {

constexpr int TAG_END = 1;
constexpr int TAG_LOST = 99; // nobody sends this

template <class T> class Piece {
public:
    Piece(int rank, int size, int cells) : left(rank - 1), right(rank + 1), value(cells + 2)
    {
        if (right == size)
            right = MPI_PROC_NULL;
        if (left < 0) {
            left = MPI_PROC_NULL;
            value.front() = T(1);
        }
    }

    void exchange(MPI_Comm comm, int tag)
    {
        int n = static_cast<int>(value.size());
        auto type = sizeof(T) == sizeof(double) ? MPI_DOUBLE : MPI_FLOAT;

        MPI_Sendrecv(&value[1], 1, type, left, TAG_END, &value[n - 1], 1, type, right, TAG_END, comm,
                     MPI_STATUS_IGNORE);
        MPI_Sendrecv(&value[n - 2], 1, type, right, TAG_END, &value[0], 1, type, left, TAG_END, comm,
                     MPI_STATUS_IGNORE);
        if (tag == TAG_LOST)
            MPI_Recv(&value[0], 1, type, MPI_ANY_SOURCE, tag, comm, MPI_STATUS_IGNORE); /* STALL: lost_end */
    }

    int left, right;
    std::vector<T> value;
};

// What every smoother must do; whoever calls it knows no more.
class Smoother {
public:
    virtual ~Smoother() = default;
    virtual double smooth(Piece<double> &piece, int sweep) = 0;
};

class Jacobi : public Smoother {
public:
    explicit Jacobi(double weight) : weight(weight) {}
    double smooth(Piece<double> &piece, int sweep) override;

private:
    double weight;
    std::vector<double> old;
};

double Jacobi::smooth(Piece<double> &piece, int sweep)
{
    double moved = 0;

    old = piece.value;
    for (std::size_t i = 1; i + 1 < old.size(); i++) {
        double next = old[i] + weight * (old[i - 1] - 2 * old[i] + old[i + 1]) / 2;
        moved += std::fabs(next - old[i]);
        piece.value[i] = next;
    }
    if (stall_here("smooth", sweep))
        while (stall_gate) continue; /* STALL: smooth */
    return moved;
}

// A sum over all cells of whatever `f` makes of one.
template <class F> double sum(const std::vector<double> &values, F f)
{
    double total = 0;

    for (const auto &value : values)
        total += f(value);
    return total;
}

static void check_sum(double total, int sweep)
{
    if (!(total >= 0) || sweep % 16 == 15)
        throw std::range_error("time for a report");
}

class Solver {
public:
    Solver(MPI_Comm comm, Smoother &smoother) : comm(comm), smoother(smoother) {}
    double relax(Piece<double> &piece, int sweeps);

private:
    MPI_Comm comm;
    Smoother &smoother;
    int sweep = 0;
    int reports = 0;
};

double Solver::relax(Piece<double> &piece, int sweeps)
{
    double total = 0;

    for (sweep = 0; sweep < sweeps; sweep++) {
        piece.exchange(comm, stall_here("lost_end", sweep) ? TAG_LOST : TAG_END);
        double moved = smoother.smooth(piece, sweep);
        auto weigh = [moved, this](double value) {
            if (stall_here("weigh", sweep))
                while (stall_gate) continue; /* STALL: weigh */
            return value + moved;
        };
        double mine = sum(piece.value, weigh);
        if (stall_here("before_sum", sweep))
            while (stall_gate) continue; /* STALL: before_sum */
        MPI_Allreduce(&mine, &total, 1, MPI_DOUBLE, MPI_SUM, comm);
        try {
            check_sum(total, sweep);
        } catch (const std::range_error &) {
            reports++;
            if (stall_here("caught", sweep))
                while (stall_gate) continue; /* STALL: caught */
        }
    }
    return reports == sweeps / 16 ? total : -1;
}

} // namespace rod

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    int sweeps = argc > 1 ? std::atoi(argv[1]) : 200;
    int rank, size, good, all_good = 0;

    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    stall_init(MPI_COMM_WORLD, "smooth lost_end before_sum caught weigh");

    rod::Piece<double> piece(rank, size, 100);
    std::unique_ptr<rod::Smoother> smoother = std::make_unique<rod::Jacobi>(0.8);
    rod::Solver solver(MPI_COMM_WORLD, *smoother);
    double total = solver.relax(piece, sweeps);

    good = total >= 0;
    for (double value : piece.value)
        good = good && value >= 0 && value <= 1;
    MPI_Reduce(&good, &all_good, 1, MPI_INT, MPI_LAND, 0, MPI_COMM_WORLD);
    if (rank == 0)
        std::printf("relax: %d sweeps, self-check %s\n", sweeps, all_good ? "passed" : "FAILED");
    MPI_Finalize();
    return good ? 0 : 1;
}
