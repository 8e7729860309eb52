/* adi.c - the heat equation in a box, one implicit solve per direction and time step.
 *
 *     adi [STEPS]
 *
 * x and y lie on one rank; z is cut into slabs, and the solve along z goes through all ranks as a pipeline: up with
 * the elimination, down with the substitution. The initial state is an eigenvector of all three solves, so the
 * exact answer of the discrete problem is a known factor per step.
 *
 * Places to stall: x_solve lost_plane report before_updates between_updates after_updates
 */
#include <math.h>
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

#include "stall.h"

#define N 15     /* interior points in x and in y */
#define SLAB 2   /* planes in z per rank */
#define PLANE (N * N)

#define TAG_UP 1
#define TAG_DOWN 2
#define TAG_LOST 99 /* nobody sends this */

#define AT(k, j, i) (((k) * N + (j)) * N + (i))

struct box {
    MPI_Comm comm;
    int rank, size;
    int below, above;
    double rx, ry, rz;      /* dt / h^2 in each direction */
    double u[SLAB * PLANE];
    double c[SLAB * PLANE]; /* what elimination along z leaves above the diagonal */
};

/* Solves (1 + 2r) v_i - r (v_i-1 + v_i+1) = u_i along one line of the grid, in place. */
static void solve_line(double *u, int stride, double r)
{
    double c[N];
    int i;

    c[0] = -r / (1.0 + 2.0 * r);
    u[0] /= 1.0 + 2.0 * r;
    for (i = 1; i < N; i++) {
        double pivot = 1.0 + 2.0 * r + r * c[i - 1];
        c[i] = -r / pivot;
        u[i * stride] = (u[i * stride] + r * u[(i - 1) * stride]) / pivot;
    }
    for (i = N - 2; i >= 0; i--)
        u[i * stride] -= c[i] * u[(i + 1) * stride];
}

static void x_solve(struct box *box, int step)
{
    int k, j;

    for (k = 0; k < SLAB; k++)
        for (j = 0; j < N; j++)
            solve_line(&box->u[AT(k, j, 0)], 1, box->rx);
    if (stall_here("x_solve", step))
        while (stall_gate) continue; /* STALL: x_solve */
}

static void y_solve(struct box *box)
{
    int k, i;

    for (k = 0; k < SLAB; k++)
        for (i = 0; i < N; i++)
            solve_line(&box->u[AT(k, 0, i)], N, box->ry);
}

static void z_solve(struct box *box, int step)
{
    double below[2 * PLANE] = {0.0}; /* u and c of the last plane below us */
    double above[PLANE] = {0.0};     /* u of the first plane above us */
    double top[2 * PLANE];
    double r = box->rz;
    int tag = stall_here("lost_plane", step) ? TAG_LOST : TAG_UP;
    int k, p;

    if (box->below != MPI_PROC_NULL)
        MPI_Recv(below, 2 * PLANE, MPI_DOUBLE, box->below, tag, box->comm, MPI_STATUS_IGNORE); /* STALL: lost_plane */
    for (k = 0; k < SLAB; k++) {
        for (p = 0; p < PLANE; p++) {
            double u_below = k ? box->u[(k - 1) * PLANE + p] : below[p];
            double c_below = k ? box->c[(k - 1) * PLANE + p] : below[PLANE + p];
            double pivot = 1.0 + 2.0 * r + r * c_below;
            box->c[k * PLANE + p] = -r / pivot;
            box->u[k * PLANE + p] = (box->u[k * PLANE + p] + r * u_below) / pivot;
        }
    }
    for (p = 0; p < PLANE; p++) {
        top[p] = box->u[(SLAB - 1) * PLANE + p];
        top[PLANE + p] = box->c[(SLAB - 1) * PLANE + p];
    }
    MPI_Send(top, 2 * PLANE, MPI_DOUBLE, box->above, TAG_UP, box->comm);

    if (box->above != MPI_PROC_NULL)
        MPI_Recv(above, PLANE, MPI_DOUBLE, box->above, TAG_DOWN, box->comm, MPI_STATUS_IGNORE);
    for (k = SLAB - 1; k >= 0; k--) {
        for (p = 0; p < PLANE; p++) {
            double u_above = k < SLAB - 1 ? box->u[(k + 1) * PLANE + p] : above[p];
            box->u[k * PLANE + p] -= box->c[k * PLANE + p] * u_above;
        }
    }
    MPI_Send(box->u, PLANE, MPI_DOUBLE, box->below, TAG_DOWN, box->comm);
}

