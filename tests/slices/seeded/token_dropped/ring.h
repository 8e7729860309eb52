#pragma once

struct load {
    int tasks;
    int given;
    int is_idle;
};

struct token {
    int round;
    int idle;
};

void start(struct load *load, int rank);
void step(struct load *load, int round);
int wants_token(const struct load *load, const struct token *token);
int circulate(struct load *load, int rank, int size);
