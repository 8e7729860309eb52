/* Rank 0 packs the plan of the run, the others take it apart; then neighbours exchange borders round by round. */
#include "plan.h"

int main(int argc, char **argv)
{
    struct plan plan = {0};
    struct field field = {0};
    double change = 1, worst;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &field.rank);
    MPI_Comm_size(MPI_COMM_WORLD, &field.size);
    field.value = field.rank + 1;
    if (field.rank == 0)
        read_plan(&plan);
    share_plan(&plan, field.rank);
    for (int round = 0; round < plan.rounds; round++) {
        exchange(&field, &plan, round);
        change = relax(&field, &plan);
    }
    MPI_Reduce(&change, &worst, 1, MPI_DOUBLE, MPI_MAX, 0, MPI_COMM_WORLD);
    if (field.rank == 0)
        printf("worst change %g\n", worst);
    MPI_Finalize();
    return 0;
}
