#include <mpi.h>
#include <stdio.h>

enum { TAG_PART = 21, MOST_PARTS = 8 };

struct parts {
    int rank, size;
    unsigned has, everybody;
    double own[MOST_PARTS], sum;
};

void find_parts(struct parts *parts);
void agree(struct parts *parts);
void send_parts(struct parts *parts);
void gather_parts(struct parts *parts);
