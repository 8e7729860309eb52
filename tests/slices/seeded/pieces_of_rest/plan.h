#pragma once

enum { CHUNK = 16 };

/* What a rank hands to the next one, and gets from the one before. */
struct plan {
    int out, in;
    int pieces_out, pieces_in;
};

int share(int rank, int size, int total);
void make_plan(struct plan *plan, int rank, int size, int total);
void pass_on(const struct plan *plan, const double *from, double *to, int rank, int size);
