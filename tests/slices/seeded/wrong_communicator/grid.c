#include "grid.h"

void grid_make(Grid *g, MPI_Comm comm, int columns)
{
    MPI_Comm_dup(comm, &g->all);
    MPI_Comm_rank(g->all, &g->rank);
    MPI_Comm_size(g->all, &g->size);
    g->columns = columns;
    g->rows = g->size / columns;
    g->x = g->rank % columns;
    g->y = g->rank / columns;
    MPI_Comm_split(g->all, g->y, g->x, &g->row);
    MPI_Comm_split(g->all, g->y, g->y, &g->column); /* BUG: the colour is x */
}

void grid_free(Grid *g)
{
    MPI_Comm_free(&g->row);
    MPI_Comm_free(&g->column);
    MPI_Comm_free(&g->all);
}
