/* Control flow of every kind that machine code has: tables of jumps, loops, calls back from a library, calls that leave no frame, and ways
 * that are taken once. Stopped at the start of main by itself, then stepped through. */
#include <setjmp.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static volatile int sink;
static jmp_buf far;

__attribute__((noinline)) static int pick(int x)
{
    switch (x) {
    case 0: return 3;
    case 1: sink++;
    case 2: sink += 2; break;
    case 3: sink = x; return sink;
    case 4: return x * 7;
    case 5: sink -= 3; break;
    case 6: sink ^= 5;
    case 7: return sink + 1;
    case 9: sink = 0; break;
    default: return -1;
    }
    return sink;
}

__attribute__((noinline)) static int nested(int n)
{
    int sum = 0;
    for (int i = 0; i < n; i++) {
        for (int j = i; j > 0; j -= 2) {
            if ((i ^ j) & 1)
                continue;
            sum += pick(j % 11);
            if (sum > 4000)
                goto out;
        }
        do sum--; while (sum % 5);
    }
out:
    return sum;
}

static int compare(const void *a, const void *b)
{
    sink += pick(*(const int *)a & 7);
    return *(const int *)a - *(const int *)b;
}

__attribute__((noinline)) static int even(unsigned n);
__attribute__((noinline)) static int odd(unsigned n) { return n == 0 ? pick(2) : even(n - 1); }
__attribute__((noinline)) static int even(unsigned n) { return n == 0 ? pick(3) : odd(n - 1); }

__attribute__((noinline)) static int down(int n) { return n < 1 ? pick(1) : down(n - 1) + down(n - 2) % 3; }

typedef int (*step)(int);
static step const steps[] = {pick, nested, down};

__attribute__((noinline)) static int through(int which, int n) { return steps[which](n); }

__attribute__((noinline, noreturn)) static void leave(int n) { longjmp(far, n + 1); }

__attribute__((noinline)) static int comes_back(int n)
{
    int seen = setjmp(far);
    if (seen < n)
        leave(seen);
    return seen;
}

__attribute__((noinline)) static void rare(int n)
{
    if (__builtin_expect(n > 1000, 0)) {
        fputs("never\n", stderr);
        abort();
    }
    sink += n;
}

int main(void)
{
    int numbers[24];
    raise(SIGSTOP);
    for (int i = 0; i < 24; i++)
        numbers[i] = (i * 7919) % 31;
    for (int i = -1; i < 12; i++)
        sink += pick(i);
    sink += nested(14);
    qsort(numbers, 24, sizeof numbers[0], compare);
    sink += even(9) + odd(4) + down(7);
    for (int i = 0; i < 3; i++)
        sink += through(i, 5 + i);
    sink += comes_back(3);
    for (int i = 0; i < 5; i++)
        rare(i);
    char text[64];
    snprintf(text, sizeof text, "%d", sink);
    return strlen(text) == 0;
}
