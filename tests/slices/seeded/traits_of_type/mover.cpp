#include "cells.hpp"
#include <algorithm>

template <class T> void Mover<T>::send(const std::vector<T> &cells)
{
    const int size = 4 * sizeof(T);
    std::vector<MPI_Request> requests;
    for (std::size_t at = 0; at < cells.size(); at += 4) {
        requests.emplace_back();
        int left = std::min<int>(size, (cells.size() - at) * sizeof(T));
        MPI_Isend(&cells[at], left, MPI_BYTE, ring_.next(), Traits<T>::tag(), MPI_COMM_WORLD, &requests.back());
    }
    for (MPI_Request &request : requests)
        MPI_Request_free(&request);
}

template <class T> void Mover<T>::receive(std::vector<T> &cells, int count)
{
    cells.resize(count + 4);
    for (int piece = 0; piece < Traits<T>::pieces(count); piece++)
        MPI_Recv(&cells[4 * piece], 4 * sizeof(T), MPI_BYTE, ring_.before(), Traits<T>::tag(), MPI_COMM_WORLD,
                 MPI_STATUS_IGNORE);
}

template class Mover<Point>;
template class Mover<Flux>;
