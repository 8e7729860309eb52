/* multigrid.c - geometric multigrid for -u'' = 2 on the unit interval, set up level by level.
 *
 * The set-up is written the way algebraic multigrid codes write theirs: one loop that coarsens the current level,
 * then moves `level` on in the middle of its body and builds the new one, until the grid is small enough.
 *
 *     multigrid [CYCLES]
 *
 * The difference scheme is exact for the parabola x (1 - x), so the answer at every point is known.
 *
 * Places to stall: coarsen lost_point before_update after_update smooth
 */
#include <math.h>
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

#include "stall.h"

#define MAX_LEVELS 16
#define POINTS 256     /* points per rank on the finest level; a power of two */

#define TAG_POINT 1
#define TAG_LOST 99    /* nobody sends this */

/* One level. Each rank owns n points; u, b and r have a ghost point on either side: [0] and [n + 1]. */
struct level {
    int n;
    double h;
    double *u, *b, *r;
};

struct multigrid {
    MPI_Comm comm;
    int rank, size;
    int left, right;
    int num_levels;
    int cycle;          /* V-cycles done */
    double *coarse;     /* the whole coarsest grid, on every rank */
    struct level levels[MAX_LEVELS];
};

static double *new_vector(int n)
{
    double *v = calloc((size_t)n + 2, sizeof *v);

    if (!v) {
        fprintf(stderr, "multigrid: out of memory\n");
        MPI_Abort(MPI_COMM_WORLD, 2);
    }
    return v;
}

/* Fetch the ghost points of a vector. */
static void exchange(const struct multigrid *mg, double *v, int n, int from_left)
{
    MPI_Sendrecv(&v[n], 1, MPI_DOUBLE, mg->right, TAG_POINT, /* STALL: lost_point */
                 &v[0], 1, MPI_DOUBLE, mg->left, from_left, mg->comm, MPI_STATUS_IGNORE);
    MPI_Sendrecv(&v[1], 1, MPI_DOUBLE, mg->left, TAG_POINT,
                 &v[n + 1], 1, MPI_DOUBLE, mg->right, TAG_POINT, mg->comm, MPI_STATUS_IGNORE);
}

/* ---- set-up ---- */

/* Every second point of a level goes on to the next. Returns how many of ours do. */
static int coarsen(const struct level *fine, int level)
{
    int kept = 0;
    int i;

    for (i = 1; i <= fine->n; i += 2)
        kept++;
    if (stall_here("coarsen", level))
        while (stall_gate) continue; /* STALL: coarsen */
    return kept;
}

static void build_level(struct multigrid *mg, int level, int n)
{
    struct level *new_level = &mg->levels[level];

    new_level->n = n;
    new_level->h = level ? 2.0 * mg->levels[level - 1].h : 1.0 / ((double)n * mg->size);
    new_level->u = new_vector(n);
    new_level->b = new_vector(n);
    new_level->r = new_vector(n);
}

/* Neighbours must agree on the level, or its stencils would not fit together. */
static void match_level(const struct multigrid *mg, int level)
{
    double width[3] = {0.0, mg->levels[level].h, 0.0};
    int tag = stall_here("lost_point", level) ? TAG_LOST : TAG_POINT;

    exchange(mg, width, 1, tag);
    if ((mg->left != MPI_PROC_NULL && width[0] != width[1]) ||
        (mg->right != MPI_PROC_NULL && width[2] != width[1])) {
        fprintf(stderr, "multigrid: level %d differs between neighbours\n", level);
        MPI_Abort(mg->comm, 2);
    }
}

static void setup(struct multigrid *mg)
{
    int level = 0;
    int not_finished = 1;

    build_level(mg, 0, POINTS);
    while (not_finished) {
        int kept = coarsen(&mg->levels[level], level);
        int global = 0;

        MPI_Allreduce(&kept, &global, 1, MPI_INT, MPI_SUM, mg->comm);
        if (stall_here("before_update", level))
            while (stall_gate) continue; /* STALL: before_update */

        level++;

        if (stall_here("after_update", level))
            while (stall_gate) continue; /* STALL: after_update */
        build_level(mg, level, kept);
        match_level(mg, level);
        mg->num_levels = level + 1;
        if (global <= mg->size || level == MAX_LEVELS - 1)
            not_finished = 0;
    }
    mg->coarse = new_vector(mg->levels[level].n * mg->size);
}

/* ---- solve ---- */

/* Point 0 of the whole grid is the boundary and stays zero; it is the first one that rank 0 owns. */
static int first_unknown(const struct multigrid *mg)
{
    return mg->rank == 0 ? 2 : 1;
}

/* One damped Jacobi step. */
static void smooth(struct multigrid *mg, int level)
{
    struct level *l = &mg->levels[level];
    int i;

    exchange(mg, l->u, l->n, TAG_POINT);
    for (i = first_unknown(mg); i <= l->n; i++)
        l->r[i] = l->b[i] * l->h * l->h + l->u[i - 1] - 2.0 * l->u[i] + l->u[i + 1];
    for (i = first_unknown(mg); i <= l->n; i++)
        l->u[i] += l->r[i] / 3.0;
    if (stall_here("smooth", mg->cycle))
        while (stall_gate) continue; /* STALL: smooth */
}

