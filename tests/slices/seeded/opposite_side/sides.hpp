#pragma once
#include <mpi.h>
#include <vector>

enum Side { Left, Right, Down, Up, Sides };

// Which sides have a neighbour, one bit each.
class Cell {
    int x, y;
    unsigned open = 0;
    double value = 0;

public:
    Cell(int column, int row);
    bool has(Side side) const { return open & (1u << side); }
    int beside(Side side) const;
    void work(int step) { value += step * 0.5; }
    double &edge() { return value; }
};

class Exchange {
    Cell &cell;
    std::vector<MPI_Request> requests;
    double got[Sides];

public:
    explicit Exchange(Cell &of) : cell(of) {}
    void post();
    void send();
    void finish();
};
