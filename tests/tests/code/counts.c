/* Loops whose counters do not all find a register: they are kept in slots of the stack, or in memory that others may write to. */
#include <signal.h>
#include <stdio.h>
#include <string.h>

static volatile int sink;

__attribute__((noinline, noipa)) static int mix(int a, int b)
{
    sink = a ^ b;
    return a + 3 * b;
}

__attribute__((noinline, noipa)) static void bump(int *p) { ++*p; }

__attribute__((noinline, noipa)) static void look(const void *p) { sink = *(const int *)p; }

/* More numbers than registers that calls preserve. */
__attribute__((noinline, noipa)) static int pressure(int a, int b, int c, int d, int e, int f, int n)
{
    int total = 0;
    for (int i = 0; i < n; i++) {
        long wide = 0;
        for (int j = 0; j < 3; j++) {
            for (int k = 5; k > 0; k--) {
                a = mix(a, b + i);
                b = mix(b, c + j);
                c = mix(c, d + k);
                d = mix(d, e + i);
                e = mix(e, f + j);
                f = mix(f, a + n);
                wide += 2;
            }
        }
        total += (int)wide + a + b + c + d + e + f;
    }
    return total;
}

/* A step that is known only at run time. */
__attribute__((noinline, noipa)) static int strides(int first, int step, int n)
{
    int a = first, b = first + 1, c = first + 2, d = first + 3, total = 0;
    for (int i = 0; i < n; i += step) {
        a = mix(a, b);
        b = mix(b, c);
        c = mix(c, d);
        d = mix(d, i);
        for (long k = 0; k < 9; k += step)
            total += mix(a, (int)k);
        total += a;
    }
    return total;
}

struct state {
    int before;
    int step;
    int after;
    double values[4];
};

/* Counters that somebody else may write to. */
__attribute__((noinline, noipa)) static int shared(int n)
{
    struct state s;
    int numbers[8], counter = 0, total = 0;
    memset(&s, 0, sizeof s);
    memset(numbers, 0, sizeof numbers);
    for (s.step = 0; s.step < n; s.step++) {
        look(&s);
        if (s.step == 2)
            bump(&s.step);
        bump(&counter);
        bump(&numbers[counter & 7]);
        numbers[3]++;
        total += mix(s.before, numbers[(n + s.step) & 7]);
    }
    return total + counter + s.after;
}

/* Arguments on the stack, and a frame whose size is known at run time. */
__attribute__((noinline, noipa)) static long many(long a, long b, long c, long d, long e, long f, long g, long h, long n)
{
    for (long i = 0; i < n; i++)
        a += mix((int)(a + b + i), (int)(c + d)) + e * f + g - h;
    return a;
}

__attribute__((noinline, noipa)) static int grows(int n)
{
    int total = 0;
    for (int i = 1; i < n; i++) {
        int room[i];
        for (int j = 0; j < i; j++)
            room[j] = mix(i, j);
        look(room);
        total += room[i - 1] + mix(total, i);
    }
    return total;
}

/* The end of the loop in several copies. */
__attribute__((noinline, noipa)) static int threads(int n)
{
    int total = 0, mode = 0, i = 0, a = 1, b = 2, c = 3, d = 4;
    while (i < n) {
        if (mode == 0) {
            a = mix(a, i);
            mode = a & 1;
            i++;
            continue;
        }
        b = mix(b, c);
        c = mix(c, d);
        d = mix(d, a);
        if ((b & 3) == 0) {
            mode = 0;
            total += mix(total, i);
        }
        i++;
    }
    return total + a + b + c + d;
}

/* What a test has found is the number that the loops begin with. */
__attribute__((noinline, noipa)) static int after_test(int failed, int wanted, int n)
{
    int total = 0;
    failed = mix(failed, 0);
    if (failed)
        return mix(failed, 1);
    for (int i = failed; i < n; i++)
        total += mix(total, i);
    wanted = mix(wanted, 1);
    if (wanted != 5)
        return mix(wanted, 2);
    for (long i = wanted; i < n + 5; i++)
        total += mix(total, (int)i);
    return total;
}

int main(void)
{
    raise(SIGSTOP);
    printf("%d\n", pressure(1, 2, 3, 4, 5, 6, 4));
    printf("%d\n", strides(1, 2, 9));
    printf("%d\n", shared(6));
    printf("%ld\n", many(1, 2, 3, 4, 5, 6, 7, 8, 5));
    printf("%d\n", grows(5));
    printf("%d\n", threads(12));
    printf("%d\n", after_test(0, 2, 6));
    printf("%d\n", after_test(1, 2, 6));
    return 0;
}
