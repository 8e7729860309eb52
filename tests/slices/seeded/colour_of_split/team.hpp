#pragma once
#include <mpi.h>
#include <memory>
#include <string>
class Comm {
public:
    explicit Comm(MPI_Comm raw) : raw_(raw) {}
    Comm split(int colour, int key) const;
    int rank() const;
    int size() const;
    void barrier() const { MPI_Barrier(raw_); }
    double sum(double own) const;
    void send(double value, int to, int tag) const;
    double recv(int from, int tag) const;
private:
    MPI_Comm raw_;
};
class Task {
public:
    virtual ~Task() = default;
    virtual void run(const Comm &team, int step) = 0;
    virtual std::string name() const = 0;
};
std::unique_ptr<Task> make_task(const std::string &name);
int team_of(int rank, int size, int teams);
