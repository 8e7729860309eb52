/* A program of which nobody kept source or debug info. Arguments: the iteration in which it fails, and the call that never ends. */
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

static int calls, last_call;

static void stay(void)
{
    if (++calls == last_call) {
        puts("staying");
        fflush(stdout);
        for (;;)
            pause();
    }
}

__attribute__((noinline)) void begin(void)
{
    stay();
}

__attribute__((noinline)) void part(int k)
{
    (void)k;
    stay();
}

__attribute__((noinline)) void report(int it)
{
    (void)it;
    stay();
}

__attribute__((noinline)) void exchange(int it)
{
    (void)it;
    stay();
}

__attribute__((noinline)) void finish(void)
{
    stay();
}

int main(int count, char **arguments)
{
    if (count < 3)
        return 2;
    int fails = atoi(arguments[1]);
    /* As many as no compiler can know. */
    int times = count + 1, parts = count;
    last_call = atoi(arguments[2]);
    begin();
    for (int it = 0; it < times; it++) {
        for (int k = 0; k < parts; k++)
            part(k);
        if (it == fails) {
            report(it);
            break;
        }
        exchange(it);
    }
    finish();
    puts("done");
    return 0;
}
