#pragma once
#include <mpi.h>
#include <vector>

struct Point {
    double x, y;
};

struct Flux {
    double value;
};

/* In how many pieces a kind of cell travels. */
template <class T> struct Traits;

template <> struct Traits<Point> {
    static int pieces(int cells) { return (cells + 3) / 4; }
    static int tag() { return 40; }
};

template <> struct Traits<Flux> {
    static int pieces(int cells);
    static int tag() { return 60; }
};

class Ring {
public:
    Ring();
    int rank() const { return rank_; }
    int next() const { return (rank_ + 1) % size_; }
    int before() const { return (rank_ + size_ - 1) % size_; }

private:
    int rank_, size_;
};

template <class T> class Mover {
public:
    explicit Mover(const Ring &ring) : ring_(ring) {}
    void send(const std::vector<T> &cells);
    void receive(std::vector<T> &cells, int count);

private:
    const Ring &ring_;
};
