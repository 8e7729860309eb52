#pragma once
#include <mpi.h>
#include <vector>
enum class Kind : int { Position = 3, Force = 4, Energy = 5 };
class Wire {
public:
    explicit Wire(MPI_Comm comm) : comm_(comm) {}
    template <typename T> void post(Kind kind, int to, const std::vector<T> &data)
    {
        MPI_Send(data.data(), static_cast<int>(data.size() * sizeof(T)), MPI_BYTE, to, static_cast<int>(kind), comm_);
    }
    template <typename T> std::vector<T> await(Kind kind, int from, std::size_t count)
    {
        std::vector<T> data(count);
        MPI_Recv(data.data(), static_cast<int>(count * sizeof(T)), MPI_BYTE, from, static_cast<int>(kind), comm_, MPI_STATUS_IGNORE);
        return data;
    }
private:
    MPI_Comm comm_;
};
struct Bead { double x, y; };
class Chain {
public:
    Chain(Wire &wire, int rank, int size);
    void send_positions();
    void forces();
    void collect();
    double energy() const { return energy_; }
private:
    Wire &wire_;
    int rank_, size_;
    double energy_ = 0;
    std::vector<Bead> beads_, ghosts_, pulls_;
};
