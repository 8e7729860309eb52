/* poisson.c - Jacobi iteration for the Poisson problem on a square, in horizontal bands.
 *
 * The loop is the one of Figure 1 in "Scalable Temporal Order Analysis for Large Scale Debugging" (SC'09): every
 * iteration makes two half steps, A to B and back, and then all ranks agree on the largest change.
 *
 *     poisson [ITERATIONS [TOLERANCE]]
 *
 * Jacobi computes every point from the same numbers however the grid is cut, so each rank repeats the run on the
 * whole grid at the end and compares its band.
 *
 * Places to stall: get_norm lost_row lost_norm converged before_update after_update
 */
#include <math.h>
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "stall.h"

#define NX 64          /* points across, boundary included */
#define ROWS 4         /* interior rows per rank */
#define SOURCE 0.0625  /* h^2 f, the same everywhere */

#define TAG_ROW 1
#define TAG_LOST 99    /* nobody sends this */

struct band {
    MPI_Comm comm;
    int rank;
    int below, above;  /* neighbours, or MPI_PROC_NULL at the boundary */
    int rows;          /* interior rows; rows 0 and rows + 1 are ghosts */
    double *a;
    double *b;
};

static double *new_grid(int rows)
{
    double *grid = calloc((size_t)(rows + 2) * NX, sizeof *grid);

    if (!grid) {
        fprintf(stderr, "poisson: out of memory\n");
        MPI_Abort(MPI_COMM_WORLD, 2);
    }
    return grid;
}

/* Exchange the ghost rows of one grid with both neighbours. */
static void exchange_band(const struct band *band, double *grid, int it)
{
    double *first = grid + NX;
    double *last = grid + band->rows * NX;
    int tag = stall_here("lost_row", it) ? TAG_LOST : TAG_ROW;

    MPI_Sendrecv(last, NX, MPI_DOUBLE, band->above, TAG_ROW, /* STALL: lost_row */
                 grid, NX, MPI_DOUBLE, band->below, tag, band->comm, MPI_STATUS_IGNORE);
    MPI_Sendrecv(first, NX, MPI_DOUBLE, band->below, TAG_ROW,
                 last + NX, NX, MPI_DOUBLE, band->above, TAG_ROW, band->comm, MPI_STATUS_IGNORE);
}

/* One Jacobi sweep: `to` from `from`. */
static void sweep_band(const double *from, double *to, int rows)
{
    int i, j;

    for (i = 1; i <= rows; i++) {
        const double *row = from + i * NX;
        for (j = 1; j < NX - 1; j++)
            to[i * NX + j] = 0.25 * (row[j - NX] + row[j + NX] + row[j - 1] + row[j + 1] + SOURCE);
    }
}

/* The largest change between the two grids on this rank. */
static double get_norm(const struct band *band, int it)
{
    double norm = 0.0;
    int k;

    for (k = NX; k < (band->rows + 1) * NX; k++) {
        double change = fabs(band->a[k] - band->b[k]);
        if (change > norm)
            norm = change;
    }
    if (stall_here("get_norm", it))
        while (stall_gate) continue; /* STALL: get_norm */
    if (stall_here("lost_norm", it))
        MPI_Recv(&norm, 1, MPI_DOUBLE, MPI_ANY_SOURCE, TAG_LOST, band->comm, MPI_STATUS_IGNORE); /* STALL: lost_norm */
    return norm;
}

/* Everybody gets here in the same iteration, or the barrier is not passed. */
static void handle_converged(const struct band *band, int it, double diff)
{
    MPI_Barrier(band->comm); /* STALL: converged */
    if (band->rank == 0)
        printf("poisson: converged after %d iterations, change %g\n", it + 1, diff);
}

static void handle_not(const struct band *band, int it, double diff)
{
    if (band->rank == 0 && it % 1000 == 999)
        printf("poisson: %d iterations, change %g\n", it + 1, diff);
}

/* Iterate until converged. Returns the number of iterations made. */
static int poisson(struct band *band, int max, double tolerance)
{
    int it = 0;
    int converged = 0;
    double norm, diff;

    while (it < max) {
        exchange_band(band, band->a, it);
        sweep_band(band->a, band->b, band->rows);
        norm = get_norm(band, it);

        exchange_band(band, band->b, it);
        sweep_band(band->b, band->a, band->rows);
        norm = fmax(norm, get_norm(band, it));

        MPI_Allreduce(&norm, &diff, 1, MPI_DOUBLE, MPI_MAX, band->comm);
        if (diff <= tolerance || stall_here("converged", it))
            converged = 1;

        if (converged)
            handle_converged(band, it, diff);
        else
            handle_not(band, it, diff);

        if (converged)
            break;

        if (stall_here("before_update", it))
            while (stall_gate) continue; /* STALL: before_update */
        it++;
        if (stall_here("after_update", it))
            while (stall_gate) continue; /* STALL: after_update */
    }
    return converged ? it + 1 : it;
}

/* The same iterations on the whole grid, without communication; true if our band agrees with it. */
static int check(const struct band *band, int size, int iterations)
{
    int rows = size * band->rows;
    double *a = new_grid(rows);
    double *b = new_grid(rows);
    int it, same;

    for (it = 0; it < iterations; it++) {
        sweep_band(a, b, rows);
        sweep_band(b, a, rows);
    }
    same = memcmp(band->a + NX, a + (band->rank * band->rows + 1) * NX,
                  (size_t)(band->rows * NX) * sizeof *a) == 0;
    free(a);
    free(b);
    return same;
}

int main(int argc, char **argv)
{
    int max = argc > 1 ? atoi(argv[1]) : 200;
    double tolerance = argc > 2 ? atof(argv[2]) : 1e-9;
    struct band band;
    double sum = 0.0, total = 0.0;
    int size, iterations, good, all_good = 0, k;

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &band.rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    stall_init(MPI_COMM_WORLD, "get_norm lost_row lost_norm converged before_update after_update");

    band.comm = MPI_COMM_WORLD;
    band.below = band.rank > 0 ? band.rank - 1 : MPI_PROC_NULL;
    band.above = band.rank < size - 1 ? band.rank + 1 : MPI_PROC_NULL;
    band.rows = ROWS;
    band.a = new_grid(band.rows);
    band.b = new_grid(band.rows);

    iterations = poisson(&band, max, tolerance);

    good = check(&band, size, iterations);
    for (k = NX; k < (band.rows + 1) * NX; k++)
        sum += band.a[k];
    MPI_Reduce(&sum, &total, 1, MPI_DOUBLE, MPI_SUM, 0, MPI_COMM_WORLD);
    MPI_Reduce(&good, &all_good, 1, MPI_INT, MPI_LAND, 0, MPI_COMM_WORLD);
    if (band.rank == 0)
        printf("poisson: %d iterations, sum %.12g, self-check %s\n", iterations, total,
               all_good ? "passed" : "FAILED");
    free(band.a);
    free(band.b);
    MPI_Finalize();
    return good ? 0 : 1;
}
