#include "queue.h"

void queue_add(struct queue *q, int item)
{
    q->item[q->tail] = item;
    q->tail = (q->tail + 1) % MOST;
}

int queue_take(struct queue *q)
{
    int item = q->item[q->head];
    q->head = (q->head + 1) % MOST;
    return item;
}

int queue_length(const struct queue *q)
{
    return (q->tail - q->head + MOST) % MOST;
}
