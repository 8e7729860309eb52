#include "hood.hpp"

static int at(int x, int y, int nx)
{
    return y * nx + x;
}

Hood make_hood(int rank, int nx, int ny, bool is_periodic)
{
    Hood hood{};
    hood.nx = nx;
    hood.ny = ny;
    hood.x = rank % nx;
    hood.y = rank / nx;
    hood.rank.fill(MPI_PROC_NULL);
    if (hood.x > 0 || is_periodic)
        hood.rank[West] = at((hood.x + nx - 1) % nx, hood.y, nx);
    if (hood.x + 1 < nx || is_periodic)
        hood.rank[East] = at((hood.x + 1) % nx, hood.y, nx);
    if (hood.y > 0 || is_periodic)
        hood.rank[South] = at(hood.x, (hood.y + ny - 1) % ny, nx);
    if (hood.y + 1 < ny) /* BUG: nothing said of periodic */
        hood.rank[North] = at(hood.x, (hood.y + 1) % ny, nx);
    return hood;
}
