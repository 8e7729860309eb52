#pragma once

enum tag { WORK = 1, RESULT, STOP };

struct pool {
    int workers;
    int next;
    int open;
    double sum;
};

void open_pool(struct pool *pool, int size);
int first_round(struct pool *pool, int jobs);
void serve(struct pool *pool, int jobs);
void close_pool(const struct pool *pool);
int work(int rank);
