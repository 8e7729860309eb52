#ifndef EVENTS_H
#define EVENTS_H
#include <mpi.h>

enum kind { EVENT_GROW, EVENT_SPLIT, EVENT_MERGE, EVENT_KINDS };

struct tree {
    int rank, size;
    int leaves;
    int pending;
};

typedef void (*handler)(struct tree *, int from);

void register_handlers(void);
void set_handler(enum kind kind, handler handle);
void post(struct tree *tree, int to, enum kind kind);
void dispatch(struct tree *tree);
void settle(struct tree *tree);
#endif
