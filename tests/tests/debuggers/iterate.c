// Stays in the iteration that its argument tells, or in four calls of one line.
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

static volatile int sink;

static void exchange(int it, int stop) {
    if (it == stop) {
        puts("staying");
        fflush(stdout);
        for (;;) {
            pause();
        }
    }
    sink += it;
}

static void walk(int depth) {
    for (int i = 0; i < 9; i++) {
        if (i == depth + 2) {
            if (depth == 3) {
                exchange(i, i);
            } else {
                walk(depth + 1);
            }
        }
        sink += i;
    }
}

int main(int argc, char **argv) {
    if (argc > 2) {
        walk(0);
        return 0;
    }
    int stop = atoi(argv[1]);
    for (int it = 0; it < 100; it++) {
        exchange(it, stop);
    }
    return 0;
}
