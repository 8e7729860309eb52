/* A header with code: its inline function belongs to whoever includes it. */
#ifndef MESH_H
#define MESH_H

struct limits {
    int first;
    int last;
};

struct mesh {
    long cells;
    union {
        int level;
        float unused;
    };
    struct limits range;
    struct {
        short step;
        unsigned char flag : 3;
    } const inner;
    volatile unsigned sweep;
    struct mesh *next;
    long double wide;
};

static inline double weight(const double *v, int n)
{
    double sum = 0;
    for (int w = 0; w < n; w++) {
        sum += v[w] * v[w];
    }
    return sum;
}

double norm(const double *v, int n);
extern int shared_count;

#endif
