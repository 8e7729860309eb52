/* Loops whose iterations registers count, whether or not debug info says where the variables are. Arguments: the way of the case, its flag, and the
 * visit of step() that never ends. */
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

static int visits, last_visit;
static volatile int three = 3, two = 2;

__attribute__((noinline)) void step(int k)
{
    if (++visits == last_visit) {
        puts("staying");
        fflush(stdout);
        pause();
        _exit(1);
    }
    __asm__ volatile("" : : "r"(k));
}

/* The number of the iteration lies in one register and then in another, because the loop inside needs many. */
__attribute__((noinline)) static void nested(int flag)
{
    int done = 0;
    for (int it = 1; !done; it++) {
        for (int stage = 0; stage < three; stage++)
            for (int start = 0; start < 2 * two; start += two) {
                int number = start + two > 2 * two ? 2 * two - start : two;
                step(start + number);
            }
        if (flag && it % 2 == 0)
            step(it);
        step(-it);
        if (it >= three)
            done = 1;
    }
}

/* An iteration begins with the change, and some end early. */
__attribute__((noinline)) static void early(int flag)
{
    int i = 0;
    while (i + 1 <= 2 * three) {
        i++;
        step(i);
        if (flag && i % 2 == 0)
            continue;
        step(-i);
    }
}

/* Unrolled whole at some levels. */
__attribute__((noinline)) static void few(int flag)
{
    for (int i = 0; i < 4; i++) {
        step(i);
        if (flag && i == 2)
            step(i);
    }
}

/* What changes in some iterations only is no number of the iteration; and a call that is made in some only holds no loops together. */
__attribute__((noinline)) static void seldom(int flag)
{
    int found = 0;
    for (int i = 0; found < two; i++) {
        if ((i + flag) % 3 == 0)
            found++;
        else
            step(found);
    }
}

/* The loop inside is one of the code with that around it, if the compiler likes. */
__attribute__((noinline)) static void flat(int flag)
{
    for (int i = 0; i < three; i++)
        for (int j = 0; j < three; j++) {
            if (flag && j == 1)
                continue;
            step(i + j);
        }
}

/* Two calls, of which one follows the change. */
__attribute__((noinline)) static void around(int flag)
{
    int i = 0;
    do {
        step(i);
        i++;
        step(-i);
    } while (i < three + flag);
}

/* More numbers than there are registers that calls preserve. */
#define MANY int a = three, b = three + 1, c = three + 2, d = three + 3, e = three + 4, f = three + 5, g = three + 6, h = three + 7
#define USE_ALL a += two, b += two, c += two, d += two, e += two, f += two, g += two, h += two
#define END sink = a + b + c + d + e + f + g + h
static volatile int sink;

/* Compilers may join calls of one function. */
__attribute__((noinline)) static void first(int k)
{
    step(k);
    sink = k;
}

__attribute__((noinline)) static void second(int k)
{
    step(k);
    sink = -k;
}

__attribute__((noinline)) static void third(int k)
{
    step(k);
    sink = 2 * k;
}

/* Each call is made in some iterations only. One that the first iteration leaves out may come first in a round of the code, with which
 * the loop begins in the middle. */
__attribute__((noinline)) static void warm(int flag)
{
    MANY;
    for (int it = 0; it <= three; it++) {
        if (it == 1)
            first(it);
        USE_ALL;
        for (int phase = 1; phase < two + flag; phase++) {
            second(phase);
            USE_ALL;
            if (flag && phase == 2)
                third(-phase);
        }
    }
    END;
}

__attribute__((noinline)) static void arms(int flag)
{
    MANY;
    for (int it = 0; it < 2 * three; it++) {
        if ((it + flag) % 3 == 1)
            first(a);
        USE_ALL;
        if (it % 2 == 0)
            second(b);
        USE_ALL;
        if (it == 4) {
            third(it);
            step(c + it);
        }
    }
    END;
}

/* The loop is left in the middle, and the way round is not the same in all iterations. */
__attribute__((noinline)) static void middle(int flag)
{
    MANY;
    int it = 0;
    for (;;) {
        if (it == 2)
            first(it);
        USE_ALL;
        if (it >= 2 * three)
            break;
        if (flag && it % 3 == 0) {
            it++;
            continue;
        }
        if (it > 0)
            second(a);
        USE_ALL;
        it++;
    }
    END;
}

/* By twos, from a number that is not zero. */
__attribute__((noinline)) static void twos(int flag)
{
    MANY;
    for (int it = 5; it < 5 + 2 * three; it += 2) {
        if (it > 5)
            first(it);
        USE_ALL;
        for (int k = 0; k < flag + 1; k++)
            if (k + it != 8)
                second(k);
        USE_ALL;
    }
    END;
}

/* The update may be made in front of the last calls, of which each iteration makes one. */
__attribute__((noinline)) static void either(int flag)
{
    for (int it = 0; it <= 2 * three - flag; it++) {
        if (it == 1)
            third(7);
        if (sink == three)
            puts("never");
        if (it % 2)
            first(two);
        else
            second(two);
    }
}

/* The same of one call. */
__attribute__((noinline)) static void last(int flag)
{
    for (int it = 2; it <= 2 * three - flag; it += 2) {
        if (it == 4)
            third(two + 1);
        first(two);
    }
}

/* Writes all of an array, and what is behind it if that were taken for a part of it. */
__attribute__((noinline)) static void fill(int *row, int length)
{
    for (int k = 0; k < length; k++)
        row[k] = -1;
    __asm__ volatile("" : : "r"(row) : "memory");
}

/* More arguments than there are registers for. */
__attribute__((noinline)) static int wide(int a, int b, int c, int d, int e, int f, int g, int h)
{
    __asm__ volatile("" : : "r"(a + b + c + d + e + f + g), "r"(h) : "memory");
    return h;
}

/* The frame has a part of variable size, and arguments are pushed. */
__attribute__((noinline)) static void sized(int flag)
{
    MANY;
    for (int it = 5; it < 5 + 2 * three; it += 2) {
        int row[it + flag];
        fill(row, it + flag);
        if (it > 5)
            first(it);
        USE_ALL;
        for (int k = 0; k < flag + 1; k++)
            if (k + it != 8)
                second(k + row[k] + wide(a, b, c, d, e, f, g, 1));
        USE_ALL;
    }
    END;
}

/* The frame is aligned by more than the ABI does: its variables are reached by the stack pointer. */
__attribute__((noinline)) static void aligned(int flag)
{
    MANY;
    for (int it = 5; it < 5 + 2 * three; it += 2) {
        _Alignas(64) int row[24];
        fill(row, 24);
        if (it > 5)
            first(it);
        USE_ALL;
        for (int k = 0; k < flag + 1; k++)
            if (k + it != 8)
                second(k + row[k] + wide(a, b, c, d, e, f, g, 1));
        USE_ALL;
    }
    END;
}

int main(int argc, char **argv)
{
    void (*const cases[])(int) = {nested, early, few, seldom, flat, around, warm, arms, middle, twos, sized, aligned, either, last};
    if (argc != 4)
        return 2;
    last_visit = atoi(argv[3]);
    cases[atoi(argv[1])](atoi(argv[2]));
    puts("ended");
    return 0;
}
