/* A ring buffer. */
#include "observe.h"

struct queue {
    int cells[4];
    unsigned head;
    unsigned tail;
    unsigned lost;
};

static void put(struct queue *q, int n)
{
    if (q->tail - q->head == 4) {
        q->lost++;
        return;
    }
    q->cells[q->tail++ % 4] = n;
}

static int get(struct queue *q)
{
    if (q->head == q->tail)
        return -1;
    return q->cells[q->head++ % 4];
}

int main(void)
{
    struct queue q = {{0, 0, 0, 0}, 0, 0, 0};
    int i;
    for (i = 0; i < 6; i++)
        put(&q, input(i));
    get(&q);
    observe(get(&q));
    observe((long) q.lost);
    return 0;
}