/* Rank 0 collects the heat that is left; everybody has to come. */
static void report(const struct box *box, int step, double t)
{
    double heat = 0.0, total = 0.0;
    int p;

    for (p = 0; p < SLAB * PLANE; p++)
        heat += box->u[p];
    MPI_Allreduce(&heat, &total, 1, MPI_DOUBLE, MPI_SUM, box->comm); /* STALL: report */
    if (box->rank == 0)
        printf("adi: step %d, t %.3f, heat %g\n", step, t, total);
}

/* Advance from 0 to t_end. Returns the number of steps. */
static int advance(struct box *box, double t_end, double dt, int report_every)
{
    double t = 0.0;
    int step = 0;

    while (t < t_end - 0.5 * dt) {
        if (step % report_every == 0 || stall_here("report", step))
            report(box, step, t);

        x_solve(box, step);
        y_solve(box);
        z_solve(box, step);

        if (stall_here("before_updates", step))
            while (stall_gate) continue; /* STALL: before_updates */
        step++;
        if (stall_here("between_updates", step))
            while (stall_gate) continue; /* STALL: between_updates */
        t += dt;
        if (stall_here("after_updates", step))
            while (stall_gate) continue; /* STALL: after_updates */
    }
    return step;
}

/* The factor by which one implicit solve along a line of n points damps the lowest sine. */
static double damping(double r, int n)
{
    double s = sin(0.5 * acos(-1.0) / (n + 1));

    return 1.0 / (1.0 + 4.0 * r * s * s);
}

static double initial(const struct box *box, int k, int j, int i)
{
    double pi = acos(-1.0);

    return sin(pi * (box->rank * SLAB + k + 1) / (box->size * SLAB + 1)) * sin(pi * (j + 1) / (N + 1)) *
           sin(pi * (i + 1) / (N + 1));
}

int main(int argc, char **argv)
{
    int steps = argc > 1 ? atoi(argv[1]) : 200;
    double dt = 1e-4;
    struct box box;
    double error = 0.0, worst = 0.0, factor;
    int k, j, i, made, good;

    MPI_Init(&argc, &argv);
    box.comm = MPI_COMM_WORLD;
    MPI_Comm_rank(box.comm, &box.rank);
    MPI_Comm_size(box.comm, &box.size);
    stall_init(box.comm, "x_solve lost_plane report before_updates between_updates after_updates");

    box.below = box.rank > 0 ? box.rank - 1 : MPI_PROC_NULL;
    box.above = box.rank < box.size - 1 ? box.rank + 1 : MPI_PROC_NULL;
    box.rx = box.ry = dt * (N + 1) * (N + 1);
    box.rz = dt * (box.size * SLAB + 1) * (box.size * SLAB + 1);
    for (k = 0; k < SLAB; k++)
        for (j = 0; j < N; j++)
            for (i = 0; i < N; i++)
                box.u[AT(k, j, i)] = initial(&box, k, j, i);

    made = advance(&box, steps * dt, dt, 1000);

    factor = pow(damping(box.rx, N) * damping(box.ry, N) * damping(box.rz, box.size * SLAB), made);
    for (k = 0; k < SLAB; k++)
        for (j = 0; j < N; j++)
            for (i = 0; i < N; i++)
                error = fmax(error, fabs(box.u[AT(k, j, i)] - factor * initial(&box, k, j, i)));
    MPI_Allreduce(&error, &worst, 1, MPI_DOUBLE, MPI_MAX, box.comm);
    good = made == steps && worst < 1e-12;
    if (box.rank == 0)
        printf("adi: %d steps, factor %.12g, largest error %.3g, self-check %s\n", made, factor, worst,
               good ? "passed" : "FAILED");
    MPI_Finalize();
    return good ? 0 : 1;
}
