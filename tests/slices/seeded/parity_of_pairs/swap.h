#include <mpi.h>
struct keys { int count, rank, size; int key[2048]; MPI_Comm comm; };
void keys_make(struct keys *k, MPI_Comm comm, int count);
int keys_partner(const struct keys *k, int phase);
void keys_merge(struct keys *k, int with, int *other);
void keys_trade(struct keys *k, int with, int *other);
int keys_first(const struct keys *k, int with);
void keys_sort(struct keys *k);
