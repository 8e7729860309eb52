#include "box.h"

void serve(struct box *box, int jobs)
{
    MPI_Status first, status;
    int next = 0, open = 0;
    for (int who = 1; who < box->size; who++) {
        hand_out(box, who, next++);
        open++;
    }
    take_result(box, &first);
    open--;
    hand_out(box, first.MPI_SOURCE, next++);
    open++;
    while (open > 0) {
        take_result(box, &status);
        open--;
        if (next < jobs) {
            hand_out(box, first.MPI_SOURCE, next++); /* BUG: status */
            open++;
        }
    }
    for (int who = 1; who < box->size; who++)
        hand_out(box, who, -1);
}
