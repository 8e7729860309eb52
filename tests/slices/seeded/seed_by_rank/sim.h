#include <mpi.h>
struct walk { long at; int steps, changes; };
void dice_start(int seed);
int dice(int sides);
int worth_a_swap(const struct walk *w);
void swap_walk(struct walk *w, int rank, int size);
void walk_on(struct walk *w);