static void residual(struct multigrid *mg, int level)
{
    struct level *l = &mg->levels[level];
    int i;

    exchange(mg, l->u, l->n, TAG_POINT);
    for (i = first_unknown(mg); i <= l->n; i++)
        l->r[i] = l->b[i] + (l->u[i - 1] - 2.0 * l->u[i] + l->u[i + 1]) / (l->h * l->h);
}

/* Fine point 2j is coarse point j: the residual goes down by full weighting, the correction up by interpolation. */
static void restrict_from(struct multigrid *mg, int level)
{
    struct level *fine = &mg->levels[level];
    struct level *coarse = &mg->levels[level + 1];
    int j;

    exchange(mg, fine->r, fine->n, TAG_POINT);
    for (j = 1; j <= coarse->n; j++) {
        int i = 2 * j - 1;
        coarse->b[j] = 0.25 * (fine->r[i - 1] + 2.0 * fine->r[i] + fine->r[i + 1]);
        coarse->u[j] = 0.0;
    }
}

static void correct(struct multigrid *mg, int level)
{
    struct level *fine = &mg->levels[level];
    struct level *coarse = &mg->levels[level + 1];
    int j;

    exchange(mg, coarse->u, coarse->n, TAG_POINT);
    for (j = 1; j <= coarse->n; j++) {
        fine->u[2 * j - 1] += coarse->u[j];
        fine->u[2 * j] += 0.5 * (coarse->u[j] + coarse->u[j + 1]);
    }
}

/* The coarsest grid is small: every rank solves all of it, by elimination. */
static void solve_coarsest(struct multigrid *mg, int level)
{
    struct level *l = &mg->levels[level];
    int total = l->n * mg->size;
    double *v = mg->coarse;
    int i;

    MPI_Allgather(&l->b[1], l->n, MPI_DOUBLE, v, l->n, MPI_DOUBLE, mg->comm);
    /* -v[i-1] + 2 v[i] - v[i+1] = h^2 b[i] with v[0] = v[total] = 0: pivots are (i + 1) / i. */
    v[0] = 0.0;
    for (i = 1; i < total; i++)
        v[i] = (v[i] * l->h * l->h + v[i - 1]) * i / (i + 1.0);
    for (i = total - 2; i > 0; i--)
        v[i] += v[i + 1] * i / (i + 1.0);
    for (i = 1; i <= l->n; i++)
        l->u[i] = v[mg->rank * l->n + i - 1];
}

static void v_cycle(struct multigrid *mg)
{
    int bottom = mg->num_levels - 1;
    int level;

    for (level = 0; level < bottom; level++) {
        smooth(mg, level);
        residual(mg, level);
        restrict_from(mg, level);
    }
    solve_coarsest(mg, bottom);
    for (level = bottom - 1; level >= 0; level--) {
        correct(mg, level);
        smooth(mg, level);
    }
}

static void solve(struct multigrid *mg, int cycles)
{
    int i;

    for (i = first_unknown(mg); i <= POINTS; i++)
        mg->levels[0].b[i] = 2.0;
    mg->cycle = 0;
    while (mg->cycle < cycles) {
        v_cycle(mg);
        mg->cycle++;
    }
}

int main(int argc, char **argv)
{
    int cycles = argc > 1 ? atoi(argv[1]) : 20;
    static struct multigrid mg;
    double error = 0.0, worst = 0.0;
    int i, good;

    MPI_Init(&argc, &argv);
    mg.comm = MPI_COMM_WORLD;
    MPI_Comm_rank(mg.comm, &mg.rank);
    MPI_Comm_size(mg.comm, &mg.size);
    mg.left = mg.rank > 0 ? mg.rank - 1 : MPI_PROC_NULL;
    mg.right = mg.rank < mg.size - 1 ? mg.rank + 1 : MPI_PROC_NULL;
    stall_init(mg.comm, "coarsen lost_point before_update after_update smooth");

    setup(&mg);
    solve(&mg, cycles);

    for (i = 1; i <= POINTS; i++) {
        double x = (mg.rank * (double)POINTS + i - 1) * mg.levels[0].h;
        error = fmax(error, fabs(mg.levels[0].u[i] - x * (1.0 - x)));
    }
    MPI_Allreduce(&error, &worst, 1, MPI_DOUBLE, MPI_MAX, mg.comm);
    good = worst < 1e-9;
    if (mg.rank == 0)
        printf("multigrid: %d levels, %d cycles, largest error %.3g, self-check %s\n", mg.num_levels, cycles, worst,
               good ? "passed" : "FAILED");
    for (i = 0; i < mg.num_levels; i++) {
        free(mg.levels[i].u);
        free(mg.levels[i].b);
        free(mg.levels[i].r);
    }
    free(mg.coarse);
    MPI_Finalize();
    return good ? 0 : 1;
}
